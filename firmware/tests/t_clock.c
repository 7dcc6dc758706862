/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The clocks in ports/ on simulated counters: they never go back and are exact, even while a tick is pending with
 * interrupts masked, and when its handler is interrupted before it has counted. */
#include "tap.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

static uint32_t sim_csr(void);
static uint32_t sim_cvr(void);

enum { PERIOD = 1000 };
#define STY_SYSTICK_CSR sim_csr()
#define STY_SYSTICK_RVR (PERIOD - 1u)
#define STY_SYSTICK_CVR sim_cvr()
#include "spytui/ports/clock_systick.h"

static uint32_t cycles;
#define STY_DWT_CYCCNT cycles
#include "spytui/ports/clock_dwt.h"

/* SysTick and its environment. */
static struct {
    uint64_t time;
    uint32_t access;  /* maximum number of clocks that reading a register takes */
    uint32_t late;    /* clocks from a wrap until its flag is set, while the counter shows 0, as in an emulator */
    uint32_t lag;     /* remaining clocks of that */
    bool flag;        /* the wrap flag is set */
    bool pending;     /* the interrupt is pending */
    bool steal_flags; /* other code reads the flag, too */
    uint32_t ticks;   /* counted by the handler */
} sim;

static uint32_t below(uint32_t limit) {
    return (uint32_t)rand() % limit;
}

static void pass(uint32_t clocks) {
    for (; clocks != 0u; clocks--) {
        sim.time++;
        if (sim.time % PERIOD == 0u) {
            sim.lag = sim.late + 1u;
        }
        if (sim.lag != 0u && --sim.lag == 0u) {
            sim.flag = !sim.steal_flags;
            sim.pending = true;
        }
    }
}

static uint32_t sim_csr(void) {
    pass(below(sim.access + 1u));
    const uint32_t csr = sim.flag ? 1u << 16 : 0u;
    sim.flag = false;
    return csr;
}

static uint32_t sim_cvr(void) {
    pass(below(sim.access + 1u));
    const uint32_t phase = (uint32_t)(sim.time % PERIOD);
    return phase == 0u || sim.lag != 0u ? 0u : PERIOD - phase;
}

/* The obvious clock: counted ticks, the counter and the pending tick. */
static uint64_t obvious_now(void) {
    uint32_t value = sim_cvr();
    uint64_t counted = sim.ticks;
    if (sim.pending) {
        value = sim_cvr();
        counted++;
    }
    return counted * PERIOD + (PERIOD - 1u - value);
}

static sty_systick_t systick;
static uint64_t last, obvious_last;
static unsigned calls, back, wrong, obvious_back;

/* Writes a record, which reads the clock. */
static void trace(void) {
    const uint64_t before = sim.time;
    const uint64_t now = sty_systick_now(&systick);
    calls++;
    back += now < last;
    wrong += now + sim.late < before || now > sim.time + sim.late;
    last = now;
    const uint64_t obvious = obvious_now();
    obvious_back += obvious < obvious_last;
    obvious_last = obvious;
}

/* The tick handler: a more urgent interrupt may trace before it has counted. */
static void take_tick(void) {
    if (sim.pending) {
        sim.pending = false;
        pass(below(20));
        if (below(4) == 0u) {
            trace();
        }
        sim.ticks++;
        trace();
    }
}

static void run(uint32_t access, uint32_t late, bool steal_flags) {
    systick = (sty_systick_t){0, 0};
    sim.time = 1;
    sim.access = access;
    sim.late = late;
    sim.lag = 0;
    sim.flag = sim.pending = false;
    sim.steal_flags = steal_flags;
    last = obvious_last = sim.ticks = 0;
    calls = back = wrong = obvious_back = 0;
    for (unsigned section = 0; section < 100000; section++) {
        take_tick();
        pass(below(40));
        /* Masked for up to three quarters of a period between two records. */
        for (uint32_t records = below(4); records != 0u; records--) {
            pass(below(3) == 0u ? below(3 * PERIOD / 4) : below(30));
            trace();
        }
    }
    printf("# %u calls in %u periods; the obvious clock ran back %u times\n", calls, (unsigned)(sim.time / PERIOD),
        obvious_back);
}

static void test_systick(void) {
    srand(1);
    run(4, 0, false);
    OK(obvious_back > 100, "ticks are pending, and handlers interrupted");
    OK(back == 0, "SysTick: time never runs back");
    OK(wrong == 0, "and is right");
    run(4, 7, false);
    OK(back == 0 && wrong == 0, "also where the counter shows 0 before it sets its flag");
    run(1, 0, false);
    OK(back == 0 && wrong == 0, "also where it is slower than the processor");
    run(4, 0, true);
    OK(back == 0 && wrong == 0, "and where somebody else has read each flag");
}

/* The tick updates the clock under the lock. */
static unsigned locks;
static uint32_t lock(void *ctx) {
    (void)ctx;
    locks++;
    return 5;
}
static void unlock(void *ctx, uint32_t state) {
    (void)ctx;
    locks -= state == 5u;
}

static void test_tick(void) {
    const sty_env_t env = {sty_systick_now, lock, unlock, &systick, 0};
    systick = (sty_systick_t){0, 0};
    sim.steal_flags = sim.flag = false;
    sim.time = 1;
    for (unsigned i = 0; i < 1000; i++) {
        pass(PERIOD - (uint32_t)(sim.time % PERIOD) + below(PERIOD / 2));
        sty_systick_tick(&env);
    }
    const uint64_t begin = sim.time;
    const uint64_t now = sty_systick_now(&systick);
    OK(now >= begin && now <= sim.time && locks == 0u, "a call in each tick keeps it, under the lock");
}

static void test_dwt(void) {
    static sty_dwt_t dwt;
    uint64_t time = 0;
    bool right = true;
    for (unsigned i = 0; i < 1000; i++) {
        const uint32_t step = ((uint32_t)rand() << 16) ^ (uint32_t)rand();
        time += step;
        cycles += step;
        right = right && sty_dwt_now(&dwt) == time;
    }
    OK(right && time > 1ull << 40, "DWT: 64 bits of a counter of 32");
}

int main(void) {
    test_systick();
    test_tick();
    test_dwt();
    return DONE();
}
