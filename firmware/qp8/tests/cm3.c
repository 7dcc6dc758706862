/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Like posix.c, on the board lm3s6965evb: the trace goes to its serial link. The exit status shows whether the test
 * passed. */
#include "app.h"

#include "qs_port.h"

#include "board.h"
#include "semihost.h"

static uint32_t time_now;

uint8_t QS_onStartup(void const *arg) {
    static uint8_t trace[2048];
    static uint8_t commands[128];
    (void)arg;
    board_init();
    QS_initBuf(trace, sizeof trace);
    QS_rxInitBuf(commands, sizeof commands);
    return 1U;
}

void QS_onFlush(void) {
    for (uint16_t byte = QS_getByte(); byte != QS_EOD; byte = QS_getByte()) {
        while (!board_send((uint8_t)byte)) {
        }
    }
}

void QS_onCleanup(void) {
    QS_onFlush();
}

QSTimeCtr QS_onGetTime(void) {
    time_now++;
    return time_now;
}

void QS_onReset(void) {
}

void QS_onCommand(uint8_t cmdId, uint32_t param1, uint32_t param2, uint32_t param3) {
    if (cmdId == CMD_BLINK && param1 + param2 + param3 != 0u) {
        app_press();
    }
}

void QS_doOutput(void) {
    QS_onFlush();
}

void QS_doInput(void) {
    uint8_t byte;
    while (board_receive(&byte)) {
        QS_RX_PUT(byte);
    }
    QS_rxParse();
}

int main(void) {
    app_init(NULL);
    for (unsigned tick = 0; tick < 100; tick++) {
        kernel_tick(0, NULL);
        if (tick % 10u == 0u) {
            app_press();
        }
        while (kernel_step()) {
        }
        QS_RX_INPUT();
        QS_OUTPUT();
    }
    app_elements();
    app_assertion("cm3", 77);
    QS_EXIT();
    semihost_exit(kernel_faults != 0u);
    return 0;
}
