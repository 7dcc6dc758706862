/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "spytui/hdlc.h"

/* The long way for what is rare: flags, escapes, and bytes for which room must be made. */
static STY_NOINLINE void put_raw(sty_ring_t *ring, uint32_t byte) {
    sty_cursor_t c = sty_ring_cursor(ring);
    sty_cursor_put(&c, (uint8_t)byte);
    sty_ring_store(ring, &c);
}

static void put_stuffed(sty_ring_t *ring, uint32_t byte) {
    if (byte - STY_HDLC_ESC < 2u) {
        put_raw(ring, STY_HDLC_ESC);
        byte ^= STY_HDLC_XOR;
    }
    put_raw(ring, byte);
}

void sty_hdlc_put(sty_ring_t *ring, const uint8_t *from, const uint8_t *end) {
    uint32_t sum = ring->sum;
    sty_cursor_t c = sty_ring_cursor(ring);
    do {
        const uint32_t byte = *from++;
        sum += byte;
        if (byte - STY_HDLC_ESC >= 2u && c.pos != c.end) {
            sty_cursor_set(&c, (uint8_t)byte);
            continue;
        }
        sty_ring_store(ring, &c);
        put_stuffed(ring, byte);
        if (ring->full) {
            return; /* leaves the sum as it was: a refused frame shares it with the one around it */
        }
        c = sty_ring_cursor(ring);
    } while (from != end);
    sty_ring_store(ring, &c);
    ring->sum = (uint8_t)sum;
}

bool sty_hdlc_end(sty_ring_t *ring, uint32_t checksum) {
    const uint8_t byte = (uint8_t)checksum;
    sty_hdlc_put(ring, &byte, &byte + 1);
    put_raw(ring, STY_HDLC_FLAG);
    return sty_ring_commit(ring);
}
