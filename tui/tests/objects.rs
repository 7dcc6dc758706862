//! Objects at a record: a jump leads to the same result as reading the stream from its first byte, on clean and damaged
//! captures of all protocols.

use std::{collections::BTreeMap, fs, io, path::PathBuf, sync::Arc};

use spytui_engine::{
    analysis::{
        Key, Reader,
        objects::{FedRow, Moment, ObjectKind, ObjectTable, TrackedObject},
    },
    io::log::{LogOptions, RawLog},
    open::{Decoder, Options, Origin, Registry},
    row::RowView,
    store::rows::BUDGET,
    trace::list::{ObjectHistory, RowList, Walking},
    trace::session::{Decoding, thread::DecodeLoop},
    trace::stream::Sink,
};
use spytui_plugin_api::LibraryRef;
use spytui_plugin_host::kit::Random;
use spytui_plugin_layer::{Check, decoder};

use crate::pipeline::decode;

/// Rows at which objects are compared, per capture: more than a thousand in all.
const JUMPS: usize = 60;
/// The same for a stream of several segments, where a jump takes longer.
const FAR_JUMPS: usize = 12;

/// A protocol with its captures.
pub(crate) struct Protocol {
    pub(crate) id: &'static str,
    folder: &'static str,
    plugin: fn() -> LibraryRef,
    pub(crate) captures: &'static [&'static str],
}

pub(crate) const PROTOCOLS: [Protocol; 4] = [
    Protocol {
        id: "qs",
        folder: "qs",
        plugin: spytui_decoder_qs::plugin,
        captures: &[
            "oven-734.bin",
            "oven-734-drops.bin",
            "oven-734-flips.bin",
            "oven-734-nodict.bin",
            "oven-734-small-assert.bin",
            "oven-815-garbage.bin",
            "every-record-812.bin",
        ],
    },
    Protocol {
        id: "rkh",
        folder: "rkh-trazer",
        plugin: spytui_decoder_rkh::plugin,
        captures: &["gh340-default.bin", "gh340-default-flip.bin", "el323-sig2-drop.bin", "el340-filtered-mix.bin"],
    },
    Protocol {
        id: "tband",
        folder: "tband",
        plugin: spytui_decoder_tband::plugin,
        captures: &["brew_stream.bin", "brew_late.bin", "boiler_drops.bin", "damaged_brew_gaps.bin"],
    },
    Protocol {
        id: "qnx",
        folder: "qnx",
        plugin: spytui_decoder_qnx::plugin,
        captures: &["fast-2cpu.kev", "gaps-damaged.kev", "ring-4cpu.kev", "smp-8.0.kev"],
    },
];

impl Protocol {
    pub(crate) fn decoder(&self) -> Arc<Decoder> {
        let mut registry = Registry::new();
        registry.add((self.plugin)(), &Origin::BuiltIn).unwrap();
        registry.find(self.id).unwrap()
    }

    pub(crate) fn path(&self, capture: &str) -> PathBuf {
        let captures = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../decoders").join(self.folder);
        captures.join("tests/captures").join(capture)
    }

    /// The options of a capture: its configuration, and what it does not report itself.
    pub(crate) fn options(&self, decoder: &Decoder, capture: &str) -> Options {
        let cfg = self.path(capture).with_extension("cfg");
        let mut options: Vec<String> = cfg.exists().then(|| format!("cfg={}", cfg.display())).into_iter().collect();
        if capture.contains("drops") && self.id == "qs" {
            options.extend(["obj-ptr=8".to_owned(), "fun-ptr=8".to_owned()]);
        }
        Options::parse(&decoder.info, &options).unwrap()
    }
}

/// All rows of one source, decoded as on the screen.
pub(crate) fn list(decoder: &Arc<Decoder>, options: &Options, bytes: &[u8]) -> RowList {
    let log = RawLog::new(&LogOptions::default());
    log.append(bytes, 1);
    log.end(1);
    let decoding = Arc::new(Decoding::new(decoder.clone(), options.clone(), log, 0, 0, BUDGET));
    let mut decode = DecodeLoop::open(decoding.clone()).unwrap();
    while decode.step().unwrap() {}
    RowList::new(vec![decoding])
}

/// Everything known after a row.
type Known = Vec<(Key, TrackedObject, bool, bool)>;

fn known(table: &ObjectTable) -> Known {
    let level = |object: &TrackedObject| object.level.is_some_and(|level| table.is_level_unsure(&level));
    let all = table.objects().map(|(key, object)| (key, object.clone(), table.is_unsure(object), level(object)));
    let mut all: Known = all.collect();
    all.sort_by_key(|known| known.0);
    all
}

/// Reads a stream from its first byte, and remembers what is known after some rows.
struct FromTheFirst {
    table: ObjectTable,
    rows: u64,
    records: u64,
    known: BTreeMap<u64, Option<Known>>,
}

impl Sink for FromTheFirst {
    fn activities(&self) -> bool {
        true
    }

    fn row(&mut self, view: &RowView<'_>) -> io::Result<()> {
        self.records += u64::from(view.row.is_record());
        let time = view.row.has_time().then_some(view.row.time);
        let at = Moment { row: self.rows, n: self.records, source: 0, time };
        self.table.row(&FedRow::new(view.row, at, view.epoch), view.activities);
        if let Some(slot) = self.known.get_mut(&self.rows) {
            *slot = Some(known(&self.table));
        }
        self.rows += 1;
        Ok(())
    }
}

/// What is known after these rows, from the first byte on; and the number of rows.
fn from_the_first(
    decoder: &Arc<Decoder>,
    options: &Options,
    bytes: &[u8],
    rows: impl IntoIterator<Item = u64>,
) -> FromTheFirst {
    let known = rows.into_iter().map(|row| (row, None)).collect();
    let mut sink = FromTheFirst { table: ObjectTable::new(&decoder.info), rows: 0, records: 0, known };
    decode(decoder, options, bytes, 1 << 16, &mut sink);
    sink
}

/// Compares jumps with reading from the first byte.
fn jumps_agree(protocol: &Protocol, capture: &str, (times, jumps): (usize, usize), every: u64, budget: usize) {
    let (decoder, bytes) = (protocol.decoder(), fs::read(protocol.path(capture)).unwrap().repeat(times));
    let options = protocol.options(&decoder, capture);
    let list = list(&decoder, &options, &bytes);
    let mut random = Random::new(7);
    let rows: Vec<u64> =
        (0..jumps).map(|_| random.below(list.len() as usize) as u64).chain([0, list.len() - 1]).collect();
    let expected = from_the_first(&decoder, &options, &bytes, rows.iter().copied());
    assert_eq!(expected.rows, list.len(), "{capture}: the list has other rows");
    let mut history = ObjectHistory::keeping(&list, every, budget);
    while history.work(&list) {}
    assert_eq!((history.failure(), history.walked()), (None, list.len()), "{capture}");
    assert!(history.memory() <= budget, "{capture}: {} bytes", history.memory());
    let mut objects = 0;
    for row in rows {
        let found = known(history.at(&list, row).unwrap_or_else(|| panic!("{capture}: nothing is known at row {row}")));
        objects = objects.max(found.len());
        let expected = expected.known.get(&row).cloned().flatten().unwrap();
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found, expected, "{capture}, row {row}");
        }
        assert_eq!(found.len(), expected.len(), "{capture}, row {row}");
        // Rows are read in thousands, and vectors grow by half their size.
        assert!(history.memory() <= budget + (2 << 20), "{capture}, row {row}: {} bytes", history.memory());
    }
    assert!(objects > 4, "{capture}: only {objects} objects");
}

#[test]
fn a_jump_finds_what_a_replay_from_the_first_record_finds() {
    for protocol in &PROTOCOLS {
        for capture in protocol.captures {
            jumps_agree(protocol, capture, (1, JUMPS), 256, BUDGET);
        }
    }
}

#[test]
fn also_across_segments_and_resets_of_the_target() {
    for protocol in &PROTOCOLS {
        let times = match protocol.id {
            "qs" => 32,
            "rkh" => 40,
            _ => 80,
        };
        jumps_agree(protocol, protocol.captures[1], (times, FAR_JUMPS), 1 << 14, BUDGET);
    }
}

#[test]
fn also_with_little_memory_which_it_keeps_to() {
    const LITTLE: usize = 2 << 20;
    for protocol in &PROTOCOLS {
        // No table is kept in between, so that all rows before one are read.
        jumps_agree(protocol, protocol.captures[1], (32, FAR_JUMPS), 1 << 20, LITTLE);
    }
}

/// Followed live, in pieces of any size, with pauses in which nobody looks.
#[test]
fn who_follows_live_finds_the_same() {
    for protocol in &PROTOCOLS {
        let (capture, mut random) = (protocol.captures[1], Random::new(11));
        let (decoder, bytes) = (protocol.decoder(), fs::read(protocol.path(capture)).unwrap().repeat(3));
        let options = protocol.options(&decoder, capture);
        let log = RawLog::new(&LogOptions::default());
        let decoding = Arc::new(Decoding::new(decoder.clone(), options.clone(), log.clone(), 0, 0, BUDGET));
        let mut decode = DecodeLoop::open(decoding.clone()).unwrap();
        let list = RowList::new(vec![decoding]);
        let mut history = ObjectHistory::keeping(&list, 256, BUDGET);
        let (mut rest, mut followed) = (bytes.as_slice(), Vec::new());
        while !rest.is_empty() {
            let (piece, others) = rest.split_at((1 + random.below(bytes.len() / 20)).min(rest.len()));
            rest = others;
            log.append(piece, 1);
            while decode.step().unwrap() {}
            if random.below(3) > 0 {
                while history.work(&list) {}
                followed.extend(list.len().checked_sub(1).map(|row| (row, known(history.newest()))));
            }
        }
        assert_eq!(history.failure(), None, "{capture}");
        let expected = from_the_first(&decoder, &options, &bytes, followed.iter().map(|(row, _)| *row));
        assert!(followed.len() > 8, "{capture}");
        for (row, found) in &followed {
            assert_eq!(Some(found), expected.known[row].as_ref(), "{capture}, row {row}");
        }
    }
}

/// More rows than are kept for followers arrive while nobody looks.
#[test]
fn who_looks_again_after_a_long_pause_finds_the_same() {
    let protocol = &PROTOCOLS[0];
    let (decoder, capture) = (protocol.decoder(), fs::read(protocol.path("oven-734-flips.bin")).unwrap());
    let log = RawLog::new(&LogOptions::default());
    let decoding = Arc::new(Decoding::new(decoder.clone(), Options::default(), log.clone(), 0, 0, BUDGET));
    let mut decode = DecodeLoop::open(decoding.clone()).unwrap();
    let list = RowList::new(vec![decoding]);
    let mut history = ObjectHistory::new(&list);
    let mut times = 0;
    for pause in [1, 1, 34, 1, 1] {
        for _ in 0..pause {
            log.append(&capture, 1);
            while decode.step().unwrap() {}
        }
        while history.work(&list) {}
        times += pause;
    }
    let (bytes, last) = (capture.repeat(times), list.len() - 1);
    let expected = from_the_first(&decoder, &Options::default(), &bytes, [last]);
    assert_eq!((history.failure(), history.walked()), (None, last + 1));
    assert_eq!(Some(&known(history.newest())), expected.known[&last].as_ref());
}

/// A frame of the example `a5`.
fn a5_frame(kind: u8, sequence: u8, time: u32, payload: &[u8]) -> Vec<u8> {
    let content = [&time.to_le_bytes(), payload].concat();
    let mut frame = [&[0xA5, content.len() as u8, kind, sequence][..], &content].concat();
    frame.push(Check::CRC8.of(&frame[1..]) as u8);
    frame
}

/// A decoder on a page reports the meaning of records, and does not know objects.
#[test]
fn states_and_values_of_a_decoder_on_a_page_are_objects() {
    let mut registry = Registry::new();
    let library = spytui_plugin_api::library!("a5", decoders: [decoder::<a5::A5>()]);
    registry.add(library, &Origin::BuiltIn).unwrap();
    let bytes = [
        a5_frame(3, 0, 10, &[7, 1, 2]),
        a5_frame(2, 1, 20, &[1, 0xFE, 0xFF]),
        a5_frame(1, 2, 40, b"a log"),
        a5_frame(5, 3, 40, b"\x00\x07pump"),
        a5_frame(5, 4, 40, b"\x02\x02run"),
    ];
    let list = list(&registry.find("a5").unwrap(), &Options::default(), &bytes.concat());
    let mut history = ObjectHistory::new(&list);
    while history.work(&list) {}
    let lines = history.lines(&list, 2, true).unwrap();
    let found: Vec<_> = lines.iter().map(|line| (line.kind, line.name.as_str(), line.state.as_str())).collect();
    // Later names apply to earlier rows.
    assert_eq!(found, [(ObjectKind::Machine, "pump", "run"), (ObjectKind::Value, "channel 1", "-2")]);
    assert_eq!(lines[0].since.map(|since| since.n), Some(1));
}

#[test]
fn few_bytes_for_tables_make_it_slower_but_not_wrong() {
    jumps_agree(&PROTOCOLS[0], "oven-734.bin", (2, JUMPS), 64, 100 << 10);
}

#[test]
fn changes_of_an_object_are_where_its_state_begins() {
    for protocol in &PROTOCOLS {
        let capture = protocol.captures[1];
        let (decoder, bytes) = (protocol.decoder(), fs::read(protocol.path(capture)).unwrap().repeat(2));
        let options = protocol.options(&decoder, capture);
        let list = list(&decoder, &options, &bytes);
        let mut history = ObjectHistory::keeping(&list, 500, BUDGET);
        while history.work(&list) {}
        let mut began: BTreeMap<Key, Vec<u64>> = BTreeMap::new();
        for row in 0..list.len() {
            let table = history.at(&list, row).unwrap();
            for (key, _) in table.objects().filter(|(_, object)| object.began() == Some(row)) {
                began.entry(key).or_default().push(row);
            }
        }
        let mut random = Random::new(3);
        for (key, rows) in &began {
            for _ in 0..2 {
                let row = random.below(list.len() as usize) as u64;
                let before = rows.iter().rev().find(|began| **began < row).copied();
                let after = rows.iter().find(|began| **began > row).copied();
                let found = history.change_after(&list, row, *key);
                assert_eq!(found, after, "{capture}: {key:?} behind row {row}");
                // A reset of the target forgets earlier states.
                let found = history.change_before(&list, row, *key);
                assert!(found.is_none() || found == before, "{capture}: {key:?} before row {row}");
            }
        }
        assert!(began.len() > 4, "{capture}");
    }
}
