/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Fault injector between ring and link, for tests and demonstrations. It is deterministic for a given seed and
 * input, and logs what it does. */
#ifndef SPYTUI_FAULT_H
#define SPYTUI_FAULT_H

#include "spytui/port.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers of the switches in host commands. */
enum {
    STY_FAULT_FLIP = 1, STY_FAULT_LOSS, STY_FAULT_NOISE, STY_FAULT_DUP, STY_FAULT_BURST, STY_FAULT_LINK_RATE,
    STY_FAULT_RESET, STY_FAULT_GARBAGE, STY_FAULT_SEED
};

/* The switches, all 0 by default. */
typedef struct {
    uint32_t flip;        /* bytes per million with an inverted bit, */
    uint32_t loss;        /* that are dropped, */
    uint32_t noise;       /* preceded by a random byte, */
    uint32_t dup;         /* sent twice */
    uint32_t burst;       /* number of records, once */
    uint32_t link_rate;   /* bytes per second; 0: unlimited */
    uint32_t reset_every; /* seconds; 0: never */
    uint32_t garbage;     /* number of random bytes, once */
    uint32_t seed;
} sty_fault_config_t;

/* A switch as text: its name, its maximum, and its position in the configuration. */
typedef struct {
    const char *name;
    uint32_t most;
    size_t offset;
} sty_fault_switch_t;
/* flip loss noise dup burst link-rate reset-every garbage seed */
enum { STY_FAULT_SWITCHES = 9 };
extern const sty_fault_switch_t sty_fault_switches[STY_FAULT_SWITCHES];

/* Parses "flip=200,burst=40" into `config`. False: a name is unknown, or a number malformed or too large; `*error`
 * points at the name. */
bool sty_fault_parse(sty_fault_config_t *config, const char *text, const char **error);

/* Framing of the bytes: what ends a piece, and which sum the receiver checks. */
typedef enum { STY_FAULT_NO_FRAMES, STY_FAULT_QS, STY_FAULT_RKH, STY_FAULT_TBAND } sty_fault_framing_t;

/* Totals since the start. A piece is a non-empty run of bytes between two flags. */
typedef struct {
    uint64_t bytes_in;
    uint64_t bytes_out;
    uint32_t flips;
    uint32_t losses;
    uint32_t noises;
    uint32_t dups;
    uint32_t garbage;
    uint32_t resets;
    uint32_t frames;  /* complete incoming frames */
    uint32_t pieces;  /* outgoing pieces */
    uint32_t damaged; /* pieces that differ from any incoming frame, */
    uint32_t beyond;  /* and those whose 8-bit sum is valid anyway */
} sty_fault_log_t;

/* Private: one side of a piece. */
typedef struct {
    uint64_t hash;
    uint32_t length;
} sty_fault_piece_t;

/* Private except for `config` and `log`; use the functions below. */
typedef struct {
    sty_fault_config_t config;
    sty_fault_log_t log;
    sty_fault_framing_t framing;
    uint32_t random;
    uint32_t garbage_left;
    uint32_t burst_left;
    bool reset_due;
    bool torn; /* the incoming frame was cut off by a reset */
    sty_fault_piece_t in;
    sty_fault_piece_t out;
    uint32_t unstuffed;
    uint8_t sum;
    bool escaped;
    uint64_t link_time;
    uint64_t link_credit;
    /* Called for each fault and each damaged piece: what happened, after how many outgoing bytes. May be NULL. */
    void (*note)(void *ctx, const char *what, uint64_t at);
    void *ctx;
} sty_fault_t;

/* Maximum number of bytes that one byte becomes. */
#define STY_FAULT_MOST 3u

/* Initializes without any faults so far; copies `config`. */
void sty_fault_init(sty_fault_t *fault, const sty_fault_config_t *config, sty_fault_framing_t framing);
/* Takes a byte; returns the number of bytes in `out` to send. */
unsigned sty_fault_byte(sty_fault_t *fault, uint8_t byte, uint8_t out[STY_FAULT_MOST]);
/* Returns a byte of garbage, if any is left to send. */
bool sty_fault_garbage(sty_fault_t *fault, uint8_t *byte);
/* Sets a switch at run time. False: no such switch. */
bool sty_fault_set(sty_fault_t *fault, uint32_t id, uint32_t value);
/* Takes the number of burst records left to send, and counts them as sent. */
uint32_t sty_fault_take_burst(sty_fault_t *fault);
/* Takes a commanded reset. */
bool sty_fault_take_reset(sty_fault_t *fault);
/* Notes a reset of the target, which cuts off the frame being sent. */
void sty_fault_was_reset(sty_fault_t *fault);
/* Returns how many of the `wanted` bytes the link accepts at time `now`, in units of 1/`second` seconds, and counts
 * them as sent. For up to a tenth of a second, the link may exceed its rate. */
uint32_t sty_fault_link(sty_fault_t *fault, uint64_t now, uint32_t second, uint32_t wanted);

#ifdef __cplusplus
}
#endif

#endif
