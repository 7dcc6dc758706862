/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "qs_pack.h"

void sty_qs_init(sty_qs_t *qs, sty_ring_t *ring, const sty_qs_target_t *target) {
    STY_ASSERT(ring != NULL && target != NULL && target->info != NULL);
    *qs = (sty_qs_t){.ring = ring, .target = target};
}

uint8_t *sty_qs_open_(sty_qs_t *qs, uint32_t rec, uint8_t *to) {
    sty_ring_t *ring = qs->ring;
    const sty_env_t *env = ring->env;
    if ((rec & STY_QS_IS_OPEN) == 0u) {
        sty_ring_open_(ring, rec & STY_QS_URGENT);
    }
    qs->seq++;
    to[0] = qs->seq;
    to[1] = (uint8_t)rec;
    to += 2;
    return (rec & STY_QS_TIMED) == 0u ? to : sty_pack(to, env->now(env->ctx), STY_QS_TIME_SIZE);
}

void sty_qs_end(sty_qs_t *qs) {
    sty_ring_t *ring = qs->ring;
    sty_hdlc_end(ring, ~(uint32_t)ring->sum);
    /* A glance without the lock; what it leads to looks again. */
    if (sty_ring_unreported_(ring)) {
        sty_qs_poll(qs);
    }
}

void sty_qs_close_(sty_qs_t *qs, const uint8_t *from, const uint8_t *to) {
    sty_qs_part_(qs, from, to);
    sty_qs_end(qs);
}

STY_NOINLINE void sty_qs_begin_(sty_qs_t *qs, uint32_t rec) {
    uint8_t frame[STY_QS_HEAD];
    sty_qs_part_(qs, frame, sty_qs_open_(qs, rec, frame));
}

void sty_qs_poll(sty_qs_t *qs) {
    _Static_assert(2 * (STY_QS_HEAD + 5 + 1) + 1 <= STY_RING_KEEP_FREE, "a drop total fits, every byte stuffed");
    if (sty_ring_begin_total(qs->ring)) {
        sty_qs_begin_(qs, STY_QS_DROPS_REC | STY_QS_TIMED | STY_QS_IS_OPEN);
        sty_qs_u32(qs, 0, sty_ring_drops(qs->ring));
        sty_qs_end(qs);
    }
}

void sty_qs_begin(sty_qs_t *qs, uint8_t rec) {
    STY_ASSERT(rec >= STY_QS_USER && rec < STY_QS_USER + 25u);
    sty_qs_begin_(qs, rec | STY_QS_TIMED);
}

void sty_qs_element_(sty_qs_t *qs, uint8_t format, uint32_t value, uint32_t size) {
    uint8_t element[5];
    element[0] = format;
    sty_pack(&element[1], value, 4);
    sty_qs_part_(qs, element, &element[1u + size]);
}
