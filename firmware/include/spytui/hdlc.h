/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* HDLC-like framing shared by QS and the commands: frames end with 0x7E; 0x7E and 0x7D inside a frame are sent as
 * 0x7D and the byte xor 0x20. */
#ifndef SPYTUI_HDLC_H
#define SPYTUI_HDLC_H

#include "spytui/ring.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STY_HDLC_FLAG 0x7Eu
#define STY_HDLC_ESC 0x7Du
#define STY_HDLC_XOR 0x20u

/* Writes the bytes from `from` to `end`, at least one, to the open frame, stuffed, and adds them to `ring->sum`,
 * which starts at 0. */
void sty_hdlc_put(sty_ring_t *ring, const uint8_t *from, const uint8_t *end);
/* Private: the same for the lowest `count` bytes, at most 6, of the number high:low; those above are 0. Faster, as the
 * bytes need not be in memory. */
void sty_hdlc_put6_(sty_ring_t *ring, uint32_t high, uint32_t low, uint32_t count);
/* Private: the slow path for single bytes: writes the lowest, stuffed, then as they are those above it, up to the
 * first 0. */
void sty_hdlc_bytes_(sty_ring_t *ring, uint32_t bytes);
/* Writes the low byte of the checksum, stuffed, and the flag, and commits the frame. False: it did not fit. */
STY_INLINE bool sty_hdlc_end(sty_ring_t *to, uint32_t checksum) {
    sty_hdlc_bytes_(to, STY_HDLC_FLAG * 256u + (checksum & 0xFFu));
    return sty_ring_commit(to);
}

/* Receives one frame at a time into the caller's memory. */
typedef struct {
    uint8_t *buf;
    uint16_t size;
    uint16_t length;
    bool escaped;
    bool too_long;
} sty_hdlc_rx_t;

#define STY_HDLC_MORE (-1)   /* the frame goes on */
#define STY_HDLC_BROKEN (-2) /* a frame ended that is too long, or whose last byte is an escape */

/* Starts over; frames of up to `size` bytes fit. */
void sty_hdlc_rx_init(sty_hdlc_rx_t *rx, void *buf, uint16_t size);
/* Takes a byte from the link. Returns the length of a frame that it ends, 0 for consecutive flags, or one of the
 * above; until the next byte, `buf` contains the unstuffed frame. */
int sty_hdlc_rx_feed(sty_hdlc_rx_t *rx, uint8_t byte);

#ifdef __cplusplus
}
#endif

#endif
