/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "qs_rx_parts.h"

enum { REC_DONE = 65 };

void sty_qsrx_init(sty_qsrx_t *rx, sty_qs_t *qs, const sty_qsrx_cb_t *cb, void *ctx) {
    *rx = (sty_qsrx_t){.qs = qs, .cb = cb, .ctx = ctx};
    sty_hdlc_rx_init(&rx->frame, rx->buf, sizeof rx->buf);
}

static void send_done(sty_qsrx_t *rx, uint8_t command) {
    if (rx->deferred) {
        rx->command = command;
        return;
    }
    uint8_t frame[STY_QS_HEAD + 1];
    const uint8_t *to = sty_pack_u8(&frame[STY_QS_HEAD], command);
    sty_qs_send_(rx->qs, REC_DONE | STY_QS_URGENT, frame, to);
}

void sty_qsrx_defer(sty_qsrx_t *rx) {
    rx->deferred = true;
}

void sty_qsrx_finish(sty_qsrx_t *rx, bool done) {
    rx->deferred = false;
    if (done) {
        send_done(rx, rx->command);
    } else {
        sty_qsrx_status_(rx->qs, (uint8_t)(FAILED | rx->command));
    }
}

static bool info(sty_qsrx_t *rx, sty_payload_t payload) {
    if (payload.length != 0u) {
        return false;
    }
    rx->qs->target->info(rx->qs, false);
    if (rx->cb->names != NULL) {
        rx->cb->names(rx->ctx);
    }
    return true;
}

static bool command(sty_qsrx_t *rx, sty_payload_t payload) {
    if (payload.length != 13u || rx->cb->command == NULL) {
        return false;
    }
    const uint8_t id = (uint8_t)sty_qsrx_take_(&payload, 1);
    const uint32_t p1 = (uint32_t)sty_qsrx_take_(&payload, 4);
    const uint32_t p2 = (uint32_t)sty_qsrx_take_(&payload, 4);
    const uint32_t p3 = (uint32_t)sty_qsrx_take_(&payload, 4);
    sty_qsrx_status_(rx->qs, RX_COMMAND);
    rx->cb->command(rx->ctx, id, p1, p2, p3);
    send_done(rx, RX_COMMAND);
    return true;
}

static bool reset(sty_qsrx_t *rx, sty_payload_t payload) {
    if (payload.length != 0u || rx->cb->reset == NULL) {
        return false;
    }
    rx->cb->reset(rx->ctx);
    return true;
}

static bool tick(sty_qsrx_t *rx, sty_payload_t payload) {
    if (payload.length != 1u || rx->cb->tick == NULL) {
        return false;
    }
    sty_qsrx_status_(rx->qs, RX_TICK);
    rx->cb->tick(rx->ctx, payload.bytes[0]);
    send_done(rx, RX_TICK);
    return true;
}

static bool filter(sty_qsrx_t *rx, sty_payload_t payload, uint8_t which) {
    if (payload.length != 17u || payload.bytes[0] != 16u) {
        return false;
    }
    if (which == RX_GLB_FILTER) {
        sty_qs_glb_set(rx->qs, &payload.bytes[1]);
    } else {
        sty_qs_loc_set(rx->qs, &payload.bytes[1]);
    }
    sty_qsrx_status_(rx->qs, which);
    return true;
}

static const void *take_object(sty_payload_t *payload) {
    return (const void *)(uintptr_t)sty_qsrx_take_(payload, STY_QS_OBJ_SIZE);
}

static bool ao_filter(sty_qsrx_t *rx, sty_payload_t payload) {
    if (payload.length != 1u + STY_QS_OBJ_SIZE || rx->cb->id_of == NULL) {
        return false;
    }
    const bool on = sty_qsrx_take_(&payload, 1) == 0u;
    const void *object = take_object(&payload);
    const uint8_t id = object == NULL ? 0 : rx->cb->id_of(rx->ctx, object);
    if (id == 0u) {
        return false;
    }
    sty_qs_loc_range(rx->qs, id, id, on);
    sty_qsrx_status_(rx->qs, RX_AO_FILTER);
    return true;
}

static bool curr_obj(sty_qsrx_t *rx, sty_payload_t payload) {
    if (payload.length != 1u + STY_QS_OBJ_SIZE) {
        return false;
    }
    const uint8_t kind = (uint8_t)sty_qsrx_take_(&payload, 1);
    if (!sty_qs_current(rx->qs, kind, take_object(&payload))) {
        return false;
    }
    sty_qsrx_status_(rx->qs, RX_CURR_OBJ);
    return true;
}

/* Does the event have a receiver? */
static bool has_receiver(const sty_qsrx_t *rx, sty_qsrx_event_t *event) {
    const uint8_t max_active = rx->qs->target->tail[5];
    switch (event->where) {
    case STY_QSRX_POST_CURRENT:
        event->object = rx->qs->current[STY_QS_AO];
        return event->object != NULL;
    case STY_QSRX_INIT_CURRENT:
    case STY_QSRX_DISPATCH_CURRENT:
        event->object = rx->qs->current[STY_QS_SM];
        return event->object != NULL;
    default:
        return event->where <= max_active;
    }
}

static bool event(sty_qsrx_t *rx, sty_payload_t payload) {
    if (payload.length < 3u + STY_QS_SIG_SIZE || rx->cb->event == NULL) {
        return false;
    }
    sty_qsrx_event_t event = {.where = (uint8_t)sty_qsrx_take_(&payload, 1)};
    event.sig = (uint32_t)sty_qsrx_take_(&payload, STY_QS_SIG_SIZE);
    event.length = (uint16_t)sty_qsrx_take_(&payload, 2);
    event.parameters = payload.bytes;
    if (event.length != payload.length || !has_receiver(rx, &event)) {
        return false;
    }
    sty_qsrx_status_(rx->qs, RX_EVENT);
    if (!rx->cb->event(rx->ctx, &event)) {
        return false;
    }
    send_done(rx, RX_EVENT);
    return true;
}

/* Executes a valid frame: number, command, payload. */
static void execute(sty_qsrx_t *rx, const uint8_t *frame, size_t length) {
    const uint8_t id = frame[1];
    const sty_payload_t payload = {&frame[2], length - 2u};
    bool done = false;
    switch (id) {
    case RX_INFO:
        done = info(rx, payload);
        break;
    case RX_COMMAND:
        done = command(rx, payload);
        break;
    case RX_RESET:
        done = reset(rx, payload);
        break;
    case RX_TICK:
        done = tick(rx, payload);
        break;
    case RX_PEEK:
        done = sty_qsrx_peek_(rx, payload);
        break;
    case RX_POKE:
        done = sty_qsrx_poke_(rx, payload);
        break;
    case RX_FILL:
        done = sty_qsrx_fill_(rx, payload);
        break;
    case RX_GLB_FILTER:
    case RX_LOC_FILTER:
        done = filter(rx, payload, id);
        break;
    case RX_AO_FILTER:
        done = ao_filter(rx, payload);
        break;
    case RX_CURR_OBJ:
        done = curr_obj(rx, payload);
        break;
    case RX_QUERY_CURR:
        done = sty_qsrx_query_(rx, payload);
        break;
    case RX_EVENT:
        done = event(rx, payload);
        break;
    default: /* also the commands of qs_test.h */
        sty_qsrx_status_(rx->qs, UNKNOWN_COMMAND);
        return;
    }
    if (!done) {
        sty_qsrx_status_(rx->qs, (uint8_t)(FAILED | id));
    }
}

void sty_qsrx_feed(sty_qsrx_t *rx, uint8_t byte) {
    const int length = sty_hdlc_rx_feed(&rx->frame, byte);
    if (length == STY_HDLC_MORE || length == 0) {
        return;
    }
    if (length < SHORTEST) {
        sty_qsrx_status_(rx->qs, BAD_FRAME);
        return;
    }
    if (!sty_qsrx_sum_is_good_(rx->buf, (size_t)length)) {
        sty_qsrx_status_(rx->qs, BAD_CHECKSUM);
        sty_qsrx_status_(rx->qs, BAD_FRAME);
        return;
    }
    sty_qsrx_check_number_(rx, rx->buf[0]);
    execute(rx, rx->buf, (size_t)length - 1u);
}
