/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Stand-in for the header of Tonbandgerät in tests: a value marker call whose frame goes to the configured backend.
 * Real frames contain a time and are encoded. */
#ifndef STAND_IN_TBAND_H
#define STAND_IN_TBAND_H

#include "tband_config.h"

/* Number of frames refused by the backend, which Tonbandgerät counts and reports. */
extern unsigned stand_in_tband_dropped;

static inline void tband_valmarker(uint32_t id, int64_t value) {
    uint8_t frame[14] = {0x0B};
    for (unsigned i = 0; i < 4; i++) {
        frame[1 + i] = (uint8_t)(id >> (8u * i));
    }
    for (unsigned i = 0; i < 8; i++) {
        frame[5 + i] = (uint8_t)((uint64_t)value >> (8u * i));
    }
    if (tband_portBACKEND_STREAM_DATA(frame, sizeof frame)) {
        stand_in_tband_dropped++;
    }
}

#endif
