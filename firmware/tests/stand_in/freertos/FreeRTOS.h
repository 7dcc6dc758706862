/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Stand-in for the FreeRTOS of ESP-IDF: critical sections with a spinlock. */
#ifndef STAND_IN_IDF_FREERTOS_H
#define STAND_IN_IDF_FREERTOS_H

typedef struct {
    int depth;
} portMUX_TYPE;
#define portMUX_INITIALIZER_UNLOCKED {0}

#define portENTER_CRITICAL_SAFE(mux) ((void)(mux)->depth++)
#define portEXIT_CRITICAL_SAFE(mux) ((void)(mux)->depth--)
#define pdMS_TO_TICKS(ms) (ms)

#endif
