/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "tband_glue.h"

static void answer(void *emitter, uint8_t op, uint8_t seq, uint8_t status, uint32_t value) {
    const sty_tband_glue_t *glue = emitter;
    glue->cb->value(glue->ctx, STY_TBAND_ACK, sty_cmd_tband_answer_(op, seq, status, value));
}

static bool filter(void *emitter, uint8_t op, uint32_t id, bool on) {
    sty_tband_glue_t *glue = emitter;
    return sty_cmd_tband_filter_(&glue->filter, op, id, on);
}

static void names(void *emitter) {
    const sty_tband_glue_t *glue = emitter;
    if (glue->cb->names != NULL) {
        glue->cb->names(glue->ctx);
    }
}

static uint32_t state(const void *emitter, uint32_t n) {
    const sty_tband_glue_t *glue = emitter;
    return sty_cmd_tband_state_(&glue->filter, glue->ring, n);
}

void sty_tband_glue_init(sty_tband_glue_t *glue, sty_ring_t *ring, const sty_tband_glue_cb_t *cb, void *ctx) {
    static const sty_cmdrx_protocol_t protocol = {answer, filter, names, state, STY_CMD_TBAND_STATES};
    *glue = (sty_tband_glue_t){.cb = cb, .ctx = ctx, .ring = ring, .rx_cb = {NULL, cb->user, cb->reset}};
    sty_tband_filter_all(&glue->filter, true);
    sty_cmdrx_init_(&glue->rx, &protocol, glue, &glue->rx_cb, ctx);
}

bool sty_tband_glue_data(sty_tband_glue_t *glue, const void *bytes, size_t count) {
    sty_ring_begin(glue->ring);
    sty_ring_put(glue->ring, bytes, count);
    return !sty_ring_commit(glue->ring);
}

void sty_tband_glue_feed(sty_tband_glue_t *glue, uint8_t byte) {
    sty_cmdrx_feed(&glue->rx, byte);
}
