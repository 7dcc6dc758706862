/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Calls every function for a predefined QS record, and for every element of user records. */
#ifndef QS_CALLS_H
#define QS_CALLS_H

#include "spytui/qs_rec.h"

static inline void send_each_record(sty_qs_t *qs, const void *a) {
    sty_qs_state_entry(qs, 0, a, 0);
    sty_qs_state_exit(qs, 0, a, 0);
    sty_qs_state_init(qs, 0, a, 0, 0);
    sty_qs_init_tran(qs, 0, a, 0);
    sty_qs_intern_tran(qs, 0, 0, a, 0);
    sty_qs_tran(qs, 0, 0, a, 0, 0);
    sty_qs_ignored(qs, 0, 0, a, 0);
    sty_qs_dispatch(qs, 0, 0, a, 0);
    sty_qs_unhandled(qs, 0, 0, a, 0);
    sty_qs_defer(qs, 0, a, a, 0, 0, 0);
    sty_qs_recall(qs, 0, a, a, 0, 0, 0);
    sty_qs_subscribe(qs, 0, 0, a);
    sty_qs_unsubscribe(qs, 0, 0, a);
    sty_qs_post(qs, 0, a, 0, a, 0, 0, 0, 0);
    sty_qs_post_lifo(qs, 0, 0, a, 0, 0, 0, 0);
    sty_qs_get(qs, 0, 0, a, 0, 0, 0);
    sty_qs_get_last(qs, 0, 0, a, 0, 0);
    sty_qs_recall_attempt(qs, 0, a, a);
    sty_qs_equeue_post(qs, 0, 0, a, 0, 0, 0, 0);
    sty_qs_equeue_post_lifo(qs, 0, 0, a, 0, 0, 0, 0);
    sty_qs_equeue_get(qs, 0, 0, a, 0, 0, 0);
    sty_qs_equeue_get_last(qs, 0, 0, a, 0, 0);
    sty_qs_new_attempt(qs, 0, 0, 0);
    sty_qs_mpool_get(qs, 0, a, 0, 0);
    sty_qs_mpool_put(qs, 0, a, 0);
    sty_qs_publish(qs, 0, a, 0, 0, 0);
    sty_qs_new_ref(qs, 0, 0, 0, 0);
    sty_qs_new(qs, 0, 0, 0);
    sty_qs_gc_attempt(qs, 0, 0, 0, 0);
    sty_qs_gc(qs, 0, 0, 0, 0);
    sty_qs_tick(qs, 0, 0, 0);
    sty_qs_timeevt_arm(qs, 0, a, a, 0, 0, 0);
    sty_qs_timeevt_auto_disarm(qs, 0, a, a, 0);
    sty_qs_timeevt_disarm_attempt(qs, 0, a, a, 0);
    sty_qs_timeevt_disarm(qs, 0, a, a, 0, 0, 0);
    sty_qs_timeevt_rearm(qs, 0, a, a, 0, 0, 0, 0);
    sty_qs_timeevt_post(qs, 0, a, 0, a, 0);
    sty_qs_delete_ref(qs, 0, 0, 0, 0);
    sty_qs_crit_entry(qs, 0, 0);
    sty_qs_crit_exit(qs, 0, 0);
    sty_qs_isr_entry(qs, 0, 0, 0);
    sty_qs_isr_exit(qs, 0, 0, 0);
    sty_qs_post_attempt(qs, 0, a, 0, a, 0, 0, 0, 0);
    sty_qs_equeue_post_attempt(qs, 0, 0, a, 0, 0, 0, 0);
    sty_qs_mpool_get_attempt(qs, 0, a, 0, 0);
    sty_qs_sched_preempt(qs, 0, 0, 0);
    sty_qs_sched_restore(qs, 0, 0, 0);
    sty_qs_sched_lock(qs, 0, 0, 0);
    sty_qs_sched_unlock(qs, 0, 0, 0);
    sty_qs_sched_next(qs, 0, 0, 0);
    sty_qs_sched_idle(qs, 0, 0);
    sty_qs_tran_hist(qs, 0, a, 0, 0);
    sty_qs_tran_ep(qs, 0, a, 0, 0);
    sty_qs_tran_xp(qs, 0, a, 0, 0);
    sty_qs_sem_take(qs, 0, a, 0, 0);
    sty_qs_sem_block(qs, 0, a, 0, 0);
    sty_qs_sem_signal(qs, 0, a, 0, 0);
    sty_qs_sem_block_attempt(qs, 0, a, 0, 0);
    sty_qs_mtx_lock(qs, 0, a, 0, 0);
    sty_qs_mtx_block(qs, 0, a, 0, 0);
    sty_qs_mtx_unlock(qs, 0, a, 0, 0);
    sty_qs_mtx_lock_attempt(qs, 0, a, 0, 0);
    sty_qs_mtx_block_attempt(qs, 0, a, 0, 0);
    sty_qs_mtx_unlock_attempt(qs, 0, a, 0, 0);
    sty_qs_defer_attempt(qs, 0, a, a, 0, 0, 0);
}

/* One user record. */
static inline void send_each_element(sty_qs_t *qs, uint8_t rec, const void *a) {
    STY_QS_BEGIN(qs, rec, 0)
        sty_qs_i8(qs, 3, -2);
        sty_qs_enum(qs, 2, 5);
        sty_qs_u8(qs, 15, 0x7E);
        sty_qs_i16(qs, 0, -2);
        sty_qs_u16(qs, 4, 0x1234);
        sty_qs_i32(qs, 5, -2);
        sty_qs_u32(qs, 5, 0x12345678);
        sty_qs_f32(qs, 2, 1.5f);
        sty_qs_f64(qs, 3, -1.5);
        sty_qs_str(qs, "text");
        sty_qs_mem(qs, "\x01\x7D", 2);
        sty_qs_sig(qs, 5, a);
        sty_qs_obj(qs, a);
        sty_qs_fun(qs, 0x801);
        sty_qs_i64(qs, 9, -2);
        sty_qs_u64(qs, 1, 0x123456789u);
        sty_qs_hex32(qs, 8, 0x1234);
    STY_QS_END(qs)
}

#endif
