/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Names. */
#include "rkh_pack.h"

enum { OBJ = 6, SIG, FUN, TUSR = 11, AO = 14, STATE, PSTATE, TIMER, EPOOL, QUEUE, ACTOR };

/* The last part of a name record. A name made from an expression may begin with an ampersand. */
static void close_with_name(sty_rkh_t *rkh, const uint8_t *frame, const uint8_t *to, const char *name) {
    sty_rkh_part_(rkh, frame, to);
    sty_rkh_text_(rkh, *name == '&' ? name + 1 : name);
    sty_rkh_end(rkh);
}

static void name_address(sty_rkh_t *rkh, uint32_t event, uintptr_t address, const char *name) {
    uint8_t frame[STY_RKH_FRAME];
    uint8_t *to = sty_rkh_open_(rkh, STY_RKH_ID(STY_RKH_FWK, event), frame);
    close_with_name(rkh, frame, sty_pack(to, address, STY_RKH_PTR_SIZE), name);
}

static void name_number(sty_rkh_t *rkh, uint32_t event, uint8_t number, const char *name) {
    uint8_t frame[STY_RKH_FRAME];
    uint8_t *to = sty_rkh_open_(rkh, STY_RKH_ID(STY_RKH_FWK, event), frame);
    close_with_name(rkh, frame, sty_pack_u8(to, number), name);
}

static void name_of_ao(sty_rkh_t *rkh, uint32_t event, const void *ao, const void *state, const char *name) {
    uint8_t frame[STY_RKH_FRAME];
    uint8_t *to = sty_rkh_open_(rkh, STY_RKH_ID(STY_RKH_FWK, event), frame);
    close_with_name(rkh, frame, sty_rkh_pack_obj(sty_rkh_pack_obj(to, ao), state), name);
}

void sty_rkh_name_obj(sty_rkh_t *rkh, const void *object, const char *name) {
    name_address(rkh, OBJ, (uintptr_t)object, name);
}

void sty_rkh_name_ao(sty_rkh_t *rkh, const void *object, const char *name) {
    name_address(rkh, AO, (uintptr_t)object, name);
}

void sty_rkh_name_timer(sty_rkh_t *rkh, const void *timer, const char *name) {
    name_address(rkh, TIMER, (uintptr_t)timer, name);
}

void sty_rkh_name_queue(sty_rkh_t *rkh, const void *queue, const char *name) {
    name_address(rkh, QUEUE, (uintptr_t)queue, name);
}

void sty_rkh_name_actor(sty_rkh_t *rkh, const void *actor, const char *name) {
    name_address(rkh, ACTOR, (uintptr_t)actor, name);
}

void sty_rkh_name_fun(sty_rkh_t *rkh, uintptr_t function, const char *name) {
    name_address(rkh, FUN, function, name);
}

void sty_rkh_name_state(sty_rkh_t *rkh, const void *ao, const void *state, const char *name) {
    name_of_ao(rkh, STATE, ao, state, name);
}

void sty_rkh_name_pstate(sty_rkh_t *rkh, const void *ao, const void *state, const char *name) {
    name_of_ao(rkh, PSTATE, ao, state, name);
}

void sty_rkh_name_sig(sty_rkh_t *rkh, uint32_t sig, const char *name) {
    uint8_t frame[STY_RKH_FRAME];
    uint8_t *to = sty_rkh_open_(rkh, STY_RKH_ID(STY_RKH_FWK, SIG), frame);
    close_with_name(rkh, frame, sty_rkh_pack_sig(to, sig), name);
}

void sty_rkh_name_usr(sty_rkh_t *rkh, uint8_t event, const char *name) {
    name_number(rkh, TUSR, event, name);
}

void sty_rkh_name_pool(sty_rkh_t *rkh, uint8_t pool, const char *name) {
    name_number(rkh, EPOOL, pool, name);
}
