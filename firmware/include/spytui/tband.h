/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* tband emitter: streaming and snapshots, names, markers, interrupts. Tasks and queues are in tband_rtos.h, host
 * commands in cmd_rx.h.
 *
 * Names are kept in a buffer from the beginning, so that a recording started later has them:
 *     sty_tband_init(&tband, &ring, 1000);
 *     sty_tband_name_value(&tband, 0, TEMPERATURE, "boiler temperature");
 *     sty_tband_start(&tband, 0);
 *     sty_tband_value(&tband, 0, TEMPERATURE, 61);
 * `core` is the calling core.
 *
 * Each section says where its functions may be called. The lock is that of `env`; it keeps out the other cores, too.
 * Reentrant means that an interrupt may come at any time during a call and call the same function. */
#ifndef SPYTUI_TBAND_H
#define SPYTUI_TBAND_H

#include "spytui/ring.h"
#include "spytui/tband_filter.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef STY_TBAND_CORES
#define STY_TBAND_CORES 2
#endif
/* Maximum length of a text in bytes; the rest is cut off. */
#ifndef STY_TBAND_TEXT
#define STY_TBAND_TEXT 20
#endif
/* Size of the name buffer in bytes, per core: 256 hold about a dozen tasks. A name that does not fit is not kept,
 * but counted. */
#ifndef STY_TBAND_NAMES
#define STY_TBAND_NAMES 256
#endif
/* The drop total is repeated after this many events of a core; 0: only when it has changed. */
#ifndef STY_TBAND_DROPS_EVERY
#define STY_TBAND_DROPS_EVERY 50
#endif

/* The value marker of answers to commands. */
#define STY_TBAND_ACK 0x7F00u
/* The event marker that reports at the start how many names were not kept. */
#define STY_TBAND_NAMES_LOST 0x7F01u
/* The event marker of the reset cause. */
#define STY_TBAND_RESET 0x7F02u

/* Private, except for the filter; use the functions below. */
typedef struct {
    sty_ring_t *ring; /* the stream's ring, or the first of one ring per core */
    bool snapshot;
    bool recording;
    sty_tband_filter_t filter;
    uint64_t time;
    uint32_t core;  /* the core that the host assumes to be current */
    bool counted;   /* the open frame is a drop total, which is */
    uint32_t total;
    uint8_t uncounted[STY_TBAND_CORES]; /* events since the last drop total */
    uint32_t names_lost;
    uint16_t names_used[STY_TBAND_CORES];
    uint8_t names[STY_TBAND_CORES][STY_TBAND_NAMES];
} sty_tband_t;

/* Once, before all others; not reentrant. */

/* Streams through `ring`. `ns` is the time unit in nanoseconds. All filters pass; nothing is recorded yet. With more
 * than one core, the ring must be a KEEP ring, because an event belongs to the core last reported. */
void sty_tband_init(sty_tband_t *tband, sty_ring_t *ring, uint64_t ns);
/* Takes snapshots: rings[n], a KEEP ring, holds the events of core n until the first of the rings is full. */
void sty_tband_init_snapshot(sty_tband_t *tband, sty_ring_t rings[STY_TBAND_CORES], uint64_t ns);

/* Recording. From one task at a time, not reentrant, except where it says otherwise; events may be traced meanwhile. */

/* Starts recording. A stream begins with the names of all cores. A full snapshot continues where it ended, once
 * there is room. False: either the names did not fit in the ring, and nothing is recorded; or some were not kept,
 * which an event reports, and the recording has started without them. */
bool sty_tband_start(sty_tband_t *tband, uint32_t core);
/* Stops recording. Names are still kept. From any context, reentrant. */
void sty_tband_stop(sty_tband_t *tband);
/* Is anything being recorded? Not in a full snapshot. From any context, reentrant. */
static inline bool sty_tband_recording(const sty_tband_t *tband) {
    return STY_LOAD(&tband->recording);
}
/* Sends the names of all cores again. False: some did not fit. */
bool sty_tband_names(sty_tband_t *tband);
/* Number of names not kept because the buffer was full. From any context, reentrant. */
static inline uint32_t sty_tband_names_lost(const sty_tband_t *tband) {
    return STY_LOAD(&tband->names_lost);
}
/* The names of a core as they precede its snapshot, `*count` bytes. */
const uint8_t *sty_tband_names_of(const sty_tband_t *tband, uint32_t core, uint32_t *count);
/* Sends a drop total if one is due. Events do that, too; call it where the link is served, in case no event follows.
 * From tasks and interrupts that the lock masks; reentrant. */
void sty_tband_poll(sty_tband_t *tband);

/* Filters. From any context, reentrant: they take no lock. */

/* Is an event recorded, and does it pass the filters by class and event? */
STY_INLINE bool sty_tband_on(const sty_tband_t *tband, uint8_t id) {
    return sty_tband_recording(tband) && sty_tband_event_passes(&tband->filter, id);
}
/* Does an event marker pass? */
STY_INLINE bool sty_tband_marker_on(const sty_tband_t *tband, uint32_t id) {
    return sty_tband_marker_passes(&tband->filter, id);
}
/* Does a value marker pass? */
STY_INLINE bool sty_tband_value_on(const sty_tband_t *tband, uint32_t id) {
    return sty_tband_value_passes(&tband->filter, id);
}

/* Private: one function for each layout. `text` may be NULL. */
void sty_tband_1_(sty_tband_t *tband, uint32_t core, uint8_t id, uint32_t a);
void sty_tband_2_(sty_tband_t *tband, uint32_t core, uint8_t id, uint32_t a, uint32_t b);
void sty_tband_text_(sty_tband_t *tband, uint32_t core, uint8_t id, uint32_t a, const char *text);
void sty_tband_value_(sty_tband_t *tband, uint32_t core, uint8_t id, uint32_t a, int64_t value);
/* Private: functions for names, which are kept. */
void sty_tband_name_(sty_tband_t *tband, uint32_t core, uint8_t id, uint32_t a, const char *text);
void sty_tband_fact_(sty_tband_t *tband, uint32_t core, uint8_t id, uint32_t a, uint32_t b);
void sty_tband_name_local_(sty_tband_t *tband, uint32_t core, uint8_t id, uint32_t a, uint32_t task, const char *text);

/* Call after sty_tband_start(): why the target has started, for example "watchdog". Passes every filter. From
 * tasks and interrupts that the lock masks; reentrant. */
static inline void sty_tband_reset_cause(sty_tband_t *tband, uint32_t core, const char *cause) {
    sty_tband_text_(tband, core, 0x07, STY_TBAND_RESET, cause);
}

/* Names. They pass every filter, and are kept even while nothing is recorded. Names of interrupts are per core. From
 * tasks and interrupts that the lock masks; reentrant. */

/* An interrupt of this core. */
static inline void sty_tband_name_isr(sty_tband_t *tband, uint32_t core, uint32_t isr, const char *name) {
    sty_tband_name_(tband, core, 0x03, isr, name);
}
/* An event marker. */
static inline void sty_tband_name_marker(sty_tband_t *tband, uint32_t core, uint32_t marker, const char *name) {
    sty_tband_name_(tband, core, 0x06, marker, name);
}
/* A value marker, whose name may end with its unit. */
static inline void sty_tband_name_value(sty_tband_t *tband, uint32_t core, uint32_t marker, const char *name) {
    sty_tband_name_(tband, core, 0x0A, marker, name);
}

/* Interrupts. From tasks and interrupts that the lock masks; reentrant. */

/* Enters an interrupt. */
static inline void sty_tband_isr_enter(sty_tband_t *tband, uint32_t core, uint32_t isr) {
    if (sty_tband_on(tband, 0x04)) {
        sty_tband_1_(tband, core, 0x04, isr);
    }
}
/* Leaves an interrupt. */
static inline void sty_tband_isr_exit(sty_tband_t *tband, uint32_t core, uint32_t isr) {
    if (sty_tband_on(tband, 0x05)) {
        sty_tband_1_(tband, core, 0x05, isr);
    }
}

/* Markers: something happens, begins or ends; a value. From tasks and interrupts that the lock masks; reentrant. */

/* Something happens. */
static inline void sty_tband_marker(sty_tband_t *tband, uint32_t core, uint32_t marker, const char *text) {
    if (sty_tband_on(tband, 0x07) && sty_tband_marker_on(tband, marker)) {
        sty_tband_text_(tband, core, 0x07, marker, text);
    }
}
/* Something begins. */
static inline void sty_tband_marker_begin(sty_tband_t *tband, uint32_t core, uint32_t marker, const char *text) {
    if (sty_tband_on(tband, 0x08) && sty_tband_marker_on(tband, marker)) {
        sty_tband_text_(tband, core, 0x08, marker, text);
    }
}
/* Something ends. */
static inline void sty_tband_marker_end(sty_tband_t *tband, uint32_t core, uint32_t marker) {
    if (sty_tband_on(tband, 0x09) && sty_tband_marker_on(tband, marker)) {
        sty_tband_1_(tband, core, 0x09, marker);
    }
}
/* A value. */
static inline void sty_tband_value(sty_tband_t *tband, uint32_t core, uint32_t marker, int64_t value) {
    if (sty_tband_on(tband, 0x0B) && sty_tband_value_on(tband, marker)) {
        sty_tband_value_(tband, core, 0x0B, marker, value);
    }
}

#ifdef __cplusplus
}
#endif

#endif
