/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Sizes that travel, for a port or application that asks for them. They are those of the library, see spytui/qs.h. */
#ifndef QS_PORT_H_
#define QS_PORT_H_

#include "qp_port.h"

#include "qs.h"

#ifndef QS_TIME_SIZE
#define QS_TIME_SIZE STY_QS_TIME_SIZE
#endif
#ifndef QS_OBJ_PTR_SIZE
#define QS_OBJ_PTR_SIZE STY_QS_OBJ_SIZE
#endif
#ifndef QS_FUN_PTR_SIZE
#define QS_FUN_PTR_SIZE STY_QS_FUN_SIZE
#endif
/* Of the index of the trace buffer. */
#ifndef QS_CTR_SIZE
#define QS_CTR_SIZE 4
#endif
#if QS_TIME_SIZE != STY_QS_TIME_SIZE || QS_OBJ_PTR_SIZE != STY_QS_OBJ_SIZE || QS_FUN_PTR_SIZE != STY_QS_FUN_SIZE
#error "define STY_QS_TIME_SIZE, STY_QS_OBJ_SIZE, STY_QS_FUN_SIZE for all files instead"
#endif

/* Ticks and events of the host, by qp8_kernel.c. */
#ifndef STY_QP8_NO_KERNEL
#define STY_QS_APP_KERNEL sty_qp8_kernel
#endif

#endif
