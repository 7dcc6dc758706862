/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Instructions per record on Cortex-M3 under QEMU. With -icount shift=0, an instruction takes one nanosecond of
 * virtual time, which SysTick counts. These are instructions, not cycles of a real processor. */
#ifndef BENCH_H
#define BENCH_H

#include "semihost.h"
#include "spytui/ring.h"

#define SYST_CSR (*(volatile uint32_t *)0xE000E010u)
#define SYST_RVR (*(volatile uint32_t *)0xE000E014u)
#define SYST_CVR (*(volatile uint32_t *)0xE000E018u)

enum { RECORDS = 100, ROUNDS = 20, RING = 4096 };

static uint8_t mem[RING];
static sty_ring_t ring;
static const sty_env_t env = {sty_env_no_time, sty_env_no_lock, sty_env_no_unlock, NULL, 0};

static void nothing(uint32_t i) {
    (void)i;
}

static void drain(void) {
    uint32_t count;
    do {
        sty_ring_peek(&ring, &count);
        sty_ring_skip(&ring, count);
    } while (count != 0u);
}

/* SysTick ticks for RECORDS calls. The ring is drained outside of the measurement. */
static __attribute__((noinline)) uint32_t ticks(void (*record)(uint32_t i)) {
    uint32_t sum = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const uint32_t begin = SYST_CVR;
        for (uint32_t i = 0; i < RECORDS; i++) {
            record(i);
        }
        sum += (begin - SYST_CVR) & 0xFFFFFFu;
        drain();
    }
    return sum;
}

/* Executes `count` times two instructions. */
static __attribute__((noinline)) void spin(uint32_t count) {
    __asm__ volatile("1: subs %0, %0, #1\n bne 1b\n" : "+r"(count) : : "cc");
}

/* Instructions per 1000 ticks. */
static uint32_t instructions_per_1000_ticks(void) {
    const uint32_t turns = 1000000;
    const uint32_t begin = SYST_CVR;
    spin(turns);
    const uint32_t spent = (begin - SYST_CVR) & 0xFFFFFFu;
    return (uint32_t)(2000ull * turns / spent);
}

static uint32_t scale;

/* Instructions per record, without the surrounding loop and call. */
static uint32_t measure(const char *name, void (*record)(uint32_t i)) {
    const uint32_t empty = ticks(nothing);
    const uint32_t all = ticks(record);
    const uint32_t used = all > empty ? all - empty : 0u;
    const uint32_t result = (uint32_t)(((uint64_t)used * scale / 1000u + RECORDS * ROUNDS / 2u) / (RECORDS * ROUNDS));
    semihost_text(name);
    semihost_text(": ");
    semihost_number(result);
    semihost_text(" instructions\n");
    return result;
}

static inline void print_size(const char *name, size_t size) {
    semihost_text(name);
    semihost_text(": ");
    semihost_number((uint32_t)size);
    semihost_text(" bytes of RAM\n");
}

static uint32_t bytes_of(void (*record)(uint32_t i)) {
    drain();
    record(0);
    const uint32_t used = sty_ring_used(&ring);
    drain();
    return used;
}

/* Call before all others. */
static void bench_start(void) {
    SYST_RVR = 0xFFFFFFu;
    SYST_CVR = 0;
    SYST_CSR = 5; /* on, using the processor clock, no interrupt */
    scale = instructions_per_1000_ticks();
    sty_ring_init(&ring, &env, mem, sizeof mem);
}

#endif
