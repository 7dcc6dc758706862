/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The RKH emitter with the usual sizes. */
#include "spytui/rkh_rec.h"

#include "frames.h"
#include "tap.h"

static uint64_t now(void *ctx) {
    return *(uint64_t *)ctx;
}

static uint64_t clock_now = 0x04030201;
static const sty_env_t env = {now, sty_env_no_lock, sty_env_no_unlock, &clock_now, 1000};
static const sty_rkh_target_t target = {.version = 0x3400, .max_pools = 4, .ticks_per_second = 1000};
static uint8_t mem[8192];
static sty_ring_t ring;
static sty_rkh_t rkh;

static const void *at(uint32_t address) {
    return (const void *)(uintptr_t)address;
}

static void begin(void) {
    sty_ring_init(&ring, &env, mem, sizeof mem);
    sty_rkh_init(&rkh, &ring, &target);
}

static uint8_t sum_of(const uint8_t *frame, size_t length) {
    uint8_t sum = 0;
    for (size_t i = 0; i < length; i++) {
        sum = (uint8_t)(sum + frame[i]);
    }
    return sum;
}

/* Is this the next frame, without its number, time stamp and checksum? All three are verified, too. */
static bool sent(const char *expected) {
    static const uint8_t stamp[4] = {1, 2, 3, 4};
    static uint8_t number;
    uint8_t frame[512];
    const size_t length = next_frame(&ring, frame, sizeof frame);
    const bool framed = length >= 7 && sum_of(frame, length) == 0 && memcmp(&frame[2], stamp, 4) == 0;
    const bool next = framed && (frame[1] == 0 || frame[1] == (uint8_t)(number + 1));
    number = frame[1];
    char got[1100] = "";
    if (framed) {
        snprintf(got, sizeof got, "%02x%s", frame[0], hex(&frame[6], length - 7));
    }
    const bool same = next && strcmp(got, expected) == 0;
    if (!same) {
        printf("# got %s, expected %s\n", got, expected);
    }
    return same;
}

static void start(void) {
    static const uint8_t configuration[] = {0x7E, 0xAC, 0x00, 0x34, 0xFF, 0xFF, 0x03, 0x00, 0x14,
                                            0x42, 0x11, 0x02, 0x14, 0xE8, 0x03, 0xB7, 0x7E};
    begin();
    sty_rkh_start(&rkh);
    uint32_t count;
    const uint8_t *out = sty_ring_peek(&ring, &count);
    const bool same = count > sizeof configuration && memcmp(out, configuration, sizeof configuration) == 0;
    if (!same) {
        printf("# got %s\n", hex(out, sizeof configuration));
    }
    OK(same, "a start is a flag and the configuration, which has neither number nor time stamp,");
    sty_ring_skip(&ring, sizeof configuration);
    OK(sent("ab1e5354595f44524f505300") && sent("ab1f5354595f41434b00"), "then the names of our own user events");
}

static void names(void) {
    const void *const a = at(0x20000001);
    begin();
#define SENDS(call, expected) OK(((call), sent(expected)), "%s", #call)
    SENDS(sty_rkh_name_obj(&rkh, a, "&o"), "a6010000206f00");
    SENDS(sty_rkh_name_sig(&rkh, 5, "sig"), "a70573696700");
    SENDS(sty_rkh_name_fun(&rkh, 0x7E000801, "f"), "a80108007e6600");
    SENDS(sty_rkh_name_usr(&rkh, 3, "u"), "ab037500");
    SENDS(sty_rkh_name_ao(&rkh, a, "a"), "ae010000206100");
    SENDS(sty_rkh_name_state(&rkh, a, at(2), "s"), "af01000020020000007300");
    SENDS(sty_rkh_name_pstate(&rkh, a, at(2), "p"), "b001000020020000007000");
    SENDS(sty_rkh_name_timer(&rkh, a, "t"), "b1010000207400");
    SENDS(sty_rkh_name_pool(&rkh, 1, "p"), "b2017000");
    SENDS(sty_rkh_name_queue(&rkh, a, "q"), "b3010000207100");
    SENDS(sty_rkh_name_actor(&rkh, a, ""), "b40100002000");
}

static void events(void) {
    const void *const a = at(0x20000001);
    const void *const b = at(0x20000002);
    const void *const c = at(0x20000003);
    begin();
    SENDS(sty_rkh_mp_init(&rkh, a, 8, 32), "00010000200820");
    SENDS(sty_rkh_mp_get(&rkh, a, 7, 6), "01010000200706");
    SENDS(sty_rkh_mp_put(&rkh, a, 8), "020100002008");
    SENDS(sty_rkh_que_init(&rkh, a, NULL, 8), "20010000200000000008");
    SENDS(sty_rkh_que_get(&rkh, a, 3), "210100002003");
    SENDS(sty_rkh_que_fifo(&rkh, a, 3, 2), "22010000200302");
    SENDS(sty_rkh_que_lifo(&rkh, a, 3, 2), "23010000200302");
    SENDS(sty_rkh_que_full(&rkh, a), "2401000020");
    SENDS(sty_rkh_que_dpt(&rkh, a), "2501000020");
    SENDS(sty_rkh_que_get_last(&rkh, a), "2601000020");
    SENDS(sty_rkh_sma_act(&rkh, a, 1, 8), "40010000200108");
    SENDS(sty_rkh_sma_term(&rkh, a, 1), "410100002001");
    SENDS(sty_rkh_sma_get(&rkh, 1, a, 5, 0, 1, 3, 2), "42010000200500010302");
    SENDS(sty_rkh_sma_fifo(&rkh, 1, a, 5, b, 0, 1, 3, 2), "4301000020050200002000010302");
    SENDS(sty_rkh_sma_lifo(&rkh, 1, a, 5, b, 0, 1, 3, 2), "4401000020050200002000010302");
    SENDS(sty_rkh_sma_reg(&rkh, a, 1), "450100002001");
    SENDS(sty_rkh_sma_unreg(&rkh, a, 1), "460100002001");
    SENDS(sty_rkh_sma_defer(&rkh, a, 5), "470100002005");
    SENDS(sty_rkh_sma_rcall(&rkh, a, 5), "480100002005");
    SENDS(sty_rkh_sm_init(&rkh, 1, a, b), "600100002002000020");
    SENDS(sty_rkh_sm_clrh(&rkh, 1, a, b), "610100002002000020");
    SENDS(sty_rkh_sm_trn(&rkh, 1, a, b, c), "62010000200200002003000020");
    SENDS(sty_rkh_sm_state(&rkh, 1, a, b), "630100002002000020");
    SENDS(sty_rkh_sm_enstate(&rkh, 1, a, b), "640100002002000020");
    SENDS(sty_rkh_sm_exstate(&rkh, 1, a, b), "650100002002000020");
    SENDS(sty_rkh_sm_nenex(&rkh, 1, a, 2, 3), "66010000200203");
    SENDS(sty_rkh_sm_ntrnact(&rkh, 1, a, 2, 3), "67010000200203");
    SENDS(sty_rkh_sm_ts_state(&rkh, 1, a, b), "680100002002000020");
    SENDS(sty_rkh_sm_evt_proc(&rkh, 1, a), "6901000020");
    SENDS(sty_rkh_sm_evt_nfound(&rkh, 1, a, 5), "6a0100002005");
    SENDS(sty_rkh_sm_grd_false(&rkh, 1, a), "6b01000020");
    SENDS(sty_rkh_sm_cnd_nfound(&rkh, 1, a), "6c01000020");
    SENDS(sty_rkh_sm_unkn_state(&rkh, 1, a), "6d01000020");
    SENDS(sty_rkh_sm_ex_hlevel(&rkh, 1, a), "6e01000020");
    SENDS(sty_rkh_sm_ex_tseg(&rkh, 1, a), "6f01000020");
    SENDS(sty_rkh_sm_exe_act(&rkh, 1, STY_RKH_ENTRY, a, b, 0x801), "7001" "010000200200002001080000");
    SENDS(sty_rkh_sm_dch(&rkh, 1, a, 5, b), "71010000200502000020");
    SENDS(sty_rkh_tmr_init(&rkh, a, 5), "800100002005");
    SENDS(sty_rkh_tmr_start(&rkh, a, b, 500, 100), "810100002002000020f4016400");
    SENDS(sty_rkh_tmr_stop(&rkh, a, 499, 100), "8201000020f3016400");
    SENDS(sty_rkh_tmr_tout(&rkh, 1, a, 5, b), "83010000200502000020");
    SENDS(sty_rkh_tmr_rem(&rkh, a), "8401000020");
    SENDS(sty_rkh_fwk_en(&rkh), "a0");
    SENDS(sty_rkh_fwk_ex(&rkh), "a1");
    SENDS(sty_rkh_fwk_epreg(&rkh, 1, 1024, 16, 64), "a20100040000100040");
    SENDS(sty_rkh_fwk_ae(&rkh, 16, 5, 0, 1, 2, 62, a), "a3100005000102" "3e01000020");
    SENDS(sty_rkh_fwk_gc(&rkh, 5, 1, 0), "a4050100");
    SENDS(sty_rkh_fwk_gcr(&rkh, 5, 0, 0, 1, 62, a), "a505000001" "3e01000020");
    SENDS(sty_rkh_fwk_exe_fun(&rkh, 0x801), "a901080000");
    SENDS(sty_rkh_fwk_sync_evt(&rkh, 0x801, a, b), "aa010800000100002002000020");
    SENDS(sty_rkh_fwk_assert(&rkh, "mod", 0x123), "ad6d6f64002301");
}

static void items(void) {
    begin();
#define ITEM(call, expected) OK((sty_rkh_begin(&rkh, 2), (call), sty_rkh_end(&rkh), sent("c2" expected)), "%s", #call)
    ITEM(sty_rkh_i8(&rkh, 3, -2), "30fe");
    ITEM(sty_rkh_u8(&rkh, 15, 0x7D), "f17d");
    ITEM(sty_rkh_i16(&rkh, 0, -2), "02feff");
    ITEM(sty_rkh_u16(&rkh, 4, 0x1234), "433412");
    ITEM(sty_rkh_i32(&rkh, 5, -2), "54feffffff");
    ITEM(sty_rkh_u32(&rkh, 5, 0x12345678), "5578563412");
    ITEM(sty_rkh_hex32(&rkh, 8, 0x12345678), "8678563412");
    ITEM(sty_rkh_str(&rkh, "a~}"), "07617e7d00");
    ITEM(sty_rkh_str(&rkh, ""), "0700");
    ITEM(sty_rkh_mem(&rkh, "\x01\x7D", 2), "0802017d");
    ITEM(sty_rkh_mem(&rkh, "", 0), "0800");
    ITEM(sty_rkh_object(&rkh, at(0x20000001)), "0901000020");
    ITEM(sty_rkh_function(&rkh, 0x801), "0a01080000");
    ITEM(sty_rkh_signal(&rkh, 5), "0b05");
    STY_RKH_BEGIN(&rkh, 29)
        sty_rkh_u8(&rkh, 0, 1);
        sty_rkh_str(&rkh, "rpm");
    STY_RKH_END(&rkh)
    OK(sent("dd" "0101" "0772706d00"), "items follow one another");
}

static uint32_t records_sent(void) {
    uint8_t frame[64];
    uint32_t count = 0;
    while (next_frame(&ring, frame, sizeof frame) != 0) {
        count++;
    }
    return count;
}

/* Events that differ in group, event, object and signal. */
static uint32_t passing(void) {
    const void *const a = at(0x20000001);
    sty_rkh_mp_put(&rkh, a, 1);
    sty_rkh_sm_evt_proc(&rkh, 1, a);
    sty_rkh_sm_evt_nfound(&rkh, 2, a, 5);
    sty_rkh_sma_get(&rkh, 1, a, 6, 0, 0, 0, 0);
    sty_rkh_sma_reg(&rkh, a, 2);
    return records_sent();
}

static void filters(void) {
    begin();
    OK(passing() == 5, "all filters let pass at first");
    OK(sty_rkh_filter_group(&rkh.filter, STY_RKH_SM, false) && passing() == 3, "a group is switched off");
    OK(sty_rkh_filter_event(&rkh.filter, 105, true) && passing() == 4, "an event is switched on with its group");
    OK(sty_rkh_filter_event(&rkh.filter, 105, false) && passing() == 3, "and off");
    OK(sty_rkh_filter_group(&rkh.filter, STY_RKH_SM, true) && passing() == 5, "a group is switched on with its events");
    OK(sty_rkh_filter_object(&rkh.filter, 1, false) && passing() == 3, "an object is switched off");
    OK(sty_rkh_filter_signal(&rkh.filter, 5, false) && passing() == 2, "a signal is");
    sty_rkh_filter_all(&rkh.filter, true);
    OK(passing() == 5, "all is switched on");
    sty_rkh_filter_all(&rkh.filter, false);
    OK(passing() == 0, "and off");
    sty_rkh_name_obj(&rkh, at(1), "a");
    sty_rkh_config(&rkh);
    sty_rkh_fwk_assert(&rkh, "m", 1);
    STY_RKH_BEGIN(&rkh, 1)
    STY_RKH_END(&rkh)
    OK(records_sent() == 5, "names, configuration and assertions pass every filter");
    OK(!sty_rkh_filter_group(&rkh.filter, 9, true) && !sty_rkh_filter_event(&rkh.filter, 3, true) &&
        !sty_rkh_filter_event(&rkh.filter, 256, true) && !sty_rkh_filter_object(&rkh.filter, 64, true) &&
        !sty_rkh_filter_signal(&rkh.filter, 256, true) && passing() == 0, "what does not exist is refused");
    sty_rkh_filter_group(&rkh.filter, STY_RKH_GROUPS, true);
    OK(passing() == 5, "all groups are one of their own");
}

/* Each group has separate bytes in the table. */
static void tables(void) {
    static const uint8_t events[] = {3, 7, 9, 18, 5, 21, 32, 10};
    bool apart = true;
    for (uint32_t id = 0; id < 256; id++) {
        begin();
        const bool known = (id & 31u) < events[id >> 5];
        apart = apart && sty_rkh_filter_event(&rkh.filter, id, false) == known;
        for (uint32_t other = 0; other < 256; other++) {
            const bool exists = (other & 31u) < events[other >> 5];
            apart = apart && (!exists || sty_rkh_on(&rkh, (uint8_t)other) == (!known || other != id));
        }
    }
    OK(apart, "each event has a bit of its own");
}

static void drops(void) {
    static const sty_env_t only_recovered = {now, sty_env_no_lock, sty_env_no_unlock, &clock_now, 0};
    uint8_t frame[64];
    sty_ring_init(&ring, &only_recovered, mem, 256);
    sty_rkh_init(&rkh, &ring, &target);
    for (uint32_t i = 0; i < 4000; i++) {
        sty_rkh_fwk_en(&rkh);
    }
    uint32_t kept = 0;
    while (sty_ring_used(&ring) > 100 && next_frame(&ring, frame, sizeof frame) != 0) {
        kept++;
    }
    sty_rkh_filter_all(&rkh.filter, false);
    sty_rkh_poll(&rkh);
    while (next_frame(&ring, frame, sizeof frame) != 0 && frame[0] != 0xDE) {
        kept++;
    }
    const uint32_t total = frame[7] | (uint32_t)frame[8] << 8;
    OK(frame[0] == 0xDE && frame[6] == 0x05, "recovered, the drop total passes every filter");
    OK(total == 4000 - kept && total == sty_ring_drops(&ring), "and is the number of records lost: %u", (unsigned)total);
    OK(frame[1] == (uint8_t)4000, "dropped records have their numbers");
    sty_rkh_poll(&rkh);
    OK(records_sent() == 0, "it is sent once");
}

int main(void) {
    start();
    names();
    events();
    items();
    filters();
    tables();
    drops();
    return DONE();
}
