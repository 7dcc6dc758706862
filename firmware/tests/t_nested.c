/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Records begun inside a record, for example by an argument that traces itself: refused and counted; the lock is
 * released, and the outer record is intact. */
#include "spytui/qs_rec.h"
#include "spytui/rkh_rec.h"
#include "spytui/tband.h"

#include "frames.h"
#include "tap.h"

enum { SIZE = 256, TEMP = STY_QS_USER, ELEMENTS = 30 };

static uint32_t masked; /* like a processor: a state, not a depth */
static uint64_t lock_calls;

static uint32_t lock(void *ctx) {
    (void)ctx;
    const uint32_t before = masked;
    masked = 1;
    lock_calls++;
    return before;
}

static void unlock(void *ctx, uint32_t state) {
    (void)ctx;
    masked = state;
}

static const sty_env_t env = {sty_env_no_time, lock, unlock, NULL, 0};
static const sty_qs_target_t target = {.version = 734, .info = sty_qs_info_7};
static const sty_rkh_target_t rkh_target = {.version = 0x3400, .max_pools = 4, .ticks_per_second = 1000};
static uint8_t mem[SIZE];
static sty_ring_t ring;
static sty_qs_t qs;
static sty_rkh_t rkh;
static unsigned failed;
static bool hook_traces;

void sty_test_failed(void) {
    failed++;
    if (hook_traces) {
        sty_qs_assert(&qs, "hook", 1);
    }
}

static void begin(bool latest) {
    if (latest) {
        sty_ring_init_latest(&ring, &env, mem, SIZE, STY_RING_ENDS_IN(STY_HDLC_FLAG));
    } else {
        sty_ring_init(&ring, &env, mem, SIZE);
    }
    sty_qs_init(&qs, &ring, &target);
    sty_qs_glb_group(&qs, STY_QS_GRP_ALL, true);
    failed = 0;
    hook_traces = false;
}

/* Begins with a flag, which is stuffed, and has a separate sum. */
static uint32_t read_sensor(void) {
    STY_QS_BEGIN(&qs, TEMP + 1, 0)
        sty_qs_u8(&qs, 0, 0x7E);
        sty_qs_str(&qs, "~sensor");
    STY_QS_END(&qs)
    return 61;
}

static void measure(void) {
    STY_QS_BEGIN(&qs, TEMP, 0)
        sty_qs_u8(&qs, 0, 1);
        sty_qs_u32(&qs, 0, read_sensor());
    STY_QS_END(&qs)
}

/* Is the next frame intact, with this record and number? */
static bool next_is(uint8_t number, uint8_t rec, size_t length) {
    uint8_t frame[64];
    const size_t got = next_frame(&ring, frame, sizeof frame);
    uint8_t sum = 0;
    for (size_t i = 0; i < got; i++) {
        sum = (uint8_t)(sum + frame[i]);
    }
    return got == length && sum == 0xFF && frame[0] == number && frame[1] == rec;
}

static void in_a_user_record(void) {
    begin(false);
    measure();
    OK(masked == 0, "after a record inside a record the lock is released");
    OK(failed == 1 && sty_ring_drops(&ring) == 1, "the inner one fails a check and is counted");
    OK(next_is(1, TEMP, 2 + 4 + 2 + 5 + 1), "the outer one is whole");
    OK(next_is(3, STY_QS_DROPS_REC, 2 + 4 + 5 + 1), "the drop total follows it, with the number of the inner one left out");
    sty_qs_crit_entry(&qs, 0, 1);
    OK(next_is(4, 39, 2 + 4 + 1 + 1) && sty_ring_used(&ring) == 0, "and others come as ever");
}

static uint32_t read_two_sensors(void) {
    STY_QS_BEGIN(&qs, TEMP + 1, 0)
        sty_qs_u32(&qs, 0, read_sensor());
        sty_qs_str(&qs, "~both");
    STY_QS_END(&qs)
    return 61;
}

static void in_an_inner_record(void) {
    begin(false);
    STY_QS_BEGIN(&qs, TEMP, 0)
        sty_qs_u8(&qs, 0, 1);
        sty_qs_u32(&qs, 0, read_two_sensors());
    STY_QS_END(&qs)
    OK(masked == 0 && sty_ring_drops(&ring) == 2 && next_is(1, TEMP, 2 + 4 + 2 + 5 + 1),
        "in an inner record: both are counted, and the outer one is whole");
}

/* As a handler that returns. */
static uint32_t failing_sensor(void) {
    sty_qs_assert(&qs, "sensor", 7);
    return 61;
}

static void with_an_assertion_in_an_argument(void) {
    begin(false);
    STY_QS_BEGIN(&qs, TEMP, 0)
        sty_qs_u8(&qs, 0, 1);
        sty_qs_u32(&qs, 0, failing_sensor());
        OK(masked == 1, "an assertion in a record leaves its lock");
    STY_QS_END(&qs)
    OK(masked == 0 && sty_ring_drops(&ring) == 1, "until the record ends, which is counted");
    OK(next_is(2, 69, 2 + 4 + 2 + 7 + 1), "the assertion is sent");
    OK(next_is(3, STY_QS_DROPS_REC, 2 + 4 + 5 + 1) && sty_ring_used(&ring) == 0, "and nothing of the record");
}

static void with_a_hook_that_traces(void) {
    begin(false);
    hook_traces = true;
    measure();
    OK(masked == 0 && failed == 1 && sty_ring_drops(&ring) >= 2, "a hook that traces is not called again");
}

/* Only intact frames, none of them an inner record, and all missing ones are counted. */
static bool all_whole(uint32_t records) {
    sty_hdlc_rx_t rx;
    uint8_t frame[64];
    uint8_t bytes[SIZE];
    uint32_t got = 0;
    bool whole = true;
    sty_hdlc_rx_init(&rx, frame, sizeof frame);
    const uint32_t count = sty_ring_read(&ring, bytes, sizeof bytes);
    for (uint32_t i = 0; i < count; i++) {
        const int length = sty_hdlc_rx_feed(&rx, bytes[i]);
        uint8_t sum = 0;
        for (int n = 0; n < length; n++) {
            sum = (uint8_t)(sum + frame[n]);
        }
        whole = whole && (length == STY_HDLC_MORE || (length >= 3 && sum == 0xFF));
        got += length >= 3 && frame[1] == TEMP;
    }
    return whole && got + sty_ring_drops(&ring) >= 2 * records && got > 0;
}

static void in_full_rings(void) {
    for (int latest = 0; latest < 2; latest++) {
        begin(latest != 0);
        for (uint32_t i = 0; i < 100; i++) {
            measure();
        }
        OK(masked == 0 && failed == 100 && all_whole(100), "in a full %s ring, too", latest ? "LATEST" : "KEEP");
    }
}

/* A record that does not fit is dropped even if the inner record ends in between. */
static void in_a_record_that_does_not_fit(void) {
    begin(false);
    STY_QS_BEGIN(&qs, TEMP, 0)
        for (unsigned i = 0; i < ELEMENTS; i++) {
            sty_qs_u64(&qs, 0, i);
        }
        read_sensor();
        sty_qs_u8(&qs, 0, 1);
    STY_QS_END(&qs)
    OK(masked == 0 && sty_ring_drops(&ring) == 2 && next_is(3, STY_QS_DROPS_REC, 2 + 4 + 5 + 1),
        "in a record that does not fit: both are counted");
}

static void in_an_rkh_event(void) {
    sty_ring_init(&ring, &env, mem, SIZE);
    sty_rkh_init(&rkh, &ring, &rkh_target);
    failed = 0;
    sty_rkh_begin(&rkh, 1);
    sty_rkh_u8(&rkh, 0, 5);
    sty_rkh_begin(&rkh, 2);
    sty_rkh_str(&rkh, "inner");
    sty_rkh_end(&rkh);
    sty_rkh_u8(&rkh, 0, 6);
    sty_rkh_end(&rkh);
    uint8_t frame[64];
    const size_t length = next_frame(&ring, frame, sizeof frame);
    uint8_t sum = 0;
    for (size_t i = 0; i < length; i++) {
        sum = (uint8_t)(sum + frame[i]);
    }
    OK(masked == 0 && failed == 1 && sty_ring_drops(&ring) == 1 && sum == 0 && length == 2 + STY_RKH_TIME_SIZE + 4 + 1 &&
        frame[length - 2] == 6, "in an RKH event: the same");
}

int main(void) {
    in_a_user_record();
    in_an_inner_record();
    with_an_assertion_in_an_argument();
    with_a_hook_that_traces();
    in_full_rings();
    in_a_record_that_does_not_fit();
    in_an_rkh_event();
    return DONE();
}
