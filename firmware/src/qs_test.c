/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The commands of test scripts. A file of its own, so that only test targets link it. */
#include "spytui/qs_test.h"

#include "qs_rx_parts.h"

enum { REC_TEST_PAUSED = 58, REC_TEST_PROBE_GET = 59 };

void sty_qstest_init(sty_qstest_t *test, sty_qsrx_t *rx, const sty_qstest_cb_t *cb, void *ctx) {
    STY_ASSERT(rx != NULL && cb != NULL);
    *test = (sty_qstest_t){.rx = rx, .cb = cb, .ctx = ctx};
}

uint64_t sty_qstest_now(void *test) {
    sty_qstest_t *of = test;
    of->time++;
    return of->time;
}

/* What the host sends of an address. */
static uintptr_t key_of(uintptr_t function) {
    enum { BITS = 8u * (STY_QS_FUN_SIZE % sizeof(uintptr_t)) };
    return BITS == 0 ? function : function & (((uintptr_t)1 << BITS) - 1u);
}

static uint32_t lock(const sty_qstest_t *test) {
    const sty_env_t *env = test->rx->qs->ring->env;
    return env->lock(env->ctx);
}

static void unlock(const sty_qstest_t *test, uint32_t state) {
    const sty_env_t *env = test->rx->qs->ring->env;
    env->unlock(env->ctx, state);
}

/* Each executes its command. False: the command is wrong. */

static bool setup(sty_qstest_t *test, sty_payload_t payload) {
    if (payload.length != 0u) {
        return false;
    }
    const uint32_t state = lock(test);
    test->time = 0;
    test->probes = 0;
    unlock(test, state);
    sty_qsrx_status_(test->rx->qs, RX_TEST_SETUP);
    if (test->cb->setup != NULL) {
        test->cb->setup(test->ctx);
    }
    return true;
}

static bool teardown(sty_qstest_t *test, sty_payload_t payload) {
    if (payload.length != 0u) {
        return false;
    }
    const uint32_t state = lock(test);
    test->probes = 0;
    unlock(test, state);
    sty_qsrx_status_(test->rx->qs, RX_TEST_TEARDOWN);
    if (test->cb->teardown != NULL) {
        test->cb->teardown(test->ctx);
    }
    return true;
}

static bool add_probe(sty_qstest_t *test, sty_payload_t payload) {
    if (payload.length != 4u + STY_QS_FUN_SIZE) {
        return false;
    }
    const uint32_t data = (uint32_t)sty_qsrx_take_(&payload, 4);
    const uintptr_t function = (uintptr_t)sty_qsrx_take_(&payload, STY_QS_FUN_SIZE);
    const uint32_t state = lock(test);
    const bool fits = test->probes < STY_QSTEST_PROBES;
    if (fits) {
        test->probe[test->probes].function = function;
        test->probe[test->probes].data = data;
        test->probes++;
    }
    unlock(test, state);
    if (fits) {
        sty_qsrx_status_(test->rx->qs, RX_TEST_PROBE);
    }
    return fits;
}

/* Ends the last pause that began. Not being paused is no mistake. */
static bool go_on(sty_qstest_t *test, sty_payload_t payload) {
    if (payload.length != 0u) {
        return false;
    }
    const uint8_t pauses = STY_LOAD(&test->pauses);
    if (pauses != 0u) {
        STY_STORE(&test->pauses, (uint8_t)(pauses - 1u));
    }
    sty_qsrx_status_(test->rx->qs, RX_TEST_CONTINUE);
    return true;
}

typedef bool execute_t(sty_qstest_t *test, sty_payload_t payload);

/* NULL: a command of qs_rx.h. */
static execute_t *command_of(uint8_t id) {
    switch (id) {
    case RX_TEST_SETUP:
        return setup;
    case RX_TEST_TEARDOWN:
        return teardown;
    case RX_TEST_PROBE:
        return add_probe;
    case RX_TEST_CONTINUE:
        return go_on;
    default:
        return NULL;
    }
}

/* Looks at the frame that a flag is about to end. */
void sty_qstest_feed(sty_qstest_t *test, uint8_t byte) {
    sty_qsrx_t *rx = test->rx;
    const uint8_t *frame = rx->buf;
    const size_t length = rx->frame.length;
    execute_t *command = NULL;
    if (byte == STY_HDLC_FLAG && length >= (size_t)SHORTEST && !rx->frame.escaped && !rx->frame.too_long &&
        sty_qsrx_sum_is_good_(frame, length)) {
        command = command_of(frame[1]);
    }
    if (command == NULL) {
        sty_qsrx_feed(rx, byte);
        return;
    }
    const uint8_t id = frame[1];
    const sty_payload_t payload = {&frame[2], length - (size_t)SHORTEST};
    sty_hdlc_rx_init(&rx->frame, rx->buf, sizeof rx->buf);
    sty_qsrx_check_number_(rx, frame[0]);
    if (!command(test, payload)) {
        sty_qsrx_status_(rx->qs, (uint8_t)((unsigned)FAILED | id));
    }
}

uint32_t sty_qstest_probe(sty_qstest_t *test, uintptr_t function) {
    const uintptr_t key = key_of(function);
    uint32_t data = 0;
    uint8_t at = 0;
    const uint32_t state = lock(test);
    while (at < test->probes && test->probe[at].function != key) {
        at++;
    }
    const bool found = at < test->probes;
    if (found) {
        data = test->probe[at].data;
        test->probes--;
        for (; at < test->probes; at++) {
            test->probe[at] = test->probe[at + 1u];
        }
    }
    unlock(test, state);
    if (found) {
        uint8_t frame[STY_QS_HEAD + STY_QS_FUN_SIZE + 4];
        const uint8_t *to = sty_pack(sty_pack_fun(&frame[STY_QS_HEAD], function), data, 4);
        sty_qs_send_(test->rx->qs, REC_TEST_PROBE_GET, frame, to);
    }
    return data;
}

uint8_t sty_qstest_begin_pause_(sty_qstest_t *test) {
    uint8_t frame[2];
    const uint8_t pause = (uint8_t)(STY_LOAD(&test->pauses) + 1u);
    STY_STORE(&test->pauses, pause);
    sty_qs_send_(test->rx->qs, REC_TEST_PAUSED | STY_QS_UNTIMED, frame, frame + sizeof frame);
    return pause;
}

bool sty_qstest_is_paused_(const sty_qstest_t *test, uint8_t pause) {
    return STY_LOAD(&test->pauses) >= pause;
}

void sty_qstest_end_pause_(sty_qstest_t *test, uint8_t pause) {
    if (sty_qstest_is_paused_(test, pause)) {
        STY_STORE(&test->pauses, (uint8_t)(pause - 1u));
    }
}

void sty_qstest_pause(sty_qstest_t *test) {
    if (test->cb->wait == NULL) {
        STY_ASSERT(false);
        return;
    }
    const uint8_t pause = sty_qstest_begin_pause_(test);
    while (sty_qstest_is_paused_(test, pause) && test->cb->wait(test->ctx)) {
    }
    sty_qstest_end_pause_(test, pause);
}
