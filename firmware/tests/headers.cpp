// SPDX-License-Identifier: MIT OR Apache-2.0
// Uses all headers, and their macros where they expand in the application, in C++ with the application's warnings about
// casts.
#define STY_BASEPRI 0x40u
#define STY_CORE() 0u
#define STY_MASK() 0u
#define STY_UNMASK(state) static_cast<void>(state)
#include "headers.h" // found by the build

#include "qp_glue.h"
#include "rkh_glue.h"
#include "tband_glue.h"

void of_qs(sty_qs_t *qs);
void of_qs(sty_qs_t *qs) {
    static const sty_qs_target_t target = {
        734, false, STY_QS_TARGET(8, 1, 1, 26, 11, 22, 12, 0, 0), 0, sty_qs_info_7};
    sty_qs_init(qs, qs->ring, &target);
    STY_QS_BEGIN(qs, STY_QS_USER, 1)
        sty_qs_i16(qs, 4, -1);
        sty_qs_i64(qs, 4, -1);
    STY_QS_END(qs)
    sty_qs_post(qs, 1, qs, 4, qs, 0, 0, 1, 1);
}

void of_ring(sty_ring_t *ring, const sty_env_t *env, void *mem, uint8_t *bits);
void of_ring(sty_ring_t *ring, const sty_env_t *env, void *mem, uint8_t *bits) {
    STY_SET_BITS(bits, 1u);
    STY_CLEAR_BITS(bits, 1u);
    sty_ring_init_latest(ring, env, mem, 256, STY_RING_ENDS_IN(STY_HDLC_FLAG));
}
