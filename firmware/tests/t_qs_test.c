/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The QS test part: the recorded session of two tests, byte by byte; probes, pauses, invalid commands. */
#include "spytui/qs_rec.h"
#include "spytui/qs_test.h"

#include "frames.h"
#include "tap.h"
#include "test_golden.h"

#if STY_QS_OBJ_SIZE == 8
#define HAS_GOLDEN_SIZES 1
#else
#define HAS_GOLDEN_SIZES 0
#endif

static sty_qstest_t test;
static const sty_env_t env = {sty_qstest_now, sty_env_no_lock, sty_env_no_unlock, &test, 0};
static const sty_qs_target_t target = {
    .version = 733, .tail = STY_QS_TARGET(32, 3, 2, 26, 11, 20, 10, 23, 36), .info = sty_qs_info_7};
static uint8_t mem[4096];
static sty_ring_t ring;
static sty_qs_t qs;
static sty_qsrx_t rx;

static struct {
    unsigned setups, teardowns, resets, waits;
    bool gone;               /* wait() gives up */
    void (*meanwhile)(void); /* done by wait() */
} called;
static uint8_t buffer[6];

static size_t bytes_of(const char *text, uint8_t *bytes) {
    size_t count = 0;
    for (unsigned byte; sscanf(text, "%2x", &byte) == 1; text += 2) {
        bytes[count] = (uint8_t)byte;
        count++;
    }
    return count;
}

static void feed(const char *text) {
    uint8_t bytes[256];
    const size_t count = bytes_of(text, bytes);
    for (size_t i = 0; i < count; i++) {
        sty_qstest_feed(&test, bytes[i]);
    }
}

/* Sends a command with the next number. */
static void send(const uint8_t *payload, size_t count) {
    uint8_t out[256];
    uint8_t link_mem[256];
    static const sty_env_t no_env = {sty_env_no_time, sty_env_no_lock, sty_env_no_unlock, NULL, 0};
    sty_ring_t link;
    sty_ring_init(&link, &no_env, link_mem, sizeof link_mem);
    sty_ring_begin(&link);
    const uint8_t number = (uint8_t)(rx.seq + 1);
    sty_hdlc_put(&link, &number, &number + 1);
    sty_hdlc_put(&link, payload, payload + count);
    sty_hdlc_end(&link, ~(uint32_t)link.sum);
    const uint32_t length = sty_ring_read(&link, out, sizeof out);
    for (uint32_t i = 0; i < length; i++) {
        sty_qstest_feed(&test, out[i]);
    }
}
#define SEND(...) send((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static void add_probe(uintptr_t function, uint32_t data) {
    uint8_t command[5 + STY_QS_FUN_SIZE] = {9};
    for (unsigned i = 0; i < 4; i++) {
        command[1 + i] = (uint8_t)(data >> (8 * i));
    }
    for (unsigned i = 0; i < STY_QS_FUN_SIZE; i++) {
        command[5 + i] = (uint8_t)((uint64_t)function >> (8 * i));
    }
    send(command, sizeof command);
}

static void on_setup(void *ctx) {
    (void)ctx;
    called.setups++;
}
static void on_teardown(void *ctx) {
    (void)ctx;
    called.teardowns++;
}
static bool on_wait(void *ctx) {
    (void)ctx;
    called.waits++;
    if (called.meanwhile != NULL) {
        called.meanwhile();
    }
    return !called.gone && called.waits < 100;
}
static void on_reset(void *ctx) {
    (void)ctx;
    called.resets++;
}
static bool on_event(void *ctx, const sty_qsrx_event_t *event) {
    (void)ctx;
    sty_qs_dispatch(&qs, 1, event->sig, event->object, GOLDEN_SHUT);
    sty_qs_state_entry(&qs, 1, event->object, GOLDEN_WIDE);
    sty_qs_tran(&qs, 1, event->sig, event->object, GOLDEN_SHUT, GOLDEN_WIDE);
    return true;
}
static bool may_access(void *ctx, uintptr_t address, size_t length, bool write) {
    (void)ctx;
    (void)write;
    return address == GOLDEN_BUFFER && length <= sizeof buffer;
}
static void *at(void *ctx, uintptr_t address) {
    (void)ctx;
    return &buffer[address - GOLDEN_BUFFER];
}

static void begin_with(const sty_qstest_cb_t *test_callbacks) {
    static const sty_qsrx_cb_t callbacks = {.may_access = may_access, .reset = on_reset, .event = on_event, .at = at};
    memset(&called, 0, sizeof called);
    memset(buffer, 0, sizeof buffer);
    sty_ring_init(&ring, &env, mem, sizeof mem);
    sty_qs_init(&qs, &ring, &target);
    sty_qsrx_init(&rx, &qs, &callbacks, NULL);
    sty_qstest_init(&test, &rx, test_callbacks, NULL);
}

static void begin(void) {
    static const sty_qstest_cb_t callbacks = {on_setup, on_teardown, on_wait};
    begin_with(&callbacks);
}

/* Everything in the ring. */
static const char *sent(void) {
    uint8_t bytes[512];
    const uint32_t count = sty_ring_read(&ring, bytes, sizeof bytes);
    return hex(bytes, count);
}

static bool has_sent(const char *expected) {
    const char *got = sent();
    if (strcmp(got, expected) != 0) {
        printf("# got %s, expected %s\n", got, expected);
        return false;
    }
    return true;
}

/* The pending answers: ids, with the status or command if there is one. */
static bool answered(const char *expected) {
    char text[256] = "";
    uint8_t frame[600];
    size_t used = 0;
    for (size_t length; (length = next_frame(&ring, frame, sizeof frame)) != 0 && used + 8 < sizeof text;) {
        const char *blank = used == 0 ? "" : " ";
        used += (size_t)(frame[1] == 65 || frame[1] == 66
                ? snprintf(&text[used], sizeof text - used, "%s%u:%02x", blank, frame[1], frame[length - 2])
                : snprintf(&text[used], sizeof text - used, "%s%u", blank, frame[1]));
    }
    if (strcmp(text, expected) != 0) {
        printf("# got %s, expected %s\n", text, expected);
        return false;
    }
    return true;
}

static void recorded_session(void) {
    begin();
    sty_qs_start(&qs);
    OK(strncmp(sent(), test_golden_start, strlen(test_golden_start)) == 0, "the start of a test target");
    qs.seq = 0x17;
    sty_qs_run(&qs);
    OK(has_sent(test_golden_run), "it runs");
    for (size_t i = 0; i < sizeof test_golden / sizeof test_golden[0]; i++) {
        feed(test_golden[i].frame);
        OK(has_sent(test_golden[i].answer), "%s", test_golden[i].command);
    }
    OK(called.setups == 2 && called.teardowns == 2 && called.resets == 1, "the program was called for each");
}

enum { SENSOR = 0x4801, MOTOR = 0x4A01 };

static void probes(void) {
    begin();
    OK(sty_qstest_probe(&test, SENSOR) == 0 && has_sent(""), "without a probe nothing is sent");
    add_probe(SENSOR, 600);
    add_probe(MOTOR, 0xFFFFFFFF);
    add_probe(SENSOR, 610);
    OK(answered("66:09 66:09 66:09"), "probes are acknowledged");
    test.time = 4;
    OK(sty_qstest_probe(&test, SENSOR) == 600, "a function takes the first of its probes");
    uint8_t frame[64];
    const size_t length = next_frame(&ring, frame, sizeof frame);
    char expected[64] = "3b050000000148000000000000";
    expected[10 + 2 * STY_QS_FUN_SIZE] = '\0';
    OK(length == 2 + 4 + STY_QS_FUN_SIZE + 4 + 1 && strncmp(hex(&frame[1], length - 6), expected, strlen(expected)) == 0 &&
           memcmp(&frame[length - 5], "\x58\x02\0\0", 4) == 0, "which is sent with time, function and data");
    OK(sty_qstest_probe(&test, MOTOR) == 0xFFFFFFFF && sty_qstest_probe(&test, SENSOR) == 610, "the others stay in order");
    OK(sty_qstest_probe(&test, SENSOR) == 0 && answered("59 59"), "each is taken once");
    add_probe(SENSOR, 1);
    SEND(7);
    OK(sty_qstest_probe(&test, SENSOR) == 0 && answered("66:09 66:07"), "a setup removes what is left");
    add_probe(SENSOR, 1);
    SEND(8);
    OK(sty_qstest_probe(&test, SENSOR) == 0 && answered("66:09 66:08"), "a teardown, too");
    for (unsigned i = 0; i < STY_QSTEST_PROBES; i++) {
        add_probe(SENSOR, i + 1);
    }
    sty_ring_skip(&ring, sty_ring_used(&ring));
    add_probe(SENSOR, 17);
    OK(answered("66:89"), "one more than there is room for is refused");
}

static void go_on(void) {
    if (called.waits == 2) {
        SEND(14);
    }
}

/* In its first pause, the program is sent something that pauses it again. */
static void pause_again(void) {
    if (called.waits == 1) {
        sty_qstest_pause(&test);
    } else if (called.waits == 3 || called.waits == 5) {
        SEND(14);
    }
}

static void pauses(void) {
    begin();
    called.meanwhile = go_on;
    sty_qstest_pause(&test);
    OK(called.waits == 2 && answered("58 66:0e"), "a pause ends when the host continues");
    sty_qstest_pause(&test);
    OK(called.waits == 100 && answered("58"), "another one needs another command");
    begin();
    called.gone = true;
    sty_qstest_pause(&test);
    OK(called.waits == 1 && test.pauses == 0 && answered("58"), "a pause ends without a host");
    begin();
    SEND(14);
    OK(answered("66:0e"), "continuing a program that runs is no mistake");
    begin();
    called.meanwhile = pause_again;
    sty_qstest_pause(&test);
    OK(called.waits == 5 && test.pauses == 0 && answered("58 58 66:0e 66:0e"), "a pause inside a pause ends first");
}

static void refusals(void) {
    static const sty_qstest_cb_t none = {0};
    begin();
#define REFUSES(why, expected, ...) (SEND(__VA_ARGS__), OK(answered(expected), why))
    REFUSES("a setup with a payload", "66:87", 7, 0);
    REFUSES("a teardown with a payload", "66:88", 8, 0);
    REFUSES("a probe without a function", "66:89", 9, 1, 0, 0, 0);
    REFUSES("a continue with a payload", "66:8e", 14, 0);
    REFUSES("unknown commands, as without the test part", "66:c3", 17);
    OK(called.setups == 0 && called.teardowns == 0, "nothing was called");
    feed("0507f07e");
    OK(answered("66:c1 66:d0"), "a bad checksum");
    feed("007e");
    OK(answered("66:d0"), "a frame that is too short");
    feed("7d7e");
    OK(answered("66:d0"), "a frame that ends in an escape");
    for (unsigned i = 0; i <= STY_QSRX_FRAME; i++) {
        feed("07");
    }
    feed("7e");
    OK(answered("66:d0"), "a frame that is too long");
    feed("6307957e");
    OK(answered("66:c2 66:07") && called.setups == 1, "a wrong number is reported, the command is done");
    SEND(0);
    OK(answered("64"), "the next number is right, for commands of the receive channel as well");
    begin_with(&none);
    SEND(7);
    SEND(8);
    OK(answered("66:07 66:08"), "a program that has nothing to do is set up and torn down");
    sty_qstest_pause(&test);
    OK(answered(""), "one that can't wait does not pause");
}

int main(void) {
    if (HAS_GOLDEN_SIZES) {
        recorded_session();
    }
    probes();
    pauses();
    refusals();
    return DONE();
}
