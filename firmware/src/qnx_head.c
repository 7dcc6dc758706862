/* The head of a stream: attributes as text, without line ends. */
#include "qnx_parts.h"

static void put_text(sty_ring_t *ring, const char *text) {
    size_t length = 0;
    while (text[length] != '\0') {
        length++;
    }
    sty_ring_put(ring, text, length);
}

static void put_attribute(sty_ring_t *ring, const char *key, const char *value) {
    put_text(ring, "TRACE_");
    put_text(ring, key);
    put_text(ring, "::");
    put_text(ring, value);
}

static void put_number(sty_ring_t *ring, const char *key, uint32_t number) {
    char digits[11];
    char *first = &digits[sizeof digits - 1];
    *first = '\0';
    do {
        *--first = (char)('0' + number % 10u);
        number /= 10u;
    } while (number != 0u);
    put_attribute(ring, key, first);
}

bool sty_qnx_start(sty_qnx_t *qnx) {
    sty_ring_t *ring = qnx->ring;
    const sty_qnx_target_t *target = qnx->target;
    sty_ring_begin_urgent(ring);
    put_attribute(ring, "HEADER_BEGIN", "");
    put_attribute(ring, "FILE_NAME", "spytui");
    put_attribute(ring, "DATE", target->date);
    put_attribute(ring, "VER_MAJOR", "1");
    put_attribute(ring, "VER_MINOR", "01");
    put_attribute(ring, "LITTLE_ENDIAN", "TRUE");
    put_attribute(ring, "ENCODING", "16 byte events");
    put_attribute(ring, "BOOT_DATE", target->date);
    put_number(ring, "CYCLES_PER_SEC", target->cycles_per_second);
    put_number(ring, "CPU_NUM", STY_QNX_CPUS);
    put_attribute(ring, "SYSNAME", "QNX");
    put_attribute(ring, "NODENAME", "localhost");
    put_attribute(ring, "SYS_RELEASE", target->release);
    put_attribute(ring, "SYS_VERSION", "1");
    put_attribute(ring, "MACHINE", target->machine);
    put_attribute(ring, "SYSPAGE_LEN", "0");
    put_attribute(ring, "STY", "1"); /* user events 1021 and 1023 are ours */
    put_attribute(ring, "HEADER_END", "");
    return sty_ring_commit(ring);
}
