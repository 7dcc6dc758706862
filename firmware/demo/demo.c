/* The instance: clock, steps, link, commands. */
#include "demo_trace.h"

static uint64_t now(void *ctx) {
    enum { A_RECORD_TAKES = 2 };
    demo_t *demo = ctx;
    if (demo->config.clock != NULL) {
        return demo->config.clock(demo->config.ctx) - demo->zero;
    }
    demo->time += A_RECORD_TAKES;
    return demo->time;
}

uint32_t demo_random(demo_t *demo, uint32_t bound) {
    uint32_t x = demo->random;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    demo->random = x;
    return x % bound;
}

void demo_restart(demo_t *demo) {
    const demo_proto_t *proto = demo->config.proto;
    demo->reset_due = false;
    demo->halted = false;
    demo->steps = 0;
    demo->time = 0;
    demo->zero = demo->config.clock != NULL ? demo->config.clock(demo->config.ctx) : 0;
    demo_start_plant(demo);
    sty_ring_init(&demo->ring, &demo->env, demo->ring_mem, sizeof demo->ring_mem);
    proto->start(demo);
    proto->names(demo);
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
    demo->objects.pool = &demo->own.pool;
}

void demo_init(demo_t *demo, const demo_config_t *config) {
    enum { MICROSECONDS = 1000000 };
    demo->config = *config;
    demo->env = (sty_env_t){now, sty_env_no_lock, sty_env_no_unlock, demo, MICROSECONDS};
    demo->random = config->seed * 2654435769u + 1u;
    if (demo->random == 0u) {
        demo->random = 1;
    }
    demo->link_rate = 0;
    demo->credit = 0;
    demo->burst = 0;
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

static void send_burst(demo_t *demo) {
    for (uint32_t i = 0; i < demo->burst; i++) {
        demo->config.proto->burst(demo, i);
    }
    demo->burst = 0;
}

/* What the link did not use is not saved up. */
static void pass_time_of_link(demo_t *demo) {
    demo->credit = demo->credit % 1000u + demo->link_rate * DEMO_STEP_MS;
}

void demo_step(demo_t *demo) {
    pass_time_of_link(demo);
    if (demo->reset_due || demo->halted) {
        return; /* only the link goes on, before a reset until all is sent */
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
    demo->config.proto->poll(demo);
}

void demo_halt(demo_t *demo) {
    demo->halted = true;
}

/* All is sent before a stop or a reset. The last drop total is left, then a reset brings the frames of a new start. */
static void end(demo_t *demo) {
    demo->config.proto->poll(demo);
    if (sty_ring_used(&demo->ring) == 0u && demo->reset_due) {
        demo_restart(demo);
    }
}

uint32_t demo_read(demo_t *demo, uint8_t *to, uint32_t size) {
    if ((demo->reset_due || demo->halted) && sty_ring_used(&demo->ring) == 0u) {
        end(demo);
    }
    if (demo->link_rate != 0u && size > demo->credit / 1000u) {
        size = demo->credit / 1000u;
    }
    const uint32_t count = sty_ring_read(&demo->ring, to, size);
    if (demo->link_rate != 0u) {
        demo->credit -= count * 1000u;
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
    enum { MOST_BYTES_PER_SECOND = 100000000, MOST_RECORDS = 1000000 };
    switch (id) {
    case DEMO_FAULT_BURST:
        demo->burst = value < MOST_RECORDS ? value : MOST_RECORDS;
        return true;
    case DEMO_FAULT_LINK_RATE:
        demo->link_rate = value < MOST_BYTES_PER_SECOND ? value : MOST_BYTES_PER_SECOND;
        return true;
    case DEMO_FAULT_RESET:
        demo->reset_due = true;
        return true;
    case DEMO_COMMAND_DOOR:
        demo_open_door(demo, value != 0u);
        return true;
    case DEMO_COMMAND_FLAME_OUT:
        demo_flame_out(demo);
        return true;
    default:
        return false;
    }
}
