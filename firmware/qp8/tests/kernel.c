/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "qp_port.h"

#ifdef Q_SPY
#include "qs_port.h"

#include "qs_pkg.h"
#endif

unsigned kernel_depth;
unsigned kernel_faults;
QActive *QActive_registry_[QF_MAX_ACTIVE + 1U];

enum { BLOCK = 16, BLOCKS = 8, SIGNALS = 16, TIMERS = 2 };
static union {
    QEvt event;
    uint8_t bytes[BLOCK];
} blocks[BLOCKS];
static bool taken[BLOCKS];
static uint16_t min_free;
static uint8_t subscribers[SIGNALS]; /* bit n: priority n */
static QTimeEvt *timers[TIMERS];
static uint16_t ticks;

static uint16_t free_blocks(void) {
    uint16_t count = 0;
    for (unsigned i = 0; i < BLOCKS; i++) {
        count = (uint16_t)(count + (taken[i] ? 0u : 1u));
    }
    return count;
}

void kernel_init(void) {
    for (unsigned i = 0; i < BLOCKS; i++) {
        taken[i] = false;
    }
    for (unsigned i = 0; i <= QF_MAX_ACTIVE; i++) {
        QActive_registry_[i] = NULL;
    }
    for (unsigned i = 0; i < SIGNALS; i++) {
        subscribers[i] = 0;
    }
    timers[0] = NULL;
    timers[1] = NULL;
    ticks = 0;
    min_free = BLOCKS;
    QF_CRIT_STAT
    QF_CRIT_ENTRY();
    QS_obj_dict_pre_(blocks, "EvtPool1");
    QF_CRIT_EXIT();
}

void kernel_run(void) {
    QF_CRIT_STAT
    QF_CRIT_ENTRY();
#ifdef Q_SPY
    QS_beginRec_((uint_fast8_t)QS_QF_RUN);
    QS_endRec_();
#endif
    QF_CRIT_EXIT();
}

QEvt *QF_newX_(uint_fast16_t size, uint_fast16_t margin, enum_t sig) {
    QEvt *e = NULL;
    QF_CRIT_STAT
    QF_CRIT_ENTRY();
    for (unsigned i = 0; i < BLOCKS && e == NULL && size <= BLOCK; i++) {
        if (!taken[i]) {
            taken[i] = true;
            e = &blocks[i].event;
            e->sig = (QSignal)sig;
            e->pool = 1;
            e->refs = 0;
        }
    }
    if (e != NULL) {
        min_free = free_blocks() < min_free ? free_blocks() : min_free;
        QS_BEGIN_PRE(QS_QF_MPOOL_GET, (uint_fast8_t)QS_ID_EP + 1U)
            QS_TIME_PRE();
            QS_OBJ_PRE(blocks);
            QS_MPC_PRE(free_blocks());
            QS_MPC_PRE(min_free);
        QS_END_PRE()
        QS_BEGIN_PRE(QS_QF_NEW, (uint_fast8_t)QS_ID_EP + 1U)
            QS_TIME_PRE();
            QS_EVS_PRE(size);
            QS_SIG_PRE(sig);
        QS_END_PRE()
    } else {
        kernel_faults += margin == QF_NO_MARGIN ? 1u : 0u;
        QS_BEGIN_PRE(QS_QF_NEW_ATTEMPT, (uint_fast8_t)QS_ID_EP + 1U)
            QS_TIME_PRE();
            QS_EVS_PRE(size);
            QS_SIG_PRE(sig);
        QS_END_PRE()
    }
    QF_CRIT_EXIT();
    return e;
}

static QEvt *writable(QEvt const *e) {
    return (QEvt *)(uintptr_t)e;
}

static void hold(QEvt const *e) {
    if (e->pool != 0u) {
        writable(e)->refs++;
    }
}

QEvt const *kernel_hold(QEvt const *e) {
    QF_CRIT_STAT
    QF_CRIT_ENTRY();
    hold(e);
    QS_BEGIN_PRE(QS_QF_NEW_REF, (uint_fast8_t)QS_ID_EP + e->pool)
        QS_TIME_PRE();
        QS_SIG_PRE(e->sig);
        QS_2U8_PRE(e->pool, e->refs);
    QS_END_PRE()
    QF_CRIT_EXIT();
    return e;
}

void QF_gc(QEvt const *e) {
    QF_CRIT_STAT
    QF_CRIT_ENTRY();
    if (e->pool != 0u && e->refs > 1u) {
        writable(e)->refs--;
        QS_BEGIN_PRE(QS_QF_GC_ATTEMPT, (uint_fast8_t)QS_ID_EP + e->pool)
            QS_TIME_PRE();
            QS_SIG_PRE(e->sig);
            QS_2U8_PRE(e->pool, e->refs);
        QS_END_PRE()
    } else if (e->pool != 0u) {
        QS_BEGIN_PRE(QS_QF_GC, (uint_fast8_t)QS_ID_EP + e->pool)
            QS_TIME_PRE();
            QS_SIG_PRE(e->sig);
            QS_2U8_PRE(e->pool, e->refs);
        QS_END_PRE()
        taken[((uintptr_t)e - (uintptr_t)blocks) / sizeof blocks[0]] = false;
        QS_BEGIN_PRE(QS_QF_MPOOL_PUT, (uint_fast8_t)QS_ID_EP + e->pool)
            QS_TIME_PRE();
            QS_OBJ_PRE(blocks);
            QS_MPC_PRE(free_blocks());
        QS_END_PRE()
    }
    QF_CRIT_EXIT();
}

bool kernel_post(QActive *ao, QEvt const *e, uint16_t margin, void const *sender) {
    QF_CRIT_STAT
    QF_CRIT_ENTRY();
    const uint8_t left = (uint8_t)(QUEUE - ao->count);
    const bool fits = left > (margin == QF_NO_MARGIN ? 0u : margin);
    if (fits) {
        hold(e);
        ao->events[ao->count] = e;
        ao->count++;
        ao->min_free = left - 1u < ao->min_free ? (uint8_t)(left - 1u) : ao->min_free;
        QS_BEGIN_PRE(QS_QF_ACTIVE_POST, ao->prio)
            QS_TIME_PRE();
            QS_OBJ_PRE(sender);
            QS_SIG_PRE(e->sig);
            QS_OBJ_PRE(ao);
            QS_2U8_PRE(e->pool, e->refs);
            QS_EQC_PRE(left - 1u);
            QS_EQC_PRE(ao->min_free);
        QS_END_PRE()
    } else {
        kernel_faults += margin == QF_NO_MARGIN ? 1u : 0u;
        QS_BEGIN_PRE(QS_QF_ACTIVE_POST_ATTEMPT, ao->prio)
            QS_TIME_PRE();
            QS_OBJ_PRE(sender);
            QS_SIG_PRE(e->sig);
            QS_OBJ_PRE(ao);
            QS_2U8_PRE(e->pool, e->refs);
            QS_EQC_PRE(left);
            QS_EQC_PRE(margin);
        QS_END_PRE()
    }
    QF_CRIT_EXIT();
    if (!fits) {
        QF_gc(e);
    }
    return fits;
}

void kernel_subscribe(QActive *ao, QSignal sig) {
    QF_CRIT_STAT
    QF_CRIT_ENTRY();
    QS_BEGIN_PRE(QS_QF_ACTIVE_SUBSCRIBE, ao->prio)
        QS_TIME_PRE();
        QS_SIG_PRE(sig);
        QS_OBJ_PRE(ao);
    QS_END_PRE()
    subscribers[sig] = (uint8_t)(subscribers[sig] | 1u << ao->prio);
    QF_CRIT_EXIT();
}

void kernel_publish(QEvt const *e, void const *sender, uint8_t id) {
    QF_CRIT_STAT
    QF_CRIT_ENTRY();
    QS_BEGIN_PRE(QS_QF_PUBLISH, id)
        QS_TIME_PRE();
        QS_OBJ_PRE(sender);
        QS_SIG_PRE(e->sig);
        QS_2U8_PRE(e->pool, e->refs);
    QS_END_PRE()
    hold(e); /* until everybody has it */
    QF_CRIT_EXIT();
    for (uint8_t prio = QF_MAX_ACTIVE; prio > 0u; prio--) {
        if ((subscribers[e->sig % SIGNALS] >> prio & 1u) != 0u) {
            QACTIVE_POST(QActive_registry_[prio], e, sender);
        }
    }
    QF_gc(e);
}

void kernel_arm(QTimeEvt *te, uint16_t counter, uint16_t interval) {
    QF_CRIT_STAT
    QF_CRIT_ENTRY();
    te->counter = counter;
    te->interval = interval;
    for (unsigned i = 0; i < TIMERS; i++) {
        if (timers[i] == NULL || timers[i] == te) {
            timers[i] = te;
            break;
        }
    }
    QS_BEGIN_PRE(QS_QF_TIMEEVT_ARM, te->ao->prio)
        QS_TIME_PRE();
        QS_OBJ_PRE(te);
        QS_OBJ_PRE(te->ao);
        QS_TEC_PRE(counter);
        QS_TEC_PRE(interval);
        QS_U8_PRE(0U);
    QS_END_PRE()
    QF_CRIT_EXIT();
}

void kernel_tick(uint8_t rate, void const *sender) {
    QF_CRIT_STAT
    QF_CRIT_ENTRY();
    ticks++;
    QS_BEGIN_PRE(QS_QF_TICK, 0U)
        QS_TEC_PRE(ticks);
        QS_U8_PRE(rate);
    QS_END_PRE()
    QF_CRIT_EXIT();
    for (unsigned i = 0; i < TIMERS; i++) {
        QTimeEvt *const te = timers[i];
        if (te == NULL || te->counter == 0u) {
            continue;
        }
        te->counter--;
        if (te->counter == 0u) {
            te->counter = te->interval;
            QF_CRIT_ENTRY();
            QS_BEGIN_PRE(QS_QF_TIMEEVT_POST, te->ao->prio)
                QS_TIME_PRE();
                QS_OBJ_PRE(te);
                QS_SIG_PRE(te->super.sig);
                QS_OBJ_PRE(te->ao);
                QS_U8_PRE(rate);
            QS_END_PRE()
            QF_CRIT_EXIT();
            QACTIVE_POST(te->ao, &te->super, sender);
        }
    }
}
