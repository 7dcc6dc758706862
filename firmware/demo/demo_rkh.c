/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The demo as an RKH target of version 3.4.00. */
#include "demo_trace.h"

#include "spytui/rkh_rec.h"

enum { USR_BOILER, USR_WORK = DEMO_VALUES, USR_BURST, USR_TASK, USR_POOL, USR_RESET };
/* Microseconds per unit: the configuration has only 16 bits for the rate. */
enum { UNIT = 20 };

static sty_rkh_t *emitter(demo_t *demo) {
    return &demo->trace.rkh.rkh;
}
static const void *address(const demo_t *demo, unsigned object) {
    return demo_address(demo, object);
}
static const void *state_at(const demo_t *demo, unsigned state) {
    return (const void *)demo_state_address(demo, state);
}
static uint8_t used_blocks(const demo_t *demo) {
    return (uint8_t)(DEMO_POOL_BLOCKS - demo->objects.pool->free);
}

/* Commands. */

static void names(demo_t *demo);

static void on_names(void *ctx) {
    names(ctx);
}
static bool on_user(void *ctx, uint8_t id, uint32_t value) {
    return demo_command(ctx, id, value);
}
static void on_reset(void *ctx) {
    demo_command(ctx, STY_FAULT_RESET, 1);
}

static void feed(demo_t *demo, uint8_t byte) {
    sty_cmdrx_feed(&demo->trace.rkh.rx, byte);
}

/* Start and names. */

static void start(demo_t *demo) {
    static const sty_rkh_target_t target = {.version = 0x3400, .max_pools = 4, .ticks_per_second = 1000000 / UNIT};
    static const sty_cmdrx_cb_t callbacks = {on_names, on_user, on_reset};
    sty_rkh_t *rkh = emitter(demo);
    sty_rkh_init(rkh, &demo->ring, &target);
    sty_cmdrx_init_rkh(&demo->trace.rkh.rx, rkh, &callbacks, demo);
    demo->trace.rkh.entries = 0;
    demo->trace.rkh.exits = 0;
    sty_rkh_start(rkh);
}

static void address_names(demo_t *demo) {
    static const char *const queues[DEMO_AOS] = {"supervisor_queue", "pump_queue", "burner_queue", "door_queue"};
    sty_rkh_t *rkh = emitter(demo);
    for (unsigned i = 0; i < DEMO_AOS; i++) {
        sty_rkh_name_ao(rkh, address(demo, i), demo_object_names[i]);
        sty_rkh_name_queue(rkh, demo_queue_address(demo, i), queues[i]);
    }
    for (unsigned i = DEMO_AOS; i < DEMO_TIMERS_END; i++) {
        sty_rkh_name_timer(rkh, address(demo, i), demo_object_names[i]);
    }
    for (unsigned i = DEMO_SENSOR_IRQ; i < DEMO_IRQS_END; i++) {
        sty_rkh_name_actor(rkh, address(demo, i), demo_object_names[i]);
    }
    sty_rkh_name_obj(rkh, address(demo, DEMO_POOL), demo_object_names[DEMO_POOL]);
    for (unsigned i = DEMO_LOG_TASK; i < DEMO_LOG_LINES; i++) {
        sty_rkh_name_obj(rkh, address(demo, i), demo_object_names[i]);
    }
    for (unsigned i = DEMO_LOG_LINES; i < DEMO_OBJECTS; i++) {
        sty_rkh_name_queue(rkh, address(demo, i), demo_object_names[i]);
    }
    for (unsigned i = 0; i < DEMO_STATES; i++) {
        sty_rkh_name_state(rkh, address(demo, demo_states[i].ao), state_at(demo, i), demo_states[i].name);
    }
}

static void names(demo_t *demo) {
    sty_rkh_t *rkh = emitter(demo);
    if (!demo->config.no_names) {
        address_names(demo);
    }
    sty_rkh_name_pool(rkh, 0, demo_object_names[DEMO_POOL]);
    for (unsigned i = DEMO_TEMPERATURE_SIG; i < DEMO_SIGS; i++) {
        sty_rkh_name_sig(rkh, i, demo_sig_names[i]);
    }
    for (unsigned i = 0; i < DEMO_VALUES; i++) {
        sty_rkh_name_usr(rkh, (uint8_t)(USR_BOILER + i), demo_values[i].name);
    }
    sty_rkh_name_usr(rkh, USR_WORK, "WORK");
    sty_rkh_name_usr(rkh, USR_BURST, "BURST");
    sty_rkh_name_usr(rkh, USR_TASK, "TASK");
    sty_rkh_name_usr(rkh, USR_POOL, "POOL");
    sty_rkh_name_usr(rkh, USR_RESET, "RESET");
}

static void reset_cause(demo_t *demo, const char *cause) {
    sty_rkh_t *rkh = emitter(demo);
    STY_RKH_BEGIN(rkh, USR_RESET)
        sty_rkh_str(rkh, cause);
    STY_RKH_END(rkh)
}

static void run(demo_t *demo) {
    enum { BLOCK = sizeof(demo_event_t) };
    sty_rkh_t *rkh = emitter(demo);
    sty_rkh_fwk_epreg(rkh, 1, DEMO_POOL_BLOCKS * BLOCK, BLOCK, DEMO_POOL_BLOCKS);
    sty_rkh_mp_init(rkh, address(demo, DEMO_POOL), DEMO_POOL_BLOCKS, BLOCK);
    sty_rkh_que_init(rkh, address(demo, DEMO_LOG_LINES), NULL, DEMO_QUEUE);
    sty_rkh_que_init(rkh, address(demo, DEMO_BURNER_DEFERRED), NULL, 1);
    for (unsigned i = DEMO_AOS; i < DEMO_TIMERS_END; i++) {
        sty_rkh_tmr_init(rkh, address(demo, i), demo_timers[i - DEMO_AOS].sig);
    }
    sty_rkh_fwk_en(rkh);
}

static void poll(demo_t *demo) {
    sty_rkh_poll(emitter(demo));
}

static uint32_t drops(const demo_t *demo) {
    return sty_ring_drops(&demo->ring);
}

/* Events. */

static void irq(demo_t *demo, unsigned number, bool enter) {
    (void)demo;
    (void)number;
    (void)enter;
}

static void event_new(demo_t *demo, const demo_event_t *event, unsigned actor) {
    const demo_pool_t *pool = demo->objects.pool;
    sty_rkh_mp_get(emitter(demo), address(demo, DEMO_POOL), pool->free, pool->min_free);
    sty_rkh_fwk_ae(emitter(demo), sizeof *event, event->sig, (uint8_t)(event->pool - 1u), 0, used_blocks(demo), pool->min_free,
        address(demo, actor));
}

static void event_freed(demo_t *demo, const demo_event_t *event, unsigned actor) {
    const demo_pool_t *pool = demo->objects.pool;
    sty_rkh_fwk_gcr(emitter(demo), event->sig, (uint8_t)(event->pool - 1u), 0, used_blocks(demo), pool->min_free,
        address(demo, actor));
    sty_rkh_mp_put(emitter(demo), address(demo, DEMO_POOL), pool->free);
}

/* RKH has no event for this. */
static void no_event(demo_t *demo, unsigned sig) {
    sty_rkh_t *rkh = emitter(demo);
    STY_RKH_BEGIN(rkh, USR_POOL)
        sty_rkh_object(rkh, address(demo, DEMO_POOL));
        sty_rkh_str(rkh, "has no event for");
        sty_rkh_signal(rkh, sig);
    STY_RKH_END(rkh)
}

/* A post follows for each subscriber. */
static void publish(demo_t *demo, unsigned from, const demo_event_t *event) {
    (void)demo;
    (void)from;
    (void)event;
}

static void post(demo_t *demo, unsigned from, unsigned ao, const demo_event_t *event) {
    const demo_ao_t *to = demo->objects.ao[ao];
    sty_rkh_que_fifo(emitter(demo), demo_queue_address(demo, ao), to->used, to->min_free);
    sty_rkh_sma_fifo(emitter(demo), demo_prio(ao), address(demo, ao), event->sig, address(demo, from), event->pool,
        event->ref, to->used, to->min_free);
}

static void post_failed(demo_t *demo, unsigned from, unsigned ao, const demo_event_t *event, unsigned margin) {
    (void)from;
    (void)event;
    (void)margin;
    sty_rkh_que_full(emitter(demo), demo_queue_address(demo, ao));
}

static void deferred(demo_t *demo, unsigned ao, const demo_event_t *event) {
    const void *queue = address(demo, DEMO_BURNER_DEFERRED);
    (void)ao;
    sty_rkh_que_fifo(emitter(demo), queue, 1, 0);
    sty_rkh_sma_defer(emitter(demo), queue, event->sig);
}

static void recalled(demo_t *demo, unsigned ao, const demo_event_t *event) {
    const demo_ao_t *to = demo->objects.ao[ao];
    sty_rkh_que_get(emitter(demo), address(demo, DEMO_BURNER_DEFERRED), 0);
    sty_rkh_que_lifo(emitter(demo), demo_queue_address(demo, ao), to->used, to->min_free);
    sty_rkh_sma_lifo(emitter(demo), demo_prio(ao), address(demo, ao), event->sig, address(demo, ao), event->pool, event->ref,
        to->used, to->min_free);
    sty_rkh_sma_rcall(emitter(demo), address(demo, ao), event->sig);
}

static void timer_armed(demo_t *demo, unsigned timer) {
    const demo_timer_t *t = demo_timer(demo, timer);
    sty_rkh_tmr_start(emitter(demo), address(demo, timer), address(demo, demo_timers[timer - DEMO_AOS].ao), t->left,
        t->period);
}

static void timer_disarmed(demo_t *demo, unsigned timer) {
    const demo_timer_t *t = demo_timer(demo, timer);
    sty_rkh_tmr_stop(emitter(demo), address(demo, timer), t->left, t->period);
}

static void timer_expired(demo_t *demo, unsigned timer) {
    const demo_timer_info_t *info = &demo_timers[timer - DEMO_AOS];
    sty_rkh_tmr_tout(emitter(demo), demo_prio(info->ao), address(demo, timer), info->sig, address(demo, info->ao));
    if (demo_timer(demo, timer)->period == 0u) {
        sty_rkh_tmr_rem(emitter(demo), address(demo, timer));
    }
}

static void created(demo_t *demo, unsigned ao, unsigned state) {
    sty_rkh_t *rkh = emitter(demo);
    sty_rkh_que_init(rkh, demo_queue_address(demo, ao), address(demo, ao), DEMO_QUEUE);
    sty_rkh_sma_reg(rkh, address(demo, ao), demo_prio(ao));
    sty_rkh_sm_init(rkh, demo_prio(ao), address(demo, ao), state_at(demo, state));
}

/* Reports the end of event processing: number of states left and entered, and the final state. */
static void arrived(demo_t *demo, unsigned ao, unsigned state) {
    sty_rkh_t *rkh = emitter(demo);
    sty_rkh_sm_nenex(rkh, demo_prio(ao), address(demo, ao), demo->trace.rkh.entries, demo->trace.rkh.exits);
    sty_rkh_sm_state(rkh, demo_prio(ao), address(demo, ao), state_at(demo, state));
    demo->trace.rkh.entries = 0;
    demo->trace.rkh.exits = 0;
}

static void initial(demo_t *demo, unsigned ao, unsigned state) {
    arrived(demo, ao, state);
    sty_rkh_sma_act(emitter(demo), address(demo, ao), demo_prio(ao), DEMO_QUEUE);
}

static void get(demo_t *demo, unsigned ao, const demo_event_t *event) {
    const demo_ao_t *from = demo->objects.ao[ao];
    if (from->used == 0u) {
        sty_rkh_que_get_last(emitter(demo), demo_queue_address(demo, ao));
    } else {
        sty_rkh_que_get(emitter(demo), demo_queue_address(demo, ao), from->used);
    }
    sty_rkh_sma_get(emitter(demo), demo_prio(ao), address(demo, ao), event->sig, event->pool, event->ref, from->used,
        from->min_free);
}

static void dispatch(demo_t *demo, unsigned ao, const demo_event_t *event) {
    sty_rkh_sm_dch(emitter(demo), demo_prio(ao), address(demo, ao), event->sig,
        state_at(demo, demo->objects.ao[ao]->state));
}

static void leave(demo_t *demo, unsigned ao, unsigned source, unsigned target) {
    sty_rkh_sm_trn(emitter(demo), demo_prio(ao), address(demo, ao), state_at(demo, source), state_at(demo, target));
}

static void state_exit(demo_t *demo, unsigned ao, unsigned state) {
    demo->trace.rkh.exits++;
    sty_rkh_sm_exstate(emitter(demo), demo_prio(ao), address(demo, ao), state_at(demo, state));
}

static void state_entry(demo_t *demo, unsigned ao, unsigned state) {
    demo->trace.rkh.entries++;
    sty_rkh_sm_enstate(emitter(demo), demo_prio(ao), address(demo, ao), state_at(demo, state));
}

static void tran(demo_t *demo, unsigned ao, unsigned sig, unsigned source, unsigned target) {
    (void)sig;
    (void)source;
    arrived(demo, ao, target);
    sty_rkh_sm_evt_proc(emitter(demo), demo_prio(ao), address(demo, ao));
}

static void handled(demo_t *demo, unsigned ao, unsigned sig, unsigned state) {
    (void)sig;
    sty_rkh_sm_trn(emitter(demo), demo_prio(ao), address(demo, ao), state_at(demo, state), NULL);
    sty_rkh_sm_evt_proc(emitter(demo), demo_prio(ao), address(demo, ao));
}

static void ignored(demo_t *demo, unsigned ao, unsigned sig, unsigned state) {
    (void)state;
    sty_rkh_sm_evt_nfound(emitter(demo), demo_prio(ao), address(demo, ao), sig);
}

static void trace_task(demo_t *demo, unsigned task, const char *what, unsigned other) {
    sty_rkh_t *rkh = emitter(demo);
    STY_RKH_BEGIN(rkh, USR_TASK)
        sty_rkh_object(rkh, address(demo, task));
        sty_rkh_str(rkh, what);
        if (other != DEMO_NOBODY) {
            sty_rkh_object(rkh, address(demo, other));
        }
    STY_RKH_END(rkh)
}

/* RKH has no tasks, so user events report them; log lines are in an RKH queue. */
static void act(demo_t *demo, const demo_act_t *act) {
    switch (act->what) {
    case DEMO_TAKE:
        trace_task(demo, act->task, "takes", DEMO_CONTROL_SEM);
        break;
    case DEMO_LOCK:
        trace_task(demo, act->task, "locks", DEMO_BUS_MUTEX);
        break;
    case DEMO_UNLOCK:
        trace_task(demo, act->task, "unlocks", DEMO_BUS_MUTEX);
        break;
    case DEMO_SEND:
        sty_rkh_que_fifo(emitter(demo), address(demo, DEMO_LOG_LINES), 1, DEMO_QUEUE - 1);
        break;
    case DEMO_RECEIVE:
        sty_rkh_que_get(emitter(demo), address(demo, DEMO_LOG_LINES), 0);
        break;
    case DEMO_NOTE:
        trace_task(demo, act->task, act->text, act->other);
        break;
    case DEMO_ASSERT:
        sty_rkh_fwk_assert(emitter(demo), act->text, act->other);
        break;
    default:
        break;
    }
}

static void runs(demo_t *demo, unsigned now, unsigned before, demo_how_t how) {
    (void)demo;
    (void)(now + before + (unsigned)how);
}

static void value(demo_t *demo, unsigned which, int32_t number) {
    sty_rkh_t *rkh = emitter(demo);
    STY_RKH_BEGIN(rkh, (uint8_t)(USR_BOILER + which))
        sty_rkh_i32(rkh, 4, number);
        sty_rkh_str(rkh, demo_values[which].unit);
    STY_RKH_END(rkh)
}

static void work(demo_t *demo, unsigned ao, const char *what) {
    sty_rkh_t *rkh = emitter(demo);
    STY_RKH_BEGIN(rkh, USR_WORK)
        sty_rkh_object(rkh, address(demo, ao));
        sty_rkh_str(rkh, what != NULL ? what : "is done");
    STY_RKH_END(rkh)
}

static void burst(demo_t *demo, uint32_t number) {
    sty_rkh_t *rkh = emitter(demo);
    STY_RKH_BEGIN(rkh, USR_BURST)
        sty_rkh_u32(rkh, 0, number);
    STY_RKH_END(rkh)
}

const demo_proto_t demo_rkh = {
    .name = "rkh",
    .framing = STY_FAULT_RKH,
    .unit = UNIT,
    .start = start,
    .names = names,
    .reset_cause = reset_cause,
    .run = run,
    .feed = feed,
    .poll = poll,
    .drops = drops,
    .tick = demo_untraced_0,
    .irq = irq,
    .event_new = event_new,
    .event_freed = event_freed,
    .no_event = no_event,
    .publish = publish,
    .post = post,
    .post_failed = post_failed,
    .deferred = deferred,
    .recalled = recalled,
    .timer_armed = timer_armed,
    .timer_disarmed = timer_disarmed,
    .timer_expired = timer_expired,
    .created = created,
    .initial = initial,
    .get = get,
    .dispatch = dispatch,
    .exit = state_exit,
    .entry = state_entry,
    .leave = leave,
    .tran = tran,
    .handled = handled,
    .ignored = ignored,
    .done = demo_untraced_1,
    .act = act,
    .runs = runs,
    .value = value,
    .work = work,
    .burst = burst};
