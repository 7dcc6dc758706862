/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Output by DMA directly from a KEEP ring: no copy, one transfer at a time. Bytes being sent stay in the ring until
 * the interrupt at the end of the transfer.
 *
 *     static sty_dma_t dma;                        sty_dma_init(&dma, &ring, 65535, start);
 *     sty_dma_serve(&dma);                         in the idle loop
 *     sty_dma_done(&dma);                          in that interrupt
 *
 * start() must make the bytes visible to the DMA: with a data cache (Cortex-M7), either clean the cache lines from
 * `from` to `from + count`, or put the ring in uncached memory; without a cache, a DSB is enough. The DMA must be
 * able to access that memory: on many chips it can't access tightly coupled memory. */
#ifndef SPYTUI_PORTS_DMA_H
#define SPYTUI_PORTS_DMA_H

#include "spytui/ring.h"

/* Private; use the functions below. */
typedef struct {
    sty_ring_t *ring;
    void (*start)(const uint8_t *from, uint32_t count);
    uint32_t most;
    volatile uint32_t sending; /* size of the transfer in bytes; 0: no transfer, so no interrupt will come */
} sty_dma_t;

/* `most` is the maximum size of a transfer: 65535 if the DMA counts in 16 bits. */
static inline void sty_dma_init(sty_dma_t *dma, sty_ring_t *ring, uint32_t most,
    void (*start)(const uint8_t *from, uint32_t count)) {
    dma->ring = ring;
    dma->start = start;
    dma->most = most;
    dma->sending = 0;
}

/* Starts a transfer of pending bytes, unless one is running. */
static inline void sty_dma_serve(sty_dma_t *dma) {
    uint32_t count;
    if (dma->sending != 0u) {
        return;
    }
    const uint8_t *from = sty_ring_peek(dma->ring, &count);
    if (count != 0u) {
        count = count < dma->most ? count : dma->most;
        dma->sending = count; /* set before the interrupt can occur */
        dma->start(from, count);
    }
}

/* Ends a transfer: frees its bytes and starts the next one. */
static inline void sty_dma_done(sty_dma_t *dma) {
    sty_ring_skip(dma->ring, dma->sending);
    dma->sending = 0;
    sty_dma_serve(dma);
}

#endif
