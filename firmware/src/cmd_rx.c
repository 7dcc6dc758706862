/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "spytui/cmd_rx.h"

void sty_cmdrx_init_(sty_cmdrx_t *rx, const sty_cmdrx_protocol_t *protocol, void *emitter, const sty_cmdrx_cb_t *cb,
    void *ctx) {
    *rx = (sty_cmdrx_t){.protocol = protocol, .emitter = emitter, .cb = cb, .ctx = ctx};
    sty_hdlc_rx_init(&rx->frame, rx->buf, sizeof rx->buf);
}

uint16_t sty_cmdrx_crc(const void *bytes, size_t count) {
    const uint8_t *from = bytes;
    uint32_t crc = 0xFFFF;
    for (size_t i = 0; i < count; i++) {
        crc ^= (uint32_t)from[i] << 8;
        for (unsigned bit = 0; bit < 8u; bit++) {
            crc = (crc & 0x8000u) != 0u ? crc << 1 ^ 0x1021u : crc << 1;
        }
    }
    return (uint16_t)crc;
}

/* A command: the bytes between its number and the CRC. */
typedef struct {
    uint8_t op;
    uint8_t seq;
    const uint8_t *payload;
    size_t length;
} command_t;

static uint32_t take(const uint8_t *bytes, size_t count) {
    uint32_t value = 0;
    for (size_t i = 0; i < count; i++) {
        value |= (uint32_t)bytes[i] << (8u * i);
    }
    return value;
}

/* Commands 1–5: an id, then on or off. */
static uint8_t filter(const sty_cmdrx_t *rx, const command_t *command) {
    static const uint8_t id_size[STY_CMD_ALL + 1] = {[STY_CMD_GROUP] = 1, [STY_CMD_EVENT] = 2, [STY_CMD_OBJECT] = 4, [STY_CMD_SIGNAL] = 4,
                                      [STY_CMD_ALL] = 0};
    const size_t size = id_size[command->op];
    if (command->length != size + 1u || command->payload[size] > 1u) {
        return STY_CMD_BAD_PAYLOAD;
    }
    const uint32_t id = take(command->payload, size);
    const bool on = command->payload[size] == 1u;
    return rx->protocol->filter(rx->emitter, command->op, id, on) ? STY_CMD_DONE : STY_CMD_NO_SUCH_ID;
}

static uint8_t names(const sty_cmdrx_t *rx, const command_t *command) {
    if (command->length != 0u) {
        return STY_CMD_BAD_PAYLOAD;
    }
    rx->protocol->names(rx->emitter);
    if (rx->cb->names != NULL) {
        rx->cb->names(rx->ctx);
    }
    return STY_CMD_DONE;
}

/* A frame of noise must not reset a target. */
static uint8_t check_reset(const sty_cmdrx_t *rx, const command_t *command) {
    static const uint8_t guard[] = {'R', 'S', 'T', '!'};
    bool same = command->length == sizeof guard;
    for (size_t i = 0; same && i < sizeof guard; i++) {
        same = command->payload[i] == guard[i];
    }
    if (!same) {
        return STY_CMD_BAD_PAYLOAD;
    }
    return rx->cb->reset == NULL ? STY_CMD_REFUSED : STY_CMD_DONE;
}

static uint8_t user(const sty_cmdrx_t *rx, const command_t *command) {
    if (command->length != 5u) {
        return STY_CMD_BAD_PAYLOAD;
    }
    if (rx->cb->user == NULL) {
        return STY_CMD_REFUSED;
    }
    return rx->cb->user(rx->ctx, command->payload[0], take(&command->payload[1], 4)) ? STY_CMD_DONE : STY_CMD_NO_SUCH_ID;
}

static uint8_t execute(const sty_cmdrx_t *rx, const command_t *command) {
    switch (command->op) {
    case STY_CMD_PING:
    case STY_CMD_STATE:
        return command->length == 0u ? STY_CMD_DONE : STY_CMD_BAD_PAYLOAD;
    case STY_CMD_GROUP:
    case STY_CMD_EVENT:
    case STY_CMD_OBJECT:
    case STY_CMD_SIGNAL:
    case STY_CMD_ALL:
        return filter(rx, command);
    case STY_CMD_NAMES:
        return names(rx, command);
    case STY_CMD_RESET:
        return check_reset(rx, command);
    case STY_CMD_USER:
        return user(rx, command);
    default:
        return STY_CMD_UNKNOWN;
    }
}

static void answer(const sty_cmdrx_t *rx, const command_t *command, uint8_t status, uint32_t value) {
    rx->protocol->answer(rx->emitter, command->op, command->seq, status, value);
}

/* Sends the states that a command asks for, from 0 on. */
static uint32_t states_of(const sty_cmdrx_t *rx, const command_t *command, uint8_t status) {
    if (status != STY_CMD_DONE) {
        return 0;
    }
    return command->op == STY_CMD_PING ? 1u : command->op == STY_CMD_STATE ? rx->protocol->states : 0u;
}

static void execute_and_answer(sty_cmdrx_t *rx, const command_t *command) {
    const uint8_t status = execute(rx, command);
    const uint32_t states = states_of(rx, command, status);
    rx->last_status = status;
    answer(rx, command, status, states);
    for (uint32_t n = 0; n < states; n++) {
        answer(rx, command, (uint8_t)(STY_CMD_A_STATE + n), rx->protocol->state(rx->emitter, n));
    }
    if (command->op == STY_CMD_RESET && status == STY_CMD_DONE) {
        rx->cb->reset(rx->ctx);
    }
}

/* A repeated number means that the answer was lost: commands are not executed twice, questions are answered again. */
static bool is_repeated(const sty_cmdrx_t *rx, const command_t *command) {
    const bool question = command->op == STY_CMD_PING || command->op == STY_CMD_STATE;
    return rx->has_last && command->seq == rx->last && !question;
}

/* 0 is the number of a ping that starts over; commands count 1–255, 1 … */
static void note_number(sty_cmdrx_t *rx, uint8_t seq) {
    const uint8_t next = rx->last == 255u ? 1u : (uint8_t)(rx->last + 1u);
    rx->jumps += rx->has_last && seq != next && seq != rx->last && seq != 0u;
    rx->has_last = seq != 0u;
    rx->last = seq;
}

static void take_command(sty_cmdrx_t *rx, const command_t *command, uint8_t version) {
    if (version != STY_CMD_VERSION) {
        answer(rx, command, STY_CMD_WRONG_VERSION, 0);
    } else if (is_repeated(rx, command)) {
        answer(rx, command, rx->last_status, 0);
    } else {
        note_number(rx, command->seq);
        execute_and_answer(rx, command);
    }
}

void sty_cmdrx_feed(sty_cmdrx_t *rx, uint8_t byte) {
    enum { SHORTEST = 4, CRC = 2 };
    const int length = sty_hdlc_rx_feed(&rx->frame, byte);
    if (length < SHORTEST) {
        return;
    }
    const size_t end = (size_t)length - CRC;
    if (sty_cmdrx_crc(rx->buf, end) == take(&rx->buf[end], CRC)) {
        const command_t command = {rx->buf[0] & 31u, rx->buf[1], &rx->buf[2], end - 2u};
        take_command(rx, &command, rx->buf[0] >> 5);
    }
}
