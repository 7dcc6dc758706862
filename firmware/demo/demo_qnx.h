/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Shared by the two files of the QNX demo. */
#ifndef DEMO_QNX_H
#define DEMO_QNX_H

#include "demo_trace.h"

enum { KERNEL_PID = 1, BOILER_PID = 4099 };
enum { PRIORITY = 10, ROUND_ROBIN = 2 };
enum { SEVERITY_WARNING = 4, SEVERITY_INFO = 6 };
/* User events: values from 0, states of the active objects from 10, notes of the tasks from 22. */
enum { USER_STATE = 10, USER_FREE = 20, USER_BURST, USER_TASK, USER_RESET = USER_TASK + DEMO_TASKS };

static inline sty_qnx_t *demo_qnx_emitter(demo_t *demo) {
    return &demo->trace.qnx.qnx;
}

/* The CPU that runs an object's code. */
static inline uint32_t demo_qnx_cpu_of(unsigned object) {
    return object == DEMO_BURNER || object == DEMO_DOOR || object == DEMO_CONTACT_IRQ || object == DEMO_FLAME_IRQ;
}
/* The thread of an active object or a task. */
static inline uint32_t demo_qnx_thread_of(unsigned object) {
    return object < DEMO_AOS ? object + 1u : DEMO_AOS + 1u + object - DEMO_LOG_TASK;
}

/* In demo_qnx_tasks.c. */

/* A thread enters a state. */
void demo_qnx_state(demo_t *demo, unsigned object, uint32_t state);
/* A thread starts running; DEMO_NOBODY: the idle thread. */
void demo_qnx_run(demo_t *demo, uint32_t cpu, unsigned object);
/* Creates a named thread, which waits. */
void demo_qnx_create(demo_t *demo, unsigned object, uint32_t state);
/* Writes a line to the system log: "burner ignores FLAME_ON". */
void demo_qnx_log(demo_t *demo, unsigned object, const char *what, const char *name, uint32_t severity);
void demo_qnx_reset_cause(demo_t *demo, const char *cause);
void demo_qnx_act(demo_t *demo, const demo_act_t *act);
void demo_qnx_runs(demo_t *demo, unsigned now, unsigned before, demo_how_t how);

#endif
