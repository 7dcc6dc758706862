/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Three tasks that share a mutex. The acts of a script change which tasks are ready; the one with the highest
 * priority runs. */
#include "demo_trace.h"

enum { SECOND = 1000 / DEMO_STEP_MS, CYCLE = 2 * SECOND, CYCLES_OF_LINE = 5, FLUSH = 30 * SECOND };
/* Target time since the start: early enough for newcomers to see the first one. */
enum { FIRST_INCIDENT = 60 * SECOND, NEXT_INCIDENT = 120 * SECOND };
/* Time from the assertion to the reset, while the list stands still. */
enum { STUCK = 2 * SECOND };

/* Reports if another task runs now. */
static void reschedule(demo_t *demo, unsigned before) {
    const unsigned now = demo_runner(demo);
    if (now == before) {
        return;
    }
    const unsigned bit = 1u << demo_prio(now);
    const bool goes_on = (demo->tasks.preempted & bit) != 0u;
    const bool preempts = before != DEMO_NOBODY && (before == DEMO_SUPERVISOR || demo_is_ready(demo, before));
    demo->tasks.preempted = (uint8_t)(demo->tasks.preempted & ~bit);
    if (preempts) {
        demo->tasks.preempted = (uint8_t)(demo->tasks.preempted | 1u << demo_prio(before));
    }
    demo->config.proto->runs(demo, now, before, preempts ? DEMO_PREEMPTS : goes_on ? DEMO_GOES_ON : DEMO_IS_NEXT);
}

/* Applies the change made by an act. */
static void perform(demo_t *demo, const demo_act_t *act) {
    demo_part_t *task = demo_part(demo, act->task);
    demo_part_t *mutex = demo_part(demo, DEMO_BUS_MUTEX);
    switch (act->what) {
    case DEMO_SIGNAL:
    case DEMO_WAKE:
        task->value = 1;
        break;
    case DEMO_WAIT:
    case DEMO_RECEIVE_WAIT:
    case DEMO_DELAY:
        task->value = 0;
        break;
    case DEMO_LOCK:
        mutex->value = demo_prio(act->task);
        break;
    case DEMO_LOCK_WAIT:
        task->value = 0;
        demo->tasks.lent = demo->config.proto->lends;
        break;
    case DEMO_UNLOCK:
        mutex->value = 0;
        demo->tasks.lent = false;
        if (act->other != DEMO_NOBODY) {
            demo_part(demo, act->other)->value = 1; /* has been waiting for it */
        }
        break;
    case DEMO_SEND:
        demo_part(demo, act->other)->value = 1;
        break;
    case DEMO_PACKET:
        demo_take_packet(demo, act->task);
        break;
    case DEMO_ASSERT:
        demo->had_incident = true;
        demo->cause = "assertion";
        demo->stuck = STUCK;
        break;
    default:
        break;
    }
}

static bool incident_is_due(const demo_t *demo) {
    return demo->tasks.incident ||
        (!demo->calm && demo->steps == (demo->had_incident ? NEXT_INCIDENT : FIRST_INCIDENT));
}

/* The script that starts now, or NULL. */
static const demo_act_t *due(demo_t *demo) {
    if (incident_is_due(demo)) {
        demo->tasks.incident = false;
        return demo_incident;
    }
    if (demo->steps % FLUSH == 0u) {
        return demo_flush;
    }
    if (demo->steps % CYCLE != CYCLE / 2) {
        return NULL;
    }
    return demo->steps / CYCLE % CYCLES_OF_LINE == 0u ? demo_cycle_with_line : demo_cycle;
}

void demo_run_tasks(demo_t *demo) {
    if (demo->tasks.act == NULL) {
        demo->tasks.act = due(demo);
        demo->tasks.left = demo->tasks.act != NULL ? demo->tasks.act->after : 0;
    }
    while (demo->tasks.act != NULL && demo->tasks.left == 0u) {
        const demo_act_t *act = demo->tasks.act;
        if (act->what != DEMO_DELAY || demo->config.proto->lends) {
            const unsigned before = demo_runner(demo);
            demo->config.proto->act(demo, act);
            perform(demo, act);
            reschedule(demo, before);
        }
        demo->tasks.act = act[1].task != 0u ? &act[1] : NULL;
        demo->tasks.left = act[1].after;
    }
    if (demo->tasks.left != 0u) {
        demo->tasks.left--;
    }
}

void demo_start_tasks(demo_t *demo) {
    for (unsigned i = 0; i < DEMO_PARTS; i++) {
        demo->objects.part[i]->value = 0;
    }
    demo->tasks.act = NULL;
    demo->tasks.left = 0;
    demo->tasks.preempted = 0;
    demo->tasks.lent = false;
    demo->tasks.incident = false;
}

void demo_note_text(const demo_act_t *act, char *to, size_t size) {
    const char *const parts[] = {act->text, " ", act->other != DEMO_NOBODY ? demo_object_names[act->other] : ""};
    size_t length = 0;
    for (size_t i = 0; i < (act->other != DEMO_NOBODY ? 3u : 1u); i++) {
        for (const char *from = parts[i]; *from != '\0' && length + 1u < size; from++) {
            to[length] = *from;
            length++;
        }
    }
    to[length] = '\0';
}
