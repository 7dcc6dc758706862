/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Includes all headers, for each standard of C. */
#define STY_BASEPRI 0x40u
#define STY_CORE() 0u
#define STY_MASK() 0u
#define STY_UNMASK(state) ((void)(state))
#include "headers.h" /* made by the build */

#include "qp_glue.h"
#include "rkh_glue.h"
#include "spytui/ports/lock_threads.h"
#include "tband_glue.h"
