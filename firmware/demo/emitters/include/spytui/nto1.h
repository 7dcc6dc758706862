/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* QNX emitter for `nto1`, records of the first Neutrino, one per ring frame. The ring must be a KEEP ring. */
#ifndef SPYTUI_NTO1_H
#define SPYTUI_NTO1_H

#include "spytui/ring.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Opcodes assigned by spytui: the drop total, and answers to commands; exceptions. */
enum { STY_NTO1_DROPS = 0xFD, STY_NTO1_ACK = 0xFE, STY_NTO1_EXCEPTION = 0xFF };

/* Severities of exceptions: software as is, hardware plus 4; 3 is the worst. */
enum { STY_NTO1_HARDWARE = 4 };

/* Private; use the functions below. */
typedef struct {
    sty_ring_t *ring;
    uint32_t epoch;
    uint8_t disabled[32];
} sty_nto1_t;

/* Bytes after the arguments; NULL for none. */
typedef struct {
    const void *bytes;
    uint16_t size;
} sty_nto1_buffer_t;

/* `epoch` is the Unix time in seconds at time 0 of the port, whose clock must set `second`. */
void sty_nto1_init(sty_nto1_t *nto1, sty_ring_t *ring, uint32_t epoch);
/* A set bit disables its opcode; exceptions, answers and drop totals always pass. */
void sty_nto1_disable(sty_nto1_t *nto1, const uint8_t bits[32]);
/* An event of the kernel profile with up to 7 arguments. `data` has 20 bits. */
void sty_nto1_profile(sty_nto1_t *nto1, uint8_t opcode, uint32_t data, const uint32_t *arguments, uint32_t count,
    sty_nto1_buffer_t buffer);
/* An exception with up to 6 arguments. `code` is major and minor: 24 and 8 bits. */
void sty_nto1_exception(sty_nto1_t *nto1, uint32_t code, uint32_t severity, const uint32_t *arguments, uint32_t count,
    sty_nto1_buffer_t buffer);
/* An answer to a command. */
void sty_nto1_answer(sty_nto1_t *nto1, uint32_t id, uint32_t result);
/* Sends a drop total if one is due. Records do that, too; call it where the link is served. */
void sty_nto1_poll(sty_nto1_t *nto1);

#ifdef __cplusplus
}
#endif

#endif
