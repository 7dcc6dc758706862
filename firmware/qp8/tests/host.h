/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What the tests have of a board and a host: the callbacks of QS, and frames as a host takes them. */
#ifndef HOST_H
#define HOST_H

#include "app.h"

#include "qs_port.h"

/* What the callbacks were called for. */
typedef struct {
    unsigned flushes, resets, commands;
    uint8_t command;
    uint32_t p1, p2, p3;
} called_t;
extern called_t called;
extern uint32_t host_time;
/* Then nothing locks. */
extern bool host_asserting;
/* The buffer of the trace. */
extern uint8_t host_trace[16384];

/* The next frame without stuffing, number and checksum, which are looked at. */
size_t receive(uint8_t *frame, uint16_t size);
/* Is that the next frame, in hex? Empty: there is none. */
bool is_sent(const char *expected);
const char *sent(void);
/* Are these the ids of all frames that wait? That of a status has the status behind it. */
bool are_sent(const char *expected);
const char *ids_sent(void);
/* Starts the trace alone, with all records on. */
void begin(void);

#endif
