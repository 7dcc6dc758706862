/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* spytui-target: the demo as a program. */
#define _XOPEN_SOURCE 700

#include "demo_trace.h"
#include "link.h"
#include "objects.h"
#include "options.h"
#include "test_target.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* 1: stop; 2: stop without sending the rest. */
static volatile sig_atomic_t stopped;

static void on_signal(int number) {
    (void)number;
    stopped = stopped == 0 ? 1 : 2;
}

static uint64_t microseconds(void *ctx) {
    struct timespec time;
    (void)ctx;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000u + (uint64_t)time.tv_nsec / 1000u;
}

typedef struct {
    const options_t *options;
    link_t link;
    demo_t demo;
    uint32_t steps; /* since the client connected */
    uint64_t sent;
    bool failed;
    FILE *log; /* of faults, or NULL */
    /* Taken from the ring, but not sent yet. */
    uint8_t bytes[4096];
    size_t begin, end;
} target_t;

static void note(void *ctx, const char *what, uint64_t at) {
    fprintf(ctx, "%llu %s\n", (unsigned long long)at, what);
}

static void start(target_t *target) {
    const options_t *options = target->options;
    const demo_config_t config = {
        .proto = options->proto,
        .seed = options->seed,
        .faults = options->faults,
        .note = target->log != NULL ? note : NULL,
        .ctx = target->log,
        .clock = options->virtual_clock ? NULL : microseconds,
        .objects = objects(),
        .no_names = options->no_names};
    demo_init(&target->demo, &config);
    target->steps = 0;
    target->begin = target->end = 0;
}

/* Moves bytes from the ring to the link until the ring is empty or the link is full. */
static void send(target_t *target) {
    while (!target->failed && target->link.fd >= 0) {
        if (target->begin == target->end) {
            target->begin = 0;
            target->end = demo_read(&target->demo, target->bytes, sizeof target->bytes);
        }
        const size_t count = target->end - target->begin;
        const size_t done =
            count == 0 ? 0 : link_write(&target->link, &target->bytes[target->begin], count, &target->failed);
        if (done == 0) {
            return;
        }
        target->begin += done;
        target->sent += done;
    }
}

static void receive(target_t *target) {
    uint8_t bytes[256];
    size_t count;
    while ((count = link_read(&target->link, bytes, sizeof bytes)) != 0) {
        demo_feed(&target->demo, bytes, (uint32_t)count);
    }
}

/* Serves the link until the next step is due. */
static void pace(target_t *target, uint64_t *next) {
    *next += DEMO_STEP_MS * 1000u;
    for (;;) {
        const uint64_t now = microseconds(NULL);
        if (now >= *next || stopped) {
            /* After a pause of the whole program, don't catch up. */
            *next = now > *next + 1000000u ? now : *next;
            return;
        }
        link_wait(&target->link, (int)((*next - now) / 1000u) + 1);
        receive(target);
        send(target);
    }
}

/* Runs the demo for a client, until the client disconnects or the program must stop. */
static void run(target_t *target) {
    const options_t *options = target->options;
    const bool in_real_time = !(options->virtual_clock && target->link.kind == LINK_FILE);
    const uint64_t last_step = (uint64_t)options->seconds * (1000 / DEMO_STEP_MS);
    uint64_t next = microseconds(NULL);
    start(target);
    send(target);
    while (!stopped && !target->failed && link_is_up(&target->link)) {
        if (options->seconds != 0 && target->steps >= last_step) {
            stopped = 1;
            break;
        }
        target->steps++;
        demo_step(&target->demo);
        receive(target);
        link_turn_away(&target->link); /* done last, or the next client would see a closed one */
        send(target);
        if (in_real_time) {
            pace(target, &next);
        }
    }
}

static uint32_t all_drops(const target_t *target) {
    return target->demo.drops_before + demo_drops(&target->demo);
}

/* Writes the end of the log: the totals of the last client. */
static void sum_up(const target_t *target) {
    const sty_fault_log_t *log = &target->demo.fault.log;
    fprintf(target->log, "bytes: %llu in, %llu out\n", (unsigned long long)log->bytes_in, (unsigned long long)log->bytes_out);
    fprintf(target->log, "faults: %lu flips, %lu losses, %lu noise, %lu dups, %lu garbage, %lu resets\n",
        (unsigned long)log->flips, (unsigned long)log->losses, (unsigned long)log->noises, (unsigned long)log->dups,
        (unsigned long)log->garbage, (unsigned long)log->resets);
    fprintf(target->log, "frames: %lu in, %lu pieces out, %lu damaged, of these %lu beyond the sum\n",
        (unsigned long)log->frames, (unsigned long)log->pieces, (unsigned long)log->damaged, (unsigned long)log->beyond);
    fprintf(target->log, "dropped: %lu\n", (unsigned long)all_drops(target));
}

/* Sends the rest of the ring, unless the link does not take it. */
static void finish(target_t *target) {
    const uint64_t patience = microseconds(NULL) + 1000000u;
    const bool in_real_time = target->link.kind != LINK_FILE;
    demo_halt(&target->demo);
    do {
        demo_step(&target->demo);
        send(target);
        if (in_real_time) {
            link_wait(&target->link, DEMO_STEP_MS);
        }
    } while ((target->begin != target->end || sty_ring_used(&target->demo.ring) != 0u) && !target->failed &&
        stopped < 2 && link_is_up(&target->link) && (!in_real_time || microseconds(NULL) < patience));
    fprintf(stderr, "%llu bytes sent, %lu records dropped\n", (unsigned long long)target->sent,
        (unsigned long)all_drops(target));
    if (target->log != NULL) {
        sum_up(target);
    }
}

static bool open_log(target_t *target) {
    const char *path = target->options->log;
    target->log = path == NULL ? NULL : fopen(path, "w");
    if (path != NULL && target->log == NULL) {
        fprintf(stderr, "spytui-target: --log %s: %s; name a file that can be written\n", path, strerror(errno));
    }
    return path == NULL || target->log != NULL;
}

static void catch_signals(void) {
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
}

int main(int argc, char **argv) {
    static target_t target;
    options_t options;
    int status = EXIT_DONE;
    if (!options_read(&options, argc, argv, &status)) {
        return status;
    }
    target.options = &options;
    if (!open_log(&target) ||
        !(options.once ? link_connect(&target.link, options.link) : link_open(&target.link, options.link))) {
        return EXIT_TROUBLE;
    }
    catch_signals();
    if (options.test) {
        test_target_run(&target.link, options.once, &stopped);
        return EXIT_DONE;
    }
    bool ran = false;
    while (!stopped && !target.failed) {
        if (link_accept(&target.link)) {
            run(&target);
            ran = true;
        } else {
            link_wait(&target.link, 50);
        }
    }
    if (ran) {
        finish(&target);
    }
    link_close(&target.link);
    if (target.log != NULL) {
        fclose(target.log);
    }
    return target.failed ? EXIT_TROUBLE : EXIT_DONE;
}
