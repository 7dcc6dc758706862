/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Ring of whole frames between the traced code and the link. Nothing here waits.
 *
 * Writer:  sty_ring_begin() takes the lock, sty_ring_put() writes, sty_ring_commit() makes the frame visible and
 *          releases the lock. Frames of several tasks and interrupts never mix.
 * Reader:  sty_ring_peek() and sty_ring_skip() without a lock (KEEP only), or sty_ring_read() under the lock. One reader
 *          at a time.
 */
#ifndef SPYTUI_RING_H
#define SPYTUI_RING_H

#include "spytui/port.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes kept free for answers and drop totals, so that a full ring does not swallow them. */
#define STY_RING_KEEP_FREE 64u
/* The most bytes that sty_ring_read() copies at a time while it holds the lock. */
#ifndef STY_RING_PIECE
#define STY_RING_PIECE 48u
#endif
/* The smallest ring. */
#define STY_RING_LEAST 256u

/* How a LATEST ring finds the end of its oldest frame: the byte that ends each, and is never inside one. 0 would be a KEEP
 * ring. */
#define STY_RING_ENDS_IN(byte) STY_CAST(uint16_t, 1u + (byte))

typedef struct sty_ring sty_ring_t;

/* Private; use the functions below. Indices run freely, `index & mask` is the place in `buf`. */
struct sty_ring {
    bool full;   /* the frame being written did not fit, or is refused */
    bool cut;    /* the reader has half of a frame whose rest was overwritten */
    bool inside; /* the reader stands inside a frame */
    bool taken;  /* LATEST: read since the last drop total */
    uint16_t frame_kind; /* one of the macros above, 0 for a KEEP ring */
    uint8_t open;        /* frames begun: 1, more if one was begun inside another */
    uint8_t sum;         /* of the frame being written, see hdlc.h */
    const sty_env_t *env;
    uint8_t *buf;
    uint32_t mask;
    uint32_t head; /* end of the last whole frame; only the writer moves it */
    uint32_t tail; /* begin of what is not read yet; the reader moves it, in a LATEST ring the writer too */
    uint32_t pos;           /* frame being written: its next byte */
    uint32_t end;           /* and the first index that it may not use */
    uint32_t keep_free;
    uint32_t lock_state;
    uint32_t drops;
    uint32_t reported;
    uint32_t reported_at;
    uint32_t peak;
    void (*make_room)(sty_ring_t *ring);   /* moves `end` or says `full` */
    void (*committed)(sty_ring_t *ring);   /* NULL or what watches an armed trigger */
    uint32_t freeze_at;
};

/* A ring that keeps what it has: a new frame that does not fit is dropped as a whole and counted. `size` is a power of
 * two, 256 bytes or more; of another size the ring uses the largest power of two in it. */
static inline void sty_ring_init(sty_ring_t *ring, const sty_env_t *env, void *mem, uint32_t size);

/* A ring that keeps the latest: the oldest frames give way and are counted. `frame_kind` is STY_RING_ENDS_IN(). The
 * reader must use sty_ring_read(). */
static inline void sty_ring_init_latest(
    sty_ring_t *ring, const sty_env_t *env, void *mem, uint32_t size, uint16_t frame_kind);

/* The same for a ring that survives a reset: `ring` and `mem` lie in memory that the start of the program leaves as it is,
 * and nothing writes to them before. True: it is as it was, with what was not read yet. Its drops are those that no total
 * has said, and the frame that the reset cut off. False: it was no such ring, as after power on or with another build, and
 * is empty. A ring that was frozen stays so. */
bool sty_ring_attach(sty_ring_t *ring, const sty_env_t *env, void *mem, uint32_t size);
bool sty_ring_attach_latest(sty_ring_t *ring, const sty_env_t *env, void *mem, uint32_t size, uint16_t frame_kind);

/* Opens a frame. Every begin needs its commit. A frame begun before the commit of another is refused: STY_ASSERT() fails,
 * what is put has no effect, its commit counts it as dropped, and the frame around it goes on. */
static inline void sty_ring_begin(sty_ring_t *ring);
/* The same for an answer, which may use the bytes that are kept free. */
static inline void sty_ring_begin_urgent(sty_ring_t *ring);
/* The same for a drop total of at most STY_RING_KEEP_FREE bytes. False, and no frame is open, unless one is due: after a
 * drop, as soon as the ring is half empty again, and once a second until then, as long as somebody reads. */
bool sty_ring_begin_total(sty_ring_t *ring);
/* Bytes of the frame. */
void sty_ring_put(sty_ring_t *ring, const void *src, size_t count);
/* Closes the frame. False: it did not fit and was dropped. */
bool sty_ring_commit(sty_ring_t *ring);

/* Private: the two above for a size that is right. */
void sty_ring_init_(sty_ring_t *ring, const sty_env_t *env, void *mem, uint32_t size);
void sty_ring_init_latest_(sty_ring_t *ring, const sty_env_t *env, void *mem, uint32_t size, uint16_t frame_kind);

/* Private: the size that a ring uses. Inline, so that it costs nothing where the size is a constant. */
static inline uint32_t sty_ring_size_(const sty_env_t *env, const void *mem, uint32_t size) {
    STY_ASSERT(env != NULL && env->now != NULL && env->lock != NULL && env->unlock != NULL);
    STY_ASSERT(mem != NULL && size >= STY_RING_LEAST && (size & (size - 1u)) == 0u);
    while ((size & (size - 1u)) != 0u) {
        size &= size - 1u;
    }
    return size;
}

static inline void sty_ring_init(sty_ring_t *ring, const sty_env_t *env, void *mem, uint32_t size) {
    sty_ring_init_(ring, env, mem, sty_ring_size_(env, mem, size));
}

static inline void sty_ring_init_latest(
    sty_ring_t *ring, const sty_env_t *env, void *mem, uint32_t size, uint16_t frame_kind) {
    STY_ASSERT(frame_kind != 0u);
    sty_ring_init_latest_(ring, env, mem, sty_ring_size_(env, mem, size), frame_kind);
}

/* Private: opens a frame; urgent ones, not 0, may use the bytes that are kept free. */
void sty_ring_open_(sty_ring_t *ring, uint32_t urgent);

static inline void sty_ring_begin(sty_ring_t *ring) {
    sty_ring_open_(ring, 0);
}

static inline void sty_ring_begin_urgent(sty_ring_t *ring) {
    sty_ring_open_(ring, 1);
}

/* Private: how many of `count` bytes fit in one piece, without making room. */
STY_INLINE uint32_t sty_ring_room_(const sty_ring_t *ring, uint32_t count) {
    uint32_t room = ring->mask + 1u - (ring->pos & ring->mask);
    if (room > ring->end - ring->pos) {
        room = ring->end - ring->pos;
    }
    return room > count ? count : room;
}

/* The oldest bytes that lie in one piece, `*count` of them, 0 if there are none. KEEP only: the writer of a LATEST ring
 * may overwrite them. */
const uint8_t *sty_ring_peek(const sty_ring_t *ring, uint32_t *count);
/* Frees `count` of these, which were sent. */
void sty_ring_skip(sty_ring_t *ring, uint32_t count);
/* Copies and frees up to `count` of the oldest bytes; returns how many. Any ring. It takes the lock for one piece after the
 * other. */
uint32_t sty_ring_read(sty_ring_t *ring, void *dst, uint32_t count);

/* Do its oldest frames give way? */
static inline bool sty_ring_is_latest(const sty_ring_t *ring) {
    return ring->frame_kind != 0u;
}
/* Bytes that wait for the reader. */
static inline uint32_t sty_ring_used(const sty_ring_t *ring) {
    return STY_LOAD(&ring->head) - STY_LOAD(&ring->tail);
}
/* Frames dropped since the start. */
static inline uint32_t sty_ring_drops(const sty_ring_t *ring) {
    return STY_LOAD(&ring->drops);
}
/* Private: does a drop total lack frames? A glance without the lock. */
static inline bool sty_ring_unreported_(const sty_ring_t *ring) {
    return STY_LOAD(&ring->drops) != STY_LOAD(&ring->reported);
}
/* The most bytes it ever held. */
static inline uint32_t sty_ring_peak(const sty_ring_t *ring) {
    return STY_LOAD(&ring->peak);
}

/* The trigger is for LATEST rings only.
 *
 * Freezes the ring `after` bytes from now, at the end of a frame; 0 freezes it at once: what led to this call stays, until
 * it is read. Frames that come later are dropped and counted; answers pass as soon as there is room. A second call while armed or
 * frozen changes nothing. */
void sty_ring_trigger(sty_ring_t *ring, uint32_t after);
/* Has the trigger frozen the ring? */
bool sty_ring_frozen(const sty_ring_t *ring);
/* Goes on as before the trigger. */
void sty_ring_resume(sty_ring_t *ring);

#ifdef __cplusplus
}
#endif

#endif
