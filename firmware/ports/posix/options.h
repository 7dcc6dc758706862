/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Command line of spytui-target. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "demo.h"

typedef struct {
    const demo_proto_t *proto;
    const char *link;
    uint32_t seed;
    uint32_t seconds; /* 0: until a signal arrives */
    sty_fault_config_t faults;
    const char *log;
    bool virtual_clock;
    bool no_names;
    bool test; /* driven by test scripts */
    bool once; /* as QUTest starts it: `link` is HOST:PORT, and a reset ends the program */
} options_t;

/* Exit status of main(). */
enum { EXIT_DONE = 0, EXIT_TROUBLE = 1, EXIT_USAGE = 2 };

/* False: the program must exit with `*status`; any message has been printed. */
bool options_read(options_t *options, int argc, char **argv, int *status);

#endif
