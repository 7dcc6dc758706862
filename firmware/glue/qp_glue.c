/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "qp_glue.h"

enum { PEEK = 4, POKE = 5, FILL = 6, CURR_OBJ = 13, UNKNOWN_COMMAND = 100 };

/* Offsets in a frame. */
enum { NUMBER, COMMAND, PAYLOAD };

void sty_qp_glue_init(sty_qp_glue_t *glue, const sty_qp_glue_cb_t *cb, void *ctx) {
    *glue = (sty_qp_glue_t){.cb = cb, .ctx = ctx};
    sty_hdlc_rx_init(&glue->frame, glue->buf, sizeof glue->buf);
}

static uint8_t sum_of(const uint8_t *bytes, size_t count) {
    uint8_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum = (uint8_t)(sum + bytes[i]);
    }
    return sum;
}

static uintptr_t number_at(const uint8_t *bytes, unsigned size) {
    uint64_t number = 0;
    for (unsigned i = size; i > 0u; i--) {
        number = number << 8 | bytes[i - 1u];
    }
    return (uintptr_t)number;
}

/* The payload of a peek, poke or fill: offset in the current application object, item size, number of items, and the
 * items of a poke or the one item of a fill. */
static bool access_is_good(const sty_qp_glue_t *glue, uint8_t command, const uint8_t *payload, size_t length) {
    if (length < 4u || glue->cb->may_access == NULL) {
        return false;
    }
    const uint8_t size = payload[2];
    const size_t bytes = (size_t)size * payload[3];
    const size_t data = command == PEEK ? 0u : command == POKE ? bytes : size;
    const uintptr_t address = glue->object + number_at(payload, 2);
    const bool wraps = address < glue->object || address + bytes < address;
    const bool shape_is_good = (size == 1u || size == 2u || size == 4u) && bytes != 0u && length == 4u + data;
    return shape_is_good && glue->object != 0u && !wraps &&
        glue->cb->may_access(glue->ctx, address, bytes, command != PEEK);
}

static void put_stuffed(const sty_qp_glue_t *glue, uint8_t byte) {
    if (byte == STY_HDLC_FLAG || byte == STY_HDLC_ESC) {
        glue->cb->receive(glue->ctx, STY_HDLC_ESC);
        byte ^= STY_HDLC_XOR;
    }
    glue->cb->receive(glue->ctx, byte);
}

static void pass_on(const sty_qp_glue_t *glue, const uint8_t *frame, size_t length) {
    for (size_t i = 0; i < length; i++) {
        put_stuffed(glue, frame[i]);
    }
    put_stuffed(glue, (uint8_t)~sum_of(frame, length));
    glue->cb->receive(glue->ctx, STY_HDLC_FLAG);
}

/* Remembers the application object that a valid frame makes current. */
static void watch_object(sty_qp_glue_t *glue, const uint8_t *payload, size_t length) {
    if (length == 1u + STY_QS_OBJ_SIZE && payload[0] == STY_QS_AP) {
        glue->object = number_at(&payload[1], STY_QS_OBJ_SIZE);
    }
}

/* Handles a valid frame, without its checksum. */
static void check(sty_qp_glue_t *glue, const uint8_t *frame, size_t length) {
    const uint8_t command = frame[COMMAND];
    const uint8_t *payload = &frame[PAYLOAD];
    if (command == CURR_OBJ) {
        watch_object(glue, payload, length - PAYLOAD);
    }
    if (command >= PEEK && command <= FILL && !access_is_good(glue, command, payload, length - PAYLOAD)) {
        const uint8_t refused[2] = {frame[NUMBER], UNKNOWN_COMMAND};
        pass_on(glue, refused, sizeof refused);
        return;
    }
    pass_on(glue, frame, length);
}

void sty_qp_glue_feed(sty_qp_glue_t *glue, uint8_t byte) {
    enum { SHORTEST = 3 }; /* number, command, checksum */
    const int length = sty_hdlc_rx_feed(&glue->frame, byte);
    if (length >= SHORTEST && sum_of(glue->buf, (size_t)length) == 0xFFu) {
        check(glue, glue->buf, (size_t)length - 1u);
    }
}
