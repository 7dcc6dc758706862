/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Output through the debug probe for programs that contain SEGGER's sources and print to channel 0: the trace uses
 * channel 1. Call lamp_serve() in the idle loop. */
#include "SEGGER_RTT.h"
#include "lamp.h"

enum { CHANNEL = 1 };
static uint8_t up[1024], down[64];

void lamp_rtt_init(void);
void lamp_rtt_init(void) {
    SEGGER_RTT_ConfigUpBuffer(CHANNEL, "spytui", up, sizeof up, SEGGER_RTT_MODE_NO_BLOCK_TRIM);
    SEGGER_RTT_ConfigDownBuffer(CHANNEL, "spytui", down, sizeof down, SEGGER_RTT_MODE_NO_BLOCK_TRIM);
}

void lamp_serve(void);
void lamp_serve(void) {
    uint32_t count;
    uint8_t byte;
    const uint8_t *from = sty_ring_peek(&lamp_ring, &count);
    sty_ring_skip(&lamp_ring, (uint32_t)SEGGER_RTT_Write(CHANNEL, from, count)); /* TRIM: writes what fits */
    while (SEGGER_RTT_Read(CHANNEL, &byte, 1) == 1u) {
        lamp_receive(byte);
    }
}
