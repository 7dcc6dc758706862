/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Private to qs_app.h: the macros of test targets. With Q_UTEST, defined for all files, the program takes the commands of test
 * scripts, and its time stamps count; without, probes and pauses are nothing. */
#ifndef SPYTUI_QS_APP_TEST_H
#define SPYTUI_QS_APP_TEST_H

#ifdef Q_UTEST

#include "spytui/qs_test.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Provided by the program ---- */

/* A test begins or ends. Called by QS_rxParse(), outside of critical sections. */
void QS_onTestSetup(void);
void QS_onTestTeardown(void);
/* Waits for the link and serves it, also by QS_rxParse(); called until the host continues the program. qs_posix.c has one. */
void QS_onTestLoop(void);

/* ---- Private ---- */

extern sty_qstest_t sty_qs_app_test_;
uint32_t sty_qs_app_probe_(uintptr_t function);
void sty_qs_app_pause_(void);

#ifdef __cplusplus
}
#endif

/* ---- Called by the program ---- */

/* At the begin of a function: takes its next probe. From tasks, and from interrupts that the lock masks; reentrant. */
#define QS_TEST_PROBE_DEF(fun) const uint32_t qs_tp_ = sty_qs_app_probe_(STY_CAST_POINTER(uintptr_t, fun));
/* Code for a probe whose data is not 0, or is `id`; `qs_tp_` is the data. */
#define QS_TEST_PROBE(code) \
    if (qs_tp_ != 0u) { \
        code \
    }
#define QS_TEST_PROBE_ID(id, code) \
    if (qs_tp_ == STY_CAST(uint32_t, id)) { \
        code \
    }
/* Waits until the host continues the program. From tasks; not reentrant. */
#define QS_TEST_PAUSE() (sty_qs_app_pause_())

#else

#define QS_TEST_PROBE_DEF(fun)
#define QS_TEST_PROBE(code)
#define QS_TEST_PROBE_ID(id, code)
#define QS_TEST_PAUSE() ((void)0)

#endif

#endif
