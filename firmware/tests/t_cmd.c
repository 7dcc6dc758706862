/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Commands for RKH and tband, and random bytes for the three receivers without a protocol of their own. */
#include "spytui/qnx_rx.h"
#include "spytui/rkh_rx.h"

#include "frames.h"
#include "tap.h"

enum { BYTES = 1000000, GUARD = 64 };

/* All memory passed to the library, between guards. */
static struct {
    uint8_t guard0[GUARD];
    sty_ring_t ring;
    uint8_t guard1[GUARD];
    uint8_t mem[1024];
    uint8_t guard2[GUARD];
    union {
        sty_rkh_t rkh;
        sty_tband_t tband;
        sty_qnx_t qnx;
    } emitter;
    uint8_t guard3[GUARD];
    union {
        sty_cmdrx_t cmd;
        sty_qnxrx_t qnx;
    } rx;
    uint8_t guard4[GUARD];
    uint8_t buffer[16 * 16];
    uint8_t guard5[GUARD];
} all;

static const sty_env_t env = {sty_env_no_time, sty_env_no_lock, sty_env_no_unlock, NULL, 0};
static const sty_rkh_target_t target = {.version = 0x3400, .max_pools = 4, .ticks_per_second = 1000};

static struct {
    uint32_t names;
    uint32_t user;
    uint32_t reset;
    uint32_t id;
    uint32_t value;
} called;

static void names(void *ctx) {
    (void)ctx;
    called.names++;
}

static bool user(void *ctx, uint8_t id, uint32_t value) {
    (void)ctx;
    called.user++;
    called.id = id;
    called.value = value;
    return id < 10;
}

static void reset(void *ctx) {
    (void)ctx;
    called.reset++;
}

static const sty_cmdrx_cb_t callbacks = {names, user, reset};
static const sty_cmdrx_cb_t no_callbacks = {NULL, NULL, NULL};

static void clear(void) {
    memset(&all, 0xA5, sizeof all);
    memset(&called, 0, sizeof called);
    sty_ring_init(&all.ring, &env, all.mem, sizeof all.mem);
}

static void begin_rkh(const sty_cmdrx_cb_t *cb) {
    clear();
    sty_rkh_init(&all.emitter.rkh, &all.ring, &target);
    sty_cmdrx_init_rkh(&all.rx.cmd, &all.emitter.rkh, cb, NULL);
}

static void feed_byte(uint8_t byte) {
    sty_cmdrx_feed(&all.rx.cmd, byte);
}

static void feed_stuffed(uint8_t byte) {
    if (byte == 0x7E || byte == 0x7D) {
        feed_byte(0x7D);
        byte ^= 0x20;
    }
    feed_byte(byte);
}

/* Sends a frame with its CRC xored with `damage`. */
static void send_frame(uint8_t first, uint8_t seq, const void *payload, size_t length, uint16_t damage) {
    uint8_t frame[300] = {first, seq};
    memcpy(&frame[2], payload, length);
    const uint16_t crc = sty_cmdrx_crc(frame, length + 2) ^ damage;
    frame[length + 2] = (uint8_t)crc;
    frame[length + 3] = (uint8_t)(crc >> 8);
    feed_byte(0x7E);
    for (size_t i = 0; i < length + 4; i++) {
        feed_stuffed(frame[i]);
    }
    feed_byte(0x7E);
}

static void send(uint8_t op, uint8_t seq, const void *payload, size_t length) {
    send_frame((uint8_t)(0x20 | op), seq, payload, length, 0);
}

/* Is this the next answer? */
static bool answered(uint8_t op, uint8_t seq, uint8_t status, uint32_t value) {
    uint8_t frame[64] = {0};
    while (next_frame(&all.ring, frame, sizeof frame) != 0 && frame[0] != 0xDF) {
    }
    const uint8_t expected[] = {1, op, 1, seq, 1, status, 5, (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                                (uint8_t)(value >> 24)};
    const bool same = frame[0] == 0xDF && memcmp(&frame[6], expected, sizeof expected) == 0;
    if (!same) {
        printf("# got %s\n", hex(frame, 18));
    }
    return same;
}

static bool silent(void) {
    const bool empty = sty_ring_used(&all.ring) == 0;
    sty_ring_skip(&all.ring, sty_ring_used(&all.ring));
    return empty;
}

static void frames(void) {
    static const uint8_t ping[] = {0x7E, 0x20, 0x01, 0xC8, 0x0B, 0x7E};
    static const uint8_t group[] = {0x7E, 0x21, 0x01, 0x02, 0x00, 0x68, 0x94, 0x7E};
    OK(sty_cmdrx_crc("123456789", 9) == 0x29B1, "the CRC has its check value");
    begin_rkh(&callbacks);
    for (size_t i = 0; i < sizeof ping; i++) {
        feed_byte(ping[i]);
    }
    OK(answered(0, 1, 0, 1) && answered(0, 1, 128, 1) && silent(), "a ping is answered with the version");
    begin_rkh(&callbacks);
    for (size_t i = 0; i < sizeof group; i++) {
        feed_byte(group[i]);
    }
    OK(answered(1, 1, 0, 0) && all.emitter.rkh.filter.groups == 0xFB, "a group is switched off");
    feed_byte('x');
    send(1, 2, "\x02\x01", 2);
    OK(answered(1, 2, 0, 0) && all.emitter.rkh.filter.groups == 0xFF, "noise before a frame does no harm");
    for (unsigned bit = 0; bit < 16; bit++) {
        send_frame(0x21, 3, "\x02\x00", 2, (uint16_t)(1u << bit));
    }
    OK(silent() && all.emitter.rkh.filter.groups == 0xFF, "a bad CRC: silence");
    send(8, 4, "12345678901234567890123456789012345678901234567890123456789012345", 65);
    OK(silent(), "a frame that is too long: silence");
    send(8, 4, "1234567890123456789012345678901234567890123456789012345678901234", 64);
    OK(answered(8, 4, 1, 0), "the longest is read");
    send_frame(0x40, 5, "", 0, 0);
    OK(answered(0, 5, 255, 0), "another version is refused");
    send(31, 6, "", 0);
    OK(answered(31, 6, 2, 0), "an unknown command too");
}

static void numbers(void) {
    begin_rkh(&callbacks);
    send(0, 0, "", 0);
    OK(answered(0, 0, 0, 1) && answered(0, 0, 128, 1), "a ping with 0 begins");
    send(8, 1, "\x05\x10\x20\x30\x40", 5);
    OK(answered(8, 1, 0, 0) && called.user == 1 && called.id == 5 && called.value == 0x40302010, "a user command is done");
    send(8, 1, "\x05\x10\x20\x30\x40", 5);
    OK(answered(8, 1, 0, 0) && called.user == 1, "repeated it is answered, not done again");
    send(8, 2, "\x0B\x10\x20\x30\x40", 5);
    send(8, 2, "\x0B\x10\x20\x30\x40", 5);
    OK(answered(8, 2, 4, 0) && answered(8, 2, 4, 0) && called.user == 2, "with its status");
    send(9, 3, "", 0);
    sty_ring_skip(&all.ring, sty_ring_used(&all.ring));
    send(9, 3, "", 0);
    OK(answered(9, 3, 0, 9) && answered(9, 3, 128, 1), "a question is answered in full again");
    OK(sty_cmdrx_jumps(&all.rx.cmd) == 0, "no number was missing");
    send(8, 9, "\x05\x00\x00\x00\x00", 5);
    OK(sty_cmdrx_jumps(&all.rx.cmd) == 1 && called.user == 3, "a jump is done and counted");
    send(8, 255, "\x05\x00\x00\x00\x00", 5);
    send(8, 1, "\x05\x00\x00\x00\x00", 5);
    OK(sty_cmdrx_jumps(&all.rx.cmd) == 2 && called.user == 5, "1 follows 255");
    send(0, 0, "", 0);
    send(8, 1, "\x05\x00\x00\x00\x00", 5);
    OK(called.user == 6, "after a ping with 0 the last number is forgotten");
}

static void commands(void) {
    begin_rkh(&callbacks);
    send(2, 1, "\x69\x00\x00", 3);
    OK(answered(2, 1, 0, 0) && !sty_rkh_on(&all.emitter.rkh, 105), "an event is switched off");
    send(3, 2, "\x02\x00\x00\x00\x00", 5);
    OK(answered(3, 2, 0, 0) && !sty_rkh_object_on(&all.emitter.rkh, 2), "an object");
    send(4, 3, "\x05\x00\x00\x00\x00", 5);
    OK(answered(4, 3, 0, 0) && !sty_rkh_signal_on(&all.emitter.rkh, 5), "a signal");
    send(4, 4, "\x05\x00\x01\x00\x00", 5);
    OK(answered(4, 4, 4, 0), "an id that is too large is refused");
    send(1, 5, "\x08\x00", 2);
    OK(answered(1, 5, 0, 0) && all.emitter.rkh.filter.groups == 0, "all groups are switched off");
    send(5, 6, "\x01", 1);
    OK(answered(5, 6, 0, 0) && all.emitter.rkh.filter.groups == 0xFF && sty_rkh_signal_on(&all.emitter.rkh, 5), "all is switched on");
    send(2, 7, "\x69\x00", 2);
    send(2, 8, "\x69\x00\x02", 3);
    OK(answered(2, 7, 1, 0) && answered(2, 8, 1, 0), "a payload of another length or value is refused");
    send(6, 9, "", 0);
    OK(sty_ring_used(&all.ring) > 40 && answered(6, 9, 0, 0) && called.names == 1, "names are sent once more");
    send(7, 10, "RST?", 4);
    send(7, 11, "", 0);
    OK(answered(7, 10, 1, 0) && answered(7, 11, 1, 0) && called.reset == 0, "a reset needs its guard");
    send(7, 12, "RST!", 4);
    OK(answered(7, 12, 0, 0) && called.reset == 1, "then it is answered and done");
    begin_rkh(&no_callbacks);
    send(6, 1, "", 0);
    send(7, 2, "RST!", 4);
    send(8, 3, "\x05\x00\x00\x00\x00", 5);
    OK(answered(6, 1, 0, 0) && answered(7, 2, 3, 0) && answered(8, 3, 3, 0), "what the program does not do is refused");
}

static void states(void) {
    begin_rkh(&callbacks);
    send(1, 1, "\x02\x00", 2);
    send(2, 2, "\xE1\x00\x00", 3);
    sty_ring_skip(&all.ring, sty_ring_used(&all.ring));
    send(9, 3, "", 0);
    OK(answered(9, 3, 0, 9) && answered(9, 3, 128, 1) && answered(9, 3, 129, 0), "states are answered: version, drops,");
    uint8_t frame[64];
    next_frame(&all.ring, frame, sizeof frame);
    OK(frame[11] == 130 && frame[13] != 0, "the peak of the ring,");
    OK(answered(9, 3, 131, 0xFB) && answered(9, 3, 132, 0x0000FFFF) && answered(9, 3, 133, 0xFFFFFFFF) &&
        answered(9, 3, 134, 0xFFFFFFFF) && answered(9, 3, 135, 0xFDFFFFFF) && answered(9, 3, 136, 0x000000FF) && silent(),
        "groups and events");
}

/* An answer is sent even if the ring is full, and whatever the filters. */
static void answers_pass(void) {
    begin_rkh(&callbacks);
    for (uint32_t i = 0; i < 1000; i++) {
        sty_rkh_begin(&all.emitter.rkh, 0);
        sty_rkh_end(&all.emitter.rkh);
    }
    send(5, 1, "\x00", 1);
    OK(answered(5, 1, 0, 0), "an answer passes filters and a full ring");
}

/* Removes the framing of tband. */
static size_t next_tband(uint8_t *event) {
    size_t length = 0;
    size_t zero = 0;
    uint32_t count;
    for (const uint8_t *byte = sty_ring_peek(&all.ring, &count); count != 0; byte = sty_ring_peek(&all.ring, &count)) {
        const uint8_t value = *byte;
        sty_ring_skip(&all.ring, 1);
        if (value == 0) {
            break;
        }
        if (length == zero) {
            zero = length + value;
            event[length] = 0;
        } else {
            event[length] = value;
        }
        length++;
    }
    return length;
}

static bool tband_answered(uint64_t packed) {
    uint8_t event[64] = {0};
    const uint8_t ack[] = {0x0B, 0x00, 0x80, 0xFE, 0x01};
    do {
        if (next_tband(event) == 0) {
            return false;
        }
    } while (memcmp(&event[1], ack, sizeof ack) != 0);
    uint64_t value = 0;
    unsigned shift = 0;
    size_t at = 1 + sizeof ack;
    do {
        value |= (uint64_t)(event[at] & 0x7Fu) << shift;
        shift += 7;
    } while ((event[at++] & 0x80u) != 0);
    return value == packed << 1;
}

static void begin_tband(void) {
    clear();
    sty_tband_init(&all.emitter.tband, &all.ring, 1000);
    sty_tband_start(&all.emitter.tband, 0);
    sty_cmdrx_init_tband(&all.rx.cmd, &all.emitter.tband, &callbacks, NULL);
    sty_ring_skip(&all.ring, sty_ring_used(&all.ring));
}

static void tband(void) {
    begin_tband();
    send(0, 0, "", 0);
    OK(tband_answered(0x1000000) && tband_answered(0x1800000), "tband: a ping is answered");
    send(1, 1, "\x02\x00", 2);
    OK(tband_answered(0x101) && all.emitter.tband.filter.classes == 0xFB, "a class is switched off");
    send(1, 2, "\x06\x00", 2);
    OK(tband_answered(0x40201), "another does not exist");
    send(3, 3, "\x07\x00\x00\x00\x00", 5);
    send(4, 4, "\x07\x00\x00\x00\x00", 5);
    OK(tband_answered(0x303) && tband_answered(0x404) && !sty_tband_marker_on(&all.emitter.tband, 7) &&
        !sty_tband_value_on(&all.emitter.tband, 7), "markers are");
    send(2, 5, "\x54\x00\x00", 3);
    OK(tband_answered(0x502) && !sty_tband_on(&all.emitter.tband, 0x54), "an event is");
    send(9, 6, "", 0);
    OK(tband_answered(0x4000609) && tband_answered(0x1800609) && tband_answered(0x810609), "states are answered");
    sty_ring_skip(&all.ring, sty_ring_used(&all.ring));
    send(6, 7, "", 0);
    OK(sty_ring_used(&all.ring) > 20 && tband_answered(0x706), "names are sent once more");
    send(5, 8, "\x00", 1);
    OK(tband_answered(0x805), "an answer passes all filters");
}

static uint32_t random_state = 1;

static uint32_t random_u32(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

static bool is_guard(const uint8_t *bytes) {
    for (size_t i = 0; i < GUARD; i++) {
        if (bytes[i] != 0xA5) {
            return false;
        }
    }
    return true;
}

static bool guards_intact(void) {
    return is_guard(all.guard0) && is_guard(all.guard1) && is_guard(all.guard2) && is_guard(all.guard3) &&
        is_guard(all.guard4) && is_guard(all.guard5) && all.ring.buf == all.mem && all.ring.env == &env;
}

/* A frame with a valid CRC, whose content is often meaningful. */
static void send_random(void) {
    static const uint8_t lengths[] = {0, 2, 3, 5, 5, 1, 0, 4, 5, 0};
    uint8_t payload[64];
    const uint8_t op = (uint8_t)(random_u32() % 11);
    const size_t length = op < 10 && random_u32() % 4 != 0 ? lengths[op] : random_u32() % 65;
    for (size_t i = 0; i < length; i++) {
        payload[i] = (uint8_t)(random_u32() % 4 == 0 ? random_u32() : random_u32() % 3);
    }
    send(op, (uint8_t)random_u32(), payload, length);
}

static void random_frames(const char *what, bool (*intact)(void)) {
    bool good = true;
    for (uint32_t fed = 0; fed < BYTES; fed++) {
        feed_byte((uint8_t)(random_u32() % 8 == 0 ? 0x7Eu : random_u32()));
        if (fed % 16 == 0) {
            send_random();
        }
        if (fed % 1024 == 0) {
            good = good && intact() && guards_intact();
            sty_ring_skip(&all.ring, sty_ring_used(&all.ring));
        }
    }
    OK(good && called.user > 100 && called.names > 100, "%s: a million random bytes touch nothing else", what);
    OK(called.reset == 0, "and reset nothing");
}

static bool rkh_intact(void) {
    return all.emitter.rkh.ring == &all.ring && all.emitter.rkh.target == &target && all.rx.cmd.frame.buf == all.rx.cmd.buf;
}

static bool tband_intact(void) {
    return all.emitter.tband.ring == &all.ring && all.rx.cmd.frame.buf == all.rx.cmd.buf;
}

static bool fault(void *ctx, uint32_t id, uint32_t value) {
    (void)ctx;
    (void)(id + value);
    called.user++;
    return true;
}

static void random_lines(void) {
    static const sty_qnx_target_t qnx_target = {1000, "6.4.1", "test", "now"};
    static const sty_qnxrx_cb_t cb = {names, fault};
    static const char *const words[] = {"tev ", "fault ", "query ", "mark ", "kprof ", "\n", "\r\n", " ", "4294967295 ", "-"};
    clear();
    sty_qnx_init(&all.emitter.qnx, &all.ring, &qnx_target, all.buffer, sizeof all.buffer);
    sty_qnxrx_init(&all.rx.qnx, &all.emitter.qnx, &cb, NULL);
    bool good = true;
    for (uint32_t fed = 0; fed < BYTES; fed++) {
        char line[64] = "";
        if (fed % 64 == 0) {
            const char *word = words[random_u32() % 4];
            const unsigned number = random_u32() % 36;
            if (number % 3 == 0) {
                snprintf(line, sizeof line, "\n1 %s%u %u %u\n", word, number, random_u32() % 21, random_u32() % 130);
            } else {
                snprintf(line, sizeof line, "\n1 %s%u\n", word, number);
            }
        }
        for (const char *text = line; *text != '\0'; text++) {
            sty_qnxrx_feed(&all.rx.qnx, (uint8_t)*text);
        }
        const uint32_t kind = random_u32() % 64;
        if (kind < 20) {
            for (const char *text = words[kind % 10]; *text != '\0'; text++) {
                sty_qnxrx_feed(&all.rx.qnx, (uint8_t)*text);
            }
        } else if (kind < 60) {
            sty_qnxrx_feed(&all.rx.qnx, (uint8_t)(kind % 3 == 0 ? ' ' : '0' + random_u32() % 10));
        } else {
            sty_qnxrx_feed(&all.rx.qnx, (uint8_t)random_u32());
        }
        if (fed % 256 == 0) {
            good = good && guards_intact() && all.emitter.qnx.buf == all.buffer && all.emitter.qnx.ring == &all.ring;
            sty_ring_skip(&all.ring, sty_ring_used(&all.ring));
        }
    }
    OK(good && called.names > 0 && called.user > 0, "QNX: a million random bytes touch nothing else");
}

int main(void) {
    frames();
    numbers();
    commands();
    states();
    answers_pass();
    tband();
    begin_rkh(&callbacks);
    random_frames("RKH", rkh_intact);
    begin_tband();
    random_frames("tband", tband_intact);
    random_lines();
    return DONE();
}
