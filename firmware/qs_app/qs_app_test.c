/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Probes and pauses of a test target; nothing without Q_UTEST. A program that takes no commands has neither. */
#include "qs_app_parts.h"

#ifdef Q_UTEST

sty_qstest_t sty_qs_app_test_;

uint32_t sty_qs_app_probe_(uintptr_t function) {
    uint32_t data = 0;
    if (sty_qs_app_test_.rx != NULL) {
        STY_QS_APP_LOCKED_(data = sty_qstest_probe(&sty_qs_app_test_, function));
    }
    return data;
}

void sty_qs_app_pause_(void) {
    uint8_t pause = 0;
    if (sty_qs_app_test_.rx == NULL) {
        return;
    }
    STY_QS_APP_LOCKED_(pause = sty_qstest_begin_pause_(&sty_qs_app_test_));
    while (sty_qstest_is_paused_(&sty_qs_app_test_, pause)) {
        QS_onTestLoop();
    }
}

#endif
