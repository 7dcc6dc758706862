/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* QS for QP/C 8, with the small kernel: host commands. */
#include "host.h"

#include "tap.h"

#include <string.h>

/* A frame from the host. */
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
    OK(are_sent("66:10 24 28 27 4 1 30 25 65"), "and starts it again");
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
    return kind != QS_OBJ_AP && object != NULL;
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
    static const uint8_t kinds[] = {QS_OBJ_SM, QS_OBJ_AO, QS_OBJ_MP, QS_OBJ_EQ, QS_OBJ_TE, QS_OBJ_EP};
    bool good = true;
    for (size_t i = 0; i < sizeof kinds; i++) {
        FEED(13, kinds[i], 1, 2, 3, 4);
        FEED(15, kinds[i]);
        good = good && are_sent("66:0d 67");
    }
    OK(good, "until the program answers it");
    FEED(13, QS_OBJ_SM_AO, 1, 2, 3, 4);
    OK(are_sent("66:0d"), "a state machine and active object in one");
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

int main(void) {
    receive_channel();
    events();
    memory();
    OK(kernel_faults == 0, "no critical section inside another, none left out (%u)", kernel_faults);
    return DONE();
}
