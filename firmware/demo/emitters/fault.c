/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "spytui/fault.h"

/* A xorshift generator never leaves 0. */
static uint32_t seed_of(uint32_t seed) {
    return seed == 0u ? 0x9E3779B9u : seed;
}

void sty_fault_init(sty_fault_t *fault, const sty_fault_config_t *config, sty_fault_framing_t framing) {
    *fault = (sty_fault_t){
        .config = *config,
        .framing = framing,
        .random = seed_of(config->seed),
        .garbage_left = config->garbage,
        .burst_left = config->burst,
    };
}

static uint32_t draw(sty_fault_t *fault) {
    uint32_t x = fault->random;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    fault->random = x;
    return x;
}

/* Does an event with a probability of `ppm` per million occur? */
static bool happens(sty_fault_t *fault, uint32_t ppm) {
    return ppm != 0u && draw(fault) % 1000000u < ppm;
}

static void note(const sty_fault_t *fault, const char *what) {
    if (fault->note != NULL) {
        fault->note(fault->ctx, what, fault->log.bytes_out);
    }
}

static void add(sty_fault_piece_t *piece, uint8_t byte) {
    piece->hash = (piece->hash ^ byte) * 0x100000001B3u;
    piece->length++;
}

static void clear(sty_fault_piece_t *piece) {
    *piece = (sty_fault_piece_t){0, 0};
}

static bool ends_frame(const sty_fault_t *fault, uint8_t byte) {
    switch (fault->framing) {
    case STY_FAULT_QS:
    case STY_FAULT_RKH:
        return byte == 0x7Eu;
    case STY_FAULT_TBAND:
        return byte == 0u;
    default:
        return false;
    }
}

/* Updates the sum that a receiver computes. */
static void sum_up(sty_fault_t *fault, uint8_t byte) {
    if (byte == 0x7Du && !fault->escaped) {
        fault->escaped = true;
        return;
    }
    fault->sum = (uint8_t)(fault->sum + (fault->escaped ? byte ^ 0x20u : byte));
    fault->escaped = false;
    fault->unstuffed++;
}

static bool sum_is_right(const sty_fault_t *fault) {
    enum { SHORTEST_QS = 3, SHORTEST_RKH = 3 };
    switch (fault->framing) {
    case STY_FAULT_QS:
        return !fault->escaped && fault->unstuffed >= SHORTEST_QS && fault->sum == 0xFFu;
    case STY_FAULT_RKH:
        return !fault->escaped && fault->unstuffed >= SHORTEST_RKH && fault->sum == 0u;
    default:
        return false;
    }
}

/* Ends an outgoing piece. `whole`: the incoming frame is complete. */
static void end_piece(sty_fault_t *fault, bool whole) {
    const bool same = whole && !fault->torn && fault->in.hash == fault->out.hash && fault->in.length == fault->out.length;
    if (fault->out.length != 0u) {
        fault->log.pieces++;
        if (!same) {
            fault->log.damaged++;
            note(fault, "damaged");
        }
        if (!same && sum_is_right(fault)) {
            fault->log.beyond++;
            note(fault, "beyond the sum");
        }
    }
    clear(&fault->out);
    fault->sum = 0;
    fault->unstuffed = 0;
    fault->escaped = false;
}

/* Sends a byte. `whole`: the entire incoming frame is known. */
static void leave(sty_fault_t *fault, uint8_t byte, bool whole) {
    fault->log.bytes_out++;
    if (ends_frame(fault, byte)) {
        end_piece(fault, whole);
    } else {
        add(&fault->out, byte);
        sum_up(fault, byte);
    }
}

unsigned sty_fault_byte(sty_fault_t *fault, uint8_t byte, uint8_t out[STY_FAULT_MOST]) {
    const sty_fault_config_t *config = &fault->config;
    const bool ends = ends_frame(fault, byte);
    unsigned count = 0;
    fault->log.bytes_in++;
    if (!ends) {
        add(&fault->in, byte);
    }
    if (happens(fault, config->noise)) {
        out[count] = (uint8_t)draw(fault);
        count++;
        fault->log.noises++;
        note(fault, "noise");
    }
    if (happens(fault, config->loss)) {
        fault->log.losses++;
        note(fault, "loss");
    } else {
        out[count] = byte;
        if (happens(fault, config->flip)) {
            out[count] ^= (uint8_t)(1u << draw(fault) % 8u);
            fault->log.flips++;
            note(fault, "flip");
        }
        count++;
        if (happens(fault, config->dup)) {
            out[count] = out[count - 1u];
            count++;
            fault->log.dups++;
            note(fault, "dup");
        }
    }
    for (unsigned i = 0; i < count; i++) {
        leave(fault, out[i], ends);
    }
    if (ends) {
        fault->log.frames += fault->in.length != 0u && !fault->torn;
        fault->torn = false;
        clear(&fault->in);
    }
    return count;
}

bool sty_fault_garbage(sty_fault_t *fault, uint8_t *byte) {
    if (fault->garbage_left == 0u) {
        return false;
    }
    fault->garbage_left--;
    fault->log.garbage++;
    *byte = (uint8_t)draw(fault);
    leave(fault, *byte, false);
    return true;
}

uint32_t sty_fault_take_burst(sty_fault_t *fault) {
    const uint32_t records = fault->burst_left;
    fault->burst_left = 0;
    return records;
}

bool sty_fault_take_reset(sty_fault_t *fault) {
    const bool due = fault->reset_due;
    fault->reset_due = false;
    return due;
}

void sty_fault_was_reset(sty_fault_t *fault) {
    fault->log.resets++;
    note(fault, "reset");
    fault->torn = fault->in.length != 0u;
}

bool sty_fault_set(sty_fault_t *fault, uint32_t id, uint32_t value) {
    sty_fault_config_t *config = &fault->config;
    switch (id) {
    case STY_FAULT_FLIP:
        config->flip = value;
        return true;
    case STY_FAULT_LOSS:
        config->loss = value;
        return true;
    case STY_FAULT_NOISE:
        config->noise = value;
        return true;
    case STY_FAULT_DUP:
        config->dup = value;
        return true;
    case STY_FAULT_BURST:
        fault->burst_left = value;
        return true;
    case STY_FAULT_LINK_RATE:
        config->link_rate = value;
        fault->link_credit = 0;
        return true;
    case STY_FAULT_RESET:
        fault->reset_due = true;
        return true;
    case STY_FAULT_GARBAGE:
        fault->garbage_left = value;
        return true;
    case STY_FAULT_SEED:
        config->seed = value;
        fault->random = seed_of(value);
        return true;
    default:
        return false;
    }
}

uint32_t sty_fault_link(sty_fault_t *fault, uint64_t now, uint32_t second, uint32_t wanted) {
    const uint64_t rate = fault->config.link_rate;
    if (rate == 0u || second == 0u) {
        return wanted;
    }
    /* Unused capacity is saved for up to a tenth of a second. */
    const uint64_t most = (uint64_t)second * rate / 10u + second;
    const uint64_t passed = now - fault->link_time < second ? now - fault->link_time : second;
    fault->link_time = now;
    fault->link_credit += passed * rate;
    fault->link_credit = fault->link_credit < most ? fault->link_credit : most;
    const uint64_t allowed = fault->link_credit / second;
    const uint32_t bytes = allowed < wanted ? (uint32_t)allowed : wanted;
    fault->link_credit -= (uint64_t)bytes * second;
    return bytes;
}
