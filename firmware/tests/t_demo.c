/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The demo: the same seed gives the same bytes, nothing is dropped at full link rate, all drops are reported,
 * commands are answered. */
#include "demo_trace.h"

#include "frames.h"
#include "tap.h"

static const demo_proto_t *const protocols[] = {&demo_qs, &demo_rkh, &demo_tband, &demo_qnx, &demo_nto1};
enum { PROTOCOLS = sizeof protocols / sizeof protocols[0], SECOND = 1000 / DEMO_STEP_MS };

static demo_t demo;

/* Bytes carried by the link. */
static uint8_t stream[1 << 20];
static size_t length;

static void start(const demo_proto_t *proto, uint32_t seed) {
    const demo_config_t config = {.proto = proto, .seed = seed};
    memset(&demo, 0xA5, sizeof demo);
    demo_init(&demo, &config);
    length = 0;
}

static void take(void) {
    uint32_t count;
    while ((count = demo_read(&demo, &stream[length], (uint32_t)(sizeof stream - length))) != 0) {
        length += count;
    }
}

static void run(unsigned steps) {
    for (unsigned i = 0; i < steps; i++) {
        demo_step(&demo);
        take();
    }
}

static void test_same_bytes(const demo_proto_t *proto) {
    static uint8_t before[sizeof stream];
    start(proto, 7);
    run(60 * SECOND);
    const size_t length_before = length;
    memcpy(before, stream, length);
    start(proto, 7);
    run(60 * SECOND);
    OK(length == length_before && memcmp(before, stream, length) == 0, "%s: seed 7 gives the same %zu bytes again",
        proto->name, length);
    start(proto, 8);
    run(60 * SECOND);
    OK(length != length_before || memcmp(before, stream, length) != 0, "%s: another seed gives other bytes", proto->name);
}

static void test_no_drops(const demo_proto_t *proto) {
    start(proto, 1);
    for (unsigned i = 0; i < 600; i++) {
        run(SECOND);
        length = 0;
    }
    OK(demo_drops(&demo) == 0, "%s: nothing is dropped in 10 minutes, peak %lu of %lu bytes", proto->name,
        (unsigned long)sty_ring_peak(&demo.ring), (unsigned long)sizeof demo.ring_mem);
}

static void test_link_rate(const demo_proto_t *proto) {
    start(proto, 1);
    run(SECOND);
    demo_command(&demo, STY_FAULT_LINK_RATE, 40);
    length = 0;
    run(60 * SECOND);
    OK(length <= 61 * 40 && length > 59 * 40, "%s: the link carries 40 bytes per second: %zu", proto->name, length);
    OK(demo_drops(&demo) != 0, "%s: the rest is dropped: %lu", proto->name, (unsigned long)demo_drops(&demo));
}

/* The frames of a QS stream: losses according to the numbers, and the last drop total. */
typedef struct {
    unsigned records;
    unsigned gaps;
    uint32_t total;
    unsigned damaged;
} qs_account_t;

static qs_account_t qs_account(void) {
    qs_account_t account = {0};
    uint8_t frame[512];
    uint8_t seq = 0;
    sty_hdlc_rx_t rx;
    sty_hdlc_rx_init(&rx, frame, sizeof frame);
    for (size_t i = 0; i < length; i++) {
        const int got = sty_hdlc_rx_feed(&rx, stream[i]);
        if (got == STY_HDLC_MORE || got == 0) {
            continue; /* a repeated flag: no bytes in between */
        }
        uint8_t sum = 0;
        for (int k = 0; k < got; k++) {
            sum = (uint8_t)(sum + frame[k]);
        }
        if (got < 3 || sum != 0xFF) {
            account.damaged++;
            continue;
        }
        account.records++;
        account.gaps += frame[1] == 0 ? 0 : (uint8_t)(frame[0] - seq - 1);
        seq = frame[0];
        if (frame[1] == STY_QS_DROPS_REC) {
            account.total = (uint32_t)(frame[7] | frame[8] << 8 | frame[9] << 16) | (uint32_t)frame[10] << 24;
        }
    }
    return account;
}

static void test_qs_drops(void) {
    start(&demo_qs, 1);
    take();
    demo_command(&demo, STY_FAULT_BURST, 4000);
    run(2 * SECOND);
    const qs_account_t account = qs_account();
    OK(account.damaged == 0 && account.total == demo_drops(&demo) && account.total > 3000,
        "qs: the total after a burst of 4000 is that of the target: %lu", (unsigned long)account.total);
    OK(account.gaps % 256 == account.total % 256, "qs: and the gaps are the same modulo 256");
}

static void test_faults(const demo_proto_t *proto) {
    const demo_config_t config = {
        .proto = proto, .seed = 1, .faults = {.flip = 300, .loss = 100, .noise = 100, .dup = 100, .garbage = 50, .seed = 5}};
    demo_init(&demo, &config);
    length = 0;
    run(120 * SECOND);
    const sty_fault_log_t *log = &demo.fault.log;
    OK(length == log->bytes_out && length == log->bytes_in - log->losses + log->noises + log->dups + log->garbage &&
        log->garbage == 50 && log->flips != 0, "%s: faults are done and written down: %lu flips", proto->name,
        (unsigned long)log->flips);
    if (proto == &demo_qs) {
        const qs_account_t account = qs_account();
        OK(account.damaged == log->damaged - log->beyond && account.records == log->pieces - account.damaged,
            "qs: %u damaged pieces are found, as the injector says", account.damaged);
    }
}

/* A halt completes, even with a slow link and when a reset is due. */
static void test_halt(const demo_proto_t *proto) {
    const demo_config_t config = {.proto = proto, .seed = 1, .faults = {.link_rate = 300, .reset_every = 10, .seed = 1}};
    demo_init(&demo, &config);
    length = 0;
    run(10 * SECOND - 1);
    demo_halt(&demo);
    run(20 * SECOND);
    const size_t length_before = length;
    run(20 * SECOND);
    OK(sty_ring_used(&demo.ring) == 0 && length == length_before && demo.fault.log.resets == 0,
        "%s: after a halt all is sent, then nothing", proto->name);
}

/* Steps until the target is reset, or `most` steps. */
static unsigned steps_to_reset(unsigned most) {
    const uint64_t before = demo.fault.log.resets;
    unsigned steps = 0;
    while (demo.fault.log.resets == before && steps < most) {
        run(1);
        steps++;
    }
    return steps;
}

static bool stream_has(const char *text) {
    const size_t size = strlen(text);
    size_t at = 0;
    while (at + size <= length && memcmp(&stream[at], text, size) != 0) {
        at++;
    }
    return at + size <= length || demo.config.proto == &demo_qnx; /* whose texts are in pieces */
}

/* The content of its records is tested where they are decoded. */
static void test_incident(const demo_proto_t *proto) {
    start(proto, 1);
    const unsigned first = steps_to_reset(100 * SECOND);
    OK(first / SECOND == 64 && demo.objects.pool->min_free == DEMO_POOL_BLOCKS && stream_has("missed its deadline"),
        "%s: an incident ends with a reset after %u steps", proto->name, first);
    length = 0;
    const unsigned second = steps_to_reset(200 * SECOND);
    OK(second / SECOND == 124 && stream_has("assertion"), "%s: the next one after %u more", proto->name, second);
    run(10 * SECOND);
    demo_command(&demo, DEMO_COMMAND_INCIDENT, 1);
    OK(steps_to_reset(10 * SECOND) < 5 * SECOND, "%s: and one that was asked for", proto->name);
    /* Nothing that the tasks kept is left. */
    run(30 * SECOND + SECOND / 2);
    OK(demo.objects.pool->free > 0 && demo.tasks.act == NULL && demo_runner(&demo) == DEMO_NOBODY, "%s: then all is well",
        proto->name);
}

/* One of ten readings is traced, besides those that somebody waits for. */
static void test_quiet_readings(void) {
    enum { TEMPERATURE_RECORD = STY_QS_USER };
    start(&demo_qs, 1);
    sty_qs_glb_group(&demo.trace.qs.qs, STY_QS_GRP_ALL, false);
    sty_qs_glb_group(&demo.trace.qs.qs, STY_QS_GRP_U0, true);
    take();
    length = 0;
    run(11 * SECOND);
    unsigned records = 0;
    for (size_t i = 1; i + 1 < length; i++) {
        records += (i < 2 || stream[i - 2] == STY_HDLC_FLAG) && stream[i] == TEMPERATURE_RECORD;
    }
    OK(demo.readings == 22 && records >= 3 && records < 6, "qs: of %lu readings %u are traced",
        (unsigned long)demo.readings, records);
}

static void test_qs_reset(void) {
    start(&demo_qs, 1);
    demo_command(&demo, STY_FAULT_LINK_RATE, 40);
    run(40 * SECOND);
    const uint32_t before = demo_drops(&demo);
    demo_command(&demo, STY_FAULT_RESET, 1);
    run(90 * SECOND);
    demo_command(&demo, STY_FAULT_LINK_RATE, 0);
    demo_halt(&demo);
    run(1);
    take();
    const qs_account_t account = qs_account();
    OK(before != 0 && account.damaged == 0 && account.total == demo_drops(&demo),
        "qs: a reset cuts no frame, and the count starts again: %lu, then %lu", (unsigned long)before,
        (unsigned long)account.total);
}

/* Commands of QS: answers in stream order. */

static uint8_t number;

static void feed_stuffed(const uint8_t *frame, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (frame[i] == STY_HDLC_FLAG || frame[i] == STY_HDLC_ESC) {
            const uint8_t escaped[2] = {STY_HDLC_ESC, frame[i] ^ STY_HDLC_XOR};
            demo_feed(&demo, escaped, 2);
        } else {
            demo_feed(&demo, &frame[i], 1);
        }
    }
    const uint8_t flag = STY_HDLC_FLAG;
    demo_feed(&demo, &flag, 1);
}

static void send(const uint8_t *payload, size_t count) {
    uint8_t frame[64];
    uint8_t sum = ++number;
    size_t used = 0;
    frame[used++] = number;
    for (size_t i = 0; i < count; i++) {
        frame[used++] = payload[i];
        sum = (uint8_t)(sum + payload[i]);
    }
    frame[used++] = (uint8_t)~sum;
    feed_stuffed(frame, used);
}

/* QS and RKH: is there such a record whose bytes after `skip` begin like this? */
static bool has(uint8_t rec, size_t skip, const char *bytes, size_t count) {
    uint8_t frame[512];
    sty_hdlc_rx_t rx;
    sty_hdlc_rx_init(&rx, frame, sizeof frame);
    for (size_t i = 0; i < length; i++) {
        const int got = sty_hdlc_rx_feed(&rx, stream[i]);
        const uint8_t id = demo.config.proto == &demo_qs ? frame[1] : frame[0];
        if (got > 2 && id == rec && (size_t)got >= 2 + skip + count && memcmp(&frame[2 + skip], bytes, count) == 0) {
            return true;
        }
    }
    return false;
}

#define SEND(...) (length = 0, send((const uint8_t[]){__VA_ARGS__}, sizeof(const uint8_t[]){__VA_ARGS__}), take())

static void test_qs_commands(void) {
    enum { INFO = 64, DONE = 65, STATUS = 66, QUERY = 67, PEEK = 68, OBJ_DICT = 61, TRAN = 6, POST = 14 };
    start(&demo_qs, 1);
    take();
    number = 0;
    SEND(0);
    OK(has(INFO, 0, "\0\xDE\2", 3), "qs: info");
    SEND(1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    OK(has(STATUS, 0, "\1", 1) && has(OBJ_DICT, 0, "\0\x10\0\x20supervisor", 15) && has(DONE, 4, "\1", 1),
        "qs: the names once more");
    SEND(1, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    run(1);
    OK(has(TRAN, 4, "\x11\0", 2) || has(TRAN, 4, "\x0F\0", 2), "qs: the door opens");
    SEND(16, 2, DEMO_PUMP_ON_SIG, 0, 0, 0);
    run(1);
    OK(has(STATUS, 0, "\x10", 1) && has(POST, 4, "\0\0\0\0", 4) && has(TRAN, 4, (const char[]){DEMO_PUMP_ON_SIG, 0}, 2),
        "qs: an event of the host makes the pump run");
    SEND(13, 1, 0x40, 0x10, 0, 0x20);
    SEND(15, 1);
    OK(has(QUERY, 4, "\1\x40\x10\0\x20\x81\x41", 7), "qs: and the query says so");
    SEND(12, 1, 0x40, 0x10, 0, 0x20);
    SEND(16, 2, DEMO_PUMP_OFF_SIG, 0, 0, 0);
    run(1);
    OK(!has(POST, 4, "\0\0\0\0", 4), "qs: a filter keeps the pump silent");
    SEND(13, 5, 0xC0, 0x12, 0, 0x20);
    demo.objects.plant->temperature = 0x0102;
    SEND(4, 0, 0, 2, 1);
    OK(has(PEEK, 4, "\0\0\2\1\2\1", 6), "qs: a peek into the plant");
    SEND(5, 0, 0, 2, 1, 0x58, 2);
    OK(has(STATUS, 0, "\5", 1) && demo.objects.plant->temperature == 600, "qs: a poke makes it warmer");
    SEND(4, 7, 0, 2, 1);
    OK(has(STATUS, 0, "\x84", 1), "qs: no byte behind it");
    SEND(13, 5, 0, 0x10, 0, 0x20);
    SEND(4, 0, 0, 1, 1);
    OK(has(STATUS, 0, "\x84", 1), "qs: nor of another object");
    SEND(1, 26, 0xE8, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    OK(demo.fault.config.link_rate == 1000, "qs: the link rate");
    SEND(1, 26, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    run(3);
    SEND(2);
    run(1);
    OK(has(INFO, 0, "\xFF\xDE\2", 3) && has(OBJ_DICT, 0, "\0\x10\0\x20supervisor", 15), "qs: reset, names and all");
}

/* Commands of RKH and tband. */

static void send_command(uint8_t op, const uint8_t *payload, size_t count) {
    uint8_t frame[32] = {(uint8_t)(STY_CMD_VERSION << 5 | op), ++number};
    memcpy(&frame[2], payload, count);
    const uint16_t crc = sty_cmdrx_crc(frame, 2 + count);
    frame[2 + count] = (uint8_t)crc;
    frame[3 + count] = (uint8_t)(crc >> 8);
    feed_stuffed(frame, 4 + count);
}

/* RKH's answer: user event 31 with command, number and status, each with its format byte. */
static bool answered_rkh(uint8_t op, uint8_t status) {
    enum { USR_31 = 223, TIME = 4 };
    return has(USR_31, TIME, (const char[]){1, (char)op, 1, (char)number, 1, (char)status}, 6);
}

/* A variable-length number. */
static uint64_t take_number(const uint8_t **from) {
    uint64_t value = 0;
    unsigned shift = 0;
    do {
        value |= (uint64_t)(**from & 0x7F) << shift;
        shift += 7;
    } while ((*(*from)++ & 0x80) != 0);
    return value;
}

/* tband's answer: value marker 0x7F00. Its frame is COBS: a length, then that many bytes up to a zero. */
static bool answered_tband(uint8_t op, uint8_t status) {
    enum { VALUE = 0x0B };
    for (size_t begin = 0; begin < length;) {
        uint8_t event[300] = {0};
        size_t used = 0;
        while (stream[begin] != 0) {
            const uint8_t code = stream[begin++];
            for (uint8_t i = 1; i < code; i++) {
                event[used++] = stream[begin++];
            }
            used += code != 0xFF;
        }
        begin++;
        const uint8_t *from = &event[1];
        take_number(&from);
        if (event[0] == VALUE && take_number(&from) == STY_TBAND_ACK) {
            const uint64_t value = take_number(&from) >> 1;
            if ((uint8_t)value == op && (uint8_t)(value >> 8) == number && (uint8_t)(value >> 16) == status) {
                return true;
            }
        }
    }
    return false;
}

static void command(uint8_t op, const char *payload, size_t count) {
    length = 0;
    send_command(op, (const uint8_t *)payload, count);
    take();
}

static void test_companion(const demo_proto_t *proto, bool (*answered)(uint8_t op, uint8_t status)) {
    start(proto, 1);
    take();
    const size_t of_start = length;
    number = 0xFF; /* a ping with number 0 starts over */
    command(STY_CMD_PING, "", 0);
    OK(answered(STY_CMD_PING, 0), "%s: ping", proto->name);
    command(STY_CMD_NAMES, "", 0);
    OK(answered(STY_CMD_NAMES, 0) && length > of_start / 2, "%s: the names once more", proto->name);
    command(STY_CMD_USER, "\x20\1\0\0\0", 5);
    run(1);
    OK(answered(STY_CMD_USER, 0) && demo.objects.ao[DEMO_DOOR]->state == DOOR_OPEN, "%s: the door opens", proto->name);
    command(STY_CMD_USER, "\x63\1\0\0\0", 5);
    OK(answered(STY_CMD_USER, STY_CMD_NO_SUCH_ID), "%s: an unknown command", proto->name);
    command(STY_CMD_ALL, "\0", 1);
    OK(answered(STY_CMD_ALL, 0), "%s: all off", proto->name);
    length = 0;
    run(10 * SECOND);
    OK(length < 50, "%s: then it is silent", proto->name);
    command(STY_CMD_RESET, "RST!", 4);
    run(1);
    OK(answered(STY_CMD_RESET, 0) && length > of_start, "%s: reset, names and all", proto->name);
    run(SECOND);
    OK(length > of_start + 100, "%s: and the filters as at the start", proto->name);
}

/* Commands of QNX. */

/* QNX's answer: user event 1023 with command number and result. */
static bool answered_qnx(uint32_t id, uint32_t result) {
    const uint8_t head[] = {0xFF, 0x1B, 0, 0};
    const uint8_t words[] = {(uint8_t)id, 0, 0, 0, (uint8_t)result, 0, 0, 0};
    for (size_t at = 0; at + 16 <= length; at++) {
        if (memcmp(&stream[at], head, sizeof head) == 0 && memcmp(&stream[at + 8], words, sizeof words) == 0) {
            return true;
        }
    }
    return false;
}

static void line(const char *text) {
    length = 0;
    demo_feed(&demo, (const uint8_t *)text, (uint32_t)strlen(text));
    take();
}

static void test_qnx_commands(void) {
    start(&demo_qnx, 1);
    run(SECOND);
    line("1 query 0\n");
    OK(answered_qnx(1, 1), "qnx: the version");
    line("2 fault 32 1\n");
    run(1);
    OK(demo.objects.ao[DEMO_DOOR]->state == DOOR_OPEN, "qnx: the door opens");
    line("3 tev 2\n");
    run(1);
    length = 0;
    run(10 * SECOND);
    OK(length == 0, "qnx: all off, then it is silent");
    line("4 tev 1\n");
    line("5 tev 10\n");
    OK(answered_qnx(5, 0) && length > 500, "qnx: a start, names and all");
    line("6 fault 7 1\n");
    const bool answered = answered_qnx(6, 0);
    run(SECOND);
    OK(answered && length > 900, "qnx: reset, after the answer, names and all");
}

/* Number of records in the older format with this opcode; their event words are at multiples of four. */
static unsigned nto1_records(uint8_t opcode) {
    unsigned count = 0;
    for (size_t at = 0; at + 12 <= length;) {
        const unsigned words = stream[at + 3] >> 4 & 7;
        const size_t buffer = at + 12 + 4 * words;
        const bool has_buffer = (stream[at + 3] & 0x80) != 0;
        count += stream[at] == opcode;
        at = buffer + (has_buffer ? 4 + ((size_t)(stream[buffer] | stream[buffer + 1] << 8) + 3) / 4 * 4 : 0);
    }
    return count;
}

static void test_nto1_commands(void) {
    enum { POST = 0x20, EXCEPTION = 0xFF };
    start(&demo_nto1, 1);
    run(10 * SECOND);
    OK(nto1_records(POST) > 10 && nto1_records(EXCEPTION) > 5, "nto1: a profile and exceptions");
    line("1 kprof 0000000001000000000000000000000000000000000000000000000000000000\n");
    OK(nto1_records(STY_NTO1_ACK) == 1, "nto1: a bitmap is taken");
    length = 0;
    run(10 * SECOND);
    OK(nto1_records(POST) == 0 && nto1_records(EXCEPTION) > 0, "nto1: and masks its opcode");
}

/* Frames with random content and a valid checksum, and random bytes, never escape the instance. The sanitizers check
 * that. */

static uint32_t draw(void) {
    static uint32_t x = 12345;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return x;
}

static void send_random(void) {
    uint8_t bytes[24];
    const size_t count = 1 + draw() % sizeof bytes;
    for (size_t i = 0; i < count; i++) {
        bytes[i] = (uint8_t)(draw() >> 8);
    }
    if (demo.config.proto == &demo_qs) {
        bytes[0] %= 17; /* an existing command */
        send(bytes, count);
    } else if (demo.config.proto == &demo_qnx || demo.config.proto == &demo_nto1) {
        char text[64];
        snprintf(text, sizeof text, "%u %s %u %u %u\n", draw() % 9, draw() % 2 == 0 ? "tev" : "fault", draw() % 36, draw() % 99,
            draw() % 5);
        demo_feed(&demo, (const uint8_t *)text, (uint32_t)strlen(text));
    } else {
        send_command(bytes[0] % 10, &bytes[1], count < 9 ? count - 1 : 5);
    }
    demo_feed(&demo, bytes, (uint32_t)count);
}

static void test_random(const demo_proto_t *proto) {
    start(proto, 1);
    for (unsigned i = 0; i < 20000; i++) {
        send_random();
        sty_fault_set(&demo.fault, STY_FAULT_BURST, 0); /* would take too long */
        sty_fault_set(&demo.fault, STY_FAULT_LINK_RATE, 0);
        sty_fault_set(&demo.fault, STY_FAULT_GARBAGE, 0);
        length = 0;
        run(1);
    }
    demo_restart(&demo);
    length = 0;
    run(SECOND);
    OK(length > 100, "%s: goes on after random commands", proto->name);
}

int main(void) {
    for (size_t i = 0; i < PROTOCOLS; i++) {
        test_same_bytes(protocols[i]);
        test_no_drops(protocols[i]);
        test_link_rate(protocols[i]);
        test_faults(protocols[i]);
        test_halt(protocols[i]);
        test_incident(protocols[i]);
        test_random(protocols[i]);
    }
    test_qs_drops();
    test_qs_reset();
    test_quiet_readings();
    test_qs_commands();
    test_companion(&demo_rkh, answered_rkh);
    test_companion(&demo_tband, answered_tband);
    test_qnx_commands();
    test_nto1_commands();
    printf("# an instance takes %zu bytes, %d of them for the ring\n", sizeof demo, DEMO_RING);
    return DONE();
}
