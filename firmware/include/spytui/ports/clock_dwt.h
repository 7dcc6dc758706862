/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Clock from the cycle counter (DWT) of a Cortex-M3, M4, M7 or M33, extended to 64 bits. It never goes back.
 *
 *     static sty_dwt_t clock;
 *     static const sty_env_t env = {sty_dwt_now, sty_primask_lock, sty_primask_unlock, &clock, hertz};
 *     sty_dwt_start();
 *
 * It must be called at least every 2^32 cycles, 25 s at 168 MHz: sty_qs_poll() in the idle loop does that. On most
 * chips it stops in sleep mode unless a debugger is attached. */
#ifndef SPYTUI_PORTS_CLOCK_DWT_H
#define SPYTUI_PORTS_CLOCK_DWT_H

#include "spytui/port.h"

#ifndef STY_DWT_CYCCNT
#define STY_DWT_CYCCNT (*STY_CAST_POINTER(const volatile uint32_t *, 0xE0001004u))
#endif

/* Private; initially 0. */
typedef struct {
    uint64_t time;
} sty_dwt_t;

/* Called with the lock held. */
static inline uint64_t sty_dwt_now(void *ctx) {
    sty_dwt_t *const clock = STY_CAST_POINTER(sty_dwt_t *, ctx);
    clock->time += STY_DWT_CYCCNT - STY_CAST(uint32_t, clock->time & 0xFFFFFFFFu);
    return clock->time;
}

/* Switches the counter on. */
static inline void sty_dwt_start(void) {
    volatile uint32_t *const demcr = STY_CAST_POINTER(volatile uint32_t *, 0xE000EDFCu);
    volatile uint32_t *const lock_access = STY_CAST_POINTER(volatile uint32_t *, 0xE0001FB0u);
    volatile uint32_t *const ctrl = STY_CAST_POINTER(volatile uint32_t *, 0xE0001000u);
    *demcr = *demcr | 1u << 24;
    *lock_access = 0xC5ACCE55u; /* Cortex-M7; others ignore it */
    *ctrl = *ctrl | 1u;
}

#endif
