/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Lock for a single Cortex-M core: masks all interrupts except NMI and HardFault, which
 * must not trace, except for sty_qs_assert() at the end of the program.
 *
 *     static const sty_env_t env = {now, sty_primask_lock, sty_primask_unlock, NULL, 1000}; */
#ifndef SPYTUI_PORTS_LOCK_PRIMASK_H
#define SPYTUI_PORTS_LOCK_PRIMASK_H

#include "spytui/port.h"

static inline uint32_t sty_primask_lock(void *ctx) {
    uint32_t primask;
    (void)ctx;
    __asm__ volatile("mrs %0, primask\n cpsid i" : "=r"(primask) : : "memory");
    return primask;
}

static inline void sty_primask_unlock(void *ctx, uint32_t primask) {
    (void)ctx;
    __asm__ volatile("msr primask, %0" : : "r"(primask) : "memory");
}

#endif
