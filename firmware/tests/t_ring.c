/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "spytui/ring.h"
#include "tap.h"

#include <string.h>

enum { SIZE = 256 };

/* A clock set by the test, and a lock that records its use. */
typedef struct {
    uint64_t time;
    uint32_t depth;
    uint32_t deepest;
    bool broken;
} port_t;

static uint64_t now(void *ctx) {
    return ((port_t *)ctx)->time;
}

static uint32_t lock(void *ctx) {
    port_t *port = ctx;
    const uint32_t before = port->depth;
    port->depth++;
    if (port->depth > port->deepest) {
        port->deepest = port->depth;
    }
    return before;
}

static void unlock(void *ctx, uint32_t state) {
    port_t *port = ctx;
    port->broken = port->broken || port->depth != state + 1u;
    port->depth = state;
}

static port_t port;
static const sty_env_t env = {now, lock, unlock, &port, 1000};
static uint8_t mem[SIZE + 32];
static sty_ring_t ring;

static void guard(void) {
    port = (port_t){0};
    memset(mem, 0xA5, sizeof mem);
}

static bool guard_intact(void) {
    for (size_t i = SIZE; i < sizeof mem; i++) {
        if (mem[i] != 0xA5) {
            return false;
        }
    }
    return !port.broken && port.depth == 0;
}

/* Writes a frame of `length` bytes that counts up from `first` and ends with 0x7E. */
static bool frame(uint8_t first, uint32_t length) {
    sty_ring_begin(&ring);
    for (uint32_t i = 0; i + 1u < length; i++) {
        const uint8_t byte = (uint8_t)((first + i) & 0x3F);
        sty_ring_put(&ring, &byte, 1);
    }
    sty_ring_put(&ring, "\x7E", 1);
    return sty_ring_commit(&ring);
}

static bool answer(uint32_t length) {
    uint8_t bytes[64] = {0};
    sty_ring_begin_urgent(&ring);
    sty_ring_put(&ring, bytes, length);
    return sty_ring_commit(&ring);
}

static uint32_t drain(uint8_t *to) {
    uint32_t done = 0;
    uint32_t count;
    for (const uint8_t *from = sty_ring_peek(&ring, &count); count != 0; from = sty_ring_peek(&ring, &count)) {
        memcpy(&to[done], from, count);
        done += count;
        sty_ring_skip(&ring, count);
    }
    return done;
}

/* Are these intact frames, each counting up? Returns their number, or -1. */
static int whole_frames(const uint8_t *bytes, uint32_t count) {
    int frames = 0;
    bool begin = true;
    uint8_t expected = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (bytes[i] == 0x7E) {
            frames++;
        } else if (!begin && bytes[i] != expected) {
            return -1;
        }
        begin = bytes[i] == 0x7E;
        expected = (uint8_t)((bytes[i] + 1) & 0x3F);
    }
    return begin ? frames : -1;
}

static void keeps_whole_frames(void) {
    uint8_t out[SIZE];
    guard();
    sty_ring_init(&ring, &env, mem, SIZE);
    uint32_t kept = 0;
    uint32_t dropped = 0;
    bool whole = true;
    for (uint32_t i = 0; i < 10000; i++) {
        const bool fits = frame((uint8_t)i, 2 + i % 29);
        kept += fits;
        dropped += !fits;
        if (i % 13 == 12) {
            const int frames = whole_frames(out, drain(out));
            whole = whole && frames >= 0;
            kept -= (uint32_t)(frames >= 0 ? frames : 0);
        }
    }
    const int rest = whole_frames(out, drain(out));
    OK(whole && rest == (int)kept, "a KEEP ring gives back whole frames, all that it took");
    OK(dropped > 0 && sty_ring_drops(&ring) == dropped, "and counts the others: %u", (unsigned)dropped);
    OK(sty_ring_peak(&ring) <= SIZE - STY_RING_KEEP_FREE, "its peak leaves the bytes kept for answers free");
    OK(guard_intact(), "nothing is written beyond it, and each lock has its unlock");
}

static void answers_fit(void) {
    guard();
    sty_ring_init(&ring, &env, mem, SIZE);
    while (frame(0, 20)) {
    }
    OK(!frame(0, 20) && answer(64), "a full ring still takes an answer of 64 bytes");
    while (answer(8)) {
    }
    OK(sty_ring_used(&ring) <= SIZE && guard_intact(), "answers have an end as well");
}

static void too_large(void) {
    guard();
    sty_ring_init(&ring, &env, mem, SIZE);
    OK(!frame(0, SIZE + 10) && sty_ring_used(&ring) == 0 && frame(0, 20), "a frame larger than the ring is dropped");
    sty_ring_init_latest(&ring, &env, mem, SIZE, STY_RING_ENDS_IN(0x7E));
    OK(!frame(0, SIZE + 10) && sty_ring_used(&ring) == 0 && frame(0, 20), "from a LATEST ring too");
    OK(guard_intact(), "without a byte beyond the ring");
}

static void indices_wrap(void) {
    uint8_t out[SIZE];
    guard();
    sty_ring_init(&ring, &env, mem, SIZE);
    ring.head = ring.tail = 0xFFFFFFC0u;
    bool whole = true;
    for (uint32_t i = 0; i < 20; i++) {
        frame((uint8_t)i, 30);
        whole = whole && whole_frames(out, drain(out)) == 1;
    }
    OK(whole && sty_ring_drops(&ring) == 0, "indices may wrap at 32 bits");
}

/* Is a drop total due? It is sent as an empty frame. */
static bool total_due(void) {
    const bool due = sty_ring_begin_total(&ring);
    if (due) {
        sty_ring_commit(&ring);
    }
    return due;
}

static void total(void) {
    guard();
    sty_ring_init(&ring, &env, mem, SIZE);
    OK(!total_due(), "no drop, no total");
    while (frame(0, 20)) {
    }
    OK(!total_due(), "a total waits while the ring is full");
    port.time = 1000;
    OK(total_due(), "but no longer than a second");
    OK(!total_due(), "and is due once only");
    frame(0, 20);
    sty_ring_skip(&ring, SIZE / 2);
    OK(total_due(), "it is due at once when the ring is half empty again");
    while (frame(0, 20)) {
    }
    while (answer(8)) {
    }
    port.time = 2000;
    OK(!total_due(), "and never where it does not fit");
    OK(guard_intact(), "each lock has its unlock");
}

static void latest_keeps_the_latest(void) {
    uint8_t out[SIZE];
    guard();
    sty_ring_init_latest(&ring, &env, mem, SIZE, STY_RING_ENDS_IN(0x7E));
    bool all = true;
    for (uint32_t i = 0; i < 1000; i++) {
        all = frame((uint8_t)i, 20) && all;
    }
    const uint32_t count = sty_ring_read(&ring, out, SIZE);
    OK(all, "a LATEST ring takes every frame");
    OK(whole_frames(out, count) == SIZE / 20, "it holds as many whole frames as fit");
    OK(out[count - 20] == (999 & 0x3F), "the latest ones");
    OK(sty_ring_drops(&ring) == 1000 - SIZE / 20, "and counts those that gave way");
    OK(guard_intact(), "nothing is written beyond it");
}

static void latest_ends_a_cut_frame(void) {
    uint8_t out[SIZE];
    guard();
    sty_ring_init_latest(&ring, &env, mem, SIZE, STY_RING_ENDS_IN(0x7E));
    frame(0, 20);
    const uint32_t begun = sty_ring_read(&ring, out, 7);
    for (uint32_t i = 0; i < 20; i++) {
        frame((uint8_t)i, 20);
    }
    const uint32_t count = sty_ring_read(&ring, out, SIZE);
    OK(begun == 7 && out[0] == 0x7E, "the frame that the reader had begun is ended first");
    OK(whole_frames(&out[1], count - 1) == SIZE / 20, "and whole frames follow");
}

/* A slow reader gets totals anyway; without a reader, they would push out what the ring is for. */
static void total_of_latest(void) {
    uint8_t out[SIZE];
    guard();
    sty_ring_init_latest(&ring, &env, mem, SIZE, STY_RING_ENDS_IN(0x7E));
    for (uint32_t i = 0; i < 50; i++) {
        frame((uint8_t)i, 20);
    }
    port.time = 5000;
    OK(!total_due(), "no total goes into a full LATEST ring that nobody reads");
    sty_ring_read(&ring, out, 20);
    frame(0, 20);
    OK(total_due(), "it does into one that is read too slowly");
    frame(0, 20);
    port.time = 9000;
    OK(!total_due(), "once");
}

static uint32_t random_state = 1;

static uint32_t random_below(uint32_t limit) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state % limit;
}

/* A frame that contains its length: that many bytes of this value, then the end. */
static bool is_whole(const uint8_t *bytes, uint32_t count) {
    bool same = count > 0 && bytes[0] == count;
    for (uint32_t i = 0; i < count; i++) {
        same = same && bytes[i] == count;
    }
    return same;
}

/* Pieces of any size, read at any time: each frame is intact or counted. */
static void latest_adds_up(void) {
    uint8_t piece[SIZE];
    uint8_t out[SIZE];
    uint32_t length = 0;
    uint32_t written = 0;
    uint32_t whole = 0;
    uint32_t broken = 0;
    guard();
    sty_ring_init_latest(&ring, &env, mem, SIZE, STY_RING_ENDS_IN(0x7E));
    for (uint32_t turn = 0; turn < 200000; turn++) {
        const bool last = turn == 199999;
        const uint8_t size = (uint8_t)(1 + random_below(40));
        sty_ring_begin(&ring);
        for (uint32_t i = 0; i < size; i++) {
            sty_ring_put(&ring, &size, 1);
        }
        sty_ring_put(&ring, "\x7E", 1);
        written += sty_ring_commit(&ring);
        const uint32_t count = sty_ring_read(&ring, out, last ? SIZE : random_below(turn % 1000 < 500 ? 60 : 20));
        for (uint32_t i = 0; i < count; i++) {
            if (out[i] != 0x7E) {
                piece[length] = out[i];
                length++;
            } else {
                whole += is_whole(piece, length);
                broken += !is_whole(piece, length);
                length = 0;
            }
        }
    }
    OK(length == 0 && written == 200000 && whole + sty_ring_drops(&ring) == written,
       "read in any pieces, %u frames come whole and %u are counted", (unsigned)whole, (unsigned)sty_ring_drops(&ring));
    OK(broken > 0 && broken < sty_ring_drops(&ring), "%u of those had begun to go out, and are ended", (unsigned)broken);
    OK(guard_intact(), "nothing is written beyond the ring");
}

static void trigger(void) {
    uint8_t out[SIZE];
    guard();
    sty_ring_init_latest(&ring, &env, mem, SIZE, STY_RING_ENDS_IN(0x7E));
    for (uint32_t i = 0; i < 50; i++) {
        frame((uint8_t)i, 20);
    }
    sty_ring_trigger(&ring, 30);
    uint32_t after = 0;
    while (frame((uint8_t)(50 + after), 20)) {
        after++;
    }
    OK(after == 2 && sty_ring_frozen(&ring), "the trigger lets 30 bytes pass, to the end of a frame, then freezes");
    OK(answer(60) && !answer(30), "there is room for one answer, and nothing gives way to another");
    const uint32_t drops = sty_ring_drops(&ring);
    OK(!frame(0, 20) && sty_ring_drops(&ring) == drops + 1, "frames that come later are counted as dropped");
    const uint32_t count = sty_ring_read(&ring, out, SIZE);
    OK(whole_frames(out, count - 60) == (SIZE - 64) / 20 && out[count - 80] == 51, "what led to it is kept, until it is read");
    OK(answer(30) && !frame(0, 20), "then answers pass, frames still do not");
    sty_ring_resume(&ring);
    OK(!sty_ring_frozen(&ring) && frame(0, 20), "until it goes on");
    sty_ring_trigger(&ring, 0);
    OK(!frame(0, 20), "a trigger of 0 bytes freezes at once");
    OK(guard_intact(), "each lock has its unlock");
}

/* An interrupt traces while a task does: the lock is taken inside a locked section and leaves it locked. */
static void nested(void) {
    guard();
    sty_ring_init(&ring, &env, mem, SIZE);
    const uint32_t state = lock(&port);
    OK(frame(0, 20) && port.depth == 1, "a frame inside a locked section leaves it locked");
    unlock(&port, state);
    OK(guard_intact() && port.deepest == 2, "until its owner unlocks it");
}

int main(void) {
    keeps_whole_frames();
    answers_fit();
    too_large();
    indices_wrap();
    total();
    latest_keeps_the_latest();
    latest_ends_a_cut_frame();
    total_of_latest();
    latest_adds_up();
    trigger();
    nested();
    return DONE();
}
