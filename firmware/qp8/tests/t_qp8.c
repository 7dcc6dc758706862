/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* QS for QP/C 8, with the small kernel: the output of every hook and macro. */
#include "host.h"

#include "frames.h"
#include "tap.h"

static void start(void) {
    kernel_init();
    OK(are_sent(""), "before QS_initBuf() names and records go nowhere");
    OK(QS_INIT(NULL) != 0, "QS_INIT() is what QS_onStartup() gives");
    OK(is_sent("00"), "a start is an empty frame,");
    OK(strncmp(sent(), QF_EQUEUE_CTR_SIZE == 1U ? "40460004556a2241224404" "0411" : "40460004556a2242224404" "0411", 26) == 0, "the info of 8.x with the version and date of the kernel,");
    OK(is_sent("3f7b5354595f44524f505300"), "the name of the drop total");
    uint8_t frame[64];
    const size_t length = receive(frame, sizeof frame);
    OK(length == 11 && frame[0] == QS_OBJ_DICT && strcmp((char *)&frame[5], "QS_RX") == 0, "and of the host");
    kernel_run();
    kernel_record(QS_QF_TICK, 0, "c1", 1);
    OK(is_sent("46") && is_sent(""), "records are off at the start, but those that no filter holds back");
    QS_initBuf(host_trace, 255);
    QS_initBuf(host_trace, 1000);
    unsigned blinks = 0;
    QS_GLB_FILTER(QS_GRP_UA);
    for (; blinks < 1000; blinks++) {
        QS_BEGIN_ID(COMMAND_STAT, 0)
            QS_U8(0, 1);
        QS_END()
    }
    unsigned count = 0;
    while (QS_getByte() != QS_EOD) {
        count++;
    }
    OK(count > 512 - 64 - 12 && count <= 512, "of 1000 bytes 512 are used (%u)", count);
}

/* Records and their fields according to the wire format; two that it has not, with the other fields. */
static const struct {
    uint8_t rec;
    const char *fields;
} records[] = {
    {QS_QEP_STATE_ENTRY, "of"},
    {QS_QEP_STATE_EXIT, "of"},
    {QS_QEP_STATE_INIT, "off"},
    {QS_QEP_INIT_TRAN, "tof"},
    {QS_QEP_INTERN_TRAN, "tsof"},
    {QS_QEP_TRAN, "tsoff"},
    {QS_CMD, "tsof"},
    {QS_QEP_DISPATCH, "tsof"},
    {QS_QEP_UNHANDLED, "sof"},
    {QS_QF_ACTIVE_DEFER, "toosb"},
    {QS_QF_ACTIVE_RECALL, "toosb"},
    {QS_QF_ACTIVE_SUBSCRIBE, "tso"},
    {QS_QF_ACTIVE_UNSUBSCRIBE, "tso"},
    {QS_QF_ACTIVE_POST, "tosobqq"},
    {QS_QF_ACTIVE_POST_LIFO, "tsobqq"},
    {QS_QF_ACTIVE_GET, "tsobq"},
    {QS_QF_ACTIVE_GET_LAST, "tsob"},
    {QS_QF_ACTIVE_RECALL_ATTEMPT, "too"},
    {QS_QF_EQUEUE_POST, "tsobqq"},
    {QS_QF_EQUEUE_POST_LIFO, "tsobqq"},
    {QS_QF_EQUEUE_GET, "tsobq"},
    {QS_QF_EQUEUE_GET_LAST, "tsob"},
    {QS_QF_NEW_ATTEMPT, "tes"},
    {QS_QF_MPOOL_GET, "topp"},
    {QS_QF_MPOOL_PUT, "top"},
    {QS_QF_PUBLISH, "tosb"},
    {QS_QF_NEW_REF, "tsb"},
    {QS_QF_NEW, "tes"},
    {QS_QF_GC_ATTEMPT, "tsb"},
    {QS_QF_GC, "tsb"},
    {QS_QF_TICK, "c1"},
    {QS_QF_TIMEEVT_ARM, "toocc1"},
    {QS_QF_TIMEEVT_AUTO_DISARM, "oo1"},
    {QS_QF_TIMEEVT_DISARM_ATTEMPT, "too1"},
    {QS_QF_TIMEEVT_DISARM, "toocc1"},
    {QS_QF_TIMEEVT_REARM, "toocc11"},
    {QS_QF_TIMEEVT_POST, "toso1"},
    {QS_QF_DELETE_REF, "tsb"},
    {QS_QF_CRIT_ENTRY, "t1"},
    {QS_QF_CRIT_EXIT, "t1"},
    {QS_QF_ISR_ENTRY, "tb"},
    {QS_QF_ISR_EXIT, "tb"},
    {QS_QF_ACTIVE_POST_ATTEMPT, "tosobqq"},
    {QS_QF_EQUEUE_POST_ATTEMPT, "tsobqq"},
    {QS_QF_MPOOL_GET_ATTEMPT, "topp"},
    {QS_SCHED_PREEMPT, "tb"},
    {QS_SCHED_RESTORE, "tb"},
    {QS_SCHED_LOCK, "tb"},
    {QS_SCHED_UNLOCK, "tb"},
    {QS_SCHED_NEXT, "tb"},
    {QS_SCHED_IDLE, "t1"},
    {QS_QEP_TRAN_HIST, "off"},
    {QS_SEM_TAKE, "tob"},
    {QS_SEM_BLOCK, "tob"},
    {QS_SEM_SIGNAL, "tob"},
    {QS_SEM_BLOCK_ATTEMPT, "tob"},
    {QS_MTX_LOCK, "tob"},
    {QS_MTX_BLOCK, "tob"},
    {QS_MTX_UNLOCK, "tob"},
    {QS_MTX_LOCK_ATTEMPT, "tob"},
    {QS_MTX_BLOCK_ATTEMPT, "tob"},
    {QS_ID_EQ, "tob"},
    {QS_QF_ACTIVE_DEFER_ATTEMPT, "toosb"},
    {90, "B24"},
    {91, "4o444f4444444444441444s44"},
};

static size_t number(uint8_t *to, uint32_t value, unsigned size) {
    for (unsigned i = 0; i < size; i++) {
        to[i] = (uint8_t)(value >> (8u * i));
    }
    return size;
}

static size_t expected_of(uint8_t *to, char field, uint32_t value) {
    switch (field) {
    case 't':
        return number(to, host_time, 4);
    case 'o':
    case 'f':
    case '4':
    case 'c':
        return number(to, value, 4);
    case 's':
    case 'e':
    case 'p':
    case 'B':
    case '2':
        return number(to, value, 2);
    case 'q':
        return number(to, value, QF_EQUEUE_CTR_SIZE);
    case 'b':
        return number(to, (value & 0xFFu) | (value + 1u) << 8, 2);
    default:
        return number(to, value, 1);
    }
}

static void fields(void) {
    static const uint32_t firsts[] = {1, 0x7D, 0x7B787D7C};
    unsigned good = 0;
    for (size_t i = 0; i < 3 * sizeof records / sizeof records[0]; i++) {
        uint8_t expected[128] = {records[i / 3].rec};
        size_t length = 1;
        uint32_t value = firsts[i % 3];
        for (const char *f = records[i / 3].fields; *f != '\0'; f++) {
            length += expected_of(&expected[length], *f, value);
            value += 2;
        }
        char text[320];
        snprintf(text, sizeof text, "%.300s", hex(expected, length));
        kernel_record(records[i / 3].rec, 0, records[i / 3].fields, firsts[i % 3]);
        good += is_sent(text);
    }
    OK(good == 3 * sizeof records / sizeof records[0], "%u records with fields of each kind", good);
    OK(are_sent(""), "and no more");
}

static const char *ids_of_record(uint8_t rec, uint8_t id) {
    kernel_record(rec, id, "", 0);
    QS_BEGIN_ID(rec, id)
    QS_END()
    return ids_sent();
}

/* Does a group switch its records and no others? */
static bool is_group_alone(void) {
    static const struct {
        int group;
        uint8_t rec;
    } groups[] = {
        {QS_GRP_SM, QS_QEP_TRAN}, {QS_GRP_AO, QS_QF_ACTIVE_POST}, {QS_GRP_EQ, QS_QF_EQUEUE_POST},
        {QS_GRP_MP, QS_QF_MPOOL_GET}, {QS_GRP_TE, QS_QF_TIMEEVT_ARM}, {QS_GRP_QF, QS_QF_PUBLISH},
        {QS_GRP_SC, QS_SCHED_NEXT}, {QS_GRP_SEM, QS_SEM_TAKE}, {QS_GRP_MTX, QS_MTX_LOCK}, {QS_GRP_U0, QS_USER0},
        {QS_GRP_U1, QS_USER1}, {QS_GRP_U2, QS_USER2}, {QS_GRP_U3, QS_USER3}, {QS_GRP_U4, QS_USER4}};
    const size_t count = sizeof groups / sizeof groups[0];
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        QS_GLB_FILTER(-QS_GRP_ALL);
        QS_GLB_FILTER(groups[i].group);
        for (size_t other = 0; other < count; other++) {
            good = good && (ids_of_record(groups[other].rec, 0)[0] != '\0') == (other == i);
        }
    }
    return good;
}

static void filters(void) {
    begin();
    QS_GLB_FILTER(-QS_GRP_ALL);
    OK(ids_of_record(QS_QEP_TRAN, 0)[0] == '\0', "all off");
    OK(is_group_alone(), "each group on alone");
    QS_GLB_FILTER(-QS_GRP_ALL);
    QS_GLB_FILTER(QS_GRP_SM);
    OK(strcmp(ids_of_record(QS_QEP_TRAN, 0), "6 6") == 0 && ids_of_record(QS_QF_TICK, 0)[0] == '\0', "a group on");
    QS_GLB_FILTER(-QS_QEP_TRAN);
    OK(ids_of_record(QS_QEP_TRAN, 0)[0] == '\0' && strcmp(ids_of_record(QS_QEP_DISPATCH, 0), "8 8") == 0,
        "but one record");
    QS_GLB_FILTER(QS_GRP_UA);
    OK(strcmp(ids_of_record(124, 0), "124 124") == 0, "records of the program on");
    QS_GLB_FILTER(-QS_GRP_U4);
    OK(ids_of_record(124, 0)[0] == '\0' && strcmp(ids_of_record(119, 0), "119 119") == 0, "but their last group");
    static const struct {
        int ids;
        uint8_t first;
        uint8_t last;
    } ranges[] = {
        {QS_IDS_AO, QS_ID_AO + 1, QS_ID_EP}, {QS_IDS_EP, QS_ID_EP + 1, QS_ID_EQ - 1}, {QS_IDS_EQ, QS_ID_EQ, QS_ID_AP - 1},
        {QS_IDS_AP, QS_ID_AP, 127}, {QS_IDS_ALL, 1, 127}, {5, 5, 5}};
    bool good = true;
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        QS_LOC_FILTER(QS_IDS_ALL);
        QS_LOC_FILTER(-ranges[i].ids);
        for (unsigned id = 0; id < 128; id++) {
            const bool on = ids_of_record(100, (uint8_t)id)[0] != '\0';
            good = good && on == (id < ranges[i].first || id > ranges[i].last);
        }
    }
    OK(good, "each range of QS-IDs off, and what is not in it on; 0 always");
    QS_LOC_FILTER(QS_IDS_ALL);
}

static void names(void) {
    static struct {
        int member;
    } objects[12];
    begin();
    const unsigned before = called.flushes;
    uint8_t frame[128];
    QS_OBJ_DICTIONARY(&objects[3].member);
    receive(frame, sizeof frame);
    OK(frame[0] == QS_OBJ_DICT && strcmp((char *)&frame[5], "objects[3].member") == 0, "the name of an object is its text");
    OK(called.flushes == before + 1, "and is sent at once");
    unsigned n = 11;
    QS_OBJ_ARR_DICTIONARY(&objects[n], n);
    receive(frame, sizeof frame);
    OK(strcmp((char *)&frame[5], "objects[11]") == 0, "that of an element has its index");
    QS_OBJ_ARR_DICTIONARY(&objects[n - 11u].member, 0);
    receive(frame, sizeof frame);
    OK(strcmp((char *)&frame[5], "objects[0].member") == 0, "also in the middle");
    sty_qs_app_arr_dict_(objects, 4294967295u, "a_name_with_more_characters_than_anybody_can_want_to_read[n].and_so_on_and_on");
    receive(frame, sizeof frame);
    OK(strcmp((char *)&frame[5], "a_name_with_more_characters_than_anybody_can_wan[4294967295].an") == 0, "a long one is cut: %s",
        (char *)&frame[5]);
    QS_SIG_DICTIONARY(BUTTON_SIG, (void *)0);
    OK(is_sent("3c05000000000042555454" "4f4e5f53494700"), "a signal");
    QS_USR_DICTIONARY(COMMAND_STAT);
    OK(is_sent("3f64434f4d4d414e445f5354415400"), "a record");
    QS_ENUM_DICTIONARY(CMD_BLINK, QS_CMD);
    OK(is_sent("360307434d445f424c494e4b00"), "a command");
    QS_FUN_DICTIONARY(&app_press);
    receive(frame, sizeof frame);
    OK(frame[0] == QS_FUN_DICT && strcmp((char *)&frame[5], "app_press") == 0, "a function");
}

static unsigned top_states_named(void) {
    unsigned count = 0;
    uint8_t frame[128];
    app_init(NULL);
    while (receive(frame, sizeof frame) != 0) {
        count += frame[0] == QS_FUN_DICT && strstr((char *)&frame[5], "QHsm_top") != NULL ? 1u : 0u;
    }
    return count;
}

static void application(void) {
    OK(top_states_named() == 1 && top_states_named() == 1, "the kernel names its top state once after each start");
    app_init(NULL);
    const unsigned flushes = called.flushes;
    ids_sent();
    app_press();
    OK(are_sent("41 24 28 26 14 14 29 42"), "an interrupt publishes");
    while (kernel_step()) {
    }
    ids_sent();
    app_elements();
    uint8_t frame[256];
    const size_t length = receive(frame, sizeof frame);
    OK(length > 100 && frame[0] == ELEMENTS, "a record with each element");
    app_in_critical_section();
    OK(is_sent("64010203040101"), "a record in a critical section");
    host_asserting = true;
    app_assertion("app.c", 77);
    host_asserting = false;
    OK(strncmp(sent(), "4501020304" "4d00" "6170702e6300", 22) == 0 && called.flushes == flushes + 1,
        "an assertion is sent and flushed");
    uint16_t most = 5;
    app_press();
    const uint8_t *block = QS_getBlock(&most);
    OK(block != NULL && most == 5 && block[1] == QS_QF_ISR_ENTRY, "QS_getBlock() gives as much as is wanted");
    const uint8_t *first = block;
    most = 3;
    block = QS_getBlock(&most);
    OK(block == first + 5 && most == 3, "then what follows");
    most = 65535;
    QS_getBlock(&most);
    most = 65535;
    OK(QS_getBlock(&most) == NULL && most == 0, "at last nothing");
}

int main(void) {
    start();
    begin();
    fields();
    filters();
    names();
    application();
    OK(kernel_faults == 0, "no critical section inside another, none left out (%u)", kernel_faults);
    return DONE();
}
