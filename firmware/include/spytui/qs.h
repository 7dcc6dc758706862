/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* QS emitter: filters, user records, dictionaries, target info. Predefined records are in qs_rec.h, the receive channel
 * is in qs_rx.h.
 *
 * A user record:
 *     STY_QS_BEGIN(&qs, SPEED, 0)
 *         sty_qs_u32(&qs, 5, rpm);
 *     STY_QS_END(&qs)
 *
 * Each section says where its functions may be called. The lock is that of `env`. Reentrant means that an interrupt may
 * come at any time during a call and call the same function.
 */
#ifndef SPYTUI_QS_H
#define SPYTUI_QS_H

#include "spytui/hdlc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Wire sizes in bytes; they must be the same for the library and all its users. The host learns them from the target
 * info. */
#ifndef STY_QS_TIME_SIZE
#define STY_QS_TIME_SIZE 4 /* 2, 4 */
#endif
#ifndef STY_QS_SIG_SIZE
#define STY_QS_SIG_SIZE 2 /* 1, 2, 4; 8.x: 2 */
#endif
#ifndef STY_QS_EVENT_SIZE
#define STY_QS_EVENT_SIZE 2 /* 1, 2, 4 */
#endif
#ifndef STY_QS_QUEUE_CTR_SIZE
#define STY_QS_QUEUE_CTR_SIZE 1 /* 1, 2, 4; 8.x: 1, 2 */
#endif
#ifndef STY_QS_POOL_CTR_SIZE
#define STY_QS_POOL_CTR_SIZE 2 /* 1, 2, 4 */
#endif
#ifndef STY_QS_POOL_BLK_SIZE
#define STY_QS_POOL_BLK_SIZE 2 /* 1, 2, 4 */
#endif
#ifndef STY_QS_TIMEEVT_CTR_SIZE
#define STY_QS_TIMEEVT_CTR_SIZE 4 /* 1, 2, 4 */
#endif
#ifndef STY_QS_OBJ_SIZE
#if UINTPTR_MAX > 0xFFFFFFFFu
#define STY_QS_OBJ_SIZE 8 /* 1, 2, 4, 8 */
#else
#define STY_QS_OBJ_SIZE 4
#endif
#endif
#ifndef STY_QS_FUN_SIZE
#define STY_QS_FUN_SIZE STY_QS_OBJ_SIZE
#endif

/* The user record with the drop total. Not 124, because QS hosts assign a name to that. */
#ifndef STY_QS_DROPS_REC
#define STY_QS_DROPS_REC 123
#endif

/* The user record with the reset cause. */
#ifndef STY_QS_RESET_REC
#define STY_QS_RESET_REC 122
#endif

#define STY_QS_USER 100 /* the first user record; the last is 124 */

typedef struct sty_qs sty_qs_t;

/* Description of the target, see STY_QS_TARGET(). */
typedef struct {
    uint16_t version; /* 734 = 7.3.4, 812 = 8.1.2 */
    bool is_cpp;      /* sent from 8.0 on */
    uint8_t tail[13]; /* wire format of sizes, limits and build time */
    uint32_t date;    /* of the version, YYMMDD; sent from 8.0 on */
    /* Layout: sty_qs_info_7 or sty_qs_info_8. A pointer, so that only the layout used is linked. */
    void (*info)(sty_qs_t *qs, bool reset);
} sty_qs_target_t;

/* Initializers of the member `tail`. The build time is year (two digits), month, day, hour, minute, second. */
#define STY_QS_TARGET(max_active, max_pools, max_tick_rates, yy, mo, dd, hh, mi, ss) \
    { \
        STY_QS_SIG_SIZE | STY_QS_EVENT_SIZE << 4, STY_QS_QUEUE_CTR_SIZE | STY_QS_TIMEEVT_CTR_SIZE << 4, \
        STY_QS_POOL_BLK_SIZE | STY_QS_POOL_CTR_SIZE << 4, STY_QS_OBJ_SIZE | STY_QS_FUN_SIZE << 4, STY_QS_TIME_SIZE, \
        (max_active), (max_pools) | (max_tick_rates) << 4, (ss), (mi), (hh), (dd), (mo), (yy) \
    }

/* Kinds of current objects. */
enum { STY_QS_SM, STY_QS_AO, STY_QS_MP, STY_QS_EQ, STY_QS_TE, STY_QS_AP, STY_QS_SM_AO, STY_QS_EP, STY_QS_KINDS };

/* Private; use the functions below. */
struct sty_qs {
    uint8_t glb[16]; /* bit n: record n is sent */
    uint8_t loc_off[16]; /* bit n: objects with QS-ID n are not traced */
    uint32_t seq;        /* only the low byte is sent */
    sty_ring_t *ring;
    const sty_qs_target_t *target;
    const void *current[STY_QS_KINDS];
};

/* Switches all records off except dictionaries, info and answers, which are never filtered, and all objects on; no
 * object is current. Once, before all others; not reentrant. */
void sty_qs_init(sty_qs_t *qs, sty_ring_t *ring, const sty_qs_target_t *target);
/* Start and totals. From tasks and interrupts that the lock masks, but not inside a record; reentrant. */

/* Sends the first frames after a start: the target info with the reset mark, and the name of the drop total. */
void sty_qs_start(sty_qs_t *qs);
/* Call after sty_qs_start(): why the target has started, for example "watchdog". Passes every filter. */
void sty_qs_reset_cause(sty_qs_t *qs, const char *cause);
/* Sends a drop total if one is due. Records do that, too; call it where the link is served, in case no record
 * follows. */
void sty_qs_poll(sty_qs_t *qs);

/* The two layouts of the target info, for sty_qs_target_t. `reset`: the target has just started. */
void sty_qs_info_7(sty_qs_t *qs, bool reset);
void sty_qs_info_8(sty_qs_t *qs, bool reset);

/* Filters. From any context, also from interrupts that the lock does not mask; reentrant, as they take no lock. Without
 * atomic byte operations (see port.h), only one context at a time may switch; all may ask. */

/* Groups of records for sty_qs_glb_group(). */
typedef enum {
    STY_QS_GRP_ALL, STY_QS_GRP_SM, STY_QS_GRP_AO, STY_QS_GRP_EQ, STY_QS_GRP_MP, STY_QS_GRP_TE, STY_QS_GRP_QF,
    STY_QS_GRP_SC, STY_QS_GRP_SEM, STY_QS_GRP_MTX, STY_QS_GRP_U0, STY_QS_GRP_U1, STY_QS_GRP_U2, STY_QS_GRP_U3,
    STY_QS_GRP_U4, STY_QS_GRP_UA
} sty_qs_group_t;

/* Switches a group of records. */
void sty_qs_glb_group(sty_qs_t *qs, sty_qs_group_t group, bool on);
/* Switches one record, 0–124. */
void sty_qs_glb_rec(sty_qs_t *qs, uint8_t rec, bool on);
/* Sets all switches: bit n & 7 of byte n / 8 is record n. */
void sty_qs_glb_set(sty_qs_t *qs, const uint8_t bits[16]);
/* Switches the objects with QS-IDs from `first` to `last`: active objects 1–64 by priority, event pools 65–79, event
 * queues 80–95, application objects 96–127. 0 is always on. */
void sty_qs_loc_range(sty_qs_t *qs, uint8_t first, uint8_t last, bool on);
/* Sets the switches of all QS-IDs, as above. */
void sty_qs_loc_set(sty_qs_t *qs, const uint8_t bits[16]);

/* Does a record pass the filters? `rec` and `id` are below 128. */
STY_INLINE bool sty_qs_on(const sty_qs_t *qs, uint8_t rec, uint8_t id) {
    STY_ASSERT(rec < 128u && id < 128u);
    return (STY_LOAD(&qs->glb[rec >> 3]) >> (rec & 7u) & 1u) != 0u &&
        (STY_LOAD(&qs->loc_off[id >> 3]) >> (id & 7u) & 1u) == 0u;
}

/* Sets the object of a kind that commands refer to; STY_QS_SM_AO sets two. False: no such kind. From where
 * sty_qsrx_feed() is called, and not reentrant: commands use what was set last. */
bool sty_qs_current(sty_qs_t *qs, uint8_t kind, const void *object);

/* Names. They pass every filter; a leading ampersand is dropped. From tasks and interrupts that the lock masks, but not
 * inside a record; reentrant. */

/* A signal of `object`, or of all objects if NULL. */
void sty_qs_sig_dict(sty_qs_t *qs, uint32_t sig, const void *object, const char *name);
/* An object: state machine, queue, pool, time event and so on. */
void sty_qs_obj_dict(sty_qs_t *qs, const void *object, const char *name);
/* A function or state. */
void sty_qs_fun_dict(sty_qs_t *qs, uintptr_t function, const char *name);
/* A user record, STY_QS_USER to 124. */
void sty_qs_usr_dict(sty_qs_t *qs, uint8_t rec, const char *name);
/* A value of the enumeration `group`, 0–7; group 7 contains the program's commands. */
void sty_qs_enum_dict(sty_qs_t *qs, uint8_t value, uint8_t group, const char *name);

/* User records. The lock is held between begin and end, so call nothing but element functions there. From tasks and
 * interrupts that the lock masks, but not inside another record; reentrant. */
#define STY_QS_BEGIN(qs, rec, id) if (sty_qs_on((qs), (rec), (id))) { sty_qs_begin((qs), (rec));
#define STY_QS_END(qs) sty_qs_end(qs); }

/* Private: opens a user record. */
void sty_qs_begin_(sty_qs_t *qs, uint32_t rec);
/* Opens a user record without checking filters. */
static inline void sty_qs_begin(sty_qs_t *qs, uint8_t rec) {
    STY_ASSERT(rec >= STY_QS_USER && rec < STY_QS_USER + 25u);
    sty_qs_begin_(qs, rec);
}
/* Closes a user record. */
void sty_qs_end(sty_qs_t *qs);

/* Private: an element of up to 4 bytes. */
void sty_qs_element_(sty_qs_t *qs, uint32_t value, uint8_t format, uint32_t size);
void sty_qs_element64_(sty_qs_t *qs, uint8_t format, uint64_t value);
#define STY_QS_FORMAT_(type, width) STY_CAST(uint8_t, (type) | STY_CAST(unsigned, (width)) << 4)

/* Elements. `width` is the minimum number of characters that hosts show, 0–15; 15 shows unsigned numbers in hex.
 * Signed bytes have a maximum width of 7. Only between begin and end, where the lock is held. */
static inline void sty_qs_i8(sty_qs_t *qs, uint8_t width, int8_t value) {
    sty_qs_element_(qs, STY_CAST(uint8_t, value), STY_QS_FORMAT_(0u, width & 7u), 1);
}
/* A value of the enumeration dictionary `group`, 0–7. */
static inline void sty_qs_enum(sty_qs_t *qs, uint8_t group, uint8_t value) {
    sty_qs_element_(qs, value, STY_QS_FORMAT_(0u, 8u | (group & 7u)), 1);
}
static inline void sty_qs_u8(sty_qs_t *qs, uint8_t width, uint8_t value) {
    sty_qs_element_(qs, value, STY_QS_FORMAT_(1u, width), 1);
}
static inline void sty_qs_i16(sty_qs_t *qs, uint8_t width, int16_t value) {
    sty_qs_element_(qs, STY_CAST(uint16_t, value), STY_QS_FORMAT_(2u, width), 2);
}
static inline void sty_qs_u16(sty_qs_t *qs, uint8_t width, uint16_t value) {
    sty_qs_element_(qs, value, STY_QS_FORMAT_(3u, width), 2);
}
static inline void sty_qs_i32(sty_qs_t *qs, uint8_t width, int32_t value) {
    sty_qs_element_(qs, STY_CAST(uint32_t, value), STY_QS_FORMAT_(4u, width), 4);
}
static inline void sty_qs_u32(sty_qs_t *qs, uint8_t width, uint32_t value) {
    sty_qs_element_(qs, value, STY_QS_FORMAT_(5u, width), 4);
}
/* Hexadecimal with `width` digits. */
static inline void sty_qs_hex32(sty_qs_t *qs, uint8_t width, uint32_t value) {
    sty_qs_element_(qs, value, STY_QS_FORMAT_(15u, width), 4);
}
/* `digits` after the decimal point, in exponent form. */
void sty_qs_f32(sty_qs_t *qs, uint8_t digits, float value);
void sty_qs_f64(sty_qs_t *qs, uint8_t digits, double value);
/* 64-bit numbers are shown 2 * (width + 1) wide. */
static inline void sty_qs_i64(sty_qs_t *qs, uint8_t width, int64_t value) {
    sty_qs_element64_(qs, STY_QS_FORMAT_(13u, width), STY_CAST(uint64_t, value));
}
static inline void sty_qs_u64(sty_qs_t *qs, uint8_t width, uint64_t value) {
    sty_qs_element64_(qs, STY_QS_FORMAT_(14u, width), value);
}
/* A text up to its NUL. */
void sty_qs_str(sty_qs_t *qs, const char *text);
/* Bytes, shown in hex. */
void sty_qs_mem(sty_qs_t *qs, const void *bytes, uint8_t count);
/* A signal; `object` is its scope, NULL for global signals. */
void sty_qs_sig(sty_qs_t *qs, uint32_t sig, const void *object);
/* An object, shown by its name. */
void sty_qs_obj(sty_qs_t *qs, const void *object);
/* A function, shown by its name. */
void sty_qs_fun(sty_qs_t *qs, uintptr_t function);

#ifdef __cplusplus
}
#endif

#endif
