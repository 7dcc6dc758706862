/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The smallest program with a QS trace, for the board lm3s6965evb, which QEMU supports: a lamp switched by a time
 * event, and its temperature. The README explains it step by step. */
#include "spytui/ports/clock_systick.h"
#include "spytui/ports/lock_primask.h"
#include "spytui/qs_rec.h"
#include "spytui/qs_rx.h"

#ifdef HELLO_TICKS
#include "semihost.h"
#endif

#define UART0_DR (*(volatile uint32_t *)0x4000C000u)
#define UART0_FR (*(volatile uint32_t *)0x4000C018u)
#define UART0_CTL (*(volatile uint32_t *)0x4000C030u)
#define SYST_CSR (*(volatile uint32_t *)0xE000E010u)
#define SYST_RVR (*(volatile uint32_t *)0xE000E014u)
enum { RX_EMPTY = 1u << 4, TX_FULL = 1u << 5 };

/* Port: a clock of processor cycles based on a 1 ms tick, and a lock that masks interrupts. */
static sty_systick_t systick;
static const sty_env_t env = {sty_systick_now, sty_primask_lock, sty_primask_unlock, &systick, 12500000};

static volatile uint32_t milliseconds;

void systick_handler(void);
void systick_handler(void) {
    milliseconds++;
    sty_systick_tick(&env);
}

/* Trace. */
enum { LAMP_ID = 1, TEMP = STY_QS_USER };
enum { TIMEOUT_SIG = 4 };

static uint8_t trace_mem[2048];
static sty_ring_t ring;
static sty_qs_t qs;
static sty_qsrx_t commands;
static const sty_qs_target_t target = {
    .version = 734, .tail = STY_QS_TARGET(8, 1, 1, 26, 11, 22, 12, 0, 0), .info = sty_qs_info_7};

/* The lamp: an active object with two states. */
static struct {
    bool is_on;
    uint32_t switched;
} lamp;
static void lamp_on(void) {
}
static void lamp_off(void) {
}

static uintptr_t state_of_lamp(void) {
    return (uintptr_t)(lamp.is_on ? lamp_on : lamp_off);
}

/* Commands: the host may read and change the lamp, and switch it with command 1. */
static bool may_access(void *ctx, uintptr_t address, size_t length, bool write) {
    (void)ctx;
    (void)write;
    const uintptr_t begin = (uintptr_t)&lamp;
    return address >= begin && length <= sizeof lamp && address - begin <= sizeof lamp - length;
}

static void switch_lamp(void) {
    const uintptr_t before = state_of_lamp();
    sty_qs_state_exit(&qs, LAMP_ID, &lamp, before);
    lamp.is_on = !lamp.is_on;
    lamp.switched++;
    sty_qs_state_entry(&qs, LAMP_ID, &lamp, state_of_lamp());
    sty_qs_tran(&qs, LAMP_ID, TIMEOUT_SIG, &lamp, before, state_of_lamp());
}

static void command(void *ctx, uint8_t id, uint32_t p1, uint32_t p2, uint32_t p3) {
    (void)ctx;
    (void)(p1 + p2 + p3);
    if (id == 1u) {
        switch_lamp();
    }
}

static uint8_t id_of(void *ctx, const void *object) {
    (void)ctx;
    return object == &lamp ? LAMP_ID : 0;
}

static const sty_qsrx_cb_t callbacks = {.may_access = may_access, .command = command, .id_of = id_of};

static void start_trace(void) {
    sty_ring_init(&ring, &env, trace_mem, sizeof trace_mem);
    sty_qs_init(&qs, &ring, &target);
    sty_qsrx_init(&commands, &qs, &callbacks, NULL);
    sty_qs_start(&qs);
    sty_qs_obj_dict(&qs, &lamp, "lamp");
    sty_qs_fun_dict(&qs, (uintptr_t)lamp_on, "lamp_on");
    sty_qs_fun_dict(&qs, (uintptr_t)lamp_off, "lamp_off");
    sty_qs_sig_dict(&qs, TIMEOUT_SIG, NULL, "TIMEOUT_SIG");
    sty_qs_usr_dict(&qs, TEMP, "TEMP");
    sty_qs_enum_dict(&qs, 1, 7, "SWITCH");
    sty_qs_glb_group(&qs, STY_QS_GRP_SM, true);
    sty_qs_glb_group(&qs, STY_QS_GRP_UA, true);
}

/* Sends and receives without waiting. */
static void serve_link(void) {
    uint32_t count;
    const uint8_t *from = sty_ring_peek(&ring, &count);
    uint32_t sent = 0;
    while (sent < count && (UART0_FR & TX_FULL) == 0u) {
        UART0_DR = from[sent];
        sent++;
    }
    sty_ring_skip(&ring, sent);
    while ((UART0_FR & RX_EMPTY) == 0u) {
        sty_qsrx_feed(&commands, (uint8_t)UART0_DR);
    }
    sty_qs_poll(&qs);
}

static void trace_temperature(uint32_t tenths) {
    STY_QS_BEGIN(&qs, TEMP, LAMP_ID)
        sty_qs_u32(&qs, 4, tenths);
        sty_qs_str(&qs, "0.1 C");
    STY_QS_END(&qs)
}

int main(void) {
    UART0_CTL = 0x301; /* on, both directions */
    SYST_RVR = 12500u - 1u; /* 1 ms at the default 12.5 MHz */
    SYST_CSR = 7;
    start_trace();
    for (uint32_t last = 0;;) {
        serve_link();
        const uint32_t time = milliseconds;
        if (time != last && time % 100u == 0u) {
            switch_lamp();
            trace_temperature(200u + time / 100u % 50u);
        }
        last = time;
#ifdef HELLO_TICKS
        if (time >= HELLO_TICKS) {
            semihost_exit(sty_ring_drops(&ring) == 0u ? 0 : 1);
        }
#endif
        __asm__ volatile("wfi");
    }
}
