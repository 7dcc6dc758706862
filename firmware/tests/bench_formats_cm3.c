/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* RKH and tband on Cortex-M3: instructions per record, sizes of instances. */
#include "bench.h"
#include "spytui/cmd_rx.h"
#include "spytui/rkh_rec.h"

static sty_rkh_t rkh;
static sty_tband_t tband;
static sty_cmdrx_t commands;

static void rkh_fifo(uint32_t i) {
    (void)i;
    sty_rkh_sma_fifo(&rkh, 3, (void *)0x20000100u, 5, (void *)0x20000200u, 1, 1, 3, 9);
}
static void rkh_user(uint32_t i) {
    STY_RKH_BEGIN(&rkh, 0)
        sty_rkh_u32(&rkh, 5, i);
    STY_RKH_END(&rkh)
}
static void tband_isr(uint32_t i) {
    (void)i;
    sty_tband_isr_enter(&tband, 0, 3);
}
static void tband_value(uint32_t i) {
    sty_tband_value(&tband, 0, 3, (int32_t)(0x10000u + i));
}
static void ping(uint32_t i) {
    static const uint8_t frame[] = {0x7E, 0x20, 0x01, 0xC8, 0x0A, 0x7E}; /* the CRC is wrong: nothing is answered */
    (void)i;
    for (unsigned n = 0; n < sizeof frame; n++) {
        sty_cmdrx_feed(&commands, frame[n]);
    }
}

/* Prints how long the record is, and what it costs. */
static void measure_record(const char *name, void (*record)(uint32_t i)) {
    semihost_number(bytes_of(record));
    semihost_text(" bytes, ");
    measure(name, record);
}

static void measure_rkh(void) {
    static const sty_rkh_target_t target = {.version = 0x3400, .max_pools = 4, .ticks_per_second = 1000};
    sty_rkh_init(&rkh, &ring, &target);
    sty_rkh_filter_event(&rkh, 67, false);
    measure("RKH fifo event, filtered out", rkh_fifo);
    sty_rkh_filter_event(&rkh, 67, true);
    measure_record("RKH fifo event", rkh_fifo);
    measure_record("RKH user event with one u32", rkh_user);
}

static void measure_tband(void) {
    sty_tband_init(&tband, &ring, 1000);
    sty_tband_start(&tband, 0);
    sty_tband_filter_event(&tband, 0x04, false);
    measure("tband interrupt event, filtered out", tband_isr);
    sty_tband_filter_event(&tband, 0x04, true);
    tband_isr(0); /* the drop total stands before the first */
    measure_record("tband interrupt event", tband_isr);
    measure_record("tband value", tband_value);
}

static void measure_commands(void) {
    static const sty_cmdrx_cb_t none = {NULL, NULL, NULL};
    sty_cmdrx_init_rkh(&commands, &rkh, &none, NULL);
    measure("command frame of 6 bytes, received and checked", ping);
}

int main(void) {
    bench_start();
    measure_rkh();
    measure_tband();
    measure_commands();
    print_size("RKH emitter", sizeof rkh);
    print_size("tband emitter, names of two cores included", sizeof tband);
    print_size("receiver of commands", sizeof commands);
    return sty_ring_drops(&ring) != 0u;
}
