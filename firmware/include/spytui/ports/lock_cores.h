/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Lock for several cores: masks the interrupts of this core, then waits for the others. It nests. The cores must
 * share an exclusive monitor for the memory: an RP2040 and the M7/M4 pair of an STM32H7 don't, and need their
 * hardware spinlocks.
 *
 *     #define STY_CORE() number of this core, from 0
 *     #include "spytui/ports/lock_cores.h"
 *     static sty_cores_t cores;
 *     static const sty_env_t env = {now, sty_cores_lock, sty_cores_unlock, &cores, hertz};
 *
 * For cores other than Cortex-M, define STY_MASK(), which returns 0 or 1, and STY_UNMASK(state). */
#ifndef SPYTUI_PORTS_LOCK_CORES_H
#define SPYTUI_PORTS_LOCK_CORES_H

#include "spytui/port.h"

#ifndef STY_MASK
#include "spytui/ports/lock_primask.h"
#define STY_MASK() sty_primask_lock(NULL)
#define STY_UNMASK(state) sty_primask_unlock(NULL, (state))
#endif

/* Private; initially 0. */
typedef struct {
    uint32_t owner; /* number of the core that holds the lock, plus 1 */
} sty_cores_t;

static inline uint32_t sty_cores_lock(void *ctx) {
    sty_cores_t *const cores = STY_CAST_POINTER(sty_cores_t *, ctx);
    const uint32_t state = STY_MASK();
    const uint32_t self = 1u + STY_CORE();
    if (__atomic_load_n(&cores->owner, __ATOMIC_RELAXED) == self) {
        return state | 2u; /* already inside a section of this core */
    }
    for (uint32_t owner = 0; !__atomic_compare_exchange_n(&cores->owner, &owner, self, true, __ATOMIC_ACQUIRE,
             __ATOMIC_RELAXED);) {
        owner = 0;
    }
    return state;
}

static inline void sty_cores_unlock(void *ctx, uint32_t state) {
    sty_cores_t *const cores = STY_CAST_POINTER(sty_cores_t *, ctx);
    if ((state & 2u) == 0u) {
        __atomic_store_n(&cores->owner, 0u, __ATOMIC_RELEASE);
    }
    STY_UNMASK(state & 1u);
}

#endif
