/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "qs_rx_parts.h"

enum { REC_STATUS = 66 };

uint64_t sty_qsrx_take_(sty_payload_t *payload, unsigned size) {
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++) {
        value |= (uint64_t)payload->bytes[i] << (8u * i);
    }
    payload->bytes += size;
    payload->length -= size;
    return value;
}

void sty_qsrx_status_(sty_qs_t *qs, uint8_t status) {
    uint8_t frame[3];
    const uint8_t *to = sty_pack_u8(&frame[2], status);
    sty_qs_send_(qs, REC_STATUS | STY_QS_URGENT | STY_QS_UNTIMED, frame, to);
}
