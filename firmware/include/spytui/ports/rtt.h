/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Output through the debug probe: the control block that RTT hosts look for (J-Link, OpenOCD, pyOCD, probe-rs), with
 * one channel per direction. The memory of a KEEP ring is the buffer of up channel 0: no copy, no second buffer. A
 * program with SEGGER's own sources should use one of their channels instead, because two control blocks in a
 * program hide each other.
 *
 *     static sty_rtt_t rtt;       in uncached memory, like the ring
 *     sty_rtt_init(&rtt, trace_mem, sizeof trace_mem, commands_mem, sizeof commands_mem);
 *     sty_rtt_serve(&rtt, &ring); in the idle loop
 *     while ((byte = sty_rtt_receive(&rtt)) >= 0) … */
#ifndef SPYTUI_PORTS_RTT_H
#define SPYTUI_PORTS_RTT_H

#include "spytui/ring.h"

/* Layout known to RTT hosts. */
typedef struct {
    const char *name;
    uint8_t *buffer;
    uint32_t size;
    uint32_t write; /* next byte to be written */
    uint32_t read;  /* next byte to be read; equal to `write`: empty */
    uint32_t flags;
} sty_rtt_channel_t;
typedef struct {
    char id[16];
    int32_t ups;
    int32_t downs;
    sty_rtt_channel_t up;
    sty_rtt_channel_t down;
} sty_rtt_t;

/* `trace` is the memory of the ring, which nobody has read from yet. */
static inline void sty_rtt_init(sty_rtt_t *rtt, uint8_t *trace, uint32_t trace_size, uint8_t *commands,
    uint32_t commands_size) {
    const sty_rtt_channel_t up = {"spytui", trace, trace_size, 0, 0, 0};
    const sty_rtt_channel_t down = {"spytui", commands, commands_size, 0, 0, 0};
    rtt->ups = rtt->downs = 1;
    rtt->up = up;
    rtt->down = down;
    /* Written last, and reversed here, so that hosts find the mark nowhere else in memory. */
    static const char reversed[] = "TTR REGGES";
    for (uint32_t i = 0; i < 10u; i++) {
        STY_STORE_RELEASE(&rtt->id[9u - i], reversed[i]);
    }
}

/* Frees what the host has read and shows it pending bytes. */
static inline void sty_rtt_serve(sty_rtt_t *rtt, sty_ring_t *ring) {
    uint32_t count;
    const uint32_t mask = rtt->up.size - 1u;
    const uint8_t *from = sty_ring_peek(ring, &count);
    sty_ring_skip(ring, (STY_LOAD_ACQUIRE(&rtt->up.read) - STY_CAST(uint32_t, from - rtt->up.buffer)) & mask);
    from = sty_ring_peek(ring, &count);
    if (count > mask) {
        count = mask; /* a full buffer would look empty */
    }
    STY_STORE_RELEASE(&rtt->up.write, (STY_CAST(uint32_t, from - rtt->up.buffer) + count) & mask);
}

/* Returns a byte from the host; negative: none. */
static inline int sty_rtt_receive(sty_rtt_t *rtt) {
    const uint32_t read = STY_LOAD(&rtt->down.read);
    if (read == STY_LOAD_ACQUIRE(&rtt->down.write)) {
        return -1;
    }
    const int byte = rtt->down.buffer[read];
    STY_STORE_RELEASE(&rtt->down.read, read + 1u == rtt->down.size ? 0u : read + 1u);
    return byte;
}

#endif
