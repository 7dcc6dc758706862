/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Lock and clock for ESP-IDF: a nesting critical section, which is a spinlock between cores and works in tasks and
 * interrupts; time in microseconds since the start.
 *
 *     static portMUX_TYPE mux = portMUX_INITIALIZER_UNLOCKED;
 *     static const sty_env_t env = {sty_esp_now, sty_esp_lock, sty_esp_unlock, &mux, 1000000}; */
#ifndef SPYTUI_PORTS_ESP_IDF_H
#define SPYTUI_PORTS_ESP_IDF_H

#include <esp_timer.h>
#include <freertos/FreeRTOS.h>

#include "spytui/port.h"

static inline uint64_t sty_esp_now(void *ctx) {
    (void)ctx;
    return STY_CAST(uint64_t, esp_timer_get_time());
}

static inline uint32_t sty_esp_lock(void *ctx) {
    portENTER_CRITICAL_SAFE(STY_CAST_POINTER(portMUX_TYPE *, ctx));
    return 0;
}

static inline void sty_esp_unlock(void *ctx, uint32_t state) {
    (void)state;
    portEXIT_CRITICAL_SAFE(STY_CAST_POINTER(portMUX_TYPE *, ctx));
}

#endif
