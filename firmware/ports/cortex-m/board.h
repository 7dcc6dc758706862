/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What the demo needs from a board: a serial link and a clock. */
#ifndef BOARD_H
#define BOARD_H

#include <stdbool.h>
#include <stdint.h>

/* Frequency of the SysTick timer in Hz. */
extern const uint32_t board_clock;

void board_init(void);
/* False: the transmitter is full. */
bool board_send(uint8_t byte);
/* False: nothing was received. */
bool board_receive(uint8_t *byte);

#endif
