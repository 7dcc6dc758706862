/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "tband_pack.h"

enum { CORE_ID = 0x00, DROPPED = 0x01, VALUE = 0x0B };

#if STY_TBAND_FRAME > 256
#error "an event must be one block of the framing: make STY_TBAND_TEXT smaller"
#endif
#if STY_TBAND_CORES < 1 || STY_TBAND_CORES > 4
#error "STY_TBAND_CORES must be 1 to 4"
#endif

uint8_t *sty_tband_pack_(uint8_t *to, uint64_t value) {
    for (; value >= 0x80u; value >>= 7) {
        *to++ = (uint8_t)(value | 0x80u);
    }
    *to++ = (uint8_t)value;
    return to;
}

uint8_t *sty_tband_cut_(uint8_t *to, const char *text) {
    for (unsigned i = 0; text != NULL && i < STY_TBAND_TEXT && text[i] != '\0'; i++) {
        *to++ = (uint8_t)text[i];
    }
    return to;
}

/* COBS: each zero byte becomes the distance to the next one, and a zero ends the frame. */
uint8_t *sty_tband_frame_(uint8_t *frame, uint8_t *end) {
    uint8_t *zero = frame;
    for (uint8_t *byte = frame + 1; byte != end; byte++) {
        if (*byte == 0u) {
            *zero = (uint8_t)(byte - zero);
            zero = byte;
        }
    }
    *zero = (uint8_t)(end - zero);
    *end = 0;
    return end + 1;
}

/* Reads the time for everything sent in one piece. */
static void read_clock(sty_tband_t *tband) {
    const sty_env_t *env = tband->ring->env;
    tband->time = env->now(env->ctx);
}

/* Writes id and time stamp of an event that begins at frame[1]; the lock is held. */
static uint8_t *head(const sty_tband_t *tband, uint8_t *frame, uint8_t id) {
    frame[1] = id;
    return sty_tband_pack_(&frame[2], tband->time);
}

/* Writes an event with a single number into an open ring frame. */
static void put_1(const sty_tband_t *tband, sty_ring_t *ring, uint8_t id, uint32_t a) {
    uint8_t frame[STY_TBAND_FRAME];
    const uint8_t *end = sty_tband_frame_(frame, sty_tband_pack_(head(tband, frame, id), a));
    sty_ring_put(ring, frame, (size_t)(end - frame));
}

static sty_ring_t *ring_of(sty_tband_t *tband, uint32_t core) {
    return tband->snapshot ? &tband->ring[core] : tband->ring;
}

/* After a drop, the total precedes the next event. In a LATEST ring, which drops the oldest frames, that place means
 * nothing, so sty_tband_poll() sends it. */
static bool total_due(const sty_tband_t *tband, const sty_ring_t *ring, uint32_t core) {
    const bool changed = sty_ring_unreported_(ring) && !sty_ring_is_latest(ring) && !tband->snapshot;
    return changed || (STY_TBAND_DROPS_EVERY != 0 && tband->uncounted[core] >= STY_TBAND_DROPS_EVERY);
}

bool sty_tband_open_(sty_tband_t *tband, uint32_t core, int what) {
    STY_ASSERT(core < STY_TBAND_CORES);
    if (core >= STY_TBAND_CORES) {
        return false;
    }
    sty_ring_t *ring = ring_of(tband, core);
    const bool is_name = what == STY_TBAND_A_NAME;
    sty_ring_open_(
        ring, what == STY_TBAND_AN_ANSWER || tband->snapshot || (is_name && sty_ring_is_restarted_(ring)));
    read_clock(tband);
    if (!tband->snapshot && core != tband->core) {
        put_1(tband, ring, CORE_ID, core);
    }
    tband->counted = !is_name && total_due(tband, ring, core);
    if (tband->counted) {
        tband->total = tband->snapshot ? 0u : ring->drops;
        put_1(tband, ring, DROPPED, tband->total);
    }
    if (!is_name) {
        tband->uncounted[core] = tband->counted ? 1u : (uint8_t)(tband->uncounted[core] + 1u);
    }
    return true;
}

bool sty_tband_close_(sty_tband_t *tband, uint32_t core, const uint8_t *frame, const uint8_t *end) {
    sty_ring_t *ring = ring_of(tband, core);
    sty_ring_put(ring, frame, (size_t)(end - frame));
    if (!ring->full) {
        tband->core = core;
        STY_STORE(&ring->reported, tband->counted ? tband->total : ring->reported);
    } else if (tband->snapshot) {
        STY_STORE(&tband->recording, false);
    } else {
        tband->uncounted[core] = STY_TBAND_DROPS_EVERY; /* the total may have been lost, too */
    }
    const bool kept = sty_ring_commit(ring);
    if (sty_ring_is_latest(ring) && sty_ring_unreported_(ring)) {
        sty_tband_poll(tband);
    }
    return kept;
}

void sty_tband_poll(sty_tband_t *tband) {
    if (!tband->snapshot && sty_tband_recording(tband) && sty_ring_begin_total(tband->ring)) {
        read_clock(tband);
        put_1(tband, tband->ring, DROPPED, tband->ring->drops);
        (void)sty_ring_commit(tband->ring);
    }
}

void sty_tband_1_(sty_tband_t *tband, uint32_t core, uint8_t id, uint32_t a) {
    uint8_t frame[STY_TBAND_FRAME];
    if (sty_tband_open_(tband, core, STY_TBAND_AN_EVENT)) {
        uint8_t *end = sty_tband_pack_(head(tband, frame, id), a);
        (void)sty_tband_close_(tband, core, frame, sty_tband_frame_(frame, end));
    }
}

void sty_tband_2_(sty_tband_t *tband, uint32_t core, uint8_t id, uint32_t a, uint32_t b) {
    uint8_t frame[STY_TBAND_FRAME];
    if (sty_tband_open_(tband, core, STY_TBAND_AN_EVENT)) {
        uint8_t *end = sty_tband_pack_(sty_tband_pack_(head(tband, frame, id), a), b);
        (void)sty_tband_close_(tband, core, frame, sty_tband_frame_(frame, end));
    }
}

void sty_tband_text_(sty_tband_t *tband, uint32_t core, uint8_t id, uint32_t a, const char *text) {
    uint8_t frame[STY_TBAND_FRAME];
    if (sty_tband_open_(tband, core, STY_TBAND_AN_EVENT)) {
        uint8_t *end = sty_tband_cut_(sty_tband_pack_(head(tband, frame, id), a), text);
        (void)sty_tband_close_(tband, core, frame, sty_tband_frame_(frame, end));
    }
}

/* Sign in bit 0. The minimum becomes minus zero. */
static uint64_t sign_and_magnitude(int64_t value) {
    return value < 0 ? (0u - (uint64_t)value) << 1 | 1u : (uint64_t)value << 1;
}

void sty_tband_value_(sty_tband_t *tband, uint32_t core, uint8_t id, uint32_t a, int64_t value) {
    uint8_t frame[STY_TBAND_FRAME];
    const bool is_answer = id == VALUE && a == STY_TBAND_ACK;
    if (sty_tband_open_(tband, core, is_answer ? STY_TBAND_AN_ANSWER : STY_TBAND_AN_EVENT)) {
        uint8_t *end = sty_tband_pack_(sty_tband_pack_(head(tband, frame, id), a), sign_and_magnitude(value));
        (void)sty_tband_close_(tband, core, frame, sty_tband_frame_(frame, end));
    }
}
