/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* MPS2 with the Cortex-M3 image AN385: UART 0. */
#include "board.h"

#define UART0_DATA (*(volatile uint32_t *)0x40004000u)
#define UART0_STATE (*(volatile uint32_t *)0x40004004u)
#define UART0_CTRL (*(volatile uint32_t *)0x40004008u)
#define UART0_BAUDDIV (*(volatile uint32_t *)0x40004010u)
enum { TX_FULL = 1, RX_FULL = 2, ON_BOTH_WAYS = 3, LEAST_DIVIDER = 16 };

const uint32_t board_clock = 25000000;

void board_init(void) {
    UART0_BAUDDIV = LEAST_DIVIDER;
    UART0_CTRL = ON_BOTH_WAYS;
}

bool board_send(uint8_t byte) {
    if ((UART0_STATE & TX_FULL) != 0u) {
        return false;
    }
    UART0_DATA = byte;
    return true;
}

bool board_receive(uint8_t *byte) {
    if ((UART0_STATE & RX_FULL) == 0u) {
        return false;
    }
    *byte = (uint8_t)UART0_DATA;
    return true;
}
