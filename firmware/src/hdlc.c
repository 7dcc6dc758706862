/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "spytui/hdlc.h"

#include "pack.h"

void sty_hdlc_bytes_(sty_ring_t *ring, uint32_t bytes) {
    if (ring->full) {
        return;
    }
    if ((bytes & 0xFFu) - STY_HDLC_ESC < 2u) {
        bytes = (bytes ^ STY_HDLC_XOR) << 8 | STY_HDLC_ESC;
    }
    uint8_t *const buf = ring->buf;
    uint32_t pos = ring->pos;
    do {
        if (pos == ring->end) {
            ring->make_room(ring);
            if (ring->full) {
                break;
            }
        }
        buf[pos & ring->mask] = (uint8_t)bytes;
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
    while (!ring->full) { /* a refused frame shares the sum with the outer one, so it is kept */
        uint32_t left = sty_ring_room_(ring, (uint32_t)(end - from));
        uint8_t *to = &ring->buf[ring->pos & ring->mask];
        const uint32_t pos = ring->pos + left;
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
        ring->pos = pos - left;
        if (from == end) {
            ring->sum = (uint8_t)sum;
            break;
        }
        const uint32_t byte = *from++;
        sum += byte;
        sty_hdlc_bytes_(ring, byte);
    }
}

void sty_hdlc_put6_(sty_ring_t *ring, uint32_t high, uint32_t low, uint32_t count) {
#if STY_UNALIGNED
    const uint32_t pos = ring->pos;
    const uint32_t at = pos & ring->mask;
    if (ring->mask - at >= 5u && ring->end - pos >= 6u && !ring->full && !is_special(low) && !is_special(high)) {
        /* What is written after `count` bytes is overwritten, or stays free. */
        (void)sty_pack(sty_pack(&ring->buf[at], low, 4), high, 2);
        ring->pos = pos + count;
        ring->sum = (uint8_t)(ring->sum + sum_of(low) + high + (high >> 8));
        return;
    }
#endif
    uint8_t bytes[8];
    (void)sty_pack(sty_pack(bytes, low, 4), high, 4);
    sty_hdlc_put(ring, bytes, &bytes[count]);
}
