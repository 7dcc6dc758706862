/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The locks in ports/: RTOS locks on stand-ins for their headers, locks of cores and threads on real threads. */
#include "tap.h"

#include <pthread.h>
#include <sched.h>

#include "spytui/ports/esp_idf.h"
#include "spytui/ports/freertos.h"
#include "spytui/ports/zephyr.h"

static _Thread_local unsigned core, masked;
#define STY_CORE() core
#define STY_MASK() (masked++ != 0u)
#define STY_UNMASK(state) (masked = (state))
#include "spytui/ports/lock_cores.h"

#define STY_YIELD() sched_yield()
#include "spytui/ports/lock_threads.h"

/* FreeRTOS: the kind of section, its depth, and whether each is left as it was entered. */
static BaseType_t in_interrupt;
static int in_tasks, in_interrupts;

BaseType_t xPortIsInsideInterrupt(void) {
    return in_interrupt;
}
void taskENTER_CRITICAL(void) {
    in_tasks++;
}
void taskEXIT_CRITICAL(void) {
    in_tasks--;
}
UBaseType_t taskENTER_CRITICAL_FROM_ISR(void) {
    return (UBaseType_t)(0x50 + in_interrupts++);
}
void taskEXIT_CRITICAL_FROM_ISR(UBaseType_t state) {
    in_interrupts = (int)state - 0x50;
}

static void test_freertos(void) {
    const uint32_t outer = sty_freertos_lock(NULL);
    const uint32_t inner = sty_freertos_lock(NULL);
    OK(in_tasks == 2 && in_interrupts == 0, "FreeRTOS: a task enters the critical section of tasks");
    sty_freertos_unlock(NULL, inner);
    sty_freertos_unlock(NULL, outer);
    in_interrupt = 1;
    const uint32_t first = sty_freertos_lock(NULL);
    const uint32_t second = sty_freertos_lock(NULL);
    OK(in_tasks == 0 && in_interrupts == 2, "an interrupt that of interrupts");
    sty_freertos_unlock(NULL, second);
    OK(in_interrupts == 1, "a section inside a section leaves it locked");
    sty_freertos_unlock(NULL, first);
    OK(in_interrupts == 0, "and it ends");
}

static unsigned irq_locked;
unsigned int irq_lock(void) {
    const unsigned before = irq_locked;
    irq_locked = 1;
    return before;
}
void irq_unlock(unsigned int key) {
    irq_locked = key;
}
int64_t k_uptime_ticks(void) {
    return 0x123456789;
}

static void test_zephyr(void) {
    const uint32_t outer = sty_zephyr_lock(NULL);
    sty_zephyr_unlock(NULL, sty_zephyr_lock(NULL));
    OK(irq_locked == 1u, "Zephyr: a section inside a section leaves it locked");
    sty_zephyr_unlock(NULL, outer);
    OK(irq_locked == 0u && sty_zephyr_now(NULL) == 0x123456789u, "it ends, and the clock has 64 bits");
}

int64_t esp_timer_get_time(void) {
    return 0x987654321;
}

static void test_esp_idf(void) {
    portMUX_TYPE mux = portMUX_INITIALIZER_UNLOCKED;
    const uint32_t state = sty_esp_lock(&mux);
    OK(mux.depth == 1 && sty_esp_now(&mux) == 0x987654321u, "ESP-IDF: its spinlock is taken, and the clock has 64 bits");
    sty_esp_unlock(&mux, state);
    OK(mux.depth == 0, "and given back");
}

/* Threads that count together, each in nested sections. */
enum { THREADS = 4, TIMES = 20000 };
static const sty_env_t *tried;
static unsigned together;
static bool kept_masked;

static void *count_up(void *arg) {
    core = *(const unsigned *)arg;
    for (unsigned i = 0; i < TIMES; i++) {
        const uint32_t outer = tried->lock(tried->ctx);
        const uint32_t inner = tried->lock(tried->ctx);
        together++;
        tried->unlock(tried->ctx, inner);
        together++;
        kept_masked = kept_masked && (masked != 0u || tried->lock != sty_cores_lock);
        tried->unlock(tried->ctx, outer);
        if (masked != 0u) {
            return arg;
        }
        if (i % 64u == 0u) {
            sched_yield();
        }
    }
    return NULL;
}

static bool counts(const sty_env_t *env) {
    static unsigned numbers[THREADS];
    pthread_t threads[THREADS];
    bool unmasked = true;
    tried = env;
    together = 0;
    kept_masked = true;
    for (unsigned i = 0; i < THREADS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, count_up, &numbers[i]);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        unmasked = unmasked && result == NULL;
    }
    return unmasked && kept_masked && together == 2u * THREADS * TIMES;
}

int main(void) {
    static sty_cores_t cores;
    static sty_threads_t threads;
    const sty_env_t by_cores = {sty_env_no_time, sty_cores_lock, sty_cores_unlock, &cores, 0};
    const sty_env_t by_threads = {sty_env_no_time, sty_threads_lock, sty_threads_unlock, &threads, 0};
    test_freertos();
    test_zephyr();
    test_esp_idf();
    OK(counts(&by_cores), "cores keep each other out, masked until the outer section ends");
    OK(counts(&by_threads), "threads keep each other out");
    return DONE();
}
