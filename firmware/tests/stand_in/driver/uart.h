/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Stand-in for the UART driver of ESP-IDF. */
#ifndef STAND_IN_IDF_UART_H
#define STAND_IN_IDF_UART_H

#include <stdint.h>

enum { UART_NUM_1 = 1, UART_PIN_NO_CHANGE = -1, UART_DATA_8_BITS = 3, UART_PARITY_DISABLE = 0, UART_STOP_BITS_1 = 1 };
typedef struct {
    int baud_rate, data_bits, parity, stop_bits;
} uart_config_t;

int uart_driver_install(int port, int rx_size, int tx_size, int queue_size, void *queue, int flags);
int uart_param_config(int port, const uart_config_t *config);
int uart_set_pin(int port, int tx, int rx, int rts, int cts);
int uart_tx_chars(int port, const char *bytes, uint32_t count);
int uart_read_bytes(int port, void *bytes, uint32_t count, uint32_t ticks);

#endif
