/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Like in a port that comes with the kernel. */
#ifndef QS_PORT_H_
#define QS_PORT_H_

#define QS_TIME_SIZE 4U
#define QS_OBJ_PTR_SIZE 4U
#define QS_FUN_PTR_SIZE 4U
#define QS_CTR_SIZE 2U

#include "qs.h"

#endif
