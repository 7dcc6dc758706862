#include "spytui/hdlc.h"

/* Escapes are rare, so they take the long way: the loop has one place that puts a byte, which compilers inline also
 * where they save size. */
static void put_escape(sty_ring_t *ring, sty_cursor_t *c) {
    static const uint8_t escape = STY_HDLC_ESC;
    sty_ring_store(ring, c);
    sty_ring_put(ring, &escape, 1);
    *c = sty_ring_cursor(ring);
}

uint8_t sty_hdlc_put(sty_ring_t *ring, uint8_t sum, const void *src, size_t count) {
    const uint8_t *from = src;
    const uint8_t *const end = from + count;
    sty_cursor_t c = sty_ring_cursor(ring);
    uint32_t total = sum;
    while (from != end) {
        uint32_t byte = *from++;
        total += byte;
        if (byte - STY_HDLC_ESC < 2u) {
            put_escape(ring, &c);
            byte ^= STY_HDLC_XOR;
        }
        sty_cursor_put(&c, (uint8_t)byte);
    }
    sty_ring_store(ring, &c);
    return (uint8_t)total;
}

bool sty_hdlc_end(sty_ring_t *ring, uint8_t checksum) {
    static const uint8_t flag = STY_HDLC_FLAG;
    sty_hdlc_put(ring, 0, &checksum, 1);
    sty_ring_put(ring, &flag, 1);
    return sty_ring_commit(ring);
}
