/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Rings that survive a reset. In a separate file, so that programs that start with an empty ring don't link it. */
#include "spytui/ring.h"

/* Is this the ring `fresh`, interrupted while in use? Three pointers and the size serve as a magic number: memory
 * that lost power does not contain them, nor does memory of another build. */
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
        /* The drop count restarts with unreported drops, plus the frame being written. */
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
