/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The fault injector. */
#include "spytui/fault.h"
#include "spytui/rkh_rec.h"

#include "frames.h"
#include "tap.h"

static uint64_t clock_now;

static uint64_t now(void *ctx) {
    (void)ctx;
    return clock_now;
}

static const sty_env_t env = {now, sty_env_no_lock, sty_env_no_unlock, NULL, 1000};
static const sty_rkh_target_t target = {.version = 0x3400, .max_pools = 4, .ticks_per_second = 1000};
static sty_fault_t fault;

static const sty_fault_config_t all_faults = {.flip = 3000, .loss = 2000, .noise = 2000, .dup = 1000, .seed = 7};

static void no_fault(void) {
    static const sty_fault_config_t none = {.seed = 1};
    uint8_t out[STY_FAULT_MOST];
    bool same = true;
    sty_fault_init(&fault, &none, STY_FAULT_QS);
    for (unsigned i = 0; i < 10000; i++) {
        same = same && sty_fault_byte(&fault, (uint8_t)i, out) == 1 && out[0] == (uint8_t)i;
    }
    OK(same && fault.log.bytes_in == 10000 && fault.log.bytes_out == 10000, "without a fault all bytes pass");
    OK(fault.log.damaged == 0 && fault.log.pieces == 39 && fault.log.frames == 39, "and no piece is damaged");
}

/* Sum of all output bytes. */
static uint32_t run(uint32_t seed) {
    sty_fault_config_t config = all_faults;
    uint8_t out[STY_FAULT_MOST];
    uint32_t sum = 0;
    config.seed = seed;
    sty_fault_init(&fault, &config, STY_FAULT_QS);
    for (unsigned i = 0; i < 100000; i++) {
        const unsigned count = sty_fault_byte(&fault, (uint8_t)(i * 7), out);
        for (unsigned n = 0; n < count; n++) {
            sum = sum * 31 + out[n];
        }
    }
    return sum;
}

static bool about(uint32_t count, uint32_t expected) {
    return count > expected * 8 / 10 && count < expected * 12 / 10;
}

static void seeds(void) {
    const uint32_t first = run(7);
    OK(run(7) == first && run(8) != first, "the same seed does the same, another one does not");
    run(0);
    OK(about(fault.log.flips, 300) && about(fault.log.losses, 200) && about(fault.log.noises, 200) && about(fault.log.dups, 100),
        "faults are as frequent as is asked: %u %u %u %u", (unsigned)fault.log.flips, (unsigned)fault.log.losses,
        (unsigned)fault.log.noises, (unsigned)fault.log.dups);
    OK(fault.log.bytes_out == fault.log.bytes_in - fault.log.losses + fault.log.noises + fault.log.dups, "bytes add up");
}

/* A minimal receiver. */
static struct {
    sty_hdlc_rx_t rx;
    uint8_t buf[1024];
    uint32_t good;
    uint32_t bad;
    uint32_t small;
} host;

static void receive(uint8_t byte, uint8_t good_sum) {
    const int length = sty_hdlc_rx_feed(&host.rx, byte);
    uint8_t sum = 0;
    for (int i = 0; i < length; i++) {
        sum = (uint8_t)(sum + host.buf[i]);
    }
    if (length == STY_HDLC_BROKEN || (length >= 3 && sum != good_sum)) {
        host.bad++;
    } else if (length >= 3) {
        host.good++;
    } else if (length > 0) {
        host.small++;
    }
}

/* Passes a million bytes of frames through the injector. */
static void account(const char *name, sty_fault_framing_t framing) {
    static uint8_t mem[4096];
    sty_ring_t ring;
    sty_rkh_t rkh;
    uint8_t out[STY_FAULT_MOST];
    memset(&host, 0, sizeof host);
    sty_hdlc_rx_init(&host.rx, host.buf, sizeof host.buf);
    sty_fault_init(&fault, &all_faults, framing);
    sty_ring_init(&ring, &env, mem, sizeof mem);
    sty_rkh_init(&rkh, &ring, &target);
    uint32_t sent = 0;
    for (; fault.log.bytes_in < 1000000; sent++, clock_now += 3) {
        sty_rkh_sma_fifo(&rkh, 1, &ring, sent, &rkh, 0, 1, (sent >> 3) & 0xFF, 2);
        uint32_t count;
        for (const uint8_t *from = sty_ring_peek(&ring, &count); count != 0; from = sty_ring_peek(&ring, &count)) {
            const unsigned n = sty_fault_byte(&fault, *from, out);
            sty_ring_skip(&ring, 1);
            for (unsigned i = 0; i < n; i++) {
                receive(out[i], 0);
            }
        }
    }
    const sty_fault_log_t *log = &fault.log;
    OK(log->frames == sent, "%s: frames are counted as they come in: %u", name, (unsigned)sent);
    OK(log->damaged > 1000 && log->pieces == host.good + host.bad + host.small, "pieces are those that a host sees: %u, damaged %u",
        (unsigned)log->pieces, (unsigned)log->damaged);
    OK(log->damaged == host.bad + host.small + log->beyond, "damaged pieces are bad, too short or beyond the sum: %u + %u + %u",
        (unsigned)host.bad, (unsigned)host.small, (unsigned)log->beyond);
}

static unsigned noted;
static char last_note[32];

static void note(void *ctx, const char *what, uint64_t at) {
    (void)ctx;
    (void)at;
    noted++;
    snprintf(last_note, sizeof last_note, "%s", what);
}

static void feed(const char *bytes, size_t count) {
    uint8_t out[STY_FAULT_MOST];
    for (size_t i = 0; i < count; i++) {
        sty_fault_byte(&fault, (uint8_t)bytes[i], out);
    }
}

static void resets_and_garbage(void) {
    static const sty_fault_config_t config = {.garbage = 5, .burst = 40, .seed = 3};
    uint8_t byte;
    unsigned garbage = 0;
    sty_fault_init(&fault, &config, STY_FAULT_TBAND);
    fault.note = note;
    while (sty_fault_garbage(&fault, &byte)) {
        garbage++;
    }
    OK(garbage == 5 && fault.log.garbage == 5, "garbage is sent once");
    feed("a\0", 2);
    OK(fault.log.damaged == 1 && fault.log.frames == 1 && strcmp(last_note, "damaged") == 0, "it damages the piece that it stands in");
    feed("bc\0de", 5);
    sty_fault_was_reset(&fault);
    feed("fg\0hi\0", 6);
    OK(fault.log.damaged == 2 && fault.log.pieces == 4 && fault.log.frames == 3, "a reset cuts the frame that is being sent");
    sty_fault_was_reset(&fault);
    feed("jk\0", 3);
    OK(fault.log.damaged == 2 && fault.log.resets == 2, "but none where no frame is");
    OK(sty_fault_take_burst(&fault) == 40 && sty_fault_take_burst(&fault) == 0, "a burst is due once");
    sty_fault_init(&fault, &config, STY_FAULT_NO_FRAMES);
    feed("\0\x7E", 2);
    OK(fault.log.pieces == 0, "a stream without frames has no pieces");
}

static void switches(void) {
    sty_fault_config_t config = {0};
    const char *error = NULL;
    OK(sty_fault_parse(&config, "flip=200,loss=1,noise=2,dup=3,burst=40,link-rate=2000,reset-every=60,garbage=100,seed=7", &error) &&
        config.flip == 200 && config.loss == 1 && config.noise == 2 && config.dup == 3 && config.burst == 40 &&
        config.link_rate == 2000 && config.reset_every == 60 && config.garbage == 100 && config.seed == 7, "switches are read as text");
    OK(sty_fault_parse(&config, "", &error), "none as well");
    OK(!sty_fault_parse(&config, "flip=1,flop=2", &error) && strcmp(error, "flop=2") == 0, "a wrong name is reported");
    OK(!sty_fault_parse(&config, "flip=", &error) && !sty_fault_parse(&config, "flip=4294967296", &error) &&
        !sty_fault_parse(&config, "flip=1x", &error) && !sty_fault_parse(&config, "flip", &error), "a wrong number too");
    OK(!sty_fault_parse(&config, "seed=4294967295,loss=1000001", &error) && strcmp(error, "loss=1000001") == 0,
        "and more than a million in a million");
    sty_fault_init(&fault, &config, STY_FAULT_QS);
    for (uint32_t id = 1; id <= 9; id++) {
        sty_fault_set(&fault, id, 100 + id);
    }
    OK(fault.config.flip == 101 && fault.config.loss == 102 && fault.config.noise == 103 && fault.config.dup == 104 &&
        sty_fault_take_burst(&fault) == 105 && fault.config.link_rate == 106 && sty_fault_take_reset(&fault) &&
        !sty_fault_take_reset(&fault) && fault.garbage_left == 108 && fault.random == 109, "switches are set by number");
    OK(!sty_fault_set(&fault, 0, 1) && !sty_fault_set(&fault, 10, 1), "there are no others");
}

static void link_rate(void) {
    static const sty_fault_config_t config = {.link_rate = 2000};
    sty_fault_init(&fault, &config, STY_FAULT_QS);
    uint32_t sent = 0;
    for (uint64_t ms = 0; ms < 10000; ms++) {
        sent += sty_fault_link(&fault, ms, 1000, 100);
    }
    OK(sent > 19900 && sent <= 20000, "the link takes what its rate is: %u", (unsigned)sent);
    fault.config.link_rate = 0;
    OK(sty_fault_link(&fault, 10000, 1000, 4000) == 4000, "or all");
}

int main(void) {
    no_fault();
    seeds();
    account("RKH", STY_FAULT_RKH);
    resets_and_garbage();
    switches();
    link_rate();
    return DONE();
}
