/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Host commands for the RKH emitter of the demo. */
#ifndef SPYTUI_RKH_RX_H
#define SPYTUI_RKH_RX_H

#include "spytui/cmd_rx.h"
#include "spytui/rkh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Creates a command receiver for an emitter. `cb` is required, its members are not; `ctx` is passed to them. */
void sty_cmdrx_init_rkh(sty_cmdrx_t *rx, sty_rkh_t *rkh, const sty_cmdrx_cb_t *cb, void *ctx);

#ifdef __cplusplus
}
#endif

#endif
