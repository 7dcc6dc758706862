/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A guard in front of QS-RX, for a program that traces with QS of QP itself.
 *
 * QS-RX writes the bytes of a poke as they arrive, before it has seen the checksum, and reaches all memory. The guard takes
 * a frame in whole, drops it if it is damaged, and asks the program about each peek, poke and fill.
 *     sty_qp_glue_init(&glue, &callbacks, NULL);      after QS-RX
 *     sty_qp_glue_feed(&glue, byte);                  with each byte of the link, in place of QS-RX */
#ifndef SPYTUI_QP_GLUE_H
#define SPYTUI_QP_GLUE_H

#include "spytui/qs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The longest frame: number, command, payload, checksum. Longer ones are dropped. */
#ifndef STY_QP_GLUE_FRAME
#define STY_QP_GLUE_FRAME 80
#endif

/* What only the program knows. `receive` is needed. */
typedef struct {
    /* Hands a byte to QS-RX and lets it parse. */
    void (*receive)(void *ctx, uint8_t byte);
    /* May the host read, or write, `length` bytes from `address` on? NULL refuses each peek, poke and fill. */
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

/* No application object is current. `ctx` is handed to the callbacks. */
void sty_qp_glue_init(sty_qp_glue_t *glue, const sty_qp_glue_cb_t *cb, void *ctx);
/* Takes a byte of the link. The end of a good frame hands that to QS-RX, so not from an interrupt. A frame that the
 * program refuses becomes a command that QS-RX does not know: the host is answered with error 0x43. A damaged one has no
 * answer. */
void sty_qp_glue_feed(sty_qp_glue_t *glue, uint8_t byte);

#ifdef __cplusplus
}
#endif

#endif
