/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The tasks of the tband demo. Mutex and semaphore are FreeRTOS queues; everything is on core 0. */
#include "demo_tband.h"

enum { FIRST_QUEUE = DEMO_AOS + 1 }; /* after those of the active objects */

static uint32_t queue_of(unsigned object) {
    return FIRST_QUEUE + object - DEMO_BUS_MUTEX;
}

void demo_tband_name_tasks(demo_t *demo) {
    static const uint8_t kinds[] = {STY_TBAND_MUTEX, STY_TBAND_BINARY_SEMAPHORE, STY_TBAND_A_QUEUE};
    sty_tband_t *tband = demo_tband_emitter(demo);
    for (unsigned i = DEMO_LOG_TASK; i < DEMO_TASKS_END; i++) {
        sty_tband_name_task(tband, 0, demo_tband_task_of(i), demo_object_names[i]);
    }
    for (unsigned i = DEMO_BUS_MUTEX; i < DEMO_BURNER_DEFERRED; i++) {
        sty_tband_name_queue(tband, 0, queue_of(i), demo_object_names[i]);
        sty_tband_queue_kind(tband, 0, queue_of(i), (sty_tband_queue_kind_t)kinds[i - DEMO_BUS_MUTEX]);
    }
}

void demo_tband_create_tasks(demo_t *demo) {
    sty_tband_t *tband = demo_tband_emitter(demo);
    for (unsigned i = DEMO_LOG_TASK; i < DEMO_TASKS_END; i++) {
        sty_tband_task_created(tband, 0, demo_tband_task_of(i));
        sty_tband_task_priority_set(tband, 0, demo_tband_task_of(i), demo_prio(i));
    }
    for (unsigned i = DEMO_BUS_MUTEX; i < DEMO_BURNER_DEFERRED; i++) {
        sty_tband_queue_created(tband, 0, queue_of(i));
        sty_tband_queue_cur_length(tband, 0, queue_of(i), 0);
    }
    sty_tband_queue_send(tband, 0, queue_of(DEMO_BUS_MUTEX), 1);
}

void demo_tband_reset_cause(demo_t *demo, const char *cause) {
    sty_tband_reset_cause(demo_tband_emitter(demo), 0, cause);
}

static void block(demo_t *demo, unsigned object) {
    sty_tband_curtask_block_on_queue_receive(demo_tband_emitter(demo), 0, queue_of(object), DEMO_TBAND_FOREVER);
}

static void note(demo_t *demo, const demo_act_t *act) {
    char text[STY_TBAND_TEXT + 1];
    demo_note_text(act, text, sizeof text);
    sty_tband_marker(demo_tband_emitter(demo), 0, MARK_TASK + act->task - DEMO_LOG_TASK, text);
}

void demo_tband_act(demo_t *demo, const demo_act_t *act) {
    sty_tband_t *tband = demo_tband_emitter(demo);
    const uint32_t task = demo_tband_task_of(act->task);
    switch (act->what) {
    case DEMO_SIGNAL:
        sty_tband_queue_send_from_isr(tband, 0, queue_of(DEMO_CONTROL_SEM), 1);
        sty_tband_task_to_rdy_state(tband, 0, task);
        break;
    case DEMO_TAKE:
        sty_tband_queue_receive(tband, 0, queue_of(DEMO_CONTROL_SEM), 0);
        break;
    case DEMO_WAIT:
        block(demo, DEMO_CONTROL_SEM);
        break;
    case DEMO_LOCK:
        sty_tband_queue_receive(tband, 0, queue_of(DEMO_BUS_MUTEX), 0);
        break;
    case DEMO_LOCK_WAIT:
        block(demo, DEMO_BUS_MUTEX);
        sty_tband_task_priority_inherit(tband, 0, demo_tband_task_of(act->other), demo_prio(act->task));
        break;
    case DEMO_UNLOCK:
        sty_tband_queue_send(tband, 0, queue_of(DEMO_BUS_MUTEX), 1);
        if (demo->tasks.lent) {
            sty_tband_task_priority_disinherit(tband, 0, task, demo_prio(act->task));
        }
        if (act->other != DEMO_NOBODY) {
            sty_tband_task_to_rdy_state(tband, 0, demo_tband_task_of(act->other));
        }
        break;
    case DEMO_SEND:
        sty_tband_queue_send(tband, 0, queue_of(DEMO_LOG_LINES), 1);
        sty_tband_task_to_rdy_state(tband, 0, demo_tband_task_of(act->other));
        break;
    case DEMO_RECEIVE:
        sty_tband_queue_receive(tband, 0, queue_of(DEMO_LOG_LINES), 0);
        break;
    case DEMO_RECEIVE_WAIT:
        block(demo, DEMO_LOG_LINES);
        break;
    case DEMO_DELAY:
        sty_tband_curtask_delay(tband, 0, act->other * DEMO_TENTH_MS);
        break;
    case DEMO_WAKE:
        sty_tband_task_to_rdy_state(tband, 0, task);
        break;
    case DEMO_NOTE:
        note(demo, act);
        break;
    case DEMO_ASSERT:
        sty_tband_marker(tband, 0, MARK_TASK + act->task - DEMO_LOG_TASK, "assertion failed");
        break;
    default:
        break;
    }
}

void demo_tband_runs(demo_t *demo, unsigned now, unsigned before, demo_how_t how) {
    (void)before;
    (void)how;
    demo_tband_switch_to(demo, 0, demo_tband_task_of(now));
}
