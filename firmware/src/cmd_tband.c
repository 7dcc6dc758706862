/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Commands for tband. */
#include "spytui/cmd_rx.h"

int64_t sty_cmd_tband_answer_(uint8_t op, uint8_t seq, uint8_t status, uint32_t value) {
    return (int64_t)(op | (uint64_t)seq << 8 | (uint64_t)status << 16 | (uint64_t)value << 24);
}

static void answer(void *emitter, uint8_t op, uint8_t seq, uint8_t status, uint32_t value) {
    sty_tband_value_(emitter, 0, 0x0B, STY_TBAND_ACK, sty_cmd_tband_answer_(op, seq, status, value));
}

bool sty_cmd_tband_filter_(sty_tband_filter_t *filter, uint8_t op, uint32_t id, bool on) {
    switch (op) {
    case STY_CMD_GROUP:
        return sty_tband_filter_class(filter, (uint8_t)id, on);
    case STY_CMD_EVENT:
        return sty_tband_filter_event(filter, id, on);
    case STY_CMD_OBJECT:
        return sty_tband_filter_marker(filter, id, on);
    case STY_CMD_SIGNAL:
        return sty_tband_filter_value(filter, id, on);
    default:
        sty_tband_filter_all(filter, on);
        return true;
    }
}

static void names(void *emitter) {
    (void)sty_tband_names(emitter);
}

enum { VERSION, DROPS, PEAK };

uint32_t sty_cmd_tband_state_(const sty_tband_filter_t *filter, const sty_ring_t *ring, uint32_t n) {
    switch (n) {
    case VERSION:
        return STY_CMD_VERSION;
    case DROPS:
        return sty_ring_drops(ring);
    case PEAK:
        return sty_ring_peak(ring);
    default:
        return STY_LOAD(&filter->classes) & ((1u << STY_TBAND_CLASSES) - 1u);
    }
}

static bool filter(void *emitter, uint8_t op, uint32_t id, bool on) {
    sty_tband_t *tband = emitter;
    return sty_cmd_tband_filter_(&tband->filter, op, id, on);
}

static uint32_t state(const void *emitter, uint32_t n) {
    const sty_tband_t *tband = emitter;
    return sty_cmd_tband_state_(&tband->filter, tband->ring, n);
}

void sty_cmdrx_init_tband(sty_cmdrx_t *rx, sty_tband_t *tband, const sty_cmdrx_cb_t *cb, void *ctx) {
    static const sty_cmdrx_protocol_t protocol = {answer, filter, names, state, STY_CMD_TBAND_STATES};
    sty_cmdrx_init_(rx, &protocol, tband, cb, ctx);
}
