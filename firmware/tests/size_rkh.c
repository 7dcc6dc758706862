/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What the linker keeps of the library for a program with an RKH event, a user event, two names, and the commands of a host.
 * Linked, not run. */
#include "spytui/cmd_rx.h"
#include "spytui/rkh_rec.h"

static uint8_t mem[1024];
static sty_ring_t ring;
static sty_rkh_t rkh;
#ifdef WITH_COMMANDS
static sty_cmdrx_t rx;
#endif
static volatile uint32_t speed;

int main(void) {
    static const sty_env_t env = {sty_env_no_time, sty_env_no_lock, sty_env_no_unlock, NULL, 0};
    static const sty_rkh_target_t target = {.version = 0x3400, .max_pools = 1, .ticks_per_second = 1000};
    sty_ring_init(&ring, &env, mem, sizeof mem);
    sty_rkh_init(&rkh, &ring, &target);
    sty_rkh_start(&rkh);
    sty_rkh_name_ao(&rkh, &ring, "ring");
    sty_rkh_name_usr(&rkh, 0, "SPEED");
    sty_rkh_sma_fifo(&rkh, 1, &ring, 5, &rkh, 0, 1, 1, 7);
    STY_RKH_BEGIN(&rkh, 0)
        sty_rkh_u32(&rkh, 5, speed);
    STY_RKH_END(&rkh)
#ifdef WITH_COMMANDS
    static const sty_cmdrx_cb_t none = {NULL, NULL, NULL};
    sty_cmdrx_init_rkh(&rx, &rkh, &none, NULL);
    sty_cmdrx_feed(&rx, (uint8_t)speed);
#endif
    return 0;
}
