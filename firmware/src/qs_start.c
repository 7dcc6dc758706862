/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The first frames after a start. */
#include "qs_pack.h"

void sty_qs_start(sty_qs_t *qs) {
    uint8_t frame[2];
    sty_qs_send_(qs, 0 | STY_QS_URGENT | STY_QS_UNTIMED, frame, frame + 2);
    qs->target->info(qs, true);
    sty_qs_usr_dict(qs, STY_QS_DROPS_REC, "STY_DROPS");
}

void sty_qs_reset_cause(sty_qs_t *qs, const char *cause) {
    sty_qs_usr_dict(qs, STY_QS_RESET_REC, "STY_RESET");
    sty_qs_begin_(qs, STY_QS_RESET_REC | STY_QS_URGENT);
    sty_qs_str(qs, cause);
    sty_qs_end(qs);
}
