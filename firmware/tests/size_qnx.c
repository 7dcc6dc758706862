/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What the linker keeps of the library for a program with a QNX thread event, a user event and a name, and the commands of a
 * host. Linked, not run. */
#include "spytui/qnx_rx.h"

static uint8_t mem[2048];
static uint8_t buffer[512];
static sty_ring_t ring;
static sty_qnx_t qnx;
#ifdef WITH_COMMANDS
static sty_qnxrx_t rx;
#endif
static volatile uint32_t speed;

int main(void) {
    static const sty_env_t env = {sty_env_no_time, sty_env_no_lock, sty_env_no_unlock, NULL, 0};
    static const sty_qnx_target_t target = {1000000, "6.4.1", "size", "Sun Nov 22 09:00:00 2026"};
    sty_ring_init(&ring, &env, mem, sizeof mem);
    sty_qnx_init(&qnx, &ring, &target, buffer, sizeof buffer);
    sty_qnx_start(&qnx);
    sty_qnx_thread_name(&qnx, 0, 5, 1, "ring");
    sty_qnx_thread(&qnx, 0, STY_QNX_RUNNING, 5, 1, 10, 2);
    sty_qnx_user(&qnx, 0, 1, speed, 0);
    sty_qnx_flush(&qnx);
#ifdef WITH_COMMANDS
    static const sty_qnxrx_cb_t none = {NULL, NULL};
    sty_qnxrx_init(&rx, &qnx, &none, NULL);
    sty_qnxrx_feed(&rx, (uint8_t)speed);
#endif
    return 0;
}
