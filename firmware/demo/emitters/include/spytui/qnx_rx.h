/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Receiver of the text lines that a host sends to QNX targets: "7 tev 3 10" is command 7, the kernel's command 3 with the
 * word 10. Answers are user event 1023 (kev) or opcode 0xFE (nto1), with the number of the command and the result. */
#ifndef SPYTUI_QNX_RX_H
#define SPYTUI_QNX_RX_H

#include "spytui/nto1.h"
#include "spytui/qnx.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the program does with commands. A member that is NULL refuses its command. */
typedef struct {
    /* Recording begins again: send the names and states of all processes and threads. */
    void (*names)(void *ctx);
    /* A fault switch of the demo. False: there is no such switch. */
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

/* A receiver for the commands of an emitter. `cb` is needed, its members are not; `ctx` is handed to them. */
void sty_qnxrx_init(sty_qnxrx_t *rx, sty_qnx_t *qnx, const sty_qnxrx_cb_t *cb, void *ctx);
void sty_qnxrx_init_nto1(sty_qnxrx_t *rx, sty_nto1_t *nto1, const sty_qnxrx_cb_t *cb, void *ctx);
/* Takes a byte of the link. Calls back and answers when it ends a line. */
void sty_qnxrx_feed(sty_qnxrx_t *rx, uint8_t byte);

#ifdef __cplusplus
}
#endif

#endif
