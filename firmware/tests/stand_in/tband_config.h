/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The configuration of Tonbandgerät in a program with the glue, as in glue/README.md. */
#ifndef STAND_IN_TBAND_CONFIG_H
#define STAND_IN_TBAND_CONFIG_H

#include "tband_glue.h"

extern sty_tband_glue_t trace_glue;

#define tband_configENABLE 1
#define tband_configUSE_BACKEND_STREAMING 1
#define tband_portBACKEND_STREAM_DATA(buf, len) sty_tband_glue_data(&trace_glue, (buf), (len))

#endif
