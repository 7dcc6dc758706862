/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Vectors and startup code of a program without a C library. */
#include <stdint.h>

extern uint32_t data_load[], data_begin[], data_end[], bss_begin[], bss_end[], stack_top[];

int main(void);
void reset_handler(void);
void semihost_exit(int status);

/* Defined by programs that report faults. */
void fault_handler(void);
__attribute__((weak)) void fault_handler(void) {
    semihost_exit(99);
}

/* Defined by programs with a clock. */
void systick_handler(void);
__attribute__((weak)) void systick_handler(void) {
    semihost_exit(98);
}

void reset_handler(void) {
    const uint32_t *from = data_load;
    for (uint32_t *to = data_begin; to != data_end; to++) {
        *to = *from++;
    }
    for (uint32_t *to = bss_begin; to != bss_end; to++) {
        *to = 0;
    }
    semihost_exit(main());
}

typedef void (*handler_t)(void);

__attribute__((section(".vectors"), used)) static const struct {
    uint32_t *stack;
    handler_t handlers[15];
} vectors = {stack_top, {reset_handler, fault_handler, fault_handler, fault_handler, fault_handler, fault_handler, 0, 0, 0, 0,
    fault_handler, fault_handler, 0, fault_handler, systick_handler}};
