/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* tband events of tasks and queues, as reported by FreeRTOS. Ids of queues start at 1, like those of tasks. */
#ifndef SPYTUI_TBAND_RTOS_H
#define SPYTUI_TBAND_RTOS_H

#include "spytui/tband.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of queues. */
typedef enum {
    STY_TBAND_A_QUEUE, STY_TBAND_COUNTING_SEMAPHORE, STY_TBAND_BINARY_SEMAPHORE, STY_TBAND_MUTEX,
    STY_TBAND_RECURSIVE_MUTEX, STY_TBAND_QUEUE_SET
} sty_tband_queue_kind_t;

/* Reports a new task: created, priority, name, ready. */
void sty_tband_new_task(sty_tband_t *tband, uint32_t core, uint32_t task, uint32_t priority, const char *name);
/* Reports a new queue: created, kind, length. `count` is its initial number of elements, 1 for a mutex. `name` may
 * be NULL. */
void sty_tband_new_queue(sty_tband_t *tband, uint32_t core, uint32_t queue, sty_tband_queue_kind_t kind, uint32_t count,
    const char *name);

/* Names and other metadata. They pass every filter and are kept. */

/* The name of a task. */
static inline void sty_tband_name_task(sty_tband_t *tband, uint32_t core, uint32_t task, const char *name) {
    sty_tband_name_(tband, core, 0x5F, task, name);
}
/* The name of a queue. */
static inline void sty_tband_name_queue(sty_tband_t *tband, uint32_t core, uint32_t queue, const char *name) {
    sty_tband_name_(tband, core, 0x64, queue, name);
}
/* What a queue is used for. */
static inline void sty_tband_queue_kind(sty_tband_t *tband, uint32_t core, uint32_t queue, sty_tband_queue_kind_t kind) {
    sty_tband_fact_(tband, core, 0x65, queue, STY_CAST(uint32_t, kind));
}
/* The idle task of a core. */
static inline void sty_tband_task_is_idle_task(sty_tband_t *tband, uint32_t core, uint32_t task, uint32_t idle_core) {
    sty_tband_fact_(tband, core, 0x60, task, idle_core);
}
/* The timer service task. */
static inline void sty_tband_task_is_timer_task(sty_tband_t *tband, uint32_t core, uint32_t task) {
    sty_tband_name_(tband, core, 0x61, task, NULL);
}
/* The name of a marker of one task. */
static inline void sty_tband_name_local_marker(sty_tband_t *tband, uint32_t core, uint32_t marker, uint32_t task,
    const char *name) {
    sty_tband_name_local_(tband, core, 0x7A, marker, task, name);
}
/* The name of a value of one task. */
static inline void sty_tband_name_local_value(sty_tband_t *tband, uint32_t core, uint32_t marker, uint32_t task,
    const char *name) {
    sty_tband_name_local_(tband, core, 0x7E, marker, task, name);
}

/* Tasks. Ids start at 1 and are never reused. */

/* A task starts running on this core. */
static inline void sty_tband_task_switched_in(sty_tband_t *tband, uint32_t core, uint32_t task) {
    if (sty_tband_on(tband, 0x54)) {
        sty_tband_1_(tband, core, 0x54, task);
    }
}
/* A task becomes ready. */
static inline void sty_tband_task_to_rdy_state(sty_tband_t *tband, uint32_t core, uint32_t task) {
    if (sty_tband_on(tband, 0x55)) {
        sty_tband_1_(tband, core, 0x55, task);
    }
}
/* A task is resumed. */
static inline void sty_tband_task_resumed(sty_tband_t *tband, uint32_t core, uint32_t task) {
    if (sty_tband_on(tband, 0x56)) {
        sty_tband_1_(tband, core, 0x56, task);
    }
}
/* A task is resumed by an interrupt. */
static inline void sty_tband_task_resumed_from_isr(sty_tband_t *tband, uint32_t core, uint32_t task) {
    if (sty_tband_on(tband, 0x57)) {
        sty_tband_1_(tband, core, 0x57, task);
    }
}
/* A task is suspended until it is resumed. */
static inline void sty_tband_task_suspended(sty_tband_t *tband, uint32_t core, uint32_t task) {
    if (sty_tband_on(tband, 0x58)) {
        sty_tband_1_(tband, core, 0x58, task);
    }
}
/* A task's priority is set. */
static inline void sty_tband_task_priority_set(sty_tband_t *tband, uint32_t core, uint32_t task, uint32_t priority) {
    if (sty_tband_on(tband, 0x5B)) {
        sty_tband_2_(tband, core, 0x5B, task, priority);
    }
}
/* A task inherits the priority of one that waits for its mutex. */
static inline void sty_tband_task_priority_inherit(sty_tband_t *tband, uint32_t core, uint32_t task,
    uint32_t priority) {
    if (sty_tband_on(tband, 0x5C)) {
        sty_tband_2_(tband, core, 0x5C, task, priority);
    }
}
/* A task gets its own priority back. */
static inline void sty_tband_task_priority_disinherit(sty_tband_t *tband, uint32_t core, uint32_t task,
    uint32_t priority) {
    if (sty_tband_on(tband, 0x5D)) {
        sty_tband_2_(tband, core, 0x5D, task, priority);
    }
}
/* A task was created; sty_tband_new_task() reports this, too. */
static inline void sty_tband_task_created(sty_tband_t *tband, uint32_t core, uint32_t task) {
    if (sty_tband_on(tband, 0x5E)) {
        sty_tband_1_(tband, core, 0x5E, task);
    }
}
/* A task was deleted. */
static inline void sty_tband_task_deleted(sty_tband_t *tband, uint32_t core, uint32_t task) {
    if (sty_tband_on(tband, 0x62)) {
        sty_tband_1_(tband, core, 0x62, task);
    }
}

/* What the task running on `core` waits for. */

/* For a number of ticks. */
static inline void sty_tband_curtask_delay(sty_tband_t *tband, uint32_t core, uint32_t ticks) {
    if (sty_tband_on(tband, 0x59)) {
        sty_tband_1_(tband, core, 0x59, ticks);
    }
}
/* Until a tick. */
static inline void sty_tband_curtask_delay_until(sty_tband_t *tband, uint32_t core, uint32_t wake_tick) {
    if (sty_tband_on(tband, 0x5A)) {
        sty_tband_1_(tband, core, 0x5A, wake_tick);
    }
}
/* To peek at a queue, for a limited number of ticks. */
static inline void sty_tband_curtask_block_on_queue_peek(sty_tband_t *tband, uint32_t core, uint32_t queue,
    uint32_t ticks) {
    if (sty_tband_on(tband, 0x6D)) {
        sty_tband_2_(tband, core, 0x6D, queue, ticks);
    }
}
/* For room in a queue. */
static inline void sty_tband_curtask_block_on_queue_send(sty_tband_t *tband, uint32_t core, uint32_t queue,
    uint32_t ticks) {
    if (sty_tband_on(tband, 0x6E)) {
        sty_tband_2_(tband, core, 0x6E, queue, ticks);
    }
}
/* For an element in a queue. */
static inline void sty_tband_curtask_block_on_queue_receive(sty_tband_t *tband, uint32_t core, uint32_t queue,
    uint32_t ticks) {
    if (sty_tband_on(tband, 0x6F)) {
        sty_tband_2_(tband, core, 0x6F, queue, ticks);
    }
}

/* Queues. `count` is the number of elements afterwards. */

/* A queue was created; sty_tband_new_queue() reports this, too. */
static inline void sty_tband_queue_created(sty_tband_t *tband, uint32_t core, uint32_t queue) {
    if (sty_tband_on(tband, 0x63)) {
        sty_tband_1_(tband, core, 0x63, queue);
    }
}
/* An element is added. */
static inline void sty_tband_queue_send(sty_tband_t *tband, uint32_t core, uint32_t queue, uint32_t count) {
    if (sty_tband_on(tband, 0x66)) {
        sty_tband_2_(tband, core, 0x66, queue, count);
    }
}
/* An element is added by an interrupt. */
static inline void sty_tband_queue_send_from_isr(sty_tband_t *tband, uint32_t core, uint32_t queue, uint32_t count) {
    if (sty_tband_on(tband, 0x67)) {
        sty_tband_2_(tband, core, 0x67, queue, count);
    }
}
/* The only element is replaced. */
static inline void sty_tband_queue_overwrite(sty_tband_t *tband, uint32_t core, uint32_t queue, uint32_t count) {
    if (sty_tband_on(tband, 0x68)) {
        sty_tband_2_(tband, core, 0x68, queue, count);
    }
}
/* The only element is replaced by an interrupt. */
static inline void sty_tband_queue_overwrite_from_isr(sty_tband_t *tband, uint32_t core, uint32_t queue,
    uint32_t count) {
    if (sty_tband_on(tband, 0x69)) {
        sty_tband_2_(tband, core, 0x69, queue, count);
    }
}
/* An element is removed. */
static inline void sty_tband_queue_receive(sty_tband_t *tband, uint32_t core, uint32_t queue, uint32_t count) {
    if (sty_tband_on(tband, 0x6A)) {
        sty_tband_2_(tband, core, 0x6A, queue, count);
    }
}
/* An element is removed by an interrupt. */
static inline void sty_tband_queue_receive_from_isr(sty_tband_t *tband, uint32_t core, uint32_t queue, uint32_t count) {
    if (sty_tband_on(tband, 0x6B)) {
        sty_tband_2_(tband, core, 0x6B, queue, count);
    }
}
/* All elements are discarded. */
static inline void sty_tband_queue_reset(sty_tband_t *tband, uint32_t core, uint32_t queue) {
    if (sty_tband_on(tband, 0x6C)) {
        sty_tband_1_(tband, core, 0x6C, queue);
    }
}
/* Reports the number of elements. */
static inline void sty_tband_queue_cur_length(sty_tband_t *tband, uint32_t core, uint32_t queue, uint32_t count) {
    if (sty_tband_on(tband, 0x70)) {
        sty_tband_2_(tband, core, 0x70, queue, count);
    }
}

/* Markers of the task running on `core`. Filters by marker do not apply. */

/* Something happens. */
static inline void sty_tband_local_marker(sty_tband_t *tband, uint32_t core, uint32_t marker, const char *text) {
    if (sty_tband_on(tband, 0x7B)) {
        sty_tband_text_(tband, core, 0x7B, marker, text);
    }
}
/* Something begins. */
static inline void sty_tband_local_marker_begin(sty_tband_t *tband, uint32_t core, uint32_t marker, const char *text) {
    if (sty_tband_on(tband, 0x7C)) {
        sty_tband_text_(tband, core, 0x7C, marker, text);
    }
}
/* Something ends. */
static inline void sty_tband_local_marker_end(sty_tband_t *tband, uint32_t core, uint32_t marker) {
    if (sty_tband_on(tband, 0x7D)) {
        sty_tband_1_(tband, core, 0x7D, marker);
    }
}
/* A value. */
static inline void sty_tband_local_value(sty_tband_t *tband, uint32_t core, uint32_t marker, int64_t value) {
    if (sty_tband_on(tband, 0x7F)) {
        sty_tband_value_(tband, core, 0x7F, marker, value);
    }
}

#ifdef __cplusplus
}
#endif

#endif
