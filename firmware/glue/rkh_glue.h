/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Commands of a host for a program that traces with the trace module of RKH itself, filters at run time switched on.
 *
 * Compile rkh_glue.c with the program, next to the sources of this library, then
 *     sty_rkh_glue_init(&glue, &callbacks, NULL);     after the trace module
 *     sty_rkh_glue_feed(&glue, byte);                 with each byte of the link
 * RKH's words are the other way round: its filter ON means that an event is not sent. */
#ifndef SPYTUI_RKH_GLUE_H
#define SPYTUI_RKH_GLUE_H

#include "spytui/cmd_rx.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What only the program knows. `answer` and `object` are needed. */
typedef struct {
    /* Sends user event RKH_TE_USER + 31 with three items of 8 bits and one of 32, unsigned, width 0. */
    void (*answer)(void *ctx, uint8_t op, uint8_t seq, uint8_t status, uint32_t value);
    /* RKH_FILTER_OFF_SMA(), which lets pass, or RKH_FILTER_ON_SMA() for the active object with this priority. False: there
     * is none. */
    bool (*object)(void *ctx, uint32_t prio, bool on);
    /* Bytes or records that the link lost, and the most that the stream buffer held; NULL: 0. */
    uint32_t (*drops)(void *ctx);
    uint32_t (*peak)(void *ctx);
    /* Sends all names, and that of RKH_TE_USER + 31, STY_ACK. */
    void (*names)(void *ctx);
    /* The rest as for all receivers of commands. */
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

/* Lets all pass, as hosts expect; RKH itself begins with everything suppressed. */
void sty_rkh_glue_init(sty_rkh_glue_t *glue, const sty_rkh_glue_cb_t *cb, void *ctx);
/* Takes a byte of the link. Calls back and answers when it ends a frame, so not from an interrupt. */
void sty_rkh_glue_feed(sty_rkh_glue_t *glue, uint8_t byte);

#ifdef __cplusplus
}
#endif

#endif
