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

/* Casts of numbers, and of pointers to what they point to or to their address; in C++ without a warning of old-style casts. */
#ifdef __cplusplus
#define STY_CAST(type, number) (static_cast<type>(number))
#define STY_CAST_POINTER(type, pointer) (reinterpret_cast<type>(pointer))
extern "C" {
#else
#define STY_CAST(type, number) ((type)(number))
#define STY_CAST_POINTER(type, pointer) ((type)(pointer))
#endif

/* Hooks of the port. All are needed; sty_env_no_time(), sty_env_no_lock() and sty_env_no_unlock() stand in for those
 * that a program can do without. */
typedef struct {
    /* Time in units of the port. Called while the lock is held. */
    uint64_t (*now)(void *ctx);
    /* Keeps other writers out until unlock(), on a microcontroller usually by masking interrupts. The result goes to
     * unlock(), so that a lock inside a section that is already locked leaves it locked: locks nest. An RTOS'
     * mutex is none: interrupts can't take it. Between threads of a host it may be a recursive one. */
    uint32_t (*lock)(void *ctx);
    void (*unlock)(void *ctx, uint32_t state);
    void *ctx;
    /* Units of now() in a second; 0 leaves out what is sent once a second. */
    uint32_t second;
} sty_env_t;

/* Time stands still. */
static inline uint64_t sty_env_no_time(void *ctx) {
    (void)ctx;
    return 0;
}
/* For a program in which nothing that traces can interrupt what traces. */
static inline uint32_t sty_env_no_lock(void *ctx) {
    (void)ctx;
    return 0;
}
/* Goes with sty_env_no_lock(). */
static inline void sty_env_no_unlock(void *ctx, uint32_t state) {
    (void)ctx;
    (void)state;
}

/* What a program must not do: called with what does not hold. Define it for all files alike to see mistakes, for example
 * as ((condition) ? (void)0 : failed(__FILE__, __LINE__)). It may return; without it the checks cost nothing, and a
 * mistake does what the function says, at most. */
#ifndef STY_ASSERT
#define STY_ASSERT(condition) ((void)sizeof(condition))
#endif

/* Access to what another thread or interrupt may change at the same time, one byte or word; ACQUIRE and RELEASE order it
 * among the others. No compiler needs a library for them. */
#ifndef STY_LOAD
#if defined(__GNUC__) || defined(__clang__)
#define STY_LOAD(from) __atomic_load_n((from), __ATOMIC_RELAXED)
#define STY_LOAD_ACQUIRE(from) __atomic_load_n((from), __ATOMIC_ACQUIRE)
#define STY_STORE(to, value) __atomic_store_n((to), (value), __ATOMIC_RELAXED)
#define STY_STORE_RELEASE(to, value) __atomic_store_n((to), (value), __ATOMIC_RELEASE)
/* Where the processor can't do it in one go, two must not set bits of a byte at the same time. */
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

/* The processor is little-endian and stores a word at any address: numbers are written in one go. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && \
    (defined(__ARM_FEATURE_UNALIGNED) || defined(__x86_64__) || defined(__i386__))
#define STY_UNALIGNED 1
#else
#define STY_UNALIGNED 0
#endif

/* Functions that compilers which save size would call instead: of constant arguments, or the test of a filter. */
#ifndef STY_INLINE
#if defined(__GNUC__) || defined(__clang__)
#define STY_INLINE static inline __attribute__((always_inline))
#else
#define STY_INLINE static inline
#endif
#endif

/* A function with several callers that must not be copied into each of them. */
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
