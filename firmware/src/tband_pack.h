/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Private to the tband emitter: an event is collected on the stack, framed there and sent. */
#ifndef SPYTUI_TBAND_PACK_H
#define SPYTUI_TBAND_PACK_H

#include "pack.h"
#include "spytui/tband.h"

/* Room for the longest event (id, time stamp, two numbers and a text), with one byte before and after it. */
#define STY_TBAND_FRAME (1u + 1u + 10u + 5u + 10u + STY_TBAND_TEXT + 1u)

/* Numbers with 7 bits per byte. */
uint8_t *sty_tband_pack_(uint8_t *to, uint64_t value);
/* A truncated text; `text` may be NULL. */
uint8_t *sty_tband_cut_(uint8_t *to, const char *text);
/* Frames the event that begins at frame[1] and ends at `end`; returns the end of the frame. */
uint8_t *sty_tband_frame_(uint8_t *frame, uint8_t *end);

/* The drop total precedes events when it is due. */
enum { STY_TBAND_A_NAME, STY_TBAND_AN_EVENT, STY_TBAND_AN_ANSWER };

/* Takes the lock and writes what must precede a frame of `core`. Returns false without opening a frame if there is
 * no such core. */
bool sty_tband_open_(sty_tband_t *tband, uint32_t core, int what);
/* Writes a frame and releases the lock. */
bool sty_tband_close_(sty_tband_t *tband, uint32_t core, const uint8_t *frame, const uint8_t *end);

#endif
