/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Names. */
#include "qs_pack.h"

enum { REC_ENUM = 54, REC_SIG = 60, REC_OBJ = 61, REC_FUN = 62, REC_USR = 63 };

/* The last part of a dictionary record. A name made from an expression may begin with an ampersand. */
STY_INLINE void close_with_name(sty_qs_t *qs, const char *name) {
    const uint8_t *from = (const uint8_t *)name;
    STY_ASSERT(name != NULL);
    if (*from == '&') {
        from++;
    }
    sty_qs_close_(qs, from, sty_text_end(from));
}

/* Size of the key, added to the record id with the ways to send it. */
#define KEY(size) ((uint32_t)(size) << 11 | STY_QS_UNTIMED | STY_QS_MORE)

/* Names may displace what a reset left. */
STY_INLINE uint32_t urgency(const sty_qs_t *qs) {
    return sty_ring_is_restarted_(qs->ring) ? STY_QS_URGENT : 0u;
}

/* A key and its name. */
static void dict(sty_qs_t *qs, uintptr_t key, const char *name, uint32_t rec) {
    uint8_t frame[2 + sizeof key];
    (void)sty_pack(&frame[2], key, sizeof key);
    sty_qs_send_(qs, rec | urgency(qs), frame, &frame[2u + (rec >> 11)]);
    close_with_name(qs, name);
}

void sty_qs_sig_dict(sty_qs_t *qs, uint32_t sig, const void *object, const char *name) {
    uint8_t frame[2 + STY_QS_SIG_SIZE + STY_QS_OBJ_SIZE];
    sty_qs_send_(qs, REC_SIG | STY_QS_UNTIMED | STY_QS_MORE | urgency(qs), frame, sty_pack_obj(sty_pack_sig(&frame[2], sig), object));
    close_with_name(qs, name);
}

void sty_qs_obj_dict(sty_qs_t *qs, const void *object, const char *name) {
    dict(qs, (uintptr_t)object, name, REC_OBJ | KEY(STY_QS_OBJ_SIZE));
}

void sty_qs_fun_dict(sty_qs_t *qs, uintptr_t function, const char *name) {
    dict(qs, function, name, REC_FUN | KEY(STY_QS_FUN_SIZE));
}

void sty_qs_usr_dict(sty_qs_t *qs, uint8_t rec, const char *name) {
    dict(qs, rec, name, REC_USR | KEY(1));
}

void sty_qs_enum_dict(sty_qs_t *qs, uint8_t value, uint8_t group, const char *name) {
    dict(qs, (uintptr_t)(value | (unsigned)group << 8), name, REC_ENUM | KEY(2));
}
