/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Stand-in for esp_timer.h of ESP-IDF. */
#ifndef STAND_IN_ESP_TIMER_H
#define STAND_IN_ESP_TIMER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
int64_t esp_timer_get_time(void);
#ifdef __cplusplus
}
#endif

#endif
