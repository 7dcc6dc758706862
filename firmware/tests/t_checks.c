/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Every misuse fails a check, and nothing else does. */
#include "spytui/qs.h"
#include "spytui/rkh.h"
#include "spytui/tband.h"

#include "frames.h"
#include "tap.h"

static const sty_env_t env = {sty_env_no_time, sty_env_no_lock, sty_env_no_unlock, NULL, 0};
static const sty_qs_target_t qs_target = {.version = 734, .info = sty_qs_info_7};
static const sty_rkh_target_t rkh_target = {.version = 0x3400, .max_pools = 4, .ticks_per_second = 1000};
static uint8_t mem[1024];
static sty_ring_t ring;
static sty_qs_t qs;
static sty_rkh_t rkh;
static sty_tband_t tband;
static unsigned failed;

void sty_test_failed(void) {
    failed++;
}

/* Number of failed checks since the last call. */
static unsigned failures(void) {
    const unsigned before = failed;
    failed = 0;
    return before;
}

static void sizes(void) {
    sty_ring_init(&ring, &env, mem, 1024);
    sty_ring_init(&ring, &env, mem, 256);
    sty_ring_init_latest(&ring, &env, mem, 512, STY_RING_ENDS_IN(0));
    OK(failures() == 0, "sizes that are right pass");
    sty_ring_init(&ring, &env, mem, 128);
    OK(failures() == 1, "a small ring fails");
    sty_ring_init(&ring, &env, mem, 1000);
    OK(failures() == 1, "a size that is no power of two fails");
    sty_qs_init(&qs, &ring, &qs_target);
    for (unsigned i = 0; i < 100; i++) {
        sty_qs_usr_dict(&qs, STY_QS_USER, "a name");
    }
    bool whole = sty_ring_drops(&ring) != 0;
    uint8_t frame[64];
    for (size_t length = next_frame(&ring, frame, sizeof frame); length != 0; length = next_frame(&ring, frame, sizeof frame)) {
        whole = whole && length == 2 + 1 + sizeof "a name" + 1;
    }
    OK(whole && sty_ring_peak(&ring) <= 512, "and uses the power of two in it");
}

static void pointers(void) {
    static const sty_env_t no_lock = {sty_env_no_time, NULL, NULL, NULL, 0};
    sty_ring_init(&ring, &no_lock, mem, 1024);
    OK(failures() == 1, "an environment without a lock fails");
    sty_ring_init(&ring, &env, NULL, 1024);
    OK(failures() == 1, "a ring without memory does");
    sty_qs_init(&qs, NULL, &qs_target);
    OK(failures() == 1, "an emitter without a ring does");
}

static void ids(void) {
    sty_ring_init(&ring, &env, mem, 1024);
    sty_qs_init(&qs, &ring, &qs_target);
    sty_qs_begin(&qs, STY_QS_USER);
    sty_qs_end(&qs);
    OK(failures() == 0, "a user record passes");
    sty_qs_begin(&qs, 99);
    sty_qs_end(&qs);
    sty_qs_begin(&qs, 125);
    sty_qs_end(&qs);
    OK(failures() == 2, "one with the id of another does not");
    OK(!sty_qs_on(&qs, 1, 1) && failures() == 0 && (sty_qs_on(&qs, 1, 128), failures() == 1), "nor a QS-ID above 127");
    sty_rkh_init(&rkh, &ring, &rkh_target);
    sty_rkh_begin(&rkh, 32);
    sty_rkh_end(&rkh);
    OK(failures() == 1, "nor an RKH event above 31");
    sty_tband_init(&tband, &ring, 1000);
    sty_tband_name_isr(&tband, STY_TBAND_CORES, 1, "no");
    OK(failures() == 1, "nor a core that tband does not have");
}

int main(void) {
    sizes();
    pointers();
    ids();
    return DONE();
}
