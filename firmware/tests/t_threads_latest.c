/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Several writers and a reader, QS frames in a LATEST ring and QNX buffers in a KEEP ring: whatever is read is
 * intact and in order. */
#define _XOPEN_SOURCE 700

#include "spytui/qnx.h"
#include "spytui/qs.h"

#include "tap.h"

#include <pthread.h>
#include <sched.h>

enum { WRITERS = 3, RECORDS = 20000, SIZE = 1024, EVENT = 16, BUFFER = 16 * EVENT };

/* The QNX emitter takes the lock again while holding it. */
static pthread_mutex_t mutex;

static uint32_t lock(void *ctx) {
    (void)ctx;
    pthread_mutex_lock(&mutex);
    return 0;
}

static void unlock(void *ctx, uint32_t state) {
    (void)ctx;
    (void)state;
    pthread_mutex_unlock(&mutex);
}

static const sty_env_t env = {sty_env_no_time, lock, unlock, NULL, 0};
static uint8_t mem[SIZE];
static sty_ring_t ring;
static sty_qs_t qs;
static sty_qnx_t qnx;
static bool over;

/* Findings of the reader. It reads a piece whenever it gets a turn, so frames are pushed out. */
static struct {
    unsigned records;
    unsigned broken; /* begun before the rest was overwritten */
    uint32_t last[WRITERS];
    bool in_order;
} got;

static void take(uint32_t writer, uint32_t number) {
    got.in_order = got.in_order && writer < WRITERS && number > got.last[writer];
    if (writer < WRITERS) {
        got.last[writer] = number;
    }
    got.records++;
}

static uint32_t word_at(const uint8_t *bytes) {
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* Number, id, time, and two words with formats; then the sum. */
static void take_frame(const uint8_t *frame, int length) {
    uint8_t sum = 0;
    for (int i = 0; i < length; i++) {
        sum = (uint8_t)(sum + frame[i]);
    }
    if (length < 3 || sum != 0xFF) {
        got.broken++;
    } else if (frame[1] == STY_QS_USER && length == 17) {
        take(word_at(&frame[7]), word_at(&frame[12]));
    }
}

static void *write_qs(void *arg) {
    const uint32_t writer = *(const uint32_t *)arg;
    for (uint32_t i = 1; i <= RECORDS; i++) {
        STY_QS_BEGIN(&qs, STY_QS_USER, 0)
            sty_qs_u32(&qs, 0, writer);
            sty_qs_u32(&qs, 0, i);
        STY_QS_END(&qs)
        if (i % 16u == 0u) {
            sched_yield();
        }
    }
    return NULL;
}

static void *read_qs(void *arg) {
    uint8_t frame[64];
    uint8_t bytes[50];
    sty_hdlc_rx_t rx;
    (void)arg;
    sty_hdlc_rx_init(&rx, frame, sizeof frame);
    for (bool last = false; !last;) {
        last = STY_LOAD(&over);
        uint32_t count;
        do {
            count = sty_ring_read(&ring, bytes, sizeof bytes);
            for (uint32_t i = 0; i < count; i++) {
                const int length = sty_hdlc_rx_feed(&rx, bytes[i]);
                if (length != STY_HDLC_MORE) {
                    take_frame(frame, length);
                }
            }
        } while (last && count != 0);
        sched_yield();
    }
    return NULL;
}

static void *write_qnx(void *arg) {
    const uint32_t writer = *(const uint32_t *)arg;
    for (uint32_t i = 1; i <= RECORDS; i++) {
        sty_qnx_user(&qnx, writer % STY_QNX_CPUS, 7, writer, i);
        if (i % 16u == 0u) {
            sched_yield();
        }
    }
    return NULL;
}

static void *read_qnx(void *arg) {
    uint8_t bytes[BUFFER];
    (void)arg;
    for (bool last = false; !last;) {
        last = STY_LOAD(&over);
        uint32_t count;
        do {
            count = sty_ring_read(&ring, bytes, sizeof bytes);
            for (uint32_t i = 0; i < count; i += EVENT) {
                if ((word_at(&bytes[i]) & 0x7FFFu) == (6u << 10 | 7u)) {
                    take(word_at(&bytes[i + 8]), word_at(&bytes[i + 12]));
                }
            }
            sty_qnx_flush(&qnx);
        } while (last && sty_ring_used(&ring) != 0);
        sched_yield();
    }
    return NULL;
}

/* Switches unused events next to one that the writers use. */
static void *set_filters(void *arg) {
    enum { ADD_EVENT = 5, DEL_EVENT, SET_EVENT_PID = 24 };
    static const uint32_t words[] = {STY_QNX_USER, 9, 1};
    (void)arg;
    for (uint32_t i = 0; i < 2000; i++) {
        sty_qnx_command(&qnx, DEL_EVENT, words, 2);
        sty_qnx_command(&qnx, SET_EVENT_PID, words, 3);
        sty_qnx_command(&qnx, ADD_EVENT, words, 2);
    }
    return NULL;
}

static void run(void *(*write)(void *), void *(*read)(void *)) {
    static uint32_t numbers[WRITERS] = {0, 1, 2};
    pthread_t writers[WRITERS];
    pthread_t setter;
    pthread_t reader;
    over = false;
    got.records = 0;
    got.broken = 0;
    got.in_order = true;
    for (uint32_t i = 0; i < WRITERS; i++) {
        got.last[i] = 0;
    }
    pthread_create(&reader, NULL, read, NULL);
    if (write == write_qnx) {
        pthread_create(&setter, NULL, set_filters, NULL);
    }
    for (uint32_t i = 0; i < WRITERS; i++) {
        pthread_create(&writers[i], NULL, write, &numbers[i]);
    }
    for (uint32_t i = 0; i < WRITERS; i++) {
        pthread_join(writers[i], NULL);
    }
    if (write == write_qnx) {
        pthread_join(setter, NULL);
    }
    STY_STORE(&over, true);
    pthread_join(reader, NULL);
}

int main(void) {
    static const sty_qs_target_t qs_target = {.version = 734, .info = sty_qs_info_7};
    static const sty_qnx_target_t qnx_target = {1000, "6.4.1", "demo", "Sun Nov 22 09:14:02 2026"};
    static uint8_t buffer[BUFFER];
    pthread_mutexattr_t nests;
    pthread_mutexattr_init(&nests);
    pthread_mutexattr_settype(&nests, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &nests);

    sty_ring_init_latest(&ring, &env, mem, sizeof mem, STY_RING_ENDS_IN(0x7E));
    sty_qs_init(&qs, &ring, &qs_target);
    sty_qs_glb_group(&qs, STY_QS_GRP_UA, true);
    run(write_qs, read_qs);
    printf("# QS: %u records, %u cut, %u dropped\n", got.records, got.broken, (unsigned)sty_ring_drops(&ring));
    OK(got.in_order && got.records > 0, "QS frames of several threads never mix");
    OK(got.broken <= sty_ring_drops(&ring) && got.records + sty_ring_drops(&ring) >= WRITERS * RECORDS,
       "each is read or counted");

    sty_ring_init(&ring, &env, mem, sizeof mem);
    sty_qnx_init(&qnx, &ring, &qnx_target, buffer, sizeof buffer);
    run(write_qnx, read_qnx);
    printf("# QNX: %u events, %u dropped\n", got.records, (unsigned)sty_qnx_drops(&qnx));
    OK(got.in_order && got.records > 0, "QNX events of several threads never mix");
    OK(got.records + sty_qnx_drops(&qnx) == WRITERS * RECORDS, "each is read or counted");
    return DONE();
}
