/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "spytui/qnx_rx.h"

enum { OK, EINVAL = 22 };
/* The kernel's command that starts recording with names. */
enum { START = 10 };
/* Maximum number of words in a command. */
enum { MOST_WORDS = 4 };

void sty_qnxrx_init(sty_qnxrx_t *rx, sty_qnx_t *qnx, const sty_qnxrx_cb_t *cb, void *ctx) {
    *rx = (sty_qnxrx_t){.qnx = qnx, .cb = cb, .ctx = ctx};
}

void sty_qnxrx_init_nto1(sty_qnxrx_t *rx, sty_nto1_t *nto1, const sty_qnxrx_cb_t *cb, void *ctx) {
    *rx = (sty_qnxrx_t){.nto1 = nto1, .cb = cb, .ctx = ctx};
}

/* Parses a decimal number and the blanks after it. */
static bool take_number(const char **text, uint32_t *number) {
    const char *at = *text;
    uint64_t value = 0;
    while (*at >= '0' && *at <= '9' && value <= UINT32_MAX) {
        value = value * 10u + (uint64_t)(*at - '0');
        at++;
    }
    if (at == *text || value > UINT32_MAX || (*at != ' ' && *at != '\0')) {
        return false;
    }
    while (*at == ' ') {
        at++;
    }
    *number = (uint32_t)value;
    *text = at;
    return true;
}

/* Parses a word and the blanks after it. */
static bool take_word(const char **text, const char *word) {
    const char *at = *text;
    for (; *word != '\0'; word++, at++) {
        if (*at != *word) {
            return false;
        }
    }
    if (*at != ' ' && *at != '\0') {
        return false;
    }
    while (*at == ' ') {
        at++;
    }
    *text = at;
    return true;
}

static uint32_t kernel_command(sty_qnxrx_t *rx, const char *text) {
    uint32_t number;
    uint32_t words[MOST_WORDS];
    uint32_t count = 0;
    if (rx->qnx == NULL || !take_number(&text, &number)) {
        return EINVAL;
    }
    while (count < MOST_WORDS && take_number(&text, &words[count])) {
        count++;
    }
    const uint32_t result = *text != '\0' ? EINVAL : sty_qnx_command(rx->qnx, number, words, count);
    if (result == OK && number == START && rx->cb->names != NULL) {
        rx->cb->names(rx->ctx);
    }
    return result;
}

static uint32_t mark(const sty_qnxrx_t *rx, const char *text) {
    if (rx->qnx == NULL || *text == '\0') {
        return EINVAL;
    }
    sty_qnx_mark(rx->qnx, text);
    return OK;
}

static int digit(char hex) {
    return hex >= '0' && hex <= '9' ? hex - '0' : hex >= 'a' && hex <= 'f' ? hex - 'a' + 10
        : hex >= 'A' && hex <= 'F'                                         ? hex - 'A' + 10
                                                                           : -1;
}

static uint32_t profile(const sty_qnxrx_t *rx, const char *text) {
    uint8_t bits[32];
    for (size_t i = 0; i < sizeof bits; i++) {
        const int high = digit(text[0]);
        const int low = high < 0 ? -1 : digit(text[1]);
        if (low < 0) {
            return EINVAL;
        }
        bits[i] = (uint8_t)(high << 4 | low);
        text += 2;
    }
    if (rx->nto1 == NULL || *text != '\0') {
        return EINVAL;
    }
    sty_nto1_disable(rx->nto1, bits);
    return OK;
}

/* The answer is the state itself. */
static uint32_t query(const sty_qnxrx_t *rx, const char *text) {
    enum { VERSION, DROPS, PEAK, CLASSES };
    const sty_ring_t *ring = rx->qnx != NULL ? rx->qnx->ring : rx->nto1->ring;
    uint32_t state;
    if (!take_number(&text, &state)) {
        return EINVAL;
    }
    switch (state) {
    case VERSION:
        return 1;
    case DROPS:
        return rx->qnx != NULL ? sty_qnx_drops(rx->qnx) : sty_ring_drops(ring);
    case PEAK:
        return sty_ring_peak(ring);
    case CLASSES:
        return rx->qnx != NULL ? STY_LOAD(&rx->qnx->classes) : EINVAL;
    default:
        return EINVAL;
    }
}

static uint32_t fault(const sty_qnxrx_t *rx, const char *text) {
    uint32_t id;
    uint32_t value;
    const bool whole = take_number(&text, &id) && take_number(&text, &value) && *text == '\0';
    return whole && rx->cb->fault != NULL && rx->cb->fault(rx->ctx, id, value) ? OK : EINVAL;
}

static void answer(const sty_qnxrx_t *rx, uint32_t id, uint32_t result) {
    if (rx->qnx != NULL) {
        sty_qnx_answer(rx->qnx, id, result);
    } else {
        sty_nto1_answer(rx->nto1, id, result);
    }
}

/* A line without a number or with an unknown command is not answered. */
static void execute(sty_qnxrx_t *rx, const char *text) {
    uint32_t id;
    if (!take_number(&text, &id)) {
        return;
    }
    if (take_word(&text, "tev")) {
        answer(rx, id, kernel_command(rx, text));
    } else if (take_word(&text, "mark")) {
        answer(rx, id, mark(rx, text));
    } else if (take_word(&text, "kprof")) {
        answer(rx, id, profile(rx, text));
    } else if (take_word(&text, "query")) {
        answer(rx, id, query(rx, text));
    } else if (take_word(&text, "fault")) {
        answer(rx, id, fault(rx, text));
    }
}

void sty_qnxrx_feed(sty_qnxrx_t *rx, uint8_t byte) {
    if (byte != (uint8_t)'\n') {
        if (rx->length < sizeof rx->line) {
            rx->line[rx->length] = (char)byte;
            rx->length++;
        }
        return;
    }
    /* A longer line fills the buffer, which leaves no room for its end. */
    if (rx->length < sizeof rx->line) {
        const bool has_return = rx->length != 0u && rx->line[rx->length - 1u] == '\r';
        rx->line[rx->length - (has_return ? 1u : 0u)] = '\0';
        execute(rx, rx->line);
    }
    rx->length = 0;
}
