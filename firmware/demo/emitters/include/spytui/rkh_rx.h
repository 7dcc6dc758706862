/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Commands of a host for the RKH emitter of the demo. */
#ifndef SPYTUI_RKH_RX_H
#define SPYTUI_RKH_RX_H

#include "spytui/cmd_rx.h"
#include "spytui/rkh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A receiver for the commands of an emitter. `cb` is needed, its members are not; `ctx` is handed to them. */
void sty_cmdrx_init_rkh(sty_cmdrx_t *rx, sty_rkh_t *rkh, const sty_cmdrx_cb_t *cb, void *ctx);

#ifdef __cplusplus
}
#endif

#endif
