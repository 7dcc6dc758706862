/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What the demo reports to a trace format, in its own words: objects, signals and states are the numbers of demo.h and
 * demo_model.h. Each format takes what it has a record for. */
#ifndef DEMO_TRACE_H
#define DEMO_TRACE_H

#include "demo_tasks.h"

/* How a task comes to run. */
typedef enum { DEMO_IS_NEXT, DEMO_PREEMPTS, DEMO_GOES_ON } demo_how_t;

struct demo_proto {
    const char *name;
    sty_fault_framing_t framing;
    uint8_t unit; /* microseconds that a time stamp counts */
    bool lends;   /* a mutex lends the priority of who waits to who holds it */
    /* After a start and each reset: sets up the emitter and the receive part, and sends the first frames. */
    void (*start)(demo_t *demo);
    /* All names, once more. */
    void (*names)(demo_t *demo);
    /* Then, why it was reset. */
    void (*reset_cause)(demo_t *demo, const char *cause);
    /* All objects are there, the event loop begins. */
    void (*run)(demo_t *demo);
    void (*feed)(demo_t *demo, uint8_t byte);
    /* Drop totals, when no record comes. */
    void (*poll)(demo_t *demo);
    /* Records dropped since the start. */
    uint32_t (*drops)(const demo_t *demo);

    void (*tick)(demo_t *demo);
    void (*irq)(demo_t *demo, unsigned irq, bool enter);
    /* A block of the pool becomes an event; an event is given back. */
    void (*event_new)(demo_t *demo, const demo_event_t *event, unsigned actor);
    void (*event_freed)(demo_t *demo, const demo_event_t *event, unsigned actor);
    void (*no_event)(demo_t *demo, unsigned sig);
    void (*publish)(demo_t *demo, unsigned from, const demo_event_t *event);
    void (*post)(demo_t *demo, unsigned from, unsigned ao, const demo_event_t *event);
    /* An event is put aside, and posted again before all others. */
    void (*deferred)(demo_t *demo, unsigned ao, const demo_event_t *event);
    void (*recalled)(demo_t *demo, unsigned ao, const demo_event_t *event);
    /* The queue had no more than `margin` places. */
    void (*post_failed)(demo_t *demo, unsigned from, unsigned ao, const demo_event_t *event, unsigned margin);
    void (*timer_armed)(demo_t *demo, unsigned timer);
    /* With what was left of its time. */
    void (*timer_disarmed)(demo_t *demo, unsigned timer);
    void (*timer_expired)(demo_t *demo, unsigned timer);

    /* An active object begins, and has got to its initial state. */
    void (*created)(demo_t *demo, unsigned ao, unsigned state);
    void (*initial)(demo_t *demo, unsigned ao, unsigned state);
    /* An event is taken from the queue; the step that handles it begins. */
    void (*get)(demo_t *demo, unsigned ao, const demo_event_t *event);
    void (*dispatch)(demo_t *demo, unsigned ao, const demo_event_t *event);
    void (*exit)(demo_t *demo, unsigned ao, unsigned state);
    void (*entry)(demo_t *demo, unsigned ao, unsigned state);
    /* One of these follows: a transition, before its exits and after its entries; no transition; nobody handled it. */
    void (*leave)(demo_t *demo, unsigned ao, unsigned source, unsigned target);
    void (*tran)(demo_t *demo, unsigned ao, unsigned sig, unsigned source, unsigned target);
    void (*handled)(demo_t *demo, unsigned ao, unsigned sig, unsigned state);
    void (*ignored)(demo_t *demo, unsigned ao, unsigned sig, unsigned state);
    /* The step ends; the queue is looked at next. */
    void (*done)(demo_t *demo, unsigned ao);

    /* What a task does, before it is done, and then who runs on the first core, and instead of whom. */
    void (*act)(demo_t *demo, const demo_act_t *act);
    void (*runs)(demo_t *demo, unsigned now, unsigned before, demo_how_t how);

    /* A measured value, in the unit that demo_values has for it. */
    void (*value)(demo_t *demo, unsigned value, int32_t number);
    /* Work that takes long begins; NULL: it has ended. */
    void (*work)(demo_t *demo, unsigned ao, const char *what);
    /* One record of a burst. */
    void (*burst)(demo_t *demo, uint32_t number);
};

/* For what a format has no record for. */
static inline void demo_untraced_0(demo_t *demo) {
    (void)demo;
}
static inline void demo_untraced_1(demo_t *demo, unsigned first) {
    (void)demo;
    (void)first;
}
static inline void demo_untraced_2(demo_t *demo, unsigned first, unsigned second) {
    (void)demo;
    (void)(first + second);
}
static inline void demo_untraced_3(demo_t *demo, unsigned first, unsigned second, unsigned third) {
    (void)demo;
    (void)(first + second + third);
}

#endif
