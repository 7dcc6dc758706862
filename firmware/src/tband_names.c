/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Names: kept from the beginning, sent when a recording starts and while it runs. */
#include "tband_pack.h"

enum { CORE_ID = 0x00, TS_RESOLUTION = 0x02, EVENT_MARKER = 0x07 };

static const sty_env_t *env_of(const sty_tband_t *tband) {
    return tband->ring->env;
}

/* Appends a frame to the names of a core, or counts it if it does not fit. */
static void keep(sty_tband_t *tband, uint32_t core, const uint8_t *frame, const uint8_t *end) {
    const sty_env_t *env = env_of(tband);
    const uint32_t state = env->lock(env->ctx);
    uint32_t used = tband->names_used[core];
    if ((size_t)(end - frame) <= STY_TBAND_NAMES - used) {
        for (; frame != end; frame++) {
            tband->names[core][used] = *frame;
            used++;
        }
        tband->names_used[core] = (uint16_t)used;
    } else {
        STY_STORE(&tband->names_lost, tband->names_lost + 1u);
    }
    env->unlock(env->ctx, state);
}

static bool send(sty_tband_t *tband, uint32_t core, const uint8_t *frame, const uint8_t *end) {
    return sty_tband_open_(tband, core, STY_TBAND_A_NAME) && sty_tband_close_(tband, core, frame, end);
}

/* Keeps and sends a name that begins at frame[1] and ends at `end`. */
static void keep_and_send(sty_tband_t *tband, uint32_t core, uint8_t *frame, uint8_t *end) {
    STY_ASSERT(core < STY_TBAND_CORES);
    if (core >= STY_TBAND_CORES) {
        return;
    }
    const uint8_t *to = sty_tband_frame_(frame, end);
    keep(tband, core, frame, to);
    if (sty_tband_recording(tband)) {
        (void)send(tband, core, frame, to);
    }
}

void sty_tband_name_(sty_tband_t *tband, uint32_t core, uint8_t id, uint32_t a, const char *text) {
    uint8_t frame[STY_TBAND_FRAME];
    frame[1] = id;
    keep_and_send(tband, core, frame, sty_tband_cut_(sty_tband_pack_(&frame[2], a), text));
}

void sty_tband_fact_(sty_tband_t *tband, uint32_t core, uint8_t id, uint32_t a, uint32_t b) {
    uint8_t frame[STY_TBAND_FRAME];
    frame[1] = id;
    keep_and_send(tband, core, frame, sty_tband_pack_(sty_tband_pack_(&frame[2], a), b));
}

void sty_tband_name_local_(sty_tband_t *tband, uint32_t core, uint8_t id, uint32_t a, uint32_t task, const char *text) {
    uint8_t frame[STY_TBAND_FRAME];
    frame[1] = id;
    uint8_t *to = sty_tband_pack_(sty_tband_pack_(&frame[2], a), task);
    keep_and_send(tband, core, frame, sty_tband_cut_(to, text));
}

/* Common to both ways of recording. */
static void init(sty_tband_t *tband, uint64_t ns) {
    uint8_t frame[STY_TBAND_FRAME];
    STY_ASSERT(tband->ring != NULL);
    frame[1] = TS_RESOLUTION;
    sty_tband_filter_all(&tband->filter, true);
    for (uint32_t core = 0; core < STY_TBAND_CORES; core++) {
        tband->uncounted[core] = STY_TBAND_DROPS_EVERY;
    }
    keep_and_send(tband, 0, frame, sty_tband_pack_(&frame[2], ns));
    sty_tband_name_value(tband, 0, STY_TBAND_ACK, "STY_ACK");
}

void sty_tband_init(sty_tband_t *tband, sty_ring_t *ring, uint64_t ns) {
    *tband = (sty_tband_t){.ring = ring};
    init(tband, ns);
}

void sty_tband_init_snapshot(sty_tband_t *tband, sty_ring_t rings[STY_TBAND_CORES], uint64_t ns) {
    *tband = (sty_tband_t){.ring = rings, .snapshot = true};
    init(tband, ns);
}

/* Sends the core of the following frames, at time 0: this is how a recording begins. */
static bool send_core(sty_tband_t *tband, uint32_t core) {
    uint8_t frame[STY_TBAND_FRAME];
    frame[1] = CORE_ID;
    frame[2] = 0;
    const uint8_t *end = sty_tband_frame_(frame, sty_tband_pack_(&frame[3], core));
    tband->core = core;
    return send(tband, core, frame, end);
}

static bool send_names(sty_tband_t *tband, uint32_t core) {
    const uint8_t *frame = tband->names[core];
    const uint8_t *const last = frame + tband->names_used[core];
    bool sent = true;
    while (frame != last) {
        const uint8_t *end = frame;
        while (*end != 0u) {
            end++;
        }
        sent = send(tband, core, frame, end + 1) && sent;
        frame = end + 1;
    }
    return sent;
}

bool sty_tband_names(sty_tband_t *tband) {
    bool sent = true;
    for (uint32_t core = 0; core < STY_TBAND_CORES; core++) {
        sent = send_names(tband, core) && sent;
    }
    return sent && sty_tband_names_lost(tband) == 0u;
}

/* Sent as a text: a name would not be kept either. */
static void report_lost(sty_tband_t *tband, uint32_t core, uint32_t lost) {
    enum { DIGITS = 10 };
    char text[] = "0123456789 names lost";
    char *digit = &text[DIGITS];
    do {
        digit--;
        *digit = (char)('0' + lost % 10u);
        lost /= 10u;
    } while (lost != 0u);
    sty_tband_text_(tband, core, EVENT_MARKER, STY_TBAND_NAMES_LOST, digit);
}

bool sty_tband_start(sty_tband_t *tband, uint32_t core) {
    bool sent = core < STY_TBAND_CORES;
    for (uint32_t each = 0; each < STY_TBAND_CORES && sent && !tband->snapshot; each++) {
        sent = tband->names_used[each] == 0u || (send_core(tband, each) && send_names(tband, each));
    }
    const bool recording = sent && (tband->snapshot || send_core(tband, core));
    STY_STORE(&tband->recording, recording);
    const uint32_t lost = sty_tband_names_lost(tband);
    if (recording && lost != 0u) {
        report_lost(tband, core, lost);
    }
    return recording && lost == 0u;
}

void sty_tband_stop(sty_tband_t *tband) {
    STY_STORE(&tband->recording, false);
}

const uint8_t *sty_tband_names_of(const sty_tband_t *tband, uint32_t core, uint32_t *count) {
    *count = tband->names_used[core];
    return tband->names[core];
}
