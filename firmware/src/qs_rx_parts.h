/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Private to the QS receive channel. */
#ifndef SPYTUI_QS_RX_PARTS_H
#define SPYTUI_QS_RX_PARTS_H

#include "spytui/qs_rx.h"

#include "qs_pack.h"

enum {
    RX_INFO,
    RX_COMMAND,
    RX_RESET,
    RX_TICK,
    RX_PEEK,
    RX_POKE,
    RX_FILL,
    RX_TEST_SETUP,
    RX_TEST_TEARDOWN,
    RX_TEST_PROBE,
    RX_GLB_FILTER,
    RX_LOC_FILTER,
    RX_AO_FILTER,
    RX_CURR_OBJ,
    RX_TEST_CONTINUE,
    RX_QUERY_CURR,
    RX_EVENT
};

/* Status codes of failures; a failed command is FAILED plus its number. */
enum { FAILED = 0x80, BAD_CHECKSUM = 0xC1, BAD_SEQUENCE = 0xC2, UNKNOWN_COMMAND = 0xC3, BAD_FRAME = 0xD0 };

/* Length of the shortest frame: number, command, checksum. */
enum { SHORTEST = 3 };

/* A payload being read. */
typedef struct {
    const uint8_t *bytes;
    size_t length;
} sty_payload_t;

/* Returns the next `size` bytes as a number. The caller has checked the length. */
uint64_t sty_qsrx_take_(sty_payload_t *payload, unsigned size);

/* Each executes its command and answers success itself. False: the command is wrong or refused. */
bool sty_qsrx_peek_(sty_qsrx_t *rx, sty_payload_t payload);
bool sty_qsrx_poke_(sty_qsrx_t *rx, sty_payload_t payload);
bool sty_qsrx_fill_(sty_qsrx_t *rx, sty_payload_t payload);
bool sty_qsrx_query_(sty_qsrx_t *rx, sty_payload_t payload);

/* Acknowledges a command by its number, or reports a failure. */
void sty_qsrx_status_(sty_qs_t *qs, uint8_t status);

STY_INLINE bool sty_qsrx_sum_is_good_(const uint8_t *frame, size_t length) {
    uint8_t sum = 0;
    for (size_t i = 0; i < length; i++) {
        sum = (uint8_t)(sum + frame[i]);
    }
    return sum == 0xFFu;
}

/* A wrong number is reported, but the command is executed, as hosts expect: their numbers start over when they
 * restart. */
STY_INLINE void sty_qsrx_check_number_(sty_qsrx_t *rx, uint8_t number) {
    const bool next = number == (uint8_t)(rx->seq + 1u);
    rx->seq = number;
    if (!next) {
        sty_qsrx_status_(rx->qs, BAD_SEQUENCE);
    }
}

#endif
