/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Filters of tband as set by host commands, for the emitter and for the glue to Tonbandgerät. */
#ifndef SPYTUI_TBAND_FILTER_H
#define SPYTUI_TBAND_FILTER_H

#include "spytui/port.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Number of event markers, and of value markers, with filters, starting at id 0; all others pass. */
#ifndef STY_TBAND_MARKERS
#define STY_TBAND_MARKERS 64
#endif

/* Classes of events for the filter. */
enum {
    STY_TBAND_TASK, STY_TBAND_ISR, STY_TBAND_QUEUE, STY_TBAND_MARKER, STY_TBAND_VALUE, STY_TBAND_LOCAL, STY_TBAND_CLASSES
};

/* Private; use the functions below. A set bit means pass. */
typedef struct {
    uint8_t classes;
    uint8_t events[16];
    uint8_t markers[(STY_TBAND_MARKERS + 7) / 8];
    uint8_t values[(STY_TBAND_MARKERS + 7) / 8];
} sty_tband_filter_t;

/* Private: the class of an event. Ids without a class are never filtered. */
STY_INLINE unsigned sty_tband_class_(unsigned id) {
    return (id >= 0x54u && id <= 0x5Eu) || id == 0x62u ? STY_TBAND_TASK :
        id == 0x04u || id == 0x05u                     ? STY_TBAND_ISR :
        id == 0x63u || (id >= 0x66u && id <= 0x70u)    ? STY_TBAND_QUEUE :
        id >= 0x07u && id <= 0x09u                     ? STY_TBAND_MARKER :
        id == 0x0Bu                                    ? STY_TBAND_VALUE :
        (id >= 0x7Bu && id <= 0x7Du) || id == 0x7Fu    ? STY_TBAND_LOCAL :
                                                         STY_TBAND_CLASSES;
}

/* Does an event pass the filters by class and event? */
STY_INLINE bool sty_tband_event_passes(const sty_tband_filter_t *filter, uint8_t id) {
    return (STY_LOAD(&filter->classes) >> sty_tband_class_(id) & 1u) != 0u &&
        (STY_LOAD(&filter->events[id >> 3]) >> (id & 7u) & 1u) != 0u;
}
/* Does an event marker pass? */
STY_INLINE bool sty_tband_marker_passes(const sty_tband_filter_t *filter, uint32_t id) {
    return id >= STY_TBAND_MARKERS || (STY_LOAD(&filter->markers[id >> 3]) >> (id & 7u) & 1u) != 0u;
}
/* Does a value marker pass? */
STY_INLINE bool sty_tband_value_passes(const sty_tband_filter_t *filter, uint32_t id) {
    return id >= STY_TBAND_MARKERS || (STY_LOAD(&filter->values[id >> 3]) >> (id & 7u) & 1u) != 0u;
}

/* Switches. False: no such class, event or marker. */
bool sty_tband_filter_class(sty_tband_filter_t *filter, uint8_t number, bool on);
bool sty_tband_filter_event(sty_tband_filter_t *filter, uint32_t id, bool on);
bool sty_tband_filter_marker(sty_tband_filter_t *filter, uint32_t id, bool on);
bool sty_tband_filter_value(sty_tband_filter_t *filter, uint32_t id, bool on);
/* Off: classes and events. On: also markers. */
void sty_tband_filter_all(sty_tband_filter_t *filter, bool on);

#ifdef __cplusplus
}
#endif

#endif
