/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Three crashes of the board lm3s6965evb, each with a full ring and a real reset. What the rings kept goes to the
 * serial link. */
#include "spytui/ports/lock_primask.h"
#include "spytui/qs_rec.h"

#include "board.h"
#include "semihost.h"

enum { SIZE = 512, MAGIC = 0x600D, NAMES = 8, SAMPLE = STY_QS_USER };
enum { FORBIDDEN = 0x60000000, RESET_REQUEST = 0x05FA0004, WITH_RESET = 3 };
enum { NO_ACCESS_TO_32_BYTES = 4 << 1 | 1, BESIDES_THE_USUAL = 5 };

#define AIRCR (*(volatile uint32_t *)0xE000ED0Cu)
#define MPU_CONTROL (*(volatile uint32_t *)0xE000ED94u)
#define MPU_ADDRESS (*(volatile uint32_t *)0xE000ED9Cu)
#define MPU_ATTRIBUTES (*(volatile uint32_t *)0xE000EDA0u)
#define WATCHDOG_LOAD (*(volatile uint32_t *)0x40000000u)
#define WATCHDOG_CONTROL (*(volatile uint32_t *)0x40000008u)

#define NOINIT __attribute__((section(".noinit")))
NOINIT static uint8_t mem[SIZE];
NOINIT static sty_ring_t ring;
NOINIT static uint32_t magic;
NOINIT static uint32_t crashes;

static uint64_t count_up(void *ctx) {
    static uint32_t count;
    (void)ctx;
    return ++count;
}

static const sty_env_t env = {count_up, sty_primask_lock, sty_primask_unlock, NULL, 0};
static const sty_qs_target_t target = {.version = 734, .tail = STY_QS_TARGET(8, 3, 1, 26, 1, 2, 3, 4, 5), .info = sty_qs_info_7};
static const uint16_t kind = STY_RING_ENDS_IN(STY_HDLC_FLAG);
static sty_qs_t qs;
static uint8_t lamps[NAMES];

static void request_reset(void) {
    AIRCR = RESET_REQUEST;
    for (;;) {
    }
}

static void failed(const char *module) {
    sty_qs_assert(&qs, module, 7);
    if (sty_ring_is_latest(&ring)) {
        sty_ring_trigger(&ring, 0);
    }
    request_reset();
}

void fault_handler(void);
void fault_handler(void) {
    failed("memory");
}

static uint32_t failing_argument(void) {
    failed("argument");
    return 0;
}

static void start(const char *cause) {
    sty_qs_init(&qs, &ring, &target);
    sty_qs_glb_group(&qs, STY_QS_GRP_ALL, true);
    sty_qs_start(&qs);
    sty_qs_reset_cause(&qs, cause);
    for (uint8_t i = 0; i < NAMES; i++) {
        const char name[] = {'l', 'a', 'm', 'p', '_', (char)('0' + i), '\0'};
        sty_qs_obj_dict(&qs, &lamps[i], name);
    }
}

static void trace(uint32_t records) {
    for (uint32_t i = 0; i < records; i++) {
        sty_qs_begin(&qs, SAMPLE);
        sty_qs_u32(&qs, 5, i);
        sty_qs_end(&qs);
    }
}

static void send_all(void) {
    uint8_t byte;
    while (sty_ring_read(&ring, &byte, 1) != 0u) {
        while (!board_send(byte)) {
        }
    }
}

static void crash(void) {
    sty_qs_begin(&qs, SAMPLE);
    switch (crashes) {
    case 0:
        sty_qs_u32(&qs, 5, failing_argument());
        break;
    case 1:
        MPU_ADDRESS = FORBIDDEN;
        MPU_ATTRIBUTES = NO_ACCESS_TO_32_BYTES;
        MPU_CONTROL = BESIDES_THE_USUAL;
        sty_qs_mem(&qs, (const void *)(uintptr_t)FORBIDDEN, 4);
        break;
    default:
        WATCHDOG_LOAD = 1000;
        WATCHDOG_CONTROL = WITH_RESET;
        for (;;) {
        }
    }
}

int main(void) {
    static const char *const causes[] = {"assertion", "fault", "watchdog"};
    board_init();
    if (magic == MAGIC) {
        const bool survived = crashes == 1u ? sty_ring_attach_latest(&ring, &env, mem, SIZE, kind)
                                            : sty_ring_attach(&ring, &env, mem, SIZE, kind);
        start(causes[crashes]);
        send_all();
        trace(3);
        send_all();
        crashes++;
        if (!survived || crashes == 3u) {
            return survived ? 0 : 1;
        }
    } else {
        magic = MAGIC;
        crashes = 0;
    }
    if (crashes == 1u) {
        sty_ring_init_latest(&ring, &env, mem, SIZE, kind);
    } else {
        sty_ring_init(&ring, &env, mem, SIZE);
    }
    start("test");
    trace(SIZE);
    crash();
    return 2;
}
