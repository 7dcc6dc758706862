/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Records, groups, QS-IDs and kinds of objects as numbered by QS 8.x. */
#ifndef SPYTUI_QS_IDS_H
#define SPYTUI_QS_IDS_H

/* Records. */
enum {
    QS_EMPTY = 0,
    QS_QEP_STATE_ENTRY = 1,
    QS_QEP_STATE_EXIT = 2,
    QS_QEP_STATE_INIT = 3,
    QS_QEP_INIT_TRAN = 4,
    QS_QEP_INTERN_TRAN = 5,
    QS_QEP_TRAN = 6,
    QS_QEP_IGNORED = 7,
    QS_QEP_DISPATCH = 8,
    QS_QEP_UNHANDLED = 9,
    QS_QF_ACTIVE_DEFER = 10,
    QS_QF_ACTIVE_RECALL = 11,
    QS_QF_ACTIVE_SUBSCRIBE = 12,
    QS_QF_ACTIVE_UNSUBSCRIBE = 13,
    QS_QF_ACTIVE_POST = 14,
    QS_QF_ACTIVE_POST_LIFO = 15,
    QS_QF_ACTIVE_GET = 16,
    QS_QF_ACTIVE_GET_LAST = 17,
    QS_QF_ACTIVE_RECALL_ATTEMPT = 18,
    QS_QF_EQUEUE_POST = 19,
    QS_QF_EQUEUE_POST_LIFO = 20,
    QS_QF_EQUEUE_GET = 21,
    QS_QF_EQUEUE_GET_LAST = 22,
    QS_QF_NEW_ATTEMPT = 23,
    QS_QF_MPOOL_GET = 24,
    QS_QF_MPOOL_PUT = 25,
    QS_QF_PUBLISH = 26,
    QS_QF_NEW_REF = 27,
    QS_QF_NEW = 28,
    QS_QF_GC_ATTEMPT = 29,
    QS_QF_GC = 30,
    QS_QF_TICK = 31,
    QS_QF_TIMEEVT_ARM = 32,
    QS_QF_TIMEEVT_AUTO_DISARM = 33,
    QS_QF_TIMEEVT_DISARM_ATTEMPT = 34,
    QS_QF_TIMEEVT_DISARM = 35,
    QS_QF_TIMEEVT_REARM = 36,
    QS_QF_TIMEEVT_POST = 37,
    QS_QF_DELETE_REF = 38,
    QS_QF_CRIT_ENTRY = 39,
    QS_QF_CRIT_EXIT = 40,
    QS_QF_ISR_ENTRY = 41,
    QS_QF_ISR_EXIT = 42,
    QS_QF_INT_DISABLE = 43,
    QS_QF_INT_ENABLE = 44,
    QS_QF_ACTIVE_POST_ATTEMPT = 45,
    QS_QF_EQUEUE_POST_ATTEMPT = 46,
    QS_QF_MPOOL_GET_ATTEMPT = 47,
    QS_SCHED_PREEMPT = 48,
    QS_SCHED_RESTORE = 49,
    QS_SCHED_LOCK = 50,
    QS_SCHED_UNLOCK = 51,
    QS_SCHED_NEXT = 52,
    QS_SCHED_IDLE = 53,
    QS_ENUM_DICT = 54,
    QS_QEP_TRAN_HIST = 55,
    QS_QEP_TRAN_EP = 56,
    QS_QEP_TRAN_XP = 57,
    QS_TEST_PAUSED = 58,
    QS_TEST_PROBE_GET = 59,
    QS_SIG_DICT = 60,
    QS_OBJ_DICT = 61,
    QS_FUN_DICT = 62,
    QS_USR_DICT = 63,
    QS_TARGET_INFO = 64,
    QS_TARGET_DONE = 65,
    QS_RX_STATUS = 66,
    QS_QUERY_DATA = 67,
    QS_PEEK_DATA = 68,
    QS_ASSERT_FAIL = 69,
    QS_QF_RUN = 70,
    QS_SEM_TAKE = 71,
    QS_SEM_BLOCK = 72,
    QS_SEM_SIGNAL = 73,
    QS_SEM_BLOCK_ATTEMPT = 74,
    QS_MTX_LOCK = 75,
    QS_MTX_BLOCK = 76,
    QS_MTX_UNLOCK = 77,
    QS_MTX_LOCK_ATTEMPT = 78,
    QS_MTX_BLOCK_ATTEMPT = 79,
    QS_MTX_UNLOCK_ATTEMPT = 80,
    QS_QF_ACTIVE_DEFER_ATTEMPT = 81,

    /* The program's own, in five groups. The last one is 124; 123 is the drop total. */
    QS_USER = 100,
    QS_USER0 = 100,
    QS_USER1 = 105,
    QS_USER2 = 110,
    QS_USER3 = 115,
    QS_USER4 = 120
};

/* Groups of records for QS_GLB_FILTER(), in the order of sty_qs_group_t. */
enum {
    QS_GRP_ALL = 0xF0,
    QS_GRP_SM,
    QS_GRP_AO,
    QS_GRP_EQ,
    QS_GRP_MP,
    QS_GRP_TE,
    QS_GRP_QF,
    QS_GRP_SC,
    QS_GRP_SEM,
    QS_GRP_MTX,
    QS_GRP_U0,
    QS_GRP_U1,
    QS_GRP_U2,
    QS_GRP_U3,
    QS_GRP_U4,
    QS_GRP_UA
};

/* The first QS-ID of active objects, by priority; event pools, by number; event queues; application objects. */
enum { QS_ID_AO = 0, QS_ID_EP = 64, QS_ID_EQ = 80, QS_ID_AP = 96 };
enum { QS_AO_ID = QS_ID_AO, QS_EP_ID = QS_ID_EP, QS_EQ_ID = QS_ID_EQ, QS_AP_ID = QS_ID_AP };

/* Ranges of QS-IDs for QS_LOC_FILTER(). */
enum {
    QS_IDS_AO = 0x80 + QS_ID_AO,
    QS_IDS_EP = 0x80 + QS_ID_EP,
    QS_IDS_EQ = 0x80 + QS_ID_EQ,
    QS_IDS_AP = 0x80 + QS_ID_AP,
    QS_IDS_ALL = 0xF0
};

/* Kinds of current objects. */
enum { QS_OBJ_SM, QS_OBJ_AO, QS_OBJ_MP, QS_OBJ_EQ, QS_OBJ_TE, QS_OBJ_AP, QS_OBJ_SM_AO, QS_OBJ_EP };

/* The group of enumerations that names the commands of the program. */
enum { QS_CMD = 7 };

#endif
