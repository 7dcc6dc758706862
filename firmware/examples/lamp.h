/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What the examples trace: a lamp that switches, and its temperature. Command 1 also switches it. */
#ifndef LAMP_H
#define LAMP_H

#include "spytui/ring.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes waiting for the link, a KEEP ring. */
extern sty_ring_t lamp_ring;
extern uint8_t lamp_mem[2048];

/* Call before all others. */
void lamp_start(const sty_env_t *env);
/* Sends target info and names to a host that came late. */
void lamp_greet(void);
/* Call ten times per second. */
void lamp_step(void);
/* Takes a byte from the host. */
void lamp_receive(uint8_t byte);

#ifdef __cplusplus
}
#endif

#endif
