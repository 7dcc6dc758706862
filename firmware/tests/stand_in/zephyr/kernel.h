/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Stand-in for Zephyr: the names that ports/zephyr.h and the example use, written from its manual. */
#ifndef STAND_IN_ZEPHYR_KERNEL_H
#define STAND_IN_ZEPHYR_KERNEL_H

#include <stdint.h>

#define CONFIG_SYS_CLOCK_TICKS_PER_SEC 10000
#define CONFIG_SYS_CLOCK_HW_CYCLES_PER_SEC 64000000
#define K_MSEC(ms) (ms)

#ifdef __cplusplus
extern "C" {
#endif
unsigned int irq_lock(void);
void irq_unlock(unsigned int key);
int64_t k_uptime_ticks(void);
uint64_t k_cycle_get_64(void);
int32_t k_sleep(int timeout);
#ifdef __cplusplus
}
#endif

#endif
