/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Stellaris LM3S6965: UART 0. */
#include "board.h"

#define UART0_DR (*(volatile uint32_t *)0x4000C000u)
#define UART0_FR (*(volatile uint32_t *)0x4000C018u)
#define UART0_CTL (*(volatile uint32_t *)0x4000C030u)
enum { RX_EMPTY = 1u << 4, TX_FULL = 1u << 5, ON_BOTH_WAYS = 0x301 };

const uint32_t board_clock = 12500000; /* default after reset */

void board_init(void) {
    UART0_CTL = ON_BOTH_WAYS;
}

bool board_send(uint8_t byte) {
    if ((UART0_FR & TX_FULL) != 0u) {
        return false;
    }
    UART0_DR = byte;
    return true;
}

bool board_receive(uint8_t *byte) {
    if ((UART0_FR & RX_EMPTY) != 0u) {
        return false;
    }
    *byte = (uint8_t)UART0_DR;
    return true;
}
