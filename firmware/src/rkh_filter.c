/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "spytui/rkh_filter.h"

#include "bits.h"

bool sty_rkh_filter_group(sty_rkh_filter_t *filter, uint8_t group, bool on) {
    if (group > STY_RKH_GROUPS) {
        return false;
    }
    const uint32_t begin = group == STY_RKH_GROUPS ? 0u : sty_rkh_table_(group);
    const uint32_t end = group + 1u < STY_RKH_GROUPS ? sty_rkh_table_(group + 1u) : STY_RKH_TABLE;
    if (group == STY_RKH_GROUPS) {
        sty_bits_fill(&filter->groups, 1, on);
    } else {
        sty_bits_set_(&filter->groups, group, on);
    }
    sty_bits_fill(&filter->events[begin], end - begin, on);
    return true;
}

bool sty_rkh_filter_event(sty_rkh_filter_t *filter, uint32_t id, bool on) {
    static const uint8_t events[STY_RKH_GROUPS] = {3, 7, 9, 18, 5, 21, 32, 10};
    const uint32_t group = id >> 5;
    const uint32_t event = id & 31u;
    if (group >= STY_RKH_GROUPS || event >= events[group]) {
        return false;
    }
    sty_bits_set_(&filter->events[sty_rkh_table_(group)], event, on);
    if (on) {
        sty_bits_set_(&filter->groups, group, true);
    }
    return true;
}

bool sty_rkh_filter_object(sty_rkh_filter_t *filter, uint32_t prio, bool on) {
    if (prio >= STY_RKH_MAX_OBJECTS) {
        return false;
    }
    sty_bits_set_(filter->objects, prio, on);
    return true;
}

bool sty_rkh_filter_signal(sty_rkh_filter_t *filter, uint32_t sig, bool on) {
    if (sig >= STY_RKH_MAX_SIGNALS) {
        return false;
    }
    sty_bits_set_(filter->signals, sig, on);
    return true;
}

void sty_rkh_filter_all(sty_rkh_filter_t *filter, bool on) {
    (void)sty_rkh_filter_group(filter, STY_RKH_GROUPS, on);
    if (on) {
        sty_bits_fill(filter->objects, sizeof filter->objects, true);
        sty_bits_fill(filter->signals, sizeof filter->signals, true);
    }
}
