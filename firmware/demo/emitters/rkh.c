/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "rkh_pack.h"

void sty_rkh_init(sty_rkh_t *rkh, sty_ring_t *ring, const sty_rkh_target_t *target) {
    STY_ASSERT(ring != NULL && target != NULL);
    *rkh = (sty_rkh_t){.ring = ring, .target = target};
    sty_rkh_filter_all(&rkh->filter, true);
}

/* Writes id, number and time stamp; the lock is held. A dropped frame uses up a number, too. */
static uint8_t *pack_head(sty_rkh_t *rkh, uint32_t id, uint8_t *to) {
    const sty_env_t *env = rkh->ring->env;
    to = sty_pack_u8(to, (uint8_t)id);
    if ((id & STY_RKH_BARE) != 0u) {
        return to;
    }
    if (STY_RKH_NSEQ) {
        to = sty_pack_u8(to, rkh->seq);
        rkh->seq++;
    }
    return STY_RKH_TIME ? sty_pack(to, env->now(env->ctx), STY_RKH_TIME_SIZE) : to;
}

uint8_t *sty_rkh_open_(sty_rkh_t *rkh, uint32_t id, uint8_t *to) {
    sty_ring_open_(rkh->ring, id & STY_RKH_URGENT);
    return pack_head(rkh, id, to);
}

static void end_frame(sty_rkh_t *rkh) {
    static const uint8_t flag = STY_HDLC_FLAG;
    if (STY_RKH_CHK) {
        sty_hdlc_end(rkh->ring, 0u - rkh->ring->sum);
    } else {
        sty_ring_put(rkh->ring, &flag, 1);
        sty_ring_commit(rkh->ring);
    }
}

void sty_rkh_end(sty_rkh_t *rkh) {
    const sty_ring_t *ring = rkh->ring;
    end_frame(rkh);
    if (sty_ring_unreported_(ring)) {
        sty_rkh_poll(rkh);
    }
}

void sty_rkh_close_(sty_rkh_t *rkh, const uint8_t *from, const uint8_t *to) {
    sty_rkh_part_(rkh, from, to);
    sty_rkh_end(rkh);
}

void sty_rkh_item_(sty_rkh_t *rkh, uint8_t format, uint32_t value, uint32_t size) {
    uint8_t item[5];
    item[0] = format;
    sty_pack(&item[1], value, 4);
    sty_rkh_part_(rkh, item, &item[1u + size]);
}

void sty_rkh_text_(sty_rkh_t *rkh, const char *text) {
    const uint8_t *from = (const uint8_t *)text;
    STY_ASSERT(text != NULL);
    sty_rkh_part_(rkh, from, sty_text_end(from));
}

void sty_rkh_poll(sty_rkh_t *rkh) {
    uint8_t frame[STY_RKH_HEAD];
    _Static_assert(2 * (STY_RKH_HEAD + 5 + 1) + 1 <= STY_RING_KEEP_FREE, "a drop total fits, every byte stuffed");
    if (sty_ring_begin_total(rkh->ring)) {
        sty_rkh_part_(rkh, frame, pack_head(rkh, STY_RKH_ID(STY_RKH_USR, STY_RKH_DROPS), frame));
        sty_rkh_u32(rkh, 0, sty_ring_drops(rkh->ring));
        end_frame(rkh);
    }
}
