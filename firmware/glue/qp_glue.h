/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A guard in front of QS-RX, for programs that trace with the original QS of QP.
 *
 * QS-RX writes the bytes of a poke as they arrive, before it has seen the checksum, and can reach all memory. The
 * guard collects a whole frame, drops it if it is damaged, and asks the program about each peek, poke and fill.
 *     sty_qp_glue_init(&glue, &callbacks, NULL);      after QS-RX
 *     sty_qp_glue_feed(&glue, byte);                  with each byte from the link, in place of QS-RX */
#ifndef SPYTUI_QP_GLUE_H
#define SPYTUI_QP_GLUE_H

#include "spytui/qs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Maximum length of a frame: number, command, payload, checksum. Longer ones are dropped. */
#ifndef STY_QP_GLUE_FRAME
#define STY_QP_GLUE_FRAME 80
#endif

/* Callbacks of the program. `receive` is required. */
typedef struct {
    /* Passes a byte to QS-RX and lets it parse. */
    void (*receive)(void *ctx, uint8_t byte);
    /* May the host read or write `length` bytes at `address`? NULL refuses every peek, poke and fill. */
    bool (*may_access)(void *ctx, uintptr_t address, size_t length, bool write);
} sty_qp_glue_cb_t;

/* Private; use the functions below. */
typedef struct {
    const sty_qp_glue_cb_t *cb;
    void *ctx;
    sty_hdlc_rx_t frame;
    uintptr_t object; /* the current application object, which offsets count from */
    uint8_t buf[STY_QP_GLUE_FRAME];
} sty_qp_glue_t;

/* Initially, no application object is current. `ctx` is passed to the callbacks. */
void sty_qp_glue_init(sty_qp_glue_t *glue, const sty_qp_glue_cb_t *cb, void *ctx);
/* Takes a byte from the link. Passes each complete valid frame to QS-RX, so don't call it from an interrupt. A frame
 * that the program refuses becomes a command unknown to QS-RX: the host gets error 0x43. A damaged frame is not
 * answered. */
void sty_qp_glue_feed(sty_qp_glue_t *glue, uint8_t byte);

#ifdef __cplusplus
}
#endif

#endif
