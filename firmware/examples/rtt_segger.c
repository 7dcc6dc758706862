/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Output through the debug probe in a program that has SEGGER's sources and prints to its channel 0: the trace takes
 * channel 1. lamp_serve() is for the idle loop. */
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
    sty_ring_skip(&lamp_ring, (uint32_t)SEGGER_RTT_Write(CHANNEL, from, count)); /* TRIM: what it has room for */
    while (SEGGER_RTT_Read(CHANNEL, &byte, 1) == 1u) {
        lamp_receive(byte);
    }
}
