/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The QNX emitters and their command receiver. */
#include "spytui/qnx_rx.h"

#include "frames.h"
#include "tap.h"

static uint64_t now(void *ctx) {
    return *(uint64_t *)ctx;
}

static uint64_t clock_now;
static const sty_env_t env = {now, sty_env_no_lock, sty_env_no_unlock, &clock_now, 1000};
static const sty_qnx_target_t target = {1000000, "6.4.1", "demo", "Sun Nov 22 09:14:02 2026"};
static uint8_t mem[8192];
static uint8_t buffer[16 * 16];
static sty_ring_t ring;
static sty_qnx_t qnx;
static sty_nto1_t nto1;

static void begin(uint32_t size) {
    clock_now = 0x700000001u;
    sty_ring_init(&ring, &env, mem, size);
    sty_qnx_init(&qnx, &ring, &target, buffer, sizeof buffer);
}

static bool sent_bytes(size_t size, const char *expected) {
    uint8_t bytes[512];
    size_t length = 0;
    uint32_t count;
    for (const uint8_t *from = sty_ring_peek(&ring, &count); count != 0 && length < size; from = sty_ring_peek(&ring, &count)) {
        bytes[length] = *from;
        length++;
        sty_ring_skip(&ring, 1);
    }
    const char *got = hex(bytes, length);
    const bool same = strcmp(got, expected) == 0;
    if (!same) {
        printf("# got %s, expected %s\n", got, expected);
    }
    return same;
}

/* Is this the next event? */
static bool sent(const char *expected) {
    return sent_bytes(16, expected);
}

static uint32_t drain(void) {
    const uint32_t used = sty_ring_used(&ring);
    sty_ring_skip(&ring, used);
    return used / 16;
}

#define LOW "01000000"

static void buffers(void) {
    begin(4096);
    sty_qnx_user(&qnx, 0, 7, 0x11, 0x22);
    sty_qnx_user(&qnx, 1, 8, 0x33, 0x44);
    OK(sty_ring_used(&ring) == 0, "events are gathered");
    sty_qnx_flush(&qnx);
    OK(sent("02040000" LOW "0000000005000000"), "a buffer begins with its number and length,");
    OK(sent("01040000" LOW "0700000001000000"), "the time of its CPU,");
    OK(sent("07180000" LOW "1100000022000000"), "then events");
    OK(sent("01040001" LOW "0700000001000000") && sent("08180001" LOW "3300000044000000"), "another CPU has a time of its own");
    sty_qnx_user(&qnx, 0, 7, 0, 0);
    clock_now += (uint64_t)1 << 32;
    sty_qnx_user(&qnx, 0, 7, 0, 0);
    sty_qnx_flush(&qnx);
    OK(sent("02040000" LOW "0100000005000000") && drain() == 4, "the next has the next number, and says that the low word has wrapped");
    for (uint32_t i = 0; i < 200; i++) {
        sty_qnx_user(&qnx, 0, 7, 0, 0);
    }
    OK(drain() % 16 == 0, "full buffers are handed over");
}

static void events(void) {
    static const uint32_t words[] = {1, 2, 3, 4};
    begin(4096);
#define EVENTS(call, expected) \
    OK((drain(), (call), sty_qnx_flush(&qnx), sty_ring_skip(&ring, 32), sent_bytes(512, expected)), "%s", #call)
    EVENTS(sty_qnx_thread(&qnx, 0, STY_QNX_RUNNING, 5, 1, 10, 2), "01100000" LOW "0500000001000000");
    EVENTS(sty_qnx_thread(&qnx, 0, STY_QNX_CREATE, 5, 1, 10, 2), "18100000" LOW "0500000001000000");
    EVENTS(sty_qnx_process_create(&qnx, 0, 1, 5, "abcd"), "c0100040" LOW "0100000005000000" "c01000c0" LOW "6162636400000000");
    EVENTS(sty_qnx_process_destroy(&qnx, 0, 1, 5), "80100000" LOW "0100000005000000");
    EVENTS(sty_qnx_thread_name(&qnx, 0, 5, 1, ""), "40110040" LOW "0500000001000000" "401100c0" LOW "0000000000000000");
    EVENTS(sty_qnx_call_enter(&qnx, 0, 11, words, 4, 5), "0b080000" LOW "0100000003000000");
    EVENTS(sty_qnx_call_exit(&qnx, 0, 11, words, 4, 3), "8b080000" LOW "0100000002000000");
    EVENTS(sty_qnx_call_failed(&qnx, 0, 11, 22), "8b080000" LOW "ffffffff16000000");
    EVENTS(sty_qnx_int_enter(&qnx, 0, 9, 0x801), "010c0000" LOW "0900000001080000");
    EVENTS(sty_qnx_int_exit(&qnx, 0, 9, 1), "020c0000" LOW "0900000001000000");
    EVENTS(sty_qnx_handler_enter(&qnx, 0, 5, 9, 0x801, 2), "030c0040" LOW "0500000009000000" "030c00c0" LOW "0108000002000000");
    EVENTS(sty_qnx_handler_exit(&qnx, 0, 9), "040c0040" LOW "0900000000000000" "040c0080" LOW "0000000000000000" "040c00c0" LOW "0000000000000000");
    EVENTS(sty_qnx_comm(&qnx, 0, STY_QNX_REPLY_MESSAGE, 1, 5), "0a1c0000" LOW "0100000005000000");
    EVENTS(sty_qnx_slog(&qnx, 0, 3, 2, "hot"), "0c140040" LOW "0300000002000000" "0c1400c0" LOW "686f740000000000");
    EVENTS(sty_qnx_user_text(&qnx, 0, 6, "seven77"), "06180000" LOW "736576656e373700");
    EVENTS(sty_qnx_user_text(&qnx, 0, 6, "eight888"), "06180040" LOW "6569676874383838" "061800c0" LOW "0000000000000000");
    EVENTS(sty_qnx_mark(&qnx, "m"), "fe1b0000" LOW "6d00000000000000");
    sty_qnx_command(&qnx, 17, NULL, 0);
    EVENTS(sty_qnx_thread(&qnx, 0, STY_QNX_READY, 5, 1, 10, 2), "02100040" LOW "0500000001000000" "021000c0" LOW "0a00000002000000");
    EVENTS(sty_qnx_call_enter(&qnx, 0, 11, words, 3, 5), "0b080040" LOW "0100000002000000" "0b0800c0" LOW "0300000000000000");
    drain();
    sty_qnx_user(&qnx, STY_QNX_CPUS, 1, 0, 0);
    sty_qnx_flush(&qnx);
    OK(drain() == 0, "there is no further CPU");
}

/* Lost and received records add up to those sent. */
static void drops(void) {
    begin(1024);
    for (uint32_t i = 0; i < 4000; i++) {
        sty_qnx_user(&qnx, 0, 7, i, 0);
    }
    uint8_t event[16];
    uint32_t received = 0;
    uint32_t total = 0;
    uint32_t number = 0;
    uint32_t lost = 0;
    for (uint32_t pass = 0; pass < 2; pass++) {
        while (sty_ring_used(&ring) != 0) {
            for (size_t i = 0; i < 16; i++) {
                uint32_t count;
                event[i] = *sty_ring_peek(&ring, &count);
                sty_ring_skip(&ring, 1);
            }
            const uint32_t word = event[8] | (uint32_t)event[9] << 8;
            received += event[0] == 7;
            if (event[0] == 2 && event[1] == 4) {
                lost += word - number;
                number = word + 1;
            }
            total = event[0] == 0xFD ? word : total;
        }
        sty_qnx_flush(&qnx);
        sty_qnx_flush(&qnx);
    }
    OK(total == sty_qnx_drops(&qnx) && total > 3800, "the drop total is sent after a drop: %u", (unsigned)total);
    OK(received + total == 4000, "received and dropped events are those sent");
    OK(lost == sty_ring_drops(&ring), "and dropped buffers are missing numbers");
}

/* An answer is sent even if the ring is full, without disturbing the buffer numbers. */
static void answers_pass(void) {
    begin(1024);
    for (uint32_t i = 0; i < 200; i++) {
        sty_qnx_user(&qnx, 0, 7, i, 0);
    }
    sty_qnx_answer(&qnx, 9, 0);
    sty_qnx_user(&qnx, 0, 7, 200, 0);
    uint32_t number = 0;
    uint32_t lost = 0;
    bool answered = false;
    for (uint32_t pass = 0; pass < 2; pass++) {
        while (sty_ring_used(&ring) != 0) {
            uint8_t event[16];
            for (size_t i = 0; i < sizeof event; i++) {
                uint32_t count;
                event[i] = *sty_ring_peek(&ring, &count);
                sty_ring_skip(&ring, 1);
            }
            if (event[0] == 2 && event[1] == 4) {
                lost += event[8] - number;
                number = event[8] + 1u;
            }
            answered = answered || (event[0] == 0xFF && event[1] == 0x1B && event[8] == 9);
        }
        sty_qnx_flush(&qnx);
    }
    OK(answered && lost == sty_ring_drops(&ring) && lost > 5, "an answer passes a full ring, and numbers go on");
}

static uint32_t passing(void) {
    static const uint32_t words[] = {1, 2};
    sty_qnx_flush(&qnx);
    drain();
    sty_qnx_thread(&qnx, 0, STY_QNX_RUNNING, 5, 1, 10, 2);
    sty_qnx_thread(&qnx, 0, STY_QNX_READY, 6, 1, 10, 2);
    sty_qnx_call_enter(&qnx, 0, 11, words, 2, 3);
    sty_qnx_call_exit(&qnx, 0, 11, words, 2, 3);
    sty_qnx_user(&qnx, 0, 200, 0, 0);
    sty_qnx_flush(&qnx);
    const uint32_t events_and_head = drain();
    return events_and_head == 0 ? 0 : events_and_head - 2;
}

static uint32_t command(uint32_t number, uint32_t a, uint32_t b, uint32_t c, uint32_t count) {
    const uint32_t words[] = {a, b, c, 1};
    return sty_qnx_command(&qnx, number, words, count);
}

static void filters(void) {
    begin(4096);
    OK(passing() == 5, "all filters let pass at first");
    OK(command(4, 2, 0, 0, 1) == 0 && passing() == 3, "a class that stands for several is switched off");
    OK(command(3, 3, 0, 0, 1) == 0 && passing() == 4, "one of them is switched on");
    OK(command(6, 10, 1 << STY_QNX_READY, 0, 2) == 0 && passing() == 3, "a thread state is switched off by its bit");
    OK(command(5, 10, 1 << STY_QNX_READY, 0, 2) == 0 && passing() == 4, "and on");
    OK(command(22, 10, 6, 0, 2) == 0 && passing() == 3, "a process is chosen");
    OK(command(23, 10, 6, 2, 3) == 0 && passing() == 2, "a thread is");
    OK(command(27, 10, 0, 0, 1) == 0 && passing() == 3 && command(26, 10, 0, 0, 1) == 0 && passing() == 4, "and both are let go");
    OK(command(24, 3, 11, 9, 3) == 0 && passing() == 3 && command(28, 3, 11, 0, 2) == 0 && passing() == 4, "for one event as well");
    OK(command(25, 3, 11, 9, 4) == 0 && passing() == 3 && command(29, 3, 11, 0, 2) == 0 && passing() == 4, "and one thread");
    OK(command(19, 10, 0, 0, 1) == 0 && passing() == 6 && command(18, 10, 0, 0, 1) == 0 && passing() == 4, "a class is sent wide");
    OK(command(21, 10, 1 << STY_QNX_READY, 0, 2) == 0 && passing() == 5 &&
        command(20, 10, 1 << STY_QNX_READY, 0, 2) == 0 && passing() == 4, "or one event of it");
    OK(command(2, 0, 0, 0, 0) == 0 && passing() == 0 && command(1, 0, 0, 0, 0) == 0 && passing() == 5, "all are switched");
    OK(command(11, 0, 0, 0, 0) == 0 && passing() == 0 && command(33, 0, 0, 0, 0) == 0 && passing() == 5, "recording stops and begins");
    OK(command(7, 10, 1, 0, 2) == 22 && command(3, 21, 0, 0, 1) == 22 && command(3, 0, 0, 0, 0) == 22 &&
        command(5, 10, 3, 0, 2) == 22 && command(5, 3, 128, 0, 2) == 22 && command(44, 0, 0, 0, 0) == 22, "what does not exist is refused");
    uint32_t result = 0;
    for (uint32_t i = 0; i <= STY_QNX_EVENT_FILTERS; i++) {
        result = command(24, 3, i, 9, 3);
    }
    OK(result == 12, "filters of single events have an end");
}

static void nto1_records(void) {
    static const uint32_t words[] = {1, 2, 3, 4, 5, 6, 7, 8};
    static const uint8_t disabled[32] = {[0x21 >> 3] = 2};
    const sty_nto1_buffer_t none = {NULL, 0};
    clock_now = 2500;
    sty_ring_init(&ring, &env, mem, 1024);
    sty_nto1_init(&nto1, &ring, 1000);
#define RECORD(call, expected) OK(((call), sent_bytes(512, expected)), "%s", #call)
    RECORD(sty_nto1_profile(&nto1, 0x21, 0x12345, words, 1, none), "21452311" "ea030000" "0065cd1d" "01000000");
    RECORD(sty_nto1_exception(&nto1, 0x00123456, 5, words, 1, none), "ff050020" "ea030000" "0065cd1d" "56341200" "01000000");
    RECORD(sty_nto1_profile(&nto1, 0x22, 0, NULL, 0, ((sty_nto1_buffer_t){"abcde", 5})), "22000080" "ea030000" "0065cd1d" "05000000" "6162636465000000");
    RECORD(sty_nto1_answer(&nto1, 7, 0), "fe000020" "ea030000" "0065cd1d" "0700000000000000");
    sty_nto1_profile(&nto1, 0x23, 0, words, 8, none);
    OK(drain() == 40 / 16, "arguments beyond 7 are left out");
    sty_nto1_disable(&nto1, disabled);
    sty_nto1_profile(&nto1, 0x21, 0, words, 1, none);
    OK(sty_ring_used(&ring) == 0, "an opcode is disabled");
    while (sty_ring_drops(&ring) < 2) {
        sty_nto1_profile(&nto1, 0x22, 0, words, 7, none);
    }
    sty_ring_skip(&ring, sty_ring_used(&ring));
    sty_nto1_poll(&nto1);
    OK(sent_bytes(512, "fd000010" "ea030000" "0065cd1d" "02000000"), "the drop total is sent");
}

static uint32_t names_asked;
static uint32_t fault_set[2];

static void names(void *ctx) {
    (void)ctx;
    names_asked++;
}

static bool fault(void *ctx, uint32_t id, uint32_t value) {
    (void)ctx;
    fault_set[0] = id;
    fault_set[1] = value;
    return id <= 9;
}

static sty_qnxrx_t rx;

static void feed(const char *text) {
    sty_ring_skip(&ring, sty_ring_used(&ring));
    for (; *text != '\0'; text++) {
        sty_qnxrx_feed(&rx, (uint8_t)*text);
    }
}

/* Is this the only answer? */
static bool answered(const char *line, const char *expected) {
    feed(line);
    sty_ring_skip(&ring, 32);
    char event[64];
    snprintf(event, sizeof event, "ff1b0000" LOW "%s", expected);
    return sent_bytes(512, event);
}

static bool silent(const char *line) {
    feed(line);
    return sty_ring_used(&ring) == 0;
}

static void lines(void) {
    static const sty_qnxrx_cb_t cb = {names, fault};
    static char long_line[300];
    begin(4096);
    sty_qnxrx_init(&rx, &qnx, &cb, NULL);
    OK(answered("7 tev 4 10\n", "0700000000000000") && (qnx.classes >> 10 & 1u) == 0, "a command is done and answered");
    OK(answered("8 tev 4 99\r\n", "0800000016000000"), "a refused one too");
    OK(answered("9 tev 10\n", "0900000000000000") && names_asked == 1, "start sends the names");
    OK(answered("10 query 0\n", "0a00000001000000") && answered("11 query 9\n", "0b00000016000000"), "states are answered");
    OK(answered("12 fault 2 500\n", "0c00000000000000") && fault_set[0] == 2 && fault_set[1] == 500, "faults are set");
    feed("13 mark a~b\n");
    sty_ring_skip(&ring, 32);
    OK(sent("fe1b0000" LOW "617e620000000000") && sent("ff1b0000" LOW "0d00000000000000"), "a mark is put in before its answer");
    OK(answered("14 kprof 00\n", "0e00000016000000"), "a bitmap is for the other format");
    OK(silent("15 dance\n") && silent("query 0\n") && silent("4294967296 query 0\n") && silent("\n") && silent("\r\n"), "anything else has no answer");
    memset(long_line, ' ', sizeof long_line - 2);
    memcpy(long_line, "16 query 0", 10);
    long_line[sizeof long_line - 2] = '\n';
    OK(silent(long_line) && answered("17 query 0\n", "1100000001000000"), "nor a line that is too long");
}

static void lines_of_nto1(void) {
    static const sty_qnxrx_cb_t cb = {NULL, NULL};
    char line[100] = "5 kprof ";
    clock_now = 2500;
    sty_ring_init(&ring, &env, mem, 1024);
    sty_nto1_init(&nto1, &ring, 1000);
    sty_qnxrx_init_nto1(&rx, &nto1, &cb, NULL);
    for (size_t i = 0; i < 64; i++) {
        line[8 + i] = i == 9 ? '2' : '0';
    }
    line[72] = '\n';
    feed(line);
    OK(sent_bytes(512, "fe000020" "ea030000" "0065cd1d" "0500000000000000") && nto1.disabled[4] == 2, "a bitmap disables an opcode");
    feed("6 tev 1\n");
    OK(sent_bytes(512, "fe000020" "ea030000" "0065cd1d" "0600000016000000"), "kernel commands are for the other format");
}

int main(void) {
    buffers();
    events();
    drops();
    answers_pass();
    filters();
    nto1_records();
    lines();
    lines_of_nto1();
    return DONE();
}
