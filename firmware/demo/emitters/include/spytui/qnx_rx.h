/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Receiver of the text lines that a host sends to QNX targets: "7 tev 3 10" is command 7, the kernel's command 3
 * with the word 10. Answers are user event 1023 (kev) or opcode 0xFE (nto1), with the number of the command and the
 * result. */
#ifndef SPYTUI_QNX_RX_H
#define SPYTUI_QNX_RX_H

#include "spytui/nto1.h"
#include "spytui/qnx.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the program executes commands. A NULL member refuses its command. */
typedef struct {
    /* Recording restarts: send names and states of all processes and threads. */
    void (*names)(void *ctx);
    /* A fault switch of the demo. False: no such switch. */
    bool (*fault)(void *ctx, uint32_t id, uint32_t value);
} sty_qnxrx_cb_t;

/* Private; use the functions below. One of `qnx` and `nto1` is NULL. */
typedef struct {
    sty_qnx_t *qnx;
    sty_nto1_t *nto1;
    const sty_qnxrx_cb_t *cb;
    void *ctx;
    uint16_t length;
    char line[256];
} sty_qnxrx_t;

/* Creates a command receiver for an emitter. `cb` is required, its members are not; `ctx` is passed to them. */
void sty_qnxrx_init(sty_qnxrx_t *rx, sty_qnx_t *qnx, const sty_qnxrx_cb_t *cb, void *ctx);
void sty_qnxrx_init_nto1(sty_qnxrx_t *rx, sty_nto1_t *nto1, const sty_qnxrx_cb_t *cb, void *ctx);
/* Takes a byte from the link. At the end of a line it calls back and answers. */
void sty_qnxrx_feed(sty_qnxrx_t *rx, uint8_t byte);

#ifdef __cplusplus
}
#endif

#endif
