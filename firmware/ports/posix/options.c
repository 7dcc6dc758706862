/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "options.h"

#include "demo_trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const demo_proto_t *const protocols[] = {&demo_qs, &demo_rkh, &demo_tband, &demo_qnx, &demo_nto1};

static const char help[] =
    "spytui-target: a boiler that sends a trace, for trying spytui and for tests\n"
    "\n"
    "Usage: spytui-target [--proto NAME] [--link LINK] [OPTIONS]\n"
    "       spytui-target --test [--link LINK]\n"
    "       spytui-target HOST:PORT\n"
    "\n"
    "  --proto NAME         qs, rkh, tband, qnx, nto1: the trace format [qs]\n"
    "  --link LINK          pty                  a pseudo terminal, whose path is printed [pty]\n"
    "                       tcp:HOST:PORT        a server; port 0 takes a free one, which is printed\n"
    "                       connect:HOST:PORT    a client of spytui --listen, also of one that comes later\n"
    "                       udp:HOST:PORT        datagrams to that address\n"
    "                       file:PATH  stdout\n"
    "  --seed N             of the story and of the faults [1]\n"
    "  --seconds N          ends after that time; else at a signal\n"
    "  --virtual-clock      time stamps go with the steps of the program: the same seed gives the same bytes; to a file\n"
    "                       and to stdout as fast as it can\n"
    "  --no-names           sends no names of objects and functions; spytui-target-real has their real addresses\n"
    "\n"
    "  --faults LIST        as flip=200,link-rate=2000; they come as commands from the host too:\n"
    "                       flip loss noise dup   bytes in a million that are damaged so\n"
    "                       burst                 that many records at once, after a second\n"
    "                       link-rate             bytes per second that the link carries; what is more is dropped\n"
    "                       reset-every           seconds between resets\n"
    "                       garbage               random bytes at the start\n"
    "                       seed                  of the faults, if not that of --seed\n"
    "  --log FILE           what the faults did, a line each\n"
    "\n"
    "  --test               a test target of QS: does nothing but the commands of test scripts, and waits for one to\n"
    "                       continue it; a reset or a failed assertion starts it again\n"
    "  HOST:PORT            as QUTest starts it: --test --link connect:HOST:PORT, until a reset\n"
    "\n"
    "pty, tcp and connect: the target starts when a host comes, and again for each new one.\n";

static bool read_number(const char *option, const char *text, uint32_t *number) {
    char *end;
    errno = 0;
    const unsigned long value = text == NULL ? 0 : strtoul(text, &end, 10);
    if (text == NULL || text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value > UINT32_MAX) {
        fprintf(stderr, "spytui-target: %s needs a number, as in: %s 10\n", option, option);
        return false;
    }
    *number = (uint32_t)value;
    return true;
}

static bool read_proto(const char *text, const demo_proto_t **proto) {
    for (size_t i = 0; text != NULL && i < sizeof protocols / sizeof protocols[0]; i++) {
        if (strcmp(text, protocols[i]->name) == 0) {
            *proto = protocols[i];
            return true;
        }
    }
    fprintf(stderr, "spytui-target: --proto needs one of:");
    for (size_t i = 0; i < sizeof protocols / sizeof protocols[0]; i++) {
        fprintf(stderr, " %s", protocols[i]->name);
    }
    fputc('\n', stderr);
    return false;
}

static bool read_faults(const char *text, sty_fault_config_t *faults) {
    const char *error = text;
    if (text != NULL && sty_fault_parse(faults, text, &error)) {
        return true;
    }
    fprintf(stderr, "spytui-target: --faults needs a list as flip=200,link-rate=2000%s%s; --help lists the names\n",
        error == NULL ? "" : ", not: ", error == NULL ? "" : error);
    return false;
}

/* An option with a value. */
static bool read_value(options_t *options, const char *option, const char *value) {
    const struct {
        const char *name;
        uint32_t *number;
    } numbers[] = {
        {"--seed", &options->seed}, {"--seconds", &options->seconds}};
    const struct {
        const char *name;
        const char **text;
        const char *example;
    } texts[] = {{"--link", &options->link, "tcp:127.0.0.1:6601"}, {"--log", &options->log, "faults.txt"}};
    if (strcmp(option, "--proto") == 0) {
        return read_proto(value, &options->proto);
    }
    if (strcmp(option, "--faults") == 0) {
        return read_faults(value, &options->faults);
    }
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (strcmp(option, texts[i].name) == 0) {
            *texts[i].text = value;
            if (value == NULL) {
                fprintf(stderr, "spytui-target: %s needs a value, as in: %s %s\n", option, option, texts[i].example);
            }
            return value != NULL;
        }
    }
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (strcmp(option, numbers[i].name) == 0) {
            return read_number(option, value, numbers[i].number);
        }
    }
    fprintf(stderr, "spytui-target: there is no option %s; --help lists them\n", option);
    return false;
}

/* Test scripts speak QS, need answers, and know what is sent. */
static bool can_test(const options_t *options) {
    const sty_fault_config_t none = {0};
    if (options->proto == &demo_qs && memcmp(&options->faults, &none, sizeof none) == 0 && options->seconds == 0 &&
        strncmp(options->link, "file:", 5) != 0 && strcmp(options->link, "stdout") != 0) {
        return true;
    }
    fprintf(stderr, "spytui-target: --test is for QS on a link with two ways, without --seconds and --faults\n");
    return false;
}

bool options_read(options_t *options, int argc, char **argv, int *status) {
    *options = (options_t){.proto = &demo_qs, .link = "pty", .seed = 1};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            fputs(help, stdout);
            *status = EXIT_DONE;
            return false;
        }
        if (strcmp(argv[i], "--virtual-clock") == 0) {
            options->virtual_clock = true;
        } else if (strcmp(argv[i], "--no-names") == 0) {
            options->no_names = true;
        } else if (strcmp(argv[i], "--test") == 0) {
            options->test = true;
        } else if (argv[i][0] != '-' && argc == 2) {
            options->link = argv[i];
            options->test = options->once = true;
        } else {
            if (!read_value(options, argv[i], i + 1 < argc ? argv[i + 1] : NULL)) {
                *status = EXIT_USAGE;
                return false;
            }
            i++;
        }
    }
    if (options->test && !can_test(options)) {
        *status = EXIT_USAGE;
        return false;
    }
    if (options->faults.seed == 0) {
        options->faults.seed = options->seed;
    }
    return true;
}
