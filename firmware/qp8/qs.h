/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* QS for the kernel of QP/C 8, which includes this if Q_SPY is defined: the public part, for kernel and application. */
#ifndef QS_H_
#define QS_H_

/* The kernel's critical section; it need not nest. Expanded where it is used, so the port may define it later. */
#ifndef QS_CRIT_ENTRY
#define QS_CRIT_STAT QF_CRIT_STAT
#define QS_CRIT_ENTRY() QF_CRIT_ENTRY()
#define QS_CRIT_EXIT() QF_CRIT_EXIT()
#endif

/* For the sources in qs_app: where that is defined, and what executes ticks and events from the host, qp8_kernel.c. */
#define STY_QS_APP_PORT "qp_port.h"
#ifndef STY_QP8_NO_KERNEL
#define STY_QS_APP_KERNEL sty_qp8_kernel
#endif

#include "qs_app.h"

#endif
