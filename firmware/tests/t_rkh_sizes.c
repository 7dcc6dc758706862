/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The RKH emitter with unusual sizes, and without the parts that a configuration may omit. */
#include "spytui/rkh_rec.h"

#include "frames.h"
#include "tap.h"

static const sty_env_t env = {sty_env_no_time, sty_env_no_lock, sty_env_no_unlock, NULL, 0};
static const sty_rkh_target_t target = {.version = 0x3300, .max_pools = 2, .ticks_per_second = 100};
static uint8_t mem[1024];
static sty_ring_t ring;
static sty_rkh_t rkh;

static bool sent(const char *expected) {
    uint8_t frame[64];
    const size_t length = next_frame(&ring, frame, sizeof frame);
    const char *got = hex(frame, length);
    const bool same = strcmp(got, expected) == 0;
    if (!same) {
        printf("# got %s, expected %s\n", got, expected);
    }
    return same;
}

int main(void) {
    const void *const a = (const void *)(uintptr_t)0x1234;
    sty_ring_init(&ring, &env, mem, sizeof mem);
    sty_rkh_init(&rkh, &ring, &target);
    sty_rkh_start(&rkh);
    OK(sent("") && sent("ac0033fe67000024242204426400"), "the configuration says so");
    OK(sent("ab1e5354595f44524f505300") && sent("ab1f5354595f41434b00"), "names have no number, time stamp and checksum");
#define SENDS(call, expected) OK(((call), sent(expected)), "%s", #call)
    SENDS(sty_rkh_mp_init(&rkh, a, 8, 32), "003412080020000000");
    SENDS(sty_rkh_mp_get(&rkh, a, 7, 6), "0134120700");
    SENDS(sty_rkh_que_fifo(&rkh, a, 3, 2), "2234120300");
    SENDS(sty_rkh_sma_act(&rkh, a, 1, 8), "4034120108");
    SENDS(sty_rkh_sma_fifo(&rkh, 1, a, 0x105, a, 0, 1, 3, 2), "433412050100010300");
    SENDS(sty_rkh_tmr_stop(&rkh, a, 499, 100), "823412f301000064000000");
    SENDS(sty_rkh_fwk_ae(&rkh, 16, 5, 0, 1, 2, 62, a), "a3100000000500000102003412");
    SENDS(sty_rkh_fwk_sync_evt(&rkh, 0x801, a, a), "aa0108");
    return DONE();
}
