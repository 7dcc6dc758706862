/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The assertion hook of programs that test the checks. */
#ifndef CHECKED_H
#define CHECKED_H

void sty_test_failed(void);
#define STY_ASSERT(condition) ((condition) ? (void)0 : sty_test_failed())

#endif
