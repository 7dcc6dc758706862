/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "spytui/tband.h"

#include "bits.h"

bool sty_tband_filter_class(sty_tband_t *tband, uint8_t number, bool on) {
    if (number >= STY_TBAND_CLASSES) {
        return false;
    }
    sty_bits_set_(&tband->classes, number, on);
    return true;
}

bool sty_tband_filter_event(sty_tband_t *tband, uint32_t id, bool on) {
    if (id > 0x7Fu || sty_tband_class_(id) == STY_TBAND_CLASSES) {
        return false;
    }
    sty_bits_set_(tband->events, id, on);
    return true;
}

bool sty_tband_filter_marker(sty_tband_t *tband, uint32_t id, bool on) {
    if (id >= STY_TBAND_MARKERS) {
        return false;
    }
    sty_bits_set_(tband->markers, id, on);
    return true;
}

bool sty_tband_filter_value(sty_tband_t *tband, uint32_t id, bool on) {
    if (id >= STY_TBAND_MARKERS) {
        return false;
    }
    sty_bits_set_(tband->values, id, on);
    return true;
}

void sty_tband_filter_all(sty_tband_t *tband, bool on) {
    sty_bits_fill(&tband->classes, 1, on);
    sty_bits_fill(tband->events, sizeof tband->events, on);
    if (on) {
        sty_bits_fill(tband->markers, sizeof tband->markers, true);
        sty_bits_fill(tband->values, sizeof tband->values, true);
    }
}
