/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "rkh_glue.h"

#include "rkh.h"

static void answer(void *emitter, uint8_t op, uint8_t seq, uint8_t status, uint32_t value) {
    const sty_rkh_glue_t *glue = emitter;
    glue->cb->answer(glue->ctx, op, seq, status, value);
}

static void all_events(bool on) {
    if (on) {
        RKH_FILTER_OFF_EVENT(RKH_TRC_ALL_EVENTS);
    } else {
        RKH_FILTER_ON_EVENT(RKH_TRC_ALL_EVENTS);
    }
}

static void group(uint32_t number, bool on) {
    if (number == STY_RKH_GROUPS) {
        all_events(on);
    } else if (on) {
        RKH_FILTER_OFF_GROUP_ALL_EVENTS(number);
    } else {
        RKH_FILTER_ON_GROUP_ALL_EVENTS(number);
    }
}

static void event(uint32_t id, bool on) {
    if (on) {
        RKH_FILTER_OFF_EVENT(id);
    } else {
        RKH_FILTER_ON_EVENT(id);
    }
}

static void signal(uint32_t number, bool on) {
    if (on) {
        RKH_FILTER_OFF_SIGNAL(number);
    } else {
        RKH_FILTER_ON_SIGNAL(number);
    }
}

static void all(bool on) {
    all_events(on);
    if (on) {
        RKH_FILTER_OFF_ALL_SMA();
        RKH_FILTER_OFF_ALL_SIGNALS();
    }
}

static void pass_on(uint8_t op, uint32_t id, bool on) {
    switch (op) {
    case STY_CMD_GROUP:
        group(id, on);
        break;
    case STY_CMD_EVENT:
        event(id, on);
        break;
    case STY_CMD_SIGNAL:
        signal(id, on);
        break;
    default:
        all(on);
        break;
    }
}

/* Our filter refuses what does not exist; everything else is passed on to RKH. */
static bool filter(void *emitter, uint8_t op, uint32_t id, bool on) {
    sty_rkh_glue_t *glue = emitter;
    if (op == STY_CMD_OBJECT) {
        return glue->cb->object(glue->ctx, id, on);
    }
    const bool known = sty_cmd_rkh_filter_(&glue->filter, op, id, on);
    if (known) {
        pass_on(op, id, on);
    }
    return known;
}

static void names(void *emitter) {
    const sty_rkh_glue_t *glue = emitter;
    if (glue->cb->names != NULL) {
        glue->cb->names(glue->ctx);
    }
}

static uint32_t state(const void *emitter, uint32_t n) {
    enum { DROPS = 1, PEAK = 2 };
    const sty_rkh_glue_t *glue = emitter;
    switch (n) {
    case DROPS:
        return glue->cb->drops != NULL ? glue->cb->drops(glue->ctx) : 0u;
    case PEAK:
        return glue->cb->peak != NULL ? glue->cb->peak(glue->ctx) : 0u;
    default:
        return sty_cmd_rkh_state_(&glue->filter, n);
    }
}

void sty_rkh_glue_init(sty_rkh_glue_t *glue, const sty_rkh_glue_cb_t *cb, void *ctx) {
    static const sty_cmdrx_protocol_t protocol = {answer, filter, names, state, STY_CMD_RKH_STATES};
    *glue = (sty_rkh_glue_t){.cb = cb, .ctx = ctx, .rx_cb = {NULL, cb->user, cb->reset}};
    sty_cmdrx_init_(&glue->rx, &protocol, glue, &glue->rx_cb, ctx);
    filter(glue, STY_CMD_ALL, 0, true);
}

void sty_rkh_glue_feed(sty_rkh_glue_t *glue, uint8_t byte) {
    sty_cmdrx_feed(&glue->rx, byte);
}
