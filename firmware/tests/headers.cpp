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

#pragma GCC diagnostic error "-Wold-style-cast"
#define STY_CORE() 0u
#define STY_MASK() 0u
#define STY_UNMASK(state) static_cast<void>(state)
#include "spytui/ports/clock_dwt.h"
#include "spytui/ports/clock_systick.h"
#include "spytui/ports/dma.h"
#include "spytui/ports/esp_idf.h"
#include "spytui/ports/freertos.h"
#include "spytui/ports/lock_cores.h"
#include "spytui/ports/rtt.h"
#include "spytui/ports/zephyr.h"

int main() {
    return sizeof(sty_qs_t) == 0;
}
