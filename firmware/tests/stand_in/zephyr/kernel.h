/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Stand-in for Zephyr: the names that ports/zephyr.h and the example use, written from its manual. */
#ifndef STAND_IN_ZEPHYR_KERNEL_H
#define STAND_IN_ZEPHYR_KERNEL_H

#include <stdint.h>

#define CONFIG_SYS_CLOCK_TICKS_PER_SEC 10000
#define CONFIG_SYS_CLOCK_HW_CYCLES_PER_SEC 64000000
#define CONFIG_NUM_PREEMPT_PRIORITIES 15
#define K_MSEC(ms) (ms)

#ifdef __cplusplus
extern "C" {
#endif
unsigned int irq_lock(void);
void irq_unlock(unsigned int key);
int64_t k_uptime_ticks(void);
uint64_t k_cycle_get_64(void);
int32_t k_sleep(int timeout);

struct k_thread {
    const char *name;
    int priority;
};
typedef struct k_thread *k_tid_t;
const char *k_thread_name_get(k_tid_t thread);
int k_thread_priority_get(k_tid_t thread);
k_tid_t k_current_get(void);
void k_thread_foreach(void (*callback)(const struct k_thread *thread, void *data), void *data);
#ifdef __cplusplus
}
#endif

#endif
