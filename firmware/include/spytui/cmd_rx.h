/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Receiver of host commands for RKH and tband targets. A whole frame is collected and checked before anything is
 * executed: 7E, version and command, number, payload, CRC, 7E. Answers go into the trace, as user event 31 of RKH or
 * value marker 0x7F00 of tband, both named STY_ACK. */
#ifndef SPYTUI_CMD_RX_H
#define SPYTUI_CMD_RX_H

#include "spytui/hdlc.h"
#include "spytui/rkh_filter.h"
#include "spytui/tband.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the commands, part of each frame. */
#define STY_CMD_VERSION 1u

enum {
    STY_CMD_PING, STY_CMD_GROUP, STY_CMD_EVENT, STY_CMD_OBJECT, STY_CMD_SIGNAL, STY_CMD_ALL, STY_CMD_NAMES, STY_CMD_RESET,
    STY_CMD_USER, STY_CMD_STATE
};

/* Status of an answer; states are this plus their number. */
enum {
    STY_CMD_DONE = 0, STY_CMD_BAD_PAYLOAD = 1, STY_CMD_UNKNOWN = 2, STY_CMD_REFUSED = 3, STY_CMD_NO_SUCH_ID = 4,
    STY_CMD_A_STATE = 128, STY_CMD_WRONG_VERSION = 255
};

/* How the program executes commands. A NULL member refuses its command, except for names: those kept by the library
 * are always sent. */
typedef struct {
    /* Send all names again. */
    void (*names)(void *ctx);
    /* False: the program has no such command. */
    bool (*user)(void *ctx, uint8_t id, uint32_t value);
    /* The answer is in the ring: send everything, then reset. */
    void (*reset)(void *ctx);
} sty_cmdrx_cb_t;

/* Private: what differs between the protocols. */
typedef struct {
    void (*answer)(void *emitter, uint8_t op, uint8_t seq, uint8_t status, uint32_t value);
    /* Commands 1–5. False: no such group, event, object or signal. */
    bool (*filter)(void *emitter, uint8_t op, uint32_t id, bool on);
    void (*names)(void *emitter);
    uint32_t (*state)(const void *emitter, uint32_t n);
    uint32_t states;
} sty_cmdrx_protocol_t;

/* Private; use the functions below. */
typedef struct {
    const sty_cmdrx_protocol_t *protocol;
    void *emitter;
    const sty_cmdrx_cb_t *cb;
    void *ctx;
    sty_hdlc_rx_t frame;
    bool has_last;
    uint8_t last;
    uint8_t last_status;
    uint32_t jumps;
    uint8_t buf[68];
} sty_cmdrx_t;

/* Creates a command receiver for an emitter. `cb` is required, its members are not; `ctx` is passed to them. */
void sty_cmdrx_init_tband(sty_cmdrx_t *rx, sty_tband_t *tband, const sty_cmdrx_cb_t *cb, void *ctx);
/* Takes a byte from the link. At the end of a frame it calls back and answers. */
void sty_cmdrx_feed(sty_cmdrx_t *rx, uint8_t byte);
/* Number of commands whose number did not follow the previous one. */
static inline uint32_t sty_cmdrx_jumps(const sty_cmdrx_t *rx) {
    return rx->jumps;
}

/* CRC-16/CCITT-FALSE. */
uint16_t sty_cmdrx_crc(const void *bytes, size_t count);

/* Private: filters and states as numbered in commands, also for glue to the original frameworks. */
enum { STY_CMD_RKH_STATES = 4 + (STY_RKH_TABLE + 3) / 4, STY_CMD_TBAND_STATES = 4 };
bool sty_cmd_rkh_filter_(sty_rkh_filter_t *filter, uint8_t op, uint32_t id, bool on);
bool sty_cmd_tband_filter_(sty_tband_filter_t *filter, uint8_t op, uint32_t id, bool on);
uint32_t sty_cmd_rkh_state_(const sty_rkh_filter_t *filter, uint32_t n); /* not of 1 and 2, drops and peak */
uint32_t sty_cmd_tband_state_(const sty_tband_filter_t *filter, const sty_ring_t *ring, uint32_t n);
int64_t sty_cmd_tband_answer_(uint8_t op, uint8_t seq, uint8_t status, uint32_t value);
void sty_cmdrx_init_(sty_cmdrx_t *rx, const sty_cmdrx_protocol_t *protocol, void *emitter, const sty_cmdrx_cb_t *cb,
    void *ctx);

#ifdef __cplusplus
}
#endif

#endif
