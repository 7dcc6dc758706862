/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Flat interface to the demo for Rust, which only needs the layouts of spytui_demo_totals_t and sty_fault_config_t. */
#include "demo.h"

typedef struct {
    uint64_t bytes_in, bytes_out;
    uint64_t flips, losses, noises, dups, garbage, resets;
    uint64_t frames, pieces, damaged, beyond;
    uint64_t dropped;
} spytui_demo_totals_t;

size_t spytui_demo_size(void);
size_t spytui_demo_align(void);
bool spytui_demo_init(demo_t *demo, uint32_t proto, uint32_t seed, const sty_fault_config_t *faults);
void spytui_demo_totals(const demo_t *demo, spytui_demo_totals_t *totals);
const char *spytui_demo_fault_name(size_t index);
uint32_t spytui_demo_fault_most(size_t index);

/* Must match the Rust side. */
_Static_assert(sizeof(sty_fault_config_t) == 9 * sizeof(uint32_t), "nine switches");
_Static_assert(sizeof(spytui_demo_totals_t) == 13 * sizeof(uint64_t), "thirteen totals");

size_t spytui_demo_size(void) {
    return sizeof(demo_t);
}

size_t spytui_demo_align(void) {
    return _Alignof(demo_t);
}

/* Uses the virtual clock, made-up addresses and names. False: no such format. */
bool spytui_demo_init(demo_t *demo, uint32_t proto, uint32_t seed, const sty_fault_config_t *faults) {
    static const demo_proto_t *const protos[] = {&demo_qs, &demo_rkh, &demo_tband, &demo_qnx, &demo_nto1};
    if (proto >= sizeof protos / sizeof protos[0]) {
        return false;
    }
    const demo_config_t config = {.proto = protos[proto], .seed = seed, .faults = *faults};
    demo_init(demo, &config);
    return true;
}

/* Dropped records, across all resets. */
void spytui_demo_totals(const demo_t *demo, spytui_demo_totals_t *totals) {
    const sty_fault_log_t *log = &demo->fault.log;
    *totals = (spytui_demo_totals_t){
        .bytes_in = log->bytes_in,
        .bytes_out = log->bytes_out,
        .flips = log->flips,
        .losses = log->losses,
        .noises = log->noises,
        .dups = log->dups,
        .garbage = log->garbage,
        .resets = log->resets,
        .frames = log->frames,
        .pieces = log->pieces,
        .damaged = log->damaged,
        .beyond = log->beyond,
        .dropped = (uint64_t)demo->drops_before + demo_drops(demo)};
}

/* Returns NULL after the last one. */
const char *spytui_demo_fault_name(size_t index) {
    return index < STY_FAULT_SWITCHES ? sty_fault_switches[index].name : NULL;
}

uint32_t spytui_demo_fault_most(size_t index) {
    return index < STY_FAULT_SWITCHES ? sty_fault_switches[index].most : 0;
}
