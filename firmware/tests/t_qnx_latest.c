/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* QNX buffers in a LATEST ring: what is read out is whole, in order, and accounts for what gave way. */
#include "spytui/qnx.h"

#include "tap.h"

#include <stdio.h>
#include <string.h>

enum { EVENT = 16, RING = 1024, BUFFER = 16 * EVENT };

static uint64_t now(void *ctx) {
    (void)ctx;
    return 0x700000001u;
}

static const sty_env_t env = {now, sty_env_no_lock, sty_env_no_unlock, NULL, 1000};
static const sty_qnx_target_t target = {1000000, "6.4.1", "demo", "Sun Nov 22 09:14:02 2026"};
static uint8_t mem[RING];
static uint8_t buffer[BUFFER];
static sty_ring_t ring;
static sty_qnx_t qnx;

static void begin(void) {
    sty_ring_init_latest(&ring, &env, mem, sizeof mem, STY_RING_QNX_BUFFERS);
    sty_qnx_init_latest(&qnx, &ring, &target, buffer, sizeof buffer);
}

static uint32_t word_at(const uint8_t *bytes) {
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* What was read: buffers, and user events 7, which count up in their first word. */
typedef struct {
    uint32_t buffers;
    uint32_t first_number;
    uint32_t last_number;
    uint32_t events;
    uint32_t first;
    uint32_t last;
    uint32_t total; /* the last drop total */
    uint32_t totals;
    uint32_t answers;
    bool whole; /* only whole buffers came, with their events in order */
} seen_t;

static void look_at_event(seen_t *seen, const uint8_t *event) {
    const uint32_t header = word_at(event) & 0x7FFFu;
    const uint32_t word = word_at(&event[8]);
    if (header == (6u << 10 | 7u)) {
        seen->whole = seen->whole && (seen->events == 0 || word > seen->last);
        seen->first = seen->events == 0 ? word : seen->first;
        seen->last = word;
        seen->events++;
    } else if (header == (6u << 10 | STY_QNX_DROPS)) {
        seen->total = word;
        seen->totals++;
    } else if (header == (6u << 10 | STY_QNX_ACK)) {
        seen->answers++;
    }
}

/* A buffer, if there is one. */
static bool read_buffer(seen_t *seen) {
    uint8_t bytes[BUFFER];
    const uint32_t count = sty_ring_read(&ring, bytes, sizeof bytes);
    for (uint32_t at = 0; at < count;) {
        const uint32_t length = word_at(&bytes[at + 12]) * EVENT;
        const uint32_t number = word_at(&bytes[at + 8]);
        if ((word_at(&bytes[at]) & 0x7FFFu) != (1u << 10 | 2u) || length == 0 || length > count - at) {
            seen->whole = false;
            return false;
        }
        seen->whole = seen->whole && (seen->buffers == 0 || number > seen->last_number);
        seen->first_number = seen->buffers == 0 ? number : seen->first_number;
        seen->last_number = number;
        seen->buffers++;
        for (uint32_t i = EVENT; i < length; i += EVENT) {
            look_at_event(seen, &bytes[at + i]);
        }
        at += length;
    }
    return count != 0;
}

static seen_t read_all(void) {
    seen_t seen = {.whole = true};
    while (read_buffer(&seen)) {
    }
    return seen;
}

static void send(uint32_t from, uint32_t to) {
    for (uint32_t i = from; i < to; i++) {
        sty_qnx_user(&qnx, 0, 7, i, 0);
    }
}

static void oldest_give_way(void) {
    begin();
    OK(!sty_qnx_start(&qnx) && sty_ring_used(&ring) == 0, "the ring holds no head");
    send(0, 1000);
    const uint32_t waiting = qnx.records;
    OK(sty_ring_drops(&ring) != 0 && sty_ring_used(&ring) == RING, "buffers gave way");
    const seen_t seen = read_all();
    OK(seen.whole && seen.buffers == RING / BUFFER, "whole buffers are left");
    OK(seen.last_number - seen.first_number + 1 == seen.buffers, "with numbers in a row");
    OK(seen.last + 1 + waiting == 1000 && seen.last - seen.first + 1 == seen.events, "they are the latest, with all their events");
    OK(seen.totals == 0 && sty_qnx_drops(&qnx) == seen.first, "events that gave way are counted, and not reported to nobody");
    sty_qnx_flush(&qnx);
    const seen_t rest = read_all();
    OK(rest.events == waiting && rest.total == 0, "the rest follows");
    sty_qnx_flush(&qnx);
    OK(read_all().total == sty_qnx_drops(&qnx), "a host that reads learns how many were dropped");
}

/* Buffers of many lengths, events of many parts, read at any time, buffers smaller than the largest among them. */
static void accounts(void) {
    static const char text[] = "a text of several events, the number of which goes with its length";
    seen_t seen = {.whole = true};
    uint32_t texts = 0;
    uint32_t state = 1;
    begin();
    for (uint32_t i = 0; i < 100000; i++) {
        state = state * 1103515245u + 12345u;
        if (state >> 24 < 40) {
            sty_qnx_user_text(&qnx, 0, 8, &text[(state >> 16) % (sizeof text - 1)]);
            texts++;
        }
        if (state >> 24 > 200 && (i / 1000) % 2 == 0) {
            read_buffer(&seen);
        }
        if (state >> 24 == 100) {
            sty_qnx_flush(&qnx);
        }
        sty_qnx_user(&qnx, 0, 7, i, 0);
    }
    const uint32_t before = sty_qnx_drops(&qnx);
    while (read_buffer(&seen)) {
    }
    OK(seen.whole && seen.events > 10000 && before > 10000, "any mixture of lengths stays whole: %u read, %u dropped",
       (unsigned)seen.events, (unsigned)before);
    OK(seen.totals > 10 && seen.total <= before, "totals come as long as somebody reads");
    sty_qnx_flush(&qnx);
    while (read_buffer(&seen)) {
    }
    sty_qnx_flush(&qnx);
    while (read_buffer(&seen)) {
    }
    OK(seen.total == sty_qnx_drops(&qnx) && seen.last == 99999, "the last is the total");
    OK(sty_qnx_drops(&qnx) + seen.events >= 100000 && sty_qnx_drops(&qnx) + seen.events <= 100000 + texts,
       "each event was read or counted");
}

static void trigger(void) {
    begin();
    send(0, 505);
    sty_qnx_trigger(&qnx, 0);
    OK(sty_ring_frozen(&ring), "the trigger freezes the ring");
    send(505, 700);
    sty_qnx_flush(&qnx);
    const seen_t seen = read_all();
    OK(seen.whole && seen.last == 504, "the last event before the trigger is kept, though its buffer was not full");
    send(700, 800);
    OK(read_all().events == 0, "what comes later is dropped");
    sty_qnx_answer(&qnx, 5, 0);
    OK(read_all().answers == 1, "an answer passes");
    sty_ring_resume(&ring);
    send(800, 840);
    sty_qnx_flush(&qnx);
    const seen_t after = read_all();
    OK(after.last == 839 && after.first > 700 && after.total != 0, "it goes on");
    const uint32_t dropped = sty_qnx_drops(&qnx);
    OK(dropped + seen.events + after.events == 840, "each event was read or counted");

    begin();
    send(0, 505);
    sty_qnx_trigger(&qnx, 2 * BUFFER);
    OK(!sty_ring_frozen(&ring), "a trigger may let some more pass");
    send(505, 900);
    const seen_t more = read_all();
    OK(sty_ring_frozen(&ring) && more.first < 505 && more.last > 504 + 2 * 12 && more.last < 504 + 3 * 14,
       "so many bytes, in whole buffers");
    sty_qnx_trigger(&qnx, 0);
    OK(sty_ring_frozen(&ring), "a second trigger changes nothing");
}

/* Answers pass a full ring. */
static void answers(void) {
    begin();
    send(0, 500);
    sty_qnx_answer(&qnx, 5, 0);
    const seen_t seen = read_all();
    OK(seen.answers == 1 && seen.whole, "an answer takes the place of the oldest buffer");
    sty_qnx_flush(&qnx);
    const seen_t rest = read_all();
    OK(sty_qnx_drops(&qnx) + seen.events + rest.events == 500, "whose events are counted");
}

static uint32_t head_length;

static void put(void *ctx, const char *bytes, size_t count) {
    if (head_length == 0) {
        *(bool *)ctx = memcmp(bytes, "TRACE_", count) == 0;
    }
    head_length += (uint32_t)count;
}

static void head(void) {
    bool good = false;
    sty_qnx_head(&target, put, &good);
    OK(good && head_length > 200, "the head is handed over in pieces");
}

/* A ring that is smaller than a buffer drops that; nothing is written beyond it. */
static void too_small(void) {
    static uint8_t large[RING + 64 * EVENT];
    static uint8_t small[256 + EVENT];
    memset(small, 0xA5, sizeof small);
    sty_ring_init_latest(&ring, &env, small, 256, STY_RING_QNX_BUFFERS);
    sty_qnx_init_latest(&qnx, &ring, &target, large, sizeof large);
    send(0, 1000);
    bool intact = true;
    for (size_t i = 256; i < sizeof small; i++) {
        intact = intact && small[i] == 0xA5;
    }
    OK(intact && sty_qnx_drops(&qnx) > 800, "a buffer larger than the ring is dropped");
}

int main(void) {
    oldest_give_way();
    accounts();
    trigger();
    answers();
    head();
    too_small();
    return DONE();
}
