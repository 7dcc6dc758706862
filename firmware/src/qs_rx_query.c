/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The answer about a current object, in the layouts before and since 8.1. */
#include "qs_rx_parts.h"

enum { REC_QUERY_DATA = 67 };

/* Maximum size after the kind: a time event with the largest sizes. */
enum { LONGEST = 8 + 8 + 4 + 4 + 4 + 1 };

static uint8_t *pack_u16(uint8_t *to, uint16_t value) {
    return sty_pack(to, value, 2);
}

/* Two counters of a size that the target info has. */
static uint8_t *pack_counters(uint8_t *to, const sty_qsrx_query_t *answer, unsigned size) {
    (void)sty_pack(to, answer->free, 4);
    (void)sty_pack(to + size, answer->min, 4);
    return to + 2u * size;
}

static uint8_t *pack_time_event(uint8_t *to, const sty_qsrx_query_t *answer) {
    to = sty_pack_obj(to, answer->owner);
    to = sty_pack_timeevt(sty_pack_timeevt(to, answer->counter), answer->interval);
    return sty_pack_u8(sty_pack_sig(to, answer->sig), answer->flags);
}

static uint8_t *pack_7(uint8_t *to, const sty_qs_target_t *target, uint8_t kind, const void *object,
    const sty_qsrx_query_t *answer) {
    to = sty_pack_obj(to, object);
    switch (kind) {
    case STY_QS_SM:
    case STY_QS_AO:
        return sty_pack_fun(to, answer->state);
    case STY_QS_MP:
    case STY_QS_EQ:
        return pack_counters(to, answer, kind == STY_QS_MP ? target->tail[2] >> 4 : target->tail[1] & 15u);
    case STY_QS_TE:
        return pack_time_event(to, answer);
    default:
        return to;
    }
}

static uint8_t *pack_fill(uint8_t *to, const sty_qsrx_query_t *answer) {
    return pack_u16(pack_u16(pack_u16(to, answer->used), answer->free), answer->min);
}

static uint8_t *pack_8(uint8_t *to, uint8_t kind, const void *object, const sty_qsrx_query_t *answer) {
    switch (kind) {
    case STY_QS_SM:
        return sty_pack_fun(sty_pack_obj(to, object), answer->state);
    case STY_QS_AO:
        return pack_fill(sty_pack_u8(to, answer->id), answer);
    case STY_QS_MP:
        return pack_u16(pack_fill(sty_pack_obj(to, object), answer), answer->block_size);
    case STY_QS_EQ:
        return pack_fill(sty_pack_obj(to, object), answer);
    case STY_QS_TE:
        return pack_time_event(sty_pack_obj(to, object), answer);
    case STY_QS_EP:
        return pack_u16(pack_fill(sty_pack_u8(to, answer->id), answer), answer->block_size);
    default:
        return to;
    }
}

bool sty_qsrx_query_(sty_qsrx_t *rx, sty_payload_t payload) {
    if (payload.length != 1u || rx->cb->query == NULL) {
        return false;
    }
    const uint8_t kind = payload.bytes[0];
    const void *object = kind < STY_QS_KINDS ? rx->qs->current[kind] : NULL;
    sty_qsrx_query_t answer = {0};
    if (object == NULL || !rx->cb->query(rx->ctx, kind, object, &answer)) {
        return false;
    }
    uint8_t frame[STY_QS_HEAD + 1 + LONGEST];
    uint8_t *to = &frame[STY_QS_HEAD];
    to = sty_pack_u8(to, kind);
    const sty_qs_target_t *target = rx->qs->target;
    to = target->version >= 810u ? pack_8(to, kind, object, &answer) : pack_7(to, target, kind, object, &answer);
    sty_qs_send_(rx->qs, REC_QUERY_DATA | STY_QS_URGENT, frame, to);
    return true;
}
