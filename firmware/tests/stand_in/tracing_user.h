/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Stand-in for Zephyr's functions with CONFIG_TRACING_USER, by its manual. */
#ifndef STAND_IN_TRACING_USER_H
#define STAND_IN_TRACING_USER_H

#include <zephyr/kernel.h>

void sys_trace_thread_create_user(struct k_thread *thread);
void sys_trace_thread_abort_user(struct k_thread *thread);
void sys_trace_thread_suspend_user(struct k_thread *thread);
void sys_trace_thread_resume_user(struct k_thread *thread);
void sys_trace_thread_name_set_user(struct k_thread *thread);
void sys_trace_thread_switched_in_user(void);
void sys_trace_thread_sched_ready_user(struct k_thread *thread);
void sys_trace_thread_pend_user(struct k_thread *thread);
void sys_trace_thread_priority_set_user(struct k_thread *thread, int prio);
void sys_trace_isr_enter_user(void);
void sys_trace_isr_exit_user(void);

#endif
