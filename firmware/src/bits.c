/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "bits.h"

void sty_bits_set_(uint8_t *bits, uint32_t n, bool on) {
    const uint8_t bit = (uint8_t)(1u << (n & 7u));
    if (on) {
        STY_SET_BITS(&bits[n >> 3], bit);
    } else {
        STY_CLEAR_BITS(&bits[n >> 3], bit);
    }
}
