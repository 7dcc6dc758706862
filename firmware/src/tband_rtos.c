/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "spytui/tband_rtos.h"

void sty_tband_new_task(sty_tband_t *tband, uint32_t core, uint32_t task, uint32_t priority, const char *name) {
    sty_tband_task_created(tband, core, task);
    sty_tband_task_priority_set(tband, core, task, priority);
    sty_tband_name_task(tband, core, task, name);
    sty_tband_task_to_rdy_state(tband, core, task);
}

static bool is_mutex(sty_tband_queue_kind_t kind) {
    return kind == STY_TBAND_MUTEX || kind == STY_TBAND_RECURSIVE_MUTEX;
}

void sty_tband_new_queue(sty_tband_t *tband, uint32_t core, uint32_t queue, sty_tband_queue_kind_t kind, uint32_t count,
    const char *name) {
    sty_tband_queue_created(tband, core, queue);
    sty_tband_queue_kind(tband, core, queue, kind);
    sty_tband_queue_cur_length(tband, core, queue, 0);
    if (is_mutex(kind)) {
        sty_tband_queue_send(tband, core, queue, count);
    } else if (count != 0u) {
        sty_tband_queue_cur_length(tband, core, queue, count);
    }
    if (name != NULL) {
        sty_tband_name_queue(tband, core, queue, name);
    }
}
