/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "test_target.h"

#include "demo_test.h"
#include "objects.h"

enum { PATIENCE_MS = 50 };

/* Also of what is served while the program pauses inside a command, so all bytes are here. */
static struct {
    link_t *link;
    bool once;
    const volatile sig_atomic_t *stopped;
    uint8_t received[256];
    size_t begin, end;
    demo_test_t test;
} target;

static bool goes_on(void) {
    return *target.stopped == 0 && link_is_up(target.link) && !target.test.is_reset;
}

/* Sends all that waits, as long as somebody takes it. What the program still writes after a reset is lost. */
static void send_all(void *ctx) {
    (void)ctx;
    uint8_t bytes[1024];
    size_t count;
    while (!target.test.is_reset && (count = demo_read(&target.test.demo, bytes, sizeof bytes)) != 0) {
        size_t sent = 0;
        while (sent < count && *target.stopped == 0 && link_is_up(target.link)) {
            bool failed = false;
            const size_t done = link_write(target.link, &bytes[sent], count - sent, &failed);
            sent += done;
            if (done == 0) {
                link_wait(target.link, 1);
            }
        }
    }
}

static bool serve(void *ctx) {
    (void)ctx;
    send_all(NULL);
    if (goes_on() && target.begin == target.end) {
        link_wait(target.link, PATIENCE_MS);
        target.begin = 0;
        target.end = link_read(target.link, target.received, sizeof target.received);
        link_turn_away(target.link); /* not before it is known that the first one is still there */
    }
    while (goes_on() && target.begin < target.end) {
        const uint8_t byte = target.received[target.begin];
        target.begin++;
        demo_feed(&target.test.demo, &byte, 1);
        if (byte == STY_HDLC_FLAG) {
            send_all(NULL);
        }
    }
    return goes_on();
}

/* Serves a host, which may reset the program, until it is gone. */
static void serve_host(void) {
    static const demo_test_port_t port = {serve, send_all, NULL};
    target.begin = target.end = 0;
    do {
        demo_test_start(&target.test, objects(), &port);
        while (serve(NULL)) {
        }
    } while (target.test.is_reset && !target.once && *target.stopped == 0 && link_is_up(target.link));
}

void test_target_run(link_t *link, bool once, const volatile sig_atomic_t *stopped) {
    target.link = link;
    target.once = once;
    target.stopped = stopped;
    do {
        if (link_accept(link)) {
            serve_host();
        } else if (!once) {
            link_wait(link, PATIENCE_MS);
        }
    } while (!once && *stopped == 0);
    link_close(link);
}
