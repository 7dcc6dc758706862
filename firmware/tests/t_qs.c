/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The QS emitter with 4-byte pointers, like most targets. */
#include "spytui/qs_rec.h"

#include "frames.h"
#include "qs_calls.h"
#include "tap.h"

static uint64_t now(void *ctx) {
    return *(uint64_t *)ctx;
}

static uint64_t clock_now = 0x04030201;
static const sty_env_t env = {now, sty_env_no_lock, sty_env_no_unlock, &clock_now, 1000};
static const sty_qs_target_t target_7 = {
    .version = 734, .tail = STY_QS_TARGET(32, 3, 2, 26, 11, 20, 14, 30, 9), .info = sty_qs_info_7};
static const sty_qs_target_t target_8 = {.version = 812,
                                         .tail = STY_QS_TARGET(32, 3, 2, 26, 11, 20, 14, 30, 9),
                                         .date = 260101,
                                         .info = sty_qs_info_8};
static uint8_t mem[4096];
static sty_ring_t ring;
static sty_qs_t qs;

static const void *at(uint32_t address) {
    return (const void *)(uintptr_t)address;
}

static void begin(const sty_qs_target_t *target) {
    sty_ring_init(&ring, &env, mem, sizeof mem);
    sty_qs_init(&qs, &ring, target);
    sty_qs_glb_group(&qs, STY_QS_GRP_ALL, true);
}

/* Is this the next frame, without its number and checksum? Both are verified, too. */
static bool sent(const char *expected) {
    static uint8_t number;
    uint8_t frame[512];
    const size_t length = next_frame(&ring, frame, sizeof frame);
    uint8_t sum = 0;
    for (size_t i = 0; i < length; i++) {
        sum = (uint8_t)(sum + frame[i]);
    }
    const bool next = length >= 3 && (frame[0] == 1 || frame[0] == (uint8_t)(number + 1));
    number = frame[0];
    const char *got = length >= 3 ? hex(&frame[1], length - 2) : "";
    const bool same = sum == 0xFF && next && strcmp(got, expected) == 0;
    if (!same) {
        printf("# got %s, expected %s\n", got, expected);
    }
    return same;
}

/* A stream that a QS host has read: names, with a key that needs escaping. */
static void names_as_recorded(void) {
    static const uint8_t expected[] = {
        0x01, 0x3d, 0x00, 0x10, 0x00, 0x20, 'A', 'O', '_', 'M', 'o', 't', 'o', 'r', 0x00, 0x91, 0x7e,
        0x02, 0x3e, 0x48, 0x01, 0x00, 0x08, 'D', 'o', 'o', 'r', ':', ':', 'o', 'p', 'e', 'n', 0x00, 0xb4, 0x7e,
        0x03, 0x3c, 0x07, 0x00, 0x40, 0x10, 0x00, 0x20, 'S', 'I', 'G', '_', '7', 0x00, 0xd0, 0x7e,
        0x04, 0x3c, 0x7d, 0x5d, 0x00, 0x00, 0x00, 0x00, 0x00, 'S', 'I', 'G', '_', 'E', 'S', 'C', 0x00, 0x25, 0x7e,
        0x05, 0x3f, 0x66, 'C', 'M', 'D', '_', 'O', 'L', 'D', 0x00, 0x43, 0x7e,
        0x06, 0x36, 0x09, 0x07, 'C', 'M', 'D', '_', 'N', 'E', 'W', 0x00, 0x96, 0x7e,
    };
    begin(&target_7);
    sty_qs_obj_dict(&qs, at(0x20001000), "&AO_Motor");
    sty_qs_fun_dict(&qs, 0x08000148, "Door::open");
    sty_qs_sig_dict(&qs, 7, at(0x20001040), "SIG_7");
    sty_qs_sig_dict(&qs, 0x7D, NULL, "SIG_ESC");
    sty_qs_usr_dict(&qs, 0x66, "CMD_OLD");
    sty_qs_enum_dict(&qs, 9, 7, "CMD_NEW");
    uint32_t count;
    const uint8_t *out = sty_ring_peek(&ring, &count);
    const bool same = count == sizeof expected && memcmp(out, expected, count) == 0;
    if (!same) {
        printf("# got %s\n", hex(out, count));
    }
    OK(same, "names are sent as a recorded target does, but for the numbers of the frames");
}

static void info(void) {
    begin(&target_7);
    sty_qs_start(&qs);
    OK(sent("00"), "a start is an empty frame,");
    OK(sent("40ffde0222412244042023091e0e140b1a"), "the target info of 7.x with the reset mark");
    OK(sent("3f7b5354595f44524f505300"), "and the name of the drop total");
    sty_qs_info_7(&qs, false);
    OK(sent("4000de0222412244042023091e0e140b1a"), "asked for, the info has no reset mark");
    begin(&target_8);
    sty_qs_start(&qs);
    OK(sent("00") && sent("404683b9f76422412244042023091e0e140b1a"), "the layout of 8.x has version and date inverted");
    sty_qs_info_8(&qs, false);
    OK(sent("3f7b5354595f44524f505300") && sent("400683b9f76422412244042023091e0e140b1a"), "and no reset mark either");
}

static void layouts(void) {
    const void *const a = at(0x20000001);
    const void *const b = at(0x20000002);
    begin(&target_7);
#define SENDS(call, expected) OK(((call), sent(expected)), "%s", #call)
    SENDS(sty_qs_state_entry(&qs, 1, a, 0x801), "010100002001080000");
    SENDS(sty_qs_state_init(&qs, 1, a, 0x801, 0x802), "03010000200108000002080000");
    SENDS(sty_qs_init_tran(&qs, 1, a, 0x801), "04010203040100002001080000");
    SENDS(sty_qs_dispatch(&qs, 1, 0x105, a, 0x801), "080102030405010100002001080000");
    SENDS(sty_qs_tran(&qs, 1, 5, a, 0x801, 0x802), "06010203040500010000200108000002080000");
    SENDS(sty_qs_unhandled(&qs, 1, 5, a, 0x801), "0905000100002001080000");
    SENDS(sty_qs_defer(&qs, 1, a, b, 5, 1, 2), "0a01020304010000200200002005000102");
    SENDS(sty_qs_subscribe(&qs, 1, 5, a), "0c01020304050001000020");
    SENDS(sty_qs_post(&qs, 1, a, 5, b, 1, 2, 10, 9), "0e010203040100002005000200002001020a09");
    SENDS(sty_qs_post_lifo(&qs, 1, 5, a, 1, 2, 10, 9), "0f0102030405000100002001020a09");
    SENDS(sty_qs_get(&qs, 1, 5, a, 1, 2, 10), "100102030405000100002001020a");
    SENDS(sty_qs_get_last(&qs, 1, 5, a, 1, 2), "11010203040500010000200102");
    SENDS(sty_qs_recall_attempt(&qs, 1, a, b), "12010203040100002002000020");
    SENDS(sty_qs_new(&qs, 0, 12, 5), "1c010203040c000500");
    SENDS(sty_qs_mpool_get(&qs, 0, a, 10, 9), "1801020304010000200a000900");
    SENDS(sty_qs_mpool_put(&qs, 0, a, 10), "1901020304010000200a00");
    SENDS(sty_qs_publish(&qs, 0, a, 5, 1, 2), "1a010203040100002005000102");
    SENDS(sty_qs_gc(&qs, 0, 5, 1, 2), "1e0102030405000102");
    SENDS(sty_qs_tick(&qs, 0, 77, 1), "1f4d00000001");
    SENDS(sty_qs_timeevt_arm(&qs, 1, a, b, 3, 5, 1), "20010203040100002002000020030000000500000001");
    SENDS(sty_qs_timeevt_auto_disarm(&qs, 1, a, b, 1), "21010000200200002001");
    SENDS(sty_qs_timeevt_disarm_attempt(&qs, 1, a, b, 1), "2201020304010000200200002001");
    SENDS(sty_qs_timeevt_rearm(&qs, 1, a, b, 3, 5, 1, 0), "2401020304010000200200002003000000050000000100");
    SENDS(sty_qs_timeevt_post(&qs, 1, a, 5, b, 1), "25010203040100002005000200002001");
    SENDS(sty_qs_crit_entry(&qs, 0, 1), "270102030401");
    SENDS(sty_qs_isr_exit(&qs, 0, 1, 2), "2a010203040102");
    SENDS(sty_qs_mtx_lock(&qs, 0, a, 1, 2), "4b01020304010000200102");
    SENDS(sty_qs_run(&qs), "46");
    SENDS(sty_qs_assert(&qs, "mod", 0x123), "450102030423016d6f6400");
}

/* Every predefined record has the right id. */
static void ids(void) {
    static const struct {
        uint8_t first;
        uint8_t last;
    } wanted[] = {{1, 42}, {45, 53}, {55, 57}, {71, 81}};
    static bool seen[128];
    const void *const a = at(1);
    begin(&target_7);
    send_each_record(&qs, a);
    uint8_t frame[64];
    while (next_frame(&ring, frame, sizeof frame) != 0) {
        seen[frame[1]] = true;
    }
    bool all = true;
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        for (unsigned rec = wanted[i].first; rec <= wanted[i].last; rec++) {
            all = all && seen[rec];
        }
    }
    OK(all, "there is a function for each predefined record, under its id");
}

static void elements(void) {
    begin(&target_7);
#define ELEMENT(call, expected) OK((sty_qs_begin(&qs, 100), (call), sty_qs_end(&qs), sent("6401020304" expected)), "%s", #call)
    ELEMENT(sty_qs_i8(&qs, 3, -2), "30fe");
    ELEMENT(sty_qs_enum(&qs, 2, 5), "a005");
    ELEMENT(sty_qs_u8(&qs, 15, 0x7E), "f17e");
    ELEMENT(sty_qs_i16(&qs, 0, -2), "02feff");
    ELEMENT(sty_qs_u16(&qs, 4, 0x1234), "433412");
    ELEMENT(sty_qs_i32(&qs, 5, -2), "54feffffff");
    ELEMENT(sty_qs_u32(&qs, 5, 0x12345678), "5578563412");
    ELEMENT(sty_qs_f32(&qs, 2, 1.5f), "260000c03f");
    ELEMENT(sty_qs_f64(&qs, 3, -1.5), "37000000000000f8bf");
    ELEMENT(sty_qs_str(&qs, "a~}"), "08617e7d00");
    ELEMENT(sty_qs_str(&qs, ""), "0800");
    ELEMENT(sty_qs_mem(&qs, "\x01\x7D", 2), "0902017d");
    ELEMENT(sty_qs_mem(&qs, "", 0), "0900");
    ELEMENT(sty_qs_sig(&qs, 5, at(0x20000001)), "0a050001000020");
    ELEMENT(sty_qs_obj(&qs, at(0x20000001)), "0b01000020");
    ELEMENT(sty_qs_fun(&qs, 0x801), "0c01080000");
    ELEMENT(sty_qs_i64(&qs, 9, -2), "9dfeffffffffffffff");
    ELEMENT(sty_qs_u64(&qs, 1, 0x123456789ull), "1e8967452301000000");
    ELEMENT(sty_qs_hex32(&qs, 8, 0x1234), "8f34120000");
    STY_QS_BEGIN(&qs, 101, 0)
        sty_qs_u8(&qs, 0, 1);
        sty_qs_str(&qs, "rpm");
        sty_qs_u16(&qs, 0, 2);
    STY_QS_END(&qs)
    OK(sent("650102030401010872706d00030200"), "elements follow one another");
}

static uint32_t records_sent(void) {
    uint8_t frame[64];
    uint32_t count = 0;
    while (next_frame(&ring, frame, sizeof frame) != 0) {
        count++;
    }
    return count;
}

static void filters(void) {
    const void *const a = at(0x20000001);
    begin(&target_7);
    sty_qs_glb_group(&qs, STY_QS_GRP_ALL, false);
    sty_qs_state_entry(&qs, 1, a, 0);
    STY_QS_BEGIN(&qs, 100, 0)
    STY_QS_END(&qs)
    OK(records_sent() == 0, "a record that is off is not sent");
    sty_qs_glb_group(&qs, STY_QS_GRP_SM, true);
    sty_qs_state_entry(&qs, 1, a, 0);
    sty_qs_post(&qs, 1, a, 0, a, 0, 0, 0, 0);
    OK(records_sent() == 1, "a group is switched");
    sty_qs_glb_rec(&qs, 14, true);
    sty_qs_post(&qs, 1, a, 0, a, 0, 0, 0, 0);
    OK(records_sent() == 1, "a record is");
    sty_qs_loc_range(&qs, 1, 64, false);
    sty_qs_state_entry(&qs, 1, a, 0);
    sty_qs_state_entry(&qs, 64, a, 0);
    sty_qs_state_entry(&qs, 0, a, 0);
    sty_qs_state_entry(&qs, 65, a, 0);
    OK(records_sent() == 2, "objects are");
    sty_qs_loc_range(&qs, 0, 127, false);
    sty_qs_state_entry(&qs, 0, a, 0);
    OK(records_sent() == 1, "but not 0");
    sty_qs_glb_group(&qs, STY_QS_GRP_ALL, false);
    sty_qs_obj_dict(&qs, a, "a");
    sty_qs_info_7(&qs, false);
    sty_qs_assert(&qs, "m", 1);
    OK(records_sent() == 3, "names, info and assertions pass every filter");
}

/* Dropped records use up numbers; the total reports how many, even beyond what 8-bit numbers show. */
static void drops(void) {
    static const sty_env_t only_recovered = {now, sty_env_no_lock, sty_env_no_unlock, &clock_now, 0};
    uint8_t frame[64];
    sty_ring_init(&ring, &only_recovered, mem, 256);
    sty_qs_init(&qs, &ring, &target_7);
    sty_qs_glb_group(&qs, STY_QS_GRP_QF, true);
    for (uint32_t i = 0; i < 4000; i++) {
        sty_qs_crit_entry(&qs, 0, 1);
    }
    uint32_t kept = 0;
    while (sty_ring_used(&ring) > 100 && next_frame(&ring, frame, sizeof frame) != 0) {
        kept++;
    }
    sty_qs_crit_entry(&qs, 0, 1);
    while (next_frame(&ring, frame, sizeof frame) != 0 && frame[1] != STY_QS_DROPS_REC) {
        kept++;
    }
    const uint32_t total = frame[7] | (uint32_t)frame[8] << 8;
    OK(frame[1] == STY_QS_DROPS_REC && frame[6] == 0x05, "recovered, the drop total is sent, through every filter");
    OK(total == 4001 - kept && total == sty_ring_drops(&ring), "and is the number of records lost: %u", (unsigned)total);
    OK(frame[0] == (uint8_t)(4001 + 1), "dropped records have their numbers");
    sty_qs_poll(&qs);
    OK(records_sent() == 0, "it is sent once");
}

int main(void) {
    names_as_recorded();
    info();
    layouts();
    ids();
    elements();
    filters();
    drops();
    return DONE();
}
