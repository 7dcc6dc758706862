/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* For programs without a framework: QS for their own records. If interrupts or several threads trace, copy this file
 * to the program and define how to lock, here for a Cortex-M:
 *
 *     #define QS_CRIT_STAT uint32_t primask;
 *     #define QS_CRIT_ENTRY() (primask = __get_PRIMASK(), __disable_irq())
 *     #define QS_CRIT_EXIT() __set_PRIMASK(primask) */
#ifndef QS_PORT_H_
#define QS_PORT_H_

#include "qs_app.h"

#endif
