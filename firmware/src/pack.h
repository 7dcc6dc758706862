/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Private: numbers as they travel. */
#ifndef SPYTUI_PACK_H
#define SPYTUI_PACK_H

#include "spytui/port.h"

/* Little-endian. `size` is a constant, so that this becomes a store or two. */
STY_INLINE uint8_t *sty_pack(uint8_t *to, uint64_t value, unsigned size) {
#if STY_UNALIGNED
    __builtin_memcpy(to, &value, size);
#else
    for (unsigned i = 0; i < size; i++) {
        to[i] = (uint8_t)value;
        value >>= 8;
    }
#endif
    return to + size;
}
STY_INLINE uint8_t *sty_pack_u8(uint8_t *to, uint8_t value) {
    return sty_pack(to, value, 1);
}

/* Behind the NUL of a text. */
STY_INLINE const uint8_t *sty_text_end(const uint8_t *text) {
    while (*text++ != 0u) {
    }
    return text;
}

#endif
