/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The macros of QS in several threads, with the program's lock: no record is damaged, out of order, or lost without
 * being counted, while the host sends commands. */
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE 700

#include "qs_port.h"

#include "tap.h"

#include <string.h>

enum { THREADS = 3, COUNT = 20000, COMMANDS = 200 };
enum { NUMBER = QS_USER, OBEYED };

pthread_mutex_t port_mutex;
int port_faults;

static uint8_t trace[8192];
static uint8_t commands[128];
static uint32_t time_now;
static bool ended;

/* Bytes read so far. */
static struct {
    sty_hdlc_rx_t rx;
    uint8_t frame[256];
    uint32_t records, damaged, unordered, answers, names, dropped;
    uint32_t next[THREADS];
    uint8_t number;
} host;

static uint32_t u32_at(const uint8_t *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void take_frame(size_t length) {
    const uint8_t *frame = host.frame;
    uint8_t sum = 0;
    for (size_t i = 0; i < length; i++) {
        sum = (uint8_t)(sum + frame[i]);
    }
    if (length < 3 || sum != 0xFFu) {
        host.damaged++;
        return;
    }
    if (frame[1] == NUMBER) {
        /* Number, id, time, then two elements. */
        const uint8_t thread = frame[7];
        const uint32_t n = u32_at(&frame[9]);
        host.unordered += n < host.next[thread] ? 1u : 0u;
        host.next[thread] = n + 1u;
        host.records++;
    } else if (frame[1] == STY_QS_DROPS_REC) {
        host.dropped = u32_at(&frame[7]);
    } else {
        host.answers += frame[1] == QS_TARGET_DONE ? 1u : 0u;
        host.names += frame[1] == QS_OBJ_DICT ? 1u : 0u;
    }
}

static bool take_block(void) {
    uint16_t count = 100;
    const uint8_t *block = QS_getBlock(&count);
    for (uint16_t i = 0; i < count; i++) {
        const int length = sty_hdlc_rx_feed(&host.rx, block[i]);
        if (length != STY_HDLC_MORE) {
            take_frame(length < 0 ? 0 : (size_t)length);
        }
    }
    return block != NULL;
}

uint8_t QS_onStartup(void const *arg) {
    (void)arg;
    QS_initBuf(trace, sizeof trace);
    QS_rxInitBuf(commands, sizeof commands);
    return 1;
}
void QS_onCleanup(void) {
}
void QS_onFlush(void) {
}
QSTimeCtr QS_onGetTime(void) {
    time_now++;
    return time_now;
}
void QS_onReset(void) {
}
void QS_onCommand(uint8_t cmdId, uint32_t param1, uint32_t param2, uint32_t param3) {
    QS_BEGIN_ID(OBEYED, 0)
        QS_U32(0, cmdId + param1 + param2 + param3);
    QS_END()
}
void QS_doOutput(void) {
    take_block();
}
void QS_doInput(void) {
    static const uint8_t command[] = {1, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    host.number++;
    uint8_t sum = host.number;
    uint8_t frame[2 + sizeof command] = {host.number};
    for (size_t i = 0; i < sizeof command; i++) {
        frame[1 + i] = command[i];
        sum = (uint8_t)(sum + command[i]);
    }
    frame[sizeof frame - 1] = (uint8_t)~sum;
    for (size_t i = 0; i < sizeof frame; i++) {
        const bool escape = frame[i] == 0x7Du || frame[i] == 0x7Eu;
        if (escape) {
            QS_RX_PUT(0x7D);
        }
        QS_RX_PUT(escape ? frame[i] ^ 0x20u : frame[i]);
    }
    QS_RX_PUT(0x7E);
    QS_rxParse();
}

static void *trace_numbers(void *of) {
    const uint8_t *thread = of;
    for (uint32_t n = 0; n < COUNT; n++) {
        QS_BEGIN_ID(NUMBER, 1 + *thread)
            QS_U8(0, *thread);
            QS_U32(0, n);
        QS_END()
        if (n % 1000u == 0u) {
            QS_OBJ_DICTIONARY(thread);
        }
    }
    return NULL;
}

static void *serve(void *unused) {
    (void)unused;
    while (!STY_LOAD(&ended)) {
        QS_OUTPUT();
    }
    return NULL;
}

int main(void) {
    static uint8_t numbers[THREADS] = {0, 1, 2};
    pthread_t threads[THREADS];
    pthread_t output;
    pthread_mutexattr_t checked;
    pthread_mutexattr_init(&checked);
    pthread_mutexattr_settype(&checked, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&port_mutex, &checked);
    sty_hdlc_rx_init(&host.rx, host.frame, sizeof host.frame);
    QS_INIT(NULL);
    QS_GLB_FILTER(QS_GRP_UA);
    pthread_create(&output, NULL, serve, NULL);
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, trace_numbers, &numbers[i]);
    }
    for (unsigned i = 0; i < COMMANDS; i++) {
        QS_RX_INPUT();
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    STY_STORE(&ended, true);
    pthread_join(output, NULL);
    while (take_block()) {
    }
    QS_RX_INPUT(); /* one more answer, and the total if it is due */
    while (take_block()) {
    }
    OK(host.damaged == 0 && host.unordered == 0, "%u records in order, none damaged", host.records);
    OK(host.answers > 0, "%u commands done meanwhile", host.answers);
    const uint32_t sent = THREADS * COUNT;
    OK(host.records <= sent && sent - host.records <= host.dropped, "those that did not fit were counted: %u",
        host.dropped);
    OK(port_faults == 0, "nothing locks twice");
    return DONE();
}
