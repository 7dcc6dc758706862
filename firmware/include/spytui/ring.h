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

/* Bytes reserved for answers and drop totals, so that they are not lost when the ring is full. */
#define STY_RING_KEEP_FREE 64u
/* Maximum number of bytes that sty_ring_read() copies at a time while holding the lock. */
#ifndef STY_RING_PIECE
#define STY_RING_PIECE 48u
#endif
/* Minimum size of a ring. */
#define STY_RING_LEAST 256u

/* How a LATEST ring finds the end of its oldest frame: by a byte that ends each frame and never occurs inside one. 0
 * would mean a KEEP ring. */
#define STY_RING_ENDS_IN(byte) STY_CAST(uint16_t, 1u + (byte))

typedef struct sty_ring sty_ring_t;

/* Private; use the functions below. Indices run freely; `index & mask` is the offset in `buf`. */
struct sty_ring {
    bool full;   /* the frame being written does not fit, or is refused */
    bool cut;    /* the reader has half of a frame whose rest was overwritten */
    bool inside; /* the reader is inside a frame */
    bool taken;  /* LATEST: read since the last drop total */
    uint8_t urgent; /* not 0: the frame being written may use the reserved bytes */
    uint16_t frame_kind; /* one of the macros above, 0 for a KEEP ring */
    uint16_t old_kind;   /* the same of frames that a reset left */
    uint8_t open;        /* number of frames begun; above 1 if nested by mistake */
    uint8_t sum;         /* of the frame being written, see hdlc.h */
    uint8_t abandoned;   /* number of frames that are abandoned and were not closed yet */
    const sty_env_t *env;
    uint8_t *buf;
    uint32_t mask;
    uint32_t head; /* end of the last complete frame; only the writer moves it */
    uint32_t tail; /* start of unread bytes; moved by the reader, and in a LATEST ring also by the writer */
    uint32_t pos;           /* frame being written: its next byte */
    uint32_t end;           /* and the first index that it must not use */
    uint32_t keep_free;
    uint32_t lock_state;
    uint32_t abandoned_state; /* the lock state of abandoned frames */
    uint32_t drops;
    uint32_t reported;
    uint32_t reported_at;
    uint32_t peak;
    void (*make_room)(sty_ring_t *ring);   /* moves `end` or sets `full` */
    void (*committed)(sty_ring_t *ring);   /* NULL, or watches an armed trigger */
    void (*before_read)(sty_ring_t *ring); /* NULL, or after a reset: nothing gives way any more */
    uint32_t freeze_at;
};

/* A ring that keeps what it has: a new frame that does not fit is dropped as a whole and counted. `size` is a power
 * of two of at least 256 bytes; otherwise, the ring uses the largest power of two below. */
static inline void sty_ring_init(sty_ring_t *ring, const sty_env_t *env, void *mem, uint32_t size);

/* A ring that keeps the latest frames: the oldest are dropped and counted. `frame_kind` is STY_RING_ENDS_IN(). The
 * reader must use sty_ring_read(). */
static inline void sty_ring_init_latest(
    sty_ring_t *ring, const sty_env_t *env, void *mem, uint32_t size, uint16_t frame_kind);

/* A ring that survives a reset: `ring` and `mem` are in memory that is not initialized at start, and nothing writes
 * to them before this call. True: the ring is as it was, including unread bytes. Its drop count continues with
 * unreported drops, including a frame cut off by the reset. False: there was no such ring, for example after
 * power-on or with another build, and it is empty. A frozen ring stays frozen. Until the first byte is read, names,
 * target info and reset cause displace the oldest frames if there is no room. */
bool sty_ring_attach(sty_ring_t *ring, const sty_env_t *env, void *mem, uint32_t size, uint16_t frame_kind);
bool sty_ring_attach_latest(sty_ring_t *ring, const sty_env_t *env, void *mem, uint32_t size, uint16_t frame_kind);

/* Opens a frame. Every begin needs a commit. A frame begun inside another one is refused: STY_ASSERT() fails, its
 * bytes are ignored, its commit counts it as dropped, and the outer frame continues. */
static inline void sty_ring_begin(sty_ring_t *ring);
/* Opens a frame for an answer, which may use the reserved bytes. */
static inline void sty_ring_begin_urgent(sty_ring_t *ring);
/* Opens a frame for a drop total of at most STY_RING_KEEP_FREE bytes. Returns false without opening a frame unless a
 * total is due: after a drop, as soon as the ring is half empty again, and once a second until then, as long as
 * somebody reads. */
bool sty_ring_begin_total(sty_ring_t *ring);
/* Appends bytes to the frame. */
void sty_ring_put(sty_ring_t *ring, const void *src, size_t count);
/* Closes the frame. False: it did not fit and was dropped. */
bool sty_ring_commit(sty_ring_t *ring);
/* For the handler of a fault or failed assertion, which may have happened while a frame was written: drops and counts
 * that frame, so that others can be written. Its lock stays taken until it is closed, if ever. */
void sty_ring_abandon(sty_ring_t *ring);

/* Private: the functions above for a valid size. */
void sty_ring_init_(sty_ring_t *ring, const sty_env_t *env, void *mem, uint32_t size);
void sty_ring_init_latest_(sty_ring_t *ring, const sty_env_t *env, void *mem, uint32_t size, uint16_t frame_kind);

/* Private: the usable size of a ring. Inline, so that it costs nothing for a constant size. */
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

/* Private: ways to make room, none or by dropping the oldest frame. */
void sty_ring_refuse_(sty_ring_t *ring);
void sty_ring_drop_oldest_(sty_ring_t *ring);

/* Private: is what a reset left still unread? */
STY_INLINE bool sty_ring_is_restarted_(const sty_ring_t *ring) {
    return ring->before_read != NULL;
}

/* Private: opens a frame; urgent ones (not 0) may use the reserved bytes. */
void sty_ring_open_(sty_ring_t *ring, uint32_t urgent);

static inline void sty_ring_begin(sty_ring_t *ring) {
    sty_ring_open_(ring, 0);
}

static inline void sty_ring_begin_urgent(sty_ring_t *ring) {
    sty_ring_open_(ring, 1);
}

/* Private: how many of `count` bytes fit contiguously, without making room. */
STY_INLINE uint32_t sty_ring_room_(const sty_ring_t *ring, uint32_t count) {
    uint32_t room = ring->mask + 1u - (ring->pos & ring->mask);
    if (room > ring->end - ring->pos) {
        room = ring->end - ring->pos;
    }
    return room > count ? count : room;
}

/* Returns the oldest contiguous bytes, `*count` of them, 0 if empty. KEEP only: the writer of a LATEST ring may
 * overwrite them. */
const uint8_t *sty_ring_peek(sty_ring_t *ring, uint32_t *count);
/* Frees `count` of these bytes after they were sent. */
void sty_ring_skip(sty_ring_t *ring, uint32_t count);
/* Copies and frees up to `count` of the oldest bytes; returns how many. For any ring. Takes the lock separately for
 * each piece. */
uint32_t sty_ring_read(sty_ring_t *ring, void *dst, uint32_t count);

/* Does the ring drop its oldest frames? */
static inline bool sty_ring_is_latest(const sty_ring_t *ring) {
    return ring->frame_kind != 0u;
}
/* Number of unread bytes. */
static inline uint32_t sty_ring_used(const sty_ring_t *ring) {
    return STY_LOAD(&ring->head) - STY_LOAD(&ring->tail);
}
/* Frames dropped since the start. */
static inline uint32_t sty_ring_drops(const sty_ring_t *ring) {
    return STY_LOAD(&ring->drops);
}
/* Private: are there unreported drops? Checked without the lock. */
static inline bool sty_ring_unreported_(const sty_ring_t *ring) {
    return STY_LOAD(&ring->drops) != STY_LOAD(&ring->reported);
}
/* Maximum number of bytes in the ring so far. */
static inline uint32_t sty_ring_peak(const sty_ring_t *ring) {
    return STY_LOAD(&ring->peak);
}

/* The trigger is for LATEST rings only.
 *
 * Freezes the ring `after` bytes from now, at the end of a frame; 0 freezes it at once: what led to this call stays
 * until it is read. Later frames are dropped and counted; answers pass as soon as there is room. A second call while
 * armed or frozen has no effect. */
void sty_ring_trigger(sty_ring_t *ring, uint32_t after);
/* Has the trigger frozen the ring? */
bool sty_ring_frozen(const sty_ring_t *ring);
/* Continues as before the trigger. */
void sty_ring_resume(sty_ring_t *ring);

#ifdef __cplusplus
}
#endif

#endif
