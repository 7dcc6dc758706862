/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Stand-in for the board support of TinyUSB. */
#ifndef STAND_IN_BOARD_API_H
#define STAND_IN_BOARD_API_H

#include <stdint.h>

void board_init(void);
uint32_t board_millis(void);

#endif
