/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Ring, filters and host commands for programs that trace with the original Tonbandgerät.
 *
 * In its configuration:
 *     #define tband_portBACKEND_STREAM_DATA(buf, len) sty_tband_glue_data(&glue, (buf), (len))
 * In the program:
 *     sty_tband_glue_init(&glue, &ring, &callbacks, NULL);     before the recording starts
 *     sty_tband_glue_feed(&glue, byte);                        with each byte from the link
 * Tonbandgerät has no run-time filter. Wrap calls that the host may switch off in STY_TBAND_GLUE() with the id of
 * their event; all others are always sent:
 *     STY_TBAND_GLUE(&glue, STY_TBAND_GLUE_VALUE, the call that sends the value)
 * Tonbandgerät keeps names; to send them again, stop and start the recording. */
#ifndef SPYTUI_TBAND_GLUE_H
#define SPYTUI_TBAND_GLUE_H

#include "spytui/cmd_rx.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Callbacks of the program. `value` is required. */
typedef struct {
    /* Sends a value marker: answers use marker 0x7F00, named STY_ACK. */
    void (*value)(void *ctx, uint32_t marker, int64_t value);
    /* Stops and starts the recording. */
    void (*names)(void *ctx);
    /* The others are the same as for all command receivers. */
    bool (*user)(void *ctx, uint8_t id, uint32_t value);
    void (*reset)(void *ctx);
} sty_tband_glue_cb_t;

/* Private; use the functions below. */
typedef struct {
    const sty_tband_glue_cb_t *cb;
    void *ctx;
    sty_ring_t *ring;
    sty_cmdrx_t rx;
    sty_cmdrx_cb_t rx_cb;
    sty_tband_filter_t filter;
} sty_tband_glue_t;

/* Ids of events for STY_TBAND_GLUE(). */
enum {
    STY_TBAND_GLUE_ISR_ENTER = 0x04, STY_TBAND_GLUE_ISR_EXIT = 0x05, STY_TBAND_GLUE_MARKER = 0x07,
    STY_TBAND_GLUE_MARKER_BEGIN = 0x08, STY_TBAND_GLUE_MARKER_END = 0x09, STY_TBAND_GLUE_VALUE = 0x0B,
    STY_TBAND_GLUE_LOCAL_MARKER = 0x7B, STY_TBAND_GLUE_LOCAL_BEGIN = 0x7C, STY_TBAND_GLUE_LOCAL_END = 0x7D,
    STY_TBAND_GLUE_LOCAL_VALUE = 0x7F
};

/* Makes a call if events with that id pass the filters. */
#define STY_TBAND_GLUE(glue, id, call) \
    do { \
        if (sty_tband_event_passes(&(glue)->filter, (id))) { \
            call; \
        } \
    } while (0)
/* Makes a call if this marker, or value marker, passes, too. */
#define STY_TBAND_GLUE_MARKER_OF(glue, id, marker, call) \
    do { \
        if (sty_tband_event_passes(&(glue)->filter, (id)) && sty_tband_marker_passes(&(glue)->filter, (marker))) { \
            call; \
        } \
    } while (0)
#define STY_TBAND_GLUE_VALUE_OF(glue, marker, call) \
    do { \
        if (sty_tband_event_passes(&(glue)->filter, STY_TBAND_GLUE_VALUE) && sty_tband_value_passes(&(glue)->filter, (marker))) { \
            call; \
        } \
    } while (0)

/* Initially, all calls pass. `ctx` is passed to the callbacks. */
void sty_tband_glue_init(sty_tband_glue_t *glue, sty_ring_t *ring, const sty_tband_glue_cb_t *cb, void *ctx);
/* Takes the output of the streaming backend. Returns true if it is refused, which Tonbandgerät counts. */
bool sty_tband_glue_data(sty_tband_glue_t *glue, const void *bytes, size_t count);
/* Takes a byte from the link. At the end of a frame it calls back and answers, so don't call it from an interrupt. */
void sty_tband_glue_feed(sty_tband_glue_t *glue, uint8_t byte);

#ifdef __cplusplus
}
#endif

#endif
