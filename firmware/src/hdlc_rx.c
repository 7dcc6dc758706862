/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "spytui/hdlc.h"

void sty_hdlc_rx_init(sty_hdlc_rx_t *rx, void *buf, uint16_t size) {
    *rx = (sty_hdlc_rx_t){.buf = buf, .size = size};
}

int sty_hdlc_rx_feed(sty_hdlc_rx_t *rx, uint8_t byte) {
    if (byte == STY_HDLC_FLAG) {
        const int length = rx->too_long || rx->escaped ? STY_HDLC_BROKEN : rx->length;
        sty_hdlc_rx_init(rx, rx->buf, rx->size);
        return length;
    }
    if (rx->escaped) {
        byte ^= STY_HDLC_XOR;
        rx->escaped = false;
    } else if (byte == STY_HDLC_ESC) {
        rx->escaped = true;
        return STY_HDLC_MORE;
    }
    if (rx->length == rx->size) {
        rx->too_long = true;
    } else {
        rx->buf[rx->length] = byte;
        rx->length++;
    }
    return STY_HDLC_MORE;
}
