/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Output through the debug probe, on any Cortex-M: the clock is SysTick. With OpenOCD:
 *
 *     openocd -f board.cfg -c 'init; rtt setup 0x20000000 0x10000 "SEGGER RTT"; rtt start; rtt server start 6601 0'
 *     spytui --tcp 127.0.0.1:6601 --proto qs */
#include "lamp.h"
#include "spytui/ports/clock_systick.h"
#include "spytui/ports/lock_primask.h"
#include "spytui/ports/rtt.h"

#define SYST_CSR (*(volatile uint32_t *)0xE000E010u)
#define SYST_RVR (*(volatile uint32_t *)0xE000E014u)
enum { CLOCK = 12500000, TICKS = 1000 };

static sty_systick_t systick;
static const sty_env_t env = {sty_systick_now, sty_primask_lock, sty_primask_unlock, &systick, CLOCK};

static volatile uint32_t milliseconds;

void systick_handler(void); /* SysTick_Handler() in CMSIS */
void systick_handler(void) {
    milliseconds++;
    sty_systick_tick(&env);
}

static sty_rtt_t rtt;
static uint8_t commands[64];

int main(void) {
    SYST_RVR = CLOCK / TICKS - 1u;
    SYST_CSR = 7;
    lamp_start(&env);
    sty_rtt_init(&rtt, lamp_mem, sizeof lamp_mem, commands, sizeof commands);
    for (uint32_t last = 0;;) {
        sty_rtt_serve(&rtt, &lamp_ring);
        for (int byte = sty_rtt_receive(&rtt); byte >= 0; byte = sty_rtt_receive(&rtt)) {
            lamp_receive((uint8_t)byte);
        }
        if (milliseconds - last >= 100u) {
            last += 100u;
            lamp_step();
        }
    }
}
