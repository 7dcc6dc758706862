/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The demo as a test target of QS 8.1.5: its objects, moved by nothing but the commands of test scripts (QUTest). It pauses
 * at the start, when all names were sent. The port calls
 *     demo_test_start(&test, …);          at the start and after each reset; waits for the host
 *     demo_feed(&test.demo, …);           bytes from the host
 *     demo_read(&test.demo, …);           what the link carries
 * A failed assertion resets it, as it does on a board. */
#ifndef DEMO_TEST_H
#define DEMO_TEST_H

#include "demo_trace.h"
#include "spytui/qs_test.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The link, while the program pauses and before it is reset. */
typedef struct {
    /* Sends what waits, waits for commands and executes them. False: there is no host, or the program was reset. */
    bool (*serve)(void *ctx);
    /* Sends what waits. */
    void (*flush)(void *ctx);
    void *ctx;
} demo_test_port_t;

typedef struct {
    demo_t demo; /* first, so that a demo is its test target */
    bool is_reset; /* start it again; what it still sends is lost */
    /* Private. */
    const demo_test_port_t *port;
    demo_proto_t proto;
    sty_qsrx_cb_t callbacks;
    sty_qstest_t test;
} demo_test_t;

/* Starts it. `port` must stay. */
void demo_test_start(demo_test_t *test, const demo_objects_t *objects, const demo_test_port_t *port);

#ifdef __cplusplus
}
#endif

#endif
