/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Rings that survive a reset. A file of its own: a program that always starts with an empty ring does not carry it. */
#include "spytui/ring.h"

/* Is this the ring that `fresh` is, in the middle of its work? Three pointers and the size stand for a magic number:
 * memory that was off does not have them, nor has that of another build. */
static bool is_the_same(const sty_ring_t *old, const sty_ring_t *fresh) {
    return old->env == fresh->env && old->buf == fresh->buf && old->mask == fresh->mask &&
        old->frame_kind == fresh->frame_kind && old->head - old->tail <= old->mask + 1u &&
        old->drops - old->reported < 1u << 31;
}

static bool take_over(sty_ring_t *ring, sty_ring_t *fresh) {
    const bool survived = is_the_same(ring, fresh);
    if (survived) {
        fresh->head = ring->head;
        fresh->tail = ring->tail;
        fresh->cut = ring->cut;
        fresh->inside = ring->inside;
        fresh->peak = ring->head - ring->tail;
        /* The totals start again with what no total has said, and the frame that was being written. */
        fresh->drops = ring->drops - ring->reported + (ring->open != 0u);
    }
    *ring = *fresh;
    return survived;
}

bool sty_ring_attach(sty_ring_t *ring, const sty_env_t *env, void *mem, uint32_t size) {
    sty_ring_t fresh;
    sty_ring_init(&fresh, env, mem, size);
    return take_over(ring, &fresh);
}

bool sty_ring_attach_latest(sty_ring_t *ring, const sty_env_t *env, void *mem, uint32_t size, uint16_t frame_kind) {
    sty_ring_t fresh;
    const bool was_frozen = sty_ring_frozen(ring);
    sty_ring_init_latest(&fresh, env, mem, size, frame_kind);
    const bool survived = take_over(ring, &fresh);
    if (survived && was_frozen) {
        sty_ring_trigger(ring, 0);
    }
    return survived;
}
