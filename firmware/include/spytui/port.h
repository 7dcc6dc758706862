/* What the library needs from a port: a clock and a lock. */
#ifndef SPYTUI_PORT_H
#define SPYTUI_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Hooks of the port. All are needed; sty_env_no_time(), sty_env_no_lock() and sty_env_no_unlock() stand in for those
 * that a program can do without. */
typedef struct {
    /* Time in units of the port. Called while the lock is held. */
    uint64_t (*now)(void *ctx);
    /* Keeps other writers out until unlock(), on a microcontroller usually by masking interrupts. The result goes to
     * unlock(), so that a lock inside a section that is already locked leaves it locked. */
    uint32_t (*lock)(void *ctx);
    void (*unlock)(void *ctx, uint32_t state);
    void *ctx;
    /* Units of now() in a second; 0 leaves out what is sent once a second. */
    uint32_t second;
} sty_env_t;

uint64_t sty_env_no_time(void *ctx);
uint32_t sty_env_no_lock(void *ctx);
void sty_env_no_unlock(void *ctx, uint32_t state);

/* Orders memory accesses between the writer and a reader that takes no lock. */
#ifndef STY_FENCE
#if defined(__GNUC__) || defined(__clang__)
#define STY_FENCE() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#else
#error "define STY_FENCE() for this compiler"
#endif
#endif

#ifdef __cplusplus
}
#endif

#endif
