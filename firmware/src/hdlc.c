/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "spytui/hdlc.h"

/* Flags and escapes. They are rare, so they take the long way: the loop below has one place that puts a byte, which
 * compilers inline also where they save size. */
static STY_NOINLINE void put_raw(sty_ring_t *ring, uint8_t byte) {
    sty_cursor_t c = sty_ring_cursor(ring);
    sty_cursor_put(&c, byte);
    sty_ring_store(ring, &c);
}

uint8_t sty_hdlc_put(sty_ring_t *ring, uint32_t sum, const void *src, size_t count) {
    const uint8_t *from = src;
    const uint8_t *const end = from + count;
    sty_cursor_t c = sty_ring_cursor(ring);
    do {
        uint32_t byte = *from++;
        sum += byte;
        if (byte - STY_HDLC_ESC < 2u) {
            sty_ring_store(ring, &c);
            put_raw(ring, STY_HDLC_ESC);
            c = sty_ring_cursor(ring);
            byte ^= STY_HDLC_XOR;
        }
        if (!sty_cursor_fits(&c)) {
            break;
        }
        sty_cursor_set(&c, (uint8_t)byte);
    } while (from != end);
    sty_ring_store(ring, &c);
    return (uint8_t)sum;
}

bool sty_hdlc_end(sty_ring_t *ring, uint32_t checksum) {
    const uint8_t byte = (uint8_t)checksum;
    sty_hdlc_put(ring, 0, &byte, 1);
    put_raw(ring, STY_HDLC_FLAG);
    return sty_ring_commit(ring);
}
