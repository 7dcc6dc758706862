/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The demo's interface to trace formats, in its own terms: objects, signals and states are numbered as in demo.h and
 * demo_model.h. Each format uses what it has a record for. */
#ifndef DEMO_TRACE_H
#define DEMO_TRACE_H

#include "demo_tasks.h"

/* Why a task starts running. */
typedef enum { DEMO_IS_NEXT, DEMO_PREEMPTS, DEMO_GOES_ON } demo_how_t;

struct demo_proto {
    const char *name;
    sty_fault_framing_t framing;
    uint8_t unit; /* microseconds per tick of a time stamp */
    bool lends;   /* a mutex lends the priority of a waiting task to its holder */
    /* A reading is only posted if this many entries stay free; 0 where a refused post says that the queue is full. */
    uint8_t margin;
    /* Called after a start and each reset: sets up emitter and receiver, and sends the first frames. */
    void (*start)(demo_t *demo);
    /* Sends all names again. */
    void (*names)(demo_t *demo);
    /* Called next: why it was reset. */
    void (*reset_cause)(demo_t *demo, const char *cause);
    /* NULL, or: all names were sent, and no object exists yet; may wait for the host. */
    void (*pause)(demo_t *demo);
    /* All objects exist; the event loop begins. */
    void (*run)(demo_t *demo);
    void (*feed)(demo_t *demo, uint8_t byte);
    /* Sends drop totals when there are no records. */
    void (*poll)(demo_t *demo);
    /* Number of records dropped since the start. */
    uint32_t (*drops)(const demo_t *demo);

    void (*tick)(demo_t *demo);
    void (*irq)(demo_t *demo, unsigned irq, bool enter);
    /* An event is allocated from the pool, or returned to it. */
    void (*event_new)(demo_t *demo, const demo_event_t *event, unsigned actor);
    void (*event_freed)(demo_t *demo, const demo_event_t *event, unsigned actor);
    void (*no_event)(demo_t *demo, unsigned sig);
    void (*publish)(demo_t *demo, unsigned from, const demo_event_t *event);
    void (*post)(demo_t *demo, unsigned from, unsigned ao, const demo_event_t *event);
    /* An event is deferred, or recalled to the front of the queue. */
    void (*deferred)(demo_t *demo, unsigned ao, const demo_event_t *event);
    void (*recalled)(demo_t *demo, unsigned ao, const demo_event_t *event);
    /* The queue had no more than `margin` free entries. */
    void (*post_failed)(demo_t *demo, unsigned from, unsigned ao, const demo_event_t *event, unsigned margin);
    void (*timer_armed)(demo_t *demo, unsigned timer);
    /* Reports the remaining time. */
    void (*timer_disarmed)(demo_t *demo, unsigned timer);
    void (*timer_expired)(demo_t *demo, unsigned timer);

    /* An active object starts, in its initial state. */
    void (*created)(demo_t *demo, unsigned ao, unsigned state);
    void (*initial)(demo_t *demo, unsigned ao, unsigned state);
    /* An event is taken from the queue, which starts a step. */
    void (*get)(demo_t *demo, unsigned ao, const demo_event_t *event);
    void (*dispatch)(demo_t *demo, unsigned ao, const demo_event_t *event);
    void (*exit)(demo_t *demo, unsigned ao, unsigned state);
    void (*entry)(demo_t *demo, unsigned ao, unsigned state);
    /* One of these follows: a transition, before its exits and after its entries; no transition; or nobody handled
     * the event. */
    void (*leave)(demo_t *demo, unsigned ao, unsigned source, unsigned target);
    void (*tran)(demo_t *demo, unsigned ao, unsigned sig, unsigned source, unsigned target);
    void (*handled)(demo_t *demo, unsigned ao, unsigned sig, unsigned state);
    void (*ignored)(demo_t *demo, unsigned ao, unsigned sig, unsigned state);
    /* The step ends; the queue is checked next. */
    void (*done)(demo_t *demo, unsigned ao);

    /* Called before a task acts, then reports which task runs on the first core, replacing which. */
    void (*act)(demo_t *demo, const demo_act_t *act);
    void (*runs)(demo_t *demo, unsigned now, unsigned before, demo_how_t how);

    /* A measured value, in the unit given by demo_values. */
    void (*value)(demo_t *demo, unsigned value, int32_t number);
    /* Long work begins; NULL: it has ended. */
    void (*work)(demo_t *demo, unsigned ao, const char *what);
    /* A record of a burst. */
    void (*burst)(demo_t *demo, uint32_t number);

    /* NULL, or: the data of the host's next test probe for a function, one of those below, 0 without one. */
    uint32_t (*probe)(demo_t *demo, unsigned function);
};

/* Functions with test probes. */
enum { DEMO_READ_TEMPERATURE, DEMO_CHECK_PRESSURE, DEMO_FUNCTIONS };

static inline uint32_t demo_probe(demo_t *demo, unsigned function) {
    return demo->config.proto->probe != NULL ? demo->config.proto->probe(demo, function) : 0;
}

/* For reports that a format has no record for. */
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
