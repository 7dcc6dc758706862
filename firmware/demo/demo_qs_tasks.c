/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The tasks of the QS demo, as threads of a kernel with semaphores and mutexes; log lines are events in a raw queue. */
#include "demo_qs.h"

void demo_qs_reset_cause(demo_t *demo, const char *cause) {
    sty_qs_reset_cause(demo_qs_emitter(demo), cause);
}

/* The records of a task don't contain its name, so the note says what happens. */
static void note(demo_t *demo, const demo_act_t *act) {
    sty_qs_t *qs = demo_qs_emitter(demo);
    STY_QS_BEGIN(qs, REC_TASK, demo_prio(act->task))
        sty_qs_obj(qs, demo_address(demo, act->task));
        sty_qs_str(qs, act->text);
        if (act->other != DEMO_NOBODY) {
            sty_qs_obj(qs, demo_address(demo, act->other));
        }
    STY_QS_END(qs)
}

void demo_qs_act(demo_t *demo, const demo_act_t *act) {
    sty_qs_t *qs = demo_qs_emitter(demo);
    const uint8_t task = demo_prio(act->task);
    const void *mutex = demo_address(demo, DEMO_BUS_MUTEX);
    const void *sem = demo_address(demo, DEMO_CONTROL_SEM);
    const void *lines = demo_address(demo, DEMO_LOG_LINES);
    switch (act->what) {
    case DEMO_SIGNAL:
        sty_qs_sem_signal(qs, task, sem, task, 1);
        break;
    case DEMO_TAKE:
        sty_qs_sem_take(qs, task, sem, task, 0);
        break;
    case DEMO_WAIT:
        sty_qs_sem_block(qs, task, sem, task, 0);
        break;
    case DEMO_LOCK:
        sty_qs_mtx_lock(qs, task, mutex, task, 1);
        break;
    case DEMO_LOCK_WAIT:
        sty_qs_mtx_block(qs, task, mutex, demo_prio(act->other), task);
        break;
    case DEMO_UNLOCK:
        sty_qs_mtx_unlock(qs, task, mutex, task, 0);
        break;
    case DEMO_SEND:
        sty_qs_equeue_post(qs, 80, DEMO_LINE_SIG, lines, 0, 0, DEMO_QUEUE - 1, DEMO_QUEUE - 1);
        break;
    case DEMO_RECEIVE:
        sty_qs_equeue_get_last(qs, 80, DEMO_LINE_SIG, lines, 0, 0);
        break;
    case DEMO_NOTE:
        note(demo, act);
        break;
    case DEMO_ASSERT:
        sty_qs_assert(qs, act->text, act->other);
        break;
    default:
        break;
    }
}

void demo_qs_runs(demo_t *demo, unsigned now, unsigned before, demo_how_t how) {
    sty_qs_t *qs = demo_qs_emitter(demo);
    const uint8_t prio = demo_prio(now);
    if (now == DEMO_NOBODY) {
        sty_qs_sched_idle(qs, 0, demo_prio(before));
    } else if (how == DEMO_PREEMPTS) {
        sty_qs_sched_preempt(qs, prio, prio, demo_prio(before));
    } else if (how == DEMO_GOES_ON) {
        sty_qs_sched_restore(qs, prio, prio, demo_prio(before));
    } else {
        sty_qs_sched_next(qs, prio, prio, demo_prio(before));
    }
}
