/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Measures how long the lock is held, and thus interrupts are masked. */
#ifndef BENCH_HELD_H
#define BENCH_HELD_H

#include "bench.h"

/* Time with the lock held, from the return of lock() to the call of unlock(). */
static struct {
    bool on;
    uint32_t begin;
    uint32_t ticks;
    uint32_t times;
} held;

static uint32_t note_lock(void *ctx) {
    (void)ctx;
    held.begin = SYST_CVR;
    return 0;
}

static void note_unlock(void *ctx, uint32_t state) {
    (void)ctx;
    (void)state;
    if (held.on) {
        held.ticks += (held.begin - SYST_CVR) & 0xFFFFFFu;
        held.times++;
    }
}

static const sty_env_t env_noting = {sty_env_no_time, note_lock, note_unlock, NULL, 0};

/* Instructions with the lock held, for each time that a record takes it. A tick is many instructions; varying the
 * delay makes the mean exact. */
static uint32_t measure_held(const char *name, void (*record)(uint32_t i)) {
    held.ticks = 0;
    held.times = 0;
    for (uint32_t i = 0; i < RECORDS * ROUNDS; i++) {
        held.on = true;
        record(i);
        held.on = false;
        spin(1u + i % 97u);
        drain();
    }
    const uint32_t result = (uint32_t)(((uint64_t)held.ticks * scale / 1000u + held.times / 2u) / held.times);
    semihost_text(name);
    semihost_text(", with the lock held: ");
    semihost_number(result);
    semihost_text(" instructions\n");
    return result;
}

#endif
