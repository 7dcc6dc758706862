/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "demo_test.h"

#include "demo_qs.h"

enum { COMMAND_POLL = 6, COMMAND_FLAME, COMMAND_CHECK, COMMAND_PAUSE };
enum { FUNCTIONS_AT = 0x00006001, FUNCTION_SIZE = 0x40, MOST_PRESSURE = 3000, LOCATION = 100 };

static demo_test_t *test_of(void *demo) {
    return demo;
}

/* Made up in every build, as the functions are private to their files. */
static uintptr_t function_at(unsigned function) {
    return FUNCTIONS_AT + function * FUNCTION_SIZE;
}

static uint32_t probe(demo_t *demo, unsigned function) {
    return sty_qstest_probe(&test_of(demo)->test, function_at(function));
}

static void fail(demo_test_t *test) {
    sty_qs_assert(demo_qs_emitter(&test->demo), "boiler", LOCATION);
    test->port->flush(test->port->ctx);
    test->is_reset = true;
}

/* In mbar; fails as well if a probe says 1. */
static void check_pressure(demo_test_t *test, uint32_t pressure) {
    if (demo_probe(&test->demo, DEMO_CHECK_PRESSURE) == 1u || pressure > MOST_PRESSURE) {
        fail(test);
    }
}

static void on_reset(void *ctx) {
    test_of(ctx)->is_reset = true;
}

static void on_command(void *ctx, uint8_t id, uint32_t p1, uint32_t p2, uint32_t p3) {
    demo_test_t *test = test_of(ctx);
    switch (id) {
    case COMMAND_POLL:
        test->demo.polls = 0; /* the first reading is always traced */
        sensor_irq(&test->demo);
        break;
    case COMMAND_FLAME:
        flame_irq(&test->demo);
        break;
    case COMMAND_CHECK:
        check_pressure(test, p1);
        break;
    case COMMAND_PAUSE:
        sty_qstest_pause(&test->test);
        break;
    default:
        demo_qs_callbacks.command(ctx, id, p1, p2, p3);
        break;
    }
    demo_run(&test->demo);
}

static bool on_event(void *ctx, const sty_qsrx_event_t *event) {
    demo_test_t *test = test_of(ctx);
    const unsigned ao = demo_object_at(&test->demo, event->object);
    if (event->where == STY_QSRX_INIT_CURRENT && ao < DEMO_AOS) {
        demo_take_initial(&test->demo, ao);
    } else if (!demo_qs_callbacks.event(ctx, event)) {
        return false;
    }
    demo_run(&test->demo);
    return true;
}

static void names(demo_t *demo) {
    sty_qs_t *qs = demo_qs_emitter(demo);
    demo_qs.names(demo);
    sty_qs_fun_dict(qs, function_at(DEMO_READ_TEMPERATURE), "read_temperature");
    sty_qs_fun_dict(qs, function_at(DEMO_CHECK_PRESSURE), "check_pressure");
    sty_qs_enum_dict(qs, COMMAND_POLL, DEMO_QS_COMMANDS, "POLL");
    sty_qs_enum_dict(qs, COMMAND_FLAME, DEMO_QS_COMMANDS, "FLAME");
    sty_qs_enum_dict(qs, COMMAND_CHECK, DEMO_QS_COMMANDS, "CHECK");
    sty_qs_enum_dict(qs, COMMAND_PAUSE, DEMO_QS_COMMANDS, "PAUSE");
}

static void on_names(void *ctx) {
    names(ctx);
}

static uint64_t now(void *ctx) {
    return sty_qstest_now(&test_of(ctx)->test);
}

/* A test begins with a boiler that was not touched, in the states that the test before has left; scripts reset those. */
static void on_setup(void *ctx) {
    demo_start_plant(ctx);
}

static bool on_wait(void *ctx) {
    const demo_test_t *test = ctx;
    return test->port->serve(test->port->ctx);
}

static void start(demo_t *demo) {
    static const sty_qs_target_t target = {.version = 815,
        .date = 260805,
        .tail = STY_QS_TARGET(DEMO_AOS + DEMO_TASKS, 1, 1, 26, 11, 22, 12, 0, 0),
        .info = sty_qs_info_8};
    static const sty_qstest_cb_t callbacks = {.setup = on_setup, .wait = on_wait};
    demo_test_t *test = test_of(demo);
    sty_qs_t *qs = demo_qs_emitter(demo);
    sty_qsrx_t *rx = &demo->trace.qs.rx;
    test->callbacks = demo_qs_callbacks;
    test->callbacks.reset = on_reset;
    test->callbacks.command = on_command;
    test->callbacks.event = on_event;
    test->callbacks.names = on_names;
    demo->env.now = now;
    demo->env.second = 0;
    sty_qs_init(qs, &demo->ring, &target);
    sty_qsrx_init(rx, qs, &test->callbacks, demo);
    sty_qstest_init(&test->test, rx, &callbacks, demo);
    sty_qs_start(qs);
}

static void pause(demo_t *demo) {
    sty_qstest_pause(&test_of(demo)->test);
}

static void feed(demo_t *demo, uint8_t byte) {
    sty_qstest_feed(&test_of(demo)->test, byte);
}

void demo_test_start(demo_test_t *test, const demo_objects_t *objects, const demo_test_port_t *port) {
    test->is_reset = false;
    test->port = port;
    test->proto = demo_qs;
    test->proto.start = start;
    test->proto.names = names;
    test->proto.pause = pause;
    test->proto.feed = feed;
    test->proto.probe = probe;
    const demo_config_t config = {.proto = &test->proto, .seed = 1, .objects = objects};
    demo_init(&test->demo, &config);
}
