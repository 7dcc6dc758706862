/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Output to USB as a serial port (CDC) with TinyUSB. board_millis() is part of its board support. Until a host
 * connects, the trace stays in the ring, which may fill up. */
#include "lamp.h"
#include "bsp/board_api.h"
#include "tusb.h"

static uint64_t now(void *ctx) {
    (void)ctx;
    return board_millis();
}

/* Only the loop below traces; if interrupts trace, use a lock from ports/. */
static const sty_env_t env = {now, sty_env_no_lock, sty_env_no_unlock, NULL, 1000};

static void serve(void) {
    uint32_t count;
    const uint8_t *from = sty_ring_peek(&lamp_ring, &count);
    if (tud_cdc_connected() && count != 0u) {
        sty_ring_skip(&lamp_ring, tud_cdc_write(from, count)); /* takes what fits */
        tud_cdc_write_flush();
    }
    while (tud_cdc_available() != 0u) {
        lamp_receive((uint8_t)tud_cdc_read_char());
    }
}

int lamp_main(void);
int lamp_main(void) {
    board_init();
    tusb_init();
    lamp_start(&env);
    for (uint32_t last = 0;;) {
        tud_task();
        serve();
        if (board_millis() - last >= 100u) {
            last += 100u;
            lamp_step();
        }
    }
}
