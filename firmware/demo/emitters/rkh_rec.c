/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The predefined events, one function per layout. In the names, o is an object, f a function, s a signal, x a
 * sender, n a number of queue elements and w their low watermark, b a number of blocks and m their low watermark, k
 * a block size, e an event size, t a number of ticks, u a byte, l 32 bits. */
#include "spytui/rkh_rec.h"

#include "rkh_pack.h"

void sty_rkh_args_obk_(sty_rkh_t *rkh, uint8_t id, const void *pool, uint32_t blocks, uint32_t block_size) {
    uint8_t frame[STY_RKH_FRAME];
    uint8_t *to = sty_rkh_open_(rkh, id, frame);
    to = sty_rkh_pack_obj(to, pool);
    to = sty_rkh_pack_nblock(to, blocks);
    to = sty_pack(to, block_size, STY_RKH_BSIZE_SIZE);
    sty_rkh_close_(rkh, frame, to);
}

void sty_rkh_args_obm_(sty_rkh_t *rkh, uint8_t id, const void *pool, uint32_t free, uint32_t min) {
    uint8_t frame[STY_RKH_FRAME];
    uint8_t *to = sty_rkh_open_(rkh, id, frame);
    to = sty_rkh_pack_obj(to, pool);
    to = sty_rkh_pack_nblock(to, free);
    to = sty_rkh_pack_mp_min(to, min);
    sty_rkh_close_(rkh, frame, to);
}

void sty_rkh_args_ob_(sty_rkh_t *rkh, uint8_t id, const void *pool, uint32_t free) {
    uint8_t frame[STY_RKH_FRAME];
    uint8_t *to = sty_rkh_open_(rkh, id, frame);
    to = sty_rkh_pack_obj(to, pool);
    to = sty_rkh_pack_nblock(to, free);
    sty_rkh_close_(rkh, frame, to);
}

void sty_rkh_args_oon_(sty_rkh_t *rkh, uint8_t id, const void *queue, const void *owner, uint32_t size) {
    uint8_t frame[STY_RKH_FRAME];
    uint8_t *to = sty_rkh_open_(rkh, id, frame);
    to = sty_rkh_pack_obj(to, queue);
    to = sty_rkh_pack_obj(to, owner);
    to = sty_rkh_pack_nelem(to, size);
    sty_rkh_close_(rkh, frame, to);
}

void sty_rkh_args_on_(sty_rkh_t *rkh, uint8_t id, const void *queue, uint32_t count) {
    uint8_t frame[STY_RKH_FRAME];
    uint8_t *to = sty_rkh_open_(rkh, id, frame);
    to = sty_rkh_pack_obj(to, queue);
    to = sty_rkh_pack_nelem(to, count);
    sty_rkh_close_(rkh, frame, to);
}

void sty_rkh_args_onw_(sty_rkh_t *rkh, uint8_t id, const void *queue, uint32_t count, uint32_t min) {
    uint8_t frame[STY_RKH_FRAME];
    uint8_t *to = sty_rkh_open_(rkh, id, frame);
    to = sty_rkh_pack_obj(to, queue);
    to = sty_rkh_pack_nelem(to, count);
    to = sty_rkh_pack_que_min(to, min);
    sty_rkh_close_(rkh, frame, to);
}

void sty_rkh_args_o_(sty_rkh_t *rkh, uint8_t id, const void *queue) {
    uint8_t frame[STY_RKH_FRAME];
    uint8_t *to = sty_rkh_open_(rkh, id, frame);
    to = sty_rkh_pack_obj(to, queue);
    sty_rkh_close_(rkh, frame, to);
}

void sty_rkh_args_ouu_(sty_rkh_t *rkh, uint8_t id, const void *ao, uint8_t prio, uint8_t queue_size) {
    uint8_t frame[STY_RKH_FRAME];
    uint8_t *to = sty_rkh_open_(rkh, id, frame);
    to = sty_rkh_pack_obj(to, ao);
    to = sty_pack_u8(to, prio);
    to = sty_pack_u8(to, queue_size);
    sty_rkh_close_(rkh, frame, to);
}

void sty_rkh_args_ou_(sty_rkh_t *rkh, uint8_t id, const void *ao, uint8_t prio) {
    uint8_t frame[STY_RKH_FRAME];
    uint8_t *to = sty_rkh_open_(rkh, id, frame);
    to = sty_rkh_pack_obj(to, ao);
    to = sty_pack_u8(to, prio);
    sty_rkh_close_(rkh, frame, to);
}

void sty_rkh_args_osuunw_(sty_rkh_t *rkh, uint8_t id, const void *ao, uint32_t sig, uint8_t pool, uint8_t ref,
    uint32_t count, uint32_t min) {
    uint8_t frame[STY_RKH_FRAME];
    uint8_t *to = sty_rkh_open_(rkh, id, frame);
    to = sty_rkh_pack_obj(to, ao);
    to = sty_rkh_pack_sig(to, sig);
    to = sty_pack_u8(to, pool);
    to = sty_pack_u8(to, ref);
    to = sty_rkh_pack_nelem(to, count);
    to = sty_rkh_pack_que_min(to, min);
    sty_rkh_close_(rkh, frame, to);
}

void sty_rkh_args_osxuunw_(sty_rkh_t *rkh, uint8_t id, const void *ao, uint32_t sig, const void *sender, uint8_t pool,
    uint8_t ref, uint32_t count, uint32_t min) {
    uint8_t frame[STY_RKH_FRAME];
    uint8_t *to = sty_rkh_open_(rkh, id, frame);
    to = sty_rkh_pack_obj(to, ao);
    to = sty_rkh_pack_sig(to, sig);
    to = sty_rkh_pack_sender(to, sender);
    to = sty_pack_u8(to, pool);
    to = sty_pack_u8(to, ref);
    to = sty_rkh_pack_nelem(to, count);
    to = sty_rkh_pack_que_min(to, min);
    sty_rkh_close_(rkh, frame, to);
}

void sty_rkh_args_os_(sty_rkh_t *rkh, uint8_t id, const void *queue, uint32_t sig) {
    uint8_t frame[STY_RKH_FRAME];
    uint8_t *to = sty_rkh_open_(rkh, id, frame);
    to = sty_rkh_pack_obj(to, queue);
    to = sty_rkh_pack_sig(to, sig);
    sty_rkh_close_(rkh, frame, to);
}

void sty_rkh_args_oo_(sty_rkh_t *rkh, uint8_t id, const void *ao, const void *state) {
    uint8_t frame[STY_RKH_FRAME];
    uint8_t *to = sty_rkh_open_(rkh, id, frame);
    to = sty_rkh_pack_obj(to, ao);
    to = sty_rkh_pack_obj(to, state);
    sty_rkh_close_(rkh, frame, to);
}

void sty_rkh_args_ooo_(sty_rkh_t *rkh, uint8_t id, const void *ao, const void *source, const void *target) {
    uint8_t frame[STY_RKH_FRAME];
    uint8_t *to = sty_rkh_open_(rkh, id, frame);
    to = sty_rkh_pack_obj(to, ao);
    to = sty_rkh_pack_obj(to, source);
    to = sty_rkh_pack_obj(to, target);
    sty_rkh_close_(rkh, frame, to);
}

void sty_rkh_args_uoof_(sty_rkh_t *rkh, uint8_t id, uint8_t kind, const void *ao, const void *state,
    uintptr_t function) {
    uint8_t frame[STY_RKH_FRAME];
    uint8_t *to = sty_rkh_open_(rkh, id, frame);
    to = sty_pack_u8(to, kind);
    to = sty_rkh_pack_obj(to, ao);
    to = sty_rkh_pack_obj(to, state);
    to = sty_rkh_pack_fun(to, function);
    sty_rkh_close_(rkh, frame, to);
}

void sty_rkh_args_oso_(sty_rkh_t *rkh, uint8_t id, const void *ao, uint32_t sig, const void *state) {
    uint8_t frame[STY_RKH_FRAME];
    uint8_t *to = sty_rkh_open_(rkh, id, frame);
    to = sty_rkh_pack_obj(to, ao);
    to = sty_rkh_pack_sig(to, sig);
    to = sty_rkh_pack_obj(to, state);
    sty_rkh_close_(rkh, frame, to);
}

void sty_rkh_args_oott_(sty_rkh_t *rkh, uint8_t id, const void *timer, const void *ao, uint32_t ticks,
    uint32_t period) {
    uint8_t frame[STY_RKH_FRAME];
    uint8_t *to = sty_rkh_open_(rkh, id, frame);
    to = sty_rkh_pack_obj(to, timer);
    to = sty_rkh_pack_obj(to, ao);
    to = sty_rkh_pack_ticks(to, ticks);
    to = sty_rkh_pack_ticks(to, period);
    sty_rkh_close_(rkh, frame, to);
}

void sty_rkh_args_ott_(sty_rkh_t *rkh, uint8_t id, const void *timer, uint32_t rest, uint32_t period) {
    uint8_t frame[STY_RKH_FRAME];
    uint8_t *to = sty_rkh_open_(rkh, id, frame);
    to = sty_rkh_pack_obj(to, timer);
    to = sty_rkh_pack_ticks(to, rest);
    to = sty_rkh_pack_ticks(to, period);
    sty_rkh_close_(rkh, frame, to);
}

void sty_rkh_args_none_(sty_rkh_t *rkh, uint8_t id) {
    uint8_t frame[STY_RKH_FRAME];
    const uint8_t *to = sty_rkh_open_(rkh, id, frame);
    sty_rkh_close_(rkh, frame, to);
}

void sty_rkh_args_uleb_(sty_rkh_t *rkh, uint8_t id, uint8_t pool, uint32_t size, uint32_t event_size, uint32_t blocks) {
    uint8_t frame[STY_RKH_FRAME];
    uint8_t *to = sty_rkh_open_(rkh, id, frame);
    to = sty_pack_u8(to, pool);
    to = sty_pack(to, size, 4);
    to = sty_pack(to, event_size, STY_RKH_ESIZE_SIZE);
    to = sty_rkh_pack_nblock(to, blocks);
    sty_rkh_close_(rkh, frame, to);
}

void sty_rkh_args_esuubmo_(sty_rkh_t *rkh, uint8_t id, uint32_t event_size, uint32_t sig, uint8_t pool, uint8_t ref,
    uint32_t used, uint32_t min, const void *actor) {
    uint8_t frame[STY_RKH_FRAME];
    uint8_t *to = sty_rkh_open_(rkh, id, frame);
    to = sty_pack(to, event_size, STY_RKH_ESIZE_SIZE);
    to = sty_rkh_pack_sig(to, sig);
    to = sty_pack_u8(to, pool);
    to = sty_pack_u8(to, ref);
    to = sty_rkh_pack_nblock(to, used);
    to = sty_rkh_pack_mp_min(to, min);
    to = sty_rkh_pack_obj(to, actor);
    sty_rkh_close_(rkh, frame, to);
}

void sty_rkh_args_suu_(sty_rkh_t *rkh, uint8_t id, uint32_t sig, uint8_t pool, uint8_t ref) {
    uint8_t frame[STY_RKH_FRAME];
    uint8_t *to = sty_rkh_open_(rkh, id, frame);
    to = sty_rkh_pack_sig(to, sig);
    to = sty_pack_u8(to, pool);
    to = sty_pack_u8(to, ref);
    sty_rkh_close_(rkh, frame, to);
}

void sty_rkh_args_suubmo_(sty_rkh_t *rkh, uint8_t id, uint32_t sig, uint8_t pool, uint8_t ref, uint32_t used,
    uint32_t min, const void *actor) {
    uint8_t frame[STY_RKH_FRAME];
    uint8_t *to = sty_rkh_open_(rkh, id, frame);
    to = sty_rkh_pack_sig(to, sig);
    to = sty_pack_u8(to, pool);
    to = sty_pack_u8(to, ref);
    to = sty_rkh_pack_nblock(to, used);
    to = sty_rkh_pack_mp_min(to, min);
    to = sty_rkh_pack_obj(to, actor);
    sty_rkh_close_(rkh, frame, to);
}

void sty_rkh_args_f_(sty_rkh_t *rkh, uint8_t id, uintptr_t function) {
    uint8_t frame[STY_RKH_FRAME];
    uint8_t *to = sty_rkh_open_(rkh, id, frame);
    to = sty_rkh_pack_fun(to, function);
    sty_rkh_close_(rkh, frame, to);
}

void sty_rkh_args_fxx_(sty_rkh_t *rkh, uint8_t id, uintptr_t function, const void *sender, const void *receiver) {
    uint8_t frame[STY_RKH_FRAME];
    uint8_t *to = sty_rkh_open_(rkh, id, frame);
    to = sty_rkh_pack_fun(to, function);
    to = sty_rkh_pack_sender(to, sender);
    to = sty_rkh_pack_sender(to, receiver);
    sty_rkh_close_(rkh, frame, to);
}

void sty_rkh_fwk_assert(sty_rkh_t *rkh, const char *module, uint16_t line) {
    uint8_t frame[STY_RKH_FRAME];
    const uint8_t *to = sty_rkh_open_(rkh, STY_RKH_ID(STY_RKH_FWK, 13u) | STY_RKH_URGENT, frame);
    sty_rkh_part_(rkh, frame, to);
    sty_rkh_text_(rkh, module);
    sty_rkh_close_(rkh, frame, sty_pack(frame, line, 2));
}
