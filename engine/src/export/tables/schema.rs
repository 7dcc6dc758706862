//! The tables and their columns: what stands in the files, and in `docs/fleet.md`.

use super::column::{
    Column,
    Content::{Bool, Double, Int, Long, Numbers, Text, Texts, Time},
};

/// Version of the tables; raised when a column is removed or changes its meaning. New columns may be added at any time.
pub const VERSION: i32 = 1;

#[derive(Debug, Clone, Copy)]
pub struct TableSchema {
    pub name: &'static str,
    pub meaning: &'static str,
    pub columns: &'static [Column],
}

pub const RECORDS: TableSchema =
    TableSchema { name: "records", meaning: "One row for each record.", columns: &RECORD_COLUMNS };
pub const LOSSES: TableSchema = TableSchema {
    name: "losses",
    meaning: "One row for everything else in the stream: gaps, drops, damage, repeats, skipped bytes, resets, link events.",
    columns: &LOSS_COLUMNS,
};
pub const SPANS: TableSchema = TableSchema {
    name: "spans",
    meaning: "Intervals as the statistics measure them: waits, steps, task states, interrupts, locks, calls.",
    columns: &intervals(Column::maybe("signal", Text, "Signal of the event, or another second name")),
};
pub const STATES: TableSchema = TableSchema {
    name: "states",
    meaning: "The states of objects, each from the record that enters it to the one that leaves it.",
    columns: &intervals(Column::maybe("state", Text, "Name of the state")),
};
pub const LEVELS: TableSchema = TableSchema {
    name: "levels",
    meaning: "Each reported fill level of a queue or pool, and each value of a field or marker.",
    columns: &LEVEL_COLUMNS,
};
pub const RECORDINGS: TableSchema = TableSchema {
    name: "recordings",
    meaning: "One row a recording, written last: its other rows are complete if it is there.",
    columns: &RECORDING_COLUMNS,
};

/// All tables; that of the recordings is written last.
pub const TABLES: [TableSchema; 6] = [RECORDS, LOSSES, SPANS, STATES, LEVELS, RECORDINGS];

const RECORDING: Column = Column::new("recording", Text, "Name and hash of the recording");
const SOURCE: Column = Column::new("source", Int, "Number of the source, from 0");
const ROW: Column = Column::new("row_no", Long, "Place in the recording, counting records and losses from 0");
const EPOCH: Column = Column::new("epoch", Int, "Starts of the target before it");
const POSITION: Column = Column::new("pos", Long, "Position of its first byte");
const BYTES: Column = Column::new("bytes", Long, "Its bytes with framing; 0 if those of an earlier row");
const HOST: Column = Column::maybe("host", Time, "When the host received it");
const HOST_NS: Column = Column::maybe("host_ns", Long, "The same, ns since 1970");
const TICKS: Column = Column::maybe("ticks", Long, "Time stamp of the target");
const NS: Column = Column::maybe("ns", Long, "The same in ns, if the rate is known by then");
const CORE: Column = Column::maybe("core", Int, "Core, if there are several");
const SEVERITY: Column = Column::new("severity", Text, "`note`, `warning` or `error`");
const FIELDS: Column = Column::new("fields", Texts, "Fields as texts; a key by its name, if it has one");
const NUMBERS: Column = Column::new("num", Numbers, "Fields that are numbers or keys");
const OBJECT: Column = Column::maybe("object", Text, "Name of its object, or its key");
const OBJECT_KEY: Column = Column::maybe("object_key", Long, "Key of its object");
const OBJECT_TYPE: Column = Column::maybe("object_type", Text, "What it is: `obj`, `task`, `queue` …");

const RECORD_COLUMNS: [Column; 28] = [
    RECORDING,
    SOURCE,
    ROW,
    Column::new("n", Long, "Number of the record, from 1"),
    EPOCH,
    POSITION,
    BYTES,
    HOST,
    HOST_NS,
    TICKS,
    NS,
    Column::new("out_of_order", Bool, "It came after a record with a higher number"),
    Column::maybe("seq", Long, "Sequence number"),
    CORE,
    Column::new("kind", Text, "Name of its kind in the protocol"),
    Column::new("kind_id", Long, "Number of its kind"),
    Column::maybe("kind_group", Text, "Group of its kind"),
    SEVERITY,
    OBJECT,
    OBJECT_KEY,
    Column::maybe("signal", Text, "Name of its signal, or its key"),
    Column::maybe("signal_key", Long, "Key of its signal"),
    Column::maybe("state", Text, "Name of its state, or its key; of a transition, the new one"),
    Column::maybe("state_key", Long, "Key of its state"),
    Column::new("text", Text, "Its text, as in jsonl"),
    FIELDS,
    NUMBERS,
    Column::new("units", Texts, "Units of fields"),
];

const LOSS_COLUMNS: [Column; 22] = [
    RECORDING,
    SOURCE,
    ROW,
    EPOCH,
    POSITION,
    BYTES,
    HOST,
    HOST_NS,
    TICKS,
    NS,
    CORE,
    Column::new("kind", Text, "`gap`, `drop`, `bad_checksum` …, as in jsonl"),
    SEVERITY,
    Column::maybe("expected", Long, "Expected sequence number"),
    Column::maybe("got", Long, "Sequence number instead"),
    Column::maybe("lost", Long, "Size of the loss"),
    Column::maybe("exact", Bool, "The size is no lower bound"),
    Column::maybe("unit", Text, "What is counted: `record`, `event` …"),
    Column::maybe("cause", Text, "`target`, `line`, `host` or `unknown`"),
    Column::new("text", Text, "Its text"),
    FIELDS,
    NUMBERS,
];

const fn intervals(item: Column) -> [Column; 17] {
    [
        RECORDING,
        SOURCE,
        Column::new("measure", Text, "The measure, as in the statistics"),
        OBJECT,
        OBJECT_KEY,
        OBJECT_TYPE,
        item,
        CORE,
        Column::new("begin_row", Long, "`row_no` of the record at its begin"),
        Column::maybe("end_row", Long, "`row_no` of the record at its end; unknown if it was not seen to end"),
        Column::maybe("begin_ticks", Long, "Time stamp of its begin"),
        Column::maybe("begin_ns", Long, "The same in ns"),
        Column::maybe("end_ticks", Long, "Time stamp of its end"),
        Column::maybe("end_ns", Long, "The same in ns"),
        Column::maybe("length_ticks", Long, "Its length"),
        Column::maybe("length_ns", Long, "The same in ns"),
        Column::new("certain", Bool, "No record is missing in it: it did not end and begin again unseen"),
    ]
}

const LEVEL_COLUMNS: [Column; 11] = [
    RECORDING,
    SOURCE,
    ROW,
    TICKS,
    NS,
    Column::new("measure", Text, "`free` or `used` elements, or `value`"),
    OBJECT,
    OBJECT_KEY,
    OBJECT_TYPE,
    Column::new("value", Double, "The number"),
    Column::maybe("capacity", Long, "Elements that it has room for, if the target said it by then"),
];

const RECORDING_COLUMNS: [Column; 22] = [
    RECORDING,
    Column::new("name", Text, "Name of the file without extension"),
    Column::new("path", Text, "The file, as it was named"),
    Column::new("protocol", Text, "Decoder"),
    Column::new("options", Texts, "Options of the decoder that are not its defaults"),
    Column::maybe("build", Text, "Build of the target, as it reported it or as given by `--build`"),
    Column::maybe("first_host", Time, "When the host received the first row"),
    Column::maybe("last_host", Time, "When the host received the last row"),
    Column::maybe("first_ns", Long, "Least time of the target, ns"),
    Column::maybe("last_ns", Long, "Greatest time of the target, ns"),
    BYTES_OF_RECORDING,
    Column::new("record_bytes", Long, "Bytes in records"),
    Column::new("other_bytes", Long, "Bytes in other rows"),
    Column::new("skipped_bytes", Long, "Bytes in no frame"),
    Column::new("pending_bytes", Long, "Bytes of a frame that had not ended; 0 if the stream has ended"),
    Column::new("records", Long, "Rows of `records`"),
    Column::new("losses", Long, "Rows of `losses`"),
    Column::new("lost", Long, "Records lost, at least"),
    Column::new(
        "dropped",
        Long,
        "Records that the target says it dropped; those that sequence numbers show are among the lost",
    ),
    Column::new("lost_exact", Bool, "That is no lower bound"),
    Column::new("spytui", Text, "Version of spytui"),
    Column::new("tables", Int, "Version of the tables"),
];
const BYTES_OF_RECORDING: Column =
    Column::new("bytes", Long, "Bytes of the recording: record + other + skipped + pending");
