/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Peek, poke and fill: items of 1, 2 or 4 bytes, from an offset in the current application object. */
#include "qs_rx_parts.h"

enum { REC_PEEK_DATA = 68 };

/* Maximum size of a peek in bytes: hosts have 512 bytes per record. */
enum { MAX_PEEK = 500 };

/* The range that a command accesses. */
typedef struct {
    uintptr_t address;
    uint16_t offset;
    uint8_t size;
    uint8_t count;
} range_t;

static size_t bytes_in(const range_t *range) {
    return (size_t)range->size * range->count;
}

/* Reads the four fields; false unless the whole range may be accessed. */
static bool take_range(const sty_qsrx_t *rx, sty_payload_t *payload, bool write, range_t *range) {
    if (payload->length < 4u || rx->cb->may_access == NULL) {
        return false;
    }
    range->offset = (uint16_t)sty_qsrx_take_(payload, 2);
    range->size = (uint8_t)sty_qsrx_take_(payload, 1);
    range->count = (uint8_t)sty_qsrx_take_(payload, 1);
    if ((range->size != 1u && range->size != 2u && range->size != 4u) || range->count == 0u) {
        return false;
    }
    const uintptr_t object = (uintptr_t)rx->qs->current[STY_QS_AP];
    range->address = object + range->offset;
    const bool wraps = range->address < object || range->address + bytes_in(range) < range->address;
    if (object == 0u || wraps || !rx->cb->may_access(rx->ctx, range->address, bytes_in(range), write)) {
        return false;
    }
    if (rx->cb->at != NULL) {
        range->address = (uintptr_t)rx->cb->at(rx->ctx, range->address);
    }
    return true;
}

/* An item is read and written in a single access if its address allows it, as registers require. */
static uint32_t read_item(uintptr_t address, uint8_t size) {
    if (size == 4u && address % 4u == 0u) {
        return *(const volatile uint32_t *)address;
    }
    if (size == 2u && address % 2u == 0u) {
        return *(const volatile uint16_t *)address;
    }
    uint32_t item = 0;
    for (unsigned i = size; i > 0u; i--) {
        item = item << 8 | *(const volatile uint8_t *)(address + i - 1u);
    }
    return item;
}

static void write_item(uintptr_t address, uint8_t size, uint32_t item) {
    if (size == 4u && address % 4u == 0u) {
        *(volatile uint32_t *)address = item;
    } else if (size == 2u && address % 2u == 0u) {
        *(volatile uint16_t *)address = (uint16_t)item;
    } else {
        for (unsigned i = 0; i < size; i++) {
            *(volatile uint8_t *)(address + i) = (uint8_t)(item >> (8u * i));
        }
    }
}

bool sty_qsrx_peek_(sty_qsrx_t *rx, sty_payload_t payload) {
    range_t range;
    if (payload.length != 4u || !take_range(rx, &payload, false, &range) || bytes_in(&range) > MAX_PEEK) {
        return false;
    }
    uint8_t frame[STY_QS_HEAD + 4];
    uint8_t *to = &frame[STY_QS_HEAD];
    to = sty_pack_u8(sty_pack_u8(sty_pack(to, range.offset, 2), range.size), range.count);
    sty_qs_send_(rx->qs, REC_PEEK_DATA | STY_QS_URGENT | STY_QS_MORE, frame, to);
    for (unsigned i = 0; i < range.count; i++) {
        uint8_t item[4];
        (void)sty_pack(item, read_item(range.address, range.size), 4);
        sty_qs_part_(rx->qs, item, item + range.size);
        range.address += range.size;
    }
    sty_qs_end(rx->qs);
    return true;
}

bool sty_qsrx_poke_(sty_qsrx_t *rx, sty_payload_t payload) {
    range_t range;
    if (!take_range(rx, &payload, true, &range) || payload.length != bytes_in(&range)) {
        return false;
    }
    for (unsigned i = 0; i < range.count; i++) {
        write_item(range.address, range.size, (uint32_t)sty_qsrx_take_(&payload, range.size));
        range.address += range.size;
    }
    sty_qsrx_status_(rx->qs, RX_POKE);
    return true;
}

bool sty_qsrx_fill_(sty_qsrx_t *rx, sty_payload_t payload) {
    range_t range;
    if (!take_range(rx, &payload, true, &range) || payload.length != range.size) {
        return false;
    }
    const uint32_t item = (uint32_t)sty_qsrx_take_(&payload, range.size);
    for (unsigned i = 0; i < range.count; i++) {
        write_item(range.address, range.size, item);
        range.address += range.size;
    }
    sty_qsrx_status_(rx->qs, RX_FILL);
    return true;
}
