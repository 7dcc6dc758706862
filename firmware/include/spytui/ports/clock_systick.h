/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Clock from the SysTick of a Cortex-M: 64 bits of its input clock, while it ticks as the program or its RTOS needs.
 * It never goes back, because it detects wraps by their flag and by the counter itself. Counting ticks can't do
 * that: a tick is pending while interrupts are masked, and in the first instructions of its handler it is neither
 * pending nor counted.
 *
 *     static sty_systick_t clock;
 *     static const sty_env_t env = {sty_systick_now, sty_primask_lock, sty_primask_unlock, &clock, hertz};
 *     void SysTick_Handler(void) { sty_systick_tick(&env); … }     FreeRTOS: vApplicationTickHook()
 *
 * It must be called at least once per period, so don't mask interrupts for longer: a period without a call is lost.
 * It does not work with a tickless RTOS, which restarts the counter. */
#ifndef SPYTUI_PORTS_CLOCK_SYSTICK_H
#define SPYTUI_PORTS_CLOCK_SYSTICK_H

#include "spytui/port.h"

#ifndef STY_SYSTICK_CSR
#define STY_SYSTICK_CSR (*STY_CAST_POINTER(const volatile uint32_t *, 0xE000E010u))
#define STY_SYSTICK_RVR (*STY_CAST_POINTER(const volatile uint32_t *, 0xE000E014u))
#define STY_SYSTICK_CVR (*STY_CAST_POINTER(const volatile uint32_t *, 0xE000E018u))
#endif

/* Private; initially all 0. */
typedef struct {
    uint64_t base;     /* start of the period of the latest call */
    uint32_t position; /* position of that call in its period */
} sty_systick_t;

/* Called with the lock held. */
static inline uint64_t sty_systick_now(void *ctx) {
    sty_systick_t *const clock = STY_CAST_POINTER(sty_systick_t *, ctx);
    const uint32_t period = STY_SYSTICK_RVR + 1u;
    /* Read the value before the flag, which reading clears: if the flag is clear, the value is from before the wrap. */
    uint32_t value = STY_SYSTICK_CVR;
    const bool wrapped = (STY_SYSTICK_CSR & (1u << 16)) != 0u;
    if (wrapped) {
        value = STY_SYSTICK_CVR;
    }
    /* 0 is the first value of a period and comes with the flag; with a slow counter, several calls see it. Emulators
     * show it before the flag, but it is the same time. */
    const bool begins = value == 0u && (wrapped || clock->position == 0u);
    const uint32_t position = begins ? 0u : period - value;
    /* A debugger or driver may have read the flag; then the position reveals the wrap. */
    if (wrapped || position < clock->position) {
        clock->base += period;
    }
    clock->position = position;
    return clock->base + position;
}

/* Call this from the tick handler. */
static inline void sty_systick_tick(const sty_env_t *env) {
    const uint32_t state = env->lock(env->ctx);
    (void)env->now(env->ctx);
    env->unlock(env->ctx, state);
}

#endif
