/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Private parts of the demo: names, addresses, and the small framework of its active objects. */
#ifndef DEMO_MODEL_H
#define DEMO_MODEL_H

#include "demo.h"

enum {
    SUPERVISOR_IDLE, SUPERVISOR_HEATING, SUPERVISOR_BLOCKED,
    PUMP_STOPPED, PUMP_RUNNING, PUMP_COOLING,
    BURNER_OFF, BURNER_ON, BURNER_PURGING, BURNER_IGNITING, BURNER_BURNING, BURNER_LOCKOUT,
    DOOR_CLOSED, DOOR_OPEN,
    DEMO_STATES,
    DEMO_TOP = DEMO_STATES
};

enum { DEMO_TEMPERATURE, DEMO_PRESSURE, DEMO_FLOW, DEMO_VALUES };

/* How a state handles an event. */
typedef enum { DEMO_HANDLED, DEMO_TRAN, DEMO_SUPER } demo_result_t;
typedef demo_result_t demo_state_t(demo_t *demo, const demo_event_t *event);

typedef struct {
    const char *name;
    demo_state_t *function;
    uint8_t ao;
    uint8_t parent; /* or DEMO_TOP */
} demo_state_info_t;

typedef struct {
    const char *name;
    const char *unit;
} demo_value_info_t;

typedef struct {
    uint8_t ao;
    uint8_t sig;
} demo_timer_info_t;

extern const char *const demo_object_names[DEMO_OBJECTS];
extern const char *const demo_sig_names[DEMO_SIGS];
extern const demo_state_info_t demo_states[DEMO_STATES];
extern const demo_value_info_t demo_values[DEMO_VALUES];
extern const demo_timer_info_t demo_timers[DEMO_TIMERS];

/* The priority of an active object or a task, 0 for others. */
uint8_t demo_prio(unsigned object);
/* The owner of a priority, or DEMO_NOBODY. */
unsigned demo_of_prio(unsigned prio);
static inline const demo_timer_t *demo_timer(const demo_t *demo, unsigned timer) {
    return demo->objects.timer[timer - DEMO_AOS];
}
static inline demo_part_t *demo_part(const demo_t *demo, unsigned object) {
    return demo->objects.part[object - DEMO_LOG_TASK];
}
static inline bool demo_is_ready(const demo_t *demo, unsigned task) {
    return demo_part(demo, task)->value != 0u;
}
/* Addresses in the trace. NULL: DEMO_HOST. */
const void *demo_address(const demo_t *demo, unsigned object);
uintptr_t demo_state_address(const demo_t *demo, unsigned state);
const void *demo_queue_address(const demo_t *demo, unsigned ao);
/* The object at an address, DEMO_HOST if there is none. */
unsigned demo_object_at(const demo_t *demo, const void *address);

/* Framework. */

static inline demo_result_t demo_tran(demo_t *demo, uint8_t target) {
    demo->target = target;
    return DEMO_TRAN;
}
/* Posts an event without parameters. False: the queue was full. */
bool demo_post(demo_t *demo, unsigned from, unsigned ao, unsigned sig);
/* Posts a new event with a value, unless fewer than `margin` entries would be left. */
bool demo_post_value(demo_t *demo, unsigned from, unsigned ao, unsigned sig, int16_t value, unsigned margin);
/* Defers an event if none is deferred, or posts the deferred event to the front. */
void demo_defer(demo_t *demo, unsigned ao, const demo_event_t *event);
void demo_recall(demo_t *demo, unsigned ao, unsigned sig);
/* Allocates an event for a task, which keeps it. */
void demo_take_packet(demo_t *demo, unsigned task);
/* Posts to all subscribed active objects. */
void demo_publish(demo_t *demo, unsigned from, unsigned sig);
bool demo_subscribes(unsigned ao, unsigned sig);
/* Steps of DEMO_STEP_MS; period 0: once. */
void demo_arm(demo_t *demo, unsigned timer, uint16_t steps, uint16_t period);
void demo_disarm(demo_t *demo, unsigned timer);
void demo_tick(demo_t *demo);
/* Dispatches an event immediately. */
void demo_dispatch(demo_t *demo, unsigned ao, const demo_event_t *event);
/* What runs on the first core: a task, or the supervisor while it is busy, or DEMO_NOBODY. */
unsigned demo_runner(const demo_t *demo);
/* Runs all active objects until their queues are empty or they are busy. */
void demo_run(demo_t *demo);
/* A state machine takes its initial transition, whatever its state was. */
void demo_take_initial(demo_t *demo, unsigned ao);
/* Empties queues, pool and timers; all state machines take their initial transitions. */
void demo_start_objects(demo_t *demo);

/* The boiler. */

/* Call before anything runs. */
void demo_start_plant(demo_t *demo);
/* Call when all objects exist. */
void demo_start_work(demo_t *demo);
/* Simulates a step outside of the program: temperature, flame, door. */
void demo_plant(demo_t *demo);
void demo_open_door(demo_t *demo, bool open);
void demo_flame_out(demo_t *demo);

/* 0 … bound − 1 */
uint32_t demo_random(demo_t *demo, uint32_t bound);

/* Host commands: the switches of spytui/fault.h, and the demo's own. False: no such command. */
enum {
    DEMO_COMMAND_DOOR = 32, /* 1 opens it, 0 closes it */
    DEMO_COMMAND_FLAME_OUT,
    DEMO_COMMAND_INCIDENT, /* begins when all tasks wait */
    DEMO_COMMAND_CALM      /* 1: none begins by itself, 0: default */
};
bool demo_command(demo_t *demo, uint32_t id, uint32_t value);

/* The state functions. */
demo_state_t supervisor_idle, supervisor_heating, supervisor_blocked;
demo_state_t pump_stopped, pump_running, pump_cooling;
demo_state_t burner_off, burner_on, burner_purging, burner_igniting, burner_burning, burner_lockout;
demo_state_t door_closed, door_open;
/* The interrupts. */
void sensor_irq(demo_t *demo);
void contact_irq(demo_t *demo);
void flame_irq(demo_t *demo);

#endif
