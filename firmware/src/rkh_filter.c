/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "spytui/rkh.h"

static void set_bit(uint8_t *bits, uint32_t n, bool on) {
    const uint8_t bit = (uint8_t)(1u << (n & 7u));
    bits[n >> 3] = (uint8_t)(on ? bits[n >> 3] | bit : bits[n >> 3] & ~bit);
}

static void set_bytes(uint8_t *bits, uint32_t count, bool on) {
    for (uint32_t i = 0; i < count; i++) {
        bits[i] = on ? 0xFFu : 0u;
    }
}

bool sty_rkh_filter_group(sty_rkh_t *rkh, uint8_t group, bool on) {
    if (group > STY_RKH_GROUPS) {
        return false;
    }
    const uint32_t begin = group == STY_RKH_GROUPS ? 0u : sty_rkh_table_(group);
    const uint32_t end = group + 1u < STY_RKH_GROUPS ? sty_rkh_table_(group + 1u) : STY_RKH_TABLE;
    if (group == STY_RKH_GROUPS) {
        set_bytes(&rkh->groups, 1, on);
    } else {
        set_bit(&rkh->groups, group, on);
    }
    set_bytes(&rkh->events[begin], end - begin, on);
    return true;
}

bool sty_rkh_filter_event(sty_rkh_t *rkh, uint32_t id, bool on) {
    static const uint8_t events[STY_RKH_GROUPS] = {3, 7, 9, 18, 5, 21, 32, 10};
    const uint32_t group = id >> 5;
    const uint32_t event = id & 31u;
    if (group >= STY_RKH_GROUPS || event >= events[group]) {
        return false;
    }
    set_bit(&rkh->events[sty_rkh_table_(group)], event, on);
    if (on) {
        set_bit(&rkh->groups, group, true);
    }
    return true;
}

bool sty_rkh_filter_object(sty_rkh_t *rkh, uint32_t prio, bool on) {
    if (prio >= STY_RKH_MAX_OBJECTS) {
        return false;
    }
    set_bit(rkh->objects, prio, on);
    return true;
}

bool sty_rkh_filter_signal(sty_rkh_t *rkh, uint32_t sig, bool on) {
    if (sig >= STY_RKH_MAX_SIGNALS) {
        return false;
    }
    set_bit(rkh->signals, sig, on);
    return true;
}

void sty_rkh_filter_all(sty_rkh_t *rkh, bool on) {
    sty_rkh_filter_group(rkh, STY_RKH_GROUPS, on);
    if (on) {
        set_bytes(rkh->objects, sizeof rkh->objects, true);
        set_bytes(rkh->signals, sizeof rkh->signals, true);
    }
}
