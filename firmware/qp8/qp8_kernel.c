/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Executes ticks and events from the host through the kernel's public interface; docs/qp8.md lists what is assumed
 * about it. The only file here that calls the kernel; empty if STY_QP8_NO_KERNEL is defined. */
#include "qs_app_parts.h"

#ifndef STY_QP8_NO_KERNEL

static bool tick(uint8_t rate) {
#if QF_MAX_TICK_RATE > 0
    if (rate < QF_MAX_TICK_RATE) {
        QTIMEEVT_TICK_X(rate, &sty_qs_app_host_);
        return true;
    }
#else
    (void)rate;
#endif
    return false;
}

/* Whether the public header declares it depends on the release. */
extern QActive *QActive_registry_[];

static uint8_t id_of(const void *object) {
    for (uint8_t prio = 1; prio <= QF_MAX_ACTIVE; prio++) {
        if (object != NULL && object == (const void *)QActive_registry_[prio]) {
            return prio;
        }
    }
    return 0;
}

/* Allocates a dynamic event; NULL if the pool is empty. */
static QEvt const *new_event(const sty_qsrx_event_t *wanted) {
    QEvt *const e = (QEvt *)QF_newX_((uint_fast16_t)(sizeof(QEvt) + wanted->length), 0u, (enum_t)wanted->sig);
    if (e != NULL) {
        uint8_t *parameters = (uint8_t *)e + sizeof(QEvt);
        for (uint16_t i = 0; i < wanted->length; i++) {
            parameters[i] = wanted->parameters[i];
        }
    }
    return e;
}

static bool post(QActive *ao, QEvt const *e) {
#ifdef QACTIVE_POST_X
    return QACTIVE_POST_X(ao, e, 0u, &sty_qs_app_host_); /* false instead of an assertion if the queue is full */
#else
    QACTIVE_POST(ao, e, &sty_qs_app_host_);
    return true;
#endif
}

/* Runs a machine's initial transition, or dispatches an event to it. The event is referenced meanwhile, because the
 * machine may keep it. */
static void run(QActive *ao, uint8_t prio, bool init, QEvt const *e) {
#ifdef Q_NEW_REF
    QEvt const *held = NULL;
    Q_NEW_REF(held, QEvt);
#endif
    if (init) {
        QASM_INIT((QAsm *)ao, e, prio);
    } else {
        QASM_DISPATCH((QAsm *)ao, e, prio);
    }
#ifdef Q_NEW_REF
    Q_DELETE_REF(held);
#else
    QF_gc(e);
#endif
}

/* The host identifies objects by address: only those registered with the kernel are used. */
static bool event(const sty_qsrx_event_t *wanted) {
    const uint8_t prio = wanted->object == NULL ? wanted->where : id_of(wanted->object);
    QActive *const ao = prio == 0u || prio > QF_MAX_ACTIVE ? NULL : QActive_registry_[prio];
    if (ao == NULL && wanted->where != STY_QSRX_PUBLISH) {
        return false;
    }
    QEvt const *const e = new_event(wanted);
    if (e == NULL) {
        return false;
    }
    switch (wanted->where) {
    case STY_QSRX_PUBLISH:
        QACTIVE_PUBLISH(e, &sty_qs_app_host_);
        return true;
    case STY_QSRX_INIT_CURRENT:
    case STY_QSRX_DISPATCH_CURRENT:
        run(ao, prio, wanted->where == STY_QSRX_INIT_CURRENT, e);
        return true;
    default:
        return post(ao, e);
    }
}

extern const sty_qs_app_kernel_t sty_qp8_kernel;
const sty_qs_app_kernel_t sty_qp8_kernel = {tick, event, id_of};

#endif
