/* Instructions per record on Cortex-M3 under QEMU. With -icount shift=0 an instruction takes one nanosecond of virtual
 * time, and SysTick counts that. These are instructions, not cycles of a real processor. */
#include "semihost.h"
#include "spytui/qs_rec.h"
#include "spytui/qs_rx.h"

#define SYST_CSR (*(volatile uint32_t *)0xE000E010u)
#define SYST_RVR (*(volatile uint32_t *)0xE000E014u)
#define SYST_CVR (*(volatile uint32_t *)0xE000E018u)

enum { RECORDS = 100, ROUNDS = 20, RING = 4096 };

/* The limits of the project for gcc 12 at -Os. */
enum { MAX_POST = 640, MAX_FILTERED = 16 };

static uint8_t mem[RING];
static sty_ring_t ring;
static sty_qs_t qs;
static const sty_env_t env = {sty_env_no_time, sty_env_no_lock, sty_env_no_unlock, NULL, 0};
static const sty_qs_target_t target = {
    .version = 734, .tail = STY_QS_TARGET(32, 3, 1, 26, 3, 11, 9, 14, 0), .info = sty_qs_info_7};

static void nothing(uint32_t i) {
    (void)i;
}

static void post(uint32_t i) {
    (void)i;
    sty_qs_post(&qs, 3, (void *)0x20000100u, 5, (void *)0x20000200u, 1, 1, 10, 9);
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

static void drain(void) {
    uint32_t count;
    do {
        sty_ring_peek(&ring, &count);
        sty_ring_skip(&ring, count);
    } while (count != 0u);
}

/* SysTick ticks of RECORDS calls. The ring is drained outside of the measurement. */
static __attribute__((noinline)) uint32_t ticks(void (*record)(uint32_t i)) {
    uint32_t sum = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const uint32_t begin = SYST_CVR;
        for (uint32_t i = 0; i < RECORDS; i++) {
            record(i);
        }
        sum += (begin - SYST_CVR) & 0xFFFFFFu;
        drain();
    }
    return sum;
}

/* `count` times two instructions. */
static __attribute__((noinline)) void spin(uint32_t count) {
    __asm__ volatile("1: subs %0, %0, #1\n bne 1b\n" : "+r"(count) : : "cc");
}

/* Instructions in 1000 ticks. */
static uint32_t instructions_per_1000_ticks(void) {
    const uint32_t turns = 1000000;
    const uint32_t begin = SYST_CVR;
    spin(turns);
    const uint32_t spent = (begin - SYST_CVR) & 0xFFFFFFu;
    return (uint32_t)(2000ull * turns / spent);
}

static uint32_t scale;

/* Instructions of a record, without the loop and the call around it. */
static uint32_t measure(const char *name, void (*record)(uint32_t i)) {
    const uint32_t empty = ticks(nothing);
    const uint32_t all = ticks(record);
    const uint32_t used = all > empty ? all - empty : 0u;
    const uint32_t result = (uint32_t)(((uint64_t)used * scale / 1000u + RECORDS * ROUNDS / 2u) / (RECORDS * ROUNDS));
    semihost_text(name);
    semihost_text(": ");
    semihost_number(result);
    semihost_text(" instructions\n");
    return result;
}

/* The post record where there is no room: dropped by a KEEP ring, pushing out another in a LATEST ring. */
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

static void tell_size(const char *name, size_t size) {
    semihost_text(name);
    semihost_text(": ");
    semihost_number((uint32_t)size);
    semihost_text(" bytes of RAM\n");
}

static uint32_t bytes_of(void (*record)(uint32_t i)) {
    drain();
    record(0);
    const uint32_t used = sty_ring_used(&ring);
    drain();
    return used;
}

int main(void) {
    SYST_RVR = 0xFFFFFFu;
    SYST_CVR = 0;
    SYST_CSR = 5; /* on, clocked by the processor, no interrupt */
    scale = instructions_per_1000_ticks();
    sty_ring_init(&ring, &env, mem, sizeof mem);
    sty_qs_init(&qs, &ring, &target);

    const uint32_t off_globally = measure("QS post record, its record is off", post);
    sty_qs_glb_group(&qs, STY_QS_GRP_ALL, true);
    sty_qs_loc_range(&qs, 3, 3, false);
    const uint32_t off_locally = measure("QS post record, its object is off", post);
    sty_qs_loc_range(&qs, 3, 3, true);
    semihost_text("QS post record has ");
    semihost_number(bytes_of(post));
    semihost_text(" bytes\n");
    const uint32_t on = measure("QS post record", post);
    measure("QS state entry", state_entry);
    measure("QS user record with one u32", user);
    measure_full_rings();
    tell_size("ring, its memory apart", sizeof ring);
    tell_size("QS emitter", sizeof qs);
    tell_size("QS receive channel", sizeof(sty_qsrx_t));
    if (sty_ring_drops(&ring) != 0u || bytes_of(post) != 22u) {
        semihost_text("records were dropped, or the post record is not the one that the limit is for\n");
        return 2;
    }
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ == 12 && defined(__OPTIMIZE_SIZE__)
    return on <= MAX_POST && off_globally <= MAX_FILTERED && off_locally <= MAX_FILTERED ? 0 : 1;
#else
    (void)on;
    (void)off_globally;
    (void)off_locally;
    return 0;
#endif
}
