/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The lamp on an ESP32, through its UART 1 at 115200 baud, pins 4 and 5:  idf.py -C examples/esp_idf build */
#include "lamp.h"
#include "spytui/ports/esp_idf.h"

#include <driver/uart.h>
#include <freertos/task.h>

enum { TX_PIN = 4, RX_PIN = 5, DRIVER_BUFFER = 256 };

static portMUX_TYPE mux = portMUX_INITIALIZER_UNLOCKED;
static const sty_env_t env = {sty_esp_now, sty_esp_lock, sty_esp_unlock, &mux, 1000000};

static void open_uart(void) {
    const uart_config_t config = {
        .baud_rate = 115200, .data_bits = UART_DATA_8_BITS, .parity = UART_PARITY_DISABLE, .stop_bits = UART_STOP_BITS_1};
    uart_driver_install(UART_NUM_1, DRIVER_BUFFER, 0, 0, NULL, 0);
    uart_param_config(UART_NUM_1, &config);
    uart_set_pin(UART_NUM_1, TX_PIN, RX_PIN, UART_PIN_NO_CHANGE, UART_PIN_NO_CHANGE);
}

static void serve(void) {
    uint32_t count;
    uint8_t byte;
    const uint8_t *from = sty_ring_peek(&lamp_ring, &count);
    const int sent = uart_tx_chars(UART_NUM_1, (const char *)from, count); /* as much as the transmitter has room for */
    sty_ring_skip(&lamp_ring, sent > 0 ? (uint32_t)sent : 0u);
    while (uart_read_bytes(UART_NUM_1, &byte, 1, 0) == 1) {
        lamp_receive(byte);
    }
}

void app_main(void);
void app_main(void) {
    open_uart();
    lamp_start(&env);
    for (unsigned tick = 0;; tick++) {
        serve();
        if (tick % 10u == 0u) {
            lamp_step();
        }
        vTaskDelay(pdMS_TO_TICKS(10));
    }
}
