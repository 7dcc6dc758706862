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
    broken_frames();
    return DONE();
}
