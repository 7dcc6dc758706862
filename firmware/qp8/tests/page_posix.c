/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The steps of docs/qp8.md on a POSIX system, with the small kernel. */
#include "qp_port.h"

#include "qs_port.h"

enum { TIMEOUT_SIG = 4 };
static QActive lamp;
static QActive *const AO_Lamp = &lamp;
static uint8_t l_clock_tick;

static void Lamp_on(QAsm *me, QEvt const *e) {
    me->handled = e->sig == TIMEOUT_SIG;
}

void QF_onClockTick(void);
void QF_onCleanup(void);
#include "page_posix_2.inc"
#include "page_posix_3.inc"

int main(int argc, char **argv) {
    static QEvt const timeout = {.sig = TIMEOUT_SIG};
    kernel_init();
#include "page_posix_1.inc"
    kernel_start(AO_Lamp, 1, Lamp_on);
    kernel_run();
    for (unsigned tick = 0; tick < 10; tick++) {
        QF_onClockTick();
        QACTIVE_POST(AO_Lamp, &timeout, &l_clock_tick);
        while (kernel_step()) {
        }
    }
    QF_onCleanup();
    return kernel_faults != 0u;
}
