/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The functions that Zephyr calls with CONFIG_TRACING_USER. */
#include "spytui/ports/zephyr_trace.h"

#include "spytui/ports/zephyr.h"

#include <tracing_user.h>

enum { CORE = 0, INTERRUPT = 0 };

sty_tband_t sty_zephyr_tband;

static bool is_ready(void) {
    return sty_zephyr_tband.ring != NULL;
}

static uint32_t id_of(const struct k_thread *thread) {
    return (uint32_t)(uintptr_t)thread;
}

/* Zephyr's priorities grow the other way, and are negative for cooperative threads. */
static uint32_t priority_of(int prio) {
    return (uint32_t)(CONFIG_NUM_PREEMPT_PRIORITIES - prio);
}

static void add_name(struct k_thread *thread) {
    const char *text = k_thread_name_get(thread);
    if (text != NULL && *text != '\0') {
        sty_tband_name_task(&sty_zephyr_tband, CORE, id_of(thread), text);
    }
}

static void add_thread(const struct k_thread *thread, void *data) {
    (void)data;
    add_name((struct k_thread *)(uintptr_t)thread);
}

void sty_zephyr_trace_start(sty_ring_t *ring) {
    sty_tband_init(&sty_zephyr_tband, ring, 1000000000u / STY_ZEPHYR_SECOND);
    k_thread_foreach(add_thread, NULL);
    sty_tband_start(&sty_zephyr_tband, CORE);
}

void sys_trace_thread_create_user(struct k_thread *thread) {
    if (is_ready()) {
        sty_tband_task_created(&sty_zephyr_tband, CORE, id_of(thread));
        sty_tband_task_priority_set(&sty_zephyr_tband, CORE, id_of(thread), priority_of(k_thread_priority_get(thread)));
        add_name(thread);
    }
}

void sys_trace_thread_name_set_user(struct k_thread *thread) {
    if (is_ready()) {
        add_name(thread);
    }
}

void sys_trace_thread_abort_user(struct k_thread *thread) {
    if (is_ready()) {
        sty_tband_task_deleted(&sty_zephyr_tband, CORE, id_of(thread));
    }
}

void sys_trace_thread_suspend_user(struct k_thread *thread) {
    if (is_ready()) {
        sty_tband_task_suspended(&sty_zephyr_tband, CORE, id_of(thread));
    }
}

void sys_trace_thread_pend_user(struct k_thread *thread) {
    sys_trace_thread_suspend_user(thread);
}

void sys_trace_thread_resume_user(struct k_thread *thread) {
    if (is_ready()) {
        sty_tband_task_resumed(&sty_zephyr_tband, CORE, id_of(thread));
    }
}

void sys_trace_thread_sched_ready_user(struct k_thread *thread) {
    if (is_ready()) {
        sty_tband_task_to_rdy_state(&sty_zephyr_tband, CORE, id_of(thread));
    }
}

void sys_trace_thread_priority_set_user(struct k_thread *thread, int prio) {
    if (is_ready()) {
        sty_tband_task_priority_set(&sty_zephyr_tband, CORE, id_of(thread), priority_of(prio));
    }
}

void sys_trace_thread_switched_in_user(void) {
    if (is_ready()) {
        sty_tband_task_switched_in(&sty_zephyr_tband, CORE, id_of(k_current_get()));
    }
}

void sys_trace_isr_enter_user(void) {
    if (is_ready()) {
        sty_tband_isr_enter(&sty_zephyr_tband, CORE, INTERRUPT);
    }
}

void sys_trace_isr_exit_user(void) {
    if (is_ready()) {
        sty_tband_isr_exit(&sty_zephyr_tband, CORE, INTERRUPT);
    }
}
