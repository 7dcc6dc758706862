/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* User events. */
#include "rkh_pack.h"

void sty_rkh_begin(sty_rkh_t *rkh, uint8_t event) {
    uint8_t frame[STY_RKH_HEAD];
    STY_ASSERT(event < 32u);
    /* Answers may use the reserved bytes. */
    const uint32_t urgent = event == STY_RKH_ACK ? STY_RKH_URGENT : 0u;
    sty_rkh_part_(rkh, frame, sty_rkh_open_(rkh, STY_RKH_ID(STY_RKH_USR, event & 31u) | urgent, frame));
}

void sty_rkh_str(sty_rkh_t *rkh, const char *text) {
    static const uint8_t format = 7;
    sty_rkh_part_(rkh, &format, &format + 1);
    sty_rkh_text_(rkh, text);
}

void sty_rkh_mem(sty_rkh_t *rkh, const void *bytes, uint8_t count) {
    const uint8_t item[2] = {8, count};
    STY_ASSERT(bytes != NULL || count == 0u);
    const uint8_t *from = bytes;
    sty_rkh_part_(rkh, item, item + 2);
    if (count != 0u) {
        sty_rkh_part_(rkh, from, from + count);
    }
}
