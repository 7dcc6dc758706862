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
    RX_GLB_FILTER = 10,
    RX_LOC_FILTER,
    RX_AO_FILTER,
    RX_CURR_OBJ,
    RX_QUERY_CURR = 15,
    RX_EVENT
};

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

#endif
