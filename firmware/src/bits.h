/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Private: filters as bits. Traced code reads them at any time, and several contexts may set them. */
#ifndef SPYTUI_BITS_H
#define SPYTUI_BITS_H

#include "spytui/port.h"

/* Sets bit n without affecting the others, even if they are being set at the same time. */
void sty_bits_set_(uint8_t *bits, uint32_t n, bool on);

/* Sets all of `count` bytes. */
static inline void sty_bits_fill(uint8_t *bits, size_t count, bool on) {
    for (size_t i = 0; i < count; i++) {
        STY_STORE(&bits[i], (uint8_t)(on ? 0xFFu : 0u));
    }
}

#endif
