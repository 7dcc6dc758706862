/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The demo on a board. DEMO_PROTO is one of demo_qs, demo_rkh, demo_tband, demo_qnx. With DEMO_SECONDS it ends after
 * that time of its virtual clock, and QEMU's exit status shows whether everything went well. */
#include "board.h"
#include "demo.h"

#ifdef DEMO_SECONDS
#include "semihost.h"
#endif

#define SYST_CSR (*(volatile uint32_t *)0xE000E010u)
#define SYST_RVR (*(volatile uint32_t *)0xE000E014u)

static volatile uint32_t ticks;

void systick_handler(void);
void systick_handler(void) {
    ticks++;
}

static demo_t demo;

/* Taken from the ring, but not sent yet. */
static uint8_t bytes[64];
static uint32_t begin, end;

/* Sends and receives without waiting. False: everything was sent. */
static bool serve_link(void) {
    uint8_t byte;
    while (board_receive(&byte)) {
        demo_feed(&demo, &byte, 1);
    }
    for (;;) {
        if (begin == end) {
            begin = 0;
            end = demo_read(&demo, bytes, sizeof bytes);
        }
        if (begin == end) {
            return false;
        }
        while (begin != end) {
            if (!board_send(bytes[begin])) {
                return true;
            }
            begin++;
        }
    }
}

static void wait_for_tick(uint32_t *last) {
    while (ticks == *last) {
        if (!serve_link()) {
            __asm__ volatile("wfi");
        }
    }
    *last = ticks;
}

#ifdef DEMO_SECONDS
static void finish(uint32_t *last) {
    demo_halt(&demo);
    do {
        wait_for_tick(last);
        demo_step(&demo);
    } while (serve_link());
    semihost_exit(demo_drops(&demo) == 0u ? 0 : 1);
}
#endif

int main(void) {
    static const demo_config_t config = {.proto = &DEMO_PROTO, .seed = 1};
    board_init();
    SYST_RVR = board_clock / (1000u / DEMO_STEP_MS) - 1u;
    SYST_CSR = 7; /* on, with interrupt, using the processor clock */
    demo_init(&demo, &config);
    uint32_t last = 0;
    for (uint32_t step = 1;; step++) {
        wait_for_tick(&last);
        demo_step(&demo);
#ifdef DEMO_SECONDS
        if (step == DEMO_SECONDS * (1000u / DEMO_STEP_MS)) {
            finish(&last);
        }
#endif
    }
}
