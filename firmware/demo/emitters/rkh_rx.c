/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Commands for the RKH emitter. */
#include "spytui/rkh_rx.h"

static void answer(void *emitter, uint8_t op, uint8_t seq, uint8_t status, uint32_t value) {
    sty_rkh_t *rkh = emitter;
    sty_rkh_begin(rkh, STY_RKH_ACK);
    sty_rkh_u8(rkh, 0, op);
    sty_rkh_u8(rkh, 0, seq);
    sty_rkh_u8(rkh, 0, status);
    sty_rkh_u32(rkh, 0, value);
    sty_rkh_end(rkh);
}

static bool filter(void *emitter, uint8_t op, uint32_t id, bool on) {
    sty_rkh_t *rkh = emitter;
    return sty_cmd_rkh_filter_(&rkh->filter, op, id, on);
}

static void names(void *emitter) {
    sty_rkh_config(emitter);
}

static uint32_t state(const void *emitter, uint32_t n) {
    enum { DROPS = 1, PEAK = 2 };
    const sty_rkh_t *rkh = emitter;
    switch (n) {
    case DROPS:
        return sty_ring_drops(rkh->ring);
    case PEAK:
        return sty_ring_peak(rkh->ring);
    default:
        return sty_cmd_rkh_state_(&rkh->filter, n);
    }
}

void sty_cmdrx_init_rkh(sty_cmdrx_t *rx, sty_rkh_t *rkh, const sty_cmdrx_cb_t *cb, void *ctx) {
    static const sty_cmdrx_protocol_t protocol = {answer, filter, names, state, STY_CMD_RKH_STATES};
    sty_cmdrx_init_(rx, &protocol, rkh, cb, ctx);
}
