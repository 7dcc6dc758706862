/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "spytui/nto1.h"

#include "pack.h"

enum { MOST_ARGUMENTS = 7 };

void sty_nto1_init(sty_nto1_t *nto1, sty_ring_t *ring, uint32_t epoch) {
    *nto1 = (sty_nto1_t){.ring = ring, .epoch = epoch};
}

void sty_nto1_disable(sty_nto1_t *nto1, const uint8_t bits[32]) {
    for (size_t i = 0; i < sizeof nto1->disabled; i++) {
        nto1->disabled[i] = bits[i];
    }
}

static void put_word(sty_ring_t *ring, uint32_t word) {
    uint8_t bytes[4];
    sty_pack(bytes, word, 4);
    sty_ring_put(ring, bytes, sizeof bytes);
}

/* Writes event word and time; the lock is held. */
static void put_head(const sty_nto1_t *nto1, uint32_t word) {
    const sty_env_t *env = nto1->ring->env;
    const uint32_t second = env->second == 0u ? 1u : env->second;
    const uint64_t now = env->now(env->ctx);
    put_word(nto1->ring, word);
    put_word(nto1->ring, nto1->epoch + (uint32_t)(now / second));
    put_word(nto1->ring, (uint32_t)(now % second * 1000000000u / second));
}

static void put_buffer(sty_ring_t *ring, sty_nto1_buffer_t buffer) {
    static const uint8_t zeros[3];
    put_word(ring, buffer.size);
    sty_ring_put(ring, buffer.bytes, buffer.size);
    sty_ring_put(ring, zeros, (size_t)(-buffer.size & 3));
}

/* The lock is held; `words` are the arguments. */
static void put_record(const sty_nto1_t *nto1, uint32_t word, const uint32_t *words, uint32_t count,
    sty_nto1_buffer_t buffer) {
    const bool has_buffer = buffer.bytes != NULL;
    put_head(nto1, (has_buffer ? 1u << 31 : 0u) | count << 28 | word);
    for (uint32_t i = 0; i < count; i++) {
        put_word(nto1->ring, words[i]);
    }
    if (has_buffer) {
        put_buffer(nto1->ring, buffer);
    }
}

static void send(sty_nto1_t *nto1, uint32_t word, const uint32_t *words, uint32_t count, sty_nto1_buffer_t buffer) {
    put_record(nto1, word, words, count > MOST_ARGUMENTS ? MOST_ARGUMENTS : count, buffer);
    sty_ring_commit(nto1->ring);
    if (sty_ring_unreported_(nto1->ring)) {
        sty_nto1_poll(nto1);
    }
}

static uint32_t event_word(uint32_t opcode, uint32_t data) {
    return (data & 0xFFFFFu) << 8 | opcode;
}

void sty_nto1_profile(sty_nto1_t *nto1, uint8_t opcode, uint32_t data, const uint32_t *arguments, uint32_t count,
    sty_nto1_buffer_t buffer) {
    if ((nto1->disabled[opcode >> 3] >> (opcode & 7u) & 1u) == 0u) {
        sty_ring_begin(nto1->ring);
        send(nto1, event_word(opcode, data), arguments, count, buffer);
    }
}

void sty_nto1_exception(sty_nto1_t *nto1, uint32_t code, uint32_t severity, const uint32_t *arguments, uint32_t count,
    sty_nto1_buffer_t buffer) {
    uint32_t words[MOST_ARGUMENTS];
    uint32_t n = 0;
    words[0] = code;
    for (; n < count && n + 1u < MOST_ARGUMENTS; n++) {
        words[n + 1u] = arguments[n];
    }
    sty_ring_begin(nto1->ring);
    send(nto1, event_word(STY_NTO1_EXCEPTION, severity & 7u), words, n + 1u, buffer);
}

void sty_nto1_answer(sty_nto1_t *nto1, uint32_t id, uint32_t result) {
    const uint32_t words[2] = {id, result};
    sty_ring_begin_urgent(nto1->ring);
    send(nto1, STY_NTO1_ACK, words, 2, (sty_nto1_buffer_t){NULL, 0});
}

void sty_nto1_poll(sty_nto1_t *nto1) {
    if (sty_ring_begin_total(nto1->ring)) {
        const uint32_t drops = sty_ring_drops(nto1->ring);
        put_record(nto1, STY_NTO1_DROPS, &drops, 1, (sty_nto1_buffer_t){NULL, 0});
        sty_ring_commit(nto1->ring);
    }
}
