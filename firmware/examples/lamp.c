/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "lamp.h"

#include "spytui/qs_rec.h"
#include "spytui/qs_rx.h"

enum { LAMP_ID = 1, TEMP = STY_QS_USER };
enum { TIMEOUT_SIG = 4 };

uint8_t lamp_mem[2048];
sty_ring_t lamp_ring;
static sty_qs_t qs;
static sty_qsrx_t commands;
static const sty_qs_target_t target = {
    .version = 734, .tail = STY_QS_TARGET(8, 1, 1, 26, 11, 22, 12, 0, 0), .info = sty_qs_info_7};

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

static void switch_lamp(void) {
    const uintptr_t before = state_of_lamp();
    lamp.is_on = !lamp.is_on;
    lamp.switched++;
    sty_qs_tran(&qs, LAMP_ID, TIMEOUT_SIG, &lamp, before, state_of_lamp());
}

static void command(void *ctx, uint8_t id, uint32_t p1, uint32_t p2, uint32_t p3) {
    (void)ctx;
    (void)(p1 + p2 + p3);
    if (id == 1u) {
        switch_lamp();
    }
}

static void names(void *ctx) {
    (void)ctx;
    sty_qs_obj_dict(&qs, &lamp, "lamp");
    sty_qs_fun_dict(&qs, (uintptr_t)lamp_on, "lamp_on");
    sty_qs_fun_dict(&qs, (uintptr_t)lamp_off, "lamp_off");
    sty_qs_sig_dict(&qs, TIMEOUT_SIG, NULL, "TIMEOUT_SIG");
    sty_qs_usr_dict(&qs, TEMP, "TEMP");
    sty_qs_enum_dict(&qs, 1, 7, "SWITCH");
}

static const sty_qsrx_cb_t callbacks = {.command = command, .names = names};

void lamp_start(const sty_env_t *env) {
    sty_ring_init(&lamp_ring, env, lamp_mem, sizeof lamp_mem);
    sty_qs_init(&qs, &lamp_ring, &target);
    sty_qsrx_init(&commands, &qs, &callbacks, NULL);
    sty_qs_start(&qs);
    names(NULL);
    sty_qs_glb_group(&qs, STY_QS_GRP_SM, true);
    sty_qs_glb_group(&qs, STY_QS_GRP_UA, true);
}

void lamp_greet(void) {
    target.info(&qs, false);
    names(NULL);
}

void lamp_step(void) {
    switch_lamp();
    STY_QS_BEGIN(&qs, TEMP, LAMP_ID)
        sty_qs_u32(&qs, 4, 200u + lamp.switched % 50u);
        sty_qs_str(&qs, "0.1 C");
    STY_QS_END(&qs)
    sty_qs_poll(&qs);
}

void lamp_receive(uint8_t byte) {
    sty_qsrx_feed(&commands, byte);
}
