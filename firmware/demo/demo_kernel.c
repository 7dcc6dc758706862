/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The framework of the active objects: queues, a pool, timers, hierarchical state machines. */
#include "demo_trace.h"

/* A report that is omitted while a quiet reading is handled. */
#define REPORT(demo, report, ...)                              \
    do {                                                       \
        if (!(demo)->quiet) {                                  \
            (demo)->config.proto->report((demo), __VA_ARGS__); \
        }                                                      \
    } while (0)

static uint8_t free_places(const demo_ao_t *ao) {
    return (uint8_t)(DEMO_QUEUE - ao->used);
}

/* Notes that an event was put into the queue. */
static void count_in(demo_ao_t *ao) {
    ao->used++;
    if (free_places(ao) < ao->min_free) {
        ao->min_free = free_places(ao);
    }
}

static demo_event_t *take_block(demo_t *demo) {
    demo_pool_t *pool = demo->objects.pool;
    for (unsigned i = 0; i < DEMO_POOL_BLOCKS; i++) {
        if (pool->blocks[i].ref == 0u) {
            pool->free--;
            if (pool->free < pool->min_free) {
                pool->min_free = pool->free;
            }
            return &pool->blocks[i];
        }
    }
    return NULL;
}

/* Frees an event that is no longer needed. */
static void release(demo_t *demo, demo_event_t *event, unsigned actor) {
    if (event->pool == 0u) {
        return;
    }
    event->ref--;
    if (event->ref == 0u) {
        demo->objects.pool->free++;
        REPORT(demo, event_freed, event, actor);
    }
}

static bool post(demo_t *demo, unsigned from, unsigned to, demo_event_t *event, unsigned margin) {
    demo_ao_t *ao = demo->objects.ao[to];
    if (free_places(ao) <= margin) {
        demo->config.proto->post_failed(demo, from, to, event, margin);
        return false;
    }
    ao->queue[(ao->head + ao->used) % DEMO_QUEUE] = event;
    count_in(ao);
    REPORT(demo, post, from, to, event);
    return true;
}

bool demo_post(demo_t *demo, unsigned from, unsigned ao, unsigned sig) {
    return post(demo, from, ao, &demo->fixed[sig], 0);
}

bool demo_post_value(demo_t *demo, unsigned from, unsigned ao, unsigned sig, int16_t value, unsigned margin) {
    demo_event_t *event = take_block(demo);
    if (event == NULL) {
        demo->config.proto->no_event(demo, sig);
        return false;
    }
    *event = (demo_event_t){.sig = (uint8_t)sig, .pool = 1, .ref = 1, .quiet = demo->quiet, .value = value};
    REPORT(demo, event_new, event, from);
    const bool posted = post(demo, from, ao, event, margin);
    if (!posted) {
        release(demo, event, from);
    }
    return posted;
}

void demo_take_packet(demo_t *demo, unsigned task) {
    demo_event_t *event = take_block(demo);
    if (event == NULL) {
        demo->config.proto->no_event(demo, DEMO_PACKET_SIG);
    } else {
        *event = (demo_event_t){.sig = DEMO_PACKET_SIG, .pool = 1, .ref = 1};
        demo->config.proto->event_new(demo, event, task);
    }
}

/* Only the burner has a queue for deferred events, with one entry. */
void demo_defer(demo_t *demo, unsigned ao, const demo_event_t *event) {
    demo_part_t *deferred = demo_part(demo, DEMO_BURNER_DEFERRED);
    if (deferred->value == 0u) {
        deferred->value = 1;
        demo->config.proto->deferred(demo, ao, event);
    }
}

void demo_recall(demo_t *demo, unsigned ao, unsigned sig) {
    demo_part_t *deferred = demo_part(demo, DEMO_BURNER_DEFERRED);
    demo_ao_t *to = demo->objects.ao[ao];
    if (deferred->value == 0u || free_places(to) == 0u) {
        return;
    }
    deferred->value = 0;
    to->head = (uint8_t)((to->head + DEMO_QUEUE - 1u) % DEMO_QUEUE);
    to->queue[to->head] = &demo->fixed[sig];
    count_in(to);
    demo->config.proto->recalled(demo, ao, &demo->fixed[sig]);
}

bool demo_subscribes(unsigned ao, unsigned sig) {
    return (ao == DEMO_SUPERVISOR && (sig == DEMO_DOOR_OPENED_SIG || sig == DEMO_DOOR_CLOSED_SIG)) ||
        (ao == DEMO_BURNER && sig == DEMO_DOOR_OPENED_SIG);
}

void demo_publish(demo_t *demo, unsigned from, unsigned sig) {
    demo->config.proto->publish(demo, from, &demo->fixed[sig]);
    for (unsigned ao = DEMO_AOS; ao > 0u; ao--) {
        if (demo_subscribes(ao - 1u, sig)) {
            demo_post(demo, from, ao - 1u, sig);
        }
    }
}

void demo_arm(demo_t *demo, unsigned timer, uint16_t steps, uint16_t period) {
    demo_timer_t *t = demo->objects.timer[timer - DEMO_AOS];
    *t = (demo_timer_t){.left = steps, .period = period};
    demo->config.proto->timer_armed(demo, timer);
}

void demo_disarm(demo_t *demo, unsigned timer) {
    demo_timer_t *t = demo->objects.timer[timer - DEMO_AOS];
    if (t->left != 0u) {
        demo->config.proto->timer_disarmed(demo, timer);
        t->left = 0;
    }
}

void demo_tick(demo_t *demo) {
    demo->config.proto->tick(demo);
    for (unsigned timer = DEMO_AOS; timer < DEMO_TIMERS_END; timer++) {
        demo_timer_t *t = demo->objects.timer[timer - DEMO_AOS];
        const demo_timer_info_t *info = &demo_timers[timer - DEMO_AOS];
        if (t->left == 0u || --t->left != 0u) {
            continue;
        }
        t->left = t->period;
        demo->config.proto->timer_expired(demo, timer);
        demo_post(demo, timer, info->ao, info->sig);
    }
}

static void enter(demo_t *demo, unsigned ao, unsigned state) {
    demo_states[state].function(demo, &demo->fixed[DEMO_ENTRY_SIG]);
    demo->config.proto->entry(demo, ao, state);
}

static void leave(demo_t *demo, unsigned ao, unsigned state) {
    demo_states[state].function(demo, &demo->fixed[DEMO_EXIT_SIG]);
    demo->config.proto->exit(demo, ao, state);
}

/* Is `state` equal to `inner`, or an ancestor of it? */
static bool contains(unsigned state, unsigned inner) {
    while (inner != DEMO_TOP && inner != state) {
        inner = demo_states[inner].parent;
    }
    return inner == state;
}

/* Enters the states from the outermost one not in `outside` to `state`. */
static void enter_from(demo_t *demo, unsigned ao, unsigned outside, unsigned state) {
    if (state != outside) {
        enter_from(demo, ao, outside, demo_states[state].parent);
        enter(demo, ao, state);
    }
}

/* Leaves the states up to the common ancestor, then enters the target. A transition to itself leaves and enters. */
static void transition(demo_t *demo, unsigned ao, unsigned target) {
    unsigned state = demo->objects.ao[ao]->state;
    do {
        leave(demo, ao, state);
        state = demo_states[state].parent;
    } while (state != DEMO_TOP && !contains(state, target));
    enter_from(demo, ao, state, target);
    demo->objects.ao[ao]->state = (uint8_t)target;
}

void demo_dispatch(demo_t *demo, unsigned ao, const demo_event_t *event) {
    const demo_proto_t *proto = demo->config.proto;
    const unsigned state = demo->objects.ao[ao]->state;
    REPORT(demo, dispatch, ao, event);
    unsigned source = state;
    demo_result_t result = DEMO_SUPER;
    while (source != DEMO_TOP) {
        result = demo_states[source].function(demo, event);
        if (result != DEMO_SUPER) {
            break;
        }
        source = demo_states[source].parent;
    }
    if (result == DEMO_TRAN) {
        const unsigned target = demo->target;
        proto->leave(demo, ao, source, target);
        transition(demo, ao, target);
        proto->tran(demo, ao, event->sig, source, target);
    } else if (result == DEMO_HANDLED) {
        REPORT(demo, handled, ao, event->sig, source);
    } else {
        proto->ignored(demo, ao, event->sig, state);
    }
}

/* Runs a single step of an active object, which takes some time. */
static void run_one(demo_t *demo, unsigned number) {
    enum { MOMENT = 20 };
    demo_ao_t *ao = demo->objects.ao[number];
    demo_event_t *event = ao->queue[ao->head];
    ao->head = (uint8_t)((ao->head + 1u) % DEMO_QUEUE);
    ao->used--;
    demo->quiet = event->quiet;
    REPORT(demo, get, number, event);
    demo_dispatch(demo, number, event);
    demo->time += MOMENT;
    release(demo, event, number);
    REPORT(demo, done, number);
    demo->quiet = false;
}

unsigned demo_runner(const demo_t *demo) {
    static const uint8_t by_priority[] = {DEMO_CONTROL_TASK, DEMO_MODEM_TASK, DEMO_LOG_TASK};
    if (demo->tasks.lent && demo_is_ready(demo, DEMO_LOG_TASK)) {
        return DEMO_LOG_TASK;
    }
    for (unsigned i = 0; i < sizeof by_priority; i++) {
        if (demo_is_ready(demo, by_priority[i])) {
            return by_priority[i];
        }
    }
    return demo->objects.ao[DEMO_SUPERVISOR]->busy != 0u ? DEMO_SUPERVISOR : DEMO_NOBODY;
}

/* Is it kept from running by a task? */
static bool is_kept(const demo_t *demo, unsigned ao) {
    const unsigned runner = demo_runner(demo);
    return runner != DEMO_NOBODY && demo_prio(ao) < demo_prio(runner);
}

/* Advances the work of busy objects by a step. */
static void go_on(demo_t *demo) {
    for (unsigned i = 0; i < DEMO_AOS; i++) {
        demo_ao_t *ao = demo->objects.ao[i];
        if (ao->busy != 0u && !is_kept(demo, i)) {
            ao->busy--;
            if (ao->busy == 0u) {
                demo->config.proto->work(demo, i, NULL);
            }
        }
    }
}

void demo_run(demo_t *demo) {
    go_on(demo);
    for (unsigned i = DEMO_AOS; i > 0u;) {
        const demo_ao_t *ao = demo->objects.ao[i - 1u];
        if (ao->used != 0u && ao->busy == 0u && !is_kept(demo, i - 1u)) {
            run_one(demo, i - 1u);
            i = DEMO_AOS; /* restart at the highest priority */
        } else {
            i--;
        }
    }
}

static const uint8_t initial[DEMO_AOS] = {SUPERVISOR_IDLE, PUMP_STOPPED, BURNER_OFF, DOOR_CLOSED};

void demo_take_initial(demo_t *demo, unsigned ao) {
    demo->objects.ao[ao]->state = initial[ao];
    demo->config.proto->created(demo, ao, initial[ao]);
    enter(demo, ao, initial[ao]);
    demo->config.proto->initial(demo, ao, initial[ao]);
}

void demo_start_objects(demo_t *demo) {
    *demo->objects.pool = (demo_pool_t){.free = DEMO_POOL_BLOCKS, .min_free = DEMO_POOL_BLOCKS};
    for (unsigned i = 0; i < DEMO_TIMERS; i++) {
        *demo->objects.timer[i] = (demo_timer_t){0};
    }
    for (unsigned i = 0; i < DEMO_AOS; i++) {
        *demo->objects.ao[i] = (demo_ao_t){.state = initial[i], .min_free = DEMO_QUEUE};
    }
    for (unsigned i = DEMO_AOS; i > 0u; i--) {
        demo_take_initial(demo, i - 1u);
    }
}
