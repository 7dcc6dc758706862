/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The target info in its two layouts. */
#include "qs_pack.h"

enum { REC_INFO = 64 };

/* The start of the payload, then the part common to both layouts. */
STY_INLINE void send_with_tail(sty_qs_t *qs, uint8_t *frame, const uint8_t *to) {
    const uint8_t *tail = qs->target->tail;
    sty_qs_send_(qs, REC_INFO | STY_QS_URGENT | STY_QS_UNTIMED | STY_QS_MORE, frame, to);
    sty_qs_close_(qs, tail, tail + sizeof qs->target->tail);
}

void sty_qs_info_7(sty_qs_t *qs, bool reset) {
    uint8_t frame[2 + 3];
    uint8_t *to = &frame[2];
    to = sty_pack_u8(to, reset ? 0xFF : 0);
    to = sty_pack(to, qs->target->version, 2);
    send_with_tail(qs, frame, to);
}

void sty_qs_info_8(sty_qs_t *qs, bool reset) {
    const sty_qs_target_t *target = qs->target;
    const unsigned layout = 2u;
    const unsigned framework = target->is_cpp ? 2u : 1u;
    uint8_t frame[2 + 5];
    uint8_t *to = &frame[2];
    to = sty_pack_u8(to, (uint8_t)(layout | framework << 2 | (reset ? 0x40u : 0u)));
    to = sty_pack(to, ~(target->date * 10000u + target->version), 4);
    send_with_tail(qs, frame, to);
}
