/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The outputs in ports/: a DMA and a debug probe that read pieces of any size get every byte once and in order. */
#include "tap.h"

#include <stdlib.h>

#include "spytui/ports/dma.h"
#include "spytui/ports/rtt.h"

enum { SIZE = 256, BYTES = 100000 };

static const sty_env_t env = {sty_env_no_time, sty_env_no_lock, sty_env_no_unlock, NULL, 0};
static uint8_t mem[SIZE];
static sty_ring_t ring;
static uint32_t written, taken;
static bool in_order;

static void start_over(void) {
    sty_ring_init(&ring, &env, mem, sizeof mem);
    written = taken = 0;
    in_order = true;
}

static uint32_t below(uint32_t limit) {
    return (uint32_t)rand() % limit;
}

static uint8_t byte_at(uint32_t i) {
    return (uint8_t)(i * 7u + i / 256u);
}

/* Writes a frame of some bytes, which may fill the ring. False: there is no room. */
static bool write_frame(uint32_t count) {
    sty_ring_begin_urgent(&ring);
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t byte = byte_at(written + i);
        sty_ring_put(&ring, &byte, 1);
    }
    const bool kept = sty_ring_commit(&ring);
    written += kept ? count : 0u;
    return kept;
}

static void fill(void) {
    while (write_frame(1u + below(below(4) == 0u ? SIZE : 20u))) {
    }
    if (below(2) == 0u) {
        write_frame(SIZE - sty_ring_used(&ring)); /* no byte is free */
    }
}

static void take(uint8_t byte) {
    in_order = in_order && byte == byte_at(taken);
    taken++;
}

/* The current DMA transfer. */
static const uint8_t *transfer;
static uint32_t transfer_left;
static bool overlapped, too_long;

static void start(const uint8_t *from, uint32_t count) {
    overlapped = overlapped || transfer_left != 0u;
    too_long = too_long || count > 50u;
    transfer = from;
    transfer_left = count;
}

static void test_dma(void) {
    sty_dma_t dma;
    start_over();
    sty_dma_init(&dma, &ring, 50, start);
    for (unsigned round = 0; round < BYTES && (written < BYTES || taken != written); round++) {
        if (written < BYTES) {
            fill();
        }
        sty_dma_serve(&dma);
        for (uint32_t count = below(60); count != 0u && transfer_left != 0u; count--) {
            take(*transfer++);
            if (--transfer_left == 0u) {
                sty_dma_done(&dma);
            }
        }
    }
    OK(in_order && taken >= BYTES, "DMA: each byte is sent once, in order");
    OK(!overlapped && !too_long, "one transfer at a time, of at most what it can have");
    OK(transfer_left == 0u && dma.sending == 0u, "and none of nothing");
}

/* The host reads up to the write position, in two pieces if that is before the read position. */
static void probe_up(sty_rtt_channel_t *up) {
    for (uint32_t count = below(SIZE); count != 0u && up->read != up->write; count--) {
        take(up->buffer[up->read]);
        up->read = up->read + 1u == up->size ? 0u : up->read + 1u;
    }
}

static void test_rtt(void) {
    static sty_rtt_t rtt;
    static uint8_t commands[8];
    start_over();
    sty_rtt_init(&rtt, mem, sizeof mem, commands, sizeof commands);
    bool named = true;
    for (unsigned i = 0; i < sizeof rtt.id; i++) {
        named = named && rtt.id[i] == "SEGGER RTT\0\0\0\0\0"[i];
    }
    OK(named && rtt.ups == 1 && rtt.downs == 1, "RTT: a host finds the control block");
    unsigned idle = 0;
    for (unsigned round = 0; round < BYTES && idle < 4u; round++) {
        if (written < BYTES) {
            fill();
        } else {
            idle++;
        }
        sty_rtt_serve(&rtt, &ring);
        do {
            probe_up(&rtt.up);
        } while (idle != 0u && rtt.up.read != rtt.up.write);
    }
    OK(in_order && taken == written && sty_ring_used(&ring) == 0u, "it reads each byte once, in order, also of a full ring");
    bool received = sty_rtt_receive(&rtt) < 0;
    for (uint32_t i = 0; i < 100; i++) {
        rtt.down.buffer[rtt.down.write] = byte_at(i);
        rtt.down.write = (rtt.down.write + 1u) % (uint32_t)sizeof commands;
        received = received && sty_rtt_receive(&rtt) == byte_at(i);
    }
    OK(received && sty_rtt_receive(&rtt) < 0, "and its bytes are received");
}

int main(void) {
    srand(1);
    test_dma();
    test_rtt();
    return DONE();
}
