/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "spytui/tband_filter.h"

#include "bits.h"

bool sty_tband_filter_class(sty_tband_filter_t *filter, uint8_t number, bool on) {
    if (number >= STY_TBAND_CLASSES) {
        return false;
    }
    sty_bits_set_(&filter->classes, number, on);
    return true;
}

bool sty_tband_filter_event(sty_tband_filter_t *filter, uint32_t id, bool on) {
    if (id > 0x7Fu || sty_tband_class_(id) == STY_TBAND_CLASSES) {
        return false;
    }
    sty_bits_set_(filter->events, id, on);
    return true;
}

bool sty_tband_filter_marker(sty_tband_filter_t *filter, uint32_t id, bool on) {
    if (id >= STY_TBAND_MARKERS) {
        return false;
    }
    sty_bits_set_(filter->markers, id, on);
    return true;
}

bool sty_tband_filter_value(sty_tband_filter_t *filter, uint32_t id, bool on) {
    if (id >= STY_TBAND_MARKERS) {
        return false;
    }
    sty_bits_set_(filter->values, id, on);
    return true;
}

void sty_tband_filter_all(sty_tband_filter_t *filter, bool on) {
    sty_bits_fill(&filter->classes, 1, on);
    sty_bits_fill(filter->events, sizeof filter->events, on);
    if (on) {
        sty_bits_fill(filter->markers, sizeof filter->markers, true);
        sty_bits_fill(filter->values, sizeof filter->values, true);
    }
}
