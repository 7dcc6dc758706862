/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The predefined RKH events, one inline function each: sty_rkh_sm_state(&rkh, prio, ao, state). `prio` is the
 * priority of the active object, for the filter by object. A filtered event only costs the filter check, not a call. */
#ifndef SPYTUI_RKH_REC_H
#define SPYTUI_RKH_REC_H

#include "spytui/rkh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of actions for `sty_rkh_sm_exe_act`. */
enum { STY_RKH_EFFECT, STY_RKH_ENTRY, STY_RKH_EXIT, STY_RKH_INIT, STY_RKH_PREPRO, STY_RKH_GUARD };

/* Memory pools. */

void sty_rkh_args_obk_(sty_rkh_t *rkh, uint8_t id, const void *pool, uint32_t blocks, uint32_t block_size);
/* A pool of `blocks` blocks of `block_size` bytes. */
static inline void sty_rkh_mp_init(sty_rkh_t *rkh, const void *pool, uint32_t blocks, uint32_t block_size) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_MP, 0u))) {
        sty_rkh_args_obk_(rkh, STY_RKH_ID(STY_RKH_MP, 0u), pool, blocks, block_size);
    }
}
void sty_rkh_args_obm_(sty_rkh_t *rkh, uint8_t id, const void *pool, uint32_t free, uint32_t min);
/* A block is taken: `free` are left, `min` is the minimum so far. */
static inline void sty_rkh_mp_get(sty_rkh_t *rkh, const void *pool, uint32_t free, uint32_t min) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_MP, 1u))) {
        sty_rkh_args_obm_(rkh, STY_RKH_ID(STY_RKH_MP, 1u), pool, free, min);
    }
}
void sty_rkh_args_ob_(sty_rkh_t *rkh, uint8_t id, const void *pool, uint32_t free);
/* A block is returned. */
static inline void sty_rkh_mp_put(sty_rkh_t *rkh, const void *pool, uint32_t free) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_MP, 2u))) {
        sty_rkh_args_ob_(rkh, STY_RKH_ID(STY_RKH_MP, 2u), pool, free);
    }
}

/* Queues. Owner NULL: none. In get, fifo and lifo, `count` is the number of elements afterwards. */

void sty_rkh_args_oon_(sty_rkh_t *rkh, uint8_t id, const void *queue, const void *owner, uint32_t size);
/* A queue with room for `size` events. */
static inline void sty_rkh_que_init(sty_rkh_t *rkh, const void *queue, const void *owner, uint32_t size) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_QUE, 0u))) {
        sty_rkh_args_oon_(rkh, STY_RKH_ID(STY_RKH_QUE, 0u), queue, owner, size);
    }
}
void sty_rkh_args_on_(sty_rkh_t *rkh, uint8_t id, const void *queue, uint32_t count);
/* An event is taken. */
static inline void sty_rkh_que_get(sty_rkh_t *rkh, const void *queue, uint32_t count) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_QUE, 1u))) {
        sty_rkh_args_on_(rkh, STY_RKH_ID(STY_RKH_QUE, 1u), queue, count);
    }
}
void sty_rkh_args_onw_(sty_rkh_t *rkh, uint8_t id, const void *queue, uint32_t count, uint32_t min);
/* An event is appended; `min` is the minimum free space so far. */
static inline void sty_rkh_que_fifo(sty_rkh_t *rkh, const void *queue, uint32_t count, uint32_t min) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_QUE, 2u))) {
        sty_rkh_args_onw_(rkh, STY_RKH_ID(STY_RKH_QUE, 2u), queue, count, min);
    }
}
/* An event is put at the front. */
static inline void sty_rkh_que_lifo(sty_rkh_t *rkh, const void *queue, uint32_t count, uint32_t min) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_QUE, 3u))) {
        sty_rkh_args_onw_(rkh, STY_RKH_ID(STY_RKH_QUE, 3u), queue, count, min);
    }
}
void sty_rkh_args_o_(sty_rkh_t *rkh, uint8_t id, const void *queue);
/* There is no room for an event. */
static inline void sty_rkh_que_full(sty_rkh_t *rkh, const void *queue) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_QUE, 4u))) {
        sty_rkh_args_o_(rkh, STY_RKH_ID(STY_RKH_QUE, 4u), queue);
    }
}
/* All events are discarded. */
static inline void sty_rkh_que_dpt(sty_rkh_t *rkh, const void *queue) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_QUE, 5u))) {
        sty_rkh_args_o_(rkh, STY_RKH_ID(STY_RKH_QUE, 5u), queue);
    }
}
/* The last event is taken. */
static inline void sty_rkh_que_get_last(sty_rkh_t *rkh, const void *queue) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_QUE, 6u))) {
        sty_rkh_args_o_(rkh, STY_RKH_ID(STY_RKH_QUE, 6u), queue);
    }
}

/* Active objects. `pool` is 0 for a static event, otherwise one-based; `ref` is the reference count. */

void sty_rkh_args_ouu_(sty_rkh_t *rkh, uint8_t id, const void *ao, uint8_t prio, uint8_t queue_size);
/* An active object starts. */
static inline void sty_rkh_sma_act(sty_rkh_t *rkh, const void *ao, uint8_t prio, uint8_t queue_size) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_SMA, 0u)) && sty_rkh_object_on(rkh, prio)) {
        sty_rkh_args_ouu_(rkh, STY_RKH_ID(STY_RKH_SMA, 0u), ao, prio, queue_size);
    }
}
void sty_rkh_args_ou_(sty_rkh_t *rkh, uint8_t id, const void *ao, uint8_t prio);
/* An active object terminates. */
static inline void sty_rkh_sma_term(sty_rkh_t *rkh, const void *ao, uint8_t prio) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_SMA, 1u)) && sty_rkh_object_on(rkh, prio)) {
        sty_rkh_args_ou_(rkh, STY_RKH_ID(STY_RKH_SMA, 1u), ao, prio);
    }
}
void sty_rkh_args_osuunw_(sty_rkh_t *rkh, uint8_t id, const void *ao, uint32_t sig, uint8_t pool, uint8_t ref,
    uint32_t count, uint32_t min);
/* An active object takes an event from its queue. */
static inline void sty_rkh_sma_get(sty_rkh_t *rkh, uint32_t prio, const void *ao, uint32_t sig, uint8_t pool,
    uint8_t ref, uint32_t count, uint32_t min) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_SMA, 2u)) && sty_rkh_object_on(rkh, prio) && sty_rkh_signal_on(rkh, sig)) {
        sty_rkh_args_osuunw_(rkh, STY_RKH_ID(STY_RKH_SMA, 2u), ao, sig, pool, ref, count, min);
    }
}
void sty_rkh_args_osxuunw_(sty_rkh_t *rkh, uint8_t id, const void *ao, uint32_t sig, const void *sender, uint8_t pool,
    uint8_t ref, uint32_t count, uint32_t min);
/* An active object gets an event from `sender`. */
static inline void sty_rkh_sma_fifo(sty_rkh_t *rkh, uint32_t prio, const void *ao, uint32_t sig, const void *sender,
    uint8_t pool, uint8_t ref, uint32_t count, uint32_t min) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_SMA, 3u)) && sty_rkh_object_on(rkh, prio) && sty_rkh_signal_on(rkh, sig)) {
        sty_rkh_args_osxuunw_(rkh, STY_RKH_ID(STY_RKH_SMA, 3u), ao, sig, sender, pool, ref, count, min);
    }
}
/* An active object gets an event from `sender` at the front of its queue. */
static inline void sty_rkh_sma_lifo(sty_rkh_t *rkh, uint32_t prio, const void *ao, uint32_t sig, const void *sender,
    uint8_t pool, uint8_t ref, uint32_t count, uint32_t min) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_SMA, 4u)) && sty_rkh_object_on(rkh, prio) && sty_rkh_signal_on(rkh, sig)) {
        sty_rkh_args_osxuunw_(rkh, STY_RKH_ID(STY_RKH_SMA, 4u), ao, sig, sender, pool, ref, count, min);
    }
}
/* An active object is registered. */
static inline void sty_rkh_sma_reg(sty_rkh_t *rkh, const void *ao, uint8_t prio) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_SMA, 5u)) && sty_rkh_object_on(rkh, prio)) {
        sty_rkh_args_ou_(rkh, STY_RKH_ID(STY_RKH_SMA, 5u), ao, prio);
    }
}
/* An active object is unregistered. */
static inline void sty_rkh_sma_unreg(sty_rkh_t *rkh, const void *ao, uint8_t prio) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_SMA, 6u)) && sty_rkh_object_on(rkh, prio)) {
        sty_rkh_args_ou_(rkh, STY_RKH_ID(STY_RKH_SMA, 6u), ao, prio);
    }
}
void sty_rkh_args_os_(sty_rkh_t *rkh, uint8_t id, const void *queue, uint32_t sig);
/* An event is deferred to `queue`. */
static inline void sty_rkh_sma_defer(sty_rkh_t *rkh, const void *queue, uint32_t sig) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_SMA, 7u))) {
        sty_rkh_args_os_(rkh, STY_RKH_ID(STY_RKH_SMA, 7u), queue, sig);
    }
}
/* A deferred event is recalled. */
static inline void sty_rkh_sma_rcall(sty_rkh_t *rkh, const void *ao, uint32_t sig) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_SMA, 8u))) {
        sty_rkh_args_os_(rkh, STY_RKH_ID(STY_RKH_SMA, 8u), ao, sig);
    }
}

/* State machines. A transition with target NULL is internal. */

void sty_rkh_args_oo_(sty_rkh_t *rkh, uint8_t id, const void *ao, const void *state);
/* The machine begins in `state`. */
static inline void sty_rkh_sm_init(sty_rkh_t *rkh, uint32_t prio, const void *ao, const void *state) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_SM, 0u)) && sty_rkh_object_on(rkh, prio)) {
        sty_rkh_args_oo_(rkh, STY_RKH_ID(STY_RKH_SM, 0u), ao, state);
    }
}
/* A history is cleared. */
static inline void sty_rkh_sm_clrh(sty_rkh_t *rkh, uint32_t prio, const void *ao, const void *history) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_SM, 1u)) && sty_rkh_object_on(rkh, prio)) {
        sty_rkh_args_oo_(rkh, STY_RKH_ID(STY_RKH_SM, 1u), ao, history);
    }
}
void sty_rkh_args_ooo_(sty_rkh_t *rkh, uint8_t id, const void *ao, const void *source, const void *target);
/* A transition begins. */
static inline void sty_rkh_sm_trn(sty_rkh_t *rkh, uint32_t prio, const void *ao, const void *source,
    const void *target) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_SM, 2u)) && sty_rkh_object_on(rkh, prio)) {
        sty_rkh_args_ooo_(rkh, STY_RKH_ID(STY_RKH_SM, 2u), ao, source, target);
    }
}
/* A transition ends in `state`. */
static inline void sty_rkh_sm_state(sty_rkh_t *rkh, uint32_t prio, const void *ao, const void *state) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_SM, 3u)) && sty_rkh_object_on(rkh, prio)) {
        sty_rkh_args_oo_(rkh, STY_RKH_ID(STY_RKH_SM, 3u), ao, state);
    }
}
/* A state is entered. */
static inline void sty_rkh_sm_enstate(sty_rkh_t *rkh, uint32_t prio, const void *ao, const void *state) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_SM, 4u)) && sty_rkh_object_on(rkh, prio)) {
        sty_rkh_args_oo_(rkh, STY_RKH_ID(STY_RKH_SM, 4u), ao, state);
    }
}
/* A state is left. */
static inline void sty_rkh_sm_exstate(sty_rkh_t *rkh, uint32_t prio, const void *ao, const void *state) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_SM, 5u)) && sty_rkh_object_on(rkh, prio)) {
        sty_rkh_args_oo_(rkh, STY_RKH_ID(STY_RKH_SM, 5u), ao, state);
    }
}
/* Reports the number of states entered and left. */
static inline void sty_rkh_sm_nenex(sty_rkh_t *rkh, uint32_t prio, const void *ao, uint8_t entries, uint8_t exits) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_SM, 6u)) && sty_rkh_object_on(rkh, prio)) {
        sty_rkh_args_ouu_(rkh, STY_RKH_ID(STY_RKH_SM, 6u), ao, entries, exits);
    }
}
/* Reports the number of actions and segments of the transition. */
static inline void sty_rkh_sm_ntrnact(sty_rkh_t *rkh, uint32_t prio, const void *ao, uint8_t actions,
    uint8_t segments) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_SM, 7u)) && sty_rkh_object_on(rkh, prio)) {
        sty_rkh_args_ouu_(rkh, STY_RKH_ID(STY_RKH_SM, 7u), ao, actions, segments);
    }
}
/* A choice or another pseudostate is passed. */
static inline void sty_rkh_sm_ts_state(sty_rkh_t *rkh, uint32_t prio, const void *ao, const void *state) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_SM, 8u)) && sty_rkh_object_on(rkh, prio)) {
        sty_rkh_args_oo_(rkh, STY_RKH_ID(STY_RKH_SM, 8u), ao, state);
    }
}
/* The event has been processed. */
static inline void sty_rkh_sm_evt_proc(sty_rkh_t *rkh, uint32_t prio, const void *ao) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_SM, 9u)) && sty_rkh_object_on(rkh, prio)) {
        sty_rkh_args_o_(rkh, STY_RKH_ID(STY_RKH_SM, 9u), ao);
    }
}
/* The state does not handle the event. */
static inline void sty_rkh_sm_evt_nfound(sty_rkh_t *rkh, uint32_t prio, const void *ao, uint32_t sig) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_SM, 10u)) && sty_rkh_object_on(rkh, prio) && sty_rkh_signal_on(rkh, sig)) {
        sty_rkh_args_os_(rkh, STY_RKH_ID(STY_RKH_SM, 10u), ao, sig);
    }
}
/* A guard was false. */
static inline void sty_rkh_sm_grd_false(sty_rkh_t *rkh, uint32_t prio, const void *ao) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_SM, 11u)) && sty_rkh_object_on(rkh, prio)) {
        sty_rkh_args_o_(rkh, STY_RKH_ID(STY_RKH_SM, 11u), ao);
    }
}
/* No branch of a choice was true. */
static inline void sty_rkh_sm_cnd_nfound(sty_rkh_t *rkh, uint32_t prio, const void *ao) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_SM, 12u)) && sty_rkh_object_on(rkh, prio)) {
        sty_rkh_args_o_(rkh, STY_RKH_ID(STY_RKH_SM, 12u), ao);
    }
}
/* A state has an unknown kind. */
static inline void sty_rkh_sm_unkn_state(sty_rkh_t *rkh, uint32_t prio, const void *ao) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_SM, 13u)) && sty_rkh_object_on(rkh, prio)) {
        sty_rkh_args_o_(rkh, STY_RKH_ID(STY_RKH_SM, 13u), ao);
    }
}
/* States are nested too deeply. */
static inline void sty_rkh_sm_ex_hlevel(sty_rkh_t *rkh, uint32_t prio, const void *ao) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_SM, 14u)) && sty_rkh_object_on(rkh, prio)) {
        sty_rkh_args_o_(rkh, STY_RKH_ID(STY_RKH_SM, 14u), ao);
    }
}
/* A transition has too many segments. */
static inline void sty_rkh_sm_ex_tseg(sty_rkh_t *rkh, uint32_t prio, const void *ao) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_SM, 15u)) && sty_rkh_object_on(rkh, prio)) {
        sty_rkh_args_o_(rkh, STY_RKH_ID(STY_RKH_SM, 15u), ao);
    }
}
void sty_rkh_args_uoof_(sty_rkh_t *rkh, uint8_t id, uint8_t kind, const void *ao, const void *state,
    uintptr_t function);
/* A function is called; see the kinds above. */
static inline void sty_rkh_sm_exe_act(sty_rkh_t *rkh, uint32_t prio, uint8_t kind, const void *ao, const void *state,
    uintptr_t function) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_SM, 16u)) && sty_rkh_object_on(rkh, prio)) {
        sty_rkh_args_uoof_(rkh, STY_RKH_ID(STY_RKH_SM, 16u), kind, ao, state, function);
    }
}
void sty_rkh_args_oso_(sty_rkh_t *rkh, uint8_t id, const void *ao, uint32_t sig, const void *state);
/* The event is dispatched to the machine, which is in `state`. */
static inline void sty_rkh_sm_dch(sty_rkh_t *rkh, uint32_t prio, const void *ao, uint32_t sig, const void *state) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_SM, 17u)) && sty_rkh_object_on(rkh, prio) && sty_rkh_signal_on(rkh, sig)) {
        sty_rkh_args_oso_(rkh, STY_RKH_ID(STY_RKH_SM, 17u), ao, sig, state);
    }
}

/* Timers. Period 0: once. */

/* A timer that sends `sig`. */
static inline void sty_rkh_tmr_init(sty_rkh_t *rkh, const void *timer, uint32_t sig) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_TMR, 0u))) {
        sty_rkh_args_os_(rkh, STY_RKH_ID(STY_RKH_TMR, 0u), timer, sig);
    }
}
void sty_rkh_args_oott_(sty_rkh_t *rkh, uint8_t id, const void *timer, const void *ao, uint32_t ticks, uint32_t period);
/* A timer starts: it expires in `ticks`, then every `period`. */
static inline void sty_rkh_tmr_start(sty_rkh_t *rkh, const void *timer, const void *ao, uint32_t ticks,
    uint32_t period) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_TMR, 1u))) {
        sty_rkh_args_oott_(rkh, STY_RKH_ID(STY_RKH_TMR, 1u), timer, ao, ticks, period);
    }
}
void sty_rkh_args_ott_(sty_rkh_t *rkh, uint8_t id, const void *timer, uint32_t rest, uint32_t period);
/* A timer is stopped, `rest` ticks before it would expire. */
static inline void sty_rkh_tmr_stop(sty_rkh_t *rkh, const void *timer, uint32_t rest, uint32_t period) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_TMR, 2u))) {
        sty_rkh_args_ott_(rkh, STY_RKH_ID(STY_RKH_TMR, 2u), timer, rest, period);
    }
}
/* A timer expires and sends `sig` to `ao`. */
static inline void sty_rkh_tmr_tout(sty_rkh_t *rkh, uint32_t prio, const void *timer, uint32_t sig, const void *ao) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_TMR, 3u)) && sty_rkh_object_on(rkh, prio) && sty_rkh_signal_on(rkh, sig)) {
        sty_rkh_args_oso_(rkh, STY_RKH_ID(STY_RKH_TMR, 3u), timer, sig, ao);
    }
}
/* A timer is removed. */
static inline void sty_rkh_tmr_rem(sty_rkh_t *rkh, const void *timer) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_TMR, 4u))) {
        sty_rkh_args_o_(rkh, STY_RKH_ID(STY_RKH_TMR, 4u), timer);
    }
}

/* Framework. Pools are one-based in `fwk_epreg` and `fwk_gc`, zero-based in `fwk_ae` and `fwk_gcr`. */

void sty_rkh_args_none_(sty_rkh_t *rkh, uint8_t id);
/* The framework starts. */
static inline void sty_rkh_fwk_en(sty_rkh_t *rkh) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_FWK, 0u))) {
        sty_rkh_args_none_(rkh, STY_RKH_ID(STY_RKH_FWK, 0u));
    }
}
/* The framework exits. */
static inline void sty_rkh_fwk_ex(sty_rkh_t *rkh) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_FWK, 1u))) {
        sty_rkh_args_none_(rkh, STY_RKH_ID(STY_RKH_FWK, 1u));
    }
}
void sty_rkh_args_uleb_(sty_rkh_t *rkh, uint8_t id, uint8_t pool, uint32_t size, uint32_t event_size, uint32_t blocks);
/* An event pool: `size` bytes in `blocks` blocks of `event_size`. */
static inline void sty_rkh_fwk_epreg(sty_rkh_t *rkh, uint8_t pool, uint32_t size, uint32_t event_size,
    uint32_t blocks) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_FWK, 2u))) {
        sty_rkh_args_uleb_(rkh, STY_RKH_ID(STY_RKH_FWK, 2u), pool, size, event_size, blocks);
    }
}
void sty_rkh_args_esuubmo_(sty_rkh_t *rkh, uint8_t id, uint32_t event_size, uint32_t sig, uint8_t pool, uint8_t ref,
    uint32_t used, uint32_t min, const void *actor);
/* An event is allocated: `used` blocks of its pool are in use, `min` is the minimum number of free blocks so far. */
static inline void sty_rkh_fwk_ae(sty_rkh_t *rkh, uint32_t event_size, uint32_t sig, uint8_t pool, uint8_t ref,
    uint32_t used, uint32_t min, const void *actor) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_FWK, 3u))) {
        sty_rkh_args_esuubmo_(rkh, STY_RKH_ID(STY_RKH_FWK, 3u), event_size, sig, pool, ref, used, min, actor);
    }
}
void sty_rkh_args_suu_(sty_rkh_t *rkh, uint8_t id, uint32_t sig, uint8_t pool, uint8_t ref);
/* A reference is deleted; `ref` are left. */
static inline void sty_rkh_fwk_gc(sty_rkh_t *rkh, uint32_t sig, uint8_t pool, uint8_t ref) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_FWK, 4u))) {
        sty_rkh_args_suu_(rkh, STY_RKH_ID(STY_RKH_FWK, 4u), sig, pool, ref);
    }
}
void sty_rkh_args_suubmo_(sty_rkh_t *rkh, uint8_t id, uint32_t sig, uint8_t pool, uint8_t ref, uint32_t used,
    uint32_t min, const void *actor);
/* An event is returned to its pool. */
static inline void sty_rkh_fwk_gcr(sty_rkh_t *rkh, uint32_t sig, uint8_t pool, uint8_t ref, uint32_t used, uint32_t min,
    const void *actor) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_FWK, 5u))) {
        sty_rkh_args_suubmo_(rkh, STY_RKH_ID(STY_RKH_FWK, 5u), sig, pool, ref, used, min, actor);
    }
}
void sty_rkh_args_f_(sty_rkh_t *rkh, uint8_t id, uintptr_t function);
/* A function of the program is called. */
static inline void sty_rkh_fwk_exe_fun(sty_rkh_t *rkh, uintptr_t function) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_FWK, 9u))) {
        sty_rkh_args_f_(rkh, STY_RKH_ID(STY_RKH_FWK, 9u), function);
    }
}
void sty_rkh_args_fxx_(sty_rkh_t *rkh, uint8_t id, uintptr_t function, const void *sender, const void *receiver);
/* A function is called by one object for another, without a queue. */
static inline void sty_rkh_fwk_sync_evt(sty_rkh_t *rkh, uintptr_t function, const void *sender, const void *receiver) {
    if (sty_rkh_on(rkh, STY_RKH_ID(STY_RKH_FWK, 10u))) {
        sty_rkh_args_fxx_(rkh, STY_RKH_ID(STY_RKH_FWK, 10u), function, sender, receiver);
    }
}

/* The last record before the target stops. Passes every filter. */
void sty_rkh_fwk_assert(sty_rkh_t *rkh, const char *module, uint16_t line);

#ifdef __cplusplus
}
#endif

#endif
