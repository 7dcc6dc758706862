/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The compiler calls these even in freestanding programs. Built with -fno-tree-loop-distribute-patterns, because
 * otherwise the loops would be compiled to calls of themselves. */
#include <stddef.h>

void *memcpy(void *to, const void *from, size_t count);
void *memset(void *to, int byte, size_t count);

void *memcpy(void *to, const void *from, size_t count) {
    unsigned char *t = to;
    const unsigned char *f = from;
    while (count-- != 0u) {
        *t++ = *f++;
    }
    return to;
}

void *memset(void *to, int byte, size_t count) {
    unsigned char *t = to;
    while (count-- != 0u) {
        *t++ = (unsigned char)byte;
    }
    return to;
}
