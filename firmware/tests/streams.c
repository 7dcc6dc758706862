/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Writes a stream with every kind of record to stdout, to be read by a decoder: streams rkh > FILE */
#include "spytui/nto1.h"
#include "spytui/qnx.h"
#include "spytui/qs_test.h"
#include "spytui/rkh_rec.h"
#include "spytui/tband_rtos.h"

#include "qs_calls.h"

#include <stdio.h>
#include <string.h>

static uint64_t now(void *ctx) {
    uint64_t *time = ctx;
    *time += 3;
    return *time;
}

static uint64_t clock_now;
static const sty_env_t env = {now, sty_env_no_lock, sty_env_no_unlock, &clock_now, 1000};
static uint8_t mem[16384];
static sty_ring_t ring;

static const void *at(uint32_t address) {
    return (const void *)(uintptr_t)address;
}

static bool waits_no_longer(void *ctx) {
    (void)ctx;
    return false;
}

/* A probe that a function takes, and a pause. */
static void send_test_records(sty_qs_t *q) {
    static const sty_qsrx_cb_t none = {0};
    static const sty_qstest_cb_t callbacks = {.wait = waits_no_longer};
    sty_qsrx_t rx;
    sty_qstest_t test;
    sty_qsrx_init(&rx, q, &none, NULL);
    sty_qstest_init(&test, &rx, &callbacks, NULL);
    test.probe[0].function = 0x801;
    test.probe[0].data = 7;
    test.probes = 1;
    (void)sty_qstest_probe(&test, 0x801);
    sty_qstest_pause(&test);
}

static void send_qs(const sty_qs_target_t *target) {
    const void *const a = at(0x20000100);
    sty_qs_t q;
    sty_ring_init(&ring, &env, mem, sizeof mem);
    sty_qs_init(&q, &ring, target);
    sty_qs_start(&q);
    sty_qs_obj_dict(&q, a, "a");
    sty_qs_fun_dict(&q, 0x801, "on_start");
    sty_qs_sig_dict(&q, 5, a, "START");
    sty_qs_usr_dict(&q, STY_QS_USER, "ELEMENTS");
    sty_qs_enum_dict(&q, 5, 2, "FIVE");
    sty_qs_glb_group(&q, STY_QS_GRP_ALL, true);
    send_each_record(&q, a);
    send_each_element(&q, STY_QS_USER, a);
    sty_qs_run(&q);
    send_test_records(&q);
    sty_qs_assert(&q, "streams", 77);
}

static void qs7(void) {
    static const sty_qs_target_t target = {
        .version = 734, .tail = STY_QS_TARGET(8, 3, 1, 26, 11, 22, 12, 0, 0), .info = sty_qs_info_7};
    send_qs(&target);
}

static void qs8(void) {
    static const sty_qs_target_t target = {
        .version = 812, .date = 260101, .tail = STY_QS_TARGET(8, 3, 1, 26, 11, 22, 12, 0, 0), .info = sty_qs_info_8};
    send_qs(&target);
}

static const sty_qs_target_t qs_target = {
    .version = 734, .tail = STY_QS_TARGET(8, 3, 1, 26, 11, 22, 12, 0, 0), .info = sty_qs_info_7};

/* Unread records survive a reset in the middle of a record; then the reset cause and more records. */
static void qs_reset(void) {
    sty_qs_t q;
    clock_now = 0;
    sty_ring_init(&ring, &env, mem, sizeof mem);
    for (uint32_t life = 0; life < 2; life++) {
        sty_qs_init(&q, &ring, &qs_target);
        sty_qs_start(&q);
        if (life != 0) {
            sty_qs_reset_cause(&q, "watchdog");
        }
        sty_qs_usr_dict(&q, STY_QS_USER, "LIFE");
        for (uint32_t i = 0; i < 100; i++) {
            sty_qs_begin(&q, STY_QS_USER);
            sty_qs_u32(&q, 0, life);
            sty_qs_end(&q);
        }
        if (life == 0) {
            sty_qs_begin(&q, STY_QS_USER);
            sty_qs_u32(&q, 0, life);
            clock_now = 0;
            sty_ring_attach(&ring, &env, mem, sizeof mem, STY_RING_ENDS_IN(STY_HDLC_FLAG));
        }
    }
}

/* The memory of a ring as a debugger dumps it, starting at the end of the newest record and wrapping around. */
static void qs_dump(void) {
    enum { SIZE = 2048 };
    sty_qs_t q;
    sty_ring_init_latest(&ring, &env, mem, SIZE, STY_RING_ENDS_IN(STY_HDLC_FLAG));
    sty_qs_init(&q, &ring, &qs_target);
    for (uint32_t i = 0; i < 1000; i++) {
        sty_qs_begin(&q, STY_QS_USER);
        sty_qs_u32(&q, 0, i);
        sty_qs_end(&q);
    }
    const uint32_t end = ring.head & ring.mask;
    fwrite(&mem[end], 1, SIZE - end, stdout);
    fwrite(mem, 1, end, stdout);
    ring.tail = ring.head;
}

static void rkh(void) {
    static const sty_rkh_target_t target = {.version = 0x3400, .max_pools = 4, .ticks_per_second = 1000};
    const void *const ao = at(0x20000100);
    const void *const queue = at(0x20000140);
    const void *const idle = at(0x20000200);
    const void *const busy = at(0x20000220);
    const void *const timer = at(0x20000300);
    const void *const pool = at(0x20000400);
    sty_rkh_t r;
    sty_ring_init(&ring, &env, mem, sizeof mem);
    sty_rkh_init(&r, &ring, &target);
    sty_rkh_start(&r);
    sty_rkh_name_ao(&r, ao, "&motor");
    sty_rkh_name_queue(&r, queue, "motor_queue");
    sty_rkh_name_state(&r, ao, idle, "idle");
    sty_rkh_name_state(&r, ao, busy, "busy");
    sty_rkh_name_timer(&r, timer, "timer");
    sty_rkh_name_pool(&r, 0, "pool");
    sty_rkh_name_obj(&r, pool, "pool_memory");
    sty_rkh_name_sig(&r, 5, "START");
    sty_rkh_name_fun(&r, 0x801, "on_start");
    sty_rkh_name_usr(&r, 0, "SPEED");
    sty_rkh_fwk_epreg(&r, 1, 1024, 16, 64);
    sty_rkh_mp_init(&r, pool, 64, 16);
    sty_rkh_que_init(&r, queue, ao, 8);
    sty_rkh_sma_reg(&r, ao, 1);
    sty_rkh_sm_init(&r, 1, ao, idle);
    sty_rkh_sma_act(&r, ao, 1, 8);
    sty_rkh_tmr_init(&r, timer, 5);
    sty_rkh_tmr_start(&r, timer, ao, 100, 0);
    sty_rkh_fwk_en(&r);
    for (uint32_t i = 0; i < 40; i++) {
        sty_rkh_mp_get(&r, pool, 63, 63);
        sty_rkh_fwk_ae(&r, 16, 5, 0, 1, 1, 63, ao);
        sty_rkh_que_fifo(&r, queue, 1, 7);
        sty_rkh_sma_fifo(&r, 1, ao, 5, ao, 1, 1, 1, 7);
        sty_rkh_sma_get(&r, 1, ao, 5, 1, 1, 0, 7);
        sty_rkh_que_get_last(&r, queue);
        sty_rkh_sm_dch(&r, 1, ao, 5, idle);
        sty_rkh_sm_trn(&r, 1, ao, idle, busy);
        sty_rkh_sm_exe_act(&r, 1, STY_RKH_EFFECT, ao, idle, 0x801);
        sty_rkh_sm_exstate(&r, 1, ao, idle);
        sty_rkh_sm_enstate(&r, 1, ao, busy);
        sty_rkh_sm_nenex(&r, 1, ao, 1, 1);
        sty_rkh_sm_state(&r, 1, ao, busy);
        sty_rkh_sm_evt_proc(&r, 1, ao);
        sty_rkh_fwk_gcr(&r, 5, 0, 0, 0, 63, ao);
        sty_rkh_mp_put(&r, pool, 64);
        STY_RKH_BEGIN(&r, 0)
            sty_rkh_u32(&r, 5, i);
            sty_rkh_str(&r, "rpm");
            sty_rkh_i16(&r, 0, -3);
            sty_rkh_mem(&r, "\x7E\x7D", 2);
            sty_rkh_object(&r, ao);
            sty_rkh_signal(&r, 5);
        STY_RKH_END(&r)
    }
    sty_rkh_que_full(&r, queue);
    sty_rkh_sm_evt_nfound(&r, 1, ao, 5);
    sty_rkh_config(&r);
    sty_rkh_tmr_tout(&r, 1, timer, 5, ao);
    sty_rkh_fwk_assert(&r, "streams", 77);
}

static void tband(void) {
    sty_tband_t t;
    sty_ring_init(&ring, &env, mem, sizeof mem);
    sty_tband_init(&t, &ring, 1000);
    sty_tband_name_isr(&t, 0, 3, "flame");
    sty_tband_name_isr(&t, 1, 4, "uart");
    sty_tband_name_marker(&t, 0, 1, "batch");
    sty_tband_name_value(&t, 0, 1, "temperature");
    sty_tband_start(&t, 0);
    sty_tband_new_task(&t, 0, 1, 0, "IDLE0");
    sty_tband_task_is_idle_task(&t, 0, 1, 0);
    sty_tband_new_task(&t, 0, 2, 0, "IDLE1");
    sty_tband_task_is_idle_task(&t, 0, 2, 1);
    sty_tband_new_task(&t, 0, 3, 2, "burner");
    sty_tband_new_task(&t, 0, 4, 1, "pump");
    sty_tband_new_queue(&t, 0, 1, STY_TBAND_A_QUEUE, 0, "orders");
    sty_tband_new_queue(&t, 0, 2, STY_TBAND_MUTEX, 1, "bus");
    for (uint32_t i = 0; i < 60; i++) {
        sty_tband_isr_enter(&t, 0, 3);
        sty_tband_queue_send_from_isr(&t, 0, 1, 1);
        sty_tband_isr_exit(&t, 0, 3);
        sty_tband_task_to_rdy_state(&t, 0, 3);
        sty_tband_task_switched_in(&t, 0, 3);
        sty_tband_queue_receive(&t, 0, 1, 0);
        sty_tband_task_switched_in(&t, 1, 4);
        sty_tband_marker_begin(&t, 0, 1, "fill");
        sty_tband_value(&t, 1, 1, 60 - (int64_t)i * 3);
        sty_tband_local_value(&t, 0, 1, i);
        sty_tband_queue_receive(&t, 1, 2, 0);
        sty_tband_queue_send(&t, 1, 2, 1);
        sty_tband_marker_end(&t, 0, 1);
        sty_tband_curtask_block_on_queue_receive(&t, 0, 1, 100);
        sty_tband_task_switched_in(&t, 0, 1);
        sty_tband_curtask_delay(&t, 1, 10);
        sty_tband_task_switched_in(&t, 1, 2);
        if (i == 30) {
            sty_tband_names(&t);
        }
    }
}

/* A snapshot of two cores until the memory of one is full; writes that core's. */
static void snapshot_of(uint32_t wanted) {
    static sty_ring_t rings[STY_TBAND_CORES];
    static uint8_t memory[STY_TBAND_CORES][1024];
    sty_tband_t t;
    for (uint32_t core = 0; core < STY_TBAND_CORES; core++) {
        sty_ring_init(&rings[core], &env, memory[core], sizeof memory[core]);
    }
    sty_tband_init_snapshot(&t, rings, 1000);
    sty_tband_name_isr(&t, 0, 3, "flame");
    sty_tband_name_isr(&t, 1, 4, "uart");
    sty_tband_name_value(&t, 0, 1, "temperature");
    sty_tband_start(&t, 0);
    for (uint32_t i = 0; sty_tband_recording(&t); i++) {
        sty_tband_isr_enter(&t, 0, 3);
        sty_tband_value(&t, 0, 1, i);
        sty_tband_isr_exit(&t, 0, 3);
        sty_tband_isr_enter(&t, 1, 4);
        sty_tband_isr_exit(&t, 1, 4);
    }
    uint32_t count;
    const uint8_t *bytes = sty_tband_names_of(&t, wanted, &count);
    fwrite(bytes, 1, count, stdout);
    bytes = sty_ring_peek(&rings[wanted], &count);
    fwrite(bytes, 1, count, stdout);
}

static void tband_core0(void) {
    snapshot_of(0);
}

static void tband_core1(void) {
    snapshot_of(1);
}

static const sty_qnx_target_t qnx_target = {1000, "6.4.1", "demo", "Sun Nov 22 09:14:02 2026"};

static void kev(void) {
    static const uint32_t words[] = {0x40000001, 2, 1, 0x11, 0x22, 0x33};
    static uint8_t buffer[64 * 16];
    sty_qnx_t q;
    clock_now = 0xFFFFFF00u;
    sty_ring_init(&ring, &env, mem, sizeof mem);
    sty_qnx_init(&q, &ring, &qnx_target, buffer, sizeof buffer);
    sty_qnx_start(&q);
    sty_qnx_process_create(&q, 0, 1, 5, "usr/bin/boiler");
    sty_qnx_thread(&q, 0, STY_QNX_CREATE, 5, 1, 10, 2);
    sty_qnx_thread_name(&q, 0, 5, 1, "burner");
    sty_qnx_thread(&q, 1, STY_QNX_CREATE, 5, 2, 10, 2);
    sty_qnx_thread_name(&q, 1, 5, 2, "pump");
    for (uint32_t i = 0; i < 25; i++) {
        if (i == 12) {
            sty_qnx_command(&q, 17, NULL, 0);
        }
        sty_qnx_thread(&q, 0, STY_QNX_RUNNING, 5, 1, 10, 2);
        sty_qnx_call_enter(&q, 0, 11, words, 6, 9);
        sty_qnx_comm(&q, 0, STY_QNX_SEND_MESSAGE, 3, 5);
        sty_qnx_thread(&q, 0, STY_QNX_REPLY, 5, 1, 10, 2);
        sty_qnx_int_enter(&q, 1, 9, 0x801);
        sty_qnx_handler_enter(&q, 1, 5, 9, 0x801, 2);
        sty_qnx_handler_exit(&q, 1, 9);
        sty_qnx_int_exit(&q, 1, 9, 0);
        sty_qnx_thread(&q, 1, STY_QNX_RUNNING, 5, 2, 10, 2);
        sty_qnx_call_exit(&q, 0, 11, words, 4, 3);
        sty_qnx_call_failed(&q, 1, 20, 22);
        sty_qnx_user(&q, 0, 7, i, 61);
        sty_qnx_slog(&q, 0, 3, 2, "burner does not light");
        sty_qnx_user_text(&q, 0, 8, "a text that takes several events");
    }
    sty_qnx_mark(&q, "mark");
    sty_qnx_answer(&q, 1, 0);
}

static void nto1(void) {
    static const uint32_t words[] = {1, 2, 3};
    sty_nto1_t n;
    sty_ring_init(&ring, &env, mem, sizeof mem);
    sty_nto1_init(&n, &ring, 1700000000);
    for (uint32_t i = 0; i < 50; i++) {
        sty_nto1_profile(&n, 0x21, i, words, i % 4, (sty_nto1_buffer_t){NULL, 0});
        sty_nto1_exception(&n, 0x00123456, i % 8, words, i % 4, (sty_nto1_buffer_t){"burner", (uint16_t)(i % 7)});
    }
    sty_nto1_answer(&n, 1, 0);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*write)(void);
        bool drops;
    } streams[] = {
        {"qs7", qs7, false},
        {"qs8", qs8, false},
        {"qs-reset", qs_reset, true},
        {"qs-dump", qs_dump, true},
        {"rkh", rkh, false},
        {"tband", tband, false},
        {"tband-core0", tband_core0, false},
        {"tband-core1", tband_core1, false},
        {"kev", kev, false},
        {"nto1", nto1, false},
    };
    for (size_t i = 0; argc == 2 && i < sizeof streams / sizeof streams[0]; i++) {
        if (strcmp(argv[1], streams[i].name) == 0) {
            streams[i].write();
            uint32_t count;
            for (const uint8_t *from = sty_ring_peek(&ring, &count); count != 0; from = sty_ring_peek(&ring, &count)) {
                fwrite(from, 1, count, stdout);
                sty_ring_skip(&ring, count);
            }
            return (sty_ring_drops(&ring) != 0) != streams[i].drops;
        }
    }
    fputs("usage: streams qs7|qs8|qs-reset|qs-dump|rkh|tband|tband-core0|tband-core1|kev|nto1\n", stderr);
    return 2;
}
