/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* QS receive channel: commands of a host. A frame is taken in whole and checked before anything is done. */
#ifndef SPYTUI_QS_RX_H
#define SPYTUI_QS_RX_H

#include "spytui/qs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The longest frame: number, id, payload, checksum. */
#ifndef STY_QSRX_FRAME
#define STY_QSRX_FRAME 80
#endif

/* Where an event of the host goes. */
enum { STY_QSRX_PUBLISH = 0, STY_QSRX_POST_CURRENT = 253, STY_QSRX_INIT_CURRENT = 254, STY_QSRX_DISPATCH_CURRENT = 255 };

typedef struct {
    uint8_t where;      /* one of the above, else the priority of an active object */
    const void *object; /* the current object for the last three of them; never NULL there */
    uint32_t sig;
    const uint8_t *parameters; /* valid during the call */
    uint16_t length;
} sty_qsrx_event_t;

/* What is known of a current object; only the members of its kind are sent. */
typedef struct {
    uintptr_t state;      /* state machine, active object before 8.1 */
    uint8_t id;           /* priority of an active object, number of an event pool; from 8.1 on */
    uint16_t used;        /* queues and pools; from 8.1 on */
    uint16_t free;        /* queues and pools */
    uint16_t min;         /* queues and pools */
    uint16_t block_size;  /* pools, from 8.1 on */
    const void *owner;    /* time events from here on: active object */
    uint32_t counter;
    uint32_t interval;
    uint32_t sig;
    uint8_t flags; /* and tick rate */
} sty_qsrx_query_t;

/* What the program does with commands. A member that is NULL refuses its command.
 *
 * Objects are addresses that the host named: check them before use. */
typedef struct {
    /* May the host read, or write, these bytes? Peek, poke and fill reach no byte without this. */
    bool (*may_access)(void *ctx, uintptr_t address, size_t length, bool write);
    void (*reset)(void *ctx);
    void (*tick)(void *ctx, uint8_t rate);
    void (*command)(void *ctx, uint8_t id, uint32_t p1, uint32_t p2, uint32_t p3);
    /* False: refused. */
    bool (*event)(void *ctx, const sty_qsrx_event_t *event);
    /* QS-ID of an active object, 0 if there is none at that address. */
    uint8_t (*id_of)(void *ctx, const void *object);
    /* False: no such object. */
    bool (*query)(void *ctx, uint8_t kind, const void *object, sty_qsrx_query_t *answer);
    /* Where bytes that may be accessed are, for programs whose trace has other addresses than their memory. NULL: they are
     * where their address says. */
    void *(*at)(void *ctx, uintptr_t address);
} sty_qsrx_cb_t;

/* Private; use the functions below. */
typedef struct {
    sty_qs_t *qs;
    const sty_qsrx_cb_t *cb;
    void *ctx;
    sty_hdlc_rx_t frame;
    uint8_t seq;
    bool deferred;
    uint8_t command; /* the one that was deferred */
    uint8_t buf[STY_QSRX_FRAME];
} sty_qsrx_t;

/* A receiver for the commands of `qs`. `cb` is needed, its members are not; `ctx` is handed to them. */
void sty_qsrx_init(sty_qsrx_t *rx, sty_qs_t *qs, const sty_qsrx_cb_t *cb, void *ctx);
/* Takes a byte of the link. Calls back and answers when it ends a frame, so not from an interrupt, unless the callbacks
 * may run there. */
void sty_qsrx_feed(sty_qsrx_t *rx, uint8_t byte);

/* For a program that calls sty_qsrx_feed() under a lock which its commands need, and which does not nest: tick(), command() and
 * event() only note the command and call this, so that it is not answered as done yet. */
void sty_qsrx_defer(sty_qsrx_t *rx);
/* Answers the deferred command, which is done or has failed. Before the next byte is fed: until then the event is valid. */
void sty_qsrx_finish(sty_qsrx_t *rx, bool done);

#ifdef __cplusplus
}
#endif

#endif
