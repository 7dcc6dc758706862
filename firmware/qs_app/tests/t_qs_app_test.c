/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The macros of a test target: probes, setup and teardown, a pause inside a command during which others are executed. */
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE 700

#include "qs_port.h"

#include "tap.h"

#include <string.h>

pthread_mutex_t port_mutex;
int port_faults;

enum { READ, PAUSE, OTHER };

static uint8_t trace[4096];
static uint8_t commands[512];
static unsigned setups, teardowns, others, loops;
static int value;
static char text[512]; /* ids of the records sent, with the status or command if there is one */

uint8_t QS_onStartup(void const *arg) {
    (void)arg;
    QS_initBuf(trace, sizeof trace);
    QS_rxInitBuf(commands, sizeof commands);
    return 1;
}
void QS_onCleanup(void) {
}
void QS_onFlush(void) {
}
void QS_onReset(void) {
}
void QS_doOutput(void) {
}
void QS_doInput(void) {
    QS_rxParse();
}
void QS_onTestSetup(void) {
    setups++;
}
void QS_onTestTeardown(void) {
    teardowns++;
}

static int read_sensor(void) {
    QS_TEST_PROBE_DEF(&read_sensor)
    QS_TEST_PROBE_ID(1, return -1;)
    QS_TEST_PROBE(return (int)qs_tp_;)
    return 20;
}

void QS_onCommand(uint8_t cmdId, uint32_t param1, uint32_t param2, uint32_t param3) {
    others += cmdId == OTHER && param1 + param2 + param3 == 0u ? 1u : 0u;
    if (cmdId == READ) {
        value = read_sensor();
    } else if (cmdId == PAUSE) {
        QS_TEST_PAUSE();
    }
}

static uint8_t number;

static void put(const uint8_t *command, size_t length) {
    number++;
    uint8_t sum = number;
    uint8_t frame[64] = {number};
    for (size_t i = 0; i < length; i++) {
        frame[1 + i] = command[i];
        sum = (uint8_t)(sum + command[i]);
    }
    frame[1 + length] = (uint8_t)~sum;
    for (size_t i = 0; i < length + 2; i++) {
        const bool escape = frame[i] == 0x7Du || frame[i] == 0x7Eu;
        if (escape) {
            QS_RX_PUT(0x7D);
        }
        QS_RX_PUT(escape ? frame[i] ^ 0x20u : frame[i]);
    }
    QS_RX_PUT(0x7E);
}
#define PUT(...) put((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))
#define PUT_COMMAND(id) PUT(1, id, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

static void put_probe(uint32_t data) {
    const uintptr_t function = (uintptr_t)&read_sensor;
    uint8_t command[5 + sizeof function] = {9};
    memcpy(&command[1], &data, sizeof data);
    memcpy(&command[5], &function, sizeof function);
    put(command, sizeof command);
}

/* The host waits for the second call. */
void QS_onTestLoop(void) {
    loops++;
    if (loops == 2) {
        PUT_COMMAND(OTHER);
        PUT(3, 0); /* a tick, which is refused: there is no kernel */
        PUT(14);
    }
    QS_RX_INPUT();
}

static bool sent(const char *expected) {
    static sty_hdlc_rx_t rx;
    static uint8_t frame[256];
    size_t used = 0;
    text[0] = '\0';
    sty_hdlc_rx_init(&rx, frame, sizeof frame);
    for (uint16_t byte = QS_getByte(); byte != QS_EOD; byte = QS_getByte()) {
        const int length = sty_hdlc_rx_feed(&rx, (uint8_t)byte);
        if (length > 2 && used + 8 < sizeof text) {
            used += (size_t)(frame[1] == QS_TARGET_DONE || frame[1] == QS_RX_STATUS
                    ? snprintf(&text[used], sizeof text - used, " %u:%02x", frame[1], frame[length - 2])
                    : snprintf(&text[used], sizeof text - used, " %u", frame[1]));
        }
    }
    if (strcmp(text, expected) != 0) {
        printf("# got%s, expected%s\n", text, expected);
        return false;
    }
    return true;
}

int main(void) {
    pthread_mutexattr_t checked;
    pthread_mutexattr_init(&checked);
    pthread_mutexattr_settype(&checked, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&port_mutex, &checked);
    OK(read_sensor() == 20, "before the start, a function does what it does");
    QS_INIT(NULL);
    OK(sent(" 0 64 63 61"), "the start of a target");
    PUT(7);
    QS_RX_INPUT();
    OK(setups == 1 && sent(" 66:07"), "a setup");
    put_probe(30);
    put_probe(1);
    QS_RX_INPUT();
    OK(sent(" 66:09 66:09"), "two probes");
    PUT_COMMAND(READ);
    QS_RX_INPUT();
    OK(value == 30 && sent(" 66:01 59 65:01"), "a probe replaces the value");
    PUT_COMMAND(READ);
    QS_RX_INPUT();
    OK(value == -1 && sent(" 66:01 59 65:01"), "a probe by its data");
    PUT_COMMAND(READ);
    QS_RX_INPUT();
    OK(value == 20 && sent(" 66:01 65:01"), "without a probe nothing changes");
    PUT_COMMAND(PAUSE);
    QS_RX_INPUT();
    OK(loops == 2 && others == 1 && sent(" 66:01 58 66:01 65:01 66:83 66:0e 65:01"),
        "while a command pauses, others are executed; each once");
    PUT(8);
    QS_RX_INPUT();
    OK(teardowns == 1 && setups == 1 && sent(" 66:08"), "a teardown");
    OK(port_faults == 0, "nothing locks twice");
    return DONE();
}
