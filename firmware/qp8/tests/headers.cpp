// SPDX-License-Identifier: MIT OR Apache-2.0
// The macros in C++, for kernel and application.
#include "qp_port.h"

#include "qs_port.h"

#include "qs_pkg.h"

enum { SPEED = QS_USER };
static int motor;

static void stop() {
}

void of_application(unsigned n);
void of_application(unsigned n) {
    if (!QS_INIT(nullptr)) {
        return;
    }
    QS_GLB_FILTER(QS_GRP_ALL);
    QS_GLB_FILTER(-QS_GRP_SM);
    QS_LOC_FILTER(-QS_IDS_AP);
    QS_OBJ_DICTIONARY(&motor);
    QS_OBJ_ARR_DICTIONARY(&motor, n);
    QS_FUN_DICTIONARY(&stop);
    QS_USR_DICTIONARY(SPEED);
    QS_SIG_DICTIONARY(5, nullptr);
    QS_ENUM_DICTIONARY(1, QS_CMD);
    QS_BEGIN_ID(SPEED, n)
        QS_U8(1, n);
        QS_I64(0, -1);
        QS_F32(3, 1.0);
        QS_F64(3, 1.0);
        QS_STR("rpm");
        QS_MEM(&motor, sizeof motor);
        QS_SIG(3, &motor);
        QS_OBJ(&motor);
        QS_FUN(&stop);
        QS_ENUM(1, 2);
    QS_END()
    QF_ISR_ENTRY(1, n);
    QF_ISR_EXIT(0, n);
    QS_ASSERTION("motor", 3, 4);
}

void of_kernel(QActive *ao);
void of_kernel(QActive *ao) {
    QS_BEGIN_PRE(QS_QF_TIMEEVT_ARM, ao->prio)
        QS_TIME_PRE();
        QS_OBJ_PRE(ao);
        QS_FUN_PRE(ao->super.state);
        QS_SIG_PRE(5);
        QS_EVS_PRE(sizeof(QEvt));
        QS_TEC_PRE(1U);
        QS_EQC_PRE(ao->count);
        QS_MPC_PRE(1U);
        QS_MPS_PRE(1U);
        QS_2U8_PRE(1U, 2U);
        QS_U32_PRE(1U);
    QS_END_PRE()
    QS_obj_dict_pre_(ao, "ao");
}
