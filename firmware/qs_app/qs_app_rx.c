/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Host commands. A frame is parsed in a critical section, because its answers are written there; work for the
 * program or the framework is stored and done outside. */
#include "qs_app_parts.h"

const QSpyId sty_qs_app_host_ = {0};

static struct {
    uint8_t *bytes;
    uint16_t size;
    uint16_t head; /* only QS_rxPut() moves it */
    uint16_t tail;
} input;

static sty_qsrx_t rx;

/* At most one pending action, because it is executed before the next byte is parsed. */
typedef struct {
    enum { NOTHING, RESET, NAMES, SETUP, TEARDOWN, TICK, COMMAND, EVENT } what;
    uint8_t number; /* tick rate or command */
    uint32_t p[3];
    sty_qsrx_event_t event;
} noted_t;
static noted_t noted;

static void note_reset(void *ctx) {
    (void)ctx;
    noted.what = RESET;
}

static void (*names)(void);

static void note_names(void *ctx) {
    (void)ctx;
    noted.what = NAMES;
}

static void send_names(void) {
    if (names != NULL) {
        names();
    }
}

#ifdef Q_UTEST
static void note_setup(void *ctx) {
    (void)ctx;
    noted.what = SETUP;
}

static void note_teardown(void *ctx) {
    (void)ctx;
    noted.what = TEARDOWN;
}

static void set_up(void) {
    QS_onTestSetup();
}

static void tear_down(void) {
    QS_onTestTeardown();
}

static void start_test_part(void) {
    static const sty_qstest_cb_t test_callbacks = {.setup = note_setup, .teardown = note_teardown};
    sty_qstest_init(&sty_qs_app_test_, &rx, &test_callbacks, NULL);
}

static void feed(uint8_t byte) {
    sty_qstest_feed(&sty_qs_app_test_, byte);
}
#else
static void set_up(void) {
}

static void tear_down(void) {
}

static void start_test_part(void) {
}

static void feed(uint8_t byte) {
    sty_qsrx_feed(&rx, byte);
}
#endif

static void note_command(void *ctx, uint8_t id, uint32_t p1, uint32_t p2, uint32_t p3) {
    (void)ctx;
    noted.what = COMMAND;
    noted.number = id;
    noted.p[0] = p1;
    noted.p[1] = p2;
    noted.p[2] = p3;
    sty_qsrx_defer(&rx);
}

#ifdef STY_QS_APP_KERNEL
extern const sty_qs_app_kernel_t STY_QS_APP_KERNEL;

static void note_tick(void *ctx, uint8_t rate) {
    (void)ctx;
    noted.what = TICK;
    noted.number = rate;
    sty_qsrx_defer(&rx);
}

static bool note_event(void *ctx, const sty_qsrx_event_t *event) {
    (void)ctx;
    noted.what = EVENT;
    noted.event = *event;
    sty_qsrx_defer(&rx);
    return true;
}

static uint8_t id_of(void *ctx, const void *object) {
    (void)ctx;
    return STY_QS_APP_KERNEL.id_of(object);
}

static bool do_tick(uint8_t rate) {
    return STY_QS_APP_KERNEL.tick(rate);
}

static bool do_event(const sty_qsrx_event_t *event) {
    return STY_QS_APP_KERNEL.event(event);
}

static sty_qsrx_cb_t callbacks = {
    .reset = note_reset, .names = note_names, .tick = note_tick, .command = note_command, .event = note_event, .id_of = id_of};
#else
static bool do_tick(uint8_t rate) {
    (void)rate;
    return false;
}

static bool do_event(const sty_qsrx_event_t *event) {
    (void)event;
    return false;
}

static sty_qsrx_cb_t callbacks = {.reset = note_reset, .names = note_names, .command = note_command};
#endif

void sty_qs_app_allow(bool (*may_access)(void *ctx, uintptr_t address, size_t length, bool write)) {
    callbacks.may_access = may_access;
}

void sty_qs_app_answer(bool (*query)(void *ctx, uint8_t kind, const void *object, sty_qsrx_query_t *answer)) {
    callbacks.query = query;
}

void sty_qs_app_names(void (*send_all_names)(void)) {
    names = send_all_names;
}

void sty_qs_app_greet(void) {
    STY_QS_APP_LOCKED_(sty_qs_app_.target->info(&sty_qs_app_, false));
    send_names();
}

void QS_rxInitBuf(uint8_t *const sto, uint16_t const stoSize) {
    input.size = 0;
    input.head = 0;
    input.tail = 0;
    input.bytes = sto;
    sty_qsrx_init(&rx, &sty_qs_app_, &callbacks, NULL);
    start_test_part();
    if (sty_qs_app_runs_()) {
        input.size = stoSize;
        sty_qs_obj_dict(&sty_qs_app_, &sty_qs_app_host_, "QS_RX");
    }
}

static uint16_t behind(uint16_t index) {
    return index + 1u == input.size ? 0u : (uint16_t)(index + 1u);
}

bool QS_rxPut(uint8_t const b) {
    const uint16_t head = input.head;
    if (input.size < 2u || behind(head) == STY_LOAD_ACQUIRE(&input.tail)) {
        return false;
    }
    input.bytes[head] = b;
    STY_STORE_RELEASE(&input.head, behind(head));
    return true;
}

static bool take(uint8_t *byte) {
    const uint16_t tail = input.tail;
    if (tail == STY_LOAD_ACQUIRE(&input.head)) {
        return false;
    }
    *byte = input.bytes[tail];
    STY_STORE_RELEASE(&input.tail, behind(tail));
    return true;
}

/* Executes the pending action. A reset is not answered: the host sees the target start again. Nor are names; setup and
 * teardown were. */
static void do_noted(void) {
    const noted_t action = noted;
    const uint8_t command = rx.command;
    bool done = true;
    noted.what = NOTHING;
    switch (action.what) {
    case NOTHING:
        return;
    case RESET:
        QS_onReset();
        return;
    case NAMES:
        send_names();
        return;
    case SETUP:
        set_up();
        return;
    case TEARDOWN:
        tear_down();
        return;
    case COMMAND:
        QS_onCommand(action.number, action.p[0], action.p[1], action.p[2]);
        break;
    case TICK:
        done = do_tick(action.number);
        break;
    case EVENT:
    default:
        done = do_event(&action.event);
        break;
    }
    rx.command = command; /* others were executed if the program paused */
    STY_QS_APP_LOCKED_(sty_qsrx_finish(&rx, done));
}

void QS_rxParse(void) {
    uint8_t byte;
    while (take(&byte)) {
        STY_QS_APP_LOCKED_(feed(byte));
        do_noted();
    }
    STY_QS_APP_LOCKED_(sty_qs_poll(&sty_qs_app_));
}
