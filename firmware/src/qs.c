/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "qs_pack.h"

void sty_qs_init(sty_qs_t *qs, sty_ring_t *ring, const sty_qs_target_t *target) {
    STY_ASSERT(ring != NULL && target != NULL && target->info != NULL);
    *qs = (sty_qs_t){.ring = ring, .target = target};
}

STY_INLINE uint8_t next_number(sty_qs_t *qs) {
    qs->seq++;
    return (uint8_t)qs->seq;
}

STY_INLINE uint32_t time_stamp(const sty_qs_t *qs) {
    const sty_env_t *env = qs->ring->env;
    return (uint32_t)env->now(env->ctx) & (0xFFFFFFFFu >> (32 - 8 * STY_QS_TIME_SIZE));
}

void sty_qs_send_(sty_qs_t *qs, uint32_t rec, uint8_t *frame, const uint8_t *to) {
    sty_ring_open_(qs->ring, rec / STY_QS_URGENT);
    frame[0] = next_number(qs);
    frame[1] = (uint8_t)rec;
    if ((rec & STY_QS_UNTIMED) == 0u) {
        (void)sty_pack(&frame[2], time_stamp(qs), STY_QS_TIME_SIZE);
    }
    if (to != NULL) {
        sty_qs_part_(qs, frame, to);
    }
    if ((rec & STY_QS_MORE) == 0u) {
        sty_qs_end(qs);
    }
}

void sty_qs_end(sty_qs_t *qs) {
    sty_ring_t *ring = qs->ring;
    (void)sty_hdlc_end(ring, 0xFFu - ring->sum);
    /* Checked without the lock; what follows checks again. */
    if (sty_ring_unreported_(ring)) {
        sty_qs_poll(qs);
    }
}

#if 2 * (STY_QS_HEAD + 5 + 1) + 1 > STY_RING_KEEP_FREE
#error "a drop total must fit, even if every byte is stuffed"
#endif
#if STY_QS_TIME_SIZE != 2 && STY_QS_TIME_SIZE != 4
#error "STY_QS_TIME_SIZE must be 2 or 4"
#endif

void sty_qs_poll(sty_qs_t *qs) {
    if (sty_ring_begin_total(qs->ring)) {
        sty_qs_begin_(qs, STY_QS_DROPS_REC | STY_QS_IS_OPEN);
        sty_qs_u32(qs, 0, qs->ring->reported);
        sty_qs_end(qs);
    }
}

void sty_qs_begin_(sty_qs_t *qs, uint32_t rec) {
    if ((rec & STY_QS_IS_OPEN) == 0u) {
        sty_ring_open_(qs->ring, rec / STY_QS_URGENT);
    }
    const uint32_t start = next_number(qs) | (rec & 0xFFu) << 8;
    const uint32_t time = time_stamp(qs);
    sty_hdlc_put6_(qs->ring, time >> 16, start | time << 16, STY_QS_HEAD);
}

void sty_qs_element_(sty_qs_t *qs, uint32_t value, uint8_t format, uint32_t size) {
    sty_hdlc_put6_(qs->ring, value >> 24, format | value << 8, size + 1u);
}
