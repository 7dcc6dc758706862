/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Threads and interrupts of Zephyr on one core as tband events, with CONFIG_SPYTUI_TARGET_TRACE=y. The id of a thread is its
 * address. Zephyr does not report there what a thread waits for: one that waits for an object is shown as suspended, one
 * that sleeps as ready. */
#ifndef SPYTUI_PORTS_ZEPHYR_TRACE_H
#define SPYTUI_PORTS_ZEPHYR_TRACE_H

#include <zephyr/kernel.h>

#include "spytui/tband_rtos.h"

#ifdef __cplusplus
extern "C" {
#endif

extern sty_tband_t sty_zephyr_tband;

/* Starts the trace into a ring with the clock of ports/zephyr.h; names the threads that there are. */
void sty_zephyr_trace_start(sty_ring_t *ring);

#ifdef __cplusplus
}
#endif

#endif
