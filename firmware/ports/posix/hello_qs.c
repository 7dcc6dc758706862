/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The smallest program with a QS trace, on a desktop: a lamp switched every 100 ms, and its temperature. The trace
 * goes to stdout. For a board, see ports/cortex-m/hello_qs.c, which also takes commands. */
#define _POSIX_C_SOURCE 200809L

#include "spytui/qs_rec.h"

#include <time.h>
#include <unistd.h>

/* Port: a millisecond clock. Only one thread traces, so there is nothing to lock. */
static uint64_t now(void *ctx) {
    (void)ctx;
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000u + (uint64_t)time.tv_nsec / 1000000u;
}

static const sty_env_t env = {now, sty_env_no_lock, sty_env_no_unlock, NULL, 1000};

/* Trace. */
enum { LAMP_ID = 1, TEMP = STY_QS_USER };
enum { TIMEOUT_SIG = 4 };

static uint8_t trace_mem[2048];
static sty_ring_t ring;
static sty_qs_t qs;
static const sty_qs_target_t target = {
    .version = 734, .tail = STY_QS_TARGET(8, 1, 1, 26, 11, 22, 12, 0, 0), .info = sty_qs_info_7};

/* The lamp: an active object with two states. */
static struct {
    bool is_on;
} lamp;
static void lamp_on(void) {
}
static void lamp_off(void) {
}

static uintptr_t state_of_lamp(void) {
    return (uintptr_t)(lamp.is_on ? lamp_on : lamp_off);
}

static void switch_lamp(void) {
    const uintptr_t before = state_of_lamp();
    lamp.is_on = !lamp.is_on;
    sty_qs_tran(&qs, LAMP_ID, TIMEOUT_SIG, &lamp, before, state_of_lamp());
}

static void trace_temperature(uint32_t tenths) {
    STY_QS_BEGIN(&qs, TEMP, LAMP_ID)
        sty_qs_u32(&qs, 4, tenths);
        sty_qs_str(&qs, "0.1 C");
    STY_QS_END(&qs)
}

static void start_trace(void) {
    sty_ring_init(&ring, &env, trace_mem, sizeof trace_mem);
    sty_qs_init(&qs, &ring, &target);
    sty_qs_start(&qs);
    sty_qs_obj_dict(&qs, &lamp, "lamp");
    sty_qs_fun_dict(&qs, (uintptr_t)lamp_on, "lamp_on");
    sty_qs_fun_dict(&qs, (uintptr_t)lamp_off, "lamp_off");
    sty_qs_sig_dict(&qs, TIMEOUT_SIG, NULL, "TIMEOUT_SIG");
    sty_qs_usr_dict(&qs, TEMP, "TEMP");
    sty_qs_glb_group(&qs, STY_QS_GRP_SM, true);
    sty_qs_glb_group(&qs, STY_QS_GRP_UA, true);
}

/* Sends the content of the ring. False: the reader is gone. */
static bool serve_link(void) {
    uint32_t count;
    const uint8_t *from = sty_ring_peek(&ring, &count);
    const ssize_t sent = write(STDOUT_FILENO, from, count);
    if (sent < 0) {
        return false;
    }
    sty_ring_skip(&ring, (uint32_t)sent);
    sty_qs_poll(&qs);
    return true;
}

int main(void) {
    const struct timespec tenth = {.tv_nsec = 100000000};
    start_trace();
    for (uint32_t i = 0; serve_link(); i++) {
        switch_lamp();
        trace_temperature(200u + i % 50u);
        nanosleep(&tenth, NULL);
    }
    return 0;
}
