/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Test output in TAP. Needs only printf, so that the tests run on a target too. */
#ifndef TAP_H
#define TAP_H

#include <stdio.h>

static int tap_count, tap_failed, tap_ok;
#define OK(cond, ...) (tap_ok = (cond), tap_failed += !tap_ok, printf(tap_ok ? "ok " : "not ok "), printf("%d - ", ++tap_count), printf(__VA_ARGS__), puts(""))
#define DONE() (printf("1..%d\n", tap_count), tap_failed != 0)

#endif
