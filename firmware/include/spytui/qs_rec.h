/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The predefined QS records, one inline function each: sty_qs_post(&qs, id, …). `id` is the QS-ID for the local
 * filter: the priority of the active object, or 0 without one. A filtered record only costs the filter check, not a
 * call.
 *
 * Objects, queues, pools and states are identified by address. Of an event, `sig` is the signal, `pool` the number
 * of its pool (0 = static), and `ref` its reference count. `rate` is a tick rate, 0–15.
 *
 * From tasks and interrupts that the lock masks, but not inside another record; reentrant, see qs.h. The exception is
 * sty_qs_assert(). */
#ifndef SPYTUI_QS_REC_H
#define SPYTUI_QS_REC_H

#include "spytui/qs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A state machine and a state. */
void sty_qs_of_(sty_qs_t *qs, uint8_t rec, const void *object, uintptr_t state);
/* A state is entered. */
STY_INLINE void sty_qs_state_entry(sty_qs_t *qs, uint8_t id, const void *object, uintptr_t state) {
    if (sty_qs_on(qs, 1, id)) {
        sty_qs_of_(qs, 1, object, state);
    }
}
/* A state is left. */
STY_INLINE void sty_qs_state_exit(sty_qs_t *qs, uint8_t id, const void *object, uintptr_t state) {
    if (sty_qs_on(qs, 2, id)) {
        sty_qs_of_(qs, 2, object, state);
    }
}

/* Two states. */
void sty_qs_off_(sty_qs_t *qs, uint8_t rec, const void *object, uintptr_t source, uintptr_t target);
/* The initial transition of the state `source` leads to `target`. */
STY_INLINE void sty_qs_state_init(sty_qs_t *qs, uint8_t id, const void *object, uintptr_t source, uintptr_t target) {
    if (sty_qs_on(qs, 3, id)) {
        sty_qs_off_(qs, 3, object, source, target);
    }
}
/* A transition to a history leads from `source` to `target`. */
STY_INLINE void sty_qs_tran_hist(sty_qs_t *qs, uint8_t id, const void *object, uintptr_t source, uintptr_t target) {
    if (sty_qs_on(qs, 55, id)) {
        sty_qs_off_(qs, 55, object, source, target);
    }
}
/* A transition passes an entry point. */
STY_INLINE void sty_qs_tran_ep(sty_qs_t *qs, uint8_t id, const void *object, uintptr_t source, uintptr_t target) {
    if (sty_qs_on(qs, 56, id)) {
        sty_qs_off_(qs, 56, object, source, target);
    }
}
/* A transition passes an exit point. */
STY_INLINE void sty_qs_tran_xp(sty_qs_t *qs, uint8_t id, const void *object, uintptr_t source, uintptr_t target) {
    if (sty_qs_on(qs, 57, id)) {
        sty_qs_off_(qs, 57, object, source, target);
    }
}

/* The initial transition has been taken. */
void sty_qs_tof_(sty_qs_t *qs, uint8_t rec, const void *object, uintptr_t state);
/* The topmost initial transition is done; the machine is in `state`. */
STY_INLINE void sty_qs_init_tran(sty_qs_t *qs, uint8_t id, const void *object, uintptr_t state) {
    if (sty_qs_on(qs, 4, id)) {
        sty_qs_tof_(qs, 4, object, state);
    }
}

/* An event, and the state that handled it or not. */
void sty_qs_tsof_(sty_qs_t *qs, uint8_t rec, uint32_t sig, const void *object, uintptr_t state);
/* `state` handles the event without a transition. */
STY_INLINE void sty_qs_intern_tran(sty_qs_t *qs, uint8_t id, uint32_t sig, const void *object, uintptr_t state) {
    if (sty_qs_on(qs, 5, id)) {
        sty_qs_tsof_(qs, 5, sig, object, state);
    }
}
/* The event is ignored in `state`. */
STY_INLINE void sty_qs_ignored(sty_qs_t *qs, uint8_t id, uint32_t sig, const void *object, uintptr_t state) {
    if (sty_qs_on(qs, 7, id)) {
        sty_qs_tsof_(qs, 7, sig, object, state);
    }
}
/* The event is dispatched to the machine, which is in `state`. */
STY_INLINE void sty_qs_dispatch(sty_qs_t *qs, uint8_t id, uint32_t sig, const void *object, uintptr_t state) {
    if (sty_qs_on(qs, 8, id)) {
        sty_qs_tsof_(qs, 8, sig, object, state);
    }
}

/* A transition. */
void sty_qs_tsoff_(sty_qs_t *qs, uint8_t rec, uint32_t sig, const void *object, uintptr_t source, uintptr_t target);
/* The event causes a transition from `source` to `target`. */
STY_INLINE void sty_qs_tran(sty_qs_t *qs, uint8_t id, uint32_t sig, const void *object, uintptr_t source,
    uintptr_t target) {
    if (sty_qs_on(qs, 6, id)) {
        sty_qs_tsoff_(qs, 6, sig, object, source, target);
    }
}

/* A state that passes an event to its parent because a guard was false. */
void sty_qs_sof_(sty_qs_t *qs, uint8_t rec, uint32_t sig, const void *object, uintptr_t state);
/* `state` does not handle the event. */
STY_INLINE void sty_qs_unhandled(sty_qs_t *qs, uint8_t id, uint32_t sig, const void *object, uintptr_t state) {
    if (sty_qs_on(qs, 9, id)) {
        sty_qs_sof_(qs, 9, sig, object, state);
    }
}

/* A deferred event. */
void sty_qs_toosbb_(sty_qs_t *qs, uint8_t rec, const void *object, const void *queue, uint32_t sig, uint8_t pool,
    uint8_t ref);
/* The event is deferred to `queue`. */
STY_INLINE void sty_qs_defer(sty_qs_t *qs, uint8_t id, const void *object, const void *queue, uint32_t sig,
    uint8_t pool, uint8_t ref) {
    if (sty_qs_on(qs, 10, id)) {
        sty_qs_toosbb_(qs, 10, object, queue, sig, pool, ref);
    }
}
/* The event is posted again from `queue`. */
STY_INLINE void sty_qs_recall(sty_qs_t *qs, uint8_t id, const void *object, const void *queue, uint32_t sig,
    uint8_t pool, uint8_t ref) {
    if (sty_qs_on(qs, 11, id)) {
        sty_qs_toosbb_(qs, 11, object, queue, sig, pool, ref);
    }
}
/* `queue` has no room for the event. Since 8.0. */
STY_INLINE void sty_qs_defer_attempt(sty_qs_t *qs, uint8_t id, const void *object, const void *queue, uint32_t sig,
    uint8_t pool, uint8_t ref) {
    if (sty_qs_on(qs, 81, id)) {
        sty_qs_toosbb_(qs, 81, object, queue, sig, pool, ref);
    }
}

/* A subscription. */
void sty_qs_tso_(sty_qs_t *qs, uint8_t rec, uint32_t sig, const void *object);
/* `object` subscribes to the signal. */
STY_INLINE void sty_qs_subscribe(sty_qs_t *qs, uint8_t id, uint32_t sig, const void *object) {
    if (sty_qs_on(qs, 12, id)) {
        sty_qs_tso_(qs, 12, sig, object);
    }
}
/* `object` unsubscribes from the signal. */
STY_INLINE void sty_qs_unsubscribe(sty_qs_t *qs, uint8_t id, uint32_t sig, const void *object) {
    if (sty_qs_on(qs, 13, id)) {
        sty_qs_tso_(qs, 13, sig, object);
    }
}

/* A post; for a failed attempt, the margin instead of the minimum. */
void sty_qs_tosobbqq_(sty_qs_t *qs, uint8_t rec, const void *sender, uint32_t sig, const void *object, uint8_t pool,
    uint8_t ref, uint32_t free, uint32_t min);
/* `sender` posts an event to `object`; `free` entries are left in its queue, `min` is the minimum so far. */
STY_INLINE void sty_qs_post(sty_qs_t *qs, uint8_t id, const void *sender, uint32_t sig, const void *object,
    uint8_t pool, uint8_t ref, uint32_t free, uint32_t min) {
    if (sty_qs_on(qs, 14, id)) {
        sty_qs_tosobbqq_(qs, 14, sender, sig, object, pool, ref, free, min);
    }
}
/* A post was refused: `free` is less than the margin `min`. */
STY_INLINE void sty_qs_post_attempt(sty_qs_t *qs, uint8_t id, const void *sender, uint32_t sig, const void *object,
    uint8_t pool, uint8_t ref, uint32_t free, uint32_t min) {
    if (sty_qs_on(qs, 45, id)) {
        sty_qs_tosobbqq_(qs, 45, sender, sig, object, pool, ref, free, min);
    }
}

/* A post to the front, or to a raw queue. */
void sty_qs_tsobbqq_(sty_qs_t *qs, uint8_t rec, uint32_t sig, const void *object, uint8_t pool, uint8_t ref,
    uint32_t free, uint32_t min);
/* An event is posted to the front of `object`'s queue. */
STY_INLINE void sty_qs_post_lifo(sty_qs_t *qs, uint8_t id, uint32_t sig, const void *object, uint8_t pool,
    uint8_t ref, uint32_t free, uint32_t min) {
    if (sty_qs_on(qs, 15, id)) {
        sty_qs_tsobbqq_(qs, 15, sig, object, pool, ref, free, min);
    }
}
/* An event is posted to the raw queue `object`. */
STY_INLINE void sty_qs_equeue_post(sty_qs_t *qs, uint8_t id, uint32_t sig, const void *object, uint8_t pool,
    uint8_t ref, uint32_t free, uint32_t min) {
    if (sty_qs_on(qs, 19, id)) {
        sty_qs_tsobbqq_(qs, 19, sig, object, pool, ref, free, min);
    }
}
/* An event is posted to the front of the raw queue `object`. */
STY_INLINE void sty_qs_equeue_post_lifo(sty_qs_t *qs, uint8_t id, uint32_t sig, const void *object, uint8_t pool,
    uint8_t ref, uint32_t free, uint32_t min) {
    if (sty_qs_on(qs, 20, id)) {
        sty_qs_tsobbqq_(qs, 20, sig, object, pool, ref, free, min);
    }
}
/* A post to a raw queue was refused: `free` is less than the margin `min`. */
STY_INLINE void sty_qs_equeue_post_attempt(sty_qs_t *qs, uint8_t id, uint32_t sig, const void *object, uint8_t pool,
    uint8_t ref, uint32_t free, uint32_t min) {
    if (sty_qs_on(qs, 46, id)) {
        sty_qs_tsobbqq_(qs, 46, sig, object, pool, ref, free, min);
    }
}

/* An event taken from a queue. */
void sty_qs_tsobbq_(sty_qs_t *qs, uint8_t rec, uint32_t sig, const void *object, uint8_t pool, uint8_t ref,
    uint32_t free);
/* `object` gets an event; `free` entries are left in its queue. */
STY_INLINE void sty_qs_get(sty_qs_t *qs, uint8_t id, uint32_t sig, const void *object, uint8_t pool, uint8_t ref,
    uint32_t free) {
    if (sty_qs_on(qs, 16, id)) {
        sty_qs_tsobbq_(qs, 16, sig, object, pool, ref, free);
    }
}
/* An event is taken from the raw queue `object`. */
STY_INLINE void sty_qs_equeue_get(sty_qs_t *qs, uint8_t id, uint32_t sig, const void *object, uint8_t pool,
    uint8_t ref, uint32_t free) {
    if (sty_qs_on(qs, 21, id)) {
        sty_qs_tsobbq_(qs, 21, sig, object, pool, ref, free);
    }
}

/* The last event taken from a queue. */
void sty_qs_tsobb_(sty_qs_t *qs, uint8_t rec, uint32_t sig, const void *object, uint8_t pool, uint8_t ref);
/* `object` gets an event; its queue is empty now. */
STY_INLINE void sty_qs_get_last(sty_qs_t *qs, uint8_t id, uint32_t sig, const void *object, uint8_t pool,
    uint8_t ref) {
    if (sty_qs_on(qs, 17, id)) {
        sty_qs_tsobb_(qs, 17, sig, object, pool, ref);
    }
}
/* The last event is taken from the raw queue `object`. */
STY_INLINE void sty_qs_equeue_get_last(sty_qs_t *qs, uint8_t id, uint32_t sig, const void *object, uint8_t pool,
    uint8_t ref) {
    if (sty_qs_on(qs, 22, id)) {
        sty_qs_tsobb_(qs, 22, sig, object, pool, ref);
    }
}

/* Nothing to recall. */
void sty_qs_too_(sty_qs_t *qs, uint8_t rec, const void *object, const void *queue);
/* `queue` of `object` has no event to recall. */
STY_INLINE void sty_qs_recall_attempt(sty_qs_t *qs, uint8_t id, const void *object, const void *queue) {
    if (sty_qs_on(qs, 18, id)) {
        sty_qs_too_(qs, 18, object, queue);
    }
}

/* A dynamic event. */
void sty_qs_tes_(sty_qs_t *qs, uint8_t rec, uint32_t size, uint32_t sig);
/* There was no room for an event of `size` bytes. */
STY_INLINE void sty_qs_new_attempt(sty_qs_t *qs, uint8_t id, uint32_t size, uint32_t sig) {
    if (sty_qs_on(qs, 23, id)) {
        sty_qs_tes_(qs, 23, size, sig);
    }
}
/* An event of `size` bytes was allocated. */
STY_INLINE void sty_qs_new(sty_qs_t *qs, uint8_t id, uint32_t size, uint32_t sig) {
    if (sty_qs_on(qs, 28, id)) {
        sty_qs_tes_(qs, 28, size, sig);
    }
}

/* A block taken from a pool; for a failed attempt, the margin instead of the minimum. */
void sty_qs_topp_(sty_qs_t *qs, uint8_t rec, const void *pool, uint32_t free, uint32_t min);
/* A block was taken: `free` blocks are left, `min` is the minimum so far. */
STY_INLINE void sty_qs_mpool_get(sty_qs_t *qs, uint8_t id, const void *pool, uint32_t free, uint32_t min) {
    if (sty_qs_on(qs, 24, id)) {
        sty_qs_topp_(qs, 24, pool, free, min);
    }
}
/* A block was refused: `free` is less than the margin `min`. */
STY_INLINE void sty_qs_mpool_get_attempt(sty_qs_t *qs, uint8_t id, const void *pool, uint32_t free, uint32_t min) {
    if (sty_qs_on(qs, 47, id)) {
        sty_qs_topp_(qs, 47, pool, free, min);
    }
}

/* A block returned to a pool. */
void sty_qs_top_(sty_qs_t *qs, uint8_t rec, const void *pool, uint32_t free);
/* A block was returned: `free` blocks are free now. */
STY_INLINE void sty_qs_mpool_put(sty_qs_t *qs, uint8_t id, const void *pool, uint32_t free) {
    if (sty_qs_on(qs, 25, id)) {
        sty_qs_top_(qs, 25, pool, free);
    }
}

/* A published event. */
void sty_qs_tosbb_(sty_qs_t *qs, uint8_t rec, const void *sender, uint32_t sig, uint8_t pool, uint8_t ref);
/* `sender` publishes an event. */
STY_INLINE void sty_qs_publish(sty_qs_t *qs, uint8_t id, const void *sender, uint32_t sig, uint8_t pool,
    uint8_t ref) {
    if (sty_qs_on(qs, 26, id)) {
        sty_qs_tosbb_(qs, 26, sender, sig, pool, ref);
    }
}

/* References to a dynamic event. */
void sty_qs_tsbb_(sty_qs_t *qs, uint8_t rec, uint32_t sig, uint8_t pool, uint8_t ref);
/* A reference is added. */
STY_INLINE void sty_qs_new_ref(sty_qs_t *qs, uint8_t id, uint32_t sig, uint8_t pool, uint8_t ref) {
    if (sty_qs_on(qs, 27, id)) {
        sty_qs_tsbb_(qs, 27, sig, pool, ref);
    }
}
/* An event is kept, because it has `ref` other references. */
STY_INLINE void sty_qs_gc_attempt(sty_qs_t *qs, uint8_t id, uint32_t sig, uint8_t pool, uint8_t ref) {
    if (sty_qs_on(qs, 29, id)) {
        sty_qs_tsbb_(qs, 29, sig, pool, ref);
    }
}
/* An event is returned to its pool. */
STY_INLINE void sty_qs_gc(sty_qs_t *qs, uint8_t id, uint32_t sig, uint8_t pool, uint8_t ref) {
    if (sty_qs_on(qs, 30, id)) {
        sty_qs_tsbb_(qs, 30, sig, pool, ref);
    }
}
/* A reference is deleted. */
STY_INLINE void sty_qs_delete_ref(sty_qs_t *qs, uint8_t id, uint32_t sig, uint8_t pool, uint8_t ref) {
    if (sty_qs_on(qs, 38, id)) {
        sty_qs_tsbb_(qs, 38, sig, pool, ref);
    }
}

/* A clock tick. */
void sty_qs_cb_(sty_qs_t *qs, uint8_t rec, uint32_t count, uint8_t rate);
/* `count` ticks since the start. */
STY_INLINE void sty_qs_tick(sty_qs_t *qs, uint8_t id, uint32_t count, uint8_t rate) {
    if (sty_qs_on(qs, 31, id)) {
        sty_qs_cb_(qs, 31, count, rate);
    }
}

/* A time event. */
void sty_qs_tooccb_(sty_qs_t *qs, uint8_t rec, const void *timeevt, const void *object, uint32_t count,
    uint32_t interval, uint8_t rate);
/* A time event is armed: it expires in `count` ticks, then every `interval`; interval 0: once. */
STY_INLINE void sty_qs_timeevt_arm(sty_qs_t *qs, uint8_t id, const void *timeevt, const void *object,
    uint32_t count, uint32_t interval, uint8_t rate) {
    if (sty_qs_on(qs, 32, id)) {
        sty_qs_tooccb_(qs, 32, timeevt, object, count, interval, rate);
    }
}
/* A time event is disarmed, `count` ticks before it would expire. */
STY_INLINE void sty_qs_timeevt_disarm(sty_qs_t *qs, uint8_t id, const void *timeevt, const void *object,
    uint32_t count, uint32_t interval, uint8_t rate) {
    if (sty_qs_on(qs, 35, id)) {
        sty_qs_tooccb_(qs, 35, timeevt, object, count, interval, rate);
    }
}

/* A one-shot time event has expired. */
void sty_qs_oob_(sty_qs_t *qs, uint8_t rec, const void *timeevt, const void *object, uint8_t rate);
/* A one-shot time event is disarmed. */
STY_INLINE void sty_qs_timeevt_auto_disarm(sty_qs_t *qs, uint8_t id, const void *timeevt, const void *object,
    uint8_t rate) {
    if (sty_qs_on(qs, 33, id)) {
        sty_qs_oob_(qs, 33, timeevt, object, rate);
    }
}

/* A time event that was not armed. */
void sty_qs_toob_(sty_qs_t *qs, uint8_t rec, const void *timeevt, const void *object, uint8_t rate);
/* Attempt to disarm a time event that is not armed. */
STY_INLINE void sty_qs_timeevt_disarm_attempt(sty_qs_t *qs, uint8_t id, const void *timeevt, const void *object,
    uint8_t rate) {
    if (sty_qs_on(qs, 34, id)) {
        sty_qs_toob_(qs, 34, timeevt, object, rate);
    }
}

/* A rearmed time event. */
void sty_qs_tooccbb_(sty_qs_t *qs, uint8_t rec, const void *timeevt, const void *object, uint32_t count,
    uint32_t interval, uint8_t rate, uint8_t was_armed);
/* A time event is rearmed: it expires in `count` ticks; `was_armed` is 1 if it was armed. */
STY_INLINE void sty_qs_timeevt_rearm(sty_qs_t *qs, uint8_t id, const void *timeevt, const void *object,
    uint32_t count, uint32_t interval, uint8_t rate, uint8_t was_armed) {
    if (sty_qs_on(qs, 36, id)) {
        sty_qs_tooccbb_(qs, 36, timeevt, object, count, interval, rate, was_armed);
    }
}

/* A time event that posts. */
void sty_qs_tosob_(sty_qs_t *qs, uint8_t rec, const void *timeevt, uint32_t sig, const void *object, uint8_t rate);
/* A time event expires and posts its signal to `object`. */
STY_INLINE void sty_qs_timeevt_post(sty_qs_t *qs, uint8_t id, const void *timeevt, uint32_t sig, const void *object,
    uint8_t rate) {
    if (sty_qs_on(qs, 37, id)) {
        sty_qs_tosob_(qs, 37, timeevt, sig, object, rate);
    }
}

/* Nesting depth of a critical section; or priority of the previous thread. */
void sty_qs_tb_(sty_qs_t *qs, uint8_t rec, uint8_t value);
/* A critical section begins. */
STY_INLINE void sty_qs_crit_entry(sty_qs_t *qs, uint8_t id, uint8_t nesting) {
    if (sty_qs_on(qs, 39, id)) {
        sty_qs_tb_(qs, 39, nesting);
    }
}
/* A critical section ends. */
STY_INLINE void sty_qs_crit_exit(sty_qs_t *qs, uint8_t id, uint8_t nesting) {
    if (sty_qs_on(qs, 40, id)) {
        sty_qs_tb_(qs, 40, nesting);
    }
}
/* No thread is ready to run. */
STY_INLINE void sty_qs_sched_idle(sty_qs_t *qs, uint8_t id, uint8_t before) {
    if (sty_qs_on(qs, 53, id)) {
        sty_qs_tb_(qs, 53, before);
    }
}

/* Nesting depth and priority of an interrupt; or previous and new state of the scheduler. */
void sty_qs_tbb_(sty_qs_t *qs, uint8_t rec, uint8_t first, uint8_t second);
/* An interrupt begins. */
STY_INLINE void sty_qs_isr_entry(sty_qs_t *qs, uint8_t id, uint8_t nesting, uint8_t prio) {
    if (sty_qs_on(qs, 41, id)) {
        sty_qs_tbb_(qs, 41, nesting, prio);
    }
}
/* An interrupt ends. */
STY_INLINE void sty_qs_isr_exit(sty_qs_t *qs, uint8_t id, uint8_t nesting, uint8_t prio) {
    if (sty_qs_on(qs, 42, id)) {
        sty_qs_tbb_(qs, 42, nesting, prio);
    }
}
/* A thread is preempted by one with a higher priority. */
STY_INLINE void sty_qs_sched_preempt(sty_qs_t *qs, uint8_t id, uint8_t prio, uint8_t before) {
    if (sty_qs_on(qs, 48, id)) {
        sty_qs_tbb_(qs, 48, prio, before);
    }
}
/* A preempted thread resumes. */
STY_INLINE void sty_qs_sched_restore(sty_qs_t *qs, uint8_t id, uint8_t prio, uint8_t before) {
    if (sty_qs_on(qs, 49, id)) {
        sty_qs_tbb_(qs, 49, prio, before);
    }
}
/* The scheduler's ceiling is raised. */
STY_INLINE void sty_qs_sched_lock(sty_qs_t *qs, uint8_t id, uint8_t before, uint8_t ceiling) {
    if (sty_qs_on(qs, 50, id)) {
        sty_qs_tbb_(qs, 50, before, ceiling);
    }
}
/* The scheduler's ceiling is lowered. */
STY_INLINE void sty_qs_sched_unlock(sty_qs_t *qs, uint8_t id, uint8_t before, uint8_t ceiling) {
    if (sty_qs_on(qs, 51, id)) {
        sty_qs_tbb_(qs, 51, before, ceiling);
    }
}
/* The next thread runs. */
STY_INLINE void sty_qs_sched_next(sty_qs_t *qs, uint8_t id, uint8_t prio, uint8_t before) {
    if (sty_qs_on(qs, 52, id)) {
        sty_qs_tbb_(qs, 52, prio, before);
    }
}

/* Semaphores and mutexes. `thread` and `holder` are priorities. */
void sty_qs_tobb_(sty_qs_t *qs, uint8_t rec, const void *object, uint8_t first, uint8_t second);
/* `thread` takes the semaphore; `count` are left. */
STY_INLINE void sty_qs_sem_take(sty_qs_t *qs, uint8_t id, const void *object, uint8_t thread, uint8_t count) {
    if (sty_qs_on(qs, 71, id)) {
        sty_qs_tobb_(qs, 71, object, thread, count);
    }
}
/* `thread` blocks on the semaphore. */
STY_INLINE void sty_qs_sem_block(sty_qs_t *qs, uint8_t id, const void *object, uint8_t thread, uint8_t count) {
    if (sty_qs_on(qs, 72, id)) {
        sty_qs_tobb_(qs, 72, object, thread, count);
    }
}
/* The semaphore is signalled, and unblocks `thread`. */
STY_INLINE void sty_qs_sem_signal(sty_qs_t *qs, uint8_t id, const void *object, uint8_t thread, uint8_t count) {
    if (sty_qs_on(qs, 73, id)) {
        sty_qs_tobb_(qs, 73, object, thread, count);
    }
}
/* `thread` attempts to block on the semaphore. */
STY_INLINE void sty_qs_sem_block_attempt(sty_qs_t *qs, uint8_t id, const void *object, uint8_t thread,
    uint8_t count) {
    if (sty_qs_on(qs, 74, id)) {
        sty_qs_tobb_(qs, 74, object, thread, count);
    }
}
/* `holder` locks the mutex. */
STY_INLINE void sty_qs_mtx_lock(sty_qs_t *qs, uint8_t id, const void *object, uint8_t holder, uint8_t nesting) {
    if (sty_qs_on(qs, 75, id)) {
        sty_qs_tobb_(qs, 75, object, holder, nesting);
    }
}
/* `thread` blocks on the mutex of `holder`. */
STY_INLINE void sty_qs_mtx_block(sty_qs_t *qs, uint8_t id, const void *object, uint8_t holder, uint8_t thread) {
    if (sty_qs_on(qs, 76, id)) {
        sty_qs_tobb_(qs, 76, object, holder, thread);
    }
}
/* `holder` unlocks the mutex. */
STY_INLINE void sty_qs_mtx_unlock(sty_qs_t *qs, uint8_t id, const void *object, uint8_t holder, uint8_t nesting) {
    if (sty_qs_on(qs, 77, id)) {
        sty_qs_tobb_(qs, 77, object, holder, nesting);
    }
}
/* Attempt to lock the mutex. */
STY_INLINE void sty_qs_mtx_lock_attempt(sty_qs_t *qs, uint8_t id, const void *object, uint8_t holder,
    uint8_t nesting) {
    if (sty_qs_on(qs, 78, id)) {
        sty_qs_tobb_(qs, 78, object, holder, nesting);
    }
}
/* `thread` attempts to block on the mutex. */
STY_INLINE void sty_qs_mtx_block_attempt(sty_qs_t *qs, uint8_t id, const void *object, uint8_t holder,
    uint8_t thread) {
    if (sty_qs_on(qs, 79, id)) {
        sty_qs_tobb_(qs, 79, object, holder, thread);
    }
}
/* Attempt to unlock the mutex. */
STY_INLINE void sty_qs_mtx_unlock_attempt(sty_qs_t *qs, uint8_t id, const void *object, uint8_t holder,
    uint8_t nesting) {
    if (sty_qs_on(qs, 80, id)) {
        sty_qs_tobb_(qs, 80, object, holder, nesting);
    }
}

/* The event loop starts. */
void sty_qs_run(sty_qs_t *qs);
/* An assertion failed, perhaps while a record was written, which is dropped and counted. Passes every filter; may use
 * the reserved bytes of the ring. From any context, also from the handler of a fault; not reentrant, and not
 * while another core traces. */
void sty_qs_assert(sty_qs_t *qs, const char *module, uint16_t location);

#ifdef __cplusplus
}
#endif

#endif
