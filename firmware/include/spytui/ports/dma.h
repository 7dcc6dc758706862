/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Output by DMA straight from a KEEP ring: no copy, one transfer at a time. What is being sent stays in the ring until the
 * interrupt at the end of the transfer.
 *
 *     static sty_dma_t dma;                        sty_dma_init(&dma, &ring, 65535, start);
 *     sty_dma_serve(&dma);                         in the idle loop
 *     sty_dma_done(&dma);                          in that interrupt
 *
 * start() must make the bytes visible to the DMA: with a data cache (Cortex-M7) it cleans the cache lines from `from` to
 * `from + count`, or the ring is in memory that is not cached; without one a DSB is enough. The DMA must reach that memory:
 * on many chips it does not reach the tightly coupled one. */
#ifndef SPYTUI_PORTS_DMA_H
#define SPYTUI_PORTS_DMA_H

#include "spytui/ring.h"

/* Private; use the functions below. */
typedef struct {
    sty_ring_t *ring;
    void (*start)(const uint8_t *from, uint32_t count);
    uint32_t most;
    volatile uint32_t sending; /* bytes of the transfer; 0: there is none, so nor will its interrupt come */
} sty_dma_t;

/* `most` is what a transfer can have: 65535 where the DMA counts in 16 bits. */
static inline void sty_dma_init(sty_dma_t *dma, sty_ring_t *ring, uint32_t most,
    void (*start)(const uint8_t *from, uint32_t count)) {
    dma->ring = ring;
    dma->start = start;
    dma->most = most;
    dma->sending = 0;
}

/* Starts a transfer of what waits, unless there is one. */
static inline void sty_dma_serve(sty_dma_t *dma) {
    uint32_t count;
    if (dma->sending != 0u) {
        return;
    }
    const uint8_t *from = sty_ring_peek(dma->ring, &count);
    if (count != 0u) {
        count = count < dma->most ? count : dma->most;
        dma->sending = count; /* before its interrupt may come */
        dma->start(from, count);
    }
}

/* The transfer is over: frees its bytes and starts the next. */
static inline void sty_dma_done(sty_dma_t *dma) {
    sty_ring_skip(dma->ring, dma->sending);
    dma->sending = 0;
    sty_dma_serve(dma);
}

#endif
