/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Instructions per kernel record, by which a critical section gets longer. */
#include "qp_port.h"

#include "qs_port.h"

#include "qs_pkg.h"

#include "bench.h"

/* For gcc 12 at -Os. */
enum { MAX_POST = 416, MAX_FILTERED = 16 };

unsigned kernel_depth;
unsigned kernel_faults;
static QActive ao;

void QS_onFlush(void) {
}
QSTimeCtr QS_onGetTime(void) {
    return 0;
}

static void post(uint32_t i) {
    QS_BEGIN_PRE(QS_QF_ACTIVE_POST, 3U)
        QS_TIME_PRE();
        QS_OBJ_PRE(&ring);
        QS_SIG_PRE(i & 63u);
        QS_OBJ_PRE(&ao);
        QS_2U8_PRE(1U, 2U);
        QS_EQC_PRE(9U);
        QS_EQC_PRE(8U);
    QS_END_PRE()
}

static void state_entry(uint32_t i) {
    (void)i;
    QS_BEGIN_PRE(QS_QEP_STATE_ENTRY, 3U)
        QS_OBJ_PRE(&ao);
        QS_FUN_PRE(&post);
    QS_END_PRE()
}

int main(void) {
    static uint8_t trace[256];
    bench_start();
    QS_initBuf(trace, sizeof trace);
    sty_qs_app_.ring = &ring; /* drained between measurements */
    const uint32_t off = measure("QP/C 8 post record that is off", post);
    QS_GLB_FILTER(QS_GRP_ALL);
    const uint32_t on = measure("QP/C 8 post record", post);
    measure("QP/C 8 state entry", state_entry);
    if (sty_ring_drops(&ring) != 0u || bytes_of(post) != 22u) {
        semihost_text("records were dropped, or the post record is not the one that the limit is for\n");
        return 2;
    }
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ == 12 && defined(__OPTIMIZE_SIZE__)
    return on <= MAX_POST && off <= MAX_FILTERED ? 0 : 1;
#else
    (void)on;
    (void)off;
    return 0;
#endif
}
