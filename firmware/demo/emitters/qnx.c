/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Buffers of 16-byte events. */
#include "qnx_parts.h"

enum { EVENT = 16, WORDS_OF_EVENT = 2 };
enum { TIME = 1, BUFFER = 2 };
/* Position of an event part. */
enum { SIMPLE, BEGIN, CONTINUED, END };

void sty_qnx_init(sty_qnx_t *qnx, sty_ring_t *ring, const sty_qnx_target_t *target, void *mem, uint32_t size) {
    STY_ASSERT(ring != NULL && target != NULL && mem != NULL && size % EVENT == 0u);
    *qnx = (sty_qnx_t){.ring = ring, .target = target, .buf = mem, .size = size / EVENT, .recording = true};
    qnx->classes = STY_QNX_ALL_CLASSES;
    for (uint32_t class = 0; class < STY_QNX_CLASSES; class++) {
        for (uint32_t i = 0; i < 4u; i++) {
            qnx->events[class][i] = 0xFFFFFFFFu;
        }
    }
}

static void set_event(uint8_t *to, uint32_t header, uint32_t low, uint32_t first, uint32_t second) {
    to = sty_pack(to, header, 4);
    to = sty_pack(to, low, 4);
    to = sty_pack(to, first, 4);
    sty_pack(to, second, 4);
}

static void append(sty_qnx_t *qnx, uint32_t header, uint32_t low, uint32_t first, uint32_t second) {
    set_event(&qnx->buf[qnx->used * EVENT], header, low, first, second);
    qnx->used++;
}

/* Copies the buffer to the ring, or drops it, which leaves a gap in the numbers. The lock is held. */
static void hand_over(sty_qnx_t *qnx) {
    const uint32_t bytes = qnx->used * EVENT;
    if (bytes == 0u) {
        return;
    }
    sty_pack(&qnx->buf[12], qnx->used, 4);
    sty_ring_begin(qnx->ring);
    sty_ring_put(qnx->ring, qnx->buf, bytes);
    if (sty_ring_commit(qnx->ring)) {
        qnx->reported = qnx->reporting;
    } else {
        qnx->drops += qnx->records;
    }
    qnx->sequence++;
    qnx->used = 0;
    qnx->records = 0;
    qnx->timed = 0;
}

/* Writes a buffer's first event, and the drop total if it has changed. */
static void begin_buffer(sty_qnx_t *qnx, uint32_t cpu, uint64_t now) {
    append(qnx, cpu << 24 | KEV_HEADER(KEV_CONTROL, BUFFER), (uint32_t)now, qnx->sequence, 0);
    qnx->reporting = qnx->reported;
}

/* Is it the first event of a CPU in the buffer, or the first after its low word wrapped? */
static bool time_due(const sty_qnx_t *qnx, uint32_t cpu, uint64_t now) {
    return (qnx->timed >> cpu & 1u) == 0u || (uint32_t)(now >> 32) != qnx->msb[cpu];
}

static void send_time(sty_qnx_t *qnx, uint32_t cpu, uint64_t now) {
    const uint32_t msb = (uint32_t)(now >> 32);
    if (time_due(qnx, cpu, now)) {
        append(qnx, cpu << 24 | KEV_HEADER(KEV_CONTROL, TIME), (uint32_t)now, msb, (uint32_t)now);
        qnx->timed |= 1u << cpu;
        qnx->msb[cpu] = msb;
    }
}

/* Has the drop total changed since `reported`? */
static bool total_due(const sty_qnx_t *qnx, uint32_t reported) {
    return qnx->drops != reported;
}

static void send_drops(sty_qnx_t *qnx, uint32_t cpu, uint64_t now) {
    if (total_due(qnx, qnx->reporting)) {
        qnx->reporting = qnx->drops;
        append(qnx, cpu << 24 | KEV_HEADER(KEV_USER, STY_QNX_DROPS), (uint32_t)now, qnx->drops, 0);
    }
}

/* Makes room for `events` more and what must precede them. */
static void make_room(sty_qnx_t *qnx, uint32_t cpu, uint64_t now, uint32_t events) {
    const uint32_t extra = (time_due(qnx, cpu, now) ? 1u : 0u) + (total_due(qnx, qnx->reporting) ? 1u : 0u);
    if (qnx->used != 0u && qnx->used + extra + events > qnx->size) {
        hand_over(qnx);
    }
    if (qnx->used == 0u) {
        begin_buffer(qnx, cpu, now);
    }
    send_time(qnx, cpu, now);
    send_drops(qnx, cpu, now);
}

static const sty_env_t *env_of(const sty_qnx_t *qnx) {
    return qnx->ring->env;
}

/* Writes an event with words from `word`. It is truncated to the size of the buffer. */
static void put(sty_qnx_t *qnx, uint32_t cpu, uint32_t header, uint32_t count,
    uint32_t (*word)(const void *from, uint32_t n), const void *from) {
    const sty_env_t *env = env_of(qnx);
    const uint32_t longest = (qnx->size - 3u) * WORDS_OF_EVENT;
    const uint32_t words = count > longest ? longest : count;
    const uint32_t events = words > WORDS_OF_EVENT ? (words + 1u) / WORDS_OF_EVENT : 1u;
    if (cpu >= STY_QNX_CPUS) {
        return;
    }
    const uint32_t state = env->lock(env->ctx);
    const uint64_t now = env->now(env->ctx);
    make_room(qnx, cpu, now, events);
    for (uint32_t i = 0; i < events; i++) {
        const uint32_t part = events == 1u ? SIMPLE : i == 0u ? BEGIN : i + 1u == events ? END : CONTINUED;
        const uint32_t first = 2u * i < words ? word(from, 2u * i) : 0u;
        const uint32_t second = 2u * i + 1u < words ? word(from, 2u * i + 1u) : 0u;
        append(qnx, part << 30 | cpu << 24 | header, (uint32_t)now, first, second);
    }
    qnx->records++;
    env->unlock(env->ctx, state);
}

static uint32_t word_of(const void *from, uint32_t n) {
    return ((const uint32_t *)from)[n];
}

void sty_qnx_put_(sty_qnx_t *qnx, uint32_t cpu, uint32_t header, const uint32_t *words, uint32_t count) {
    put(qnx, cpu, header, count, word_of, words);
}

/* Words, followed by a zero-terminated text. */
typedef struct {
    const uint32_t *words;
    uint32_t count;
    const char *text;
    uint32_t length;
} words_and_text_t;

static uint32_t word_or_text(const void *from, uint32_t n) {
    const words_and_text_t *it = from;
    if (n < it->count) {
        return it->words[n];
    }
    uint32_t word = 0;
    for (uint32_t i = 0; i < 4u; i++) {
        const uint32_t at = 4u * (n - it->count) + i;
        word |= at < it->length ? (uint32_t)(uint8_t)it->text[at] << 8 * i : 0u;
    }
    return word;
}

void sty_qnx_put_text_(sty_qnx_t *qnx, uint32_t cpu, uint32_t header, const uint32_t *words, uint32_t count,
    const char *text) {
    enum { LONGEST = 127 };
    words_and_text_t it = {words, count, text, 0};
    while (text[it.length] != '\0' && it.length < LONGEST) {
        it.length++;
    }
    put(qnx, cpu, header, count + it.length / 4u + 1u, word_or_text, &it);
}

/* Does the ring have room for the buffer with `more` events, without dropping any? */
static bool fits(const sty_qnx_t *qnx, uint32_t more) {
    const uint32_t size = (qnx->used + more) * EVENT;
    return sty_ring_used(qnx->ring) + size + qnx->ring->keep_free <= qnx->ring->mask + 1u;
}

/* If the ring is nearly full, it is better to wait: a small buffer uses up a number, too. */
static void hand_over_if_it_fits(sty_qnx_t *qnx) {
    if (fits(qnx, 0)) {
        hand_over(qnx);
    }
}

void sty_qnx_flush(sty_qnx_t *qnx) {
    const sty_env_t *env = env_of(qnx);
    const uint32_t state = env->lock(env->ctx);
    if (qnx->used == 0u && total_due(qnx, qnx->reported)) {
        make_room(qnx, 0, env->now(env->ctx), 0);
    }
    hand_over_if_it_fits(qnx);
    env->unlock(env->ctx, state);
}

void sty_qnx_record(sty_qnx_t *qnx, bool on) {
    STY_STORE(&qnx->recording, on);
    sty_qnx_flush(qnx);
}

/* Writes an answer in a separate buffer, which may use the reserved bytes of the ring. It takes the number of the
 * buffer being filled, which gets the next one. */
static void put_urgent(sty_qnx_t *qnx, uint32_t id, uint32_t result) {
    uint8_t buf[3 * EVENT];
    const sty_env_t *env = env_of(qnx);
    _Static_assert(sizeof buf <= STY_RING_KEEP_FREE, "an answer fits");
    const uint64_t now = env->now(env->ctx);
    set_event(&buf[0], KEV_HEADER(KEV_CONTROL, BUFFER), (uint32_t)now, qnx->sequence, sizeof buf / EVENT);
    set_event(&buf[EVENT], KEV_HEADER(KEV_CONTROL, TIME), (uint32_t)now, (uint32_t)(now >> 32), (uint32_t)now);
    set_event(&buf[2 * EVENT], KEV_HEADER(KEV_USER, STY_QNX_ACK), (uint32_t)now, id, result);
    sty_ring_begin_urgent(qnx->ring);
    sty_ring_put(qnx->ring, buf, sizeof buf);
    sty_ring_commit(qnx->ring);
    qnx->sequence++;
    if (qnx->used != 0u) {
        sty_pack(&qnx->buf[8], qnx->sequence, 4);
    }
}

void sty_qnx_answer(sty_qnx_t *qnx, uint32_t id, uint32_t result) {
    enum { MOST = 4 }; /* begin of a buffer, time, drop total, the answer */
    const sty_env_t *env = env_of(qnx);
    const uint32_t words[2] = {id, result};
    const uint32_t state = env->lock(env->ctx);
    if (fits(qnx, MOST)) {
        sty_qnx_put_(qnx, 0, KEV_HEADER(KEV_USER, STY_QNX_ACK), words, 2);
        hand_over_if_it_fits(qnx);
    } else {
        put_urgent(qnx, id, result);
    }
    env->unlock(env->ctx, state);
}
