/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Fault injector between ring and link, for tests and demonstrations. With the same seed and bytes it does the same, and it
 * writes down what it did. */
#ifndef SPYTUI_FAULT_H
#define SPYTUI_FAULT_H

#include "spytui/port.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers of the switches in commands of a host. */
enum {
    STY_FAULT_FLIP = 1, STY_FAULT_LOSS, STY_FAULT_NOISE, STY_FAULT_DUP, STY_FAULT_BURST, STY_FAULT_LINK_RATE,
    STY_FAULT_RESET, STY_FAULT_GARBAGE, STY_FAULT_SEED
};

/* The switches, all 0 at first. */
typedef struct {
    uint32_t flip;        /* bytes in a million with a bit inverted, */
    uint32_t loss;        /* left out, */
    uint32_t noise;       /* with a random byte before them, */
    uint32_t dup;         /* sent twice */
    uint32_t burst;       /* records, once */
    uint32_t link_rate;   /* bytes a second; 0: no limit */
    uint32_t reset_every; /* seconds; 0: never */
    uint32_t garbage;     /* random bytes, once */
    uint32_t seed;
} sty_fault_config_t;

/* A switch as text: its name, the greatest number it takes, and where it is in the configuration. */
typedef struct {
    const char *name;
    uint32_t most;
    size_t offset;
} sty_fault_switch_t;
/* flip loss noise dup burst link-rate reset-every garbage seed */
enum { STY_FAULT_SWITCHES = 9 };
extern const sty_fault_switch_t sty_fault_switches[STY_FAULT_SWITCHES];

/* Takes "flip=200,burst=40" into `config`. False: a name is unknown, or a number wrong or too great; `*error` points at
 * the name. */
bool sty_fault_parse(sty_fault_config_t *config, const char *text, const char **error);

/* How the bytes are framed; what ends a piece, and which sum its receiver checks. */
typedef enum { STY_FAULT_NO_FRAMES, STY_FAULT_QS, STY_FAULT_RKH, STY_FAULT_TBAND } sty_fault_framing_t;

/* What was done since the start. A piece is what lies between two flags, if anything. */
typedef struct {
    uint64_t bytes_in;
    uint64_t bytes_out;
    uint32_t flips;
    uint32_t losses;
    uint32_t noises;
    uint32_t dups;
    uint32_t garbage;
    uint32_t resets;
    uint32_t frames;  /* whole frames that came in */
    uint32_t pieces;  /* that left */
    uint32_t damaged; /* those of them that are no frame as it came in, */
    uint32_t beyond;  /* and those of these whose 8-bit sum is right all the same */
} sty_fault_log_t;

/* Private: one side of a piece. */
typedef struct {
    uint64_t hash;
    uint32_t length;
} sty_fault_piece_t;

/* Private but `config` and `log`; use the functions below. */
typedef struct {
    sty_fault_config_t config;
    sty_fault_log_t log;
    sty_fault_framing_t framing;
    uint32_t random;
    uint32_t garbage_left;
    uint32_t burst_left;
    bool reset_due;
    bool torn; /* the frame that came in was cut by a reset */
    sty_fault_piece_t in;
    sty_fault_piece_t out;
    uint32_t unstuffed;
    uint8_t sum;
    bool escaped;
    uint64_t link_time;
    uint64_t link_credit;
    /* Called for each fault and each damaged piece: what, and after how many bytes that left. May be NULL. */
    void (*note)(void *ctx, const char *what, uint64_t at);
    void *ctx;
} sty_fault_t;

/* The most bytes that one byte becomes. */
#define STY_FAULT_MOST 3u

/* Nothing has happened yet; `config` is copied. */
void sty_fault_init(sty_fault_t *fault, const sty_fault_config_t *config, sty_fault_framing_t framing);
/* Takes a byte; returns how many there are in `out` to be sent. */
unsigned sty_fault_byte(sty_fault_t *fault, uint8_t byte, uint8_t out[STY_FAULT_MOST]);
/* A byte of garbage, if one is still to be sent. */
bool sty_fault_garbage(sty_fault_t *fault, uint8_t *byte);
/* A switch is set at run time. False: there is no such switch. */
bool sty_fault_set(sty_fault_t *fault, uint32_t id, uint32_t value);
/* Records of a burst that are still to be sent; they count as sent. */
uint32_t sty_fault_take_burst(sty_fault_t *fault);
/* A reset was commanded. */
bool sty_fault_take_reset(sty_fault_t *fault);
/* The target was reset: a frame that was being sent is cut. */
void sty_fault_was_reset(sty_fault_t *fault);
/* How many of the `wanted` bytes the link takes at time `now`, of which there are `second` in a second; they count as sent.
 * For tenths of a second and less the link takes more than its rate. */
uint32_t sty_fault_link(sty_fault_t *fault, uint64_t now, uint32_t second, uint32_t wanted);

#ifdef __cplusplus
}
#endif

#endif
