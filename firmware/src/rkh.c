/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "rkh_pack.h"

void sty_rkh_init(sty_rkh_t *rkh, sty_ring_t *ring, const sty_rkh_target_t *target) {
    STY_ASSERT(ring != NULL && target != NULL);
    *rkh = (sty_rkh_t){.ring = ring, .target = target};
    sty_rkh_filter_all(rkh, true);
}

/* Id, number, time stamp; the lock is held. A dropped frame has its number, too. */
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

void sty_rkh_poll(sty_rkh_t *rkh) {
    uint8_t frame[STY_RKH_HEAD];
    _Static_assert(2 * (STY_RKH_HEAD + 5 + 1) + 1 <= STY_RING_KEEP_FREE, "a drop total fits, every byte stuffed");
    if (sty_ring_begin_total(rkh->ring)) {
        sty_rkh_part_(rkh, frame, pack_head(rkh, STY_RKH_ID(STY_RKH_USR, STY_RKH_DROPS), frame));
        sty_rkh_u32(rkh, 0, sty_ring_drops(rkh->ring));
        end_frame(rkh);
    }
}

/* The configuration as bits. */
enum {
    FLAGS = (STY_RKH_SENDER ? 1 : 0) | 1 << 1 /* runtime filter */ | 1 << 2 /* user events */ |
        0xFF << 3 /* all groups */ | (STY_RKH_QUE_LWMARK ? 1 << 11 : 0) | (STY_RKH_MP_LWMARK ? 1 << 12 : 0) |
        3 << 13 /* filters by object and signal */ | (STY_RKH_NSEQ ? 1 << 15 : 0) | (STY_RKH_TIME ? 1 << 16 : 0) |
        (STY_RKH_CHK ? 1 << 17 : 0)
};

void sty_rkh_config(sty_rkh_t *rkh) {
    uint8_t frame[14];
    uint8_t *to = sty_rkh_open_(rkh, STY_RKH_ID(STY_RKH_FWK, 12u) | STY_RKH_BARE | STY_RKH_URGENT, frame);
    to = sty_pack(to, rkh->target->version, 2);
    to = sty_pack(to, FLAGS, 4);
    to = sty_pack_u8(to, STY_RKH_SIG_SIZE << 4 | STY_RKH_TIME_SIZE);
    to = sty_pack_u8(to, STY_RKH_PTR_SIZE << 4 | STY_RKH_NTIMER_SIZE);
    to = sty_pack_u8(to, STY_RKH_NBLOCK_SIZE << 4 | STY_RKH_NELEM_SIZE);
    to = sty_pack_u8(to, STY_RKH_ESIZE_SIZE);
    to = sty_pack_u8(to, (uint8_t)(STY_RKH_BSIZE_SIZE << 4 | (rkh->target->max_pools & 15u)));
    to = sty_pack(to, rkh->target->ticks_per_second, 2);
    sty_rkh_close_(rkh, frame, to);
    sty_rkh_name_usr(rkh, STY_RKH_DROPS, "STY_DROPS");
    sty_rkh_name_usr(rkh, STY_RKH_ACK, "STY_ACK");
}

void sty_rkh_start(sty_rkh_t *rkh) {
    static const uint8_t flag = STY_HDLC_FLAG;
    sty_ring_begin_urgent(rkh->ring);
    sty_ring_put(rkh->ring, &flag, 1);
    sty_ring_commit(rkh->ring);
    sty_rkh_config(rkh);
}
