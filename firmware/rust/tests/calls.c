/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The calls of same_as_c.rs, by the C library: calls 734, calls 812, calls drops. Writes the trace to stdout. */
#include "qs_calls.h"

#include <stdio.h>
#include <string.h>

static uint64_t time, step = 3;

static uint64_t now(void *ctx) {
    (void)ctx;
    time += step;
    return time;
}

static const sty_env_t env = {now, sty_env_no_lock, sty_env_no_unlock, NULL, 1000};
static uint8_t mem[16384];
static sty_ring_t ring;
static sty_qs_t qs;

static void send(uint32_t count) {
    while (count != 0) {
        const uint8_t *from = sty_ring_peek(&ring, &count);
        fwrite(from, 1, count, stdout);
        sty_ring_skip(&ring, count);
    }
}

static void send_all(void) {
    send(1);
    sty_qs_poll(&qs);
    send(1);
}

static void start(const sty_qs_target_t *target, uint32_t size) {
    sty_ring_init(&ring, &env, mem, size);
    sty_qs_init(&qs, &ring, target);
    sty_qs_start(&qs);
    sty_qs_glb_group(&qs, STY_QS_GRP_ALL, true);
}

static const void *at(uintptr_t address) {
    return (const void *)address;
}

/* A record of each layout, with a different number in each field. */
static void send_each_layout(void) {
    sty_qs_state_entry(&qs, 0, at(0x20000010), 0x802);
    sty_qs_state_init(&qs, 0, at(0x20000010), 0x802, 0x803);
    sty_qs_init_tran(&qs, 0, at(0x20000010), 0x802);
    sty_qs_intern_tran(&qs, 0, 0x102, at(0x20000020), 0x803);
    sty_qs_tran(&qs, 0, 0x102, at(0x20000020), 0x803, 0x804);
    sty_qs_unhandled(&qs, 0, 0x102, at(0x20000020), 0x803);
    sty_qs_defer(&qs, 0, at(0x20000010), at(0x20000020), 0x304, 14, 15);
    sty_qs_subscribe(&qs, 0, 0x102, at(0x20000020));
    sty_qs_post(&qs, 0, at(0x20000010), 0x203, at(0x20000030), 14, 15, 16, 17);
    sty_qs_post_lifo(&qs, 0, 0x102, at(0x20000020), 13, 14, 15, 16);
    sty_qs_get(&qs, 0, 0x102, at(0x20000020), 13, 14, 15);
    sty_qs_get_last(&qs, 0, 0x102, at(0x20000020), 13, 14);
    sty_qs_recall_attempt(&qs, 0, at(0x20000010), at(0x20000020));
    sty_qs_new_attempt(&qs, 0, 0x102, 0x203);
    sty_qs_mpool_get(&qs, 0, at(0x20000010), 0x203, 0x304);
    sty_qs_mpool_put(&qs, 0, at(0x20000010), 0x203);
    sty_qs_publish(&qs, 0, at(0x20000010), 0x203, 13, 14);
    sty_qs_new_ref(&qs, 0, 0x102, 12, 13);
    sty_qs_tick(&qs, 0, 0x1000001, 12);
    sty_qs_timeevt_arm(&qs, 0, at(0x20000010), at(0x20000020), 0x3000003, 0x4000004, 15);
    sty_qs_timeevt_auto_disarm(&qs, 0, at(0x20000010), at(0x20000020), 13);
    sty_qs_timeevt_disarm_attempt(&qs, 0, at(0x20000010), at(0x20000020), 13);
    sty_qs_timeevt_rearm(&qs, 0, at(0x20000010), at(0x20000020), 0x3000003, 0x4000004, 15, 16);
    sty_qs_timeevt_post(&qs, 0, at(0x20000010), 0x203, at(0x20000030), 14);
    sty_qs_crit_entry(&qs, 0, 11);
    sty_qs_isr_entry(&qs, 0, 11, 12);
    sty_qs_sem_take(&qs, 0, at(0x20000010), 12, 13);
}

static void everything(const sty_qs_target_t *target) {
    const void *const a = (const void *)0x7E000100;
    start(target, sizeof mem);
    sty_qs_reset_cause(&qs, "watchdog");
    sty_qs_obj_dict(&qs, a, "&a");
    sty_qs_fun_dict(&qs, 0x801, "on_start");
    sty_qs_sig_dict(&qs, 5, a, "START");
    sty_qs_usr_dict(&qs, STY_QS_USER, "ELEMENTS ~ }");
    sty_qs_enum_dict(&qs, 5, 2, "FIVE");
    target->info(&qs, false);
    send_each_layout();
    send_each_record(&qs, a);
    send_each_element(&qs, STY_QS_USER, a);
    sty_qs_glb_group(&qs, STY_QS_GRP_SM, false);
    sty_qs_state_entry(&qs, 0, a, 0x801);
    sty_qs_run(&qs);
    sty_qs_assert(&qs, "calls", 77);
    send_all();
}

static void count_up(uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        STY_QS_BEGIN(&qs, STY_QS_USER, 0)
            sty_qs_u32(&qs, 0, i);
        STY_QS_END(&qs)
    }
}

/* A full ring, read now and then; a total when it is half empty, then one after a second. */
static void drops(const sty_qs_target_t *target) {
    step = 0;
    start(target, 256);
    count_up(300);
    send_all();
    count_up(30);
    time += 1000;
    count_up(2);
    send_all();
    count_up(3);
    send_all();
}

int main(int argc, char **argv) {
    static const sty_qs_target_t qp7 = {
        .version = 734, .tail = STY_QS_TARGET(32, 3, 1, 26, 11, 22, 12, 0, 0), .info = sty_qs_info_7};
    static const sty_qs_target_t qp8 = {
        .version = 812, .date = 260101, .tail = STY_QS_TARGET(32, 3, 1, 26, 11, 22, 12, 0, 0), .info = sty_qs_info_8};
    const char *const what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "drops") == 0) {
        drops(&qp7);
    } else {
        everything(strcmp(what, "812") == 0 ? &qp8 : &qp7);
    }
    return 0;
}
