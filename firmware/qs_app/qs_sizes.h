/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Sizes of the kernel's numbers on the wire: as the kernel is configured, else those of the library. To be included
 * after the kernel's headers. */
#ifndef SPYTUI_QS_SIZES_H
#define SPYTUI_QS_SIZES_H

#include "spytui/qs.h"

#ifdef QF_EVENT_SIZ_SIZE
#define STY_QS_APP_EVENT_SIZE QF_EVENT_SIZ_SIZE
#else
#define STY_QS_APP_EVENT_SIZE STY_QS_EVENT_SIZE
#endif
#ifdef QF_EQUEUE_CTR_SIZE
#define STY_QS_APP_QUEUE_CTR_SIZE QF_EQUEUE_CTR_SIZE
#else
#define STY_QS_APP_QUEUE_CTR_SIZE STY_QS_QUEUE_CTR_SIZE
#endif
#ifdef QF_MPOOL_CTR_SIZE
#define STY_QS_APP_POOL_CTR_SIZE QF_MPOOL_CTR_SIZE
#else
#define STY_QS_APP_POOL_CTR_SIZE STY_QS_POOL_CTR_SIZE
#endif
#ifdef QF_MPOOL_SIZ_SIZE
#define STY_QS_APP_POOL_BLK_SIZE QF_MPOOL_SIZ_SIZE
#else
#define STY_QS_APP_POOL_BLK_SIZE STY_QS_POOL_BLK_SIZE
#endif

#endif
