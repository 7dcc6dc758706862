/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The LATEST policy and its trigger. A file of its own: a program with KEEP rings only does not carry it. */
#include "spytui/ring.h"

/* Frames whose length is known from their begin. */
static bool in_units(const sty_ring_t *ring) {
    return ring->frame_kind > STY_RING_ENDS_IN(0xFF);
}

/* The byte that ends the other frames. */
static uint8_t end_byte(const sty_ring_t *ring) {
    return (uint8_t)(ring->frame_kind - 1u);
}

/* The length of the QNX buffer at index `at`: its first event of 16 bytes ends in the number of its events. */
static uint32_t qnx_length(const sty_ring_t *ring, uint32_t at) {
    uint32_t events = 0;
    for (uint32_t i = 15; i >= 12u; i--) {
        events = events << 8 | ring->buf[(at + i) & ring->mask];
    }
    return 16u * events;
}

uint32_t sty_ring_unit_length_(const sty_ring_t *ring, uint32_t at) {
    const uint32_t used = ring->head - at;
    const uint32_t fixed = (uint32_t)ring->frame_kind - STY_RING_UNITS_OF(0);
    const uint32_t length = ring->frame_kind == STY_RING_QNX_BUFFERS ? qnx_length(ring, at) : fixed;
    return length != 0u && length < used ? length : used;
}

static void refuse(sty_ring_t *ring) {
    ring->full = true;
}

/* The oldest frame gives way. A frame that is larger than the whole ring is dropped itself, as is a refused one. */
static void drop_oldest(sty_ring_t *ring) {
    uint32_t tail = ring->tail;
    const uint32_t head = ring->head;
    if (tail == head || ring->full) {
        ring->full = true;
        return;
    }
    /* Of a frame that lacks only its end nothing is lost: the reader gets that. */
    const bool lost = !(ring->inside && ring->buf[tail & ring->mask] == end_byte(ring));
    ring->cut = ring->cut || ring->inside;
    ring->inside = false;
    if (in_units(ring)) {
        tail += sty_ring_unit_length_(ring, tail);
    } else {
        uint8_t byte;
        do {
            byte = ring->buf[tail & ring->mask];
            tail++;
        } while (byte != end_byte(ring) && tail != head);
    }
    STY_STORE(&ring->tail, tail);
    STY_STORE(&ring->drops, ring->drops + lost);
    ring->end = tail + ring->mask + 1u;
}

void sty_ring_init_latest_(sty_ring_t *ring, const sty_env_t *env, void *mem, uint32_t size, uint16_t frame_kind) {
    sty_ring_init_(ring, env, mem, size);
    ring->frame_kind = frame_kind;
    sty_ring_resume(ring);
}

/* Ends the half frame that the reader has, or else the next frame would be glued to it. */
static uint32_t end_cut_frame(sty_ring_t *ring, uint8_t *dst, uint32_t count) {
    if (!ring->cut || count == 0u) {
        return 0;
    }
    ring->cut = false;
    *dst = end_byte(ring);
    return 1;
}

/* How many of the oldest `most` bytes are whole units. */
static uint32_t whole_units(const sty_ring_t *ring, uint32_t most) {
    const uint32_t tail = ring->tail;
    uint32_t whole = 0;
    while (whole < most) {
        const uint32_t length = sty_ring_unit_length_(ring, tail + whole);
        if (length > most - whole) {
            break;
        }
        whole += length;
    }
    return whole;
}

uint32_t sty_ring_read(sty_ring_t *ring, void *dst, uint32_t count) {
    const sty_env_t *env = ring->env;
    const uint32_t state = env->lock(env->ctx);
    uint8_t *to = dst;
    uint32_t done = end_cut_frame(ring, to, count);
    uint32_t take = sty_ring_used(ring);
    if (take > count - done) {
        take = count - done;
    }
    if (in_units(ring)) {
        take = whole_units(ring, take);
    }
    for (uint32_t tail = ring->tail; take != 0u; take--) {
        to[done] = ring->buf[tail & ring->mask];
        done++;
        tail++;
        STY_STORE(&ring->tail, tail);
    }
    ring->taken = done != 0u && ring->make_room == drop_oldest;
    if (done != 0u && !in_units(ring)) {
        ring->inside = to[done - 1u] != end_byte(ring);
    }
    env->unlock(env->ctx, state);
    return done;
}

/* A frame went in while the trigger is armed. Once it freezes, ordinary frames find no room. */
static void watch(sty_ring_t *ring) {
    if ((int32_t)(ring->head - ring->freeze_at) >= 0) {
        ring->committed = NULL;
        STY_STORE(&ring->keep_free, ring->mask + 1u);
        ring->make_room = refuse;
    }
}

void sty_ring_trigger(sty_ring_t *ring, uint32_t after) {
    const uint32_t state = ring->env->lock(ring->env->ctx);
    if (ring->committed == NULL && !sty_ring_frozen(ring)) {
        ring->freeze_at = ring->head + after;
        ring->committed = watch;
        watch(ring);
    }
    ring->env->unlock(ring->env->ctx, state);
}

bool sty_ring_frozen(const sty_ring_t *ring) {
    return STY_LOAD(&ring->keep_free) > ring->mask;
}

void sty_ring_resume(sty_ring_t *ring) {
    const uint32_t state = ring->env->lock(ring->env->ctx);
    ring->committed = NULL;
    STY_STORE(&ring->keep_free, 0u);
    ring->make_room = drop_oldest;
    ring->env->unlock(ring->env->ctx, state);
}
