/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* For several threads: a non-nesting mutex that counts attempts. */
#ifndef QS_PORT_H_
#define QS_PORT_H_

#include <pthread.h>

extern pthread_mutex_t port_mutex;
extern int port_faults;
#define QS_CRIT_STAT int crit_;
#define QS_CRIT_ENTRY() ((void)(crit_ = pthread_mutex_lock(&port_mutex), port_faults += crit_ != 0))
#define QS_CRIT_EXIT() ((void)(crit_ != 0 || pthread_mutex_unlock(&port_mutex)))

#include "qs_app.h"

#endif
