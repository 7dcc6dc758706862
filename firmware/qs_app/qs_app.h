/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The library with the interface of QS: a single instance for the program, and macros that take only what is traced
 * and use the source text as its name. A program includes it through `qs_port.h`, which defines how to lock:
 *
 *     QS_BEGIN_ID(SPEED, 0)
 *         QS_U32(5, rpm);
 *     QS_END()
 *
 * All macros are statements. They lock with QS_CRIT_ENTRY() and QS_CRIT_EXIT(), so don't use them in a critical
 * section, or between QS_BEGIN_ID() and QS_END(), which is one; only QS_BEGIN_INCRIT() and QS_ASSERTION() do not
 * lock. */
#ifndef SPYTUI_QS_APP_H
#define SPYTUI_QS_APP_H

#include "spytui/qs_rec.h"
#include "spytui/qs_rx.h"

#include "qs_ids.h"

/* Without a lock: traced code never interrupts other traced code. */
#ifndef QS_CRIT_ENTRY
#define QS_CRIT_STAT
#define QS_CRIT_ENTRY() ((void)0)
#define QS_CRIT_EXIT() ((void)0)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Wire format of time stamps. */
#if STY_QS_TIME_SIZE == 2
typedef uint16_t QSTimeCtr;
#else
typedef uint32_t QSTimeCtr;
#endif

/* The sender of the program's own records: an address, and the QS-ID for the local filter. */
typedef struct {
    uint8_t prio;
} QSpyId;

/* ---- Provided by the program ---- */

/* Opens the link and calls QS_initBuf(), and QS_rxInitBuf() for commands. Returns 0 on failure. */
uint8_t QS_onStartup(void const *arg);
/* Closes the link. */
void QS_onCleanup(void);
/* Sends everything pending. Called after each name, outside of critical sections, and by QS_ASSERTION(). */
void QS_onFlush(void);
/* Returns the time. Called in a critical section. */
QSTimeCtr QS_onGetTime(void);
/* The host resets the target. */
void QS_onReset(void);
/* A command of the program, see QS_ENUM_DICTIONARY() with group QS_CMD. */
void QS_onCommand(uint8_t cmdId, uint32_t param1, uint32_t param2, uint32_t param3);
/* Called by QS_OUTPUT() and QS_RX_INPUT() to serve the link without waiting. */
void QS_doOutput(void);
void QS_doInput(void);

/* ---- Called by the program ---- */

/* Starts tracing, with everything filtered, into the largest power of two in `sto`. With less than 256 bytes,
 * nothing is traced. Sends the target info. */
void QS_initBuf(uint8_t *const sto, uint_fast32_t const stoSize);
/* Returns the oldest pending byte, or QS_EOD. Only one context at a time may take bytes. */
uint16_t QS_getByte(void);
/* Returns the oldest contiguous bytes, at most `*pNbytes`, and sets their number. They are valid until the next
 * call. NULL: none. */
uint8_t const *QS_getBlock(uint16_t *const pNbytes);
#define QS_EOD 0xFFFFU

/* Accepts commands from the host, which are stored in `sto` until QS_rxParse(). */
void QS_rxInitBuf(uint8_t *const sto, uint16_t const stoSize);
/* Adds a byte from the link, also from an interrupt. False: there is no room, and the byte is lost. */
bool QS_rxPut(uint8_t const b);
/* Executes host commands. Not in a critical section. */
void QS_rxParse(void);

/* Sets a function, called in a critical section, that decides whether the host may peek, poke and fill a range.
 * Until then, all are refused. */
void sty_qs_app_allow(bool (*may_access)(void *ctx, uintptr_t address, size_t length, bool write));
/* Sets a function, called in a critical section, that answers queries about current objects. Until then, none are
 * answered. */
void sty_qs_app_answer(bool (*query)(void *ctx, uint8_t kind, const void *object, sty_qsrx_query_t *answer));

/* Sets a function, called outside of critical sections, that sends all names: for a host that came late and asks for
 * the target info. */
void sty_qs_app_names(void (*names)(void));
/* Sends the target info and all names, to a host that came late. Not in a critical section. */
void sty_qs_app_greet(void);

#define QS_INIT(arg) (QS_onStartup(arg))
#define QS_EXIT() (QS_onCleanup())
#define QS_FLUSH() (QS_onFlush())
#define QS_DUMP() (QS_onFlush())
#define QS_OUTPUT() (QS_doOutput())
#define QS_RX_INPUT() (QS_doInput())
#define QS_RX_PUT(b) ((void)QS_rxPut(b))

/* Code for programs that trace. */
#define QS_ONLY(code) code

/* ---- Private ---- */

/* The instance. */
extern sty_qs_t sty_qs_app_;
/* The kernel sets bit 0 of `flags` when it has named the top state; QS_initBuf() clears them. */
typedef struct {
    unsigned flags;
} sty_qs_app_private_t;
extern sty_qs_app_private_t QS_priv_;
/* QS_RX, the sender of what the host injects. */
extern const QSpyId sty_qs_app_host_;

/* Has QS_initBuf() been called? */
static inline bool sty_qs_app_runs_(void) {
    return sty_qs_app_.ring != NULL;
}
void sty_qs_app_glb_filter_(int rec);
void sty_qs_app_loc_filter_(int id);
void sty_qs_app_arr_dict_(const void *object, uint32_t index, const char *name);
void sty_qs_app_assertion_(const char *module, uint16_t location, uint32_t delay);

#define STY_QS_APP_LOCKED_(statement) \
    do { \
        if (sty_qs_app_runs_()) { \
            QS_CRIT_STAT \
            QS_CRIT_ENTRY(); \
            statement; \
            QS_CRIT_EXIT(); \
        } \
    } while (false)
/* Names are sent at once, so that they don't fill the buffer. */
#define STY_QS_APP_NAME_(statement) \
    do { \
        STY_QS_APP_LOCKED_(statement); \
        QS_onFlush(); \
    } while (false)

/* ---- Records of the program ---- */

/* `rec` is QS_USER to 124; `id` is the QS-ID for the local filter, 0 for none. */
#define QS_BEGIN_ID(rec, id) \
    if (sty_qs_on(&sty_qs_app_, STY_CAST(uint8_t, rec), STY_CAST(uint8_t, id))) { \
        QS_CRIT_STAT \
        QS_CRIT_ENTRY(); \
        sty_qs_begin(&sty_qs_app_, STY_CAST(uint8_t, rec));
#define QS_END() \
        sty_qs_end(&sty_qs_app_); \
        QS_CRIT_EXIT(); \
    }
/* Like QS_BEGIN_ID() in a critical section. */
#define QS_BEGIN_INCRIT(rec, id) \
    if (sty_qs_on(&sty_qs_app_, STY_CAST(uint8_t, rec), STY_CAST(uint8_t, id))) { \
        sty_qs_begin(&sty_qs_app_, STY_CAST(uint8_t, rec));
#define QS_END_INCRIT() \
        sty_qs_end(&sty_qs_app_); \
    }

#define STY_QS_APP_NUMBER_(function, type, width, d) \
    (function(&sty_qs_app_, STY_CAST(uint8_t, width), STY_CAST(type, d)))
#define QS_U8(width, d) STY_QS_APP_NUMBER_(sty_qs_u8, uint8_t, width, d)
#define QS_I8(width, d) STY_QS_APP_NUMBER_(sty_qs_i8, int8_t, width, d)
#define QS_U16(width, d) STY_QS_APP_NUMBER_(sty_qs_u16, uint16_t, width, d)
#define QS_I16(width, d) STY_QS_APP_NUMBER_(sty_qs_i16, int16_t, width, d)
#define QS_U32(width, d) STY_QS_APP_NUMBER_(sty_qs_u32, uint32_t, width, d)
#define QS_I32(width, d) STY_QS_APP_NUMBER_(sty_qs_i32, int32_t, width, d)
#define QS_U64(width, d) STY_QS_APP_NUMBER_(sty_qs_u64, uint64_t, width, d)
#define QS_I64(width, d) STY_QS_APP_NUMBER_(sty_qs_i64, int64_t, width, d)
#define QS_F32(width, d) STY_QS_APP_NUMBER_(sty_qs_f32, float, width, d)
#define QS_F64(width, d) STY_QS_APP_NUMBER_(sty_qs_f64, double, width, d)
#define QS_ENUM(group, value) STY_QS_APP_NUMBER_(sty_qs_enum, uint8_t, group, value)
#define QS_STR(s) (sty_qs_str(&sty_qs_app_, (s)))
#define QS_MEM(p, n) (sty_qs_mem(&sty_qs_app_, (p), STY_CAST(uint8_t, n)))
#define QS_SIG(sig, obj) (sty_qs_sig(&sty_qs_app_, STY_CAST(uint32_t, sig), (obj)))
#define QS_OBJ(p) (sty_qs_obj(&sty_qs_app_, (p)))
#define QS_FUN(p) (sty_qs_fun(&sty_qs_app_, STY_CAST_POINTER(uintptr_t, p)))

/* ---- Names: the argument as text ---- */

#define QS_SIG_DICTIONARY(sig, obj) \
    STY_QS_APP_NAME_(sty_qs_sig_dict(&sty_qs_app_, STY_CAST(uint32_t, sig), (obj), #sig))
#define QS_OBJ_DICTIONARY(obj) STY_QS_APP_NAME_(sty_qs_obj_dict(&sty_qs_app_, (obj), #obj))
/* `obj` ends with an index in brackets, which is replaced by the number `i`. */
#define QS_OBJ_ARR_DICTIONARY(obj, i) \
    STY_QS_APP_NAME_(sty_qs_app_arr_dict_((obj), STY_CAST(uint32_t, i), #obj))
#define QS_FUN_DICTIONARY(fun) STY_QS_APP_NAME_(sty_qs_fun_dict(&sty_qs_app_, STY_CAST_POINTER(uintptr_t, fun), #fun))
#define QS_USR_DICTIONARY(rec) STY_QS_APP_NAME_(sty_qs_usr_dict(&sty_qs_app_, STY_CAST(uint8_t, rec), #rec))
#define QS_ENUM_DICTIONARY(value, group) \
    STY_QS_APP_NAME_(sty_qs_enum_dict(&sty_qs_app_, STY_CAST(uint8_t, value), STY_CAST(uint8_t, group), #value))

/* ---- Filters, assertions, interrupts ---- */

/* A record or a group, QS_GRP_…; a negative value switches off. */
#define QS_GLB_FILTER(rec) STY_QS_APP_LOCKED_(sty_qs_app_glb_filter_(STY_CAST(int, rec)))
/* A QS-ID or a range, QS_IDS_…; a negative value switches off. */
#define QS_LOC_FILTER(id) STY_QS_APP_LOCKED_(sty_qs_app_loc_filter_(STY_CAST(int, id)))

/* For the handler of failed assertions, inside or outside of a critical section: sends the record and everything
 * pending, then counts to `delay`. */
#define QS_ASSERTION(module, location, delay) \
    (sty_qs_app_assertion_((module), STY_CAST(uint16_t, location), STY_CAST(uint32_t, delay)))

/* An interrupt begins or ends, at this nesting depth. */
#define QF_ISR_ENTRY(nest, prio) \
    STY_QS_APP_LOCKED_(sty_qs_isr_entry(&sty_qs_app_, 0, STY_CAST(uint8_t, nest), STY_CAST(uint8_t, prio)))
#define QF_ISR_EXIT(nest, prio) \
    STY_QS_APP_LOCKED_(sty_qs_isr_exit(&sty_qs_app_, 0, STY_CAST(uint8_t, nest), STY_CAST(uint8_t, prio)))

#ifdef __cplusplus
}
#endif

#include "qs_app_test.h"

#endif
