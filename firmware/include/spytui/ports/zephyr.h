/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Lock and clock for Zephyr: irq_lock(), which nests, and on several cores also keeps the others out. Interrupts
 * that it does not mask (zero latency) must not trace.
 *
 *     static const sty_env_t env = {sty_zephyr_now, sty_zephyr_lock, sty_zephyr_unlock, NULL, STY_ZEPHYR_SECOND}; */
#ifndef SPYTUI_PORTS_ZEPHYR_H
#define SPYTUI_PORTS_ZEPHYR_H

#include <zephyr/kernel.h>

#include "spytui/port.h"

#ifdef CONFIG_TIMER_HAS_64BIT_CYCLE_COUNTER
#define STY_ZEPHYR_SECOND CONFIG_SYS_CLOCK_HW_CYCLES_PER_SEC
#else /* coarser, but never goes back */
#define STY_ZEPHYR_SECOND CONFIG_SYS_CLOCK_TICKS_PER_SEC
#endif

static inline uint64_t sty_zephyr_now(void *ctx) {
    (void)ctx;
#ifdef CONFIG_TIMER_HAS_64BIT_CYCLE_COUNTER
    return k_cycle_get_64();
#else
    return STY_CAST(uint64_t, k_uptime_ticks());
#endif
}

static inline uint32_t sty_zephyr_lock(void *ctx) {
    (void)ctx;
    return irq_lock();
}

static inline void sty_zephyr_unlock(void *ctx, uint32_t key) {
    (void)ctx;
    irq_unlock(key);
}

#endif
