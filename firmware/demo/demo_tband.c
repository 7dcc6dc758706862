/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The demo as FreeRTOS on two cores. Each active object is a task with a queue; burner and door run on core 1, the
 * others on core 0. States are markers that begin and end. */
#include "demo_tband.h"

enum { IDLE = 0 };
enum { VALUE_FREE = DEMO_VALUES, VALUE_BURST };

static uint32_t core_of(unsigned ao) {
    return ao < DEMO_BURNER ? 0u : 1u;
}
static uint32_t task_of(unsigned ao) {
    return ao + 1u;
}
static uint32_t queue_of(unsigned ao) {
    return ao + 1u;
}

/* The core that runs a sender's code. */
static uint32_t core_of_sender(unsigned from) {
    return from < DEMO_AOS ? core_of(from) : from == DEMO_CONTACT_IRQ || from == DEMO_FLAME_IRQ ? 1u : 0u;
}

/* Commands. */

static bool on_user(void *ctx, uint8_t id, uint32_t value) {
    return demo_command(ctx, id, value);
}
static void on_reset(void *ctx) {
    demo_command(ctx, STY_FAULT_RESET, 1);
}

static void feed(demo_t *demo, uint8_t byte) {
    sty_cmdrx_feed(&demo->trace.tband.rx, byte);
}

/* Start and names. The library keeps the names, and sends them when the recording starts. */

static void name_tasks(demo_t *demo) {
    static const char *const idle[] = {"IDLE0", "IDLE1"};
    sty_tband_t *tband = demo_tband_emitter(demo);
    for (unsigned i = 0; i < DEMO_AOS; i++) {
        sty_tband_name_task(tband, 0, task_of(i), demo_object_names[i]);
        sty_tband_name_queue(tband, 0, queue_of(i), demo_object_names[i]);
        sty_tband_queue_kind(tband, 0, queue_of(i), STY_TBAND_A_QUEUE);
    }
    for (unsigned core = 0; core < 2u; core++) {
        sty_tband_name_task(tband, 0, DEMO_TBAND_IDLE_0 + core, idle[core]);
        sty_tband_task_is_idle_task(tband, 0, DEMO_TBAND_IDLE_0 + core, core);
    }
    demo_tband_name_tasks(demo);
    for (unsigned i = DEMO_SENSOR_IRQ; i < DEMO_IRQS_END; i++) {
        sty_tband_name_isr(tband, core_of_sender(i), i - DEMO_SENSOR_IRQ, demo_object_names[i]);
    }
}

static void name_markers(demo_t *demo) {
    static const char *const marks[MARKS] = {
        [MARK_IGNORED] = "ignored", [MARK_FULL] = "queue full", [MARK_TIMER] = "timer", [MARK_WORK] = "work",
        [MARK_POOL] = "pool empty", [MARK_DEFERRED] = "deferred", [MARK_RECALLED] = "recalled",
        [MARK_TASK] = "log_task", [MARK_TASK + 1] = "modem_task", [MARK_TASK + 2] = "control_task"};
    static const char *const values[] = {"BOILER 0.1C", "PRESS mbar", "FLOW l/min", "free events", "BURST"};
    sty_tband_t *tband = demo_tband_emitter(demo);
    for (unsigned i = 0; i < MARKS; i++) {
        sty_tband_name_marker(tband, 0, i, i < DEMO_AOS ? demo_object_names[i] : marks[i]);
    }
    sty_tband_name_marker(tband, 0, STY_TBAND_RESET, "reset");
    for (unsigned i = 0; i < sizeof values / sizeof values[0]; i++) {
        sty_tband_name_value(tband, 0, i, values[i]);
    }
}

static void start(demo_t *demo) {
    enum { NS_OF_MICROSECOND = 1000 };
    static const sty_cmdrx_cb_t callbacks = {NULL, on_user, on_reset};
    sty_tband_t *tband = demo_tband_emitter(demo);
    sty_tband_init(tband, &demo->ring, NS_OF_MICROSECOND);
    sty_cmdrx_init_tband(&demo->trace.tband.rx, tband, &callbacks, demo);
    for (unsigned core = 0; core < STY_TBAND_CORES; core++) {
        demo->trace.tband.running[core] = IDLE;
    }
    name_tasks(demo);
    name_markers(demo);
    sty_tband_start(tband, 0);
}

static void names(demo_t *demo) {
    (void)demo;
}

/* Resumes a task or the idle task when there is nothing else to do. */
static void go_idle(demo_t *demo, uint32_t core) {
    demo_tband_switch_to(demo, core, core == 0u ? demo_tband_task_of(demo_runner(demo)) : DEMO_TBAND_IDLE_0 + core);
}

static void run(demo_t *demo) {
    demo_tband_create_tasks(demo);
    for (uint32_t core = 0; core < 2u; core++) {
        go_idle(demo, core);
    }
}

static void poll(demo_t *demo) {
    sty_tband_poll(demo_tband_emitter(demo));
}

static uint32_t drops(const demo_t *demo) {
    return sty_ring_drops(&demo->ring);
}

/* Events. */

static void irq(demo_t *demo, unsigned number, bool enter) {
    const uint32_t core = core_of_sender(number);
    if (enter) {
        sty_tband_isr_enter(demo_tband_emitter(demo), core, number - DEMO_SENSOR_IRQ);
    } else {
        sty_tband_isr_exit(demo_tband_emitter(demo), core, number - DEMO_SENSOR_IRQ);
    }
}

static void trace_free(demo_t *demo, unsigned actor) {
    sty_tband_value(demo_tband_emitter(demo), core_of_sender(actor), VALUE_FREE, demo->objects.pool->free);
}

static void event_changed(demo_t *demo, const demo_event_t *event, unsigned actor) {
    (void)event;
    trace_free(demo, actor);
}

static void publish(demo_t *demo, unsigned from, const demo_event_t *event) {
    (void)demo;
    (void)from;
    (void)event;
}

static void post(demo_t *demo, unsigned from, unsigned ao, const demo_event_t *event) {
    const uint32_t core = core_of_sender(from);
    const uint32_t used = demo->objects.ao[ao]->used;
    (void)event;
    if (from < DEMO_AOS) {
        sty_tband_queue_send(demo_tband_emitter(demo), core, queue_of(ao), used);
    } else {
        sty_tband_queue_send_from_isr(demo_tband_emitter(demo), core, queue_of(ao), used);
    }
    if (used == 1u && demo->trace.tband.running[core_of(ao)] != task_of(ao)) {
        sty_tband_task_to_rdy_state(demo_tband_emitter(demo), core, task_of(ao));
    }
}

static void post_failed(demo_t *demo, unsigned from, unsigned ao, const demo_event_t *event, unsigned margin) {
    (void)ao;
    (void)margin;
    sty_tband_marker(demo_tband_emitter(demo), core_of_sender(from), MARK_FULL, demo_sig_names[event->sig]);
}

static void no_event(demo_t *demo, unsigned sig) {
    sty_tband_marker(demo_tband_emitter(demo), 0, MARK_POOL, demo_sig_names[sig]);
}

static void deferred(demo_t *demo, unsigned ao, const demo_event_t *event) {
    sty_tband_marker(demo_tband_emitter(demo), core_of(ao), MARK_DEFERRED, demo_sig_names[event->sig]);
}

static void recalled(demo_t *demo, unsigned ao, const demo_event_t *event) {
    sty_tband_marker(demo_tband_emitter(demo), core_of(ao), MARK_RECALLED, demo_sig_names[event->sig]);
    sty_tband_queue_send(demo_tband_emitter(demo), core_of(ao), queue_of(ao), demo->objects.ao[ao]->used);
}

static void timer_expired(demo_t *demo, unsigned timer) {
    sty_tband_marker(demo_tband_emitter(demo), 0, MARK_TIMER, demo_object_names[timer]);
}

static void created(demo_t *demo, unsigned ao, unsigned state) {
    sty_tband_t *tband = demo_tband_emitter(demo);
    (void)state;
    sty_tband_task_created(tband, 0, task_of(ao));
    sty_tband_task_priority_set(tband, 0, task_of(ao), demo_prio(ao));
    sty_tband_task_to_rdy_state(tband, 0, task_of(ao));
    sty_tband_queue_created(tband, 0, queue_of(ao));
    sty_tband_queue_cur_length(tband, 0, queue_of(ao), 0);
}

static void get(demo_t *demo, unsigned ao, const demo_event_t *event) {
    (void)event;
    demo_tband_switch_to(demo, core_of(ao), task_of(ao));
    sty_tband_queue_receive(demo_tband_emitter(demo), core_of(ao), queue_of(ao), demo->objects.ao[ao]->used);
}

static void dispatch(demo_t *demo, unsigned ao, const demo_event_t *event) {
    (void)demo;
    (void)ao;
    (void)event;
}

static void state_exit(demo_t *demo, unsigned ao, unsigned state) {
    (void)state;
    sty_tband_marker_end(demo_tband_emitter(demo), core_of(ao), ao);
}

static void state_entry(demo_t *demo, unsigned ao, unsigned state) {
    sty_tband_marker_begin(demo_tband_emitter(demo), core_of(ao), ao, demo_states[state].name);
}

static void tran(demo_t *demo, unsigned ao, unsigned sig, unsigned source, unsigned target) {
    (void)demo;
    (void)(ao + sig + source + target);
}

static void ignored(demo_t *demo, unsigned ao, unsigned sig, unsigned state) {
    (void)state;
    sty_tband_marker(demo_tband_emitter(demo), core_of(ao), MARK_IGNORED, demo_sig_names[sig]);
}

/* The task waits for its next event, unless that is already there or work is left. */
static void wait(demo_t *demo, unsigned ao) {
    const demo_ao_t *it = demo->objects.ao[ao];
    if (it->used == 0u && it->busy == 0u) {
        sty_tband_curtask_block_on_queue_receive(demo_tband_emitter(demo), core_of(ao), queue_of(ao), DEMO_TBAND_FOREVER);
        go_idle(demo, core_of(ao));
    }
}

static void value(demo_t *demo, unsigned which, int32_t number) {
    sty_tband_value(demo_tband_emitter(demo), 0, which, number);
}

static void work(demo_t *demo, unsigned ao, const char *what) {
    if (what != NULL) {
        sty_tband_marker_begin(demo_tband_emitter(demo), core_of(ao), MARK_WORK, what);
    } else {
        sty_tband_marker_end(demo_tband_emitter(demo), core_of(ao), MARK_WORK);
        wait(demo, ao);
    }
}

static void burst(demo_t *demo, uint32_t number) {
    sty_tband_value(demo_tband_emitter(demo), 0, VALUE_BURST, number);
}

const demo_proto_t demo_tband = {
    .name = "tband",
    .framing = STY_FAULT_TBAND,
    .unit = 1,
    .margin = 2,
    .lends = true,
    .start = start,
    .names = names,
    .reset_cause = demo_tband_reset_cause,
    .run = run,
    .feed = feed,
    .poll = poll,
    .drops = drops,
    .tick = demo_untraced_0,
    .irq = irq,
    .event_new = event_changed,
    .event_freed = event_changed,
    .no_event = no_event,
    .publish = publish,
    .post = post,
    .post_failed = post_failed,
    .deferred = deferred,
    .recalled = recalled,
    .timer_armed = demo_untraced_1,
    .timer_disarmed = demo_untraced_1,
    .timer_expired = timer_expired,
    .created = created,
    .initial = demo_untraced_2,
    .get = get,
    .dispatch = dispatch,
    .exit = state_exit,
    .entry = state_entry,
    .leave = demo_untraced_3,
    .tran = tran,
    .handled = demo_untraced_3,
    .ignored = ignored,
    .done = wait,
    .act = demo_tband_act,
    .runs = demo_tband_runs,
    .value = value,
    .work = work,
    .burst = burst};
