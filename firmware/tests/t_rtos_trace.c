/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The trace hooks of FreeRTOS and Zephyr, as kernels call them. */
#include "spytui/ports/freertos_trace.h"
#include "spytui/ports/zephyr_trace.h"

#include "freertos_kernel.h"

#include "tracing_user.h"

#include "frames.h"
#include "tap.h"

sty_freertos_trace_t sty_freertos_trace;
TCB_t *pxCurrentTCB;

static int depth;
void taskENTER_CRITICAL(void) {
    depth++;
}
void taskEXIT_CRITICAL(void) {
    depth--;
}

static const sty_env_t env = {sty_env_no_time, sty_env_no_lock, sty_env_no_unlock, NULL, 0};
static uint8_t mem[4096];
static sty_ring_t ring;

/* The ids and arguments of events in the ring, without framing, time 0 and drop totals, as text. */
static const char *events(void) {
    static char text[4096];
    uint8_t bytes[4096];
    size_t used = 0;
    text[0] = '\0';
    const uint32_t count = sty_ring_read(&ring, bytes, sizeof bytes);
    for (uint32_t begin = 0; begin < count;) {
        uint32_t end = begin;
        while (bytes[end] != 0u) {
            end++;
        }
        uint8_t event[300] = {0};
        size_t length = 0;
        for (uint32_t at = begin, zero = begin + bytes[begin]; ++at < end;) {
            const bool is_zero = at == zero;
            zero += is_zero ? bytes[at] : 0u;
            event[length] = is_zero ? 0u : bytes[at];
            length++;
        }
        if (event[0] != 0x01u) {
            used += (size_t)snprintf(&text[used], sizeof text - used, "%s%s", used == 0 ? "" : " ", hex(event, length));
        }
        begin = end + 1u;
    }
    return text;
}

static bool sent(const char *expected) {
    const char *got = events();
    const bool same = strcmp(got, expected) == 0;
    if (!same) {
        printf("# got %s, expected %s\n", got, expected);
    }
    return same;
}

static void create_task(TCB_t *pxNewTCB, UBaseType_t number, const char *name, UBaseType_t priority) {
    pxNewTCB->uxTCBNumber = number;
    pxNewTCB->uxPriority = priority;
    snprintf(pxNewTCB->pcTaskName, sizeof pxNewTCB->pcTaskName, "%s", name);
    traceTASK_CREATE(pxNewTCB);
    traceMOVED_TASK_TO_READY_STATE(pxNewTCB);
}

static void tasks(void) {
    static TCB_t control, idle, timers;
    create_task(&control, 1, "ctl", 3);
    OK(sent("5e0001 5b000103 5f0163746c 550001"), "FreeRTOS: a task is created, and ready");
    create_task(&idle, 2, "IDLE0", 0);
    OK(sent("5e0002 5b000200 5f0249444c4530 600200 550002"), "the idle task is named as one");
    create_task(&timers, 3, "Tmr Svc", 4);
    OK(sent("5e0003 5b000304 5f03546d7220537663 6103 550003"), "so is that for timers");
    pxCurrentTCB = &control;
    traceTASK_SWITCHED_OUT();
    traceTASK_SWITCHED_IN();
    const TickType_t xTicksToDelay = 10, xTimeToWake = 100;
    traceTASK_DELAY();
    traceTASK_DELAY_UNTIL(xTimeToWake);
    traceTASK_INCREMENT_TICK(5);
    OK(sent("540001 59000a 5a0064"), "it runs, waits for a time, and until one");
    traceTASK_SUSPEND(&control);
    traceTASK_RESUME(&control);
    traceTASK_RESUME_FROM_ISR(&control);
    traceTASK_PRIORITY_SET(&control, 5);
    traceTASK_PRIORITY_INHERIT(&control, 6);
    traceTASK_PRIORITY_DISINHERIT(&control, 5);
    traceTASK_DELETE(&control);
    OK(sent("580001 560001 570001 5b000105 5c000106 5d000105 620001"), "each other change of a task");
    traceTASK_CREATE_FAILED();
    traceTIMER_CREATE(NULL);
    traceTIMER_CREATE_FAILED();
    traceTIMER_COMMAND_SEND(NULL, 1, 2, 3);
    traceTIMER_COMMAND_RECEIVED(NULL, 1, 2);
    traceTIMER_EXPIRED(NULL);
    OK(sent(""), "timers have no events");
}

static void create_queue(Queue_t *pxNewQueue, uint8_t type, UBaseType_t length) {
    *pxNewQueue = (Queue_t){.uxLength = length, .ucQueueType = type};
    traceQUEUE_CREATE(pxNewQueue);
}

static void add(Queue_t *pxQueue, bool from_interrupt) {
    if (from_interrupt) {
        traceQUEUE_SEND_FROM_ISR(pxQueue);
    } else {
        traceQUEUE_SEND(pxQueue);
    }
    pxQueue->uxMessagesWaiting += pxQueue->uxMessagesWaiting < pxQueue->uxLength;
}

static void queues(void) {
    static Queue_t plain, mutex, counting;
    const TickType_t xTicksToWait = 7;
    create_queue(&plain, 0, 2);
    OK(sent("630001 650100 70000100") && depth == 0, "a queue is created, of a kind, empty");
    Queue_t *const xQueue = &plain;
    traceQUEUE_REGISTRY_ADD(xQueue, "jobs");
    OK(sent("64016a6f6273"), "and named");
    add(&plain, false);
    add(&plain, true);
    add(&plain, false);
    add(&plain, true);
    OK(sent("66000101 67000102 68000102 69000102"), "what is sent to a full queue replaces its element");
    Queue_t *const pxQueue = &plain;
    traceQUEUE_RECEIVE(pxQueue);
    pxQueue->uxMessagesWaiting--;
    traceQUEUE_RECEIVE_FROM_ISR(pxQueue);
    traceBLOCKING_ON_QUEUE_SEND(pxQueue);
    traceBLOCKING_ON_QUEUE_RECEIVE(pxQueue);
    traceBLOCKING_ON_QUEUE_PEEK(pxQueue);
    OK(sent("6a000101 6b000100 6e000107 6f000107 6d000107"), "elements are taken, and waited for");
    create_queue(&mutex, 1, 1);
    traceCREATE_MUTEX(&mutex);
    add(&mutex, false);
    OK(sent("630002 650203 70000200 66000201"), "a mutex is created and given");
    create_queue(&counting, 2, 5);
    counting.uxMessagesWaiting = 3;
    QueueHandle_t xHandle = &counting;
    traceCREATE_COUNTING_SEMAPHORE();
    OK(sent("630003 650301 70000300 70000303"), "a counting semaphore has its first count");
    traceQUEUE_CREATE_FAILED(0);
    traceQUEUE_DELETE(pxQueue);
    traceQUEUE_PEEK(pxQueue);
    traceQUEUE_SEND_FAILED(pxQueue);
    traceQUEUE_RECEIVE_FAILED(pxQueue);
    traceQUEUE_SEND_FROM_ISR_FAILED(pxQueue);
    traceQUEUE_RECEIVE_FROM_ISR_FAILED(pxQueue);
    traceCREATE_MUTEX_FAILED();
    traceGIVE_MUTEX_RECURSIVE(&mutex);
    traceGIVE_MUTEX_RECURSIVE_FAILED(&mutex);
    traceTAKE_MUTEX_RECURSIVE(&mutex);
    traceTAKE_MUTEX_RECURSIVE_FAILED(&mutex);
    traceCREATE_COUNTING_SEMAPHORE_FAILED();
    OK(sent(""), "what fails has no event");
}

static struct k_thread thread = {"main", 2};
const char *k_thread_name_get(k_tid_t of) {
    return of->name;
}
int k_thread_priority_get(k_tid_t of) {
    return of->priority;
}
k_tid_t k_current_get(void) {
    return &thread;
}
void k_thread_foreach(void (*callback)(const struct k_thread *thread, void *data), void *data) {
    callback(&thread, data);
}

static void zephyr(void) {
    sys_trace_isr_enter_user();
    OK(sent(""), "Zephyr: nothing is traced before the start");
    sty_ring_init(&ring, &env, mem, sizeof mem);
    sty_zephyr_trace_start(&ring);
    OK(strstr(events(), "6d61696e") != NULL, "threads that there are get their names");
    sys_trace_thread_create_user(&thread);
    sys_trace_thread_name_set_user(&thread);
    sys_trace_thread_sched_ready_user(&thread);
    sys_trace_thread_switched_in_user();
    sys_trace_thread_priority_set_user(&thread, -1);
    sys_trace_isr_enter_user();
    sys_trace_isr_exit_user();
    sys_trace_thread_pend_user(&thread);
    sys_trace_thread_suspend_user(&thread);
    sys_trace_thread_resume_user(&thread);
    sys_trace_thread_abort_user(&thread);
    static const uint8_t expected[] = {0x5E, 0x5B, 0x5F, 0x5F, 0x55, 0x54, 0x5B, 0x04, 0x05, 0x58, 0x58, 0x56, 0x62};
    const char *at = events();
    bool good = true;
    for (size_t i = 0; i < sizeof expected; i++) {
        char id[3];
        snprintf(id, sizeof id, "%02x", expected[i]);
        good = good && at != NULL && strncmp(at, id, 2) == 0;
        at = at == NULL ? NULL : strchr(at, ' ');
        at = at == NULL ? NULL : at + 1;
    }
    OK(good && at == NULL, "each call has its event");
}

int main(void) {
    sty_ring_init(&ring, &env, mem, sizeof mem);
    sty_tband_init(&sty_freertos_trace.tband, &ring, 1000);
    sty_tband_start(&sty_freertos_trace.tband, 0);
    events();
    tasks();
    queues();
    zephyr();
    return DONE();
}
