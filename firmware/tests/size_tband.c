/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What the linker keeps of the library for a program with a tband interrupt, a value and its name, and the commands of a host.
 * Linked, not run. */
#include "spytui/cmd_rx.h"

static uint8_t mem[1024];
static sty_ring_t ring;
static sty_tband_t tband;
#ifdef WITH_COMMANDS
static sty_cmdrx_t rx;
#endif
static volatile uint32_t speed;

int main(void) {
    static const sty_env_t env = {sty_env_no_time, sty_env_no_lock, sty_env_no_unlock, NULL, 0};
    sty_ring_init(&ring, &env, mem, sizeof mem);
    sty_tband_init(&tband, &ring, 1000);
    sty_tband_name_value(&tband, 0, 1, "speed");
    sty_tband_start(&tband, 0);
    sty_tband_isr_enter(&tband, 0, 3);
    sty_tband_isr_exit(&tband, 0, 3);
    sty_tband_value(&tband, 0, 1, (int64_t)speed);
#ifdef WITH_COMMANDS
    static const sty_cmdrx_cb_t none = {NULL, NULL, NULL};
    sty_cmdrx_init_tband(&rx, &tband, &none, NULL);
    sty_cmdrx_feed(&rx, (uint8_t)speed);
#endif
    return 0;
}
