/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Stand-in for task.h of FreeRTOS. */
#ifndef STAND_IN_TASK_H
#define STAND_IN_TASK_H

#include "FreeRTOS.h"

#ifdef __cplusplus
extern "C" {
#endif
void taskENTER_CRITICAL(void);
void taskEXIT_CRITICAL(void);
UBaseType_t taskENTER_CRITICAL_FROM_ISR(void);
void taskEXIT_CRITICAL_FROM_ISR(UBaseType_t state);
#ifdef __cplusplus
}
#endif

#endif
