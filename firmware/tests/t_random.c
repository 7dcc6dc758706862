/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A million random bytes for the receive channel: outside of the instance, nothing is changed or read except where
 * the permission callback allows it. */
#include "spytui/qs_rx.h"

#include "frames.h"
#include "tap.h"

enum { BYTES = 1000000, GUARD = 64, WINDOW = 32 };

/* All memory passed to the library, between guards. */
static struct {
    uint8_t guard0[GUARD];
    sty_ring_t ring;
    uint8_t guard1[GUARD];
    uint8_t mem[1024];
    uint8_t guard2[GUARD];
    sty_qs_t qs;
    uint8_t guard3[GUARD];
    sty_qsrx_t rx;
    uint8_t guard4[GUARD];
    uint8_t app[WINDOW + 2 * GUARD]; /* the host may access the middle */
    uint8_t guard5[GUARD];
} all;

static const sty_env_t env = {sty_env_no_time, sty_env_no_lock, sty_env_no_unlock, NULL, 0};
static const sty_qs_target_t target = {
    .version = 812, .tail = STY_QS_TARGET(32, 3, 2, 26, 11, 20, 14, 30, 9), .info = sty_qs_info_8};

static bool permissive;
static unsigned calls[6];

static bool may_access(void *ctx, uintptr_t address, size_t length, bool write) {
    (void)ctx;
    const uintptr_t begin = (uintptr_t)&all.app[GUARD];
    const bool inside = address >= begin && length <= WINDOW && address - begin <= WINDOW - length;
    calls[write ? 1 : 0] += inside;
    return permissive && inside;
}

static void tick(void *ctx, uint8_t rate) {
    (void)ctx;
    (void)rate;
    calls[2]++;
}

static void command(void *ctx, uint8_t id, uint32_t p1, uint32_t p2, uint32_t p3) {
    (void)ctx;
    (void)id;
    (void)(p1 + p2 + p3);
    calls[3]++;
}

static bool event(void *ctx, const sty_qsrx_event_t *e) {
    (void)ctx;
    calls[4]++;
    unsigned sum = 0;
    for (unsigned i = 0; i < e->length; i++) {
        sum += e->parameters[i];
    }
    return sum % 2 == 0;
}

static bool query(void *ctx, uint8_t kind, const void *object, sty_qsrx_query_t *answer) {
    (void)ctx;
    (void)object;
    calls[5]++;
    memset(answer, 0xFF, sizeof *answer);
    return kind < 8;
}

static uint8_t id_of(void *ctx, const void *object) {
    (void)ctx;
    return (uint8_t)(uintptr_t)object; /* a faulty callback */
}

static const sty_qsrx_cb_t callbacks = {may_access, NULL, tick, command, event, id_of, query, NULL, NULL};

static uint32_t state = 1;

static uint32_t random_u32(void) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

static bool is_guard(const uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != 0xA5) {
            return false;
        }
    }
    return true;
}

static bool guards_intact(void) {
    return is_guard(all.guard0, GUARD) && is_guard(all.guard1, GUARD) && is_guard(all.guard2, GUARD) &&
           is_guard(all.guard3, GUARD) && is_guard(all.guard4, GUARD) && is_guard(all.guard5, GUARD) &&
           is_guard(all.app, GUARD) && is_guard(&all.app[GUARD + WINDOW], GUARD) && all.ring.env == &env &&
           all.ring.buf == all.mem && all.qs.ring == &all.ring && all.rx.qs == &all.qs && all.rx.frame.buf == all.rx.buf;
}

static void begin(void) {
    memset(&all, 0xA5, sizeof all);
    memset(calls, 0, sizeof calls);
    sty_ring_init(&all.ring, &env, all.mem, sizeof all.mem);
    sty_qs_init(&all.qs, &all.ring, &target);
    sty_qsrx_init(&all.rx, &all.qs, &callbacks, NULL);
}

/* Builds a frame with a valid checksum and random content that is often meaningful. Returns its length. */
static size_t good_frame(uint8_t *bytes) {
    size_t count = 2 + random_u32() % 24;
    bytes[0] = (uint8_t)random_u32();
    bytes[1] = (uint8_t)(random_u32() % 18);
    for (size_t i = 2; i < count; i++) {
        bytes[i] = (uint8_t)random_u32();
    }
    if (bytes[1] >= 4 && bytes[1] <= 6) {
        bytes[2] = (uint8_t)(random_u32() % (WINDOW + 8));
        bytes[3] = 0;
        bytes[4] = (uint8_t)(1u << random_u32() % 3);
        bytes[5] = (uint8_t)(random_u32() % 20);
        const size_t data = bytes[1] == 4 ? 0 : bytes[1] == 6 ? bytes[4] : (size_t)bytes[4] * bytes[5];
        for (size_t i = 0; i < data; i++) {
            bytes[6 + i] = (uint8_t)random_u32();
        }
        count = 6 + data;
    } else if (bytes[1] == 1) {
        count = 2 + 13;
    } else if (bytes[1] == 3 || bytes[1] == 15) {
        bytes[2] %= 9;
        count = 2 + 1;
    } else if (bytes[1] == 16 && count > 7) {
        bytes[5] = (uint8_t)(count - 7);
        bytes[6] = 0;
    } else if (bytes[1] == 13) {
        /* Objects within the program's memory, or just outside. */
        const uintptr_t address = (uintptr_t)&all.app[GUARD - 4 + random_u32() % 12];
        bytes[2] = (uint8_t)(random_u32() % 9);
        memcpy(&bytes[3], &address, sizeof address);
        count = 3 + sizeof address;
    }
    return count;
}

static unsigned fed;

static void feed(uint8_t byte) {
    sty_qsrx_feed(&all.rx, byte);
    fed++;
}

static void feed_good_frame(void) {
    uint8_t bytes[128];
    uint8_t sum = 0;
    const size_t count = good_frame(bytes);
    for (size_t i = 0; i < count; i++) {
        sum = (uint8_t)(sum + bytes[i]);
    }
    bytes[count] = (uint8_t)~sum;
    for (size_t i = 0; i <= count; i++) {
        if (bytes[i] == 0x7E || bytes[i] == 0x7D) {
            feed(0x7D);
            feed(bytes[i] ^ 0x20);
        } else {
            feed(bytes[i]);
        }
    }
    feed(0x7E);
}

/* Reads the answers and returns the number of peeks. The ring must contain intact frames with valid sums. */
static unsigned take_answers(bool *good) {
    uint8_t frame[600];
    unsigned peeks = 0;
    for (size_t length; (length = next_frame(&all.ring, frame, sizeof frame)) != 0;) {
        uint8_t sum = 0;
        for (size_t i = 0; i < length; i++) {
            sum = (uint8_t)(sum + frame[i]);
        }
        *good = *good && sum == 0xFF;
        peeks += frame[1] == 68;
    }
    return peeks;
}

static void run(bool permit) {
    bool intact = true;
    bool good = true;
    unsigned peeks = 0;
    begin();
    permissive = permit;
    fed = 0;
    while (fed < BYTES) {
        if (random_u32() % 4 != 0) {
            feed_good_frame();
        } else {
            for (unsigned i = random_u32() % 100; i != 0; i--) {
                feed((uint8_t)random_u32());
            }
        }
        peeks += take_answers(&good);
        intact = intact && guards_intact();
        all.qs.current[STY_QS_AP] = random_u32() % 2 == 0 ? &all.app[GUARD] : all.qs.current[STY_QS_AP];
    }
    const bool written = !is_guard(&all.app[GUARD], WINDOW);
    printf("# reads %u, writes %u, ticks %u, commands %u, events %u, queries %u; %u peeks answered\n", calls[0], calls[1],
           calls[2], calls[3], calls[4], calls[5], peeks);
    OK(intact, "a million bytes, %s: nothing outside of the instance was touched", permit ? "permission given" : "none given");
    OK(good, "all answers are whole");
    bool reached = true;
    for (unsigned i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        reached = reached && calls[i] > 100;
    }
    OK(reached, "all commands were reached often");
    if (permit) {
        OK(written && peeks == calls[0], "what is permitted is done");
    } else {
        OK(!written && peeks == 0, "no peek, poke or fill gets past the permission callback");
    }
}

int main(void) {
    run(false);
    run(true);
    return DONE();
}
