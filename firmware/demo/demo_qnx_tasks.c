/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Threads and tasks of the QNX demo. Messages to log_task are answered once the line is written. */
#include "demo_qnx.h"

/* Kernel call numbers. */
enum { MSG_SENDV = 11, MSG_RECEIVEV = 14, MSG_REPLYV = 15, SYNC_MUTEX_LOCK = 80, SYNC_MUTEX_UNLOCK = 81, SYNC_SEM_WAIT = 85 };
enum { CHANNEL = 2, CONNECTION = 0x40000001, MESSAGE = 0x10001 };

void demo_qnx_state(demo_t *demo, unsigned object, uint32_t state) {
    const bool lent = demo->tasks.lent && object == DEMO_LOG_TASK;
    sty_qnx_thread(demo_qnx_emitter(demo), demo_qnx_cpu_of(object), state, BOILER_PID, demo_qnx_thread_of(object),
        PRIORITY + demo_prio(lent ? DEMO_CONTROL_TASK : object), ROUND_ROBIN);
}

/* The idle threads belong to the kernel. */
void demo_qnx_run(demo_t *demo, uint32_t cpu, unsigned object) {
    if (object == DEMO_NOBODY) {
        sty_qnx_thread(demo_qnx_emitter(demo), cpu, STY_QNX_RUNNING, KERNEL_PID, cpu + 1u, 0, ROUND_ROBIN);
    } else {
        demo_qnx_state(demo, object, STY_QNX_RUNNING);
    }
}

void demo_qnx_create(demo_t *demo, unsigned object, uint32_t state) {
    sty_qnx_t *qnx = demo_qnx_emitter(demo);
    const uint32_t thread = demo_qnx_thread_of(object);
    sty_qnx_thread(qnx, 0, STY_QNX_CREATE, BOILER_PID, thread, 0, 0);
    sty_qnx_thread_name(qnx, 0, BOILER_PID, thread, demo_object_names[object]);
    sty_qnx_thread(qnx, 0, state, BOILER_PID, thread, PRIORITY + demo_prio(object), ROUND_ROBIN);
}

void demo_qnx_log(demo_t *demo, unsigned object, const char *what, const char *name, uint32_t severity) {
    const char *const parts[] = {object < DEMO_OBJECTS ? demo_object_names[object] : "boiler", " ", what, " ", name};
    char text[64];
    size_t length = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        for (const char *from = parts[i]; *from != '\0' && length + 1u < sizeof text; from++) {
            text[length] = *from;
            length++;
        }
    }
    text[length] = '\0';
    sty_qnx_slog(demo_qnx_emitter(demo), demo_qnx_cpu_of(object), 1, severity, text);
}

void demo_qnx_reset_cause(demo_t *demo, const char *cause) {
    sty_qnx_user_text(demo_qnx_emitter(demo), 0, USER_RESET, cause);
}

/* All calls with that object begin like this; fast classes send the first and the last word. */
static void enter_sync(demo_t *demo, uint32_t call, unsigned object, unsigned holder) {
    const uint32_t words[] = {
        (uint32_t)(uintptr_t)demo_address(demo, object), 0, holder != DEMO_NOBODY ? demo_qnx_thread_of(holder) : 0u};
    sty_qnx_call_enter(demo_qnx_emitter(demo), 0, call, words, 3, 5);
}

static void leave_call(demo_t *demo, uint32_t call) {
    static const uint32_t done[] = {0, 0};
    sty_qnx_call_exit(demo_qnx_emitter(demo), 0, call, done, 2, 3);
}

static void wait_for_signal(demo_t *demo) {
    enter_sync(demo, SYNC_SEM_WAIT, DEMO_CONTROL_SEM, DEMO_NOBODY);
    demo_qnx_state(demo, DEMO_CONTROL_TASK, STY_QNX_SEM);
}

static void send(demo_t *demo, unsigned from) {
    static const uint32_t words[] = {CONNECTION, 1, 1, DEMO_LINE_SIG, 0, 0};
    sty_qnx_call_enter(demo_qnx_emitter(demo), 0, MSG_SENDV, words, 6, 1u << 0 | 1u << 3);
    sty_qnx_comm(demo_qnx_emitter(demo), 0, STY_QNX_SEND_MESSAGE, MESSAGE, BOILER_PID);
    demo_qnx_state(demo, from, STY_QNX_REPLY);
    demo->trace.qnx.asks = true;
}

static void receive(demo_t *demo) {
    static const uint32_t words[] = {MESSAGE, DEMO_LINE_SIG};
    sty_qnx_comm(demo_qnx_emitter(demo), 0, STY_QNX_RECEIVE_MESSAGE, MESSAGE, BOILER_PID);
    sty_qnx_call_exit(demo_qnx_emitter(demo), 0, MSG_RECEIVEV, words, 2, 3);
}

/* The asking thread runs at once, because it has the higher priority. */
static void reply(demo_t *demo, unsigned from, unsigned to) {
    static const uint32_t words[] = {MESSAGE, 1, 0};
    sty_qnx_call_enter(demo_qnx_emitter(demo), 0, MSG_REPLYV, words, 3, 5);
    sty_qnx_comm(demo_qnx_emitter(demo), 0, STY_QNX_REPLY_MESSAGE, demo_qnx_thread_of(to), BOILER_PID);
    demo_qnx_state(demo, from, STY_QNX_READY);
    demo_qnx_state(demo, to, STY_QNX_RUNNING);
    leave_call(demo, MSG_SENDV);
    demo->trace.qnx.asks = false;
    wait_for_signal(demo);
    demo_qnx_state(demo, from, STY_QNX_RUNNING);
    leave_call(demo, MSG_REPLYV);
}

static void wait_for_message(demo_t *demo, unsigned task) {
    static const uint32_t words[] = {CHANNEL, 1};
    sty_qnx_call_enter(demo_qnx_emitter(demo), 0, MSG_RECEIVEV, words, 2, 3);
    demo_qnx_state(demo, task, STY_QNX_RECEIVE);
}

/* The kernel is only called if somebody waits for the mutex. */
static void unlock(demo_t *demo, unsigned holder, unsigned waiter) {
    if (waiter != DEMO_NOBODY) {
        enter_sync(demo, SYNC_MUTEX_UNLOCK, DEMO_BUS_MUTEX, holder);
        leave_call(demo, SYNC_MUTEX_UNLOCK);
        demo_qnx_state(demo, waiter, STY_QNX_READY);
    }
}

static void lock_wait(demo_t *demo, unsigned task, unsigned holder) {
    enter_sync(demo, SYNC_MUTEX_LOCK, DEMO_BUS_MUTEX, holder);
    demo_qnx_state(demo, task, STY_QNX_IN_MUTEX);
}

static void say(demo_t *demo, unsigned task, const char *text) {
    sty_qnx_user_text(demo_qnx_emitter(demo), 0, USER_TASK + task - DEMO_LOG_TASK, text);
}

static void note(demo_t *demo, const demo_act_t *act) {
    char text[32];
    demo_note_text(act, text, sizeof text);
    say(demo, act->task, text);
}

void demo_qnx_act(demo_t *demo, const demo_act_t *act) {
    switch (act->what) {
    case DEMO_SIGNAL:
    case DEMO_WAKE:
        demo_qnx_state(demo, act->task, STY_QNX_READY);
        break;
    case DEMO_TAKE:
        leave_call(demo, SYNC_SEM_WAIT);
        break;
    case DEMO_WAIT:
        if (!demo->trace.qnx.asks) {
            wait_for_signal(demo);
        }
        break;
    case DEMO_LOCK:
        if (act->other != DEMO_NOBODY) {
            leave_call(demo, SYNC_MUTEX_LOCK);
        }
        break;
    case DEMO_LOCK_WAIT:
        lock_wait(demo, act->task, act->other);
        break;
    case DEMO_UNLOCK:
        unlock(demo, act->task, act->other);
        break;
    case DEMO_SEND:
        send(demo, act->task);
        break;
    case DEMO_RECEIVE:
        receive(demo);
        break;
    case DEMO_REPLY:
        reply(demo, act->task, act->other);
        break;
    case DEMO_RECEIVE_WAIT:
        wait_for_message(demo, act->task);
        break;
    case DEMO_DELAY:
        demo_qnx_state(demo, act->task, STY_QNX_NANOSLEEP);
        break;
    case DEMO_NOTE:
        note(demo, act);
        break;
    case DEMO_ASSERT:
        say(demo, act->task, "assertion failed");
        sty_qnx_flush(demo_qnx_emitter(demo));
        break;
    default:
        break;
    }
}

void demo_qnx_runs(demo_t *demo, unsigned now, unsigned before, demo_how_t how) {
    if (how == DEMO_PREEMPTS) {
        demo_qnx_state(demo, before, STY_QNX_READY);
    }
    demo_qnx_run(demo, 0, now);
}
