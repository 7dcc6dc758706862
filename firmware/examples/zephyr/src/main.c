/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The lamp on Zephyr, through the UART that the devicetree names spytui-uart:
 *
 *     / { aliases { spytui-uart = &uart1; }; };
 *
 * west build -b BOARD examples/zephyr */
#include "lamp.h"
#include "spytui/ports/zephyr.h"

#include <zephyr/drivers/uart.h>

static const struct device *const uart = DEVICE_DT_GET(DT_ALIAS(spytui_uart));
static const sty_env_t env = {sty_zephyr_now, sty_zephyr_lock, sty_zephyr_unlock, NULL, STY_ZEPHYR_SECOND};

static void serve(void) {
    uint32_t count;
    unsigned char byte;
    const uint8_t *from = sty_ring_peek(&lamp_ring, &count);
    for (uint32_t i = 0; i < count; i++) {
        uart_poll_out(uart, from[i]);
    }
    sty_ring_skip(&lamp_ring, count);
    while (uart_poll_in(uart, &byte) == 0) {
        lamp_receive(byte);
    }
}

int main(void) {
    lamp_start(&env);
    for (;;) {
        lamp_step();
        serve();
        k_sleep(K_MSEC(100));
    }
}
