/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The names of the demo, and the apparent addresses of its objects. */
#include "demo_model.h"

const char *const demo_object_names[DEMO_OBJECTS] = {
    "supervisor", "pump",        "burner",      "door", /* active objects */
    "log_timer",  "pump_timer",  "burner_timer",       /* timers */
    "sensor_irq", "contact_irq", "flame_irq",          /* interrupts */
    "readings",   "plant",                             /* pool, the world outside */
    "log_task",   "modem_task",  "control_task",
    "bus_mutex",  "control_sem", "log_lines",   "burner_deferred"};

const char *const demo_sig_names[DEMO_SIGS] = {
    [DEMO_TEMPERATURE_SIG] = "TEMPERATURE",
    [DEMO_LOG_SIG] = "WRITE_LOG",
    [DEMO_TIMEOUT_SIG] = "TIMEOUT",
    [DEMO_HEAT_ON_SIG] = "HEAT_ON",
    [DEMO_HEAT_OFF_SIG] = "HEAT_OFF",
    [DEMO_PUMP_ON_SIG] = "PUMP_ON",
    [DEMO_PUMP_OFF_SIG] = "PUMP_OFF",
    [DEMO_FLAME_ON_SIG] = "FLAME_ON",
    [DEMO_FLAME_LOST_SIG] = "FLAME_LOST",
    [DEMO_BURNER_LIT_SIG] = "BURNER_LIT",
    [DEMO_BURNER_FAILED_SIG] = "BURNER_FAILED",
    [DEMO_CONTACT_OPEN_SIG] = "CONTACT_OPEN",
    [DEMO_CONTACT_CLOSED_SIG] = "CONTACT_CLOSED",
    [DEMO_DOOR_OPENED_SIG] = "DOOR_OPENED",
    [DEMO_DOOR_CLOSED_SIG] = "DOOR_CLOSED",
    [DEMO_SELF_TEST_SIG] = "SELF_TEST",
    [DEMO_LINE_SIG] = "LINE",
    [DEMO_PACKET_SIG] = "PACKET"};

const demo_state_info_t demo_states[DEMO_STATES] = {
    {"supervisor_idle", supervisor_idle, DEMO_SUPERVISOR, DEMO_TOP},
    {"supervisor_heating", supervisor_heating, DEMO_SUPERVISOR, DEMO_TOP},
    {"supervisor_blocked", supervisor_blocked, DEMO_SUPERVISOR, DEMO_TOP},
    {"pump_stopped", pump_stopped, DEMO_PUMP, DEMO_TOP},
    {"pump_running", pump_running, DEMO_PUMP, DEMO_TOP},
    {"pump_cooling", pump_cooling, DEMO_PUMP, DEMO_TOP},
    {"burner_off", burner_off, DEMO_BURNER, DEMO_TOP},
    {"burner_on", burner_on, DEMO_BURNER, DEMO_TOP},
    {"burner_purging", burner_purging, DEMO_BURNER, BURNER_ON},
    {"burner_igniting", burner_igniting, DEMO_BURNER, BURNER_ON},
    {"burner_burning", burner_burning, DEMO_BURNER, BURNER_ON},
    {"burner_lockout", burner_lockout, DEMO_BURNER, DEMO_TOP},
    {"door_closed", door_closed, DEMO_DOOR, DEMO_TOP},
    {"door_open", door_open, DEMO_DOOR, DEMO_TOP}};

const demo_value_info_t demo_values[DEMO_VALUES] = {{"BOILER", "0.1 C"}, {"PRESSURE", "mbar"}, {"FLOW", "l/min"}};

const demo_timer_info_t demo_timers[DEMO_TIMERS] = {
    {DEMO_SUPERVISOR, DEMO_LOG_SIG},
    {DEMO_PUMP, DEMO_TIMEOUT_SIG},
    {DEMO_BURNER, DEMO_TIMEOUT_SIG}};

/* The tasks are in between: they can keep the supervisor and the pump from running. */
uint8_t demo_prio(unsigned object) {
    static const uint8_t prios[DEMO_OBJECTS + 1] = {
        [DEMO_SUPERVISOR] = 1, [DEMO_PUMP] = 2, [DEMO_LOG_TASK] = 3, [DEMO_MODEM_TASK] = 4,
        [DEMO_BURNER] = 5, [DEMO_DOOR] = 6, [DEMO_CONTROL_TASK] = 7};
    return prios[object];
}

unsigned demo_of_prio(unsigned prio) {
    unsigned object = 0;
    while (object < DEMO_OBJECTS && (prio == 0u || demo_prio(object) != prio)) {
        object++;
    }
    return object;
}

enum { OBJECTS_AT = 0x20001000, OBJECT_SIZE = 0x40, QUEUE_OFFSET = 0x10, STATES_AT = 0x00004001, STATE_SIZE = 0x60 };

/* Also for those that the trace treats as functions. */
static const void *own_address(const demo_t *demo, unsigned object) {
    static void (*const irqs[])(demo_t *) = {sensor_irq, contact_irq, flame_irq};
    if (object < DEMO_AOS) {
        return demo->objects.ao[object];
    }
    if (object < DEMO_TIMERS_END) {
        return demo_timer(demo, object);
    }
    switch (object) {
    case DEMO_POOL:
        return demo->objects.pool;
    case DEMO_PLANT:
        return demo->objects.plant;
    default:
        return object >= DEMO_LOG_TASK ? (const void *)demo->objects.part[object - DEMO_LOG_TASK] :
                                         (const void *)(uintptr_t)irqs[object - DEMO_SENSOR_IRQ];
    }
}

const void *demo_address(const demo_t *demo, unsigned object) {
    if (object >= DEMO_OBJECTS) {
        return NULL;
    }
    return demo->config.objects != NULL ? own_address(demo, object) :
        (const void *)(uintptr_t)(OBJECTS_AT + object * OBJECT_SIZE);
}

uintptr_t demo_state_address(const demo_t *demo, unsigned state) {
    if (state >= DEMO_STATES) {
        return 0;
    }
    return demo->config.objects != NULL ? (uintptr_t)demo_states[state].function : STATES_AT + state * STATE_SIZE;
}

const void *demo_queue_address(const demo_t *demo, unsigned ao) {
    return demo->config.objects != NULL ? (const void *)demo->objects.ao[ao]->queue :
        (const void *)(uintptr_t)(OBJECTS_AT + ao * OBJECT_SIZE + QUEUE_OFFSET);
}

unsigned demo_object_at(const demo_t *demo, const void *address) {
    unsigned object = 0;
    while (object < DEMO_OBJECTS && demo_address(demo, object) != address) {
        object++;
    }
    return object;
}
