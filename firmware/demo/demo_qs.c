/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The demo as a QS target of version 7.3.4. */
#include "demo_trace.h"

#include "demo_qs.h"

enum { COMMAND_NAMES = 1, COMMAND_DOOR, COMMAND_FLAME_OUT, COMMAND_INCIDENT, COMMAND_CALM, COMMAND_FAULTS = 20 };
enum { REC_TICK = 31, RATE = 0 };

static const void *address(const demo_t *demo, unsigned object) {
    return demo_address(demo, object);
}
static uintptr_t state_at(const demo_t *demo, unsigned state) {
    return demo_state_address(demo, state);
}
static uint8_t free_places(const demo_t *demo, unsigned ao) {
    return (uint8_t)(DEMO_QUEUE - demo->objects.ao[ao]->used);
}

/* Commands. */

static bool is_state_machine(unsigned object) {
    return object < DEMO_AOS;
}

static void on_reset(void *ctx) {
    demo_command(ctx, STY_FAULT_RESET, 1);
}

static void on_tick(void *ctx, uint8_t rate) {
    if (rate == RATE) {
        demo_tick(ctx);
        demo_run(ctx);
    }
}

static void names(demo_t *demo);

static void on_names(void *ctx) {
    names(ctx);
}

static void on_command(void *ctx, uint8_t id, uint32_t p1, uint32_t p2, uint32_t p3) {
    (void)(p2 + p3);
    switch (id) {
    case COMMAND_NAMES:
        names(ctx);
        break;
    case COMMAND_DOOR:
        demo_command(ctx, DEMO_COMMAND_DOOR, p1);
        break;
    case COMMAND_FLAME_OUT:
        demo_command(ctx, DEMO_COMMAND_FLAME_OUT, p1);
        break;
    case COMMAND_INCIDENT:
        demo_command(ctx, DEMO_COMMAND_INCIDENT, p1);
        break;
    case COMMAND_CALM:
        demo_command(ctx, DEMO_COMMAND_CALM, p1);
        break;
    default:
        if (id > COMMAND_FAULTS && id <= COMMAND_FAULTS + STY_FAULT_SEED) {
            demo_command(ctx, id - (uint32_t)COMMAND_FAULTS, p1);
        }
        break;
    }
}

static bool on_event(void *ctx, const sty_qsrx_event_t *event) {
    demo_t *demo = ctx;
    unsigned ao = demo_of_prio(event->where);
    if (event->sig < DEMO_TEMPERATURE_SIG || event->sig >= DEMO_SIGS) {
        return false;
    }
    if (event->where == STY_QSRX_PUBLISH) {
        demo_publish(demo, DEMO_HOST, event->sig);
        return true;
    }
    if (event->where >= STY_QSRX_POST_CURRENT) {
        ao = demo_object_at(demo, event->object);
    }
    if (!is_state_machine(ao) || event->where == STY_QSRX_INIT_CURRENT) {
        return false;
    }
    if (event->where == STY_QSRX_DISPATCH_CURRENT) {
        const demo_event_t direct = {.sig = (uint8_t)event->sig};
        demo_dispatch(demo, ao, &direct);
        return true;
    }
    if (event->length < 2u) {
        return demo_post(demo, DEMO_HOST, ao, event->sig);
    }
    const int16_t value = (int16_t)(uint16_t)(event->parameters[0] | event->parameters[1] << 8);
    return demo_post_value(demo, DEMO_HOST, ao, event->sig, value, 0);
}

static uint8_t on_id_of(void *ctx, const void *object) {
    const unsigned found = demo_object_at(ctx, object);
    return is_state_machine(found) ? demo_prio(found) : 0;
}

static bool on_query(void *ctx, uint8_t kind, const void *object, sty_qsrx_query_t *answer) {
    const demo_t *demo = ctx;
    const unsigned found = demo_object_at(demo, object);
    if ((kind == STY_QS_SM || kind == STY_QS_AO) && is_state_machine(found)) {
        answer->state = state_at(demo, demo->objects.ao[found]->state);
        answer->id = demo_prio(found);
        answer->used = demo->objects.ao[found]->used;
        answer->free = free_places(demo, found);
        answer->min = demo->objects.ao[found]->min_free;
        return true;
    }
    if (kind == STY_QS_MP && found == DEMO_POOL) {
        answer->used = (uint16_t)(DEMO_POOL_BLOCKS - demo->objects.pool->free);
        answer->free = demo->objects.pool->free;
        answer->min = demo->objects.pool->min_free;
        answer->block_size = sizeof(demo_event_t);
        return true;
    }
    if (kind == STY_QS_TE && found >= DEMO_AOS && found < DEMO_TIMERS_END) {
        const demo_timer_info_t *info = &demo_timers[found - DEMO_AOS];
        answer->owner = address(demo, info->ao);
        answer->sig = info->sig;
        answer->counter = demo_timer(demo, found)->left;
        answer->interval = demo_timer(demo, found)->period;
        return true;
    }
    return kind == STY_QS_AP && found < DEMO_OBJECTS;
}

/* The plant may be inspected and changed. */
static bool on_access(void *ctx, uintptr_t at, size_t length, bool write) {
    (void)write;
    const uintptr_t begin = (uintptr_t)address(ctx, DEMO_PLANT);
    const size_t size = sizeof(demo_plant_t);
    return at >= begin && length <= size && at - begin <= size - length;
}

/* Converts a made-up address to the real one. */
static void *on_at(void *ctx, uintptr_t at) {
    const demo_t *demo = ctx;
    return (uint8_t *)demo->objects.plant + (at - (uintptr_t)address(demo, DEMO_PLANT));
}

static void feed(demo_t *demo, uint8_t byte) {
    sty_qsrx_feed(&demo->trace.qs.rx, byte);
}

const sty_qsrx_cb_t demo_qs_callbacks = {
    on_access, on_reset, on_tick, on_command, on_event, on_id_of, on_query, on_at, on_names};

/* Start and names. */

static void start(demo_t *demo) {
    static const sty_qs_target_t target = {
        .version = 734, .tail = STY_QS_TARGET(DEMO_AOS + DEMO_TASKS, 1, 1, 26, 11, 22, 12, 0, 0), .info = sty_qs_info_7};
    sty_qs_t *qs = demo_qs_emitter(demo);
    sty_qs_init(qs, &demo->ring, &target);
    sty_qsrx_init(&demo->trace.qs.rx, qs, &demo_qs_callbacks, demo);
    sty_qs_start(qs);
    sty_qs_glb_group(qs, STY_QS_GRP_ALL, true);
    sty_qs_glb_rec(qs, REC_TICK, false); /* a hundred per second */
}

static void address_names(demo_t *demo) {
    sty_qs_t *qs = demo_qs_emitter(demo);
    for (unsigned i = 0; i < DEMO_OBJECTS; i++) {
        sty_qs_obj_dict(qs, address(demo, i), demo_object_names[i]);
    }
    for (unsigned i = 0; i < DEMO_STATES; i++) {
        sty_qs_fun_dict(qs, state_at(demo, i), demo_states[i].name);
    }
}

static void names(demo_t *demo) {
    static const char *const faults[] = {"FLIP", "LOSS", "NOISE", "DUP", "BURST", "LINK_RATE", "RESET", "GARBAGE", "SEED"};
    sty_qs_t *qs = demo_qs_emitter(demo);
    if (!demo->config.no_names) {
        address_names(demo);
    }
    for (unsigned i = DEMO_TEMPERATURE_SIG; i < DEMO_SIGS; i++) {
        sty_qs_sig_dict(qs, i, NULL, demo_sig_names[i]);
    }
    for (unsigned i = 0; i < DEMO_VALUES; i++) {
        sty_qs_usr_dict(qs, (uint8_t)(REC_BOILER + i), demo_values[i].name);
    }
    sty_qs_usr_dict(qs, REC_WORK, "WORK");
    sty_qs_usr_dict(qs, REC_BURST, "BURST");
    sty_qs_usr_dict(qs, REC_TASK, "TASK");
    sty_qs_enum_dict(qs, COMMAND_NAMES, DEMO_QS_COMMANDS, "NAMES");
    sty_qs_enum_dict(qs, COMMAND_DOOR, DEMO_QS_COMMANDS, "DOOR");
    sty_qs_enum_dict(qs, COMMAND_FLAME_OUT, DEMO_QS_COMMANDS, "FLAME_OUT");
    sty_qs_enum_dict(qs, COMMAND_INCIDENT, DEMO_QS_COMMANDS, "INCIDENT");
    sty_qs_enum_dict(qs, COMMAND_CALM, DEMO_QS_COMMANDS, "CALM");
    for (unsigned i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        sty_qs_enum_dict(qs, (uint8_t)(COMMAND_FAULTS + 1u + i), DEMO_QS_COMMANDS, faults[i]);
    }
}

static void run(demo_t *demo) {
    sty_qs_t *qs = demo_qs_emitter(demo);
    for (unsigned sig = DEMO_TEMPERATURE_SIG; sig < DEMO_SIGS; sig++) {
        for (unsigned ao = 0; ao < DEMO_AOS; ao++) {
            if (demo_subscribes(ao, sig)) {
                sty_qs_subscribe(qs, demo_prio(ao), sig, address(demo, ao));
            }
        }
    }
    sty_qs_run(qs);
}

static void poll(demo_t *demo) {
    sty_qs_poll(demo_qs_emitter(demo));
}

static uint32_t drops(const demo_t *demo) {
    return sty_ring_drops(&demo->ring);
}

/* Records. */

static void tick(demo_t *demo) {
    sty_qs_tick(demo_qs_emitter(demo), 0, demo->steps, RATE);
}

static void irq(demo_t *demo, unsigned number, bool enter) {
    const uint8_t prio = (uint8_t)(number - DEMO_SENSOR_IRQ);
    if (enter) {
        sty_qs_isr_entry(demo_qs_emitter(demo), 0, 1, prio);
    } else {
        sty_qs_isr_exit(demo_qs_emitter(demo), 0, 0, prio);
    }
}

static void event_new(demo_t *demo, const demo_event_t *event, unsigned actor) {
    const demo_pool_t *pool = demo->objects.pool;
    (void)actor;
    sty_qs_mpool_get(demo_qs_emitter(demo), 65, address(demo, DEMO_POOL), pool->free, pool->min_free);
    sty_qs_new(demo_qs_emitter(demo), 0, sizeof *event, event->sig);
}

static void event_freed(demo_t *demo, const demo_event_t *event, unsigned actor) {
    (void)actor;
    sty_qs_gc(demo_qs_emitter(demo), 0, event->sig, event->pool, 1);
    sty_qs_mpool_put(demo_qs_emitter(demo), 65, address(demo, DEMO_POOL), demo->objects.pool->free);
}

static void no_event(demo_t *demo, unsigned sig) {
    const demo_pool_t *pool = demo->objects.pool;
    sty_qs_mpool_get_attempt(demo_qs_emitter(demo), 65, address(demo, DEMO_POOL), pool->free, 0);
    sty_qs_new_attempt(demo_qs_emitter(demo), 0, sizeof(demo_event_t), sig);
}

static void publish(demo_t *demo, unsigned from, const demo_event_t *event) {
    sty_qs_publish(demo_qs_emitter(demo), 0, address(demo, from), event->sig, event->pool, event->ref);
}

static void post(demo_t *demo, unsigned from, unsigned ao, const demo_event_t *event) {
    sty_qs_post(demo_qs_emitter(demo), demo_prio(ao), address(demo, from), event->sig, address(demo, ao), event->pool, event->ref,
        free_places(demo, ao), demo->objects.ao[ao]->min_free);
}

static void post_failed(demo_t *demo, unsigned from, unsigned ao, const demo_event_t *event, unsigned margin) {
    sty_qs_post_attempt(demo_qs_emitter(demo), demo_prio(ao), address(demo, from), event->sig, address(demo, ao), event->pool,
        event->ref, free_places(demo, ao), margin);
}

static void deferred(demo_t *demo, unsigned ao, const demo_event_t *event) {
    sty_qs_defer(demo_qs_emitter(demo), demo_prio(ao), address(demo, ao), address(demo, DEMO_BURNER_DEFERRED), event->sig, event->pool,
        event->ref);
}

static void recalled(demo_t *demo, unsigned ao, const demo_event_t *event) {
    sty_qs_post_lifo(demo_qs_emitter(demo), demo_prio(ao), event->sig, address(demo, ao), event->pool, event->ref,
        free_places(demo, ao), demo->objects.ao[ao]->min_free);
    sty_qs_recall(demo_qs_emitter(demo), demo_prio(ao), address(demo, ao), address(demo, DEMO_BURNER_DEFERRED), event->sig,
        event->pool, event->ref);
}

static void timer_armed(demo_t *demo, unsigned timer) {
    const demo_timer_t *t = demo_timer(demo, timer);
    const unsigned ao = demo_timers[timer - DEMO_AOS].ao;
    sty_qs_timeevt_arm(demo_qs_emitter(demo), demo_prio(ao), address(demo, timer), address(demo, ao), t->left, t->period, RATE);
}

static void timer_disarmed(demo_t *demo, unsigned timer) {
    const demo_timer_t *t = demo_timer(demo, timer);
    const unsigned ao = demo_timers[timer - DEMO_AOS].ao;
    sty_qs_timeevt_disarm(demo_qs_emitter(demo), demo_prio(ao), address(demo, timer), address(demo, ao), t->left, t->period, RATE);
}

static void timer_expired(demo_t *demo, unsigned timer) {
    const demo_timer_info_t *info = &demo_timers[timer - DEMO_AOS];
    const uint8_t prio = demo_prio(info->ao);
    if (demo_timer(demo, timer)->period == 0u) {
        sty_qs_timeevt_auto_disarm(demo_qs_emitter(demo), prio, address(demo, timer), address(demo, info->ao), RATE);
    }
    sty_qs_timeevt_post(demo_qs_emitter(demo), prio, address(demo, timer), info->sig, address(demo, info->ao), RATE);
}

static void initial(demo_t *demo, unsigned ao, unsigned state) {
    sty_qs_init_tran(demo_qs_emitter(demo), demo_prio(ao), address(demo, ao), state_at(demo, state));
}

static void get(demo_t *demo, unsigned ao, const demo_event_t *event) {
    if (demo->objects.ao[ao]->used == 0u) {
        sty_qs_get_last(demo_qs_emitter(demo), demo_prio(ao), event->sig, address(demo, ao), event->pool, event->ref);
    } else {
        sty_qs_get(demo_qs_emitter(demo), demo_prio(ao), event->sig, address(demo, ao), event->pool, event->ref,
            free_places(demo, ao));
    }
}

static void dispatch(demo_t *demo, unsigned ao, const demo_event_t *event) {
    sty_qs_dispatch(demo_qs_emitter(demo), demo_prio(ao), event->sig, address(demo, ao),
        state_at(demo, demo->objects.ao[ao]->state));
}

static void state_exit(demo_t *demo, unsigned ao, unsigned state) {
    sty_qs_state_exit(demo_qs_emitter(demo), demo_prio(ao), address(demo, ao), state_at(demo, state));
}

static void state_entry(demo_t *demo, unsigned ao, unsigned state) {
    sty_qs_state_entry(demo_qs_emitter(demo), demo_prio(ao), address(demo, ao), state_at(demo, state));
}

static void tran(demo_t *demo, unsigned ao, unsigned sig, unsigned source, unsigned target) {
    sty_qs_tran(demo_qs_emitter(demo), demo_prio(ao), sig, address(demo, ao), state_at(demo, source), state_at(demo, target));
}

static void handled(demo_t *demo, unsigned ao, unsigned sig, unsigned state) {
    sty_qs_intern_tran(demo_qs_emitter(demo), demo_prio(ao), sig, address(demo, ao), state_at(demo, state));
}

static void ignored(demo_t *demo, unsigned ao, unsigned sig, unsigned state) {
    sty_qs_ignored(demo_qs_emitter(demo), demo_prio(ao), sig, address(demo, ao), state_at(demo, state));
}

static void value(demo_t *demo, unsigned which, int32_t number) {
    sty_qs_t *qs = demo_qs_emitter(demo);
    STY_QS_BEGIN(qs, (uint8_t)(REC_BOILER + which), 0)
        sty_qs_i32(qs, 4, number);
        sty_qs_str(qs, demo_values[which].unit);
    STY_QS_END(qs)
}

static void work(demo_t *demo, unsigned ao, const char *what) {
    sty_qs_t *qs = demo_qs_emitter(demo);
    STY_QS_BEGIN(qs, REC_WORK, demo_prio(ao))
        sty_qs_obj(qs, address(demo, ao));
        sty_qs_str(qs, what != NULL ? what : "is done");
    STY_QS_END(qs)
}

static void burst(demo_t *demo, uint32_t number) {
    sty_qs_t *qs = demo_qs_emitter(demo);
    STY_QS_BEGIN(qs, REC_BURST, 0)
        sty_qs_u32(qs, 0, number);
    STY_QS_END(qs)
}

const demo_proto_t demo_qs = {
    .name = "qs",
    .framing = STY_FAULT_QS,
    .unit = 1,
    .margin = 2,
    .start = start,
    .names = names,
    .reset_cause = demo_qs_reset_cause,
    .run = run,
    .feed = feed,
    .poll = poll,
    .drops = drops,
    .tick = tick,
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
    .created = demo_untraced_2,
    .initial = initial,
    .get = get,
    .dispatch = dispatch,
    .exit = state_exit,
    .entry = state_entry,
    .leave = demo_untraced_3,
    .tran = tran,
    .handled = handled,
    .ignored = ignored,
    .done = demo_untraced_1,
    .act = demo_qs_act,
    .runs = demo_qs_runs,
    .value = value,
    .work = work,
    .burst = burst};
