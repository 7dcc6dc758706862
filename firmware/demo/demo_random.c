/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "demo_model.h"

uint32_t demo_random(demo_t *demo, uint32_t bound) {
    uint32_t x = demo->random;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    demo->random = x;
    return x % bound;
}
