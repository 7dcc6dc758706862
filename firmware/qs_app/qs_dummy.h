/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* All macros of qs_app.h and qs_pkg.h for programs that do not trace: they ignore their arguments. */
#ifndef QS_DUMMY_H_
#define QS_DUMMY_H_

#include <stdbool.h>
#include <stdint.h>

#define QS_CRIT_STAT
#define QS_CRIT_ENTRY() ((void)0)
#define QS_CRIT_EXIT() ((void)0)

#define QS_INIT(arg) ((uint8_t)1U)
#define QS_EXIT() ((void)0)
#define QS_FLUSH() ((void)0)
#define QS_DUMP() ((void)0)
#define QS_OUTPUT() ((void)0)
#define QS_RX_INPUT() ((void)0)
#define QS_RX_PUT(b) ((void)0)
#define QS_ONLY(code)

#define QS_BEGIN_ID(rec, id) if (false) {
#define QS_END() }
#define QS_BEGIN_INCRIT(rec, id) if (false) {
#define QS_END_INCRIT() }
#define QS_U8(width, d) ((void)0)
#define QS_I8(width, d) ((void)0)
#define QS_U16(width, d) ((void)0)
#define QS_I16(width, d) ((void)0)
#define QS_U32(width, d) ((void)0)
#define QS_I32(width, d) ((void)0)
#define QS_U64(width, d) ((void)0)
#define QS_I64(width, d) ((void)0)
#define QS_F32(width, d) ((void)0)
#define QS_F64(width, d) ((void)0)
#define QS_STR(s) ((void)0)
#define QS_MEM(p, n) ((void)0)
#define QS_SIG(sig, obj) ((void)0)
#define QS_OBJ(p) ((void)0)
#define QS_FUN(p) ((void)0)
#define QS_ENUM(group, value) ((void)0)

#define QS_SIG_DICTIONARY(sig, obj) ((void)0)
#define QS_OBJ_DICTIONARY(obj) ((void)0)
#define QS_OBJ_ARR_DICTIONARY(obj, i) ((void)0)
#define QS_FUN_DICTIONARY(fun) ((void)0)
#define QS_USR_DICTIONARY(rec) ((void)0)
#define QS_ENUM_DICTIONARY(value, group) ((void)0)

#define QS_GLB_FILTER(rec) ((void)0)
#define QS_LOC_FILTER(id) ((void)0)
#define QS_ASSERTION(module, location, delay) ((void)0)
#define QS_TEST_PROBE_DEF(fun)
#define QS_TEST_PROBE(code)
#define QS_TEST_PROBE_ID(id, code)
#define QS_TEST_PAUSE() ((void)0)
#define QF_ISR_ENTRY(nest, prio) ((void)0)
#define QF_ISR_EXIT(nest, prio) ((void)0)

/* Of the kernel. */
#define QS_BEGIN_PRE(rec, id) if (false) {
#define QS_END_PRE() }
#define QS_TIME_PRE() ((void)0)
#define QS_SIG_PRE(sig) ((void)0)
#define QS_EVS_PRE(size) ((void)0)
#define QS_OBJ_PRE(ptr) ((void)0)
#define QS_FUN_PRE(ptr) ((void)0)
#define QS_U8_PRE(d) ((void)0)
#define QS_2U8_PRE(a, b) ((void)0)
#define QS_U16_PRE(d) ((void)0)
#define QS_U32_PRE(d) ((void)0)
#define QS_EQC_PRE(n) ((void)0)
#define QS_MPC_PRE(n) ((void)0)
#define QS_MPS_PRE(n) ((void)0)
#define QS_TEC_PRE(n) ((void)0)
#define QS_obj_dict_pre_(obj, name) ((void)0)

#endif
