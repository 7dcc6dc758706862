/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Filters by group and range, and current objects. */
#include "spytui/qs.h"

#include "bits.h"

static void set_range(uint8_t bits[16], uint8_t first, uint8_t last, bool on) {
    for (unsigned n = first; n <= last && n < 128u; n++) {
        sty_bits_set_(bits, n, on);
    }
}

void sty_qs_glb_set(sty_qs_t *qs, const uint8_t bits[16]) {
    for (size_t i = 0; i < sizeof qs->glb; i++) {
        STY_STORE(&qs->glb[i], bits[i]);
    }
}

void sty_qs_glb_rec(sty_qs_t *qs, uint8_t rec, bool on) {
    set_range(qs->glb, rec, rec, on);
}

void sty_qs_glb_group(sty_qs_t *qs, sty_qs_group_t group, bool on) {
    static const struct {
        uint8_t group;
        uint8_t first;
        uint8_t last;
    } ranges[] = {
        {STY_QS_GRP_ALL, 0, 124}, {STY_QS_GRP_SM, 1, 9},      {STY_QS_GRP_SM, 55, 57},   {STY_QS_GRP_AO, 10, 18},
        {STY_QS_GRP_AO, 45, 45},  {STY_QS_GRP_AO, 81, 81},    {STY_QS_GRP_EQ, 19, 22},   {STY_QS_GRP_EQ, 46, 46},
        {STY_QS_GRP_MP, 24, 25},  {STY_QS_GRP_MP, 47, 47},    {STY_QS_GRP_QF, 23, 23},   {STY_QS_GRP_QF, 26, 31},
        {STY_QS_GRP_QF, 38, 44},  {STY_QS_GRP_TE, 32, 37},    {STY_QS_GRP_SC, 48, 53},   {STY_QS_GRP_SEM, 71, 74},
        {STY_QS_GRP_MTX, 75, 80}, {STY_QS_GRP_U0, 100, 104},  {STY_QS_GRP_U1, 105, 109}, {STY_QS_GRP_U2, 110, 114},
        {STY_QS_GRP_U3, 115, 119}, {STY_QS_GRP_U4, 120, 124}, {STY_QS_GRP_UA, 100, 124},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        if (ranges[i].group == (uint8_t)group) {
            set_range(qs->glb, ranges[i].first, ranges[i].last, on);
        }
    }
}

void sty_qs_loc_range(sty_qs_t *qs, uint8_t first, uint8_t last, bool on) {
    set_range(qs->loc_off, first != 0u ? first : 1u, last, !on);
}

void sty_qs_loc_set(sty_qs_t *qs, const uint8_t bits[16]) {
    for (size_t i = 0; i < sizeof qs->loc_off; i++) {
        STY_STORE(&qs->loc_off[i], (uint8_t)(~bits[i] & (i == 0u ? 0xFE : 0xFF)));
    }
}

bool sty_qs_current(sty_qs_t *qs, uint8_t kind, const void *object) {
    if (kind == STY_QS_SM_AO) {
        qs->current[STY_QS_SM] = object;
        qs->current[STY_QS_AO] = object;
        return true;
    }
    if (kind >= STY_QS_KINDS || (kind == STY_QS_EP && qs->target->version < 800)) {
        return false;
    }
    qs->current[kind] = object;
    return true;
}
