//! Tables for databases: the records of a capture, its losses, and what the replay knows of objects, as Parquet files
//! in the folders that query engines expect: `TABLE/target=…/date=…/NAME-HASH.parquet`.
//!
//! | module | what is in it |
//! |---|---|
//! | [`schema`] | the tables and their columns |
//! | [`mod@column`] | columns, and the values of a row group |
//! | `file` | a file of a table, which appears only when complete |
//! | `records` | rows of the stream as rows of `records` and `losses` |
//! | `measured` | what the replay measures as rows of `spans`, `states` and `levels` |

pub mod column;
mod file;
mod measured;
mod records;
pub mod schema;

use std::{
    fmt::Write as _,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::Arc,
};

use jiff::Timestamp;
use spytui_plugin_api::{
    NONE, RowFlags, RowKind, Verb,
    info::{prop, space},
    render::{Lookup as _, Want},
};
use twox_hash::xxhash3_128::Hasher;

use self::{
    column::{NamedTexts, RowGroup},
    file::TableFile,
    measured::MeasuredAt,
    records::RowCells,
    schema::{LEVELS, LOSSES, RECORDINGS, RECORDS, SPANS, STATES, TableSchema, VERSION},
};
use crate::{
    analysis::{
        objects::Wording,
        statistics::{
            Measure,
            tally::{Measurement, Subject},
        },
    },
    export::replay_sink::StatisticsSink,
    open::{Decoder, Options},
    present::Clock,
    replay::{Key, Stamp},
    row::RowView,
    store::{BlockNames, Counters, Dictionary, RowNames, View},
    trace::stream::Sink,
};

/// What the tables say about a recording besides its rows.
#[derive(Debug, Clone, Default)]
pub struct RecordingFacts {
    /// Of the folder; any text.
    pub target: String,
    /// The file's name without extension.
    pub name: String,
    /// Hash of the content and of how it is read; of tables written while bytes arrive, of the time.
    pub hash: u128,
    pub path: String,
    pub protocol: String,
    /// Options that are not the decoder's defaults.
    pub options: Vec<(String, String)>,
    /// Given by the user; otherwise the target may report it.
    pub build: Option<String>,
    /// When it began, Unix ns.
    pub start_ns: Option<u64>,
}

impl RecordingFacts {
    /// Facts of a link, whose tables are written while bytes arrive: its content is not known yet, so the time stands for
    /// it.
    pub fn of_run(link: &str, decoder: &Decoder, options: &Options) -> RecordingFacts {
        let now = Timestamp::now();
        RecordingFacts {
            target: link.to_owned(),
            name: now.strftime("%Y%m%d-%H%M%S").to_string(),
            hash: now.as_nanosecond() as u128,
            path: link.to_owned(),
            protocol: decoder.info.id.to_string(),
            options: options.to_keep(&decoder.info),
            build: None,
            start_ns: u64::try_from(now.as_nanosecond()).ok(),
        }
    }

    /// Name and hash: what all its rows and files are called.
    pub fn recording(&self) -> String {
        format!("{}-{:016x}", self.name, self.hash as u64 ^ (self.hash >> 64) as u64)
    }

    /// Its file of a table, below the folder of all tables.
    pub fn path_of(&self, folder: &Path, table: &str) -> PathBuf {
        let date = self.start_ns.and_then(|ns| Timestamp::from_nanosecond(ns.into()).ok());
        let date = date.map_or_else(|| "unknown".to_owned(), |time| time.strftime("%Y-%m-%d").to_string());
        let (target, file) = (file_word(&self.target), file_word(&self.recording()));
        folder.join(table).join(format!("target={target}")).join(format!("date={date}")).join(file + ".parquet")
    }

    /// Whether its tables are complete.
    pub fn is_exported(&self, folder: &Path) -> bool {
        self.path_of(folder, RECORDINGS.name).is_file()
    }
}

/// The hash of a recording's content and of how it is read: the same name stands for the same rows.
pub fn content_hash(mut content: impl Read, protocol: &str, options: &[(String, String)]) -> io::Result<u128> {
    let mut hasher = Hasher::new();
    let mut piece = vec![0; 1 << 16];
    loop {
        match content.read(&mut piece)? {
            0 => break,
            len => hasher.write(&piece[..len]),
        }
    }
    for text in options.iter().flat_map(|(key, value)| [key.as_str(), value]).chain([protocol]) {
        hasher.write(text.as_bytes());
        hasher.write(&[0]);
    }
    hasher.write(&VERSION.to_le_bytes());
    Ok(hasher.finish_128())
}

/// A text as part of a path that query engines understand: other characters are escaped as in URLs.
fn file_word(text: &str) -> String {
    let mut word = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'+' => word.push(byte.into()),
            b'.' if !word.is_empty() => word.push('.'),
            // Writing to a string never fails.
            _ => drop(write!(word, "%{byte:02X}")),
        }
    }
    word
}

/// Number of rows of the tables of a recording.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TableCounts {
    pub records: u64,
    pub losses: u64,
}

/// Writes the tables of one recording.
#[derive(Debug)]
pub struct TablesSink {
    facts: RecordingFacts,
    recording: Vec<u8>,
    records: TableFile,
    losses: TableFile,
    measured: MeasuredTables,
    folder: PathBuf,
    decoder: Arc<Decoder>,
    cells: RowCells,
    replay: StatisticsSink,
    counts: TableCounts,
    epoch: u32,
    clock: Clock,
    source: u16,
    hosts: Extent,
    times: Extent,
}

/// The least and the greatest of some numbers.
#[derive(Debug, Clone, Copy, Default)]
struct Extent(Option<(u64, u64)>);

impl Extent {
    fn add(&mut self, number: u64) {
        let (least, greatest) = self.0.unwrap_or((number, number));
        self.0 = Some((least.min(number), greatest.max(number)));
    }

    fn ends(&self) -> [Option<u64>; 2] {
        [self.0.map(|ends| ends.0), self.0.map(|ends| ends.1)]
    }
}

impl TablesSink {
    /// Creates the files of all tables but that of recordings. Errors: they can't be created.
    pub fn create(folder: &Path, facts: RecordingFacts, decoder: &Arc<Decoder>) -> io::Result<TablesSink> {
        let create = |table: &TableSchema| TableFile::create(&facts.path_of(folder, table.name), table);
        let mut replay = StatisticsSink::new(&decoder.info);
        replay.replay.observer.tally.kept = Some(Vec::new());
        Ok(TablesSink {
            recording: facts.recording().into_bytes(),
            records: create(&RECORDS)?,
            losses: create(&LOSSES)?,
            measured: MeasuredTables { spans: create(&SPANS)?, states: create(&STATES)?, levels: create(&LEVELS)? },
            folder: folder.to_owned(),
            facts,
            decoder: decoder.clone(),
            cells: RowCells::default(),
            replay,
            counts: TableCounts::default(),
            epoch: 0,
            clock: Clock::default(),
            source: 0,
            hosts: Extent::default(),
            times: Extent::default(),
        })
    }

    /// Completes the tables, that of the recordings last. Errors: a file can't be written.
    pub fn finish(mut self, names: &Dictionary, counters: &Counters) -> io::Result<TableCounts> {
        let names = BlockNames::newest(names, View::AsOf, false);
        self.leave_open(&names)?;
        let own = names.get(0, space::PROPS, prop::BUILD_ID, 0).map(|id| String::from_utf8_lossy(id).into_owned());
        let build = self.facts.build.take().or(own.filter(|id| !id.is_empty()));
        let mut recordings = TableFile::create(&self.facts.path_of(&self.folder, RECORDINGS.name), &RECORDINGS)?;
        self.recording_row(build, counters, &mut recordings.rows);
        let TablesSink { records, losses, measured: MeasuredTables { spans, states, levels }, .. } = self;
        for file in [records, losses, spans, states, levels, recordings] {
            file.finish()?;
        }
        Ok(self.counts)
    }

    fn recording_row(&self, build: Option<String>, counters: &Counters, out: &mut RowGroup) {
        let RecordingFacts { name, path, protocol, .. } = &self.facts;
        let mut options = NamedTexts::default();
        for (key, value) in &self.facts.options {
            options.add(key.as_bytes(), |out| out.extend_from_slice(value.as_bytes()));
        }
        out.text(&self.recording);
        [name, path, protocol].into_iter().for_each(|text| out.text(text.as_bytes()));
        out.texts(&options);
        out.maybe_text(build.as_ref().map(String::as_bytes));
        self.hosts.ends().into_iter().for_each(|ns| out.long(ns.map(|ns| ns / 1_000)));
        self.times.ends().into_iter().for_each(|ns| out.long(ns));
        let rows = &counters.rows;
        for number in [counters.fed, rows.record_bytes, rows.other_bytes, rows.skipped_bytes, counters.pending_bytes] {
            out.long(number);
        }
        [self.counts.records, self.counts.losses, rows.lost, rows.dropped]
            .into_iter()
            .for_each(|number| out.long(number));
        out.bool(counters.is_lost_exact(&self.decoder.info));
        out.text(env!("CARGO_PKG_VERSION").as_bytes());
        out.int(VERSION);
        out.end_row();
    }

    /// Writes the intervals that nothing was seen to end: what the target did when it was reset, or at the end.
    fn leave_open(&mut self, names: &dyn RowNames) -> io::Result<()> {
        let statistics = &self.replay.replay;
        let open = statistics.open_intervals().map(|open| {
            let object = open.object.map(|object| statistics.key(object));
            let core = open.core.unwrap_or(NONE);
            let subject = Subject { kind: RowKind::default(), group: 0, core, object, signal: open.signal };
            Measurement { measure: open.measure, subject, begin: Some(open.begin), value: 0 }
        });
        let open: Vec<Measurement> = open.collect();
        // The last row may have no time of its own.
        let here = Stamp { time: statistics.last().time, ..statistics.here() };
        self.measurements(&open, here, names, false)
    }

    /// Writes what was measured at a row; with `ends` unset, intervals are still open there.
    fn measurements(&mut self, all: &[Measurement], here: Stamp, names: &dyn RowNames, ends: bool) -> io::Result<()> {
        let of_formats = |key: Key| self.decoder.formatting.track_name(key.space, key.key);
        let at = MeasuredAt {
            recording: &self.recording,
            source: self.source.into(),
            clock: &self.clock,
            wording: &Wording { info: &self.decoder.info, names, of_formats: &of_formats },
            here,
        };
        all.iter().try_for_each(|measurement| self.measured.add(measurement, &at, ends))
    }
}

/// The tables of what the replay measures.
#[derive(Debug)]
struct MeasuredTables {
    spans: TableFile,
    states: TableFile,
    levels: TableFile,
}

impl MeasuredTables {
    fn add(&mut self, measurement: &Measurement, at: &MeasuredAt<'_>, ends: bool) -> io::Result<()> {
        let out = match (measurement.measure, measurement.begin) {
            (_, None) => {
                at.level(measurement, &mut self.levels.rows);
                return self.levels.look();
            }
            (Measure::State, Some(_)) => &mut self.states,
            _ => &mut self.spans,
        };
        at.interval(measurement, ends, &mut out.rows);
        out.look()
    }
}

impl Sink for TablesSink {
    fn want(&self) -> Want {
        Want::TEXT | Want::FIELDS
    }

    fn activities(&self) -> bool {
        true
    }

    fn row(&mut self, item: &RowView<'_>) -> io::Result<()> {
        let is_reset = item.epoch != std::mem::replace(&mut self.epoch, item.epoch)
            || item.activities.iter().any(|activity| activity.verb == Verb::RESET);
        if is_reset {
            self.leave_open(item.names)?;
        }
        if item.clock.known() {
            self.clock = item.clock;
        }
        self.source = item.source.unwrap_or(0);
        item.host_ns.into_iter().for_each(|ns| self.hosts.add(ns));
        item.ns().filter(|_| item.row.has(RowFlags::TIME_OWN)).into_iter().for_each(|ns| self.times.add(ns));
        let row = self.counts.records + self.counts.losses;
        if item.row.is_record() {
            self.cells.record(item, &self.recording, row, &mut self.records.rows);
            self.counts.records += 1;
            self.records.look()?;
        } else {
            self.cells.loss(item, &self.recording, row, &mut self.losses.rows);
            self.counts.losses += 1;
            self.losses.look()?;
        }
        self.replay.row(item)?;
        let mut kept = self.replay.replay.observer.tally.kept.take().unwrap_or_default();
        self.measurements(&kept, self.replay.replay.here(), item.names, true)?;
        kept.clear();
        self.replay.replay.observer.tally.kept = Some(kept);
        Ok(())
    }
}
