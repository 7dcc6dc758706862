/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The additional tasks and their acts. */
#ifndef DEMO_TASKS_H
#define DEMO_TASKS_H

#include "demo_model.h"

typedef enum {
    DEMO_SIGNAL, DEMO_TAKE, DEMO_WAIT,      /* its semaphore; an interrupt signals it */
    DEMO_LOCK, DEMO_LOCK_WAIT, DEMO_UNLOCK, /* the mutex; `other` held it, holds it, or waits for it */
    DEMO_SEND, DEMO_RECEIVE, DEMO_REPLY,    /* a message, to `other` */
    DEMO_RECEIVE_WAIT,
    DEMO_DELAY, DEMO_WAKE, /* for `other` tenths of a second, only if a mutex lends priorities; by time */
    DEMO_PACKET,           /* takes an event from the pool and keeps it */
    DEMO_NOTE,             /* `text`, followed by the name of `other` */
    DEMO_ASSERT            /* fails in line `other` of `text` */
} demo_what_t;

typedef struct demo_act {
    uint16_t after; /* steps of DEMO_STEP_MS after the previous act */
    uint8_t what;
    uint8_t task;
    uint8_t other;
    const char *text;
} demo_act_t;

enum { DEMO_TENTH_MS = 100 };

/* The scripts, in demo_incident.c. An act without a task ends a script. */
extern const demo_act_t demo_cycle[], demo_cycle_with_line[], demo_flush[], demo_incident[];

/* Continues the script, or starts the one that is due. */
void demo_run_tasks(demo_t *demo);
/* Makes all of them wait. */
void demo_start_tasks(demo_t *demo);

/* The text of a note, truncated to `size`. */
void demo_note_text(const demo_act_t *act, char *to, size_t size);

#endif
