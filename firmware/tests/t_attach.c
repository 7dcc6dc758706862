/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A ring in memory that survives a reset: unread bytes stay, whatever state the reset interrupts. */
#include "spytui/qs.h"

#include "frames.h"
#include "tap.h"

enum { SIZE = 512, FRAME = 2 + 4 + 5 + 1, FLAG = STY_RING_ENDS_IN(STY_HDLC_FLAG) };

static uint32_t masked;
static uint64_t clock_now;

static uint64_t now(void *ctx) {
    (void)ctx;
    return clock_now;
}

static uint32_t lock(void *ctx) {
    (void)ctx;
    const uint32_t before = masked;
    masked = 1;
    return before;
}

static void unlock(void *ctx, uint32_t state) {
    (void)ctx;
    masked = state;
}

static const sty_env_t env = {now, lock, unlock, NULL, 0};
static const sty_qs_target_t target = {.version = 734, .info = sty_qs_info_7};
static uint8_t mem[SIZE];
static sty_ring_t ring;
static sty_qs_t qs;

static void begin(bool latest) {
    masked = 0;
    if (latest) {
        sty_ring_init_latest(&ring, &env, mem, SIZE, FLAG);
    } else {
        sty_ring_init(&ring, &env, mem, SIZE);
    }
    sty_qs_init(&qs, &ring, &target);
}

static void send(uint32_t first, uint32_t end) {
    for (uint32_t i = first; i < end; i++) {
        sty_qs_begin(&qs, STY_QS_USER);
        sty_qs_u32(&qs, 0, i);
        sty_qs_end(&qs);
    }
}

/* Interrupts are enabled again, and the emitter is uninitialized. */
static bool reset(bool latest) {
    masked = 0;
    const bool survived =
        latest ? sty_ring_attach_latest(&ring, &env, mem, SIZE, FLAG) : sty_ring_attach(&ring, &env, mem, SIZE, FLAG);
    sty_qs_init(&qs, &ring, &target);
    return survived;
}

/* Number of records, which must be consecutive up to `last`; -1 if any is damaged or missing. At the beginning, up
 * to `cut` damaged records are accepted. */
static int look_at(const uint8_t *bytes, uint32_t count, uint32_t last, int cut) {
    sty_hdlc_rx_t rx;
    uint8_t frame[64];
    int records = 0;
    uint32_t expected = 0;
    bool good = true;
    sty_hdlc_rx_init(&rx, frame, sizeof frame);
    for (uint32_t i = 0; i < count; i++) {
        const int length = sty_hdlc_rx_feed(&rx, bytes[i]);
        if (length == FRAME && frame[1] == STY_QS_USER) {
            good = good && (records == 0 || frame[7] == (uint8_t)expected);
            expected = frame[7] + 1u;
            records++;
        } else if (length != STY_HDLC_MORE && frame[1] != STY_QS_DROPS_REC) {
            cut--;
            good = good && records == 0 && cut >= 0;
        }
    }
    return good && expected == last + 1u ? records : -1;
}

static int read_up_to(uint32_t last) {
    uint8_t bytes[SIZE];
    return look_at(bytes, sty_ring_read(&ring, bytes, sizeof bytes), last, 0);
}

/* The memory as a debugger saves it, starting at the newest record and wrapping around. */
static void dumps(void) {
    uint8_t bytes[SIZE];
    bool good = true;
    begin(true);
    memset(mem, 0, sizeof mem);
    send(0, 1); /* with whatever was in memory before */
    for (uint32_t i = 1; i < 255; i++) {
        send(i, i + 1u);
        const uint32_t end = ring.head & ring.mask;
        memcpy(bytes, &mem[end], SIZE - end);
        memcpy(&bytes[SIZE - end], mem, end);
        good = good && look_at(bytes, SIZE, i, 1) >= (int)(i < 25u ? i : 25u);
    }
    OK(good, "in a dump of the memory the oldest record may be cut, and no other");
}

static void records_survive(void) {
    for (int latest = 0; latest < 2; latest++) {
        begin(latest != 0);
        send(0, 10);
        OK(reset(latest != 0) && read_up_to(9) == 10, "%s: records survive", latest ? "LATEST" : "KEEP");
        send(10, 100);
        const uint32_t drops = sty_ring_drops(&ring);
        OK(drops != 0 && reset(latest != 0) && read_up_to(latest ? 99 : 99 - drops) > 30, "also of a full ring");
    }
}

static void in_the_middle_of_a_record(void) {
    begin(false);
    send(0, 5);
    sty_qs_begin(&qs, STY_QS_USER);
    sty_qs_u32(&qs, 0, 5);
    OK(masked == 1 && reset(false) && masked == 0, "a reset in the middle of a record leaves no lock");
    OK(sty_ring_drops(&ring) == 1, "that record is counted");
    send(5, 8);
    OK(read_up_to(7) == 8 && masked == 0, "those before and after are whole");
}

static void totals_go_on(void) {
    begin(false);
    send(0, 100);
    const uint32_t drops = sty_ring_drops(&ring);
    OK(reset(false) && sty_ring_drops(&ring) == drops, "drops that no total has said are kept");
    read_up_to(0);
    sty_qs_poll(&qs);
    OK(reset(false) && sty_ring_drops(&ring) == 0, "others are not counted again");
}

static void other_memory(void) {
    begin(false);
    send(0, 5);
    memset(&ring, 0xA5, sizeof ring);
    OK(!reset(false) && sty_ring_used(&ring) == 0, "noise is no ring");
    memset(&ring, 0, sizeof ring);
    OK(!reset(false) && sty_ring_used(&ring) == 0, "nor are zeros");
    send(0, 5);
    OK(read_up_to(4) == 5, "the ring is as new");
    begin(false);
    send(0, 5);
    OK(!sty_ring_attach(&ring, &env, mem, SIZE / 2, FLAG) && sty_ring_used(&ring) == 0, "nor one of another size");
    begin(false);
    ring.head = ring.tail + SIZE + 1u;
    OK(!reset(false) && sty_ring_used(&ring) == 0, "nor one that holds more than it can");
    begin(true);
    OK(!reset(false), "nor one of the other policy");
}

static void frozen(void) {
    begin(true);
    send(0, 100);
    sty_ring_trigger(&ring, 0);
    OK(reset(true) && sty_ring_frozen(&ring), "a frozen ring stays frozen");
    send(100, 200);
    OK(read_up_to(99) > 30, "and keeps what led to it");
}

/* Frames of each kind that are whole, and what comes before the first of them. */
typedef struct {
    uint32_t before;
    int names;
    int causes;
    int records;
    int damaged;
} sent_t;

static sent_t sent_in(const uint8_t *bytes, uint32_t count) {
    sent_t sent = {0};
    sty_hdlc_rx_t rx;
    uint8_t frame[64];
    sty_hdlc_rx_init(&rx, frame, sizeof frame);
    for (uint32_t at = 0; at < count; at++) {
        const int length = sty_hdlc_rx_feed(&rx, bytes[at]);
        uint8_t sum = 0;
        for (int i = 0; i < length; i++) {
            sum = (uint8_t)(sum + frame[i]);
        }
        if (length == 0) {
            sent.before++;
        } else if (length != STY_HDLC_MORE) {
            sent.damaged += sum != 0xFF;
            sent.names += frame[1] == 61;
            sent.causes += frame[1] == STY_QS_RESET_REC;
            sent.records += frame[1] == STY_QS_USER;
        }
    }
    return sent;
}

static sent_t sent_by_peeking(void) {
    uint8_t bytes[SIZE];
    uint32_t length = 0;
    uint32_t count;
    for (const uint8_t *byte = sty_ring_peek(&ring, &count); count != 0; byte = sty_ring_peek(&ring, &count)) {
        memcpy(&bytes[length], byte, count);
        length += count;
        sty_ring_skip(&ring, count);
    }
    return sent_in(bytes, length);
}

static void start_with_names(void) {
    sty_qs_start(&qs);
    sty_qs_reset_cause(&qs, "watchdog");
    for (uint32_t i = 0; i < 8; i++) {
        sty_qs_obj_dict(&qs, &mem[i], "an_object");
    }
}

static void names_displace_what_a_reset_left(void) {
    begin(false);
    send(0, 100);
    reset(false);
    start_with_names();
    send(0, 3);
    sent_t sent = sent_by_peeking();
    OK(sent.names == 8 && sent.causes == 1 && sent.damaged == 0, "full KEEP ring: names and cause come after a reset");
    OK(sent.records > 10, "and displace no more than they have to: %d records", sent.records);
    send(0, 100);
    sty_qs_obj_dict(&qs, mem, "an_object");
    sent = sent_by_peeking();
    OK(sent.names == 0 && sent.records > 30, "as soon as somebody reads, they don't displace any");
    begin(true);
    send(0, 100);
    sty_ring_trigger(&ring, 0);
    reset(true);
    start_with_names();
    send(0, 3);
    uint8_t bytes[SIZE];
    sent = sent_in(bytes, sty_ring_read(&ring, bytes, sizeof bytes));
    OK(sent.names == 8 && sent.causes == 1 && sent.damaged == 0, "frozen LATEST ring: names and cause come, too");
    OK(sent.records > 10 && sty_ring_frozen(&ring), "and it stays frozen, with %d records", sent.records);
}

static void a_half_frame_is_ended(void) {
    uint32_t count;
    begin(false);
    send(0, 5);
    sty_ring_peek(&ring, &count);
    sty_ring_skip(&ring, 7);
    send(5, 100);
    reset(false);
    start_with_names();
    const uint8_t *byte = sty_ring_peek(&ring, &count);
    OK(*byte == STY_HDLC_FLAG, "the half frame that was read before the reset is ended");
    const sent_t sent = sent_by_peeking();
    OK(sent.before == 1 && sent.damaged == 0 && sent.names == 8, "and all others are whole");
}

int main(void) {
    names_displace_what_a_reset_left();
    a_half_frame_is_ended();
    records_survive();
    in_the_middle_of_a_record();
    totals_go_on();
    other_memory();
    frozen();
    dumps();
    return DONE();
}
