/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The instance: clock, steps, link, commands. */
#include "demo_trace.h"

enum { STEPS_OF_SECOND = 1000 / DEMO_STEP_MS };

/* In units of the format. A record takes at least one unit of the virtual clock, and at least two microseconds. */
static uint64_t now(void *ctx) {
    enum { A_RECORD_TAKES = 2 };
    demo_t *demo = ctx;
    const uint32_t unit = demo->config.proto->unit;
    if (demo->config.clock != NULL) {
        return (demo->config.clock(demo->config.ctx) - demo->zero) / unit;
    }
    demo->time += unit > A_RECORD_TAKES ? unit : A_RECORD_TAKES;
    return demo->time / unit;
}

void demo_restart(demo_t *demo) {
    const demo_proto_t *proto = demo->config.proto;
    demo->reset_due = false;
    demo->halted = false;
    demo->stuck = 0;
    demo->steps = 0;
    demo->time = 0;
    demo->zero = demo->config.clock != NULL ? demo->config.clock(demo->config.ctx) : 0;
    demo_start_plant(demo);
    sty_ring_init(&demo->ring, &demo->env, demo->ring_mem, sizeof demo->ring_mem);
    proto->start(demo);
    proto->names(demo);
    if (demo->cause != NULL) {
        proto->reset_cause(demo, demo->cause);
        demo->cause = NULL;
    }
    if (proto->pause != NULL) {
        proto->pause(demo);
    }
    demo_start_tasks(demo);
    demo_start_objects(demo);
    proto->run(demo);
    demo_start_work(demo);
}

static void use_own_objects(demo_t *demo) {
    for (unsigned i = 0; i < DEMO_AOS; i++) {
        demo->objects.ao[i] = &demo->own.ao[i];
    }
    for (unsigned i = 0; i < DEMO_TIMERS; i++) {
        demo->objects.timer[i] = &demo->own.timer[i];
    }
    for (unsigned i = 0; i < DEMO_PARTS; i++) {
        demo->objects.part[i] = &demo->own.part[i];
    }
    demo->objects.pool = &demo->own.pool;
    demo->objects.plant = &demo->own.plant;
}

void demo_init(demo_t *demo, const demo_config_t *config) {
    enum { MICROSECONDS = 1000000 };
    demo->config = *config;
    demo->env = (sty_env_t){now, sty_env_no_lock, sty_env_no_unlock, demo, MICROSECONDS / config->proto->unit};
    demo->random = config->seed * 2654435769u + 1u;
    if (demo->random == 0u) {
        demo->random = 1;
    }
    demo->link_steps = 0;
    demo->drops_before = 0;
    demo->quiet = false;
    demo->had_incident = false;
    demo->calm = false;
    demo->cause = NULL;
    sty_fault_init(&demo->fault, &config->faults, config->proto->framing);
    demo->fault.note = config->note;
    demo->fault.ctx = config->ctx;
    for (unsigned i = 0; i < DEMO_SIGS; i++) {
        demo->fixed[i] = (demo_event_t){.sig = (uint8_t)i};
    }
    if (config->objects != NULL) {
        demo->objects = *config->objects;
    } else {
        use_own_objects(demo);
    }
    demo_restart(demo);
}

/* Waits a second, so that a host started with the target has the names. */
static void send_burst(demo_t *demo) {
    enum { MOST = 1000000 };
    if (demo->link_steps < STEPS_OF_SECOND) {
        return;
    }
    const uint32_t records = sty_fault_take_burst(&demo->fault);
    for (uint32_t i = 0; i < records && i < MOST; i++) {
        demo->config.proto->burst(demo, i);
    }
}

static bool reset_is_due(demo_t *demo) {
    const uint32_t every = demo->fault.config.reset_every;
    const bool commanded = sty_fault_take_reset(&demo->fault);
    return commanded || (every != 0u && demo->link_steps % STEPS_OF_SECOND == 0u &&
        demo->link_steps / STEPS_OF_SECOND % every == 0u);
}

void demo_step(demo_t *demo) {
    demo->link_steps++;
    if (demo->halted) {
        return; /* only the link keeps running */
    }
    demo->reset_due = reset_is_due(demo) || demo->reset_due || demo->stuck == 1u;
    if (demo->stuck > 1u) {
        demo->stuck--;
        demo->config.proto->poll(demo);
        return;
    }
    if (demo->reset_due) {
        return; /* until everything is sent */
    }
    demo->steps++;
    const uint64_t time = (uint64_t)demo->steps * DEMO_STEP_MS * 1000u;
    if (demo->time < time) {
        demo->time = time;
    }
    send_burst(demo);
    demo_tick(demo);
    demo_plant(demo);
    demo_run(demo);
    demo_run_tasks(demo);
    demo->config.proto->poll(demo);
}

void demo_halt(demo_t *demo) {
    demo->halted = true;
    demo->reset_due = false;
}

/* Before a stop or a reset, sends everything, including the last drop total; a reset then sends the frames of a new
 * start. */
static void end(demo_t *demo) {
    demo->config.proto->poll(demo);
    if (sty_ring_used(&demo->ring) == 0u && demo->reset_due) {
        sty_fault_was_reset(&demo->fault);
        demo->drops_before += demo_drops(demo);
        demo_restart(demo);
    }
}

/* Passes some bytes of the ring through the injector; `room` = size of `to`. */
static uint32_t read_some(demo_t *demo, uint8_t *to, uint32_t room) {
    uint8_t bytes[64];
    const uint32_t used = sty_ring_used(&demo->ring);
    uint32_t wanted = room / STY_FAULT_MOST < sizeof bytes ? room / STY_FAULT_MOST : (uint32_t)sizeof bytes;
    wanted = used < wanted ? used : wanted;
    const uint32_t time = demo->link_steps * DEMO_STEP_MS;
    const uint32_t count = sty_ring_read(&demo->ring, bytes, sty_fault_link(&demo->fault, time, 1000, wanted));
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; i++) {
        left += sty_fault_byte(&demo->fault, bytes[i], &to[left]);
    }
    return left;
}

uint32_t demo_read(demo_t *demo, uint8_t *to, uint32_t size) {
    uint32_t count = 0;
    while (count < size && sty_fault_garbage(&demo->fault, &to[count])) {
        count++;
    }
    if ((demo->reset_due || demo->halted) && sty_ring_used(&demo->ring) == 0u) {
        end(demo);
    }
    uint32_t some;
    while ((some = read_some(demo, &to[count], size - count)) != 0u) {
        count += some;
    }
    return count;
}

uint32_t demo_drops(const demo_t *demo) {
    return demo->config.proto->drops(demo);
}

void demo_feed(demo_t *demo, const uint8_t *bytes, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        demo->config.proto->feed(demo, bytes[i]);
    }
}

bool demo_command(demo_t *demo, uint32_t id, uint32_t value) {
    switch (id) {
    case DEMO_COMMAND_DOOR:
        demo_open_door(demo, value != 0u);
        return true;
    case DEMO_COMMAND_FLAME_OUT:
        demo_flame_out(demo);
        return true;
    case DEMO_COMMAND_INCIDENT:
        demo->tasks.incident = true;
        return true;
    case DEMO_COMMAND_CALM:
        demo->calm = value != 0u;
        return true;
    default:
        return sty_fault_set(&demo->fault, id, value);
    }
}
