/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* spytui-target --test. */
#ifndef TEST_TARGET_H
#define TEST_TARGET_H

#include "link.h"

#include <signal.h>

/* Serves test scripts until `*stopped`. With `once` a reset, an assertion and a lost link end it, too. */
void test_target_run(link_t *link, bool once, const volatile sig_atomic_t *stopped);

#endif
