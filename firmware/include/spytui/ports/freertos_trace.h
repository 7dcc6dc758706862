/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The trace hooks of FreeRTOS (10 and 11) as tband events. Include it at the end of FreeRTOSConfig.h, with
 * configUSE_TRACE_FACILITY set to 1, and define the trace in one file:
 *
 *     sty_freertos_trace_t sty_freertos_trace;
 *
 *     sty_tband_init(&sty_freertos_trace.tband, &ring, 1000); // before the first task or queue is created
 *
 * Tasks have the kernel's task number, queues get their queue number here. ports/freertos.h has the lock. The hooks
 * expand in kernel sources, where they see the kernel's structures and local variables. */
#ifndef SPYTUI_PORTS_FREERTOS_TRACE_H
#define SPYTUI_PORTS_FREERTOS_TRACE_H

/* FreeRTOSConfig.h may be included by assembly, too. */
#ifndef __ASSEMBLER__

#include "spytui/tband_rtos.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    sty_tband_t tband;
    uint32_t queues; /* number of queues so far */
} sty_freertos_trace_t;

/* Defined by the program. */
extern sty_freertos_trace_t sty_freertos_trace;

#ifdef __cplusplus
}
#endif

/* The core that calls: on several, portGET_CORE_ID(). */
#ifndef STY_FREERTOS_CORE
#define STY_FREERTOS_CORE() 0u
#endif
/* Name of the task that serves timers. */
#ifndef STY_FREERTOS_TIMER_TASK
#define STY_FREERTOS_TIMER_TASK "Tmr Svc"
#endif

/* Private: the kind of a queue by the kernel's number. */
static inline sty_tband_queue_kind_t sty_freertos_kind_(uint32_t type) {
    static const sty_tband_queue_kind_t kinds[] = {STY_TBAND_A_QUEUE, STY_TBAND_MUTEX, STY_TBAND_COUNTING_SEMAPHORE,
        STY_TBAND_BINARY_SEMAPHORE, STY_TBAND_RECURSIVE_MUTEX};
    return type < sizeof kinds / sizeof kinds[0] ? kinds[type] : STY_TBAND_A_QUEUE;
}

/* Private: is this text the beginning of the other? Names of idle tasks end with the number of their core. */
static inline bool sty_freertos_begins_(const char *name, const char *with) {
    while (*with != '\0' && *name == *with) {
        name++;
        with++;
    }
    return *with == '\0';
}

/* Private: a new task, which the kernel reports as ready afterwards. */
static inline void sty_freertos_new_task_(uint32_t task, uint32_t priority, const char *name, const char *idle) {
    sty_tband_t *tband = &sty_freertos_trace.tband;
    const uint32_t core = STY_CAST(uint32_t, STY_FREERTOS_CORE());
    sty_tband_task_created(tband, core, task);
    sty_tband_task_priority_set(tband, core, task, priority);
    sty_tband_name_task(tband, core, task, name);
    if (sty_freertos_begins_(name, idle)) {
        sty_tband_task_is_idle_task(tband, core, task, core);
    } else if (sty_freertos_begins_(name, STY_FREERTOS_TIMER_TASK)) {
        sty_tband_task_is_timer_task(tband, core, task);
    }
}

/* Private: a new queue; its elements are reported when they come. */
static inline void sty_freertos_new_queue_(uint32_t queue, uint32_t type) {
    sty_tband_t *tband = &sty_freertos_trace.tband;
    const uint32_t core = STY_CAST(uint32_t, STY_FREERTOS_CORE());
    sty_tband_queue_created(tband, core, queue);
    sty_tband_queue_kind(tband, core, queue, sty_freertos_kind_(type));
    sty_tband_queue_cur_length(tband, core, queue, 0);
}

#define STY_FREERTOS_(event, ...) \
    (sty_tband_##event(&sty_freertos_trace.tband, STY_CAST(uint32_t, STY_FREERTOS_CORE()), __VA_ARGS__))
#define STY_FREERTOS_TASK_(task) STY_CAST(uint32_t, (task)->uxTCBNumber)
#define STY_FREERTOS_QUEUE_(queue) STY_CAST(uint32_t, (queue)->uxQueueNumber)
#define STY_FREERTOS_COUNT_(queue) STY_CAST(uint32_t, (queue)->uxMessagesWaiting)

/* Tasks. */
#define traceTASK_CREATE(pxNewTCB) \
    sty_freertos_new_task_(STY_FREERTOS_TASK_(pxNewTCB), STY_CAST(uint32_t, (pxNewTCB)->uxPriority), \
        (pxNewTCB)->pcTaskName, configIDLE_TASK_NAME)
#define traceTASK_DELETE(pxTaskToDelete) STY_FREERTOS_(task_deleted, STY_FREERTOS_TASK_(pxTaskToDelete))
#define traceTASK_SWITCHED_IN() STY_FREERTOS_(task_switched_in, STY_FREERTOS_TASK_(pxCurrentTCB))
#define traceMOVED_TASK_TO_READY_STATE(pxTCB) STY_FREERTOS_(task_to_rdy_state, STY_FREERTOS_TASK_(pxTCB))
#define traceTASK_DELAY() STY_FREERTOS_(curtask_delay, STY_CAST(uint32_t, xTicksToDelay))
#define traceTASK_DELAY_UNTIL(...) STY_FREERTOS_(curtask_delay_until, STY_CAST(uint32_t, xTimeToWake))
#define traceTASK_SUSPEND(pxTaskToSuspend) STY_FREERTOS_(task_suspended, STY_FREERTOS_TASK_(pxTaskToSuspend))
#define traceTASK_RESUME(pxTaskToResume) STY_FREERTOS_(task_resumed, STY_FREERTOS_TASK_(pxTaskToResume))
#define traceTASK_RESUME_FROM_ISR(pxTaskToResume) \
    STY_FREERTOS_(task_resumed_from_isr, STY_FREERTOS_TASK_(pxTaskToResume))
#define traceTASK_PRIORITY_SET(pxTask, uxNewPriority) \
    STY_FREERTOS_(task_priority_set, STY_FREERTOS_TASK_(pxTask), STY_CAST(uint32_t, uxNewPriority))
#define traceTASK_PRIORITY_INHERIT(pxTCBOfMutexHolder, uxInheritedPriority) \
    STY_FREERTOS_(task_priority_inherit, STY_FREERTOS_TASK_(pxTCBOfMutexHolder), STY_CAST(uint32_t, uxInheritedPriority))
#define traceTASK_PRIORITY_DISINHERIT(pxTCBOfMutexHolder, uxOriginalPriority) \
    STY_FREERTOS_( \
        task_priority_disinherit, STY_FREERTOS_TASK_(pxTCBOfMutexHolder), STY_CAST(uint32_t, uxOriginalPriority))

/* Queues, semaphores and mutexes. */
#define traceQUEUE_CREATE(pxNewQueue) \
    do { \
        taskENTER_CRITICAL(); \
        sty_freertos_trace.queues++; \
        (pxNewQueue)->uxQueueNumber = sty_freertos_trace.queues; \
        taskEXIT_CRITICAL(); \
        sty_freertos_new_queue_(STY_FREERTOS_QUEUE_(pxNewQueue), (pxNewQueue)->ucQueueType); \
    } while (0)
#define traceCREATE_COUNTING_SEMAPHORE() \
    STY_FREERTOS_(queue_cur_length, STY_FREERTOS_QUEUE_((Queue_t *)xHandle), STY_FREERTOS_COUNT_((Queue_t *)xHandle))
#define traceQUEUE_REGISTRY_ADD(xQueue, pcQueueName) \
    STY_FREERTOS_(name_queue, STY_FREERTOS_QUEUE_(xQueue), (pcQueueName))

/* Called before the kernel changes the number of elements. A full queue can only be overwritten. */
#define STY_FREERTOS_ADDED_(queue, from) \
    ((queue)->uxMessagesWaiting < (queue)->uxLength \
            ? STY_FREERTOS_(queue_send##from, STY_FREERTOS_QUEUE_(queue), STY_FREERTOS_COUNT_(queue) + 1u) \
            : STY_FREERTOS_(queue_overwrite##from, STY_FREERTOS_QUEUE_(queue), STY_FREERTOS_COUNT_(queue)))
#define traceQUEUE_SEND(pxQueue) STY_FREERTOS_ADDED_(pxQueue, )
#define traceQUEUE_SEND_FROM_ISR(pxQueue) STY_FREERTOS_ADDED_(pxQueue, _from_isr)
#define traceQUEUE_RECEIVE(pxQueue) \
    STY_FREERTOS_(queue_receive, STY_FREERTOS_QUEUE_(pxQueue), STY_FREERTOS_COUNT_(pxQueue) - 1u)
#define traceQUEUE_RECEIVE_FROM_ISR(pxQueue) \
    STY_FREERTOS_(queue_receive_from_isr, STY_FREERTOS_QUEUE_(pxQueue), STY_FREERTOS_COUNT_(pxQueue) - 1u)
#define STY_FREERTOS_BLOCKS_(way, queue) \
    STY_FREERTOS_(curtask_block_on_queue_##way, STY_FREERTOS_QUEUE_(queue), STY_CAST(uint32_t, xTicksToWait))
#define traceBLOCKING_ON_QUEUE_SEND(pxQueue) STY_FREERTOS_BLOCKS_(send, pxQueue)
#define traceBLOCKING_ON_QUEUE_RECEIVE(pxQueue) STY_FREERTOS_BLOCKS_(receive, pxQueue)
#define traceBLOCKING_ON_QUEUE_PEEK(pxQueue) STY_FREERTOS_BLOCKS_(peek, pxQueue)

#endif

#endif
