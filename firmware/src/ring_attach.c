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

/* What a reset left gives way to urgent frames only. */
static void displace(sty_ring_t *ring) {
    if (ring->urgent != 0u) {
        sty_ring_drop_oldest_(ring);
    } else {
        ring->full = true;
    }
}

/* Somebody reads, perhaps without a lock, so nothing gives way any more. */
static void settle(sty_ring_t *ring) {
    const uint32_t state = ring->env->lock(ring->env->ctx);
    ring->before_read = NULL;
    if (ring->make_room == displace) {
        ring->make_room = sty_ring_refuse_;
    }
    /* Ends the half frame that was read before the reset. A LATEST ring does that itself. */
    if (ring->cut && !sty_ring_is_latest(ring) && sty_ring_used(ring) <= ring->mask) {
        ring->cut = false;
        ring->tail--;
        ring->buf[ring->tail & ring->mask] = (uint8_t)(ring->old_kind - 1u);
    }
    ring->env->unlock(ring->env->ctx, state);
}

static bool take_over(sty_ring_t *ring, sty_ring_t *fresh, uint16_t frame_kind) {
    const bool survived = is_the_same(ring, fresh);
    if (survived) {
        fresh->head = ring->head;
        fresh->tail = ring->tail;
        fresh->cut = ring->cut;
        fresh->inside = ring->buf[(ring->tail - 1u) & ring->mask] != (uint8_t)(frame_kind - 1u);
        fresh->peak = ring->head - ring->tail;
        /* The drop count restarts with unreported drops, plus the frame being written. */
        fresh->drops = ring->drops - ring->reported + (ring->open != 0u);
        fresh->old_kind = frame_kind;
        fresh->before_read = settle;
    }
    *ring = *fresh;
    return survived;
}

bool sty_ring_attach(sty_ring_t *ring, const sty_env_t *env, void *mem, uint32_t size, uint16_t frame_kind) {
    sty_ring_t fresh;
    sty_ring_init(&fresh, env, mem, size);
    const bool survived = take_over(ring, &fresh, frame_kind);
    if (survived) {
        ring->make_room = displace;
    }
    return survived;
}

bool sty_ring_attach_latest(sty_ring_t *ring, const sty_env_t *env, void *mem, uint32_t size, uint16_t frame_kind) {
    sty_ring_t fresh;
    const bool was_frozen = sty_ring_frozen(ring);
    sty_ring_init_latest(&fresh, env, mem, size, frame_kind);
    const bool survived = take_over(ring, &fresh, frame_kind);
    if (survived && was_frozen) {
        sty_ring_trigger(ring, 0);
        ring->make_room = displace;
    }
    return survived;
}
