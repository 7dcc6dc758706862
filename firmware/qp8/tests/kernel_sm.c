/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The state machines of the small kernel, and records with any fields. */
#include "qp_port.h"

#ifdef Q_SPY
#include "qs_port.h"

#include "qs_pkg.h"
#endif

void QHsm_top(QAsm *me, QEvt const *e) {
    (void)me;
    (void)e;
}

/* A record about a machine and a state, without a time stamp. */
static void entered(QAsm *me, uint8_t id) {
    QF_CRIT_STAT
    QF_CRIT_ENTRY();
    QS_BEGIN_PRE(QS_QEP_STATE_ENTRY, id)
        QS_OBJ_PRE(me);
        QS_FUN_PRE(me->state);
    QS_END_PRE()
    QF_CRIT_EXIT();
}

/* Inside a critical section. */
static bool is_first_machine(void) {
#ifdef Q_SPY
    bool const is_first = (QS_priv_.flags & 0x01U) == 0U;
    QS_priv_.flags |= 0x01U;
    return is_first;
#else
    return false;
#endif
}

static void name_top(void) {
    QS_FUN_DICTIONARY(&QHsm_top);
}

void kernel_init_tran(QAsm *me, void const *e, uint8_t id) {
    QF_CRIT_STAT
    (void)e;
    QF_CRIT_ENTRY();
    QS_BEGIN_PRE(QS_QEP_INIT_TRAN, id)
        QS_TIME_PRE();
        QS_OBJ_PRE(me);
        QS_FUN_PRE(me->state);
    QS_END_PRE()
    bool const is_first = is_first_machine();
    QF_CRIT_EXIT();
    if (is_first) {
        name_top();
    }
    entered(me, id);
}

void kernel_start(QActive *ao, uint8_t prio, QState first) {
    ao->super.state = first;
    ao->prio = prio;
    ao->count = 0;
    ao->min_free = QUEUE;
    QActive_registry_[prio] = ao;
    QASM_INIT(&ao->super, NULL, prio);
}

void kernel_dispatch(QAsm *me, QEvt const *e, uint8_t id) {
    QState const source = me->state;
    QF_CRIT_STAT
    QF_CRIT_ENTRY();
    QS_BEGIN_PRE(QS_QEP_DISPATCH, id)
        QS_TIME_PRE();
        QS_SIG_PRE(e->sig);
        QS_OBJ_PRE(me);
        QS_FUN_PRE(source);
    QS_END_PRE()
    QF_CRIT_EXIT();
    me->target = NULL;
    me->handled = true;
    source(me, e);
    QF_CRIT_ENTRY();
    if (me->target != NULL) {
        QS_BEGIN_PRE(QS_QEP_TRAN, id)
            QS_TIME_PRE();
            QS_SIG_PRE(e->sig);
            QS_OBJ_PRE(me);
            QS_FUN_PRE(source);
            QS_FUN_PRE(me->target);
        QS_END_PRE()
        me->state = me->target;
    } else if (me->handled) {
        QS_BEGIN_PRE(QS_QEP_INTERN_TRAN, id)
            QS_TIME_PRE();
            QS_SIG_PRE(e->sig);
            QS_OBJ_PRE(me);
            QS_FUN_PRE(source);
        QS_END_PRE()
    } else {
        QS_BEGIN_PRE(QS_QEP_IGNORED, id)
            QS_TIME_PRE();
            QS_SIG_PRE(e->sig);
            QS_OBJ_PRE(me);
            QS_FUN_PRE(source);
        QS_END_PRE()
    }
    QF_CRIT_EXIT();
    if (me->target != NULL) {
        entered(me, id);
    }
}

bool kernel_step(void) {
    for (uint8_t prio = QF_MAX_ACTIVE; prio > 0u; prio--) {
        QActive *const ao = QActive_registry_[prio];
        if (ao == NULL || ao->count == 0u) {
            continue;
        }
        QF_CRIT_STAT
        QF_CRIT_ENTRY();
        QEvt const *const e = ao->events[0];
        ao->count--;
        for (uint8_t i = 0; i < ao->count; i++) {
            ao->events[i] = ao->events[i + 1u];
        }
        QS_BEGIN_PRE(QS_QF_ACTIVE_GET, prio)
            QS_TIME_PRE();
            QS_SIG_PRE(e->sig);
            QS_OBJ_PRE(ao);
            QS_2U8_PRE(e->pool, e->refs);
            QS_EQC_PRE(QUEUE - ao->count);
        QS_END_PRE()
        QF_CRIT_EXIT();
        QASM_DISPATCH(&ao->super, e, prio);
        QF_gc(e);
        return true;
    }
    return false;
}

#ifdef Q_SPY
static void field(char kind, uint32_t value) {
    switch (kind) {
    case 't':
        QS_TIME_PRE();
        break;
    case 'o':
        QS_OBJ_PRE((void const *)(uintptr_t)value);
        break;
    case 'f':
        QS_FUN_PRE((QState)(uintptr_t)value);
        break;
    case 's':
        QS_SIG_PRE(value);
        break;
    case 'e':
        QS_EVS_PRE(value);
        break;
    case 'q':
        QS_EQC_PRE(value);
        break;
    case 'p':
        QS_MPC_PRE(value);
        break;
    case 'B':
        QS_MPS_PRE(value);
        break;
    case 'c':
        QS_TEC_PRE(value);
        break;
    case '1':
        QS_U8_PRE(value);
        break;
    case '2':
        QS_U16_PRE(value);
        break;
    case '4':
        QS_U32_PRE(value);
        break;
    case 'b':
    default:
        QS_2U8_PRE(value, value + 1u);
        break;
    }
}

void kernel_record(uint8_t rec, uint8_t id, char const *fields, uint32_t first) {
    QF_CRIT_STAT
    QF_CRIT_ENTRY();
    QS_BEGIN_PRE(rec, id)
        for (; *fields != '\0'; fields++) {
            field(*fields, first);
            first += 2u;
        }
    QS_END_PRE()
    QF_CRIT_EXIT();
}
#endif
