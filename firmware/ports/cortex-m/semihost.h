/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Text output and exit through the debugger or QEMU (-semihosting-config enable=on,target=native). */
#ifndef SEMIHOST_H
#define SEMIHOST_H

#include <stdint.h>

void semihost_text(const char *text);
void semihost_number(uint32_t number);
/* Ends QEMU; `status` becomes its exit status. */
void semihost_exit(int status);

#endif
