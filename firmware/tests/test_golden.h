/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Frames between a QS host 7.3.4 and a test target of version 7.3.3 with 8-byte pointers, recorded while two tests of
 * QUTest ran: what the host sent, and what the target answered. */
#ifndef TEST_GOLDEN_H
#define TEST_GOLDEN_H

typedef struct {
    const char *command;
    const char *frame;
    const char *answer;
} test_golden_t;

static const char *const test_golden_start = "0100fe7e0240ffdd022241228804202324170a140b1a0d7e";
/* The last frame of the start, after the names. */
static const char *const test_golden_run = "1846a17e";
enum { GOLDEN_GATE = 0x40EDE0, GOLDEN_BUFFER = 0x40EDC0, GOLDEN_SHUT = 0x408281, GOLDEN_WIDE = 0x408187, GOLDEN_BUMP = 4 };

static const test_golden_t test_golden[] = {
    {"GLB_FILTER nothing", "010a1000000000000000000000000000000000e47e", "19420a9a7e"},
    {"CURR_OBJ, machine and active object", "020d06e0ed400000000000dd7e", "1a420d967e"},
    {"TEST_SETUP", "0307f57e", "1b42079b7e"},
    {"GLB_FILTER state machines", "040a10fe0300000000800300000000000000005d7e", "1c420a977e"},
    {"EVENT, dispatch", "0510ff04000000e77e",
        "1d4210907e1e08010000000400e0ed4000000000008182400000000000847e1f01e0ed40000000000087814000000000008a7e"
        "2006020000000400e0ed400000000000818240000000000087814000000000003b7e214103000000108a7e"},
    {"TEST_TEARDOWN", "0608f17e", "224208937e"},
    {"TEST_SETUP without a reset", "0707f17e", "234207937e"},
    {"CURR_OBJ, application object", "080d05c0ed400000000000f87e", "24420d8c7e"},
    {"FILL", "0906000001047d5e6d7e", "254206927e"},
    {"PEEK", "0a0400000106ea7e", "264401000000000001067d5e7d5e7d5e7d5e0000957e"},
    {"TEST_TEARDOWN of the second test", "0b08ec7e", "2742088e7e"},
    {"RESET", "0c02f17e", ""},
};

#endif
