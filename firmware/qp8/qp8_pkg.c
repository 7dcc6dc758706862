/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Kernel records, field by field. They are collected and stuffed in one go, which is faster. */
#include "qs_pkg.h"

#include "../src/qs_pack.h"

/* The open record. The largest known one has 32 bytes. */
static uint8_t gathered[48];
static uint8_t *to;

/* Fields are written as a whole word, of which only the first bytes may count. */
enum { LONGEST_FIELD = 8 };

/* Makes room for a field. */
static void make_room(void) {
    if (to > &gathered[sizeof gathered - LONGEST_FIELD]) {
        sty_qs_part_(&sty_qs_app_, gathered, to);
        to = gathered;
    }
}

void sty_qp8_begin_(uint8_t rec) {
    sty_qs_send_(&sty_qs_app_, rec | STY_QS_UNTIMED | STY_QS_MORE, gathered, NULL);
    to = &gathered[2];
}

void sty_qp8_end_(void) {
    sty_qs_close_(&sty_qs_app_, gathered, to);
}

void sty_qp8_number_(uint32_t number, uint32_t size) {
    make_room();
    sty_pack(to, number, 4);
    to += size;
}

void sty_qp8_time_(void) {
    sty_qp8_number_(QS_onGetTime(), STY_QS_TIME_SIZE);
}

void sty_qp8_object_(const volatile void *object) {
    make_room();
    to = sty_pack(to, (uintptr_t)object, STY_QS_OBJ_SIZE);
}

void sty_qp8_function_(uintptr_t function) {
    make_room();
    to = sty_pack_fun(to, function);
}

void QS_beginRec_(uint_fast8_t const rec) {
    if (sty_qs_app_runs_()) {
        sty_qp8_begin_((uint8_t)rec);
    }
}

void QS_endRec_(void) {
    if (sty_qs_app_runs_()) {
        sty_qp8_end_();
    }
}

void sty_qp8_name_(const void *object, const char *name) {
    if (sty_qs_app_runs_()) {
        sty_qs_obj_dict(&sty_qs_app_, object, name);
    }
}
