/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Takes frames out of a ring like a host. */
#ifndef FRAMES_H
#define FRAMES_H

#include "spytui/hdlc.h"

#include <stdio.h>
#include <string.h>

/* Returns the length of the next frame without stuffing and flag, 0 if there is none. */
static inline size_t next_frame(sty_ring_t *ring, uint8_t *frame, uint16_t size) {
    sty_hdlc_rx_t rx;
    sty_hdlc_rx_init(&rx, frame, size);
    uint32_t count;
    for (const uint8_t *byte = sty_ring_peek(ring, &count); count != 0; byte = sty_ring_peek(ring, &count)) {
        const int length = sty_hdlc_rx_feed(&rx, *byte);
        sty_ring_skip(ring, 1);
        if (length >= 0) {
            return (size_t)length;
        }
    }
    return 0;
}

/* The bytes as hexadecimal text. */
static inline const char *hex(const uint8_t *bytes, size_t count) {
    static char text[2048];
    text[0] = '\0';
    for (size_t i = 0; i < count && 2 * i + 3 < sizeof text; i++) {
        snprintf(&text[2 * i], 3, "%02x", bytes[i]);
    }
    return text;
}

#endif
