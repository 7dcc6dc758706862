/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Stand-in for FreeRTOS: the names that ports/freertos.h uses, written from its manual. */
#ifndef STAND_IN_FREERTOS_H
#define STAND_IN_FREERTOS_H

#include <stdint.h>

typedef long BaseType_t;
typedef unsigned long UBaseType_t;

#ifdef __cplusplus
extern "C" {
#endif
BaseType_t xPortIsInsideInterrupt(void);
#ifdef __cplusplus
}
#endif

#endif
