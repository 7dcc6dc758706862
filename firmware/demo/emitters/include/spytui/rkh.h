/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* RKH emitter of the demo: configuration record, user events, names. The predefined events are in rkh_rec.h, host
 * commands in rkh_rx.h.
 *
 * A user event:
 *     STY_RKH_BEGIN(&rkh, SPEED)
 *         sty_rkh_u32(&rkh, 5, rpm);
 *     STY_RKH_END(&rkh)
 */
#ifndef SPYTUI_RKH_H
#define SPYTUI_RKH_H

#include "spytui/hdlc.h"
#include "spytui/rkh_filter.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Wire sizes in bytes; they must be the same for the library and all its users. The host learns them from the
 * configuration record. */
#ifndef STY_RKH_SIG_SIZE
#define STY_RKH_SIG_SIZE 1 /* 1, 2, 4 */
#endif
#ifndef STY_RKH_TIME_SIZE
#define STY_RKH_TIME_SIZE 4 /* 1, 2, 4 */
#endif
#ifndef STY_RKH_PTR_SIZE
#define STY_RKH_PTR_SIZE 4 /* 2, 4; longer pointers are truncated to their low bytes */
#endif
#ifndef STY_RKH_NTIMER_SIZE
#define STY_RKH_NTIMER_SIZE 2 /* 1, 2, 4 */
#endif
#ifndef STY_RKH_NBLOCK_SIZE
#define STY_RKH_NBLOCK_SIZE 1 /* 1, 2, 4 */
#endif
#ifndef STY_RKH_NELEM_SIZE
#define STY_RKH_NELEM_SIZE 1 /* 1, 2, 4 */
#endif
#ifndef STY_RKH_ESIZE_SIZE
#define STY_RKH_ESIZE_SIZE 2 /* 1, 2, 4 */
#endif
#ifndef STY_RKH_BSIZE_SIZE
#define STY_RKH_BSIZE_SIZE 1 /* 1, 2, 4 */
#endif

/* Optional parts of records, 1 = sent. */
#ifndef STY_RKH_NSEQ
#define STY_RKH_NSEQ 1 /* number of the frame */
#endif
#ifndef STY_RKH_TIME
#define STY_RKH_TIME 1 /* time stamp */
#endif
#ifndef STY_RKH_CHK
#define STY_RKH_CHK 1 /* checksum */
#endif
#ifndef STY_RKH_SENDER
#define STY_RKH_SENDER 1 /* sender of an event */
#endif
#ifndef STY_RKH_QUE_LWMARK
#define STY_RKH_QUE_LWMARK 1 /* low watermark of queues */
#endif
#ifndef STY_RKH_MP_LWMARK
#define STY_RKH_MP_LWMARK 1 /* low watermark of pools */
#endif

/* The id of an event: group and number in the group. */
#define STY_RKH_ID(group, event) STY_CAST(uint8_t, (group) << 5 | (event))

/* User events assigned by spytui: the drop total, and answers to commands. */
enum { STY_RKH_DROPS = 30, STY_RKH_ACK = 31 };

/* Description of the target besides the sizes above. */
typedef struct {
    uint16_t version; /* 0x3400 = 3.4.00; layouts are those of 3.x */
    uint8_t max_pools;
    uint16_t ticks_per_second; /* of the time stamp, modulo 2^16 */
} sty_rkh_target_t;

/* Private except for the filter; use the functions below. */
typedef struct {
    sty_rkh_filter_t filter;
    uint8_t seq;
    sty_ring_t *ring;
    const sty_rkh_target_t *target;
} sty_rkh_t;

/* All filters pass. */
void sty_rkh_init(sty_rkh_t *rkh, sty_ring_t *ring, const sty_rkh_target_t *target);
/* Sends the first frames after a start: a flag, the configuration and the names of spytui's user events. */
void sty_rkh_start(sty_rkh_t *rkh);
/* Sends the configuration and those names again. */
void sty_rkh_config(sty_rkh_t *rkh);
/* Sends a drop total if one is due. Records do that, too; call it where the link is served, in case no record
 * follows. */
void sty_rkh_poll(sty_rkh_t *rkh);

/* Does an event pass the filters by group and event? */
STY_INLINE bool sty_rkh_on(const sty_rkh_t *rkh, uint8_t id) {
    const unsigned group = id >> 5;
    const unsigned event = id & 31u;
    return (STY_LOAD(&rkh->filter.groups) >> group & 1u) != 0u &&
        (STY_LOAD(&rkh->filter.events[sty_rkh_table_(group) + (event >> 3)]) >> (event & 7u) & 1u) != 0u;
}
/* Does the active object with this priority pass? */
STY_INLINE bool sty_rkh_object_on(const sty_rkh_t *rkh, uint32_t prio) {
    return prio >= STY_RKH_MAX_OBJECTS || (STY_LOAD(&rkh->filter.objects[prio >> 3]) >> (prio & 7u) & 1u) != 0u;
}
/* Does a signal pass? */
STY_INLINE bool sty_rkh_signal_on(const sty_rkh_t *rkh, uint32_t sig) {
    return sig >= STY_RKH_MAX_SIGNALS || (STY_LOAD(&rkh->filter.signals[sig >> 3]) >> (sig & 7u) & 1u) != 0u;
}

/* Names. They pass every filter; a leading ampersand is dropped. `ao` is the active object of a state. */
void sty_rkh_name_obj(sty_rkh_t *rkh, const void *object, const char *name);
void sty_rkh_name_ao(sty_rkh_t *rkh, const void *object, const char *name);
void sty_rkh_name_timer(sty_rkh_t *rkh, const void *timer, const char *name);
void sty_rkh_name_queue(sty_rkh_t *rkh, const void *queue, const char *name);
/* A sender of events other than an active object, for example an interrupt. */
void sty_rkh_name_actor(sty_rkh_t *rkh, const void *actor, const char *name);
void sty_rkh_name_state(sty_rkh_t *rkh, const void *ao, const void *state, const char *name);
void sty_rkh_name_pstate(sty_rkh_t *rkh, const void *ao, const void *state, const char *name);
void sty_rkh_name_fun(sty_rkh_t *rkh, uintptr_t function, const char *name);
void sty_rkh_name_sig(sty_rkh_t *rkh, uint32_t sig, const char *name);
/* A user event, 0–29. */
void sty_rkh_name_usr(sty_rkh_t *rkh, uint8_t event, const char *name);
/* An event pool, zero-based. */
void sty_rkh_name_pool(sty_rkh_t *rkh, uint8_t pool, const char *name);

/* User events 0–29. The lock is held between begin and end, so call nothing but item functions there. */
#define STY_RKH_BEGIN(rkh, event) if (sty_rkh_on((rkh), STY_RKH_ID(STY_RKH_USR, (event)))) { sty_rkh_begin((rkh), (event));
#define STY_RKH_END(rkh) sty_rkh_end(rkh); }

/* Opens a user event without checking filters. */
void sty_rkh_begin(sty_rkh_t *rkh, uint8_t event);
/* Closes a user event. */
void sty_rkh_end(sty_rkh_t *rkh);

/* Private: an item of up to 4 bytes. */
void sty_rkh_item_(sty_rkh_t *rkh, uint8_t format, uint32_t value, uint32_t size);
#define STY_RKH_FORMAT_(type, width) STY_CAST(uint8_t, (type) | STY_CAST(unsigned, (width)) << 4)

/* Items. `width` is the minimum number of digits that hosts show, 0–15. */
static inline void sty_rkh_i8(sty_rkh_t *rkh, uint8_t width, int8_t value) {
    sty_rkh_item_(rkh, STY_RKH_FORMAT_(0u, width), STY_CAST(uint8_t, value), 1);
}
static inline void sty_rkh_u8(sty_rkh_t *rkh, uint8_t width, uint8_t value) {
    sty_rkh_item_(rkh, STY_RKH_FORMAT_(1u, width), value, 1);
}
static inline void sty_rkh_i16(sty_rkh_t *rkh, uint8_t width, int16_t value) {
    sty_rkh_item_(rkh, STY_RKH_FORMAT_(2u, width), STY_CAST(uint16_t, value), 2);
}
static inline void sty_rkh_u16(sty_rkh_t *rkh, uint8_t width, uint16_t value) {
    sty_rkh_item_(rkh, STY_RKH_FORMAT_(3u, width), value, 2);
}
static inline void sty_rkh_i32(sty_rkh_t *rkh, uint8_t width, int32_t value) {
    sty_rkh_item_(rkh, STY_RKH_FORMAT_(4u, width), STY_CAST(uint32_t, value), 4);
}
static inline void sty_rkh_u32(sty_rkh_t *rkh, uint8_t width, uint32_t value) {
    sty_rkh_item_(rkh, STY_RKH_FORMAT_(5u, width), value, 4);
}
static inline void sty_rkh_hex32(sty_rkh_t *rkh, uint8_t width, uint32_t value) {
    sty_rkh_item_(rkh, STY_RKH_FORMAT_(6u, width), value, 4);
}
/* An object, shown by its name. */
static inline void sty_rkh_object(sty_rkh_t *rkh, const void *object) {
    sty_rkh_item_(rkh, 9, STY_CAST(uint32_t, STY_CAST_POINTER(uintptr_t, object)), STY_RKH_PTR_SIZE);
}
/* A function, shown by its name. */
static inline void sty_rkh_function(sty_rkh_t *rkh, uintptr_t function) {
    sty_rkh_item_(rkh, 10, STY_CAST(uint32_t, function), STY_RKH_PTR_SIZE);
}
/* A signal, shown by its name. */
static inline void sty_rkh_signal(sty_rkh_t *rkh, uint32_t sig) {
    sty_rkh_item_(rkh, 11, sig, STY_RKH_SIG_SIZE);
}
/* A text up to its NUL. */
void sty_rkh_str(sty_rkh_t *rkh, const char *text);
/* Bytes, shown in hex. */
void sty_rkh_mem(sty_rkh_t *rkh, const void *bytes, uint8_t count);

#ifdef __cplusplus
}
#endif

#endif
