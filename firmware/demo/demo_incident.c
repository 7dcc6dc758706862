/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The tasks' scripts. control_task works every two seconds and now and then sends a line to log_task. log_task
 * writes its lines to the flash while it holds the bus, so control_task waits for it briefly. In the incident,
 * modem_task interferes: its priority is lower than control_task's, but log_task can't run while it does. */
#include "demo_tasks.h"

#define CONTROL DEMO_CONTROL_TASK
#define LOG DEMO_LOG_TASK
#define MODEM DEMO_MODEM_TASK
#define NOBODY DEMO_NOBODY

/* The flash takes tenths of a second. */
enum { LINE = 210, WRITES = 2, ERASES = 30 };

const demo_act_t demo_cycle[] = {
    {0, DEMO_SIGNAL, CONTROL, NOBODY, NULL},
    {0, DEMO_TAKE, CONTROL, NOBODY, NULL},
    {0, DEMO_WAIT, CONTROL, NOBODY, NULL},
    {0, 0, 0, 0, NULL}};

const demo_act_t demo_cycle_with_line[] = {
    {0, DEMO_SIGNAL, CONTROL, NOBODY, NULL},
    {0, DEMO_TAKE, CONTROL, NOBODY, NULL},
    {0, DEMO_LOCK, CONTROL, NOBODY, NULL},
    {0, DEMO_UNLOCK, CONTROL, NOBODY, NULL},
    {0, DEMO_SEND, CONTROL, LOG, NULL},
    {0, DEMO_WAIT, CONTROL, NOBODY, NULL},
    {0, DEMO_RECEIVE, LOG, NOBODY, NULL},
    {0, DEMO_LOCK, LOG, NOBODY, NULL},
    {0, DEMO_UNLOCK, LOG, NOBODY, NULL},
    {0, DEMO_REPLY, LOG, CONTROL, NULL},
    {0, DEMO_RECEIVE_WAIT, LOG, NOBODY, NULL},
    {0, 0, 0, 0, NULL}};

const demo_act_t demo_flush[] = {
    {0, DEMO_WAKE, LOG, NOBODY, NULL},
    {0, DEMO_LOCK, LOG, NOBODY, NULL},
    {5, DEMO_SIGNAL, CONTROL, NOBODY, NULL},
    {0, DEMO_TAKE, CONTROL, NOBODY, NULL},
    {0, DEMO_LOCK_WAIT, CONTROL, LOG, NULL},
    {0, DEMO_DELAY, LOG, WRITES, NULL},
    {WRITES * DEMO_TENTH_MS / DEMO_STEP_MS, DEMO_WAKE, LOG, NOBODY, NULL},
    {0, DEMO_UNLOCK, LOG, CONTROL, NULL},
    {0, DEMO_LOCK, CONTROL, LOG, NULL},
    {0, DEMO_UNLOCK, CONTROL, NOBODY, NULL},
    {0, DEMO_WAIT, CONTROL, NOBODY, NULL},
    {0, DEMO_RECEIVE_WAIT, LOG, NOBODY, NULL},
    {0, 0, 0, 0, NULL}};

/* The events of the pool are never returned, so readings find none either. */
const demo_act_t demo_incident[] = {
    {0, DEMO_WAKE, LOG, NOBODY, NULL},
    {0, DEMO_LOCK, LOG, NOBODY, NULL},
    {0, DEMO_NOTE, LOG, DEMO_BUS_MUTEX, "holds"},
    {20, DEMO_WAKE, MODEM, NOBODY, NULL},
    {0, DEMO_NOTE, MODEM, LOG, "preempts"},
    {20, DEMO_PACKET, MODEM, NOBODY, NULL},
    {10, DEMO_SIGNAL, CONTROL, NOBODY, NULL},
    {0, DEMO_TAKE, CONTROL, NOBODY, NULL},
    {0, DEMO_NOTE, CONTROL, DEMO_BUS_MUTEX, "waits for"},
    {0, DEMO_LOCK_WAIT, CONTROL, LOG, NULL},
    {0, DEMO_DELAY, LOG, ERASES, NULL},
    {10, DEMO_PACKET, MODEM, NOBODY, NULL},
    {20, DEMO_PACKET, MODEM, NOBODY, NULL},
    {20, DEMO_PACKET, MODEM, NOBODY, NULL},
    {20, DEMO_PACKET, MODEM, NOBODY, NULL},
    {20, DEMO_PACKET, MODEM, NOBODY, NULL},
    {20, DEMO_PACKET, MODEM, NOBODY, NULL},
    {20, DEMO_PACKET, MODEM, NOBODY, NULL},
    {70, DEMO_NOTE, CONTROL, NOBODY, "missed its deadline"},
    {1, DEMO_ASSERT, CONTROL, LINE, "control_task"},
    {0, 0, 0, 0, NULL}};
