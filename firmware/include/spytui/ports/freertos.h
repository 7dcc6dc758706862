/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Lock for FreeRTOS on one core: critical sections, for tasks and interrupts up to
 * configMAX_SYSCALL_INTERRUPT_PRIORITY. More urgent interrupts must not trace. A mutex would not work: interrupts
 * can't take it, and its owner can be preempted.
 *
 *     static const sty_env_t env = {now, sty_freertos_lock, sty_freertos_unlock, NULL, hertz};
 *
 * Before the scheduler runs, a record leaves these interrupts masked until it starts, like any FreeRTOS call. For
 * ports without xPortIsInsideInterrupt(), define STY_FREERTOS_IN_INTERRUPT() first. */
#ifndef SPYTUI_PORTS_FREERTOS_H
#define SPYTUI_PORTS_FREERTOS_H

#include <FreeRTOS.h>
#include <task.h>

#include "spytui/port.h"

#ifndef STY_FREERTOS_IN_INTERRUPT
#define STY_FREERTOS_IN_INTERRUPT() (xPortIsInsideInterrupt() != 0)
#endif

static inline uint32_t sty_freertos_lock(void *ctx) {
    (void)ctx;
    if (STY_FREERTOS_IN_INTERRUPT()) {
        return STY_CAST(uint32_t, taskENTER_CRITICAL_FROM_ISR());
    }
    taskENTER_CRITICAL();
    return 0;
}

static inline void sty_freertos_unlock(void *ctx, uint32_t state) {
    (void)ctx;
    if (STY_FREERTOS_IN_INTERRUPT()) {
        taskEXIT_CRITICAL_FROM_ISR(state);
    } else {
        taskEXIT_CRITICAL();
    }
}

#endif
