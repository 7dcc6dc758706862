/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Filters of RKH as set by host commands, for the glue to RKH. */
#ifndef SPYTUI_RKH_FILTER_H
#define SPYTUI_RKH_FILTER_H

#include "spytui/port.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Number of objects and signals with filters; all others pass. */
#ifndef STY_RKH_MAX_OBJECTS
#define STY_RKH_MAX_OBJECTS 64
#endif
#ifndef STY_RKH_MAX_SIGNALS
#define STY_RKH_MAX_SIGNALS 256
#endif

enum {
    STY_RKH_MP, STY_RKH_QUE, STY_RKH_SMA, STY_RKH_SM, STY_RKH_TMR, STY_RKH_FWK, STY_RKH_USR, STY_RKH_UT, STY_RKH_GROUPS
};

/* Size of the event table in bytes; group g begins at sty_rkh_table_(g). */
#define STY_RKH_TABLE 17

/* Private; use the functions below. A set bit means pass. */
typedef struct {
    uint8_t groups;
    uint8_t events[STY_RKH_TABLE];
    uint8_t objects[(STY_RKH_MAX_OBJECTS + 7) / 8];
    uint8_t signals[(STY_RKH_MAX_SIGNALS + 7) / 8];
} sty_rkh_filter_t;

/* Private: offset of a group in the table: 0, 1, 2, 4, 7, 8, 11, 15. */
STY_INLINE unsigned sty_rkh_table_(unsigned group) {
    return 0xFB874210u >> (4u * group) & 15u;
}

/* Switches. False: no such group, event, object or signal. */

/* A group with all its events; STY_RKH_GROUPS is all groups. */
bool sty_rkh_filter_group(sty_rkh_filter_t *filter, uint8_t group, bool on);
/* An event; `on` also switches its group on. */
bool sty_rkh_filter_event(sty_rkh_filter_t *filter, uint32_t id, bool on);
/* An active object, by priority. */
bool sty_rkh_filter_object(sty_rkh_filter_t *filter, uint32_t prio, bool on);
/* A signal. */
bool sty_rkh_filter_signal(sty_rkh_filter_t *filter, uint32_t sig, bool on);
/* Off: groups and events. On: also objects and signals. */
void sty_rkh_filter_all(sty_rkh_filter_t *filter, bool on);

#ifdef __cplusplus
}
#endif

#endif
