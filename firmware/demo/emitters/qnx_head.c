/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The header of a stream: attributes as text, without line ends. */
#include "qnx_parts.h"

/* Destination of the header. */
typedef struct {
    void (*put)(void *ctx, const char *bytes, size_t count);
    void *ctx;
} sink_t;

static void put_text(const sink_t *sink, const char *text) {
    size_t length = 0;
    while (text[length] != '\0') {
        length++;
    }
    sink->put(sink->ctx, text, length);
}

static void put_attribute(const sink_t *sink, const char *key, const char *value) {
    put_text(sink, "TRACE_");
    put_text(sink, key);
    put_text(sink, "::");
    put_text(sink, value);
}

static void put_number(const sink_t *sink, const char *key, uint32_t number) {
    char digits[11];
    char *first = &digits[sizeof digits - 1];
    *first = '\0';
    do {
        *--first = (char)('0' + number % 10u);
        number /= 10u;
    } while (number != 0u);
    put_attribute(sink, key, first);
}

static void put_head(const sty_qnx_target_t *target, void (*put)(void *ctx, const char *bytes, size_t count), void *ctx) {
    const sink_t sink = {put, ctx};
    put_attribute(&sink, "HEADER_BEGIN", "");
    put_attribute(&sink, "FILE_NAME", "spytui");
    put_attribute(&sink, "DATE", target->date);
    put_attribute(&sink, "VER_MAJOR", "1");
    put_attribute(&sink, "VER_MINOR", "01");
    put_attribute(&sink, "LITTLE_ENDIAN", "TRUE");
    put_attribute(&sink, "ENCODING", "16 byte events");
    put_attribute(&sink, "BOOT_DATE", target->date);
    put_number(&sink, "CYCLES_PER_SEC", target->cycles_per_second);
    put_number(&sink, "CPU_NUM", STY_QNX_CPUS);
    put_attribute(&sink, "SYSNAME", "QNX");
    put_attribute(&sink, "NODENAME", "localhost");
    put_attribute(&sink, "SYS_RELEASE", target->release);
    put_attribute(&sink, "SYS_VERSION", "1");
    put_attribute(&sink, "MACHINE", target->machine);
    put_attribute(&sink, "SYSPAGE_LEN", "0");
    put_attribute(&sink, "STY", "1"); /* user events 1021 and 1023 belong to spytui */
    put_attribute(&sink, "HEADER_END", "");
}

static void put_to_ring(void *ctx, const char *bytes, size_t count) {
    sty_ring_put(ctx, bytes, count);
}

bool sty_qnx_start(sty_qnx_t *qnx) {
    sty_ring_begin_urgent(qnx->ring);
    put_head(qnx->target, put_to_ring, qnx->ring);
    return sty_ring_commit(qnx->ring);
}
