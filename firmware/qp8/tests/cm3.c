/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The steps of docs/qp8.md for a Cortex-M, on the board lm3s6965evb: the trace goes to its serial link. The exit status
 * shows whether the test passed. */
#include "app.h"

#include "qs_port.h"

#include "board.h"
#include "semihost.h"

static uint32_t time_now;
static uint8_t received;

static void uart_init(void) {
    board_init();
}

/* It waits in uart_send(). */
static bool uart_can_send(void) {
    return true;
}

static void uart_send(uint16_t byte) {
    while (!board_send((uint8_t)byte)) {
    }
}

static uint8_t uart_received(void) {
    return received;
}

static uint32_t timer_count(void) {
    time_now++;
    return time_now;
}

#include "page_cortex_1.inc"

void QS_onReset(void) {
}

void QS_onCommand(uint8_t cmdId, uint32_t param1, uint32_t param2, uint32_t param3) {
    if (cmdId == CMD_BLINK && param1 + param2 + param3 != 0u) {
        app_press();
    }
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
        while (board_receive(&received)) {
#include "page_cortex_2.inc"
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
