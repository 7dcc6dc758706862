/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* tband and its commands on Cortex-M3: instructions per event, sizes of instances. */
#include "bench.h"
#include "spytui/cmd_rx.h"

static sty_tband_t tband;
static sty_cmdrx_t commands;

static void tband_isr(uint32_t i) {
    (void)i;
    sty_tband_isr_enter(&tband, 0, 3);
}
static void tband_value(uint32_t i) {
    sty_tband_value(&tband, 0, 3, (int32_t)(0x10000u + i));
}
static void ping(uint32_t i) {
    static const uint8_t frame[] = {0x7E, 0x20, 0x01, 0xC8, 0x0A, 0x7E}; /* the CRC is wrong, so nothing is answered */
    (void)i;
    for (unsigned n = 0; n < sizeof frame; n++) {
        sty_cmdrx_feed(&commands, frame[n]);
    }
}

/* Prints the length and cost of the event. */
static void measure_event(const char *name, void (*event)(uint32_t i)) {
    semihost_number(bytes_of(event));
    semihost_text(" bytes, ");
    measure(name, event);
}

static void measure_tband(void) {
    sty_tband_init(&tband, &ring, 1000);
    sty_tband_start(&tband, 0);
    sty_tband_filter_event(&tband.filter, 0x04, false);
    measure("tband interrupt event, filtered out", tband_isr);
    sty_tband_filter_event(&tband.filter, 0x04, true);
    tband_isr(0); /* the drop total precedes the first one */
    measure_event("tband interrupt event", tband_isr);
    measure_event("tband value", tband_value);
}

static void measure_commands(void) {
    static const sty_cmdrx_cb_t none = {NULL, NULL, NULL};
    sty_cmdrx_init_tband(&commands, &tband, &none, NULL);
    measure("command frame of 6 bytes, received and checked", ping);
}

int main(void) {
    bench_start();
    measure_tband();
    measure_commands();
    print_size("tband emitter, names of two cores included", sizeof tband);
    print_size("receiver of commands", sizeof commands);
    return sty_ring_drops(&ring) != 0u;
}
