/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The board and host of the tests: the callbacks of QS, and frames as a host reads them. */
#ifndef HOST_H
#define HOST_H

#include "app.h"

#include "qs_port.h"

/* Calls of the callbacks. */
typedef struct {
    unsigned flushes, resets, commands;
    uint8_t command;
    uint32_t p1, p2, p3;
} called_t;
extern called_t called;
extern uint32_t host_time;
/* If set, nothing locks. */
extern bool host_asserting;
/* The buffer of the trace. */
extern uint8_t host_trace[16384];

/* Returns the next frame without stuffing, number and checksum, which are verified. */
size_t receive(uint8_t *frame, uint16_t size);
/* Is this the next frame, in hex? Empty: no frame. */
bool is_sent(const char *expected);
const char *sent(void);
/* Are these the ids of all pending frames? The id of a status is followed by the status. */
bool are_sent(const char *expected);
const char *ids_sent(void);
/* Starts only the trace, with all records on. */
void begin(void);

#endif
