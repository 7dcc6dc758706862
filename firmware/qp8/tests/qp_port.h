/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A small kernel for tests: active objects with flat states, an event pool, time events. It has the part of the
 * interface that the sources of qp8 use, and calls every hook of qs_pkg.h. */
#ifndef QP_PORT_H
#define QP_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QP_VERSION 815U
#define QP_RELEASE (~2511010815U)
#define QP_VERSION_STR "8.1.5"

#define Q_SIGNAL_SIZE 2U
#define QF_EVENT_SIZ_SIZE 2U
#ifndef QF_EQUEUE_CTR_SIZE
#define QF_EQUEUE_CTR_SIZE 1U
#endif
#define QF_MPOOL_CTR_SIZE 2U
#define QF_MPOOL_SIZ_SIZE 2U
#define QF_TIMEEVT_CTR_SIZE 2U
#define QF_MAX_ACTIVE 4U
#define QF_MAX_EPOOL 1U
#define QF_MAX_TICK_RATE 1U

/* From the configuration of the application. */
#define QS_TIME_SIZE 4U
#define QS_CTR_SIZE 2U

/* A critical section that does not nest, and has a local variable. Entering it twice fails the test. */
extern unsigned kernel_depth;
extern unsigned kernel_faults;
#define QF_CRIT_STAT unsigned crit_state_;
#define QF_CRIT_ENTRY() ((void)(crit_state_ = kernel_depth, kernel_faults += crit_state_, kernel_depth++))
#define QF_CRIT_EXIT() ((void)(kernel_depth = crit_state_))

typedef int enum_t;
typedef uint16_t QSignal;

typedef struct {
    QSignal sig;
    uint8_t pool; /* 0: static */
    uint8_t refs;
} QEvt;

typedef struct QAsm QAsm;
typedef void (*QState)(QAsm *me, QEvt const *e);
struct QAsm {
    QState state;
    QState target; /* set by a handler that leaves the state */
    bool handled;
};

enum { QUEUE = 4 };
typedef struct {
    QAsm super;
    uint8_t prio;
    uint8_t count;
    uint8_t min_free;
    QEvt const *events[QUEUE];
} QActive;

typedef struct {
    QEvt super;
    QActive *ao;
    uint16_t counter;
    uint16_t interval;
} QTimeEvt;

extern QActive *QActive_registry_[QF_MAX_ACTIVE + 1U];

/* The state around all others. */
void QHsm_top(QAsm *me, QEvt const *e);

void kernel_init(void);
void kernel_run(void);
void kernel_start(QActive *ao, uint8_t prio, QState first);
/* Takes an event from a queue; false: all queues are empty. */
bool kernel_step(void);
void kernel_arm(QTimeEvt *te, uint16_t counter, uint16_t interval);
void kernel_subscribe(QActive *ao, QSignal sig);
void kernel_init_tran(QAsm *me, void const *e, uint8_t id);
void kernel_dispatch(QAsm *me, QEvt const *e, uint8_t id);
bool kernel_post(QActive *ao, QEvt const *e, uint16_t margin, void const *sender);
void kernel_publish(QEvt const *e, void const *sender, uint8_t id);
void kernel_tick(uint8_t rate, void const *sender);
QEvt *QF_newX_(uint_fast16_t size, uint_fast16_t margin, enum_t sig);
void QF_gc(QEvt const *e);
QEvt const *kernel_hold(QEvt const *e);

#define QF_NO_MARGIN 0xFFFFU
#define QACTIVE_POST(me, e, sender) ((void)kernel_post((me), (e), QF_NO_MARGIN, (sender)))
#define QACTIVE_POST_X(me, e, margin, sender) (kernel_post((me), (e), (margin), (sender)))
#define QACTIVE_PUBLISH(e, sender) (kernel_publish((e), (sender), (sender)->prio))
#define QASM_INIT(me, e, id) (kernel_init_tran((me), (e), (id)))
#define QASM_DISPATCH(me, e, id) (kernel_dispatch((me), (e), (id)))
#define QTIMEEVT_TICK_X(rate, sender) (kernel_tick((rate), (sender)))
#define Q_NEW_REF(ref, type) ((ref) = (type const *)kernel_hold(e))
#define Q_DELETE_REF(ref) (QF_gc(ref))

/* For the test: writes a record with fields given by letters, see the wire format; values count from `first`. */
void kernel_record(uint8_t rec, uint8_t id, char const *fields, uint32_t first);

#ifdef Q_SPY
#include "qs.h"
#else
#include "qs_dummy.h"
#endif

#endif
