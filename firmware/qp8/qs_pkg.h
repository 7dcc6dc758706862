/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* For kernel sources: records and their fields, inside the kernel's critical section. The functions are not inlined,
 * because a kernel has about two hundred fields. */
#ifndef QS_PKG_H_
#define QS_PKG_H_

#include "qs.h"
#include "qs_sizes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Opens a record, without a time stamp. */
void sty_qp8_begin_(uint8_t rec);
void sty_qp8_end_(void);
void sty_qp8_time_(void);
/* The low `size` bytes of a number. */
void sty_qp8_number_(uint32_t number, uint32_t size);
void sty_qp8_object_(const volatile void *object);
void sty_qp8_function_(uintptr_t function);
void sty_qp8_name_(const void *object, const char *name);

/* Records that are never filtered: names, answers, the start. */
STY_INLINE bool sty_qp8_on_(uint8_t rec, uint8_t id) {
    const bool always = rec == QS_ENUM_DICT || (rec >= QS_TEST_PAUSED && rec <= QS_QF_RUN);
    return always ? sty_qs_app_runs_() : sty_qs_on(&sty_qs_app_, rec & 127u, id & 127u);
}

#define QS_BEGIN_PRE(rec, id) \
    if (sty_qp8_on_(STY_CAST(uint8_t, rec), STY_CAST(uint8_t, id))) { \
        sty_qp8_begin_(STY_CAST(uint8_t, rec));
#define QS_END_PRE() \
        sty_qp8_end_(); \
    }

#define STY_QP8_NUMBER_(n, size) (sty_qp8_number_(STY_CAST(uint32_t, n), (size)))
#define QS_TIME_PRE() (sty_qp8_time_())
#define QS_SIG_PRE(sig) STY_QP8_NUMBER_(sig, STY_QS_SIG_SIZE)
#define QS_EVS_PRE(size) STY_QP8_NUMBER_(size, STY_QS_APP_EVENT_SIZE)
#define QS_OBJ_PRE(ptr) (sty_qp8_object_(ptr))
#define QS_FUN_PRE(ptr) (sty_qp8_function_(STY_CAST_POINTER(uintptr_t, ptr)))
#define QS_U8_PRE(d) STY_QP8_NUMBER_(d, 1)
#define QS_2U8_PRE(a, b) \
    STY_QP8_NUMBER_(STY_CAST(uint8_t, a) | STY_CAST(unsigned, STY_CAST(uint8_t, b)) << 8, 2)
#define QS_U16_PRE(d) STY_QP8_NUMBER_(d, 2)
#define QS_U32_PRE(d) STY_QP8_NUMBER_(d, 4)
#define QS_EQC_PRE(n) STY_QP8_NUMBER_(n, STY_QS_APP_QUEUE_CTR_SIZE)
#define QS_MPC_PRE(n) STY_QP8_NUMBER_(n, STY_QS_APP_POOL_CTR_SIZE)
#define QS_MPS_PRE(n) STY_QP8_NUMBER_(n, STY_QS_APP_POOL_BLK_SIZE)
#define QS_TEC_PRE(n) STY_QP8_NUMBER_(n, STY_QS_TIMEEVT_CTR_SIZE)

/* An object dictionary entry from kernel code. */
#define QS_obj_dict_pre_(obj, name) (sty_qp8_name_((obj), (name)))

/* A record without filter and time stamp: kernels open QS_QF_RUN with them. */
void QS_beginRec_(uint_fast8_t const rec);
void QS_endRec_(void);

#ifdef __cplusplus
}
#endif

#endif
