/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "semihost.h"

enum { SYS_WRITE0 = 0x04, SYS_EXIT_EXTENDED = 0x20 };

static void call(uint32_t operation, const void *block) {
    register uint32_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = block;
    __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
}

void semihost_text(const char *text) {
    call(SYS_WRITE0, text);
}

void semihost_number(uint32_t number) {
    char digits[11];
    char *first = &digits[sizeof digits - 1];
    *first = '\0';
    do {
        *--first = (char)('0' + number % 10u);
        number /= 10u;
    } while (number != 0u);
    semihost_text(first);
}

void semihost_exit(int status) {
    const uint32_t application_exit = 0x20026;
    const uint32_t block[2] = {application_exit, (uint32_t)status};
    call(SYS_EXIT_EXTENDED, block);
    for (;;) {
    }
}
