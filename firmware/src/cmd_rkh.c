/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Commands for RKH. */
#include "spytui/cmd_rx.h"

bool sty_cmd_rkh_filter_(sty_rkh_filter_t *filter, uint8_t op, uint32_t id, bool on) {
    switch (op) {
    case STY_CMD_GROUP:
        return sty_rkh_filter_group(filter, (uint8_t)id, on);
    case STY_CMD_EVENT:
        return sty_rkh_filter_event(filter, id, on);
    case STY_CMD_OBJECT:
        return sty_rkh_filter_object(filter, id, on);
    case STY_CMD_SIGNAL:
        return sty_rkh_filter_signal(filter, id, on);
    default:
        sty_rkh_filter_all(filter, on);
        return true;
    }
}

enum { VERSION = 0, GROUPS = 3, EVENTS = 4 };

uint32_t sty_cmd_rkh_state_(const sty_rkh_filter_t *filter, uint32_t n) {
    if (n == VERSION) {
        return STY_CMD_VERSION;
    }
    if (n == GROUPS) {
        return STY_LOAD(&filter->groups);
    }
    uint32_t bits = 0;
    for (uint32_t i = 0; i < 4u; i++) {
        const uint32_t at = 4u * (n - EVENTS) + i;
        bits |= at < STY_RKH_TABLE ? (uint32_t)STY_LOAD(&filter->events[at]) << 8u * i : 0u;
    }
    return bits;
}
