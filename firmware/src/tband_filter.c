/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "spytui/tband.h"

static void set_bit(uint8_t *bits, uint32_t n, bool on) {
    const uint8_t bit = (uint8_t)(1u << (n & 7u));
    bits[n >> 3] = (uint8_t)(on ? bits[n >> 3] | bit : bits[n >> 3] & ~bit);
}

static void set_bytes(uint8_t *bits, size_t count, bool on) {
    for (size_t i = 0; i < count; i++) {
        bits[i] = on ? 0xFFu : 0u;
    }
}

bool sty_tband_filter_class(sty_tband_t *tband, uint8_t number, bool on) {
    if (number >= STY_TBAND_CLASSES) {
        return false;
    }
    set_bit(&tband->classes, number, on);
    return true;
}

bool sty_tband_filter_event(sty_tband_t *tband, uint32_t id, bool on) {
    if (id > 0x7Fu || sty_tband_class_(id) == STY_TBAND_CLASSES) {
        return false;
    }
    set_bit(tband->events, id, on);
    return true;
}

bool sty_tband_filter_marker(sty_tband_t *tband, uint32_t id, bool on) {
    if (id >= STY_TBAND_MARKERS) {
        return false;
    }
    set_bit(tband->markers, id, on);
    return true;
}

bool sty_tband_filter_value(sty_tband_t *tband, uint32_t id, bool on) {
    if (id >= STY_TBAND_MARKERS) {
        return false;
    }
    set_bit(tband->values, id, on);
    return true;
}

void sty_tband_filter_all(sty_tband_t *tband, bool on) {
    set_bytes(&tband->classes, 1, on);
    set_bytes(tband->events, sizeof tband->events, on);
    if (on) {
        set_bytes(tband->markers, sizeof tband->markers, true);
        set_bytes(tband->values, sizeof tband->values, true);
    }
}
