/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What the library needs from a port: a clock and a lock. */
#ifndef SPYTUI_PORT_H
#define SPYTUI_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Version of the library. */
#define STY_VERSION_MAJOR 0
#define STY_VERSION_MINOR 1
#define STY_VERSION_PATCH 0

/* Casts of numbers and pointers; in C++ without a warning about old-style casts. */
#ifdef __cplusplus
#define STY_CAST(type, number) (static_cast<type>(number))
#define STY_CAST_POINTER(type, pointer) (reinterpret_cast<type>(pointer))
extern "C" {
#else
#define STY_CAST(type, number) ((type)(number))
#define STY_CAST_POINTER(type, pointer) ((type)(pointer))
#endif

/* Hooks of the port. All are required; use sty_env_no_time(), sty_env_no_lock() and sty_env_no_unlock() for those
 * that a program does not need. */
typedef struct {
    /* Time in units of the port. Called while the lock is held. */
    uint64_t (*now)(void *ctx);
    /* Keeps other writers out until unlock(), on a microcontroller usually by masking interrupts. The result is
     * passed to unlock(), so that locks nest: unlocking an inner section leaves the outer one locked. An RTOS mutex
     * does not work, because interrupts can't take it. On a host, use a recursive lock. */
    uint32_t (*lock)(void *ctx);
    void (*unlock)(void *ctx, uint32_t state);
    void *ctx;
    /* Units of now() per second; 0 disables what is sent once a second. */
    uint32_t second;
} sty_env_t;

/* Time stands still. */
static inline uint64_t sty_env_no_time(void *ctx) {
    (void)ctx;
    return 0;
}
/* For programs in which traced code never interrupts other traced code. */
static inline uint32_t sty_env_no_lock(void *ctx) {
    (void)ctx;
    return 0;
}
/* Counterpart of sty_env_no_lock(). */
static inline void sty_env_no_unlock(void *ctx, uint32_t state) {
    (void)ctx;
    (void)state;
}

/* Called with a condition that is false when the program misuses the library. To catch mistakes, define it the same
 * way in all files, for example as ((condition) ? (void)0 : failed(__FILE__, __LINE__)). It may return; if
 * undefined, the checks cost nothing, and a mistake does at most what the function's comment says. */
#ifndef STY_ASSERT
#define STY_ASSERT(condition) ((void)sizeof(condition))
#endif

/* Accesses a byte or word that another thread or interrupt may change at the same time; ACQUIRE and RELEASE also
 * order other accesses. No compiler needs a library for these. */
#ifndef STY_LOAD
#if defined(__GNUC__) || defined(__clang__)
#define STY_LOAD(from) __atomic_load_n((from), __ATOMIC_RELAXED)
#define STY_LOAD_ACQUIRE(from) __atomic_load_n((from), __ATOMIC_ACQUIRE)
#define STY_STORE(to, value) __atomic_store_n((to), (value), __ATOMIC_RELAXED)
#define STY_STORE_RELEASE(to, value) __atomic_store_n((to), (value), __ATOMIC_RELEASE)
/* Without atomic byte operations, two contexts must not set bits of the same byte at the same time. */
#if __GCC_ATOMIC_CHAR_LOCK_FREE == 2
#define STY_SET_BITS(to, bits) ((void)__atomic_fetch_or((to), (bits), __ATOMIC_RELAXED))
#define STY_CLEAR_BITS(to, bits) ((void)__atomic_fetch_and((to), STY_CAST(uint8_t, ~(bits)), __ATOMIC_RELAXED))
#else
#define STY_SET_BITS(to, bits) STY_STORE((to), STY_CAST(uint8_t, STY_LOAD(to) | (bits)))
#define STY_CLEAR_BITS(to, bits) STY_STORE((to), STY_CAST(uint8_t, STY_LOAD(to) & ~(bits)))
#endif
#else
#error "define STY_LOAD() and the others for this compiler"
#endif
#endif

/* On little-endian processors with unaligned stores, numbers are written in a single access. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && \
    (defined(__ARM_FEATURE_UNALIGNED) || defined(__x86_64__) || defined(__i386__))
#define STY_UNALIGNED 1
#else
#define STY_UNALIGNED 0
#endif

/* Inlines functions that compilers optimizing for size would call instead: those with constant arguments, and filter
 * checks. */
#ifndef STY_INLINE
#if defined(__GNUC__) || defined(__clang__)
#define STY_INLINE static inline __attribute__((always_inline))
#else
#define STY_INLINE static inline
#endif
#endif

/* Keeps a function with several callers from being inlined into each of them. */
#ifndef STY_NOINLINE
#if defined(__GNUC__) || defined(__clang__)
#define STY_NOINLINE __attribute__((noinline))
#else
#define STY_NOINLINE
#endif
#endif

#ifdef __cplusplus
}
#endif

#endif
