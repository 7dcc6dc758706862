/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The demo in the older format of QNX: frequent events use the kernel profile, noteworthy ones are exceptions.
 * boiler_nto1.fmt names them. */
#include "demo_trace.h"

enum { EPOCH = 1795338000 }; /* 22 Nov 2026 09:00 */
/* Opcodes of the kernel profile. */
enum { IRQ_ENTER = 0x10, IRQ_EXIT, POST = 0x20, GET, DONE, FREE = 0x30, VALUE = 0x40, BURST = 0x50, ACT = 0x60, RUNS };
/* Trace codes of the boiler: major, then minors. */
enum { BOILER = 0xB01 << 8, STATE = 1, IGNORED, FULL, NO_EVENT, WORK, DEFERRED, RECALLED, TASK, FAILED, RESET };
enum { OF_PROGRAM, NOTICE, WARNING, FATAL };

static sty_nto1_t *emitter(demo_t *demo) {
    return &demo->trace.nto1.nto1;
}

static sty_nto1_buffer_t text_of(const char *text) {
    uint16_t length = 0;
    while (text[length] != '\0') {
        length++;
    }
    return (sty_nto1_buffer_t){text, length};
}

static void profile(demo_t *demo, uint8_t opcode, uint32_t data, uint32_t argument) {
    sty_nto1_profile(emitter(demo), opcode, data, &argument, 1, (sty_nto1_buffer_t){NULL, 0});
}

static void exception(demo_t *demo, uint32_t minor, uint32_t severity, uint32_t object, const char *text) {
    sty_nto1_exception(emitter(demo), BOILER | minor, severity, &object, 1, text_of(text));
}

/* Start and commands. The format has no names. */

static bool on_fault(void *ctx, uint32_t id, uint32_t value) {
    return demo_command(ctx, id, value);
}

static void start(demo_t *demo) {
    static const sty_qnxrx_cb_t callbacks = {NULL, on_fault};
    sty_nto1_init(emitter(demo), &demo->ring, EPOCH);
    sty_qnxrx_init_nto1(&demo->trace.nto1.rx, emitter(demo), &callbacks, demo);
}

static void feed(demo_t *demo, uint8_t byte) {
    sty_qnxrx_feed(&demo->trace.nto1.rx, byte);
}

static void poll(demo_t *demo) {
    sty_nto1_poll(emitter(demo));
}

static uint32_t drops(const demo_t *demo) {
    return sty_ring_drops(&demo->ring);
}

/* Events. */

static void irq(demo_t *demo, unsigned number, bool enter) {
    profile(demo, enter ? IRQ_ENTER : IRQ_EXIT, number - DEMO_SENSOR_IRQ, demo->steps);
}

static void trace_free(demo_t *demo, const demo_event_t *event, unsigned actor) {
    (void)event;
    profile(demo, FREE, actor, demo->objects.pool->free);
}

static void no_event(demo_t *demo, unsigned sig) {
    exception(demo, NO_EVENT, WARNING, DEMO_POOL, demo_sig_names[sig]);
}

static void deferred(demo_t *demo, unsigned ao, const demo_event_t *event) {
    exception(demo, DEFERRED, OF_PROGRAM, ao, demo_sig_names[event->sig]);
}

static void publish(demo_t *demo, unsigned from, const demo_event_t *event) {
    (void)demo;
    (void)from;
    (void)event;
}

static void post(demo_t *demo, unsigned from, unsigned ao, const demo_event_t *event) {
    const uint32_t words[] = {from, event->sig, demo->objects.ao[ao]->used};
    sty_nto1_profile(emitter(demo), POST, ao, words, 3, (sty_nto1_buffer_t){NULL, 0});
}

static void recalled(demo_t *demo, unsigned ao, const demo_event_t *event) {
    exception(demo, RECALLED, OF_PROGRAM, ao, demo_sig_names[event->sig]);
    post(demo, ao, ao, event);
}

static void post_failed(demo_t *demo, unsigned from, unsigned ao, const demo_event_t *event, unsigned margin) {
    (void)from;
    (void)margin;
    exception(demo, FULL, WARNING, ao, demo_sig_names[event->sig]);
}

static void get(demo_t *demo, unsigned ao, const demo_event_t *event) {
    profile(demo, GET, ao, event->sig);
}

static void dispatch(demo_t *demo, unsigned ao, const demo_event_t *event) {
    (void)demo;
    (void)ao;
    (void)event;
}

static void trace_state(demo_t *demo, unsigned ao, unsigned state) {
    exception(demo, STATE, OF_PROGRAM, ao, demo_states[state].name);
}

static void tran(demo_t *demo, unsigned ao, unsigned sig, unsigned source, unsigned target) {
    (void)demo;
    (void)(ao + sig + source + target);
}

static void ignored(demo_t *demo, unsigned ao, unsigned sig, unsigned state) {
    (void)state;
    exception(demo, IGNORED, NOTICE, ao, demo_sig_names[sig]);
}

static void done(demo_t *demo, unsigned ao) {
    profile(demo, DONE, ao, demo->objects.ao[ao]->used);
}

static void reset_cause(demo_t *demo, const char *cause) {
    sty_nto1_exception(emitter(demo), BOILER | RESET, NOTICE, NULL, 0, text_of(cause));
}

static void pair(demo_t *demo, uint8_t opcode, uint32_t first, uint32_t second) {
    const uint32_t words[] = {first, second};
    sty_nto1_profile(emitter(demo), opcode, first, words, 2, (sty_nto1_buffer_t){NULL, 0});
}

static void act(demo_t *demo, const demo_act_t *act) {
    char text[32];
    switch (act->what) {
    case DEMO_NOTE:
        demo_note_text(act, text, sizeof text);
        exception(demo, TASK, WARNING, act->task, text);
        break;
    case DEMO_ASSERT:
        exception(demo, FAILED, FATAL, act->task, "assertion");
        break;
    case DEMO_PACKET:
        break; /* follows */
    default:
        pair(demo, ACT, act->task, act->what);
        break;
    }
}

static void runs(demo_t *demo, unsigned now, unsigned before, demo_how_t how) {
    (void)how;
    pair(demo, RUNS, now, before);
}

static void value(demo_t *demo, unsigned which, int32_t number) {
    profile(demo, (uint8_t)(VALUE + which), which, (uint32_t)number);
}

static void work(demo_t *demo, unsigned ao, const char *what) {
    exception(demo, WORK, OF_PROGRAM, ao, what != NULL ? what : "is done");
}

static void burst(demo_t *demo, uint32_t number) {
    profile(demo, BURST, 0, number);
}

const demo_proto_t demo_nto1 = {
    .name = "nto1",
    .framing = STY_FAULT_NO_FRAMES,
    .unit = 1,
    .margin = 2,
    .lends = true,
    .start = start,
    .names = demo_untraced_0,
    .reset_cause = reset_cause,
    .run = demo_untraced_0,
    .feed = feed,
    .poll = poll,
    .drops = drops,
    .tick = demo_untraced_0,
    .irq = irq,
    .event_new = trace_free,
    .event_freed = trace_free,
    .no_event = no_event,
    .publish = publish,
    .post = post,
    .post_failed = post_failed,
    .deferred = deferred,
    .recalled = recalled,
    .timer_armed = demo_untraced_1,
    .timer_disarmed = demo_untraced_1,
    .timer_expired = demo_untraced_1,
    .created = demo_untraced_2,
    .initial = demo_untraced_2,
    .get = get,
    .dispatch = dispatch,
    .exit = demo_untraced_2,
    .entry = trace_state,
    .leave = demo_untraced_3,
    .tran = tran,
    .handled = demo_untraced_3,
    .ignored = ignored,
    .done = done,
    .act = act,
    .runs = runs,
    .value = value,
    .work = work,
    .burst = burst};
