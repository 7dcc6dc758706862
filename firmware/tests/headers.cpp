// SPDX-License-Identifier: MIT OR Apache-2.0
// The headers are for C++ as well.
#include "qp_glue.h"
#include "rkh_glue.h"
#include "spytui/cmd_rx.h"
#include "spytui/fault.h"
#include "spytui/nto1.h"
#include "spytui/qnx_rx.h"
#include "spytui/qs_rec.h"
#include "spytui/qs_rx.h"
#include "spytui/rkh_rec.h"
#include "spytui/tband_rtos.h"
#include "tband_glue.h"

int main() {
    return sizeof(sty_qs_t) == 0;
}
