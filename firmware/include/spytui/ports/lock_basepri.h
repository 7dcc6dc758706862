/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Lock for a single Cortex-M3, M4, M7 or M33 that does not delay the most urgent interrupts: masks priority
 * STY_BASEPRI and everything less urgent. Other interrupts are not masked, and must not trace.
 *
 *     #define STY_BASEPRI (5u << (8 - __NVIC_PRIO_BITS)) as in the register; configMAX_SYSCALL_INTERRUPT_PRIORITY
 *     #include "spytui/ports/lock_basepri.h" */
#ifndef SPYTUI_PORTS_LOCK_BASEPRI_H
#define SPYTUI_PORTS_LOCK_BASEPRI_H

#include "spytui/port.h"

#ifndef STY_BASEPRI
#error "define STY_BASEPRI: the most urgent priority whose interrupts trace, shifted as the register has it"
#endif

/* BASEPRI_MAX never unmasks: a section that already masks more stays as it is. */
static inline uint32_t sty_basepri_lock(void *ctx) {
    uint32_t basepri;
    (void)ctx;
#ifdef STY_CORTEX_M7_R0P1 /* erratum 837070: an interrupt that is to be masked may still come in the middle of the write */
    uint32_t primask;
    __asm__ volatile("mrs %1, primask\n mrs %0, basepri\n cpsid i\n msr basepri_max, %2\n dsb\n msr primask, %1"
        : "=&r"(basepri), "=&r"(primask) : "r"(STY_BASEPRI) : "memory");
#else
    __asm__ volatile("mrs %0, basepri\n msr basepri_max, %1" : "=&r"(basepri) : "r"(STY_BASEPRI) : "memory");
#endif
    return basepri;
}

static inline void sty_basepri_unlock(void *ctx, uint32_t basepri) {
    (void)ctx;
    __asm__ volatile("msr basepri, %0" : : "r"(basepri) : "memory");
}

#endif
