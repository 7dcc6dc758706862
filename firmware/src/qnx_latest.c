/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* QNX buffers in a LATEST ring. A file of its own: a program with a KEEP ring does not carry it. */
#include "qnx_parts.h"

enum { EVENT = 16 };

static uint8_t byte_at(const sty_ring_t *ring, uint32_t index) {
    return ring->buf[index & ring->mask];
}

/* Was the event at that index sent by the program? Not so the further parts of a long event, and what the emitter adds
 * itself. */
static bool is_record(const sty_ring_t *ring, uint32_t at) {
    enum { CLASS_AND_NUMBER = 0x7FFF, PART_HAS_BEGIN = 0x80 };
    const uint32_t header = (byte_at(ring, at) | (uint32_t)byte_at(ring, at + 1u) << 8) & CLASS_AND_NUMBER;
    return (byte_at(ring, at + 3u) & PART_HAS_BEGIN) == 0u && header >> 10 != (uint32_t)KEV_CONTROL &&
        header != KEV_HEADER(KEV_USER, STY_QNX_DROPS);
}

/* Counts the events of the oldest buffers that give way to `bytes` new ones. */
static void count_overwritten(sty_qnx_t *qnx, uint32_t bytes) {
    const sty_ring_t *ring = qnx->ring;
    uint32_t at = ring->tail;
    while (!sty_ring_frozen(ring) && at != ring->head && ring->head - at + bytes > ring->mask + 1u) {
        const uint32_t end = at + sty_ring_unit_length_(ring, at);
        for (; at != end; at += EVENT) {
            qnx->drops += is_record(ring, at);
        }
    }
}

void sty_qnx_init_latest(sty_qnx_t *qnx, sty_ring_t *ring, const sty_qnx_target_t *target, void *mem, uint32_t size) {
    sty_qnx_init(qnx, ring, target, mem, size);
    qnx->overwriting = count_overwritten;
}

void sty_qnx_trigger(sty_qnx_t *qnx, uint32_t after) {
    const sty_env_t *env = qnx->ring->env;
    const uint32_t state = env->lock(env->ctx);
    if (!sty_ring_frozen(qnx->ring)) {
        sty_qnx_hand_over_(qnx);
        sty_ring_trigger(qnx->ring, after);
    }
    env->unlock(env->ctx, state);
}
