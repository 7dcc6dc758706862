/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* QS test part: commands of test scripts (QUTest) that only a test target has. A test begins with a setup and ends with a
 * teardown; a test probe changes what a function does; the program pauses until the script continues it. Objects,
 * filters, events and memory are commands of qs_rx.h.
 *
 *     const sty_env_t env = {sty_qstest_now, lock, unlock, &test, 0};    time stamps count
 *     sty_qsrx_init(&rx, &qs, &callbacks, NULL);
 *     sty_qstest_init(&test, &rx, &test_callbacks, NULL);
 *     sty_qstest_feed(&test, byte);                                      instead of sty_qsrx_feed()
 *
 * A function under test:
 *     const uint32_t data = sty_qstest_probe(&test, (uintptr_t)read_sensor);
 *     if (data != 0) {
 *         return (int)data;
 *     }
 */
#ifndef SPYTUI_QS_TEST_H
#define SPYTUI_QS_TEST_H

#include "spytui/qs_rx.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Maximum number of probes that wait. */
#ifndef STY_QSTEST_PROBES
#define STY_QSTEST_PROBES 16
#endif

/* What the program does at commands. Called by sty_qstest_feed(), except wait(). */
typedef struct {
    /* A test begins or ends; it was acknowledged. NULL: nothing to do. */
    void (*setup)(void *ctx);
    void (*teardown)(void *ctx);
    /* Waits for the link and serves it. Called by sty_qstest_pause() until the host continues the program. False: the
     * pause ends without that, as when the host resets the target. Required for pauses. */
    bool (*wait)(void *ctx);
} sty_qstest_cb_t;

/* Private; use the functions below. */
typedef struct {
    sty_qsrx_t *rx;
    const sty_qstest_cb_t *cb;
    void *ctx;
    uint32_t time;
    uint8_t pauses; /* a command during a pause may pause again */
    uint8_t probes;
    struct {
        uintptr_t function;
        uint32_t data;
    } probe[STY_QSTEST_PROBES];
} sty_qstest_t;

/* Adds the commands of test scripts to `rx`. `cb` is required, its members are not; `ctx` is passed to them. Once, after
 * sty_qsrx_init() and before all others; not reentrant. */
void sty_qstest_init(sty_qstest_t *test, sty_qsrx_t *rx, const sty_qstest_cb_t *cb, void *ctx);
/* Takes a byte from the link, as sty_qsrx_feed(). From the context that serves the link, also in wait(), but not inside a
 * record; not from an interrupt, unless the callbacks allow that. During wait() it may be called inside itself. */
void sty_qstest_feed(sty_qstest_t *test, uint8_t byte);
/* The time since the last setup, for sty_env_t: each time stamp is the next number, so that a script knows them before.
 * `test` is a sty_qstest_t. Called with the lock held; from wherever a record is sent. */
uint64_t sty_qstest_now(void *test);
/* Takes the next probe for `function`: sends it, and returns its data. 0: there is none. From tasks and interrupts that
 * the lock masks, but not inside a record; reentrant. */
uint32_t sty_qstest_probe(sty_qstest_t *test, uintptr_t function);
/* Sends that the program pauses, and waits until the host continues it. Parameters of an event that is being executed
 * are invalid afterwards. From tasks, not from interrupts or inside a record; not reentrant, but a command during a
 * pause may pause again. */
void sty_qstest_pause(sty_qstest_t *test);

/* Private: sty_qstest_pause() in two steps, for programs that lock themselves. */
uint8_t sty_qstest_begin_pause_(sty_qstest_t *test);
bool sty_qstest_is_paused_(const sty_qstest_t *test, uint8_t pause);
void sty_qstest_end_pause_(sty_qstest_t *test, uint8_t pause);

#ifdef __cplusplus
}
#endif

#endif
