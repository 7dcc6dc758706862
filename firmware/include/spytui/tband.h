/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* tband emitter: streaming and snapshots, names, markers, interrupts. Tasks and queues are in tband_rtos.h, the commands
 * of a host in cmd_rx.h.
 *
 * Names are kept in a buffer from the start on, so that a recording that begins later has them:
 *     sty_tband_init(&tband, &ring, 1000);
 *     sty_tband_name_value(&tband, 0, TEMPERATURE, "boiler temperature");
 *     sty_tband_start(&tband, 0);
 *     sty_tband_value(&tband, 0, TEMPERATURE, 61);
 * `core` is the one that calls. */
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
/* Bytes of a text; the rest is cut. */
#ifndef STY_TBAND_TEXT
#define STY_TBAND_TEXT 20
#endif
/* Bytes of the buffer of names, for each core: 256 hold about a dozen tasks. A name that does not fit is not kept, and is
 * counted. */
#ifndef STY_TBAND_NAMES
#define STY_TBAND_NAMES 256
#endif
/* The drop total is sent again after that many events of a core; 0: only when it has changed. */
#ifndef STY_TBAND_DROPS_EVERY
#define STY_TBAND_DROPS_EVERY 50
#endif

/* The value marker of answers to commands. */
#define STY_TBAND_ACK 0x7F00u
/* The event marker that says at the start how many names were not kept. */
#define STY_TBAND_NAMES_LOST 0x7F01u
/* That of the reset's cause. */
#define STY_TBAND_RESET 0x7F02u

/* Private but for the filter; use the functions below. */
typedef struct {
    sty_ring_t *ring; /* of the stream, or the first of one ring for each core */
    bool snapshot;
    bool recording;
    sty_tband_filter_t filter;
    uint64_t time;
    uint32_t core;  /* the one that the host takes for the current */
    bool counted;   /* the open frame has the drop total, which is */
    uint32_t total;
    uint8_t uncounted[STY_TBAND_CORES]; /* events since the last drop total */
    uint32_t names_lost;
    uint16_t names_used[STY_TBAND_CORES];
    uint8_t names[STY_TBAND_CORES][STY_TBAND_NAMES];
} sty_tband_t;

/* A stream through `ring`. `ns` are the nanoseconds of a unit of time. All filters let pass; nothing is recorded yet. With
 * more than one core the ring must be a KEEP ring: an event belongs to the core that was reported last. */
void sty_tband_init(sty_tband_t *tband, sty_ring_t *ring, uint64_t ns);
/* Snapshots: rings[n], a KEEP ring, takes the events of core n until the first of them is full. */
void sty_tband_init_snapshot(sty_tband_t *tband, sty_ring_t rings[STY_TBAND_CORES], uint64_t ns);

/* Begins to record. A stream begins with the names of all cores. A full snapshot goes on where it ended, once there is
 * room. False: the names did not fit into the ring, and nothing is recorded; or some were not kept, which an event says,
 * and the recording has begun without them. */
bool sty_tband_start(sty_tband_t *tband, uint32_t core);
/* Ends to record. Names are still kept. */
void sty_tband_stop(sty_tband_t *tband);
/* Is anything recorded? A full snapshot is not. */
static inline bool sty_tband_recording(const sty_tband_t *tband) {
    return STY_LOAD(&tband->recording);
}
/* The names of all cores once more. False: some did not fit. */
bool sty_tband_names(sty_tband_t *tband);
/* Names that were not kept, as the buffer for them was full. */
static inline uint32_t sty_tband_names_lost(const sty_tband_t *tband) {
    return STY_LOAD(&tband->names_lost);
}
/* The names of a core as they stand before its snapshot, `*count` bytes. */
const uint8_t *sty_tband_names_of(const sty_tband_t *tband, uint32_t core, uint32_t *count);
/* Sends a drop total if one is due. Events do that by themselves; call it where the link is served, for the time when no
 * event comes. */
void sty_tband_poll(sty_tband_t *tband);

/* Is an event recorded, and does it pass the filters by class and event? */
STY_INLINE bool sty_tband_on(const sty_tband_t *tband, uint8_t id) {
    return sty_tband_recording(tband) && sty_tband_event_passes(&tband->filter, id);
}
/* Does an event marker pass? */
STY_INLINE bool sty_tband_marker_on(const sty_tband_t *tband, uint32_t id) {
    return sty_tband_marker_passes(&tband->filter, id);
}
/* A value marker? */
STY_INLINE bool sty_tband_value_on(const sty_tband_t *tband, uint32_t id) {
    return sty_tband_value_passes(&tband->filter, id);
}

/* Private: one function for each layout. `text` may be NULL. */
void sty_tband_1_(sty_tband_t *tband, uint32_t core, uint8_t id, uint32_t a);
void sty_tband_2_(sty_tband_t *tband, uint32_t core, uint8_t id, uint32_t a, uint32_t b);
void sty_tband_text_(sty_tband_t *tband, uint32_t core, uint8_t id, uint32_t a, const char *text);
void sty_tband_value_(sty_tband_t *tband, uint32_t core, uint8_t id, uint32_t a, int64_t value);
/* And those of names, which are kept. */
void sty_tband_name_(sty_tband_t *tband, uint32_t core, uint8_t id, uint32_t a, const char *text);
void sty_tband_fact_(sty_tband_t *tband, uint32_t core, uint8_t id, uint32_t a, uint32_t b);
void sty_tband_name_local_(sty_tband_t *tband, uint32_t core, uint8_t id, uint32_t a, uint32_t task, const char *text);

/* After sty_tband_start(): why the target has started, as "watchdog". Passes every filter. */
static inline void sty_tband_reset_cause(sty_tband_t *tband, uint32_t core, const char *cause) {
    sty_tband_text_(tband, core, 0x07, STY_TBAND_RESET, cause);
}

/* Names. They pass every filter, and are kept also while nothing is recorded. Those of interrupts are per core. */

/* An interrupt of this core. */
static inline void sty_tband_name_isr(sty_tband_t *tband, uint32_t core, uint32_t isr, const char *name) {
    sty_tband_name_(tband, core, 0x03, isr, name);
}
/* An event marker. */
static inline void sty_tband_name_marker(sty_tband_t *tband, uint32_t core, uint32_t marker, const char *name) {
    sty_tband_name_(tband, core, 0x06, marker, name);
}
/* A value marker, whose unit may stand at the end of its name. */
static inline void sty_tband_name_value(sty_tband_t *tband, uint32_t core, uint32_t marker, const char *name) {
    sty_tband_name_(tband, core, 0x0A, marker, name);
}

/* Interrupts. */

/* An interrupt begins. */
static inline void sty_tband_isr_enter(sty_tband_t *tband, uint32_t core, uint32_t isr) {
    if (sty_tband_on(tband, 0x04)) {
        sty_tband_1_(tband, core, 0x04, isr);
    }
}
/* It ends. */
static inline void sty_tband_isr_exit(sty_tband_t *tband, uint32_t core, uint32_t isr) {
    if (sty_tband_on(tband, 0x05)) {
        sty_tband_1_(tband, core, 0x05, isr);
    }
}

/* Markers: something happened, begins, ends; a value. */

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
/* It ends. */
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
