/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Lock between threads on a host, using <stdatomic.h>, so not for C++. It nests. Signal handlers must not trace.
 *
 *     static sty_threads_t threads;
 *     static const sty_env_t env = {now, sty_threads_lock, sty_threads_unlock, &threads, hertz};
 *
 * Waiting threads call STY_YIELD() if that is defined, for example as sched_yield() or thrd_yield(). */
#ifndef SPYTUI_PORTS_LOCK_THREADS_H
#define SPYTUI_PORTS_LOCK_THREADS_H

#include <stdatomic.h>

#include "spytui/port.h"

#ifndef STY_YIELD
#define STY_YIELD() ((void)0)
#endif

/* Private. */
#if __STDC_VERSION__ >= 201112L
#define STY_THREAD_LOCAL_ _Thread_local
#else
#define STY_THREAD_LOCAL_ __thread
#endif

/* Private; initially 0. */
typedef struct {
    atomic_uintptr_t owner;
} sty_threads_t;

static inline uint32_t sty_threads_lock(void *ctx) {
    static STY_THREAD_LOCAL_ char self; /* its address identifies the thread */
    sty_threads_t *const threads = ctx;
    if (atomic_load_explicit(&threads->owner, memory_order_relaxed) == (uintptr_t)&self) {
        return 1; /* already inside a section of this thread */
    }
    for (uintptr_t owner = 0; !atomic_compare_exchange_weak_explicit(&threads->owner, &owner, (uintptr_t)&self,
             memory_order_acquire, memory_order_relaxed);) {
        owner = 0;
        STY_YIELD();
    }
    return 0;
}

static inline void sty_threads_unlock(void *ctx, uint32_t nested) {
    sty_threads_t *const threads = ctx;
    if (nested == 0u) {
        atomic_store_explicit(&threads->owner, 0, memory_order_release);
    }
}

#endif
