/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Elements of user records other than small numbers. */
#include <float.h>

#include "qs_pack.h"

#if DBL_MANT_DIG != 53
#error "double must have 64 bits"
#endif

void sty_qs_element64_(sty_qs_t *qs, uint8_t format, uint64_t value) {
    uint8_t element[9];
    element[0] = format;
    sty_qs_part_(qs, element, sty_pack(&element[1], value, 8));
}

void sty_qs_f32(sty_qs_t *qs, uint8_t digits, float value) {
    union {
        float f;
        uint32_t bits;
    } u = {.f = value};
    sty_qs_element_(qs, u.bits, STY_QS_FORMAT_(6u, digits), 4);
}

void sty_qs_f64(sty_qs_t *qs, uint8_t digits, double value) {
    union {
        double f;
        uint64_t bits;
    } u = {.f = value};
    sty_qs_element64_(qs, STY_QS_FORMAT_(7u, digits), u.bits);
}

void sty_qs_str(sty_qs_t *qs, const char *text) {
    static const uint8_t format = 8;
    STY_ASSERT(text != NULL);
    const uint8_t *bytes = (const uint8_t *)text;
    sty_qs_part_(qs, &format, &format + 1);
    sty_qs_part_(qs, bytes, sty_text_end(bytes));
}

void sty_qs_mem(sty_qs_t *qs, const void *bytes, uint8_t count) {
    const uint8_t element[2] = {9, count};
    STY_ASSERT(bytes != NULL || count == 0u);
    const uint8_t *from = bytes;
    sty_qs_part_(qs, element, element + 2);
    if (count != 0u) {
        sty_qs_part_(qs, from, from + count);
    }
}

void sty_qs_sig(sty_qs_t *qs, uint32_t sig, const void *object) {
    uint8_t element[1 + STY_QS_SIG_SIZE + STY_QS_OBJ_SIZE];
    element[0] = 10;
    sty_qs_part_(qs, element, sty_pack_obj(sty_pack_sig(&element[1], sig), object));
}

void sty_qs_obj(sty_qs_t *qs, const void *object) {
    uint8_t element[1 + STY_QS_OBJ_SIZE];
    element[0] = 11;
    sty_qs_part_(qs, element, sty_pack_obj(&element[1], object));
}

void sty_qs_fun(sty_qs_t *qs, uintptr_t function) {
    uint8_t element[1 + STY_QS_FUN_SIZE];
    element[0] = 12;
    sty_qs_part_(qs, element, sty_pack_fun(&element[1], function));
}
