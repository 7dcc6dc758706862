/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Records of the kernel, field by field. */
#include "qs_port.h"

#include "qs_pkg.h"

#include "../src/qs_pack.h"

void sty_qp8_begin_(uint8_t rec) {
    uint8_t frame[2];
    sty_qs_part_(&sty_qs_app_, frame, sty_qs_open_(&sty_qs_app_, rec, frame));
}

void sty_qp8_end_(void) {
    sty_qs_end(&sty_qs_app_);
}

void sty_qp8_time_(void) {
    sty_qp8_number_(QS_onGetTime(), STY_QS_TIME_SIZE);
}

void sty_qp8_number_(uint32_t number, uint32_t size) {
    uint8_t bytes[4];
    sty_pack(bytes, number, 4);
    sty_qs_part_(&sty_qs_app_, bytes, bytes + size);
}

void sty_qp8_object_(const volatile void *object) {
    uint8_t bytes[STY_QS_OBJ_SIZE];
    sty_qs_part_(&sty_qs_app_, bytes, sty_pack(bytes, (uintptr_t)object, STY_QS_OBJ_SIZE));
}

void sty_qp8_function_(uintptr_t function) {
    uint8_t bytes[STY_QS_FUN_SIZE];
    sty_qs_part_(&sty_qs_app_, bytes, sty_pack_fun(bytes, function));
}

void sty_qp8_name_(const void *object, const char *name) {
    if (sty_qs_app_runs_()) {
        sty_qs_obj_dict(&sty_qs_app_, object, name);
    }
}
