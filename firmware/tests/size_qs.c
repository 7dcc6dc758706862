/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Shows what the linker keeps of the library for a program with the post record, a user record, two dictionaries and
 * the target info of 7.x. Linked, but not run. */
#include "spytui/qs_rec.h"

static uint8_t mem[1024];
static sty_ring_t ring;
static sty_qs_t qs;
static volatile uint32_t speed;

int main(void) {
    static const sty_env_t env = {sty_env_no_time, sty_env_no_lock, sty_env_no_unlock, NULL, 0};
    static const sty_qs_target_t target = {
        .version = 734, .tail = STY_QS_TARGET(32, 3, 1, 26, 3, 11, 9, 14, 0), .info = sty_qs_info_7};
    sty_ring_init(&ring, &env, mem, sizeof mem);
    sty_qs_init(&qs, &ring, &target);
    sty_qs_start(&qs);
    sty_qs_obj_dict(&qs, &ring, "ring");
    sty_qs_usr_dict(&qs, STY_QS_USER, "SPEED");
    sty_qs_post(&qs, 1, &ring, 5, &qs, 1, 1, 10, 9);
    STY_QS_BEGIN(&qs, STY_QS_USER, 0)
        sty_qs_u32(&qs, 5, speed);
    STY_QS_END(&qs)
    return 0;
}
