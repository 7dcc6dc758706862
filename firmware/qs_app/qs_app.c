/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The instance and its ring; filters, names of arrays, assertions. */
#include "qs_app_parts.h"

sty_qs_t sty_qs_app_;
sty_qs_app_private_t QS_priv_;

static sty_ring_t ring;
static sty_qs_target_t target;

/* Number of bytes returned by QS_getBlock() that may still be read. */
static uint32_t given;

#ifdef Q_UTEST
static uint64_t now(void *ctx) {
    (void)ctx;
    return sty_qstest_now(&sty_qs_app_test_);
}
#else
static uint64_t now(void *ctx) {
    (void)ctx;
    return QS_onGetTime();
}
#endif

static uint8_t two_digits(const char *text) {
    const unsigned tens = text[0] == ' ' ? 0u : (unsigned)(text[0] - '0');
    return (uint8_t)(tens * 10u + (unsigned)(text[1] - '0'));
}

/* Parses the month in a compiler's date: "Nov 25 2026". */
static uint8_t month_of(const char *date) {
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    uint8_t month = 1;
    for (const char *name = months; month < 12u; name += 3) {
        if (name[0] == date[0] && name[1] == date[1] && name[2] == date[2]) {
            break;
        }
        month++;
    }
    return month;
}

static sty_qs_target_t target_of(const char *date, const char *time) {
    sty_qs_target_t made = {
        .version = (uint16_t)STY_QS_APP_VERSION,
        .tail = STY_QS_TARGET((uint8_t)QF_MAX_ACTIVE, (uint8_t)QF_MAX_EPOOL, (uint8_t)QF_MAX_TICK_RATE,
            two_digits(&date[9]), month_of(date), two_digits(&date[4]), two_digits(&time[0]), two_digits(&time[3]),
            two_digits(&time[6])),
        .date = (uint32_t)STY_QS_APP_DATE,
        .info = sty_qs_info_8,
    };
    made.tail[0] = STY_QS_SIG_SIZE | STY_QS_APP_EVENT_SIZE << 4;
    made.tail[1] = STY_QS_APP_QUEUE_CTR_SIZE | STY_QS_TIMEEVT_CTR_SIZE << 4;
    made.tail[2] = STY_QS_APP_POOL_BLK_SIZE | STY_QS_APP_POOL_CTR_SIZE << 4;
    return made;
}

/* The program locks before calling the library: its lock need not nest, and may keep its state in a local variable. */
static const sty_env_t env = {now, sty_env_no_lock, sty_env_no_unlock, NULL, 0};

void QS_initBuf(uint8_t *const sto, uint_fast32_t const stoSize) {
    uint32_t size = 256;
    if (stoSize < size) {
        return;
    }
    while (size <= stoSize / 2u) {
        size *= 2u;
    }
    given = 0;
    QS_priv_.flags = 0;
    target = target_of(STY_QS_APP_BUILD_DATE, STY_QS_APP_BUILD_TIME);
    sty_ring_init(&ring, &env, sto, size);
    sty_qs_init(&sty_qs_app_, &ring, &target);
    sty_qs_start(&sty_qs_app_);
}

uint8_t const *QS_getBlock(uint16_t *const pNbytes) {
    const uint16_t most = *pNbytes;
    *pNbytes = 0;
    if (!sty_qs_app_runs_()) {
        return NULL;
    }
    sty_ring_skip(&ring, given);
    uint32_t count;
    const uint8_t *block = sty_ring_peek(&ring, &count);
    given = count < most ? count : most;
    *pNbytes = (uint16_t)given;
    return given == 0u ? NULL : block;
}

uint16_t QS_getByte(void) {
    uint16_t count = 1;
    const uint8_t *byte = QS_getBlock(&count);
    return byte == NULL ? (uint16_t)QS_EOD : *byte;
}

void sty_qs_app_glb_filter_(int rec) {
    const bool on = rec >= 0;
    const int which = on ? rec : -rec;
    if (which >= QS_GRP_ALL && which <= QS_GRP_UA) {
        sty_qs_glb_group(&sty_qs_app_, (sty_qs_group_t)(which - QS_GRP_ALL), on);
    } else if (which < 125) {
        sty_qs_glb_rec(&sty_qs_app_, (uint8_t)which, on);
    }
}

void sty_qs_app_loc_filter_(int id) {
    static const struct {
        uint8_t ids;
        uint8_t first;
        uint8_t last;
    } ranges[] = {{QS_IDS_ALL, 1, 127}, {QS_IDS_AO, 1, 64}, {QS_IDS_EP, 65, 79}, {QS_IDS_EQ, 80, 95}, {QS_IDS_AP, 96, 127}};
    const bool on = id >= 0;
    const int which = on ? id : -id;
    if (which < 128) {
        sty_qs_loc_range(&sty_qs_app_, (uint8_t)which, (uint8_t)which, on);
    }
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        if (ranges[i].ids == which) {
            sty_qs_loc_range(&sty_qs_app_, ranges[i].first, ranges[i].last, on);
        }
    }
}

/* Writes a decimal number; returns its end. */
static char *number_to(char *to, uint32_t number) {
    uint32_t unit = 1;
    while (number / unit >= 10u) {
        unit *= 10u;
    }
    for (; unit != 0u; unit /= 10u) {
        *to = (char)('0' + number / unit % 10u);
        to++;
    }
    return to;
}

void sty_qs_app_arr_dict_(const void *object, uint32_t index, const char *name) {
    char filled[STY_QS_APP_ARRAY_NAME + 16];
    char *to = filled;
    while (*name != '\0' && *name != '[' && to < &filled[STY_QS_APP_ARRAY_NAME]) {
        *to++ = *name++;
    }
    *to++ = '[';
    to = number_to(to, index);
    while (*name != '\0' && *name != ']') {
        name++;
    }
    *to++ = ']';
    if (*name == ']') {
        name++;
    }
    while (*name != '\0' && to < &filled[sizeof filled - 1u]) {
        *to++ = *name++;
    }
    *to = '\0';
    sty_qs_obj_dict(&sty_qs_app_, object, filled);
}

void sty_qs_app_assertion_(const char *module, uint16_t location, uint32_t delay) {
    if (sty_qs_app_runs_()) {
        sty_qs_assert(&sty_qs_app_, module, location);
        QS_onFlush();
    }
    for (volatile uint32_t n = delay; n > 0u; n--) {
    }
}
