/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Stand-in for the header of QP in tests: the QS-RX calls of a program with the glue, as functions of the test. */
#ifndef STAND_IN_QPC_H
#define STAND_IN_QPC_H

#include <stdint.h>

void stand_in_qs_rx_put(uint8_t byte);
void stand_in_qs_rx_parse(void);

#define QS_RX_PUT(byte) stand_in_qs_rx_put(byte)
#define QS_rxParse() stand_in_qs_rx_parse()

#endif
