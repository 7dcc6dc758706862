/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "qs_pack.h"

void sty_qs_init(sty_qs_t *qs, sty_ring_t *ring, const sty_qs_target_t *target) {
    STY_ASSERT(ring != NULL && target != NULL && target->info != NULL);
    *qs = (sty_qs_t){.ring = ring, .target = target};
}

void sty_qs_send_(sty_qs_t *qs, uint32_t rec, uint8_t *frame, const uint8_t *to) {
    if ((rec & STY_QS_IS_OPEN) == 0u) {
        sty_ring_open_(qs->ring, rec / STY_QS_URGENT);
    }
    qs->seq++;
    frame[0] = (uint8_t)qs->seq;
    frame[1] = (uint8_t)rec;
    if ((rec & STY_QS_UNTIMED) == 0u) {
        const sty_env_t *env = qs->ring->env;
        (void)sty_pack(&frame[2], env->now(env->ctx), STY_QS_TIME_SIZE);
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

void sty_qs_poll(sty_qs_t *qs) {
    if (sty_ring_begin_total(qs->ring)) {
        uint8_t frame[STY_QS_HEAD + 5];
        uint8_t *to = sty_pack_u8(&frame[STY_QS_HEAD], STY_QS_FORMAT_(5u, 0u));
        to = sty_pack(to, sty_ring_drops(qs->ring), 4);
        sty_qs_send_(qs, STY_QS_DROPS_REC | STY_QS_IS_OPEN, frame, to);
    }
}

void sty_qs_begin(sty_qs_t *qs, uint8_t rec) {
    STY_ASSERT(rec >= STY_QS_USER && rec < STY_QS_USER + 25u);
    uint8_t frame[STY_QS_HEAD];
    sty_qs_send_(qs, rec | STY_QS_MORE, frame, frame + sizeof frame);
}

void sty_qs_element_(sty_qs_t *qs, uint8_t format, uint32_t value, uint32_t size) {
    uint8_t element[5];
    element[0] = format;
    (void)sty_pack(&element[1], value, 4);
    sty_qs_part_(qs, element, &element[1u + size]);
}
