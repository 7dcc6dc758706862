/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Private: wire format of numbers. */
#ifndef SPYTUI_PACK_H
#define SPYTUI_PACK_H

#include "spytui/port.h"

/* Little-endian. `size` is constant, so this compiles to one or two stores. */
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

/* Returns the end of a text, after its NUL. */
STY_INLINE const uint8_t *sty_text_end(const uint8_t *text) {
    while (*text++ != 0u) {
    }
    return text;
}

#endif
