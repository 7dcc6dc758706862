/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Stand-in for the kernel sources of FreeRTOS: structures, and calls of each hook in its manual's list, with the
 * arguments and the local variables there. Hooks that nobody defines are empty. */
#ifndef STAND_IN_FREERTOS_KERNEL_H
#define STAND_IN_FREERTOS_KERNEL_H

#include "task.h"

#define configIDLE_TASK_NAME "IDLE"

typedef uint32_t TickType_t;
typedef struct {
    UBaseType_t uxTCBNumber;
    UBaseType_t uxPriority;
    char pcTaskName[16];
} TCB_t;
typedef struct {
    UBaseType_t uxMessagesWaiting;
    UBaseType_t uxLength;
    UBaseType_t uxQueueNumber;
    uint8_t ucQueueType;
} Queue_t;
typedef void *QueueHandle_t;
extern TCB_t *pxCurrentTCB;

#ifndef traceTASK_INCREMENT_TICK
#define traceTASK_INCREMENT_TICK(xTickCount)
#endif
#ifndef traceTASK_SWITCHED_OUT
#define traceTASK_SWITCHED_OUT()
#endif
#ifndef traceTASK_CREATE_FAILED
#define traceTASK_CREATE_FAILED()
#endif
#ifndef traceQUEUE_CREATE_FAILED
#define traceQUEUE_CREATE_FAILED(ucQueueType)
#endif
#ifndef traceQUEUE_DELETE
#define traceQUEUE_DELETE(pxQueue)
#endif
#ifndef traceQUEUE_PEEK
#define traceQUEUE_PEEK(pxQueue)
#endif
#ifndef traceQUEUE_SEND_FAILED
#define traceQUEUE_SEND_FAILED(pxQueue)
#endif
#ifndef traceQUEUE_RECEIVE_FAILED
#define traceQUEUE_RECEIVE_FAILED(pxQueue)
#endif
#ifndef traceQUEUE_SEND_FROM_ISR_FAILED
#define traceQUEUE_SEND_FROM_ISR_FAILED(pxQueue)
#endif
#ifndef traceQUEUE_RECEIVE_FROM_ISR_FAILED
#define traceQUEUE_RECEIVE_FROM_ISR_FAILED(pxQueue)
#endif
#ifndef traceCREATE_MUTEX
#define traceCREATE_MUTEX(pxNewQueue)
#endif
#ifndef traceCREATE_MUTEX_FAILED
#define traceCREATE_MUTEX_FAILED()
#endif
#ifndef traceGIVE_MUTEX_RECURSIVE
#define traceGIVE_MUTEX_RECURSIVE(pxMutex)
#endif
#ifndef traceGIVE_MUTEX_RECURSIVE_FAILED
#define traceGIVE_MUTEX_RECURSIVE_FAILED(pxMutex)
#endif
#ifndef traceTAKE_MUTEX_RECURSIVE
#define traceTAKE_MUTEX_RECURSIVE(pxMutex)
#endif
#ifndef traceTAKE_MUTEX_RECURSIVE_FAILED
#define traceTAKE_MUTEX_RECURSIVE_FAILED(pxMutex)
#endif
#ifndef traceCREATE_COUNTING_SEMAPHORE_FAILED
#define traceCREATE_COUNTING_SEMAPHORE_FAILED()
#endif
#ifndef traceTIMER_CREATE
#define traceTIMER_CREATE(pxNewTimer)
#endif
#ifndef traceTIMER_CREATE_FAILED
#define traceTIMER_CREATE_FAILED()
#endif
#ifndef traceTIMER_COMMAND_SEND
#define traceTIMER_COMMAND_SEND(xTimer, xMessageID, xMessageValueValue, xReturn)
#endif
#ifndef traceTIMER_COMMAND_RECEIVED
#define traceTIMER_COMMAND_RECEIVED(pxTimer, xMessageID, xMessageValue)
#endif
#ifndef traceTIMER_EXPIRED
#define traceTIMER_EXPIRED(pxTimer)
#endif

#endif
