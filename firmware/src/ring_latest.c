/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The LATEST policy and its trigger. In a separate file, so that programs with only KEEP rings don't link it. */
#include "spytui/ring.h"

/* The byte that ends frames. */
static uint8_t end_byte(const sty_ring_t *ring) {
    return (uint8_t)((ring->frame_kind | ring->old_kind) - 1u);
}

/* A frame larger than the whole ring is dropped itself, and so is a refused one. */
void sty_ring_drop_oldest_(sty_ring_t *ring) {
    uint32_t tail = ring->tail;
    const uint32_t head = ring->head;
    if (tail == head || ring->full) {
        ring->full = true;
        return;
    }
    bool lost = true;
    if (ring->inside) {
        /* A frame that only lacks its end is not lost: the reader gets the end. */
        lost = ring->buf[tail & ring->mask] != end_byte(ring);
        ring->cut = true;
        ring->inside = false;
    }
    uint8_t byte;
    do {
        byte = ring->buf[tail & ring->mask];
        tail++;
    } while (byte != end_byte(ring) && tail != head);
    STY_STORE(&ring->tail, tail);
    STY_STORE(&ring->drops, ring->drops + lost);
    ring->end = tail + ring->mask + 1u;
}

void sty_ring_init_latest_(sty_ring_t *ring, const sty_env_t *env, void *mem, uint32_t size, uint16_t frame_kind) {
    sty_ring_init_(ring, env, mem, size);
    ring->frame_kind = frame_kind;
    sty_ring_resume(ring);
}

/* Ends the half frame that the reader has, or else the next frame would be appended to it. */
static uint32_t end_cut_frame(sty_ring_t *ring, uint8_t *dst, uint32_t count) {
    if (!ring->cut || count == 0u) {
        return 0;
    }
    ring->cut = false;
    *dst = end_byte(ring);
    return 1;
}

/* Copies at most `most` bytes from index `at`; returns how many. */
static uint32_t copy_piece(const sty_ring_t *ring, uint32_t at, uint8_t *to, uint32_t most) {
    const uint32_t place = at & ring->mask;
    const uint32_t to_end = ring->mask + 1u - place;
    uint32_t count = most < STY_RING_PIECE ? most : STY_RING_PIECE;
    if (count > to_end) {
        count = to_end;
    }
    const uint8_t *from = &ring->buf[place];
    const uint8_t *const end = from + count;
#if STY_UNALIGNED
    for (; end - from >= 4; from += 4) {
        __builtin_memcpy(to, from, 4); /* a word */
        to += 4;
    }
#endif
    for (; from != end; from++) {
        *to = *from;
        to++;
    }
    return count;
}

/* Notes that somebody reads: the next drop total may displace other frames. */
static void note_reader(sty_ring_t *ring) {
    ring->taken = ring->make_room == sty_ring_drop_oldest_;
}

/* A piece of a stream. */
static uint32_t read_piece(sty_ring_t *ring, uint8_t *to, uint32_t most) {
    const sty_env_t *env = ring->env;
    const uint32_t state = env->lock(env->ctx);
    if (ring->before_read != NULL) {
        ring->before_read(ring);
    }
    uint32_t done = end_cut_frame(ring, to, most);
    if (done == 0u) {
        const uint32_t used = sty_ring_used(ring);
        done = copy_piece(ring, ring->tail, to, used < most ? used : most);
        STY_STORE(&ring->tail, ring->tail + done);
    }
    if (done != 0u) {
        note_reader(ring);
        ring->inside = to[done - 1u] != end_byte(ring);
    }
    env->unlock(env->ctx, state);
    return done;
}

uint32_t sty_ring_read(sty_ring_t *ring, void *dst, uint32_t count) {
    uint8_t *to = dst;
    uint32_t done = 0;
    uint32_t piece;
    do {
        piece = read_piece(ring, &to[done], count - done);
        done += piece;
    } while (piece != 0u && done != count);
    return done;
}

/* Notes a frame written while the trigger is armed. Once frozen, ordinary frames find no room; an assertion and a drop
 * total do. */
static void watch(sty_ring_t *ring) {
    if ((int32_t)(ring->head - ring->freeze_at) >= 0) {
        while (sty_ring_used(ring) > ring->mask + 1u - STY_RING_KEEP_FREE && !ring->full) {
            sty_ring_drop_oldest_(ring);
        }
        ring->committed = NULL;
        STY_STORE(&ring->keep_free, ring->mask + 1u);
        ring->make_room = sty_ring_refuse_;
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
    ring->make_room = sty_ring_drop_oldest_;
    ring->env->unlock(ring->env->ctx, state);
}
