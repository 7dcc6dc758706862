/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The story: the boiler heats between two temperatures. The burner purges, ignites, and locks itself out after three
 * failures. The door stops everything. While the supervisor writes its log, readings pile up in its queue. The
 * burner defers its self-test until heating ends. */
#include "demo_trace.h"

enum { SECOND = 1000 / DEMO_STEP_MS, SAMPLE_STEPS = SECOND / 2, LOG_STEPS = 4 * SECOND };
enum { COLD = 550, HOT = 700, ROOM = 200 };
enum { ATTEMPTS = 3, TRACED_POLLS = 10 };

/* The supervisor. */

static void measure(demo_t *demo, const demo_event_t *event) {
    const bool flows = demo->objects.ao[DEMO_PUMP]->state != PUMP_STOPPED;
    const demo_proto_t *proto = demo->config.proto;
    demo->readings++;
    if (demo->quiet) {
        return;
    }
    proto->value(demo, DEMO_TEMPERATURE, event->value);
    if (demo->readings % 4u == 1u) {
        proto->value(demo, DEMO_PRESSURE, 1000 + event->value + (flows ? 150 : 0));
        proto->value(demo, DEMO_FLOW, flows ? 12 : 0);
    }
}

static void write_log(demo_t *demo) {
    demo->objects.ao[DEMO_SUPERVISOR]->busy = LOG_STEPS;
    demo->config.proto->work(demo, DEMO_SUPERVISOR, "writes the log");
}

/* Common to all states of the supervisor. */
static demo_result_t supervise(demo_t *demo, const demo_event_t *event) {
    switch (event->sig) {
    case DEMO_TEMPERATURE_SIG:
        measure(demo, event);
        return DEMO_HANDLED;
    case DEMO_LOG_SIG:
        write_log(demo);
        return DEMO_HANDLED;
    case DEMO_DOOR_OPENED_SIG:
        return demo_tran(demo, SUPERVISOR_BLOCKED);
    default:
        return DEMO_SUPER;
    }
}

demo_result_t supervisor_idle(demo_t *demo, const demo_event_t *event) {
    if (event->sig == DEMO_TEMPERATURE_SIG && event->value < COLD) {
        measure(demo, event);
        return demo_tran(demo, SUPERVISOR_HEATING);
    }
    return supervise(demo, event);
}

demo_result_t supervisor_heating(demo_t *demo, const demo_event_t *event) {
    switch (event->sig) {
    case DEMO_ENTRY_SIG:
        demo_post(demo, DEMO_SUPERVISOR, DEMO_PUMP, DEMO_PUMP_ON_SIG);
        demo_post(demo, DEMO_SUPERVISOR, DEMO_BURNER, DEMO_HEAT_ON_SIG);
        demo_post(demo, DEMO_SUPERVISOR, DEMO_BURNER, DEMO_SELF_TEST_SIG);
        return DEMO_HANDLED;
    case DEMO_EXIT_SIG:
        demo_post(demo, DEMO_SUPERVISOR, DEMO_BURNER, DEMO_HEAT_OFF_SIG);
        demo_post(demo, DEMO_SUPERVISOR, DEMO_PUMP, DEMO_PUMP_OFF_SIG);
        return DEMO_HANDLED;
    case DEMO_BURNER_LIT_SIG:
        return DEMO_HANDLED;
    case DEMO_BURNER_FAILED_SIG:
        return demo_tran(demo, SUPERVISOR_IDLE);
    case DEMO_TEMPERATURE_SIG:
        measure(demo, event);
        return event->value >= HOT ? demo_tran(demo, SUPERVISOR_IDLE) : DEMO_HANDLED;
    default:
        return supervise(demo, event);
    }
}

demo_result_t supervisor_blocked(demo_t *demo, const demo_event_t *event) {
    switch (event->sig) {
    case DEMO_DOOR_CLOSED_SIG:
        return demo_tran(demo, SUPERVISOR_IDLE);
    case DEMO_DOOR_OPENED_SIG:
        return DEMO_SUPER;
    default:
        return supervise(demo, event);
    }
}

/* The pump. It overruns, to carry off the boiler's heat. */

demo_result_t pump_stopped(demo_t *demo, const demo_event_t *event) {
    return event->sig == DEMO_PUMP_ON_SIG ? demo_tran(demo, PUMP_RUNNING) : DEMO_SUPER;
}

demo_result_t pump_running(demo_t *demo, const demo_event_t *event) {
    return event->sig == DEMO_PUMP_OFF_SIG ? demo_tran(demo, PUMP_COOLING) : DEMO_SUPER;
}

demo_result_t pump_cooling(demo_t *demo, const demo_event_t *event) {
    switch (event->sig) {
    case DEMO_ENTRY_SIG:
        demo_arm(demo, DEMO_PUMP_TIMER, 8 * SECOND, 0);
        return DEMO_HANDLED;
    case DEMO_EXIT_SIG:
        demo_disarm(demo, DEMO_PUMP_TIMER);
        return DEMO_HANDLED;
    case DEMO_PUMP_ON_SIG:
        return demo_tran(demo, PUMP_RUNNING);
    case DEMO_TIMEOUT_SIG:
        return demo_tran(demo, PUMP_STOPPED);
    default:
        return DEMO_SUPER;
    }
}

/* The burner. */

demo_result_t burner_off(demo_t *demo, const demo_event_t *event) {
    switch (event->sig) {
    case DEMO_ENTRY_SIG:
        demo->objects.plant->attempts = 0;
        demo_recall(demo, DEMO_BURNER, DEMO_SELF_TEST_SIG);
        return DEMO_HANDLED;
    case DEMO_SELF_TEST_SIG:
        return DEMO_HANDLED;
    case DEMO_HEAT_ON_SIG:
        return demo_tran(demo, BURNER_PURGING);
    default:
        return DEMO_SUPER;
    }
}

demo_result_t burner_on(demo_t *demo, const demo_event_t *event) {
    switch (event->sig) {
    case DEMO_EXIT_SIG:
        demo_disarm(demo, DEMO_BURNER_TIMER);
        return DEMO_HANDLED;
    case DEMO_SELF_TEST_SIG:
        demo_defer(demo, DEMO_BURNER, event);
        return DEMO_HANDLED;
    case DEMO_HEAT_OFF_SIG:
    case DEMO_DOOR_OPENED_SIG:
        return demo_tran(demo, BURNER_OFF);
    default:
        return DEMO_SUPER;
    }
}

demo_result_t burner_purging(demo_t *demo, const demo_event_t *event) {
    switch (event->sig) {
    case DEMO_ENTRY_SIG:
        demo_arm(demo, DEMO_BURNER_TIMER, 3 * SECOND / 2, 0);
        return DEMO_HANDLED;
    case DEMO_TIMEOUT_SIG:
        return demo_tran(demo, BURNER_IGNITING);
    default:
        return DEMO_SUPER;
    }
}

demo_result_t burner_igniting(demo_t *demo, const demo_event_t *event) {
    switch (event->sig) {
    case DEMO_ENTRY_SIG:
        demo->objects.plant->attempts++;
        demo->objects.plant->flame = (uint16_t)(demo_random(demo, 3) != 0u ? SECOND / 3 + demo_random(demo, SECOND / 4) : 0u);
        demo_arm(demo, DEMO_BURNER_TIMER, SECOND, 0);
        return DEMO_HANDLED;
    case DEMO_EXIT_SIG:
        demo->objects.plant->flame = 0;
        return DEMO_HANDLED;
    case DEMO_FLAME_ON_SIG:
        return demo_tran(demo, BURNER_BURNING);
    case DEMO_TIMEOUT_SIG:
        return demo_tran(demo, demo->objects.plant->attempts < ATTEMPTS ? BURNER_PURGING : BURNER_LOCKOUT);
    default:
        return DEMO_SUPER;
    }
}

demo_result_t burner_burning(demo_t *demo, const demo_event_t *event) {
    switch (event->sig) {
    case DEMO_ENTRY_SIG:
        demo_disarm(demo, DEMO_BURNER_TIMER);
        demo->objects.plant->attempts = 0;
        demo->objects.plant->flame = (uint16_t)(demo_random(demo, 4) == 0u ? SECOND + demo_random(demo, 8 * SECOND) : 0u);
        demo_post(demo, DEMO_BURNER, DEMO_SUPERVISOR, DEMO_BURNER_LIT_SIG);
        return DEMO_HANDLED;
    case DEMO_EXIT_SIG:
        demo->objects.plant->flame = 0;
        return DEMO_HANDLED;
    case DEMO_FLAME_LOST_SIG:
        return demo_tran(demo, BURNER_PURGING);
    default:
        return DEMO_SUPER;
    }
}

demo_result_t burner_lockout(demo_t *demo, const demo_event_t *event) {
    switch (event->sig) {
    case DEMO_ENTRY_SIG:
        demo_arm(demo, DEMO_BURNER_TIMER, 5 * SECOND, 0);
        demo_post(demo, DEMO_BURNER, DEMO_SUPERVISOR, DEMO_BURNER_FAILED_SIG);
        return DEMO_HANDLED;
    case DEMO_TIMEOUT_SIG:
        return demo_tran(demo, BURNER_OFF);
    default:
        return DEMO_SUPER;
    }
}

/* The door. Its contact bounces, so an open door gets the same event twice. */

demo_result_t door_closed(demo_t *demo, const demo_event_t *event) {
    if (event->sig != DEMO_CONTACT_OPEN_SIG) {
        return DEMO_SUPER;
    }
    demo_publish(demo, DEMO_DOOR, DEMO_DOOR_OPENED_SIG);
    return demo_tran(demo, DOOR_OPEN);
}

demo_result_t door_open(demo_t *demo, const demo_event_t *event) {
    if (event->sig != DEMO_CONTACT_CLOSED_SIG) {
        return DEMO_SUPER;
    }
    demo_publish(demo, DEMO_DOOR, DEMO_DOOR_CLOSED_SIG);
    return demo_tran(demo, DOOR_CLOSED);
}

/* Interrupts. */

/* Most readings are not traced, because they would fill the list. Traced are every tenth one, those that wait in the
 * queue, and those that cause a transition. */
static bool is_quiet(const demo_t *demo) {
    const demo_ao_t *supervisor = demo->objects.ao[DEMO_SUPERVISOR];
    const int16_t temperature = demo->objects.plant->temperature;
    const bool changes = supervisor->state == SUPERVISOR_IDLE ? temperature < COLD :
        supervisor->state == SUPERVISOR_HEATING && temperature >= HOT;
    return demo->polls % TRACED_POLLS != 1u && !changes && supervisor->used == 0u && demo_runner(demo) == DEMO_NOBODY;
}

static int16_t read_temperature(demo_t *demo) {
    const uint32_t data = demo_probe(demo, DEMO_READ_TEMPERATURE);
    return data != 0u ? (int16_t)data : demo->objects.plant->temperature;
}

void sensor_irq(demo_t *demo) {
    demo->polls++;
    demo->quiet = is_quiet(demo);
    if (!demo->quiet) {
        demo->config.proto->irq(demo, DEMO_SENSOR_IRQ, true);
    }
    demo_post_value(demo, DEMO_SENSOR_IRQ, DEMO_SUPERVISOR, DEMO_TEMPERATURE_SIG, read_temperature(demo),
        demo->config.proto->margin);
    if (!demo->quiet) {
        demo->config.proto->irq(demo, DEMO_SENSOR_IRQ, false);
    }
    demo->quiet = false;
}

void contact_irq(demo_t *demo) {
    demo->config.proto->irq(demo, DEMO_CONTACT_IRQ, true);
    demo_post(demo, DEMO_CONTACT_IRQ, DEMO_DOOR, demo->objects.plant->door_is_open != 0u ? DEMO_CONTACT_OPEN_SIG : DEMO_CONTACT_CLOSED_SIG);
    demo->config.proto->irq(demo, DEMO_CONTACT_IRQ, false);
}

void flame_irq(demo_t *demo) {
    const bool lost = demo->objects.ao[DEMO_BURNER]->state == BURNER_BURNING;
    demo->config.proto->irq(demo, DEMO_FLAME_IRQ, true);
    demo_post(demo, DEMO_FLAME_IRQ, DEMO_BURNER, lost ? DEMO_FLAME_LOST_SIG : DEMO_FLAME_ON_SIG);
    demo->config.proto->irq(demo, DEMO_FLAME_IRQ, false);
}

/* The plant. */

void demo_start_plant(demo_t *demo) {
    demo->objects.plant->temperature = COLD - 10;
    demo->objects.plant->door_is_open = 0;
    demo->objects.plant->door_moves = (uint16_t)(8 * SECOND + demo_random(demo, 8 * SECOND));
    demo->objects.plant->flame = 0;
    demo->objects.plant->attempts = 0;
    demo->polls = 0;
    demo->readings = 0;
}

void demo_start_work(demo_t *demo) {
    demo_arm(demo, DEMO_LOG_TIMER, 12 * SECOND, 20 * SECOND);
}

void demo_open_door(demo_t *demo, bool open) {
    if (open != (demo->objects.plant->door_is_open != 0u)) {
        demo->objects.plant->door_is_open = open;
        demo->objects.plant->door_moves = (uint16_t)(open ? 3 * SECOND + demo_random(demo, 3 * SECOND) :
                                             20 * SECOND + demo_random(demo, 20 * SECOND));
        contact_irq(demo);
        if (open) {
            contact_irq(demo); /* bounces */
        }
    }
}

void demo_flame_out(demo_t *demo) {
    demo->objects.plant->flame = demo->objects.ao[DEMO_BURNER]->state == BURNER_BURNING ? 1 : 0;
}

static void heat(demo_t *demo) {
    const bool burns = demo->objects.ao[DEMO_BURNER]->state == BURNER_BURNING;
    const bool flows = demo->objects.ao[DEMO_PUMP]->state != PUMP_STOPPED;
    const int change = burns ? 8 : flows ? -6 : -2;
    if (burns || demo->objects.plant->temperature > ROOM) {
        demo->objects.plant->temperature = (int16_t)(demo->objects.plant->temperature + change);
    }
}

void demo_plant(demo_t *demo) {
    if (demo->steps % SAMPLE_STEPS == 0u) {
        heat(demo);
        sensor_irq(demo);
    }
    demo->objects.plant->door_moves--;
    if (demo->objects.plant->door_moves == 0u) {
        demo_open_door(demo, demo->objects.plant->door_is_open == 0u);
    }
    if (demo->objects.plant->flame != 0u) {
        demo->objects.plant->flame--;
        if (demo->objects.plant->flame == 0u) {
            flame_irq(demo);
        }
    }
}
