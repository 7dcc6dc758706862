/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Private to the QS emitter: a frame is collected on the stack before the lock is taken, and stuffed in one go. A user
 * record, whose elements come one by one, is stuffed piece by piece. */
#ifndef SPYTUI_QS_PACK_H
#define SPYTUI_QS_PACK_H

#include "pack.h"
#include "spytui/qs.h"

/* Start of a frame: number, record id and time stamp. */
#define STY_QS_HEAD (2u + STY_QS_TIME_SIZE)

/* Ways to send a frame, added to the record id; a user record has IS_OPEN and URGENT only, others all but IS_OPEN. */
enum {
    STY_QS_UNTIMED = 0x100, /* without a time stamp */
    STY_QS_IS_OPEN = 0x200, /* the ring has opened it */
    STY_QS_MORE = 0x400,    /* does not close it: more follows */
    STY_QS_URGENT = 0x8000  /* an answer: may use the reserved bytes of the ring */
};

/* Takes the lock, writes number, id and time stamp before the payload, which begins at `frame[STY_QS_HEAD]`, or at
 * `frame[2]` without a time stamp, and sends everything up to `to`, or nothing yet if that is NULL. */
void sty_qs_send_(sty_qs_t *qs, uint32_t rec, uint8_t *frame, const uint8_t *to);
/* Sends the bytes from `from` to `to`. */
STY_INLINE void sty_qs_part_(sty_qs_t *qs, const uint8_t *from, const uint8_t *to) {
    sty_hdlc_put(qs->ring, from, to);
}
/* Sends the bytes as the last part of the frame. */
STY_INLINE void sty_qs_close_(sty_qs_t *qs, const uint8_t *from, const uint8_t *to) {
    sty_qs_part_(qs, from, to);
    sty_qs_end(qs);
}

STY_INLINE uint8_t *sty_pack_sig(uint8_t *to, uint32_t sig) {
    return sty_pack(to, sig, STY_QS_SIG_SIZE);
}
STY_INLINE uint8_t *sty_pack_obj(uint8_t *to, const void *object) {
    return sty_pack(to, (uintptr_t)object, STY_QS_OBJ_SIZE);
}
STY_INLINE uint8_t *sty_pack_fun(uint8_t *to, uintptr_t function) {
    return sty_pack(to, function, STY_QS_FUN_SIZE);
}
STY_INLINE uint8_t *sty_pack_event(uint8_t *to, uint32_t size) {
    return sty_pack(to, size, STY_QS_EVENT_SIZE);
}
STY_INLINE uint8_t *sty_pack_queue(uint8_t *to, uint32_t count) {
    return sty_pack(to, count, STY_QS_QUEUE_CTR_SIZE);
}
STY_INLINE uint8_t *sty_pack_pool(uint8_t *to, uint32_t count) {
    return sty_pack(to, count, STY_QS_POOL_CTR_SIZE);
}
STY_INLINE uint8_t *sty_pack_timeevt(uint8_t *to, uint32_t count) {
    return sty_pack(to, count, STY_QS_TIMEEVT_CTR_SIZE);
}

#endif
