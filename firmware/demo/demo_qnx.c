/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The demo as a QNX process on two CPUs. Each active object is a thread that waits for pulses; burner and door run
 * on CPU 1, the others on CPU 0. Events are pulses, states and values are user events: boiler.fmt names them. */
#include "demo_qnx.h"

enum { CHANNEL = 1 };
/* Kernel call numbers. */
enum { MSG_SEND_PULSE = 20, MSG_RECEIVE_PULSE = 24, EAGAIN = 11 };
enum { FIRST_INTERRUPT = 32, PULSE_EXECUTED = 4, FLUSH_STEPS = 10 };


/* Start, names, commands. */

/* Resumes a task or the idle thread when there is nothing else to do. */
static void go_on(demo_t *demo, uint32_t cpu) {
    demo_qnx_run(demo, cpu, cpu == 0u ? demo_runner(demo) : DEMO_NOBODY);
}

static void names(demo_t *demo) {
    sty_qnx_t *qnx = demo_qnx_emitter(demo);
    if (demo->config.no_names) {
        return;
    }
    sty_qnx_process_create(qnx, 0, 0, KERNEL_PID, "proc/boot/procnto-smp-instr");
    for (uint32_t cpu = 0; cpu < STY_QNX_CPUS; cpu++) {
        sty_qnx_thread(qnx, 0, STY_QNX_CREATE, KERNEL_PID, cpu + 1u, 0, 0);
        sty_qnx_thread_name(qnx, 0, KERNEL_PID, cpu + 1u, "idle");
    }
    sty_qnx_process_create(qnx, 0, KERNEL_PID, BOILER_PID, "usr/bin/boiler");
    for (unsigned ao = 0; ao < DEMO_AOS; ao++) {
        demo_qnx_create(demo, ao, STY_QNX_RECEIVE);
    }
    for (unsigned task = DEMO_LOG_TASK; task < DEMO_TASKS_END; task++) {
        demo_qnx_create(demo, task, task == DEMO_LOG_TASK ? STY_QNX_RECEIVE : STY_QNX_SEM);
    }
}

static void on_names(void *ctx) {
    names(ctx);
}
static bool on_fault(void *ctx, uint32_t id, uint32_t value) {
    return demo_command(ctx, id, value);
}

static void start(demo_t *demo) {
    static const sty_qnx_target_t target = {1000000, "6.4.1", "boiler", "Sun Nov 22 09:00:00 2026"};
    static const sty_qnxrx_cb_t callbacks = {on_names, on_fault};
    sty_qnx_init(demo_qnx_emitter(demo), &demo->ring, &target, demo->trace.qnx.buffer, sizeof demo->trace.qnx.buffer);
    sty_qnxrx_init(&demo->trace.qnx.rx, demo_qnx_emitter(demo), &callbacks, demo);
    demo->trace.qnx.asks = false;
    sty_qnx_start(demo_qnx_emitter(demo));
}

static void run(demo_t *demo) {
    for (uint32_t cpu = 0; cpu < STY_QNX_CPUS; cpu++) {
        demo_qnx_run(demo, cpu, DEMO_NOBODY);
    }
}

static void feed(demo_t *demo, uint8_t byte) {
    sty_qnxrx_feed(&demo->trace.qnx.rx, byte);
}

/* A partly filled buffer waits a little, but not forever. */
static void poll(demo_t *demo) {
    if (demo->steps % FLUSH_STEPS == 0u || demo->halted || demo->reset_due) {
        sty_qnx_flush(demo_qnx_emitter(demo));
    }
}

static uint32_t drops(const demo_t *demo) {
    return sty_qnx_drops(&demo->trace.qnx.qnx);
}

/* Events. */

static void irq(demo_t *demo, unsigned number, bool enter) {
    const uint32_t cpu = demo_qnx_cpu_of(number);
    const uint32_t interrupt = FIRST_INTERRUPT + number - DEMO_SENSOR_IRQ;
    const uint32_t ip = (uint32_t)(uintptr_t)demo_address(demo, number);
    if (enter) {
        sty_qnx_int_enter(demo_qnx_emitter(demo), cpu, interrupt, ip);
        sty_qnx_handler_enter(demo_qnx_emitter(demo), cpu, BOILER_PID, interrupt, ip, 0);
    } else {
        sty_qnx_handler_exit(demo_qnx_emitter(demo), cpu, interrupt);
        sty_qnx_int_exit(demo_qnx_emitter(demo), cpu, interrupt, 0);
    }
}

static void trace_free(demo_t *demo, const demo_event_t *event, unsigned actor) {
    (void)event;
    sty_qnx_user(demo_qnx_emitter(demo), demo_qnx_cpu_of(actor), USER_FREE, demo->objects.pool->free, 0);
}

static void no_event(demo_t *demo, unsigned sig) {
    demo_qnx_log(demo, DEMO_POOL, "has no event for", demo_sig_names[sig], SEVERITY_WARNING);
}

/* Enters a kernel call; a fast class sends words 0 and 2. */
static void enter_send(demo_t *demo, uint32_t cpu, unsigned ao, const demo_event_t *event) {
    const uint32_t words[] = {demo_qnx_thread_of(ao), PRIORITY + ao, event->sig, (uint32_t)event->value};
    sty_qnx_call_enter(demo_qnx_emitter(demo), cpu, MSG_SEND_PULSE, words, 4, 1u << 0 | 1u << 2);
}

static void post(demo_t *demo, unsigned from, unsigned ao, const demo_event_t *event) {
    static const uint32_t done[] = {0, 0};
    const uint32_t cpu = demo_qnx_cpu_of(from);
    if (from < DEMO_AOS) {
        enter_send(demo, cpu, ao, event);
        sty_qnx_comm(demo_qnx_emitter(demo), cpu, STY_QNX_SEND_PULSE, demo_qnx_thread_of(ao), BOILER_PID);
        sty_qnx_call_exit(demo_qnx_emitter(demo), cpu, MSG_SEND_PULSE, done, 2, 3);
    } else {
        sty_qnx_comm(demo_qnx_emitter(demo), cpu, PULSE_EXECUTED, demo_qnx_thread_of(ao), BOILER_PID);
    }
    if (demo->objects.ao[ao]->used == 1u) {
        demo_qnx_state(demo, ao, STY_QNX_READY);
    }
}

static void post_failed(demo_t *demo, unsigned from, unsigned ao, const demo_event_t *event, unsigned margin) {
    (void)margin;
    if (from < DEMO_AOS) {
        enter_send(demo, demo_qnx_cpu_of(from), ao, event);
        sty_qnx_call_failed(demo_qnx_emitter(demo), demo_qnx_cpu_of(from), MSG_SEND_PULSE, EAGAIN);
    } else {
        demo_qnx_log(demo, ao, "has no room for", demo_sig_names[event->sig], SEVERITY_WARNING);
    }
}

static void deferred(demo_t *demo, unsigned ao, const demo_event_t *event) {
    demo_qnx_log(demo, ao, "puts off", demo_sig_names[event->sig], SEVERITY_INFO);
}

static void recalled(demo_t *demo, unsigned ao, const demo_event_t *event) {
    demo_qnx_log(demo, ao, "comes back to", demo_sig_names[event->sig], SEVERITY_INFO);
    post(demo, ao, ao, event);
}

static void publish(demo_t *demo, unsigned from, const demo_event_t *event) {
    (void)demo;
    (void)from;
    (void)event;
}

static void trace_state(demo_t *demo, unsigned ao, unsigned state) {
    sty_qnx_user_text(demo_qnx_emitter(demo), demo_qnx_cpu_of(ao), USER_STATE + ao, demo_states[state].name);
}

static void get(demo_t *demo, unsigned ao, const demo_event_t *event) {
    static const uint32_t words[] = {0, 0};
    (void)event;
    demo_qnx_state(demo, ao, STY_QNX_RUNNING);
    sty_qnx_comm(demo_qnx_emitter(demo), demo_qnx_cpu_of(ao), STY_QNX_RECEIVE_PULSE, demo_qnx_thread_of(ao), BOILER_PID);
    sty_qnx_call_exit(demo_qnx_emitter(demo), demo_qnx_cpu_of(ao), MSG_RECEIVE_PULSE, words, 2, 3);
}

static void dispatch(demo_t *demo, unsigned ao, const demo_event_t *event) {
    (void)demo;
    (void)ao;
    (void)event;
}

static void tran(demo_t *demo, unsigned ao, unsigned sig, unsigned source, unsigned target) {
    (void)demo;
    (void)(ao + sig + source + target);
}

static void ignored(demo_t *demo, unsigned ao, unsigned sig, unsigned state) {
    (void)state;
    demo_qnx_log(demo, ao, "ignores", demo_sig_names[sig], SEVERITY_WARNING);
}

/* The thread waits for its next pulse, unless that is already there or work is left. */
static void wait(demo_t *demo, unsigned ao) {
    static const uint32_t words[] = {CHANNEL, 1};
    const demo_ao_t *it = demo->objects.ao[ao];
    if (it->used == 0u && it->busy == 0u) {
        sty_qnx_call_enter(demo_qnx_emitter(demo), demo_qnx_cpu_of(ao), MSG_RECEIVE_PULSE, words, 2, 3);
        demo_qnx_state(demo, ao, STY_QNX_RECEIVE);
        go_on(demo, demo_qnx_cpu_of(ao));
    }
}

static void value(demo_t *demo, unsigned which, int32_t number) {
    sty_qnx_user(demo_qnx_emitter(demo), 0, which, (uint32_t)number, 0);
}

static void work(demo_t *demo, unsigned ao, const char *what) {
    if (what != NULL) {
        demo_qnx_log(demo, ao, what, "now", SEVERITY_INFO);
    } else {
        wait(demo, ao);
    }
}

static void burst(demo_t *demo, uint32_t number) {
    sty_qnx_user(demo_qnx_emitter(demo), 0, USER_BURST, number, 0);
}

const demo_proto_t demo_qnx = {
    .name = "qnx",
    .framing = STY_FAULT_NO_FRAMES,
    .unit = 1,
    .margin = 2,
    .lends = true,
    .start = start,
    .names = names,
    .reset_cause = demo_qnx_reset_cause,
    .run = run,
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
    .done = wait,
    .act = demo_qnx_act,
    .runs = demo_qnx_runs,
    .value = value,
    .work = work,
    .burst = burst};
