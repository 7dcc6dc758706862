/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Stand-in for the task.h of ESP-IDF. */
#ifndef STAND_IN_IDF_TASK_H
#define STAND_IN_IDF_TASK_H

#include <stdint.h>

void vTaskDelay(uint32_t ticks);

#endif
