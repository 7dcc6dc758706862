/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Commands for RKH. */
#include "spytui/cmd_rx.h"

static void answer(void *emitter, uint8_t op, uint8_t seq, uint8_t status, uint32_t value) {
    sty_rkh_t *rkh = emitter;
    sty_rkh_begin(rkh, STY_RKH_ACK);
    sty_rkh_u8(rkh, 0, op);
    sty_rkh_u8(rkh, 0, seq);
    sty_rkh_u8(rkh, 0, status);
    sty_rkh_u32(rkh, 0, value);
    sty_rkh_end(rkh);
}

bool sty_cmd_rkh_filter_(sty_rkh_t *rkh, uint8_t op, uint32_t id, bool on) {
    switch (op) {
    case STY_CMD_GROUP:
        return sty_rkh_filter_group(rkh, (uint8_t)id, on);
    case STY_CMD_EVENT:
        return sty_rkh_filter_event(rkh, id, on);
    case STY_CMD_OBJECT:
        return sty_rkh_filter_object(rkh, id, on);
    case STY_CMD_SIGNAL:
        return sty_rkh_filter_signal(rkh, id, on);
    default:
        sty_rkh_filter_all(rkh, on);
        return true;
    }
}

static void names(void *emitter) {
    sty_rkh_config(emitter);
}

enum { VERSION, DROPS, PEAK, GROUPS, EVENTS };

uint32_t sty_cmd_rkh_state_(const sty_rkh_t *rkh, uint32_t n) {
    switch (n) {
    case VERSION:
        return STY_CMD_VERSION;
    case DROPS:
        return sty_ring_drops(rkh->ring);
    case PEAK:
        return sty_ring_peak(rkh->ring);
    case GROUPS:
        return STY_LOAD(&rkh->groups);
    default: {
        uint32_t bits = 0;
        for (uint32_t i = 0; i < 4u; i++) {
            const uint32_t at = 4u * (n - EVENTS) + i;
            bits |= at < STY_RKH_TABLE ? (uint32_t)STY_LOAD(&rkh->events[at]) << 8u * i : 0u;
        }
        return bits;
    }
    }
}

static bool filter(void *emitter, uint8_t op, uint32_t id, bool on) {
    return sty_cmd_rkh_filter_(emitter, op, id, on);
}

static uint32_t state(const void *emitter, uint32_t n) {
    return sty_cmd_rkh_state_(emitter, n);
}

void sty_cmdrx_init_rkh(sty_cmdrx_t *rx, sty_rkh_t *rkh, const sty_cmdrx_cb_t *cb, void *ctx) {
    static const sty_cmdrx_protocol_t protocol = {answer, filter, names, state, STY_CMD_RKH_STATES};
    sty_cmdrx_init_(rx, &protocol, rkh, cb, ctx);
}
