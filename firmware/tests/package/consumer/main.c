/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Writes a record, and the version of the build. */
#include "spytui/qs_rec.h"

#include <string.h>

int main(void) {
    static const sty_env_t env = {sty_env_no_time, sty_env_no_lock, sty_env_no_unlock, NULL, 0};
    static const sty_qs_target_t target = {.version = 734, .info = sty_qs_info_7};
    static const int expected[3] = EXPECTED_VERSION;
    static const int version[3] = {STY_VERSION_MAJOR, STY_VERSION_MINOR, STY_VERSION_PATCH};
    static uint8_t mem[256];
    sty_ring_t ring;
    sty_qs_t qs;
    sty_ring_init(&ring, &env, mem, sizeof mem);
    sty_qs_init(&qs, &ring, &target);
    sty_qs_glb_group(&qs, STY_QS_GRP_SM, true);
    sty_qs_state_entry(&qs, 1, &qs, 1);
    return sty_ring_used(&ring) != 0u && memcmp(version, expected, sizeof version) == 0 ? 0 : 1;
}
