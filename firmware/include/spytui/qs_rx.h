/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* QS receive channel: host commands. A whole frame is collected and checked before anything is executed. */
#ifndef SPYTUI_QS_RX_H
#define SPYTUI_QS_RX_H

#include "spytui/qs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Maximum length of a frame: number, id, payload, checksum. */
#ifndef STY_QSRX_FRAME
#define STY_QSRX_FRAME 80
#endif

/* Receivers of an event from the host. */
enum { STY_QSRX_PUBLISH = 0, STY_QSRX_POST_CURRENT = 253, STY_QSRX_INIT_CURRENT = 254, STY_QSRX_DISPATCH_CURRENT = 255 };

typedef struct {
    uint8_t where;      /* one of the above, or the priority of an active object */
    const void *object; /* the current object for the last three; never NULL there */
    uint32_t sig;
    const uint8_t *parameters; /* only valid during the call */
    uint16_t length;
} sty_qsrx_event_t;

/* Properties of a current object; only the members for its kind are sent. */
typedef struct {
    uintptr_t state;      /* state machine, active object before 8.1 */
    uint8_t id;           /* priority of an active object, number of an event pool; since 8.1 */
    uint16_t used;        /* queues and pools; since 8.1 */
    uint16_t free;        /* queues and pools */
    uint16_t min;         /* queues and pools */
    uint16_t block_size;  /* pools; since 8.1 */
    const void *owner;    /* time events from here on: active object */
    uint32_t counter;
    uint32_t interval;
    uint32_t sig;
    uint8_t flags; /* and tick rate */
} sty_qsrx_query_t;

/* How the program executes commands. A NULL member refuses its command, without a reason: the host then sees the same
 * answer as for a wrong object. Queries are always refused until `query` is set (with the macros of QS, by
 * sty_qs_app_answer()).
 *
 * Objects are addresses chosen by the host: check them before use. */
typedef struct {
    /* May the host read or write these bytes? Peek, poke and fill never access memory without asking. */
    bool (*may_access)(void *ctx, uintptr_t address, size_t length, bool write);
    void (*reset)(void *ctx);
    void (*tick)(void *ctx, uint8_t rate);
    void (*command)(void *ctx, uint8_t id, uint32_t p1, uint32_t p2, uint32_t p3);
    /* False: refused. */
    bool (*event)(void *ctx, const sty_qsrx_event_t *event);
    /* QS-ID of an active object, or 0 if there is none at that address. */
    uint8_t (*id_of)(void *ctx, const void *object);
    /* The state of the object, for queries. False: no such object. */
    bool (*query)(void *ctx, uint8_t kind, const void *object, sty_qsrx_query_t *answer);
    /* Where accessible bytes really are, for programs whose trace uses other addresses than their memory. NULL: at
     * their address. */
    void *(*at)(void *ctx, uintptr_t address);
    /* Send all names, for a host that came late: it has asked for the target info, which was sent. */
    void (*names)(void *ctx);
} sty_qsrx_cb_t;

/* Private; use the functions below. */
typedef struct {
    sty_qs_t *qs;
    const sty_qsrx_cb_t *cb;
    void *ctx;
    sty_hdlc_rx_t frame;
    uint8_t seq;
    bool deferred;
    uint8_t command; /* the deferred command */
    uint8_t buf[STY_QSRX_FRAME];
} sty_qsrx_t;

/* Creates a receiver for the commands of `qs`. `cb` is required, its members are not; `ctx` is passed to them. */
void sty_qsrx_init(sty_qsrx_t *rx, sty_qs_t *qs, const sty_qsrx_cb_t *cb, void *ctx);
/* Takes a byte from the link. At the end of a frame it calls back and answers, so don't call it from an interrupt,
 * unless the callbacks allow that. */
void sty_qsrx_feed(sty_qsrx_t *rx, uint8_t byte);

/* For programs that call sty_qsrx_feed() under a non-nesting lock that their commands also need: tick(), command()
 * and event() only store the command and call this, so that it is not answered yet. */
void sty_qsrx_defer(sty_qsrx_t *rx);
/* Answers the deferred command, which has succeeded or failed. Call it before feeding the next byte; the event is
 * valid until then. */
void sty_qsrx_finish(sty_qsrx_t *rx, bool done);

#ifdef __cplusplus
}
#endif

#endif
