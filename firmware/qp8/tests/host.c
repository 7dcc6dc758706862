/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "host.h"

#include "frames.h"

called_t called;
uint32_t host_time = 0x04030201;
bool host_asserting;
uint8_t host_trace[16384];
static uint8_t commands[64];

uint8_t QS_onStartup(void const *arg) {
    (void)arg;
    QS_initBuf(host_trace, sizeof host_trace);
    QS_rxInitBuf(commands, sizeof commands);
    return 1;
}
void QS_onCleanup(void) {
}
void QS_onFlush(void) {
    called.flushes++;
    kernel_faults += host_asserting ? 0u : kernel_depth;
}
QSTimeCtr QS_onGetTime(void) {
    kernel_faults += kernel_depth != 1u && !host_asserting ? 1u : 0u;
    return host_time;
}
void QS_onReset(void) {
    called.resets++;
    kernel_faults += kernel_depth;
}
void QS_onCommand(uint8_t cmdId, uint32_t param1, uint32_t param2, uint32_t param3) {
    kernel_faults += kernel_depth;
    called.commands++;
    called.command = cmdId;
    called.p1 = param1;
    called.p2 = param2;
    called.p3 = param3;
    QS_BEGIN_ID(COMMAND_STAT, 0)
        QS_U8(0, cmdId);
    QS_END()
}
void QS_doOutput(void) {
}
void QS_doInput(void) {
    QS_rxParse();
}

size_t receive(uint8_t *frame, uint16_t size) {
    static uint8_t number;
    sty_hdlc_rx_t rx;
    sty_hdlc_rx_init(&rx, frame, size);
    for (uint16_t byte = QS_getByte(); byte != QS_EOD; byte = QS_getByte()) {
        const int length = sty_hdlc_rx_feed(&rx, (uint8_t)byte);
        if (length < 0) {
            continue;
        }
        uint8_t sum = 0;
        for (int i = 0; i < length; i++) {
            sum = (uint8_t)(sum + frame[i]);
        }
        const bool next = frame[0] == (uint8_t)(number + 1u) || (frame[0] == 1u && frame[1] == 0u);
        number = frame[0];
        if (length < 3 || sum != 0xFFu || !next) {
            printf("# a bad frame: %s\n", hex(frame, (size_t)length));
            return 0;
        }
        memmove(frame, frame + 1, (size_t)length - 2u);
        return (size_t)length - 2u;
    }
    return 0;
}

const char *sent(void) {
    uint8_t frame[512];
    return hex(frame, receive(frame, sizeof frame));
}

bool is_sent(const char *expected) {
    const char *got = sent();
    const bool same = strcmp(got, expected) == 0;
    if (!same) {
        printf("# got %s, expected %s\n", got, expected);
    }
    return same;
}

const char *ids_sent(void) {
    static char text[1024];
    uint8_t frame[512];
    text[0] = '\0';
    for (size_t length = receive(frame, sizeof frame); length != 0; length = receive(frame, sizeof frame)) {
        const bool short_answer = frame[0] == QS_RX_STATUS;
        const size_t end = strlen(text);
        snprintf(&text[end], sizeof text - end, short_answer ? "%s%d:%02x" : "%s%d", end == 0 ? "" : " ", frame[0],
            frame[1]);
    }
    return text;
}

bool are_sent(const char *expected) {
    const char *got = ids_sent();
    const bool same = strcmp(got, expected) == 0;
    if (!same) {
        printf("# got %s, expected %s\n", got, expected);
    }
    return same;
}

void begin(void) {
    memset(&called, 0, sizeof called);
    kernel_init();
    QS_INIT(NULL);
    QS_GLB_FILTER(QS_GRP_ALL);
    ids_sent();
}
