/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Several writers and a lock-free reader: frames never mix, and each is read or counted. Meanwhile, others set
 * filters in the byte that the writers check. */
#include "spytui/qs.h"

#include "tap.h"

#include <pthread.h>
#include <sched.h>

enum { WRITERS = 4, SETTERS = 2, RECORDS = 20000, SIZE = 512 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

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
static const sty_qs_target_t target = {.version = 734, .info = sty_qs_info_7};
static uint8_t mem[SIZE];
static sty_ring_t ring;
static sty_qs_t qs;
static bool over;

/* Records in which all elements are the number of their writer. */
static void *write_records(void *arg) {
    const uint8_t writer = *(const uint8_t *)arg;
    for (unsigned i = 0; i < RECORDS; i++) {
        STY_QS_BEGIN(&qs, STY_QS_USER, 0)
            for (unsigned n = 0; n < 1u + i % 8u; n++) {
                sty_qs_u8(&qs, 0, writer);
            }
        STY_QS_END(&qs)
        if (i % 16u == 0u) {
            sched_yield();
        }
    }
    return NULL;
}

static struct {
    unsigned records;
    unsigned totals;
    bool whole;
} got;

static void take_frame(const uint8_t *frame, int length) {
    uint8_t sum = 0;
    bool same = length >= 8;
    for (int i = 0; i < length; i++) {
        sum = (uint8_t)(sum + frame[i]);
    }
    if (length > 1 && frame[1] == STY_QS_DROPS_REC) {
        got.totals++;
        got.whole = got.whole && sum == 0xFF;
        return;
    }
    for (int i = 7; i < length - 1; i += 2) {
        same = same && frame[i] == frame[7];
    }
    got.records++;
    got.whole = got.whole && sum == 0xFF && same;
}

static void *read_records(void *arg) {
    uint8_t frame[64];
    sty_hdlc_rx_t rx;
    (void)arg;
    got.whole = true;
    sty_hdlc_rx_init(&rx, frame, sizeof frame);
    for (bool last = false; !last;) {
        last = STY_LOAD(&over);
        uint32_t count;
        for (const uint8_t *from = sty_ring_peek(&ring, &count); count != 0; from = sty_ring_peek(&ring, &count)) {
            for (uint32_t i = 0; i < count; i++) {
                const int length = sty_hdlc_rx_feed(&rx, from[i]);
                if (length != STY_HDLC_MORE) {
                    take_frame(frame, length);
                }
            }
            sty_ring_skip(&ring, count);
        }
        sched_yield();
    }
    return NULL;
}

/* Switches a separate record, and finally switches it on. */
static void *set_filters(void *arg) {
    const uint8_t rec = *(const uint8_t *)arg;
    for (unsigned i = 0; i < RECORDS; i++) {
        sty_qs_glb_rec(&qs, rec, i % 2u != 0u);
    }
    return NULL;
}

int main(void) {
    static uint8_t numbers[WRITERS];
    static uint8_t switched[SETTERS] = {STY_QS_USER + 1, STY_QS_USER + 2};
    pthread_t writers[WRITERS];
    pthread_t setters[SETTERS];
    pthread_t reader;
    sty_ring_init(&ring, &env, mem, sizeof mem);
    sty_qs_init(&qs, &ring, &target);
    sty_qs_glb_group(&qs, STY_QS_GRP_UA, true);
    pthread_create(&reader, NULL, read_records, NULL);
    for (uint8_t i = 0; i < WRITERS; i++) {
        numbers[i] = (uint8_t)(i + 1u);
        pthread_create(&writers[i], NULL, write_records, &numbers[i]);
    }
    for (unsigned i = 0; i < SETTERS; i++) {
        pthread_create(&setters[i], NULL, set_filters, &switched[i]);
    }
    for (unsigned i = 0; i < WRITERS; i++) {
        pthread_join(writers[i], NULL);
    }
    for (unsigned i = 0; i < SETTERS; i++) {
        pthread_join(setters[i], NULL);
    }
    STY_STORE(&over, true);
    pthread_join(reader, NULL);
    printf("# %u records, %u drop totals, %u dropped\n", got.records, got.totals, (unsigned)sty_ring_drops(&ring));
    OK(got.whole, "records of several threads never mix");
    OK(got.records + sty_ring_drops(&ring) == WRITERS * RECORDS, "each is read or counted");
    OK(sty_qs_on(&qs, STY_QS_USER + 1, 0) && sty_qs_on(&qs, STY_QS_USER + 2, 0), "filters are as they were set last");
    return DONE();
}
