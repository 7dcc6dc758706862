/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "spytui/hdlc.h"

void sty_hdlc_bytes_(sty_ring_t *ring, uint32_t bytes) {
    if (ring->full) {
        return;
    }
    if ((bytes & 0xFFu) - STY_HDLC_ESC < 2u) {
        bytes = (bytes ^ STY_HDLC_XOR) << 8 | STY_HDLC_ESC;
    }
    uint8_t *const buf = ring->buf;
    const uint32_t mask = ring->mask;
    uint32_t pos = ring->pos;
    do {
        if (pos == ring->end) {
            ring->make_room(ring);
            if (ring->full) {
                break;
            }
        }
        buf[pos & mask] = (uint8_t)bytes;
        pos++;
        bytes >>= 8;
    } while (bytes != 0u);
    ring->pos = pos;
}

#if STY_UNALIGNED
/* May a byte of the word be a flag or an escape? A few others match, too. */
STY_INLINE bool is_special(uint32_t word) {
    return ((word + 0x03030303u) & ~word & 0x80808080u) != 0u;
}

/* Sums the bytes of a word; the low byte is the result. */
STY_INLINE uint32_t sum_of(uint32_t word) {
    return word + (word >> 8) + (word >> 16) + (word >> 24);
}
#endif

void sty_hdlc_put(sty_ring_t *ring, const uint8_t *from, const uint8_t *end) {
    uint32_t sum = ring->sum;
    for (;;) {
        if (ring->full) {
            return; /* keeps the sum: a refused frame shares it with the outer one */
        }
        uint32_t left = sty_ring_room_(ring, (uint32_t)(end - from));
        uint8_t *to = &ring->buf[ring->pos & ring->mask];
        ring->pos += left;
        for (;; left--) {
#if STY_UNALIGNED
            for (; left >= 4u; left -= 4u) {
                uint32_t word;
                __builtin_memcpy(&word, from, 4);
                if (is_special(word)) {
                    break;
                }
                __builtin_memcpy(to, &word, 4);
                from += 4;
                to += 4;
                sum += sum_of(word);
            }
#endif
            if (left == 0u) {
                break;
            }
            const uint32_t byte = *from;
            if (byte - STY_HDLC_ESC < 2u) {
                break;
            }
            *to++ = (uint8_t)byte;
            sum += byte;
            from++;
        }
        ring->pos -= left;
        if (from == end) {
            break;
        }
        const uint32_t byte = *from++;
        sum += byte;
        sty_hdlc_bytes_(ring, byte);
    }
    ring->sum = (uint8_t)sum;
}
