/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Shared by the two files of the tband demo. FreeRTOS tasks: the active objects, an idle task per core, then the
 * others. */
#ifndef DEMO_TBAND_H
#define DEMO_TBAND_H

#include "demo_trace.h"

#define DEMO_TBAND_FOREVER 0xFFFFFFFFu

/* Task numbers start at 1. */
enum { DEMO_TBAND_IDLE_0 = DEMO_AOS + 1, DEMO_TBAND_TASK = DEMO_TBAND_IDLE_0 + STY_TBAND_CORES };
/* Event markers 0–3 are the states of the active objects; notes of the tasks start at MARK_TASK. */
enum {
    MARK_IGNORED = DEMO_AOS, MARK_FULL, MARK_TIMER, MARK_WORK, MARK_POOL, MARK_DEFERRED, MARK_RECALLED, MARK_TASK,
    MARKS = MARK_TASK + DEMO_TASKS
};

static inline sty_tband_t *demo_tband_emitter(demo_t *demo) {
    return &demo->trace.tband.tband;
}

/* The FreeRTOS task of a task or an active object; DEMO_NOBODY: the idle task of core 0. */
static inline uint32_t demo_tband_task_of(unsigned object) {
    return object < DEMO_AOS ? object + 1u :
        object == DEMO_NOBODY ? (uint32_t)DEMO_TBAND_IDLE_0 :
                                DEMO_TBAND_TASK + object - DEMO_LOG_TASK;
}

static inline void demo_tband_switch_to(demo_t *demo, uint32_t core, uint32_t task) {
    if (demo->trace.tband.running[core] != task) {
        demo->trace.tband.running[core] = (uint8_t)task;
        sty_tband_task_switched_in(demo_tband_emitter(demo), core, task);
    }
}

/* In demo_tband_tasks.c. */
void demo_tband_name_tasks(demo_t *demo);
void demo_tband_create_tasks(demo_t *demo);
void demo_tband_reset_cause(demo_t *demo, const char *cause);
void demo_tband_act(demo_t *demo, const demo_act_t *act);
void demo_tband_runs(demo_t *demo, unsigned now, unsigned before, demo_how_t how);

#endif
