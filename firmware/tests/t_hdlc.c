/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "spytui/hdlc.h"
#include "tap.h"

#include <string.h>

static const sty_env_t env = {sty_env_no_time, sty_env_no_lock, sty_env_no_unlock, NULL, 0};
static uint8_t mem[1024];
static sty_ring_t ring;

static void stuffs_and_sums(void) {
    static const uint8_t in[] = {0x01, 0x7E, 0x7D, 0x7C, 0x7F, 0xFF};
    static const uint8_t expected[] = {0x01, 0x7D, 0x5E, 0x7D, 0x5D, 0x7C, 0x7F, 0xFF, 0x7D, 0x5E, 0x7E};
    sty_ring_init(&ring, &env, mem, sizeof mem);
    sty_ring_begin(&ring);
    sty_hdlc_put(&ring, in, in + sizeof in);
    const uint8_t sum = ring.sum;
    sty_hdlc_end(&ring, 0x7E);
    uint32_t count;
    const uint8_t *out = sty_ring_peek(&ring, &count);
    OK(count == sizeof expected && memcmp(out, expected, count) == 0, "flags and escapes inside a frame are stuffed");
    OK(sum == (uint8_t)(0x01 + 0x7E + 0x7D + 0x7C + 0x7F + 0xFF), "the sum is that of the bytes before stuffing");
}

static int feed(sty_hdlc_rx_t *rx, const uint8_t *bytes, size_t count) {
    int result = STY_HDLC_MORE;
    for (size_t i = 0; i < count; i++) {
        result = sty_hdlc_rx_feed(rx, bytes[i]);
    }
    return result;
}

static void takes_back_what_was_sent(void) {
    uint8_t in[200];
    uint8_t buf[201];
    sty_hdlc_rx_t rx;
    sty_hdlc_rx_init(&rx, buf, sizeof buf);
    bool same = true;
    for (unsigned round = 0; round < 256; round++) {
        for (size_t i = 0; i < sizeof in; i++) {
            in[i] = (uint8_t)(round + i);
        }
        sty_ring_init(&ring, &env, mem, sizeof mem);
        sty_ring_begin(&ring);
        sty_hdlc_put(&ring, in, in + sizeof in);
        sty_hdlc_end(&ring, ring.sum);
        uint32_t count;
        const uint8_t *out = sty_ring_peek(&ring, &count);
        same = same && feed(&rx, out, count) == (int)sizeof in + 1 && memcmp(buf, in, sizeof in) == 0;
    }
    OK(same, "a receiver takes back what was sent, all byte values");
}

/* Encodes a frame byte by byte according to the format, with a checksum of 0; returns its length. */
static uint32_t encode(uint8_t *to, const uint8_t *in, size_t count) {
    uint32_t length = 0;
    for (size_t i = 0; i < count; i++) {
        const bool stuffed = in[i] == 0x7D || in[i] == 0x7E;
        if (stuffed) {
            to[length++] = 0x7D;
        }
        to[length++] = (uint8_t)(stuffed ? in[i] ^ 0x20 : in[i]);
    }
    to[length++] = 0;
    to[length++] = 0x7E;
    return length;
}

/* Bytes are copied by words where possible, and up to six of them are handed over as a number. */
static void same_as_byte_by_byte(void) {
    enum { SIZE = 256, LONGEST = 40 };
    uint32_t random = 1;
    bool same = true;
    unsigned kept = 0;
    for (unsigned round = 0; round < 100000 && same; round++) {
        uint8_t in[LONGEST], expected[2 * LONGEST + 2], out[2 * LONGEST + 2];
        random = random * 1664525u + 1013904223u;
        const size_t count = 1 + (random >> 24) % LONGEST;
        const size_t first = (random >> 16) % count; /* written in two pieces */
        uint8_t sum = 0;
        for (size_t i = 0; i < count; i++) {
            random = random * 1664525u + 1013904223u;
            in[i] = (uint8_t)(random >> 28 < 14u ? random >> 16 : 0x7Au + (random >> 16) % 8u);
            sum = (uint8_t)(sum + in[i]);
        }
        const uint32_t length = encode(expected, in, count);
        const uint32_t room = (random >> 8) % 128u;
        sty_ring_init(&ring, &env, mem, SIZE);
        memset(mem, 0xAA, sizeof mem);
        ring.head = random; /* any offset, also before the end of the memory */
        ring.tail = random - (SIZE - STY_RING_KEEP_FREE - room);
        sty_ring_begin(&ring);
        if (first > 6 || (first != 0 && round % 2 == 0)) {
            sty_hdlc_put(&ring, in, in + first);
        } else if (first != 0) {
            uint64_t number = 0;
            for (size_t i = 0; i < first; i++) {
                number |= (uint64_t)in[i] << 8 * i;
            }
            sty_hdlc_put6_(&ring, (uint32_t)(number >> 32), (uint32_t)number, (uint32_t)first);
        }
        sty_hdlc_put(&ring, in + first, in + count);
        same = same && (ring.full || ring.sum == sum);
        const bool fits = sty_hdlc_end(&ring, 0);
        for (uint32_t i = 0; i < length; i++) {
            out[i] = mem[(random + i) % SIZE];
        }
        same = same && fits == (length <= room) && (!fits || memcmp(out, expected, length) == 0) &&
            mem[(random + room) % SIZE] == 0xAA;
        kept += fits;
    }
    OK(same && kept > 50000 && kept < 90000, "frames anywhere in a ring are as if stuffed byte by byte, and write into their room only");
}

static void broken_frames(void) {
    uint8_t buf[4];
    sty_hdlc_rx_t rx;
    sty_hdlc_rx_init(&rx, buf, sizeof buf);
    OK(feed(&rx, (const uint8_t *)"\x7E\x7E", 2) == 0, "two flags in a row are an empty frame");
    OK(feed(&rx, (const uint8_t *)"1234\x7E", 5) == 4, "a frame may fill the buffer");
    OK(feed(&rx, (const uint8_t *)"12345\x7E", 6) == STY_HDLC_BROKEN, "one byte more breaks it");
    OK(feed(&rx, (const uint8_t *)"12\x7D\x7E", 4) == STY_HDLC_BROKEN, "an escape before the flag breaks it");
    OK(feed(&rx, (const uint8_t *)"12\x7E", 3) == 2, "and the next frame is good again");
}

int main(void) {
    stuffs_and_sums();
    takes_back_what_was_sent();
    same_as_byte_by_byte();
    broken_frames();
    return DONE();
}
