/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The steps of the README, verbatim: its pieces of C are included in order. The code around them is what a firmware
 * already has: a UART, a tick and a lamp. Ends after a second. */
#include "board.h"
#include "semihost.h"
#include <stddef.h>

#define SYST_CSR (*(volatile uint32_t *)0xE000E010u)
#define SYST_RVR (*(volatile uint32_t *)0xE000E014u)

#define SysTick_Handler systick_handler /* the name in startup.c */
void SysTick_Handler(void);

/* A UART that accepts what board_send() accepts. */
static uint8_t held;
static bool holds;
static bool uart_can_send(void) {
    holds = holds && !board_send(held);
    return !holds;
}
static void uart_send(uint8_t byte) {
    held = byte;
    holds = true;
}
static uint8_t received;
static bool uart_has_received(void) {
    return board_receive(&received);
}
static uint8_t uart_received(void) {
    return received;
}

static struct {
    bool is_on;
} lamp;
static void lamp_on(void) {
}
static void lamp_off(void) {
}

#include "readme_1.inc"
enum { LAMP_ID = 1, TEMP = STY_QS_USER, TIMEOUT_SIG = 4 };
#include "readme_2.inc"

static void trace(uint32_t tenths) {
#include "readme_4.inc"
}

static void serve(void) {
#include "readme_5.inc"
}

static bool may_access(void *ctx, uintptr_t address, size_t length, bool write) {
    (void)ctx;
    (void)write;
    return address == (uintptr_t)&lamp && length == sizeof lamp;
}
static void command(void *ctx, uint8_t id, uint32_t p1, uint32_t p2, uint32_t p3) {
    (void)ctx;
    (void)(id + p1 + p2 + p3);
}
static uint8_t id_of(void *ctx, const void *object) {
    (void)ctx;
    return object == &lamp ? LAMP_ID : 0;
}
#include "readme_6.inc"

static void receive(void) {
#include "readme_8.inc"
}

static uint64_t time(void) {
    const uint32_t state = env.lock(env.ctx);
    const uint64_t now = env.now(env.ctx);
    env.unlock(env.ctx, state);
    return now;
}

int main(void) {
    board_init();
    SYST_RVR = 12500u - 1u;
    SYST_CSR = 7;
#include "readme_3.inc"
#include "readme_7.inc"
    const uint64_t begin = time();
    for (uint32_t tenths = 0; tenths < 10u;) {
        serve();
        receive();
        if (time() - begin > tenths * 1250000ull) {
            trace(200u + tenths++);
        }
    }
    while (sty_ring_used(&ring) != 0u || !uart_can_send()) {
        serve();
    }
    return sty_ring_drops(&ring) == 0u ? 0 : 1;
}
