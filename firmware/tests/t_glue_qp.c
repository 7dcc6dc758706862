/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The guard in front of QS-RX, with a stand-in for QP: whatever passes is what the host sent, byte for byte. */
#include "qp_glue.h"
#include "rx_golden.h"
#include "stand_in/qpc.h"

#include "frames.h"
#include "tap.h"

/* Bytes that passed. */
static uint8_t passed[256];
static size_t count;
static unsigned parses;

void stand_in_qs_rx_put(uint8_t byte) {
    if (count < sizeof passed) {
        passed[count] = byte;
        count++;
    }
}

void stand_in_qs_rx_parse(void) {
    parses++;
}

static void receive(void *ctx, uint8_t byte) {
    (void)ctx;
    QS_RX_PUT(byte);
    QS_rxParse();
}

enum { PLANT = 0x20001100, PLANT_SIZE = 32 };
static struct {
    uintptr_t address;
    size_t length;
    bool write;
    unsigned calls;
} asked;

static bool may_access(void *ctx, uintptr_t address, size_t length, bool write) {
    (void)ctx;
    asked.address = address;
    asked.length = length;
    asked.write = write;
    asked.calls++;
    return address >= PLANT && length <= PLANT_SIZE && address - PLANT <= PLANT_SIZE - length;
}

static sty_qp_glue_t glue;

static void begin(bool with_permission) {
    static const sty_qp_glue_cb_t trusting = {receive, may_access};
    static const sty_qp_glue_cb_t refusing = {receive, NULL};
    sty_qp_glue_init(&glue, with_permission ? &trusting : &refusing, NULL);
    memset(&asked, 0, sizeof asked);
}

static size_t bytes_of(const char *text, uint8_t *bytes) {
    size_t n = 0;
    for (unsigned byte; sscanf(text, "%2x", &byte) == 1; text += 2) {
        bytes[n] = (uint8_t)byte;
        n++;
    }
    return n;
}

/* Returns what passes of these bytes. */
static const char *feed(const uint8_t *bytes, size_t length) {
    count = 0;
    parses = 0;
    for (size_t i = 0; i < length; i++) {
        sty_qp_glue_feed(&glue, bytes[i]);
    }
    return parses == count ? hex(passed, count) : "not parsed";
}

static const char *feed_text(const char *text) {
    uint8_t bytes[128];
    return feed(bytes, bytes_of(text, bytes));
}

static bool is_memory_command(const char *frame) {
    return frame[2] == '0' && frame[3] >= '4' && frame[3] <= '6';
}

static void recorded_frames(void) {
    unsigned same = 0;
    unsigned refused = 0;
    begin(false);
    for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++) {
        const bool is_same = strcmp(feed_text(golden[i].frame), golden[i].frame) == 0;
        same += is_same && !is_memory_command(golden[i].frame);
        refused += !is_same && is_memory_command(golden[i].frame);
    }
    OK(same + refused == sizeof golden / sizeof golden[0] && refused == 3,
       "%u recorded frames pass as they are, peek, poke and fill do not", same);
}

/* Builds a frame with checksum in wire format; returns its length. */
static size_t frame_of(const uint8_t *bytes, size_t length, uint8_t *frame) {
    size_t size = 0;
    uint8_t sum = 0;
    for (size_t i = 0; i <= length; i++) {
        const uint8_t byte = i < length ? bytes[i] : (uint8_t)~sum;
        const bool stuffed = byte == 0x7E || byte == 0x7D;
        if (stuffed) {
            frame[size] = 0x7D;
            size++;
        }
        frame[size] = stuffed ? byte ^ 0x20 : byte;
        size++;
        sum = (uint8_t)(sum + byte);
    }
    frame[size] = 0x7E;
    return size + 1;
}

/* Sends a frame; does the expected one pass? */
static bool sent_becomes(const uint8_t *bytes, size_t length, const uint8_t *expected, size_t expected_length) {
    uint8_t wanted[128];
    uint8_t frame[128];
    const size_t wanted_size = frame_of(expected, expected_length, wanted);
    feed(frame, frame_of(bytes, length, frame));
    return parses == count && count == wanted_size && memcmp(passed, wanted, count) == 0;
}
#define BYTES(...) (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})
#define PASSES(...) sent_becomes(BYTES(__VA_ARGS__), BYTES(__VA_ARGS__))
/* It becomes command 100, which QS-RX does not know. All frames here have number 9. */
#define REFUSED(...) sent_becomes(BYTES(__VA_ARGS__), BYTES(9, 100))

/* Was only this requested since the last call? */
static bool asked_for(uintptr_t address, size_t length, bool write) {
    const bool is_last = asked.address == address && asked.length == length && asked.write == write;
    const unsigned calls = asked.calls;
    asked.calls = 0;
    return is_last && calls == 1;
}

static void permission(void) {
    begin(true);
    OK(REFUSED(9, 4, 0, 0, 1, 1) && asked.calls == 0, "without an object nothing is asked for");
    OK(PASSES(9, 13, 0, 0, 0x10, 0, 0x20) && REFUSED(9, 4, 0, 0, 1, 1), "nor with an object of another kind");
    OK(PASSES(9, 13, 5, 0, 0x11, 0, 0x20), "the application object");
    OK(PASSES(9, 4, 16, 0, 2, 8) && asked_for(PLANT + 16, 16, false), "a peek inside of it");
    OK(PASSES(9, 5, 4, 0, 2, 2, 1, 0x7E, 3, 4) && asked_for(PLANT + 4, 4, true), "a poke");
    OK(PASSES(9, 6, 30, 0, 1, 2, 0x5A) && asked_for(PLANT + 30, 2, true), "a fill");
    OK(REFUSED(9, 4, 16, 0, 2, 9) && asked_for(PLANT + 16, 18, false), "what the program refuses");
    OK(REFUSED(9, 5, 32, 0, 1, 1, 1) && asked_for(PLANT + 32, 1, true), "a poke behind it");
    OK(REFUSED(9, 4, 0, 0, 3, 1) && REFUSED(9, 4, 0, 0, 4, 0) && REFUSED(9, 4, 0, 0, 1) && REFUSED(9, 4, 0, 0, 1, 1, 0) &&
        REFUSED(9, 5, 0, 0, 2, 2, 1, 2, 3) && REFUSED(9, 6, 0, 0, 4, 1, 1, 2, 3) && asked.calls == 0,
       "wrong sizes, without asking");
    OK(PASSES(9, 13, 5, 0, 0, 0, 0) && REFUSED(9, 4, 0, 0, 1, 1), "no object again");
}

static void damaged_frames(void) {
    unsigned flips = 0;
    unsigned came_through = 0;
    for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++) {
        uint8_t bytes[128];
        const size_t length = bytes_of(golden[i].frame, bytes);
        for (size_t bit = 0; bit < 8 * length; bit++) {
            uint8_t damaged[129];
            memcpy(damaged, bytes, length);
            damaged[bit / 8] ^= (uint8_t)(1u << (bit % 8));
            damaged[length] = 0x7E;
            begin(true);
            flips++;
            came_through += *feed(damaged, length + 1) != '\0';
        }
    }
    OK(came_through == 0, "of %u frames with a flipped bit none passes", flips);
    static uint8_t long_frame[STY_QP_GLUE_FRAME + 2];
    long_frame[STY_QP_GLUE_FRAME] = 0xFF;
    long_frame[STY_QP_GLUE_FRAME + 1] = 0x7E;
    OK(*feed(long_frame, sizeof long_frame) == '\0', "nor one that is too long");
    OK(*feed_text("7e7eff7e") == '\0', "nor one without a command");
}

int main(void) {
    recorded_frames();
    permission();
    damaged_frames();
    return DONE();
}
