/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The predefined records, one function per layout. In the names, t is the time stamp, o an object, f a function, s a
 * signal, e an event size, q a queue counter, p a pool counter, c a time-event counter, b a byte. */
#include "spytui/qs_rec.h"

#include "qs_pack.h"

void sty_qs_of_(sty_qs_t *qs, uint8_t rec, const void *object, uintptr_t state) {
    uint8_t frame[2 + STY_QS_OBJ_SIZE + STY_QS_FUN_SIZE];
    uint8_t *to = &frame[2];
    to = sty_pack_obj(to, object);
    to = sty_pack_fun(to, state);
    sty_qs_send_(qs, rec | STY_QS_UNTIMED, frame, to);
}

void sty_qs_off_(sty_qs_t *qs, uint8_t rec, const void *object, uintptr_t source, uintptr_t target) {
    uint8_t frame[2 + STY_QS_OBJ_SIZE + 2 * STY_QS_FUN_SIZE];
    uint8_t *to = &frame[2];
    to = sty_pack_obj(to, object);
    to = sty_pack_fun(to, source);
    to = sty_pack_fun(to, target);
    sty_qs_send_(qs, rec | STY_QS_UNTIMED, frame, to);
}

void sty_qs_tof_(sty_qs_t *qs, uint8_t rec, const void *object, uintptr_t state) {
    uint8_t frame[STY_QS_HEAD + STY_QS_OBJ_SIZE + STY_QS_FUN_SIZE];
    uint8_t *to = &frame[STY_QS_HEAD];
    to = sty_pack_obj(to, object);
    to = sty_pack_fun(to, state);
    sty_qs_send_(qs, rec, frame, to);
}

void sty_qs_tsof_(sty_qs_t *qs, uint8_t rec, uint32_t sig, const void *object, uintptr_t state) {
    uint8_t frame[STY_QS_HEAD + STY_QS_SIG_SIZE + STY_QS_OBJ_SIZE + STY_QS_FUN_SIZE];
    uint8_t *to = &frame[STY_QS_HEAD];
    to = sty_pack_sig(to, sig);
    to = sty_pack_obj(to, object);
    to = sty_pack_fun(to, state);
    sty_qs_send_(qs, rec, frame, to);
}

void sty_qs_tsoff_(sty_qs_t *qs, uint8_t rec, uint32_t sig, const void *object, uintptr_t source, uintptr_t target) {
    uint8_t frame[STY_QS_HEAD + STY_QS_SIG_SIZE + STY_QS_OBJ_SIZE + 2 * STY_QS_FUN_SIZE];
    uint8_t *to = &frame[STY_QS_HEAD];
    to = sty_pack_sig(to, sig);
    to = sty_pack_obj(to, object);
    to = sty_pack_fun(to, source);
    to = sty_pack_fun(to, target);
    sty_qs_send_(qs, rec, frame, to);
}

void sty_qs_sof_(sty_qs_t *qs, uint8_t rec, uint32_t sig, const void *object, uintptr_t state) {
    uint8_t frame[2 + STY_QS_SIG_SIZE + STY_QS_OBJ_SIZE + STY_QS_FUN_SIZE];
    uint8_t *to = &frame[2];
    to = sty_pack_sig(to, sig);
    to = sty_pack_obj(to, object);
    to = sty_pack_fun(to, state);
    sty_qs_send_(qs, rec | STY_QS_UNTIMED, frame, to);
}

void sty_qs_toosbb_(sty_qs_t *qs, uint8_t rec, const void *object, const void *queue, uint32_t sig, uint8_t pool,
    uint8_t ref) {
    uint8_t frame[STY_QS_HEAD + 2 * STY_QS_OBJ_SIZE + STY_QS_SIG_SIZE + 2];
    uint8_t *to = &frame[STY_QS_HEAD];
    to = sty_pack_obj(to, object);
    to = sty_pack_obj(to, queue);
    to = sty_pack_sig(to, sig);
    to = sty_pack_u8(to, pool);
    to = sty_pack_u8(to, ref);
    sty_qs_send_(qs, rec, frame, to);
}

void sty_qs_tso_(sty_qs_t *qs, uint8_t rec, uint32_t sig, const void *object) {
    uint8_t frame[STY_QS_HEAD + STY_QS_SIG_SIZE + STY_QS_OBJ_SIZE];
    uint8_t *to = &frame[STY_QS_HEAD];
    to = sty_pack_sig(to, sig);
    to = sty_pack_obj(to, object);
    sty_qs_send_(qs, rec, frame, to);
}

void sty_qs_tosobbqq_(sty_qs_t *qs, uint8_t rec, const void *sender, uint32_t sig, const void *object, uint8_t pool,
    uint8_t ref, uint32_t free, uint32_t min) {
    uint8_t frame[STY_QS_HEAD + 2 * STY_QS_OBJ_SIZE + STY_QS_SIG_SIZE + 2 + 2 * STY_QS_QUEUE_CTR_SIZE];
    uint8_t *to = &frame[STY_QS_HEAD];
    to = sty_pack_obj(to, sender);
    to = sty_pack_sig(to, sig);
    to = sty_pack_obj(to, object);
    to = sty_pack_u8(to, pool);
    to = sty_pack_u8(to, ref);
    to = sty_pack_queue(to, free);
    to = sty_pack_queue(to, min);
    sty_qs_send_(qs, rec, frame, to);
}

void sty_qs_tsobbqq_(sty_qs_t *qs, uint8_t rec, uint32_t sig, const void *object, uint8_t pool, uint8_t ref,
    uint32_t free, uint32_t min) {
    uint8_t frame[STY_QS_HEAD + STY_QS_SIG_SIZE + STY_QS_OBJ_SIZE + 2 + 2 * STY_QS_QUEUE_CTR_SIZE];
    uint8_t *to = &frame[STY_QS_HEAD];
    to = sty_pack_sig(to, sig);
    to = sty_pack_obj(to, object);
    to = sty_pack_u8(to, pool);
    to = sty_pack_u8(to, ref);
    to = sty_pack_queue(to, free);
    to = sty_pack_queue(to, min);
    sty_qs_send_(qs, rec, frame, to);
}

void sty_qs_tsobbq_(sty_qs_t *qs, uint8_t rec, uint32_t sig, const void *object, uint8_t pool, uint8_t ref,
    uint32_t free) {
    uint8_t frame[STY_QS_HEAD + STY_QS_SIG_SIZE + STY_QS_OBJ_SIZE + 2 + STY_QS_QUEUE_CTR_SIZE];
    uint8_t *to = &frame[STY_QS_HEAD];
    to = sty_pack_sig(to, sig);
    to = sty_pack_obj(to, object);
    to = sty_pack_u8(to, pool);
    to = sty_pack_u8(to, ref);
    to = sty_pack_queue(to, free);
    sty_qs_send_(qs, rec, frame, to);
}

void sty_qs_tsobb_(sty_qs_t *qs, uint8_t rec, uint32_t sig, const void *object, uint8_t pool, uint8_t ref) {
    uint8_t frame[STY_QS_HEAD + STY_QS_SIG_SIZE + STY_QS_OBJ_SIZE + 2];
    uint8_t *to = &frame[STY_QS_HEAD];
    to = sty_pack_sig(to, sig);
    to = sty_pack_obj(to, object);
    to = sty_pack_u8(to, pool);
    to = sty_pack_u8(to, ref);
    sty_qs_send_(qs, rec, frame, to);
}

void sty_qs_too_(sty_qs_t *qs, uint8_t rec, const void *object, const void *queue) {
    uint8_t frame[STY_QS_HEAD + 2 * STY_QS_OBJ_SIZE];
    uint8_t *to = &frame[STY_QS_HEAD];
    to = sty_pack_obj(to, object);
    to = sty_pack_obj(to, queue);
    sty_qs_send_(qs, rec, frame, to);
}

void sty_qs_tes_(sty_qs_t *qs, uint8_t rec, uint32_t size, uint32_t sig) {
    uint8_t frame[STY_QS_HEAD + STY_QS_EVENT_SIZE + STY_QS_SIG_SIZE];
    uint8_t *to = &frame[STY_QS_HEAD];
    to = sty_pack_event(to, size);
    to = sty_pack_sig(to, sig);
    sty_qs_send_(qs, rec, frame, to);
}

void sty_qs_topp_(sty_qs_t *qs, uint8_t rec, const void *pool, uint32_t free, uint32_t min) {
    uint8_t frame[STY_QS_HEAD + STY_QS_OBJ_SIZE + 2 * STY_QS_POOL_CTR_SIZE];
    uint8_t *to = &frame[STY_QS_HEAD];
    to = sty_pack_obj(to, pool);
    to = sty_pack_pool(to, free);
    to = sty_pack_pool(to, min);
    sty_qs_send_(qs, rec, frame, to);
}

void sty_qs_top_(sty_qs_t *qs, uint8_t rec, const void *pool, uint32_t free) {
    uint8_t frame[STY_QS_HEAD + STY_QS_OBJ_SIZE + STY_QS_POOL_CTR_SIZE];
    uint8_t *to = &frame[STY_QS_HEAD];
    to = sty_pack_obj(to, pool);
    to = sty_pack_pool(to, free);
    sty_qs_send_(qs, rec, frame, to);
}

void sty_qs_tosbb_(sty_qs_t *qs, uint8_t rec, const void *sender, uint32_t sig, uint8_t pool, uint8_t ref) {
    uint8_t frame[STY_QS_HEAD + STY_QS_OBJ_SIZE + STY_QS_SIG_SIZE + 2];
    uint8_t *to = &frame[STY_QS_HEAD];
    to = sty_pack_obj(to, sender);
    to = sty_pack_sig(to, sig);
    to = sty_pack_u8(to, pool);
    to = sty_pack_u8(to, ref);
    sty_qs_send_(qs, rec, frame, to);
}

void sty_qs_tsbb_(sty_qs_t *qs, uint8_t rec, uint32_t sig, uint8_t pool, uint8_t ref) {
    uint8_t frame[STY_QS_HEAD + STY_QS_SIG_SIZE + 2];
    uint8_t *to = &frame[STY_QS_HEAD];
    to = sty_pack_sig(to, sig);
    to = sty_pack_u8(to, pool);
    to = sty_pack_u8(to, ref);
    sty_qs_send_(qs, rec, frame, to);
}

void sty_qs_cb_(sty_qs_t *qs, uint8_t rec, uint32_t count, uint8_t rate) {
    uint8_t frame[2 + STY_QS_TIMEEVT_CTR_SIZE + 1];
    uint8_t *to = &frame[2];
    to = sty_pack_timeevt(to, count);
    to = sty_pack_u8(to, rate);
    sty_qs_send_(qs, rec | STY_QS_UNTIMED, frame, to);
}

void sty_qs_tooccb_(sty_qs_t *qs, uint8_t rec, const void *timeevt, const void *object, uint32_t count,
    uint32_t interval, uint8_t rate) {
    uint8_t frame[STY_QS_HEAD + 2 * STY_QS_OBJ_SIZE + 2 * STY_QS_TIMEEVT_CTR_SIZE + 1];
    uint8_t *to = &frame[STY_QS_HEAD];
    to = sty_pack_obj(to, timeevt);
    to = sty_pack_obj(to, object);
    to = sty_pack_timeevt(to, count);
    to = sty_pack_timeevt(to, interval);
    to = sty_pack_u8(to, rate);
    sty_qs_send_(qs, rec, frame, to);
}

void sty_qs_oob_(sty_qs_t *qs, uint8_t rec, const void *timeevt, const void *object, uint8_t rate) {
    uint8_t frame[2 + 2 * STY_QS_OBJ_SIZE + 1];
    uint8_t *to = &frame[2];
    to = sty_pack_obj(to, timeevt);
    to = sty_pack_obj(to, object);
    to = sty_pack_u8(to, rate);
    sty_qs_send_(qs, rec | STY_QS_UNTIMED, frame, to);
}

void sty_qs_toob_(sty_qs_t *qs, uint8_t rec, const void *timeevt, const void *object, uint8_t rate) {
    uint8_t frame[STY_QS_HEAD + 2 * STY_QS_OBJ_SIZE + 1];
    uint8_t *to = &frame[STY_QS_HEAD];
    to = sty_pack_obj(to, timeevt);
    to = sty_pack_obj(to, object);
    to = sty_pack_u8(to, rate);
    sty_qs_send_(qs, rec, frame, to);
}

void sty_qs_tooccbb_(sty_qs_t *qs, uint8_t rec, const void *timeevt, const void *object, uint32_t count,
    uint32_t interval, uint8_t rate, uint8_t was_armed) {
    uint8_t frame[STY_QS_HEAD + 2 * STY_QS_OBJ_SIZE + 2 * STY_QS_TIMEEVT_CTR_SIZE + 2];
    uint8_t *to = &frame[STY_QS_HEAD];
    to = sty_pack_obj(to, timeevt);
    to = sty_pack_obj(to, object);
    to = sty_pack_timeevt(to, count);
    to = sty_pack_timeevt(to, interval);
    to = sty_pack_u8(to, rate);
    to = sty_pack_u8(to, was_armed);
    sty_qs_send_(qs, rec, frame, to);
}

void sty_qs_tosob_(sty_qs_t *qs, uint8_t rec, const void *timeevt, uint32_t sig, const void *object, uint8_t rate) {
    uint8_t frame[STY_QS_HEAD + 2 * STY_QS_OBJ_SIZE + STY_QS_SIG_SIZE + 1];
    uint8_t *to = &frame[STY_QS_HEAD];
    to = sty_pack_obj(to, timeevt);
    to = sty_pack_sig(to, sig);
    to = sty_pack_obj(to, object);
    to = sty_pack_u8(to, rate);
    sty_qs_send_(qs, rec, frame, to);
}

void sty_qs_tb_(sty_qs_t *qs, uint8_t rec, uint8_t value) {
    uint8_t frame[STY_QS_HEAD + 1];
    uint8_t *to = &frame[STY_QS_HEAD];
    to = sty_pack_u8(to, value);
    sty_qs_send_(qs, rec, frame, to);
}

void sty_qs_tbb_(sty_qs_t *qs, uint8_t rec, uint8_t first, uint8_t second) {
    uint8_t frame[STY_QS_HEAD + 2];
    uint8_t *to = &frame[STY_QS_HEAD];
    to = sty_pack_u8(to, first);
    to = sty_pack_u8(to, second);
    sty_qs_send_(qs, rec, frame, to);
}

void sty_qs_tobb_(sty_qs_t *qs, uint8_t rec, const void *object, uint8_t first, uint8_t second) {
    uint8_t frame[STY_QS_HEAD + STY_QS_OBJ_SIZE + 2];
    uint8_t *to = &frame[STY_QS_HEAD];
    to = sty_pack_obj(to, object);
    to = sty_pack_u8(to, first);
    to = sty_pack_u8(to, second);
    sty_qs_send_(qs, rec, frame, to);
}

void sty_qs_run(sty_qs_t *qs) {
    uint8_t frame[2];
    sty_qs_send_(qs, 70 | STY_QS_UNTIMED, frame, frame + sizeof frame);
}

void sty_qs_assert(sty_qs_t *qs, const char *module, uint16_t location) {
    sty_ring_abandon(qs->ring);
    uint8_t frame[STY_QS_HEAD + 2];
    const uint8_t *to = sty_pack(&frame[STY_QS_HEAD], location, 2);
    sty_qs_send_(qs, 69 | STY_QS_URGENT | STY_QS_MORE, frame, to);
    const uint8_t *text = (const uint8_t *)module;
    sty_qs_close_(qs, text, sty_text_end(text));
}
