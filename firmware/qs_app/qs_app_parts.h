/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Private to the sources in this folder: what they need from the framework, if there is one. */
#ifndef SPYTUI_QS_APP_PARTS_H
#define SPYTUI_QS_APP_PARTS_H

#include "qs_port.h"

#ifdef STY_QS_APP_PORT
#include STY_QS_APP_PORT
#endif

#include "qs_sizes.h"

/* Limits in the target info. */
#ifndef QF_MAX_ACTIVE
#define QF_MAX_ACTIVE 32
#endif
#ifndef QF_MAX_EPOOL
#define QF_MAX_EPOOL 3
#endif
#ifndef QF_MAX_TICK_RATE
#define QF_MAX_TICK_RATE 1
#endif

/* Version and date of the framework, whose layouts are those of 8.1. QP_RELEASE is the date followed by a four-digit
 * version, inverted. */
#ifdef QP_VERSION
#define STY_QS_APP_VERSION (QP_VERSION)
#else
#define STY_QS_APP_VERSION 812
#endif
#ifdef QP_RELEASE
#define STY_QS_APP_DATE ((~(uint32_t)(QP_RELEASE)) / 10000u)
#else
#define STY_QS_APP_DATE 260101
#endif

/* Shown as the build time; define them for a reproducible build. */
#ifndef STY_QS_APP_BUILD_DATE
#define STY_QS_APP_BUILD_DATE __DATE__
#endif
#ifndef STY_QS_APP_BUILD_TIME
#define STY_QS_APP_BUILD_TIME __TIME__
#endif

/* Longer array names are truncated before the index. */
#ifndef STY_QS_APP_ARRAY_NAME
#define STY_QS_APP_ARRAY_NAME 48
#endif

/* The framework's numbers must fit their wire sizes. If this fails, define the STY_QS_… size for all files. */
#if defined(QS_TIME_SIZE) && QS_TIME_SIZE != STY_QS_TIME_SIZE
#error "STY_QS_TIME_SIZE is not QS_TIME_SIZE"
#endif
#if defined(QS_OBJ_PTR_SIZE) && QS_OBJ_PTR_SIZE != STY_QS_OBJ_SIZE
#error "STY_QS_OBJ_SIZE is not QS_OBJ_PTR_SIZE"
#endif
#if defined(QS_FUN_PTR_SIZE) && QS_FUN_PTR_SIZE != STY_QS_FUN_SIZE
#error "STY_QS_FUN_SIZE is not QS_FUN_PTR_SIZE"
#endif
#if defined(Q_SIGNAL_SIZE) && Q_SIGNAL_SIZE > STY_QS_SIG_SIZE
#error "STY_QS_SIG_SIZE is less than Q_SIGNAL_SIZE"
#endif
#if defined(QF_TIMEEVT_CTR_SIZE) && QF_TIMEEVT_CTR_SIZE > STY_QS_TIMEEVT_CTR_SIZE
#error "STY_QS_TIMEEVT_CTR_SIZE is less than QF_TIMEEVT_CTR_SIZE"
#endif

/* What the host may request from the framework: STY_QS_APP_KERNEL is the name of an instance. False: refused. */
typedef struct {
    bool (*tick)(uint8_t rate);
    bool (*event)(const sty_qsrx_event_t *event);
    /* QS-ID of an active object, or 0 if there is none. */
    uint8_t (*id_of)(const void *object);
} sty_qs_app_kernel_t;

#endif
