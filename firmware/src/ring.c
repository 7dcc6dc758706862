/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "spytui/ring.h"

/* A KEEP ring never makes room. */
void sty_ring_refuse_(sty_ring_t *ring) {
    ring->full = true;
}

void sty_ring_init_(sty_ring_t *ring, const sty_env_t *env, void *mem, uint32_t size) {
    *ring = (sty_ring_t){
        .env = env,
        .buf = mem,
        .mask = size - 1u,
        .keep_free = STY_RING_KEEP_FREE,
        .make_room = sty_ring_refuse_,
    };
}

void sty_ring_open_(sty_ring_t *ring, uint32_t urgent) {
    const sty_env_t *env = ring->env;
    const uint32_t state = env->lock(env->ctx);
    const uint32_t around = ring->open;
    STY_STORE(&ring->open, (uint8_t)(around + 1u));
    STY_ASSERT(around != 1u); /* only for the first of several, so that the hook may trace */
    if (around != 0u) {
        ring->full = true;
        env->unlock(env->ctx, state);
        return;
    }
    ring->full = false;
    ring->urgent = (uint8_t)urgent;
    ring->sum = 0;
    ring->lock_state = state;
    const uint32_t head = ring->head;
    uint32_t end = STY_LOAD_ACQUIRE(&ring->tail) + ring->mask + 1u;
    if (urgent == 0u) {
        end -= ring->keep_free;
    }
    ring->pos = head;
    ring->end = (int32_t)(end - head) > 0 ? end : head;
}

void sty_ring_put(sty_ring_t *ring, const void *src, size_t count) {
    const uint8_t *from = src;
    const uint8_t *const end = from + count;
    while (from != end && !ring->full) {
        uint8_t *to = &ring->buf[ring->pos & ring->mask];
        uint32_t room = sty_ring_room_(ring, (uint32_t)(end - from));
        if (room == 0u) {
            ring->make_room(ring);
        }
        ring->pos += room;
        for (; room != 0u; room--) {
            *to++ = *from++;
        }
    }
}

void sty_ring_abandon(sty_ring_t *ring) {
    const uint32_t open = ring->open;
    if (open != 0u) {
        STY_STORE(&ring->drops, ring->drops + open);
        STY_STORE(&ring->open, 0u);
        ring->abandoned = (uint8_t)open;
        ring->abandoned_state = ring->lock_state;
    }
}

bool sty_ring_commit(sty_ring_t *ring) {
    const uint32_t open = ring->open;
    uint32_t state = ring->abandoned_state;
    uint32_t others;
    bool kept = false;
    if (open == 0u) {
        others = ring->abandoned - 1u;
        ring->abandoned = (uint8_t)others;
    } else {
        state = ring->lock_state;
        others = open - 1u;
        if (ring->full) {
            ring->full = others != 1u; /* the outermost frame goes on, as long as its next byte fits */
            STY_STORE(&ring->drops, ring->drops + 1u);
        } else {
            const uint32_t pos = ring->pos;
            const uint32_t used = pos - STY_LOAD(&ring->tail);
            if (used > ring->peak) {
                STY_STORE(&ring->peak, used);
            }
            STY_STORE_RELEASE(&ring->head, pos);
            if (ring->committed != NULL) {
                ring->committed(ring);
            }
            kept = true;
        }
        STY_STORE(&ring->open, (uint8_t)others);
    }
    if (others == 0u) {
        ring->env->unlock(ring->env->ctx, state);
    }
    return kept;
}

const uint8_t *sty_ring_peek(sty_ring_t *ring, uint32_t *count) {
    if (ring->before_read != NULL) {
        ring->before_read(ring);
    }
    const uint32_t begin = ring->tail & ring->mask;
    const uint32_t to_end = ring->mask + 1u - begin;
    const uint32_t used = STY_LOAD_ACQUIRE(&ring->head) - ring->tail;
    *count = used < to_end ? used : to_end;
    return &ring->buf[begin];
}

void sty_ring_skip(sty_ring_t *ring, uint32_t count) {
    STY_STORE_RELEASE(&ring->tail, ring->tail + count);
}

bool sty_ring_begin_total(sty_ring_t *ring) {
    const sty_env_t *env = ring->env;
    if (STY_LOAD(&ring->open) != 0u) {
        return false; /* here or in another thread; will be asked again soon */
    }
    sty_ring_begin_urgent(ring);
    const uint32_t room = ring->end - ring->pos;
    const uint32_t now = (uint32_t)env->now(env->ctx);
    const bool recovered = room > ring->mask / 2u;
    const bool second = now - ring->reported_at > env->second - 1u; /* never if `second` is 0 */
    if (ring->reported != ring->drops && (recovered || (second && (room >= STY_RING_KEEP_FREE || ring->taken)))) {
        ring->taken = false;
        STY_STORE(&ring->reported, ring->drops);
        ring->reported_at = now;
        return true;
    }
    (void)sty_ring_commit(ring);
    return false;
}
