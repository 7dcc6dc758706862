/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* QS on Cortex-M3: instructions per record, sizes of instances. */
#include "bench_held.h"
#include "spytui/qs_rec.h"
#include "spytui/qs_rx.h"

/* The project's limits for gcc 12 at -Os. */
enum {
    MAX_POST = 298,
    MAX_ENTRY = 248,
    MAX_USER = 246,
    MAX_FILTERED = 16,
    MAX_POST_MASKED = 244,
    MAX_READ_MASKED = 150
};

static sty_qs_t qs;
static const sty_qs_target_t target = {
    .version = 734, .tail = STY_QS_TARGET(32, 3, 1, 26, 3, 11, 9, 14, 0), .info = sty_qs_info_7};

static void post(uint32_t i) {
    (void)i;
    sty_qs_post(&qs, 3, (void *)0x20000100u, 5, (void *)0x20000200u, 1, 1, 10, 9);
}

/* One byte longer, because a byte is stuffed. */
static void post_stuffed(uint32_t i) {
    (void)i;
    sty_qs_post(&qs, 3, (void *)0x20007D00u, 5, (void *)0x20000200u, 1, 1, 10, 9);
}

static void user(uint32_t i) {
    STY_QS_BEGIN(&qs, STY_QS_USER, 0)
        sty_qs_u32(&qs, 5, i);
    STY_QS_END(&qs)
}

static void state_entry(uint32_t i) {
    (void)i;
    sty_qs_state_entry(&qs, 3, (void *)0x20000100u, 0x1235u);
}

static void user_string(uint32_t i) {
    (void)i;
    STY_QS_BEGIN(&qs, STY_QS_USER, 0)
        sty_qs_str(&qs, "a string of fifty bytes, as a log of a program has");
    STY_QS_END(&qs)
}

/* Three and ten calls of a record in a file: compilers optimizing for size would turn the filter check into a call.
 * Each place checks the filter anew. */
#define SITE(n) \
    __asm__ volatile("" : : : "memory"); \
    sty_qs_post(&qs, 3, (void *)(0x20000100u + 16u * (n)), 5 + (n), (void *)0x20000200u, 1, 1, 10, 9);
static void three_sites(uint32_t i) {
    (void)i;
    SITE(0) SITE(1) SITE(2)
}
static void ten_sites(uint32_t i) {
    (void)i;
    SITE(0) SITE(1) SITE(2) SITE(3) SITE(4) SITE(5) SITE(6) SITE(7) SITE(8) SITE(9)
}

/* The post record without room: dropped by a KEEP ring, replacing another one in a LATEST ring. */
static void measure_full_rings(void) {
    static uint8_t small[256];
    const sty_qs_t before = qs;
    sty_ring_t full;
    sty_ring_init(&full, &env, small, sizeof small);
    sty_qs_init(&qs, &full, &target);
    sty_qs_glb_group(&qs, STY_QS_GRP_ALL, true);
    while (sty_ring_drops(&full) == 0u) {
        post(0);
    }
    measure("QS post record, dropped by a full KEEP ring", post);
    sty_ring_init_latest(&full, &env, small, sizeof small, STY_RING_ENDS_IN(STY_HDLC_FLAG));
    while (sty_ring_drops(&full) == 0u) {
        post(0);
    }
    measure("QS post record, into a full LATEST ring", post);
    qs = before;
}

static sty_ring_t latest;

/* Reads a whole LATEST ring of 2 KiB, piece by piece. */
static void read_latest(uint32_t i) {
    static uint8_t all[2048];
    (void)i;
    latest.tail = latest.head - sizeof all;
    sty_ring_read(&latest, all, sizeof all);
}

/* How long interrupts are masked. */
static bool measure_masked(void) {
    static uint8_t large[2048];
    const sty_qs_t before = qs;
    sty_ring_init(&ring, &env_noting, mem, sizeof mem);
    const uint32_t posted = measure_held("QS post record", post);
    measure_held("QS post record with a byte that is stuffed", post_stuffed);
    measure_held("QS user record with a string of 50", user_string);
    sty_ring_init_latest(&latest, &env_noting, large, sizeof large, STY_RING_ENDS_IN(STY_HDLC_FLAG));
    const uint32_t read = measure_held("sty_ring_read() of 2048 bytes, LATEST, a piece", read_latest);
    sty_ring_init_latest(&latest, &env, large, sizeof large, STY_RING_ENDS_IN(STY_HDLC_FLAG));
    measure("sty_ring_read() of 2048 bytes, LATEST", read_latest);
    sty_ring_init(&ring, &env, mem, sizeof mem);
    qs = before;
    return posted <= MAX_POST_MASKED && read <= MAX_READ_MASKED;
}

int main(void) {
    bench_start();
    sty_qs_init(&qs, &ring, &target);

    const uint32_t off_globally = measure("QS post record, its record is off", post);
    const uint32_t off_at_three = measure("QS post record off at three places, all of them", three_sites);
    const uint32_t off_at_ten = measure("QS post record off at ten places, all of them", ten_sites);
    sty_qs_glb_group(&qs, STY_QS_GRP_ALL, true);
    sty_qs_loc_range(&qs, 3, 3, false);
    const uint32_t off_locally = measure("QS post record, its object is off", post);
    sty_qs_loc_range(&qs, 3, 3, true);
    semihost_text("QS post record has ");
    semihost_number(bytes_of(post));
    semihost_text(" bytes\n");
    const uint32_t on = measure("QS post record", post);
    const uint32_t entry = measure("QS state entry", state_entry);
    const uint32_t one_number = measure("QS user record with one u32", user);
    measure_full_rings();
    const bool bounded = measure_masked();
    print_size("ring, its memory apart", sizeof ring);
    print_size("QS emitter", sizeof qs);
    print_size("QS receive channel", sizeof(sty_qsrx_t));
    if (sty_ring_drops(&ring) != 0u || bytes_of(post) != 22u) {
        semihost_text("records were dropped, or the post record is not the one that the limit is for\n");
        return 2;
    }
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ == 12 && defined(__OPTIMIZE_SIZE__)
    const bool fast = on <= MAX_POST && entry <= MAX_ENTRY && one_number <= MAX_USER && bounded;
    return fast && off_globally <= MAX_FILTERED && off_locally <= MAX_FILTERED &&
            off_at_three <= 3 * MAX_FILTERED && off_at_ten <= 10 * MAX_FILTERED
        ? 0
        : 1;
#else
    (void)on;
    (void)entry;
    (void)one_number;
    (void)bounded;
    (void)off_globally;
    (void)off_at_three;
    (void)off_at_ten;
    (void)off_locally;
    return 0;
#endif
}
