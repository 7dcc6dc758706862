/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The QS receive channel with 4-byte pointers: recorded frames, damaged frames, invalid commands. */
#include "spytui/qs_rx.h"

#include "frames.h"
#include "rx_golden.h"
#include "tap.h"

static const sty_env_t env = {sty_env_no_time, sty_env_no_lock, sty_env_no_unlock, NULL, 0};
static const sty_qs_target_t target = {
    .version = 734, .tail = STY_QS_TARGET(32, 3, 2, 26, 11, 20, 14, 30, 9), .info = sty_qs_info_7};
static const sty_qs_target_t target_8 = {
    .version = 812, .tail = STY_QS_TARGET(32, 3, 2, 26, 11, 20, 14, 30, 9), .info = sty_qs_info_8};
static uint8_t mem[4096];
static sty_ring_t ring;
static sty_qs_t qs;
static sty_qsrx_t rx;

/* The accessible application object, between inaccessible bytes. */
static struct {
    uint32_t before[4];
    uint32_t object[16];
    uint32_t after[4];
} app;

/* Last arguments of the callbacks, and number of calls. */
static struct {
    unsigned calls;
    uint8_t id;
    uint32_t p1, p2, p3;
    uint8_t rate;
    sty_qsrx_event_t event;
    uint8_t parameters[80];
    bool refuse;
} called;

static bool may_access(void *ctx, uintptr_t address, size_t length, bool write) {
    (void)ctx;
    (void)write;
    const uintptr_t begin = (uintptr_t)app.object;
    return address >= begin && length <= sizeof app.object && address - begin <= sizeof app.object - length;
}

static void reset(void *ctx) {
    (void)ctx;
    called.calls++;
}

static void tick(void *ctx, uint8_t rate) {
    (void)ctx;
    called.calls++;
    called.rate = rate;
}

static void command(void *ctx, uint8_t id, uint32_t p1, uint32_t p2, uint32_t p3) {
    (void)ctx;
    called.calls++;
    called.id = id;
    called.p1 = p1;
    called.p2 = p2;
    called.p3 = p3;
}

static bool event(void *ctx, const sty_qsrx_event_t *e) {
    (void)ctx;
    called.calls++;
    called.event = *e;
    memcpy(called.parameters, e->parameters, e->length);
    return !called.refuse;
}

static uint8_t id_of(void *ctx, const void *object) {
    (void)ctx;
    called.calls++;
    return (uintptr_t)object == 0x20001000 ? 1 : (uintptr_t)object == 0x20001040 ? 2 : 0;
}

static bool query(void *ctx, uint8_t kind, const void *object, sty_qsrx_query_t *answer) {
    (void)ctx;
    (void)kind;
    (void)object;
    called.calls++;
    *answer = (sty_qsrx_query_t){.state = 0x08000124, .id = 2, .used = 3, .free = 7, .min = 5, .block_size = 16,
        .owner = (const void *)(uintptr_t)0x20001040, .counter = 4, .interval = 10, .sig = 6, .flags = 0x81};
    return !called.refuse;
}

static void names(void *ctx) {
    (void)ctx;
    sty_qs_obj_dict(&qs, app.object, "app");
}

static const sty_qsrx_cb_t callbacks = {may_access, reset, tick, command, event, id_of, query, NULL, NULL};

static void begin_with(const sty_qs_target_t *what, const sty_qsrx_cb_t *cb) {
    memset(&called, 0, sizeof called);
    memset(&app, 0x11, sizeof app);
    sty_ring_init(&ring, &env, mem, sizeof mem);
    sty_qs_init(&qs, &ring, what);
    sty_qs_current(&qs, STY_QS_SM_AO, (const void *)(uintptr_t)0x20001000);
    sty_qs_current(&qs, STY_QS_AP, app.object);
    sty_qsrx_init(&rx, &qs, cb, NULL);
}

static void begin(void) {
    begin_with(&target, &callbacks);
}

static size_t bytes_of(const char *text, uint8_t *bytes) {
    size_t count = 0;
    for (unsigned byte; sscanf(text, "%2x", &byte) == 1; text += 2) {
        bytes[count] = (uint8_t)byte;
        count++;
    }
    return count;
}

static void feed(const uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        sty_qsrx_feed(&rx, bytes[i]);
    }
}

/* Sends a frame with a valid checksum and the next number. */
static void send(const uint8_t *payload, size_t count) {
    uint8_t out[256];
    sty_ring_t link;
    uint8_t link_mem[256];
    sty_ring_init(&link, &env, link_mem, sizeof link_mem);
    sty_ring_begin(&link);
    const uint8_t number = (uint8_t)(rx.seq + 1);
    sty_hdlc_put(&link, &number, &number + 1);
    sty_hdlc_put(&link, payload, payload + count);
    sty_hdlc_end(&link, ~(uint32_t)link.sum);
    const uint32_t length = sty_ring_read(&link, out, sizeof out);
    feed(out, length);
}
#define SEND(...) send((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* The pending answers in the ring: ids, with the status or command if there is one. */
static const char *answers(void) {
    static char text[256];
    uint8_t frame[600];
    size_t used = 0;
    text[0] = '\0';
    for (size_t length; (length = next_frame(&ring, frame, sizeof frame)) != 0 && used + 8 < sizeof text;) {
        const char *blank = used == 0 ? "" : " ";
        const uint8_t value = frame[length - 2];
        const bool is_status = frame[1] == 65 || frame[1] == 66;
        used += (size_t)(is_status ? snprintf(&text[used], sizeof text - used, "%s%u:%02x", blank, frame[1], value)
                                   : snprintf(&text[used], sizeof text - used, "%s%u", blank, frame[1]));
    }
    return text;
}

static bool answered(const char *expected) {
    const char *got = answers();
    if (strcmp(got, expected) != 0) {
        printf("# got %s, expected %s\n", got, expected);
        return false;
    }
    return true;
}

/* The payload of the next answer, without number, id and checksum. */
static const char *payload_of_answer(void) {
    uint8_t frame[600];
    const size_t length = next_frame(&ring, frame, sizeof frame);
    return length < 3 ? "" : hex(&frame[2], length - 3);
}

static void recorded_frames(void) {
    begin();
    for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++) {
        uint8_t bytes[128];
        const size_t count = bytes_of(golden[i].frame, bytes);
        if (bytes[0] == 1) {
            sty_qsrx_init(&rx, &qs, &callbacks, NULL); /* the host starts over: the target was reset */
        }
        feed(bytes, count);
        OK(answered(golden[i].answers), "%s", golden[i].command);
    }
}

static void names_for_a_late_host(void) {
    static const sty_qsrx_cb_t with_names = {.names = names};
    begin_with(&target, &with_names);
    SEND(0);
    OK(answered("64 61"), "INFO is answered with the names, too");
}

/* The effects of the commands among them. */
static void recorded_commands(void) {
    uint8_t bytes[128];
    begin();
    feed(bytes, bytes_of("0101030a000000140000007d5e0000005e7e", bytes));
    OK(called.id == 3 && called.p1 == 10 && called.p2 == 20 && called.p3 == 0x7E, "a command has its parameters");
    answers();
    feed(bytes, bytes_of("0205040002023412cdab327e", bytes));
    OK(memcmp((const uint8_t *)app.object + 4, "\x34\x12\xCD\xAB", 4) == 0 && answered("66:05"), "a poke writes");
    SEND(4, 4, 0, 2, 2);
    OK(strcmp(payload_of_answer(), "00000000040002023412cdab") == 0, "a peek reads");
    SEND(6, 0, 0, 1, 16, 0x5A);
    bool filled = ((const uint8_t *)app.object)[16] == 0x11;
    for (unsigned i = 0; i < 16; i++) {
        filled = filled && ((const uint8_t *)app.object)[i] == 0x5A;
    }
    OK(filled && answered("66:06"), "a fill fills");
    SEND(5, 1, 0, 4, 2, 1, 2, 3, 4, 5, 6, 7, 8);
    OK(memcmp((const uint8_t *)app.object + 1, "\1\2\3\4\5\6\7\10", 8) == 0, "a poke may stand at an odd offset");
    answers();
    SEND(4, 1, 0, 4, 2);
    OK(strcmp(payload_of_answer(), "00000000010004020102030405060708") == 0, "a peek too");
    SEND(16, 2, 6, 0, 3, 0, 1, 0x7E, 3);
    OK(called.event.where == 2 && called.event.sig == 6 && called.event.length == 3 &&
           memcmp(called.parameters, "\1\x7E\3", 3) == 0 && answered("66:10 65:10"), "an event has its signal and parameters");
    SEND(16, 255, 5, 0, 0, 0);
    OK((uintptr_t)called.event.object == 0x20001000, "a dispatch goes to the current state machine");
    answers();
    static const uint8_t all_on[] = {10, 16, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 31};
    send(all_on, sizeof all_on);
    OK(sty_qs_on(&qs, 124, 5) && answered("66:0a"), "the global filter is set");
    static const uint8_t only_2[] = {11, 16, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    send(only_2, sizeof only_2);
    OK(sty_qs_on(&qs, 124, 2) && sty_qs_on(&qs, 124, 0) && !sty_qs_on(&qs, 124, 5), "and the local one, 0 aside");
    SEND(12, 1, 0x40, 0x10, 0, 0x20);
    OK(!sty_qs_on(&qs, 124, 2), "an active object is taken out of it");
    SEND(12, 0, 0x00, 0x10, 0, 0x20);
    OK(sty_qs_on(&qs, 124, 1) && answered("66:0b 66:0c 66:0c"), "and put in");
}

static void queries(void) {
    static const char *const seven[] = {"000010002024010008",
                                        "010010002024010008",
                                        "020810002007000500",
                                        "03081000200705",
                                        "040810002040100020040000000a000000060081",
                                        "0508100020"};
    static const char *const eight[] = {"000010002024010008",
                                        "0102030007000500",
                                        "02081000200300070005001000",
                                        "0308100020030007000500",
                                        "040810002040100020040000000a000000060081",
                                        "05"};
    for (unsigned round = 0; round < 2; round++) {
        begin_with(round == 0 ? &target : &target_8, &callbacks);
        for (uint8_t kind = STY_QS_MP; kind <= STY_QS_AP; kind++) {
            sty_qs_current(&qs, kind, (const void *)(uintptr_t)0x20001008);
        }
        bool good = true;
        for (uint8_t kind = 0; kind <= STY_QS_AP; kind++) {
            SEND(15, kind);
            const char *got = payload_of_answer();
            const char *expected = round == 0 ? seven[kind] : eight[kind];
            good = good && strncmp(got, "00000000", 8) == 0 && strcmp(got + 8, expected) == 0;
        }
        OK(good, "queries of %s", round == 0 ? "7.x" : "8.1");
    }
    OK(sty_qs_current(&qs, STY_QS_EP, &app), "8.x has current event pools");
    SEND(15, 7);
    OK(strcmp(payload_of_answer(), "0000000007020300070005001000") == 0, "and lists them");
}

static void refusals(void) {
    static const sty_qsrx_cb_t none = {0};
    begin();
#define REFUSES(why, expected, ...) (SEND(__VA_ARGS__), OK(answered(expected), why))
    REFUSES("a tick without a rate", "66:83", 3);
    REFUSES("an info with a payload", "66:80", 0, 1);
    REFUSES("a reset with a payload", "66:82", 2, 1);
    REFUSES("a command that is too short", "66:81", 1, 3, 1, 0, 0, 0);
    REFUSES("a peek of items of 3 bytes", "66:84", 4, 0, 0, 3, 1);
    REFUSES("a peek of nothing", "66:84", 4, 0, 0, 1, 0);
    REFUSES("a peek beyond the object", "66:84", 4, 60, 0, 4, 2);
    REFUSES("a peek far beyond", "66:84", 4, 255, 255, 4, 255);
    REFUSES("a poke with too few bytes", "66:85", 5, 0, 0, 2, 2, 1, 2, 3);
    REFUSES("a poke with too many", "66:85", 5, 0, 0, 2, 1, 1, 2, 3);
    REFUSES("a poke beyond the object", "66:85", 5, 62, 0, 2, 2, 1, 2, 3, 4);
    REFUSES("a fill without an item", "66:86", 6, 0, 0, 2, 2);
    REFUSES("a fill beyond the object", "66:86", 6, 0, 0, 1, 65, 0);
    REFUSES("a filter of 8 bytes", "66:8a", 10, 8, 0, 0, 0, 0, 0, 0, 0, 0);
    REFUSES("the filter of no active object", "66:8c", 12, 0, 0, 0, 0, 0);
    REFUSES("the filter of an unknown one", "66:8c", 12, 0, 1, 2, 3, 4);
    REFUSES("a current object of unknown kind", "66:8d", 13, 9, 0, 0x10, 0, 0x20);
    REFUSES("a current event pool before 8.0", "66:8d", 13, 7, 0, 0x10, 0, 0x20);
    REFUSES("a query of unknown kind", "66:8f", 15, 9);
    REFUSES("a query without an object", "66:8f", 15, 2);
    REFUSES("an event longer than it says", "66:90", 16, 0, 6, 0, 0, 0, 1);
    REFUSES("an event shorter than it says", "66:90", 16, 0, 6, 0, 0x2C, 1);
    REFUSES("an event for no priority", "66:90", 16, 33, 6, 0, 0, 0);
    REFUSES("unknown commands", "66:c3", 20);
    OK(called.calls == 1, "no callback but that for the unknown active object was called");
    called.refuse = true;
    REFUSES("an event that the program refuses is acknowledged first", "66:10 66:90", 16, 1, 6, 0, 0, 0);
    REFUSES("a query that it refuses", "66:8f", 15, 1);
    OK(app.before[3] == 0x11111111 && app.object[0] == 0x11111111 && app.after[0] == 0x11111111, "nothing was written");

    begin_with(&target, &none);
    REFUSES("without callbacks: command", "66:81", 1, 3, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0);
    REFUSES("tick", "66:83", 3, 0);
    REFUSES("reset", "66:82", 2);
    REFUSES("peek", "66:84", 4, 0, 0, 1, 1);
    REFUSES("poke", "66:85", 5, 0, 0, 1, 1, 1);
    REFUSES("fill", "66:86", 6, 0, 0, 1, 1, 1);
    REFUSES("active object filter", "66:8c", 12, 0, 0, 0x10, 0, 0x20);
    REFUSES("query", "66:8f", 15, 1);
    REFUSES("event", "66:90", 16, 1, 6, 0, 0, 0);
    OK(app.object[0] == 0x11111111, "nothing was written");
}

static void bad_frames(void) {
    begin();
    feed((const uint8_t *)"\x01\x00\xFD\x7E", 4);
    OK(answered("66:c1 66:d0"), "a bad checksum is reported, and as a bad frame");
    feed((const uint8_t *)"\x7E\x7E", 2);
    OK(answered(""), "flags in a row are nothing");
    feed((const uint8_t *)"\xFF\x7E", 2);
    OK(answered("66:d0"), "a frame without a command is a bad one");
    static const uint8_t zeros[STY_QSRX_FRAME + 1];
    feed(zeros, sizeof zeros);
    feed((const uint8_t *)"\x7E", 1);
    OK(answered("66:d0"), "so is one that is too long");
    feed((const uint8_t *)"\x05\x00\xFA\x7E", 4);
    OK(answered("66:c2 64"), "a wrong number is reported, the command is done");
    feed((const uint8_t *)"\x06\x00\xF9\x7E", 4);
    OK(answered("64"), "the next number is right again");
}

/* Are target and program in their initial state? */
static bool untouched(void) {
    const sty_qs_t before = qs;
    const unsigned calls = called.calls;
    uint32_t object[16];
    memcpy(object, app.object, sizeof object);
    begin();
    return calls == 0 && memcmp(before.glb, qs.glb, sizeof qs.glb) == 0 &&
           memcmp(before.loc_off, qs.loc_off, sizeof qs.loc_off) == 0 &&
           memcmp(before.current, qs.current, sizeof qs.current) == 0 && memcmp(object, app.object, sizeof object) == 0;
}

/* Only answers to bad frames. */
static bool only_bad_frames(void) {
    char text[256];
    snprintf(text, sizeof text, "%s", answers());
    for (const char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) {
        if (strcmp(word, "66:c1") != 0 && strcmp(word, "66:d0") != 0) {
            return false;
        }
    }
    return true;
}

static void flipped_bits(void) {
    unsigned flips = 0;
    unsigned passed = 0;
    for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++) {
        uint8_t bytes[128];
        const size_t count = bytes_of(golden[i].frame, bytes);
        for (size_t bit = 0; bit < 8 * count; bit++) {
            uint8_t damaged[128];
            memcpy(damaged, bytes, count);
            damaged[bit / 8] ^= (uint8_t)(1u << (bit % 8));
            begin();
            feed(damaged, count);
            feed((const uint8_t *)"\x7E", 1); /* the next frame, if the flag was hit */
            const bool refused = only_bad_frames();
            flips++;
            if (!untouched() || !refused) {
                passed++;
                printf("# the sum does not see: %s, bit %u of byte %u: %s\n", golden[i].command, (unsigned)(bit % 8),
                       (unsigned)(bit / 8), hex(damaged, count));
            }
        }
    }
    OK(passed == 0, "of %u frames with a flipped bit all but %u are refused", flips, passed);
}

int main(void) {
    recorded_frames();
    names_for_a_late_host();
    recorded_commands();
    queries();
    refusals();
    bad_frames();
    flipped_bits();
    return DONE();
}
