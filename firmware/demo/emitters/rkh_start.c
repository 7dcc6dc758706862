/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The first frames after a start: configuration, and names of spytui's events. */
#include "rkh_pack.h"

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
