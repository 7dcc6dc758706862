/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Recorded frames that a QS host 7.3.4 sends for its user's commands, and the target's answers. An answer is a
 * record id, a colon and the status or command; for example, "66:03 65:03" acknowledges a tick and reports that it
 * is done. Commands of test builds are refused. */
#ifndef RX_GOLDEN_H
#define RX_GOLDEN_H

typedef struct {
    const char *command;
    const char *frame;
    const char *answers;
} golden_t;

static const golden_t golden[] = {
    {"INFO", "0100fe7e", "64"},
    {"COMMAND id 3", "0201030a000000140000007d5e0000005d7e", "66:01 65:01"},
    {"TICK rate 0", "030300f97e", "66:03 65:03"},
    {"PEEK offs/size/num", "040410000208dd7e", "68"},
    {"POKE", "0505040002023412cdab2f7e", "66:05"},
    {"FILL", "0606000001105a887e", "66:06"},
    {"TEST_SETUP", "0707f17e", "66:c3"},
    {"TEST_TEARDOWN", "0808ef7e", "66:c3"},
    {"TEST_PROBE by address", "09092a00000048010008727e", "66:c3"},
    {"TEST_PROBE by name", "0a090700000024010008b87e", "66:c3"},
    {"GLB_FILTER state machines", "0b0a10fe030000000080030000000000000000567e", "66:0a"},
    {"GLB_FILTER everything up to 124", "0c0a10ffffffffffffffffffffffffffffff1fc97e", "66:0a"},
    {"GLB_FILTER nothing", "0d0a1000000000000000000000000000000000d87e", "66:0a"},
    {"LOC_FILTER active objects 1..64", "0e0b10feffffffffffffff0100000000000000de7e", "66:0b"},
    {"AO_FILTER by address, add", "0f0c0000100020b47e", "66:0c"},
    {"AO_FILTER by address, remove", "100c0140100020727e", "66:0c"},
    {"AO_FILTER by name, add", "110c0040100020727e", "66:0c"},
    {"AO_FILTER by name, remove", "120c0100100020b07e", "66:0c"},
    {"CURR_OBJ by address", "130d0500110020a97e", "66:0d"},
    {"CURR_OBJ by name, kind 0", "140d0000100020ae7e", "66:0d"},
    {"CURR_OBJ by name, kind 1", "150d01401000206c7e", "66:0d"},
    {"CURR_OBJ by name, kind 5", "160d0500100020a77e", "66:0d"},
    {"CURR_OBJ by name, kind 6 (machine and active object)", "170d0640100020657e", "66:0d"},
    {"CURR_OBJ by name, wrong kind 9", "180d0940100020617e", "66:8d"},
    {"TEST_CONTINUE", "190ed87e", "66:c3"},
    {"QUERY_CURR kind 1", "1a0f01d57e", "67"},
    {"EVENT by number, post to priority 2", "1b100206000300017d5e03477e", "66:10 65:10"},
    {"EVENT by number, publish, no parameters", "1c100005000000ce7e", "66:10 65:10"},
    {"EVENT by name, dispatch (255)", "1d10ff05000000ce7e", "66:10 65:10"},
    {"EVENT by name, init (254), parameters", "1e10fe040004007d5d7d5e0001cf7e", "66:10 65:10"},
    {"EVENT by name, post (253), object-scoped signal of the current object", "1f10fd22110200aabb397e", "66:10 65:10"},
    {"EVENT by name, signal value that needs escaping", "2010007d5d000000527e", "66:10 65:10"},
    {"EVENT by name, signal scoped to another object", "2110fd00000000d17e", "66:10 65:10"},
    {"EVENT by unknown name", "22100000000000cd7e", "66:10 65:10"},
    {"COMMAND by name found in the enumeration (group 7) dictionary",
     "230109010000000200000003000000cc7e", "66:01 65:01"},
    {"direct packet with an unassigned id 17", "24110102c77e", "66:c3"},
    {"direct packet with id 100", "2564010203707e", "66:c3"},
    {"INFO with the packet number jumping by 5", "2600d97e", "64"},
    {"key i", "2700d87e", "64"},
    {"key t", "280300d47e", "66:03 65:03"},
    {"key u", "290301d27e", "66:03 65:03"},
    {"key r", "2a02d37e", ""},
    {"RESET", "2b02d27e", ""},
    {"INFO after the target reported a reset: numbering restarts", "0100fe7e", "64"},
    {"INFO sent without being attached", "0200fd7e", "64"},
};

#endif
