/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Host commands for programs that trace with the original trace module of RKH, with run-time filters enabled.
 *
 * Compile rkh_glue.c with the program, next to this library's sources, then
 *     sty_rkh_glue_init(&glue, &callbacks, NULL);     after the trace module
 *     sty_rkh_glue_feed(&glue, byte);                 with each byte from the link
 * RKH's terms are inverted: its filter ON means that an event is not sent. */
#ifndef SPYTUI_RKH_GLUE_H
#define SPYTUI_RKH_GLUE_H

#include "spytui/cmd_rx.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Callbacks of the program. `answer` and `object` are required. */
typedef struct {
    /* Sends user event RKH_TE_USER + 31 with three 8-bit items and one 32-bit item, all unsigned with width 0. */
    void (*answer)(void *ctx, uint8_t op, uint8_t seq, uint8_t status, uint32_t value);
    /* RKH_FILTER_OFF_SMA() to pass, or RKH_FILTER_ON_SMA() to suppress, the active object with this priority.
     * Returns false if there is none. */
    bool (*object)(void *ctx, uint32_t prio, bool on);
    /* Number of bytes or records that the link lost, and maximum fill level of the stream buffer; NULL: 0. */
    uint32_t (*drops)(void *ctx);
    uint32_t (*peak)(void *ctx);
    /* Sends all names, including STY_ACK for RKH_TE_USER + 31. */
    void (*names)(void *ctx);
    /* The others are the same as for all command receivers. */
    bool (*user)(void *ctx, uint8_t id, uint32_t value);
    void (*reset)(void *ctx);
} sty_rkh_glue_cb_t;

/* Private; use the functions below. */
typedef struct {
    const sty_rkh_glue_cb_t *cb;
    void *ctx;
    sty_cmdrx_t rx;
    sty_cmdrx_cb_t rx_cb;
    sty_rkh_filter_t filter; /* as it is in RKH */
} sty_rkh_glue_t;

/* Passes everything, as hosts expect; RKH itself starts with everything suppressed. */
void sty_rkh_glue_init(sty_rkh_glue_t *glue, const sty_rkh_glue_cb_t *cb, void *ctx);
/* Takes a byte from the link. At the end of a frame it calls back and answers, so don't call it from an interrupt. */
void sty_rkh_glue_feed(sty_rkh_glue_t *glue, uint8_t byte);

#ifdef __cplusplus
}
#endif

#endif
