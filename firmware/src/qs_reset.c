/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "qs_pack.h"

void sty_qs_reset_cause(sty_qs_t *qs, const char *cause) {
    sty_qs_usr_dict(qs, STY_QS_RESET_REC, "STY_RESET");
    sty_qs_begin(qs, STY_QS_RESET_REC);
    sty_qs_str(qs, cause);
    sty_qs_end(qs);
}
