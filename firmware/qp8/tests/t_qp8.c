/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* QS for QP/C 8, with the small kernel: what each hook writes, and what the host may do. */
#include "app.h"

#include "qs_port.h"

#include "frames.h"
#include "tap.h"

static uint8_t trace[16384];
static uint8_t commands[64];
static uint32_t time_now;
static struct {
    unsigned flushes, resets, commands;
    uint8_t command;
    uint32_t p1, p2, p3;
} called;
static bool asserting; /* then nothing locks */

uint8_t QS_onStartup(void const *arg) {
    (void)arg;
    QS_initBuf(trace, sizeof trace);
    QS_rxInitBuf(commands, sizeof commands);
    return 1;
}
void QS_onCleanup(void) {
}
void QS_onFlush(void) {
    called.flushes++;
    kernel_faults += asserting ? 0u : kernel_depth;
}
QSTimeCtr QS_onGetTime(void) {
    kernel_faults += kernel_depth != 1u && !asserting ? 1u : 0u;
    return time_now;
}
void QS_onReset(void) {
    called.resets++;
    kernel_faults += kernel_depth;
}
void QS_onCommand(uint8_t cmdId, uint32_t param1, uint32_t param2, uint32_t param3) {
    kernel_faults += kernel_depth;
    called.commands++;
    called.command = cmdId;
    called.p1 = param1;
    called.p2 = param2;
    called.p3 = param3;
    QS_BEGIN_ID(COMMAND_STAT, 0)
        QS_U8(0, cmdId);
    QS_END()
}
void QS_doOutput(void) {
}
void QS_doInput(void) {
    QS_rxParse();
}

/* The next frame without stuffing, number and checksum, which are looked at. */
static size_t receive(uint8_t *frame, uint16_t size) {
    static uint8_t number;
    sty_hdlc_rx_t rx;
    sty_hdlc_rx_init(&rx, frame, size);
    for (uint16_t byte = QS_getByte(); byte != QS_EOD; byte = QS_getByte()) {
        const int length = sty_hdlc_rx_feed(&rx, (uint8_t)byte);
        if (length < 0) {
            continue;
        }
        uint8_t sum = 0;
        for (int i = 0; i < length; i++) {
            sum = (uint8_t)(sum + frame[i]);
        }
        const bool next = frame[0] == (uint8_t)(number + 1u) || (frame[0] == 1u && frame[1] == 0u);
        number = frame[0];
        if (length < 3 || sum != 0xFFu || !next) {
            printf("# a bad frame: %s\n", hex(frame, (size_t)length));
            return 0;
        }
        memmove(frame, frame + 1, (size_t)length - 2u);
        return (size_t)length - 2u;
    }
    return 0;
}

static const char *sent(void) {
    uint8_t frame[512];
    return hex(frame, receive(frame, sizeof frame));
}

static bool is_sent(const char *expected) {
    const char *got = sent();
    const bool same = strcmp(got, expected) == 0;
    if (!same) {
        printf("# got %s, expected %s\n", got, expected);
    }
    return same;
}

/* The ids of all that waits. */
static const char *ids_sent(void) {
    static char text[1024];
    uint8_t frame[512];
    text[0] = '\0';
    for (size_t length = receive(frame, sizeof frame); length != 0; length = receive(frame, sizeof frame)) {
        const bool short_answer = frame[0] == QS_RX_STATUS;
        const size_t end = strlen(text);
        snprintf(&text[end], sizeof text - end, short_answer ? "%s%d:%02x" : "%s%d", end == 0 ? "" : " ", frame[0],
            frame[1]);
    }
    return text;
}

static bool are_sent(const char *expected) {
    const char *got = ids_sent();
    const bool same = strcmp(got, expected) == 0;
    if (!same) {
        printf("# got %s, expected %s\n", got, expected);
    }
    return same;
}

/* Starts the trace alone. */
static void begin(void) {
    memset(&called, 0, sizeof called);
    time_now = 0x04030201;
    kernel_init();
    QS_INIT(NULL);
    QS_GLB_FILTER(QS_GRP_ALL);
    ids_sent();
}

static void start(void) {
    kernel_init();
    OK(are_sent(""), "before QS_initBuf() names and records go nowhere");
    OK(QS_INIT(NULL) != 0, "QS_INIT() is what QS_onStartup() gives");
    OK(is_sent("00"), "a start is an empty frame,");
    OK(strncmp(sent(), "40460004556a2241224404" "0411", 26) == 0, "the info of 8.x with the version and date of the kernel,");
    OK(is_sent("3f7b5354595f44524f505300"), "the name of the drop total");
    uint8_t frame[64];
    const size_t length = receive(frame, sizeof frame);
    OK(length == 11 && frame[0] == QS_OBJ_DICT && strcmp((char *)&frame[5], "QS_RX") == 0, "and of the host");
    kernel_run();
    kernel_record(QS_QF_TICK, 0, "c1", 1);
    OK(is_sent("46") && is_sent(""), "records are off at the start, but those that no filter holds back");
    QS_initBuf(trace, 255);
    QS_initBuf(trace, 1000);
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

/* Records and their fields, as the wire format has them. */
static const struct {
    uint8_t rec;
    const char *fields;
} records[] = {
    {1, "of"},        {2, "of"},         {3, "off"},       {4, "tof"},      {5, "tsof"},     {6, "tsoff"},
    {7, "tsof"},      {8, "tsof"},       {9, "sof"},       {10, "toosb"},   {11, "toosb"},   {12, "tso"},
    {13, "tso"},      {14, "tosobqq"},   {15, "tsobqq"},   {16, "tsobq"},   {17, "tsob"},    {18, "too"},
    {19, "tsobqq"},   {20, "tsobqq"},    {21, "tsobq"},    {22, "tsob"},    {23, "tes"},     {24, "topp"},
    {25, "top"},      {26, "tosb"},      {27, "tsb"},      {28, "tes"},     {29, "tsb"},     {30, "tsb"},
    {31, "c1"},       {32, "toocc1"},    {33, "oo1"},      {34, "too1"},    {35, "toocc1"},  {36, "toocc11"},
    {37, "toso1"},    {38, "tsb"},       {39, "t1"},       {40, "t1"},      {41, "tb"},      {42, "tb"},
    {45, "tosobqq"},  {46, "tsobqq"},    {47, "topp"},     {48, "tb"},      {49, "tb"},      {50, "tb"},
    {51, "tb"},       {52, "tb"},        {53, "t1"},       {55, "off"},     {71, "tob"},     {72, "tob"},
    {73, "tob"},      {74, "tob"},       {75, "tob"},      {76, "tob"},     {77, "tob"},     {78, "tob"},
    {79, "tob"},      {80, "tob"},       {81, "toosb"},    {90, "B24"},       {91, "4o444f4444444444441444s44"},
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
        return number(to, time_now, 4);
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

static void filters(void) {
    begin();
    QS_GLB_FILTER(-QS_GRP_ALL);
    OK(ids_of_record(QS_QEP_TRAN, 0)[0] == '\0', "all off");
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
        {QS_IDS_AO, 1, 64}, {QS_IDS_EP, 65, 79}, {QS_IDS_EQ, 80, 95}, {QS_IDS_AP, 96, 127}, {QS_IDS_ALL, 1, 127}, {5, 5, 5}};
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

/* A frame of the host. */
static void feed(const uint8_t *bytes, size_t count) {
    static uint8_t number_of;
    uint8_t frame[80] = {(uint8_t)(number_of + 1u)};
    number_of++;
    memcpy(&frame[1], bytes, count);
    uint8_t sum = 0;
    for (size_t i = 0; i <= count; i++) {
        sum = (uint8_t)(sum + frame[i]);
    }
    frame[count + 1u] = (uint8_t)~sum;
    for (size_t i = 0; i < count + 2u; i++) {
        const bool escape = frame[i] == 0x7Du || frame[i] == 0x7Eu;
        if (escape) {
            QS_RX_PUT(0x7D);
        }
        QS_RX_PUT(escape ? frame[i] ^ 0x20u : frame[i]);
    }
    QS_RX_PUT(0x7E);
    QS_RX_INPUT();
}

#define FEED(...) \
    do { \
        const uint8_t bytes_[] = {__VA_ARGS__}; \
        feed(bytes_, sizeof bytes_); \
    } while (0)
#define ADDRESS(p) \
    (uint8_t)(uintptr_t)(p), (uint8_t)((uintptr_t)(p) >> 8), (uint8_t)((uintptr_t)(p) >> 16), (uint8_t)((uintptr_t)(p) >> 24)

static void receive_channel(void) {
    app_init(NULL);
    ids_sent();
    FEED(0);
    ids_sent();
    FEED(0);
    OK(strncmp(sent(), "40060004556a", 12) == 0, "INFO is answered without the reset mark");
    FEED(1, CMD_BLINK, 1, 0, 0, 0, 2, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF);
    OK(are_sent("66:01 100 65"), "COMMAND: acknowledged, the record of the program, done");
    OK(called.command == CMD_BLINK && called.p1 == 1 && called.p2 == 2 && called.p3 == 0xFFFFFFFF, "with its parameters");
    FEED(2);
    OK(called.resets == 1 && are_sent(""), "RESET calls QS_onReset()");
    FEED(3, 0);
    OK(are_sent("66:03 31 65"), "TICK: the kernel ticks");
    FEED(3, 1);
    OK(are_sent("66:03 66:83"), "a tick rate that is not there is an error");
    feed((const uint8_t[18]){10, 16}, 18);
    app_press();
    OK(are_sent("66:0a"), "the global filter off");
    feed((const uint8_t[18]){10, 16, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255}, 18);
    ids_sent();
    while (kernel_step()) {
    }
    ids_sent();
    FEED(12, 1, ADDRESS(&app_lamp[0]));
    OK(are_sent("66:0c"), "AO_FILTER takes an active object");
    OK(!sty_qs_on(&sty_qs_app_, 14, 1) && sty_qs_on(&sty_qs_app_, 14, 2), "whose records are off then");
    FEED(12, 0, ADDRESS(&app_lamp[0]));
    FEED(12, 0, ADDRESS(&called));
    OK(are_sent("66:0c 66:8c"), "and no other address");
}

static void events(void) {
    FEED(16, 0, BUTTON_SIG, 0, 0, 0);
    OK(are_sent("66:10 24 28 26 14 14 29 65"), "EVENT publishes");
    while (kernel_step()) {
    }
    OK(are_sent("16 8 5 29 16 8 5 30 25"), "to both subscribers");
    FEED(16, 1, TIMEOUT_SIG, 0, 4, 0, 0x7D, 0x7E, 3, 4);
    const QEvt *e = app_lamp[0].super.events[0];
    OK(e->sig == TIMEOUT_SIG && memcmp(e + 1, "\x7D\x7E\3\4", 4) == 0, "posts by priority, with parameters");
    ids_sent();
    while (kernel_step()) {
    }
    OK(app_lamp[0].blinks == 1 && are_sent("16 8 100 6 1 30 25"), "the lamp is switched");
    FEED(16, 3, TIMEOUT_SIG, 0, 0, 0);
    OK(are_sent("66:10 66:90"), "an error where no object has the priority");
    FEED(16, 253, TIMEOUT_SIG, 0, 0, 0);
    OK(are_sent("66:90"), "or none is current");
    FEED(13, 6, ADDRESS(&app_lamp[1]));
    FEED(16, 253, TIMEOUT_SIG, 0, 0, 0);
    OK(are_sent("66:0d 66:10 24 28 14 65"), "posts to the current object");
    FEED(16, 255, TIMEOUT_SIG, 0, 0, 0);
    OK(are_sent("66:10 24 28 27 8 100 6 1 30 25 65"), "dispatches to the current machine, holding the event");
    FEED(16, 254, 0, 0, 0, 0);
    OK(are_sent("66:10 24 28 27 4 1 30 25 65"), "and begins it anew");
    FEED(13, 0, ADDRESS(&called));
    FEED(16, 255, TIMEOUT_SIG, 0, 0, 0);
    OK(are_sent("66:0d 66:10 66:90"), "a machine that the kernel doesn't know is not followed");
    for (unsigned i = 0; i < 3; i++) {
        FEED(16, 2, NOISE_SIG, 0, 0, 0);
    }
    ids_sent();
    FEED(16, 2, NOISE_SIG, 0, 0, 0);
    OK(are_sent("66:10 24 28 45 30 25 66:90"), "a full queue is an error");
    while (kernel_step()) {
    }
    ids_sent();
    FEED(16, 2, NOISE_SIG, 0, 64, 0);
    OK(are_sent("66:90"), "a length that is not that of the frame, too");
    FEED(16, 2, NOISE_SIG, 0, 14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    OK(are_sent("66:10 23 66:90"), "and an event that no pool has");
}

static uint32_t plant[2] = {0x11223344, 5};

static bool may_access(void *ctx, uintptr_t address, size_t length, bool write) {
    (void)ctx;
    (void)write;
    kernel_faults += kernel_depth != 1u ? 1u : 0u;
    const uintptr_t begin = (uintptr_t)plant;
    return address >= begin && length <= sizeof plant && address - begin <= sizeof plant - length;
}

static bool query(void *ctx, uint8_t kind, const void *object, sty_qsrx_query_t *answer) {
    (void)ctx;
    kernel_faults += kernel_depth != 1u ? 1u : 0u;
    answer->state = 0x801;
    return kind == QS_OBJ_SM && object != NULL;
}

static void memory(void) {
    FEED(13, QS_OBJ_AP, ADDRESS(plant));
    FEED(4, 0, 0, 4, 1);
    OK(are_sent("66:0d 66:84"), "PEEK is refused as long as nothing is allowed");
    sty_qs_app_allow(may_access);
    FEED(4, 0, 0, 4, 1);
    OK(is_sent("440102030400000401" "44332211"), "PEEK reads");
    FEED(5, 4, 0, 4, 1, 9, 0, 0, 0);
    OK(are_sent("66:05") && plant[1] == 9, "POKE writes");
    FEED(6, 0, 0, 2, 2, 7, 0);
    OK(are_sent("66:06") && plant[0] == 0x70007, "FILL fills");
    FEED(4, 4, 0, 4, 2);
    OK(are_sent("66:84"), "outside of what is allowed it is refused");
    FEED(15, QS_OBJ_SM);
    OK(are_sent("66:8f"), "so is QUERY");
    sty_qs_app_answer(query);
    FEED(13, QS_OBJ_SM, 1, 2, 3, 4);
    FEED(15, QS_OBJ_SM);
    OK(are_sent("66:0d 67"), "until the program answers it");
    for (unsigned i = 0; i < 63; i++) {
        QS_RX_PUT(0x55);
    }
    OK(!QS_rxPut(0x55), "a full buffer takes no byte");
    QS_rxParse();
    QS_RX_PUT(0x7E);
    QS_rxParse();
    OK(are_sent("66:c1 66:d0"), "what is no frame is reported");
    FEED(0);
    ids_sent();
}

static void application(void) {
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
    asserting = true;
    app_assertion("app.c", 77);
    asserting = false;
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
    receive_channel();
    events();
    memory();
    application();
    OK(kernel_faults == 0, "no critical section inside another, none left out (%u)", kernel_faults);
    return DONE();
}
