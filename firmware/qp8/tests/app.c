/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "app.h"

lamp_t app_lamp[2];

QS_ONLY(static QSpyId const l_button = {QS_ID_AP};)

static void Lamp_on(QAsm *me, QEvt const *e);

static void Lamp_off(QAsm *me, QEvt const *e) {
    lamp_t *const lamp = (lamp_t *)me;
    switch (e->sig) {
    case TIMEOUT_SIG:
        lamp->blinks++;
        me->target = Lamp_on;
        QS_BEGIN_ID(COMMAND_STAT, lamp->super.prio)
            QS_U8(0, lamp->super.prio);
            QS_U32(6, lamp->blinks);
            QS_STR("blinks");
        QS_END()
        break;
    case BUTTON_SIG:
        break;
    default:
        me->handled = false;
        break;
    }
}

static void Lamp_on(QAsm *me, QEvt const *e) {
    if (e->sig == TIMEOUT_SIG) {
        me->target = Lamp_off;
    } else {
        me->handled = e->sig == BUTTON_SIG;
    }
}

void app_init(void const *arg) {
    (void)arg;
    if (!QS_INIT(arg)) {
        return;
    }
    QS_GLB_FILTER(QS_GRP_ALL);
    QS_GLB_FILTER(-QS_GRP_SC);
    QS_LOC_FILTER(QS_IDS_ALL);
    kernel_init();
    for (uint8_t n = 0; n < 2u; n++) {
        QS_OBJ_ARR_DICTIONARY(&app_lamp[n], n);
        QS_OBJ_ARR_DICTIONARY(&app_lamp[n].timer, n);
    }
    QS_OBJ_DICTIONARY(&l_button);
    QS_FUN_DICTIONARY(&Lamp_off);
    QS_FUN_DICTIONARY(&Lamp_on);
    QS_SIG_DICTIONARY(TIMEOUT_SIG, (void *)0);
    QS_SIG_DICTIONARY(BUTTON_SIG, &app_lamp[0]);
    QS_USR_DICTIONARY(COMMAND_STAT);
    QS_USR_DICTIONARY(ELEMENTS);
    QS_ENUM_DICTIONARY(CMD_BLINK, QS_CMD);
    for (uint8_t n = 0; n < 2u; n++) {
        lamp_t *const lamp = &app_lamp[n];
        lamp->blinks = 0;
        lamp->timer.super.sig = TIMEOUT_SIG;
        lamp->timer.ao = &lamp->super;
        kernel_start(&lamp->super, (uint8_t)(n + 1u), Lamp_off);
        kernel_subscribe(&lamp->super, BUTTON_SIG);
        kernel_arm(&lamp->timer, (uint16_t)(n + 2u), 3);
    }
    kernel_run();
    QS_FLUSH();
    QS_DUMP();
}

void app_press(void) {
    QF_ISR_ENTRY(1, 7);
    QEvt const *e = QF_newX_(sizeof(QEvt), QF_NO_MARGIN, BUTTON_SIG);
#ifdef Q_SPY
    QACTIVE_PUBLISH(e, &l_button);
#else
    kernel_publish(e, NULL, 0);
#endif
    QF_ISR_EXIT(0, 7);
}

void app_elements(void) {
    QS_BEGIN_ID(ELEMENTS, 0)
        QS_U8(2, 250);
        QS_I8(0, -2);
        QS_U16(5, 65000);
        QS_I16(6, -300);
        QS_U32(15, 0xDEADBEEF);
        QS_I32(8, -70000);
        QS_U64(9, 5000000000);
        QS_I64(8, -5000000000);
        QS_F32(2, 1.5F);
        QS_F64(4, -0.25);
        QS_STR("a text ~ with } flags");
        QS_MEM("\x7D\x7E\1", 3);
        QS_SIG(BUTTON_SIG, &app_lamp[0]);
        QS_OBJ(&app_lamp[1]);
        QS_FUN(&Lamp_on);
        QS_ENUM(7, CMD_BLINK);
    QS_END()
}

void app_in_critical_section(void) {
    QS_CRIT_STAT
    QS_CRIT_ENTRY();
    QS_BEGIN_INCRIT(COMMAND_STAT, 1)
        QS_U8(0, 1);
    QS_END_INCRIT()
    QS_CRIT_EXIT();
}

void app_assertion(char const *module, int location) {
    (void)module;
    (void)location;
    QS_ASSERTION(module, location, 100U);
}
