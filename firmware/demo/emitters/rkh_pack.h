/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Private to the RKH emitter: a frame is collected on the stack and stuffed in one go. */
#ifndef SPYTUI_RKH_PACK_H
#define SPYTUI_RKH_PACK_H

#include "pack.h"
#include "spytui/rkh.h"

/* Start of a frame: id, number, time stamp. */
#define STY_RKH_HEAD (1u + (STY_RKH_NSEQ ? 1u : 0u) + (STY_RKH_TIME ? STY_RKH_TIME_SIZE : 0u))
/* Room for the longest event without text. */
#define STY_RKH_FRAME (STY_RKH_HEAD + 22u)

/* Ways to open a frame, added to the id. */
enum {
    STY_RKH_BARE = 0x100,  /* neither number nor time stamp */
    STY_RKH_URGENT = 0x200 /* may use the reserved bytes of the ring */
};

/* Takes the lock, writes the start of the frame to `to`; returns where the arguments begin. */
uint8_t *sty_rkh_open_(sty_rkh_t *rkh, uint32_t id, uint8_t *to);
/* Sends the bytes from `from` to `to`. */
STY_INLINE void sty_rkh_part_(sty_rkh_t *rkh, const uint8_t *from, const uint8_t *to) {
    sty_hdlc_put(rkh->ring, from, to);
}
/* Sends the bytes as the last part of the frame. */
void sty_rkh_close_(sty_rkh_t *rkh, const uint8_t *from, const uint8_t *to);
/* Sends a text with its end. */
void sty_rkh_text_(sty_rkh_t *rkh, const char *text);

STY_INLINE uint8_t *sty_rkh_pack_obj(uint8_t *to, const void *object) {
    return sty_pack(to, (uintptr_t)object, STY_RKH_PTR_SIZE);
}
STY_INLINE uint8_t *sty_rkh_pack_fun(uint8_t *to, uintptr_t function) {
    return sty_pack(to, function, STY_RKH_PTR_SIZE);
}
STY_INLINE uint8_t *sty_rkh_pack_sig(uint8_t *to, uint32_t sig) {
    return sty_pack(to, sig, STY_RKH_SIG_SIZE);
}
STY_INLINE uint8_t *sty_rkh_pack_nelem(uint8_t *to, uint32_t count) {
    return sty_pack(to, count, STY_RKH_NELEM_SIZE);
}
STY_INLINE uint8_t *sty_rkh_pack_nblock(uint8_t *to, uint32_t count) {
    return sty_pack(to, count, STY_RKH_NBLOCK_SIZE);
}
STY_INLINE uint8_t *sty_rkh_pack_ticks(uint8_t *to, uint32_t ticks) {
    return sty_pack(to, ticks, STY_RKH_NTIMER_SIZE);
}
/* Arguments that a configuration may omit. */
STY_INLINE uint8_t *sty_rkh_pack_sender(uint8_t *to, const void *sender) {
    return STY_RKH_SENDER ? sty_rkh_pack_obj(to, sender) : to;
}
STY_INLINE uint8_t *sty_rkh_pack_que_min(uint8_t *to, uint32_t min) {
    return STY_RKH_QUE_LWMARK ? sty_rkh_pack_nelem(to, min) : to;
}
STY_INLINE uint8_t *sty_rkh_pack_mp_min(uint8_t *to, uint32_t min) {
    return STY_RKH_MP_LWMARK ? sty_rkh_pack_nblock(to, min) : to;
}

#endif
