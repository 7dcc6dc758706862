/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The tband emitter. */
#include "spytui/tband_rtos.h"

#include "frames.h"
#include "tap.h"

static uint64_t now(void *ctx) {
    return *(uint64_t *)ctx;
}

static uint64_t clock_now;
static const sty_env_t env = {now, sty_env_no_lock, sty_env_no_unlock, &clock_now, 1000};
static uint8_t mem[STY_TBAND_CORES][4096];
static sty_ring_t rings[STY_TBAND_CORES];
static sty_ring_t *const ring = &rings[0];
static sty_tband_t tband;

/* Returns the length of the ring's next event without framing, 0 if there is none. */
static size_t next_event(sty_ring_t *from, uint8_t *event) {
    uint8_t frame[300];
    size_t length = 0;
    uint32_t count;
    for (const uint8_t *byte = sty_ring_peek(from, &count); count != 0; byte = sty_ring_peek(from, &count)) {
        frame[length] = *byte;
        length++;
        sty_ring_skip(from, 1);
        if (frame[length - 1] == 0) {
            break;
        }
    }
    size_t zero = 0;
    for (size_t i = 1; i + 1 < length; i++) {
        const bool here = i == zero + frame[zero];
        event[i - 1] = here ? 0 : frame[i];
        zero = here ? i : zero;
    }
    return length < 2 ? 0 : length - 2;
}

static bool sent_to(sty_ring_t *from, const char *expected) {
    uint8_t event[300];
    const char *got = hex(event, next_event(from, event));
    const bool same = strcmp(got, expected) == 0;
    if (!same) {
        printf("# got %s, expected %s\n", got, expected);
    }
    return same;
}

static bool sent(const char *expected) {
    return sent_to(ring, expected);
}

static uint32_t drain(void) {
    uint8_t event[300];
    uint32_t count = 0;
    while (next_event(ring, event) != 0) {
        count++;
    }
    return count;
}

static void begin(uint32_t size) {
    clock_now = 0x85;
    sty_ring_init(ring, &env, mem[0], size);
    sty_tband_init(&tband, ring, 1000);
}

/* A stream that has begun, including its first drop total. */
static void begin_stream(uint32_t size) {
    begin(size);
    sty_tband_start(&tband, 0);
    sty_tband_isr_enter(&tband, 0, 1);
    drain();
}

static void start(void) {
    begin(4096);
    sty_tband_isr_enter(&tband, 0, 1);
    sty_tband_name_isr(&tband, 0, 3, "flame");
    sty_tband_name_isr(&tband, 1, 4, "uart");
    OK(sty_ring_used(ring) == 0, "nothing is sent before a recording begins");
    OK(sty_tband_start(&tband, 1) && sent("000000") && sent("02e807") && sent("0a80fe015354595f41434b") &&
        sent("0303666c616d65"), "a stream begins with the core, the resolution and the names that are kept,");
    OK(sent("000001") && sent("030475617274") && sent("000001") && drain() == 0, "those of the other core, and the core that calls");
    sty_tband_isr_enter(&tband, 1, 4);
    OK(sent("01850100") && sent("04850104"), "the first event has the drop total before it");
    sty_tband_isr_enter(&tband, 0, 3);
    OK(sent("00850100") && sent("01850100") && sent("04850103"), "an event of another core has that core before it");
    OK(sty_tband_names(&tband) && drain() == 5, "the names are sent once more on demand");
    begin(256);
    for (uint32_t i = 0; i < 9; i++) {
        sty_tband_name_isr(&tband, 0, i, "a rather long name 12");
    }
    OK(!sty_tband_start(&tband, 0) && !sty_tband_recording(&tband), "nothing is recorded if the names don't fit");
}

/* Names that do not fit in the buffer are counted, and the start reports it. */
static void lost_names(void) {
    begin(4096);
    for (uint32_t i = 0; i < 30; i++) {
        sty_tband_name_isr(&tband, 0, i, "a rather long name 12");
    }
    const uint32_t lost = sty_tband_names_lost(&tband);
    OK(lost == 21, "names that are not kept are counted: %u", (unsigned)lost);
    OK(!sty_tband_start(&tband, 0) && sty_tband_recording(&tband), "the start says that some are missing, and it records");
    uint8_t event[300];
    for (uint32_t i = 0; i < 1u + 2u + (30u - lost) + 1u; i++) {
        next_event(ring, event); /* the core, the resolution, the name of answers, the names, and the core */
    }
    OK(sent("01850100") && sent("07850181fe013231206e616d6573206c6f7374"), "and so does the trace: 21 names lost");
}

static void events(void) {
    begin_stream(4096);
    drain();
#define SENDS(call, expected) OK(((call), sent(expected)), "%s", #call)
    SENDS(sty_tband_isr_exit(&tband, 0, 300), "058501ac02");
    SENDS(sty_tband_name_marker(&tband, 0, 0xFFFFFFFF, ""), "06ffffffff0f");
    SENDS(sty_tband_marker(&tband, 0, 7, "text"), "0785010774657874");
    SENDS(sty_tband_marker(&tband, 0, 7, NULL), "07850107");
    SENDS(sty_tband_marker_begin(&tband, 0, 7, "123456789012345678901"), "08850107" "3132333435363738393031323334353637383930");
    SENDS(sty_tband_marker_end(&tband, 0, 0), "09850100");
    SENDS(sty_tband_value(&tband, 0, 7, 0), "0b85010700");
    SENDS(sty_tband_value(&tband, 0, 7, -2), "0b85010705");
    SENDS(sty_tband_value(&tband, 0, 7, INT64_MAX), "0b850107feffffffffffffffff01");
    SENDS(sty_tband_value(&tband, 0, 7, -INT64_MAX), "0b850107ffffffffffffffffff01");
    SENDS(sty_tband_value(&tband, 0, 7, INT64_MIN), "0b85010701");
    SENDS(sty_tband_task_switched_in(&tband, 0, 2), "54850102");
    SENDS(sty_tband_task_to_rdy_state(&tband, 0, 2), "55850102");
    SENDS(sty_tband_task_resumed(&tband, 0, 2), "56850102");
    SENDS(sty_tband_task_resumed_from_isr(&tband, 0, 2), "57850102");
    SENDS(sty_tband_task_suspended(&tband, 0, 2), "58850102");
    SENDS(sty_tband_curtask_delay(&tband, 0, 10), "5985010a");
    SENDS(sty_tband_curtask_delay_until(&tband, 0, 10), "5a85010a");
    SENDS(sty_tband_task_priority_set(&tband, 0, 2, 3), "5b85010203");
    SENDS(sty_tband_task_priority_inherit(&tband, 0, 2, 3), "5c85010203");
    SENDS(sty_tband_task_priority_disinherit(&tband, 0, 2, 3), "5d85010203");
    SENDS(sty_tband_task_created(&tband, 0, 2), "5e850102");
    SENDS(sty_tband_name_task(&tband, 0, 2, "t"), "5f0274");
    SENDS(sty_tband_task_is_idle_task(&tband, 0, 2, 1), "600201");
    SENDS(sty_tband_task_is_timer_task(&tband, 0, 2), "6102");
    SENDS(sty_tband_task_deleted(&tband, 0, 2), "62850102");
    SENDS(sty_tband_queue_created(&tband, 0, 5), "63850105");
    SENDS(sty_tband_name_queue(&tband, 0, 5, "q"), "640571");
    SENDS(sty_tband_queue_kind(&tband, 0, 5, STY_TBAND_QUEUE_SET), "650505");
    SENDS(sty_tband_queue_send(&tband, 0, 5, 1), "6685010501");
    SENDS(sty_tband_queue_send_from_isr(&tband, 0, 5, 1), "6785010501");
    SENDS(sty_tband_queue_overwrite(&tband, 0, 5, 1), "6885010501");
    SENDS(sty_tband_queue_overwrite_from_isr(&tband, 0, 5, 1), "6985010501");
    SENDS(sty_tband_queue_receive(&tband, 0, 5, 0), "6a85010500");
    SENDS(sty_tband_queue_receive_from_isr(&tband, 0, 5, 0), "6b85010500");
    SENDS(sty_tband_queue_reset(&tband, 0, 5), "6c850105");
    SENDS(sty_tband_curtask_block_on_queue_peek(&tband, 0, 5, 9), "6d85010509");
    SENDS(sty_tband_curtask_block_on_queue_send(&tband, 0, 5, 9), "6e85010509");
    SENDS(sty_tband_curtask_block_on_queue_receive(&tband, 0, 5, 0xFFFFFFFF), "6f850105ffffffff0f");
    SENDS(sty_tband_queue_cur_length(&tband, 0, 5, 0), "7085010500");
    SENDS(sty_tband_name_local_marker(&tband, 0, 1, 2, "m"), "7a01026d");
    SENDS(sty_tband_local_marker(&tband, 0, 1, "m"), "7b8501016d");
    SENDS(sty_tband_local_marker_begin(&tband, 0, 1, "m"), "7c8501016d");
    SENDS(sty_tband_local_marker_end(&tband, 0, 1), "7d850101");
    SENDS(sty_tband_name_local_value(&tband, 0, 1, 2, "v"), "7e010276");
    SENDS(sty_tband_local_value(&tband, 0, 1, -1), "7f85010103");
    sty_tband_new_task(&tband, 0, 3, 1, "t");
    OK(sent("5e850103") && sent("5b85010301") && sent("5f0374") && sent("55850103"), "a new task is four events");
    sty_tband_new_queue(&tband, 0, 6, STY_TBAND_MUTEX, 1, "m");
    OK(sent("63850106") && sent("650603") && sent("7085010600") && sent("6685010601") && sent("64066d"), "a mutex begins with a give");
    sty_tband_new_queue(&tband, 0, 7, STY_TBAND_COUNTING_SEMAPHORE, 4, NULL);
    OK(sent("63850107") && sent("650701") && sent("7085010700") && sent("7085010704"), "a semaphore with its count");
    sty_tband_isr_enter(&tband, STY_TBAND_CORES, 1);
    sty_tband_name_isr(&tband, STY_TBAND_CORES, 1, "no");
    OK(drain() == 0, "there is no further core");
}

/* Events that differ in class, event and marker. */
static uint32_t passing(void) {
    sty_tband_task_switched_in(&tband, 0, 1);
    sty_tband_task_suspended(&tband, 0, 1);
    sty_tband_marker(&tband, 0, 7, "");
    sty_tband_marker_end(&tband, 0, 70);
    sty_tband_value(&tband, 0, 7, 1);
    sty_tband_local_value(&tband, 0, 7, 1);
    return drain();
}

static void filters(void) {
    static const uint8_t filtered[] = {0x04, 0x05, 0x07, 0x08, 0x09, 0x0B, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5A, 0x5B, 0x5C,
        0x5D, 0x5E, 0x62, 0x63, 0x66, 0x67, 0x68, 0x69, 0x6A, 0x6B, 0x6C, 0x6D, 0x6E, 0x6F, 0x70, 0x7B, 0x7C, 0x7D, 0x7F};
    begin_stream(4096);
    OK(passing() == 6, "all filters let pass at first");
    OK(sty_tband_filter_class(&tband.filter, STY_TBAND_TASK, false) && passing() == 4, "a class is switched off");
    OK(sty_tband_filter_event(&tband.filter, 0x09, false) && passing() == 3, "an event is");
    OK(sty_tband_filter_marker(&tband.filter, 7, false) && passing() == 2, "a marker is");
    OK(sty_tband_filter_value(&tband.filter, 7, false) && passing() == 1, "a value is, but not the task's own with that id");
    sty_tband_filter_all(&tband.filter, false);
    OK(passing() == 0, "all is");
    sty_tband_name_task(&tband, 0, 1, "t");
    sty_tband_value_(&tband, 0, 0x0B, STY_TBAND_ACK, 1);
    OK(drain() == 2, "names and answers pass all the same");
    sty_tband_filter_all(&tband.filter, true);
    OK(passing() == 6, "all is switched on");
    OK(!sty_tband_filter_class(&tband.filter, 6, true) && !sty_tband_filter_event(&tband.filter, 0x06, true) &&
        !sty_tband_filter_event(&tband.filter, 0x100, true) && !sty_tband_filter_marker(&tband.filter, 64, true) &&
        !sty_tband_filter_value(&tband.filter, 64, true), "what does not exist is refused");
    size_t next = 0;
    bool right = true;
    for (uint32_t id = 0; id < 0x80; id++) {
        const bool expected = next < sizeof filtered && filtered[next] == id;
        next += expected;
        right = right && sty_tband_filter_event(&tband.filter, id, true) == expected;
    }
    OK(right, "each event but metadata, cores and drop totals has a class");
}

static void heartbeat(void) {
    begin_stream(4096);
    uint32_t at = 0;
    for (uint32_t i = 0; i < 110; i++) {
        sty_tband_isr_enter(&tband, 0, 1);
        at += drain() == 2 ? i : 0u;
    }
    OK(at == 49 + 99, "the drop total comes with every 50th event");
}

static void drops(void) {
    begin_stream(256);
    uint32_t dropped = 0;
    for (uint32_t i = 0; i < 4000; i++) {
        const uint32_t before = sty_ring_used(ring);
        sty_tband_value(&tband, i & 1u, 1, 1);
        dropped += sty_ring_used(ring) == before;
    }
    OK(dropped > 3900 && dropped == sty_ring_drops(ring), "events that don't fit are dropped whole");
    drain();
    const bool other_core = tband.core != 0;
    sty_tband_value(&tband, 0, 1, 2);
    char total[32];
    snprintf(total, sizeof total, "018501%02x%02x", (dropped & 0x7Fu) | 0x80u, dropped >> 7);
    OK((!other_core || sent("00850100")) && sent(total) && sent("0b85010104"), "the total stands before the next event: %u", (unsigned)dropped);
    sty_tband_value(&tband, 0, 1, 3);
    OK(sent("0b85010106"), "and is sent once");
    for (uint32_t i = 0; i < 40; i++) {
        sty_tband_value(&tband, 0, 1, 1);
    }
    drain();
    sty_tband_poll(&tband);
    OK(drain() == 1, "it is sent without an event too");
    sty_tband_poll(&tband);
    OK(drain() == 0, "once");
}

/* Events of two cores are kept apart, whatever is dropped. */
static void cores(void) {
    uint8_t event[300];
    begin_stream(256);
    uint32_t core = 0;
    bool right = true;
    for (uint32_t i = 0; i < 3000; i++) {
        const uint32_t from = i * 7 / 3 % 2;
        sty_tband_isr_enter(&tband, from, 100 + from);
        for (uint32_t n = i % 50 == 0 ? 20 : 0; n != 0; n--) {
            const size_t length = next_event(ring, event);
            core = length != 0 && event[0] == 0 ? event[length - 1] : core;
            right = right && (length == 0 || event[0] != 4 || event[length - 1] == 100 + core);
        }
    }
    OK(right && sty_ring_drops(ring) > 100, "events of two cores are kept apart also after drops");
}

/* Events with a drop total. */
static uint32_t totals_in(const uint8_t *bytes, uint32_t count) {
    uint32_t totals = 0;
    uint32_t begin = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (bytes[i] == 0) {
            totals += bytes[begin + 1] == 0x01;
            begin = i + 1;
        }
    }
    return totals;
}

static void latest(void) {
    uint8_t out[256];
    clock_now = 0x85;
    sty_ring_init_latest(ring, &env, mem[0], 256, STY_RING_ENDS_IN(0));
    sty_tband_init(&tband, ring, 1000);
    sty_tband_start(&tband, 0);
    for (uint32_t i = 0; i < 500; i++) {
        sty_tband_value(&tband, 0, 1, (int64_t)i);
    }
    const uint32_t count = sty_ring_read(ring, out, sizeof out);
    OK(count > 200 && out[count - 1] == 0, "a LATEST ring keeps whole events");
    OK(out[count - 3] == 0xE6 && out[count - 2] == 0x07, "the latest ones");
    OK(totals_in(out, count) <= 1, "without a drop total before each");
    sty_tband_value(&tband, 0, 1, 0);
    const uint32_t rest = sty_ring_read(ring, out, sizeof out);
    OK(totals_in(out, rest) == 1, "which is sent once there is room again");
    sty_tband_stop(&tband);
    sty_tband_value(&tband, 0, 1, 0);
    OK(!sty_tband_recording(&tband) && sty_ring_used(ring) == 0, "nothing is recorded after a stop");
}

static void snapshot(void) {
    uint32_t count;
    clock_now = 0x85;
    for (uint32_t core = 0; core < STY_TBAND_CORES; core++) {
        sty_ring_init(&rings[core], &env, mem[core], core == 0 ? 256 : 512);
    }
    sty_tband_init_snapshot(&tband, rings, 1000);
    sty_tband_name_isr(&tband, 1, 4, "uart");
    OK(sty_tband_start(&tband, 0) && sty_ring_used(&rings[0]) == 0, "a snapshot begins without names and core");
    sty_tband_isr_enter(&tband, 1, 4);
    OK(sent_to(&rings[1], "01850100") && sent_to(&rings[1], "04850104"), "each core has memory of its own");
    uint32_t events_kept = 0;
    while (sty_tband_recording(&tband) && events_kept < 1000) {
        sty_tband_isr_enter(&tband, 0, 3);
        events_kept++;
    }
    const uint32_t used = sty_ring_used(&rings[0]);
    OK(used <= 256 && used > 249, "it goes on until the memory is full");
    sty_tband_isr_enter(&tband, 1, 4);
    OK(sty_ring_used(&rings[1]) == 0, "and ends for all cores");
    const uint8_t *names = sty_tband_names_of(&tband, 1, &count);
    OK(count == 8 && memcmp(names, "\x07\x03\x04uart", 8) == 0, "the names stand apart");
    sty_ring_skip(&rings[0], used);
    sty_tband_start(&tband, 0);
    sty_tband_isr_enter(&tband, 0, 3);
    OK(sty_ring_used(&rings[0]) != 0, "it goes on once it was read");
}

int main(void) {
    start();
    lost_names();
    events();
    filters();
    heartbeat();
    drops();
    cores();
    latest();
    snapshot();
    return DONE();
}
