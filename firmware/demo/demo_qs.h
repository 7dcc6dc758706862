/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Shared by the files of the QS demo. */
#ifndef DEMO_QS_H
#define DEMO_QS_H

#include "demo_trace.h"
#include "spytui/qs_rec.h"

enum { REC_BOILER = STY_QS_USER, REC_WORK = STY_QS_USER + DEMO_VALUES, REC_BURST, REC_TASK };

static inline sty_qs_t *demo_qs_emitter(demo_t *demo) {
    return &demo->trace.qs.qs;
}

/* The numbers of commands have names in this enumeration. */
enum { DEMO_QS_COMMANDS = 7 };
/* How the commands of the host are executed. */
extern const sty_qsrx_cb_t demo_qs_callbacks;

/* In demo_qs_tasks.c. */
void demo_qs_reset_cause(demo_t *demo, const char *cause);
void demo_qs_act(demo_t *demo, const demo_act_t *act);
void demo_qs_runs(demo_t *demo, unsigned now, unsigned before, demo_how_t how);

#endif
