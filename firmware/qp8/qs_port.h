/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Wire sizes, for ports and applications that need them: those of the library, see spytui/qs.h, if the application's
 * configuration has none. A port's own qs_port.h works, too. */
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
#ifndef QS_CTR_SIZE
#define QS_CTR_SIZE 4 /* of the index of the trace buffer */
#endif

#endif
