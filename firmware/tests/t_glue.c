/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The glue to RKH and Tonbandgerät, with stand-ins for both. */
#include "rkh_glue.h"
#include "stand_in/rkh.h"
#include "stand_in/tband.h"

#include "tap.h"

#include <string.h>

/* The last call of each function. */
static struct {
    const char *what;
    uint32_t id;
    bool suppress;
    unsigned calls;
    unsigned names;
    uint8_t op, seq, status;
    uint32_t value;
    unsigned answers;
} last;

void stand_in_filter(const char *what, uint32_t id, bool suppress) {
    last.what = what;
    last.id = id;
    last.suppress = suppress;
    last.calls++;
}

static void answer(void *ctx, uint8_t op, uint8_t seq, uint8_t status, uint32_t value) {
    (void)ctx;
    last.op = op;
    last.seq = seq;
    last.status = status;
    last.value = value;
    last.answers++;
}

static bool object(void *ctx, uint32_t prio, bool on) {
    (void)ctx;
    if (prio > 3) {
        return false;
    }
    if (on) {
        RKH_FILTER_OFF_SMA(prio);
    } else {
        RKH_FILTER_ON_SMA(prio);
    }
    return true;
}

static void names(void *ctx) {
    (void)ctx;
    last.names++;
}

static uint32_t drops(void *ctx) {
    (void)ctx;
    return 77;
}

static void send(void (*feed)(uint8_t byte), uint8_t op, uint8_t seq, const char *payload, size_t length) {
    uint8_t frame[32] = {(uint8_t)(0x20 | op), seq};
    memcpy(&frame[2], payload, length);
    const uint16_t crc = sty_cmdrx_crc(frame, length + 2);
    frame[length + 2] = (uint8_t)crc;
    frame[length + 3] = (uint8_t)(crc >> 8);
    feed(0x7E);
    for (size_t i = 0; i < length + 4; i++) {
        const bool stuffed = frame[i] == 0x7E || frame[i] == 0x7D;
        if (stuffed) {
            feed(0x7D);
        }
        feed(stuffed ? frame[i] ^ 0x20 : frame[i]);
    }
    feed(0x7E);
}

static sty_rkh_glue_t rkh;

static void feed_rkh(uint8_t byte) {
    sty_rkh_glue_feed(&rkh, byte);
}

static bool passed_on(const char *what, uint32_t id, bool suppress) {
    return strcmp(last.what, what) == 0 && last.id == id && last.suppress == suppress && last.status == 0;
}

static void glue_to_rkh(void) {
    static const sty_rkh_glue_cb_t callbacks = {.answer = answer, .object = object, .drops = drops, .names = names};
    memset(&last, 0, sizeof last);
    sty_rkh_glue_init(&rkh, &callbacks, NULL);
    OK(last.calls == 3 && !last.suppress && last.answers == 0, "RKH: all pass at first");
    send(feed_rkh, STY_CMD_GROUP, 1, "\x02\x00", 2);
    OK(passed_on("group", 2, true), "off suppresses a group");
    send(feed_rkh, STY_CMD_GROUP, 2, "\x02\x01", 2);
    OK(passed_on("group", 2, false), "on lets it pass");
    send(feed_rkh, STY_CMD_GROUP, 3, "\x08\x00", 2);
    OK(passed_on("event", RKH_TRC_ALL_EVENTS, true), "all groups are all events");
    send(feed_rkh, STY_CMD_EVENT, 4, "\x69\x00\x01", 3);
    OK(passed_on("event", 0x69, false), "an event");
    send(feed_rkh, STY_CMD_EVENT, 5, "\x69\x00\x00", 3);
    OK(passed_on("event", 0x69, true), "off again");
    send(feed_rkh, STY_CMD_OBJECT, 6, "\x02\x00\x00\x00\x00", 5);
    OK(passed_on("object", 2, true), "an active object");
    send(feed_rkh, STY_CMD_SIGNAL, 7, "\x05\x00\x00\x00\x00", 5);
    OK(passed_on("signal", 5, true), "a signal");
    send(feed_rkh, STY_CMD_SIGNAL, 8, "\x05\x00\x00\x00\x01", 5);
    OK(passed_on("signal", 5, false), "on again");
    const unsigned calls = last.calls;
    send(feed_rkh, STY_CMD_EVENT, 9, "\x03\x00\x01", 3);
    OK(last.status == STY_CMD_NO_SUCH_ID && last.calls == calls, "what does not exist is refused");
    send(feed_rkh, STY_CMD_ALL, 10, "\x01", 1);
    OK(passed_on("signals", 0, false) && last.calls == calls + 3, "all");
    send(feed_rkh, STY_CMD_NAMES, 11, "", 0);
    OK(last.names == 1 && last.status == 0, "names");
    last.answers = 0;
    send(feed_rkh, STY_CMD_STATE, 12, "", 0);
    OK(last.answers == 10 && last.status == 136 && last.value == 0xFF, "states");
    send(feed_rkh, STY_CMD_RESET, 13, "RST!", 4);
    OK(last.status == STY_CMD_REFUSED, "a reset that the program does not do is refused");
}

sty_tband_glue_t trace_glue;
unsigned stand_in_tband_dropped;

static void feed_tband(uint8_t byte) {
    sty_tband_glue_feed(&trace_glue, byte);
}

static uint32_t last_marker;
static int64_t last_value;
static unsigned values;

static void value(void *ctx, uint32_t marker, int64_t number) {
    (void)ctx;
    tband_valmarker(marker, number);
    last_marker = marker;
    last_value = number;
    values++;
}

static unsigned traced(void) {
    unsigned count = 0;
    STY_TBAND_GLUE(&trace_glue, STY_TBAND_GLUE_ISR_ENTER, count++);
    STY_TBAND_GLUE_MARKER_OF(&trace_glue, STY_TBAND_GLUE_MARKER_BEGIN, 7, count++);
    STY_TBAND_GLUE_VALUE_OF(&trace_glue, 7, count++);
    return count;
}

static void glue_to_tband(void) {
    static const sty_env_t env = {sty_env_no_time, sty_env_no_lock, sty_env_no_unlock, NULL, 0};
    static const sty_tband_glue_cb_t callbacks = {.value = value, .names = names};
    static uint8_t mem[256];
    sty_ring_t ring;
    memset(&last, 0, sizeof last);
    sty_ring_init(&ring, &env, mem, sizeof mem);
    sty_tband_glue_init(&trace_glue, &ring, &callbacks, NULL);
    OK(traced() == 3, "tband: all pass at first");
    send(feed_tband, STY_CMD_GROUP, 1, "\x01\x00", 2);
    OK(last_marker == STY_TBAND_ACK && last_value == 0x101 && traced() == 2, "a class is switched off");
    OK(sty_ring_used(&ring) == 14, "the answer is a frame of Tonbandgerät in the ring");
    send(feed_tband, STY_CMD_OBJECT, 2, "\x07\x00\x00\x00\x00", 5);
    OK(last_value == 0x203 && traced() == 1, "a marker");
    send(feed_tband, STY_CMD_SIGNAL, 3, "\x07\x00\x00\x00\x00", 5);
    OK(last_value == 0x304 && traced() == 0, "a value");
    send(feed_tband, STY_CMD_ALL, 4, "\x01", 1);
    OK(last_value == 0x405 && traced() == 3, "all are switched on");
    send(feed_tband, STY_CMD_NAMES, 5, "", 0);
    OK(last.names == 1 && last_value == 0x506, "names");
    sty_ring_skip(&ring, sty_ring_used(&ring));
    unsigned frames = 0;
    while (stand_in_tband_dropped == 0 && frames < 1000) {
        tband_valmarker(1, 2);
        frames++;
    }
    OK(stand_in_tband_dropped == 1 && frames == 1 + (256 - 64) / 14, "the backend is called when the ring is full");
    values = 0;
    send(feed_tband, STY_CMD_STATE, 6, "", 0);
    OK(values == 5 && last_value == (int64_t)(0x3FULL << 24 | 131u << 16 | 6u << 8 | 9u), "states");
}

int main(void) {
    glue_to_rkh();
    glue_to_tband();
    return DONE();
}
