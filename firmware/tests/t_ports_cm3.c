/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The locks and the SysTick clock in ports/ on a Cortex-M3 under QEMU. Exit status 0: passed. */
#include "semihost.h"

#define STY_BASEPRI 0x40u
#include "spytui/ports/clock_systick.h"
#include "spytui/ports/lock_basepri.h"
#include "spytui/ports/lock_primask.h"

#define SYST_CSR (*(volatile uint32_t *)0xE000E010u)
#define SYST_RVR (*(volatile uint32_t *)0xE000E014u)
#define SYST_CVR (*(volatile uint32_t *)0xE000E018u)
#define ICSR (*(volatile uint32_t *)0xE000ED04u)
#define SHPR3 (*(volatile uint32_t *)0xE000ED20u)
enum { TICK_PENDING = 1u << 26, SET_TICK_PENDING = 1u << 26, PERIOD = 250, SECTIONS = 20000 };

static sty_systick_t systick;
static const sty_env_t env = {sty_systick_now, sty_primask_lock, sty_primask_unlock, &systick, 12500000};

static volatile uint32_t ticks;

void systick_handler(void);
void systick_handler(void) {
    ticks++;
    sty_systick_tick(&env);
}

static int failed;

static void check(bool good, const char *what) {
    semihost_text(good ? "ok - " : "not ok - ");
    semihost_text(what);
    semihost_text("\n");
    failed += !good;
}

/* Is a tick taken after it was made pending? */
static bool tick_comes(void) {
    const uint32_t before = ticks;
    ICSR = SET_TICK_PENDING;
    __asm__ volatile("dsb\n isb");
    return ticks != before;
}

static void test_primask(void) {
    check(tick_comes(), "interrupts come");
    const uint32_t outer = sty_primask_lock(NULL);
    const uint32_t inner = sty_primask_lock(NULL);
    check(!tick_comes(), "PRIMASK: none comes in a section");
    sty_primask_unlock(NULL, inner);
    check(!tick_comes(), "nor after a section inside a section");
    sty_primask_unlock(NULL, outer);
    check(tick_comes(), "but after it");
}

static void test_basepri(void) {
    SHPR3 = 0x60u << 24;
    const uint32_t outer = sty_basepri_lock(NULL);
    const uint32_t inner = sty_basepri_lock(NULL);
    check(!tick_comes(), "BASEPRI: no less urgent one comes in a section");
    sty_basepri_unlock(NULL, inner);
    check(!tick_comes(), "nor after a section inside a section");
    SHPR3 = 0x20u << 24;
    check(tick_comes(), "a more urgent one does");
    SHPR3 = 0x60u << 24;
    check(!tick_comes(), "again none");
    sty_basepri_unlock(NULL, outer);
    check(tick_comes(), "but after it");
}

static uint64_t last, obvious_last;
static uint32_t back, jumps, obvious_back;

/* Without the pending tick. */
static uint64_t obvious_now(void) {
    return (uint64_t)ticks * PERIOD + (PERIOD - 1u - SYST_CVR);
}

static void look(void) {
    const uint64_t now = sty_systick_now(&systick);
    back += now < last;
    jumps += now - last > PERIOD / 2;
    last = now;
    const uint64_t obvious = obvious_now();
    obvious_back += obvious < obvious_last;
    obvious_last = obvious;
}

static void test_clock(void) {
    SYST_RVR = PERIOD - 1u;
    SYST_CVR = 0;
    SYST_CSR = 7; /* on, with interrupt, using the processor clock */
    uint32_t random = 1;
    uint32_t pending = 0;
    last = sty_systick_now(&systick);
    for (uint32_t section = 0; section < SECTIONS; section++) {
        const uint32_t state = sty_primask_lock(NULL);
        random = random * 1664525u + 1013904223u;
        for (uint32_t i = random >> 27; i != 0u; i--) {
            look();
        }
        if ((ICSR & TICK_PENDING) != 0u) {
            pending++;
            look();
        }
        sty_primask_unlock(NULL, state);
    }
    SYST_CSR = 0;
    semihost_number(pending);
    semihost_text(" pending ticks; the obvious clock ran back ");
    semihost_number(obvious_back);
    semihost_text(" times\n");
    check(pending > 100u && obvious_back > 100u, "ticks are pending while they are masked");
    check(back == 0u, "time never runs back");
    check(jumps == 0u, "and no period is lost or counted twice");
}

int main(void) {
    test_primask();
    test_basepri();
    test_clock();
    return failed;
}
