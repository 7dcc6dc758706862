//! Compares two captures, and puts what was found into words.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    io::{self, Write as _},
    sync::atomic::AtomicBool,
};

use crossbeam_channel::{Sender, bounded};
use rustc_hash::FxHashMap;
use spytui_plugin_api::{NONE, RowFlags, render::Lookup};

use super::{
    capture::{ExportError, Inputs},
    table::{ALL, ColumnFit, JSON, TEXT, Table, Value, json_object},
};
use crate::{
    analysis::compare::{Compared, Comparison, Difference, Missing, SHOWN, Shift, Sort, compare},
    present::{
        clock::{grouped, short_ns},
        sanitise,
        words::{counted, key_word},
    },
    replay::{Entities, Key, MissingRecords},
    row::RowView,
    store::BlockNames,
    trace::stream::Sink,
};

/// Records passed on together, and the number of such pieces that wait.
const PIECE: usize = 1024;
const PIECES: usize = 16;
/// Labels kept as text.
const LABELS: usize = 200_000;
/// A gap that changed by less is as before: ns, or ticks of a clock with an unknown rate.
const SLACK: [u64; 2] = [1_000, 1_000_000];

/// Two captures compared.
#[derive(Debug)]
pub struct Compare {
    names: [String; 2],
    found: Comparison,
    labels: FxHashMap<u64, String>,
    in_ns: bool,
}

impl Compare {
    /// Reads both captures to their ends, at the same time; `with_times` = times are compared.
    ///
    /// # Errors
    /// If one can't be read, its decoder fails, or `stop` is set.
    pub fn of(
        names: [String; 2],
        runs: [&Inputs<'_>; 2],
        with_times: bool,
        stop: &AtomicBool,
    ) -> Result<Compare, ExportError> {
        let first = [runs[0].first_pass()?, runs[1].first_pass()?];
        let in_ns = first.iter().all(|pass| pass.found.knows_rate());
        let slack = with_times.then_some(SLACK[usize::from(in_ns)]);
        let (found, labels) = std::thread::scope(|scope| {
            let start = |run: usize| {
                let (to, from) = bounded(PIECES);
                let mut sink = CompareSink {
                    to,
                    other: first[1 - run].names(),
                    piece: Vec::new(),
                    labels: FxHashMap::default(),
                    entities: Entities::new(&runs[run].decoder.info, 0),
                    in_ns,
                    records: 0,
                    missing: None,
                    text: Vec::new(),
                };
                let first = &first[run];
                let work = move || match runs[run].second_pass(first, &mut sink, stop)? {
                    Some(fault) => Err(ExportError::Input(io::Error::other(fault))),
                    None => Ok(sink.finish()),
                };
                (scope.spawn(work), from.into_iter().flatten())
            };
            let ((a, records_a), (b, records_b)) = (start(0), start(1));
            let found = compare([records_a, records_b], slack);
            let mut labels = a.join().map_err(|_| ExportError::Stopped)??;
            labels.extend(b.join().map_err(|_| ExportError::Stopped)??);
            Ok::<_, ExportError>((found, labels))
        })?;
        Ok(Compare { names, found, labels, in_ns })
    }

    pub fn is_same(&self) -> bool {
        self.found.is_same()
    }

    /// Records of each run.
    pub fn records(&self) -> [u64; 2] {
        self.found.records
    }

    /// Number of the record of the first run where they first differ.
    pub fn first_difference(&self) -> Option<u64> {
        self.found.differences.first().map(|first| first.at[0])
    }
}

/// Passes on what is compared of each record.
struct CompareSink<'a> {
    to: Sender<Vec<Compared>>,
    /// Names of the other run, for what has none in this one: a lost name is no behaviour either.
    other: BlockNames<'a>,
    piece: Vec<Compared>,
    labels: FxHashMap<u64, String>,
    entities: Entities,
    in_ns: bool,
    records: u64,
    missing: Option<u64>,
    text: Vec<u8>,
}

impl CompareSink<'_> {
    fn name(&self, view: &RowView<'_>, key: Key) -> String {
        let own = view.names.get(0, key.space, key.key, key.scope);
        let name = own.or_else(|| self.other.get(0, key.space, key.key, key.scope));
        name.map_or_else(|| key_word(view.info.space(key.space), key.key), sanitise)
    }

    fn label(&mut self, view: &RowView<'_>) -> u64 {
        self.text.clear();
        view.push_kind(&mut self.text);
        let object = view.object_place().map(|(space, scope)| Key { space, key: view.row.obj, scope });
        let signal = view.activities.iter().find(|activity| activity.item_space != NONE);
        let signal = signal.map(|activity| self.entities.named(activity, activity.item_space, activity.item));
        for key in object.into_iter().chain(signal) {
            let name = self.name(view, key);
            let _ = write!(self.text, " {name}");
        }
        let mut hasher = DefaultHasher::new();
        self.text.hash(&mut hasher);
        // 0 is the end.
        let label = hasher.finish().max(1);
        if self.labels.len() < LABELS {
            let text = || String::from_utf8_lossy(&self.text).into_owned();
            self.labels.entry(label).or_insert_with(text);
        }
        label
    }

    fn push(&mut self, record: Compared) {
        self.piece.push(record);
        if self.piece.len() >= PIECE {
            self.send();
        }
    }

    fn send(&mut self) {
        // The comparison reads until both have ended, or one has failed.
        let _ = self.to.send(std::mem::take(&mut self.piece));
    }

    /// Passes on the end; returns the words of the labels.
    fn finish(mut self) -> FxHashMap<u64, String> {
        self.push(Compared::end(self.records, self.missing));
        self.send();
        self.labels
    }
}

impl Sink for CompareSink<'_> {
    fn activities(&self) -> bool {
        true
    }

    fn row(&mut self, view: &RowView<'_>) -> io::Result<()> {
        if view.row.may_hide_records() {
            let count = MissingRecords::of(view.attachments).map_or(0, |missing| missing.count);
            self.missing = Some(self.missing.unwrap_or(0) + count);
        }
        if !view.row.is_record() {
            return Ok(());
        }
        self.records += 1;
        // What things are called is no behaviour.
        if view.row.has(RowFlags::NAMING) {
            return Ok(());
        }
        let ticks = view.row.has_time().then_some(view.row.time);
        let time = if self.in_ns { ticks.and_then(|ticks| view.clock.ns(ticks)) } else { ticks };
        let record = Compared { label: self.label(view), n: self.records, time, missing: self.missing.take() };
        self.push(record);
        Ok(())
    }
}

const RUNS: [&str; 2] = ["A", "B"];

impl Compare {
    fn word(&self, label: u64) -> &str {
        self.labels.get(&label).map_or("(a further kind of record)", String::as_str)
    }

    fn time(&self, value: u64) -> String {
        if self.in_ns { short_ns(value) } else { format!("{} ticks", grouped(value)) }
    }

    /// What was found, in words and tables.
    pub fn text(&self) -> String {
        let found = &self.found;
        let mut text = String::new();
        for ((run, name), records) in RUNS.iter().zip(&self.names).zip(found.records) {
            text.push_str(&format!("{run}  {name}: {} compared\n", counted(records, "record")));
        }
        let alike = format!("{} alike, in the same order", counted(found.same, "record"));
        let verdict = match (self.is_same(), found.losses) {
            (false, _) => "different",
            (true, 0) => "no difference",
            (true, _) => "no difference where both have records",
        };
        text.push_str(&format!("{verdict}: {alike}\n"));
        if found.different > 0 {
            text.push_str(&format!("\nfirst divergence\n{}", self.divergence()));
        }
        let sections = [
            (
                counted(found.different, "difference"),
                found.different,
                found.differences.len(),
                self.differences().text(true),
            ),
            (counted(found.losses, "loss"), found.losses, found.missing.len(), self.missing().text(true)),
            (counted(found.shifted, "other time"), found.shifted, found.shifts.len(), self.shifts().text(true)),
        ];
        for (heading, all, listed, table) in sections.into_iter().filter(|(_, all, ..)| *all > 0) {
            text.push_str(&format!("\n{heading}\n{table}"));
            if all > listed as u64 {
                text.push_str(&format!("and {} more\n", grouped(all - listed as u64)));
            }
        }
        let counts = self.counts();
        if !counts.is_empty() {
            let why = if found.losses > 0 { " (missing records may be among them)" } else { "" };
            text.push_str(&format!("\nother counts{why}\n{}", count_table(&counts).text(true)));
        }
        text
    }

    /// One JSON object, ended by a newline.
    pub fn json(&self) -> Vec<u8> {
        let found = &self.found;
        let counts = self.counts();
        json_object(|object| {
            object.string("a", self.names[0].as_bytes());
            object.string("b", self.names[1].as_bytes());
            Value::Flag(self.is_same()).json(object, "same", false);
            object.number("records_a", found.records[0]);
            object.number("records_b", found.records[1]);
            object.number("alike", found.same);
            object.string("unit", if self.in_ns { b"ns" } else { b"ticks" });
            object.number("different", found.different);
            self.differences().json().json(object, "differences", false);
            object.number("losses", found.losses);
            self.missing().json().json(object, "missing", false);
            object.number("shifted", found.shifted);
            self.shifts().json().json(object, "times", false);
            count_table(&counts).json().json(object, "counts", false);
        })
    }

    /// The first difference with the records around it; `-` is only in A, `+` only in B.
    fn divergence(&self) -> String {
        let Some(first) = self.found.differences.first() else { return String::new() };
        let line = |sign: char, at: [Option<u64>; 2], label: u64| {
            let [a, b] = at.map(|n| n.map_or(String::new(), |n| format!("#{n}")));
            format!("{sign} {a:>9} {b:>9}  {}\n", self.word(label))
        };
        let both = |pair: &[Compared; 2]| line(' ', [Some(pair[0].n), Some(pair[1].n)], pair[0].label);
        let mut text: String = self.found.before.iter().map(both).collect();
        for (run, sign) in [(0, '-'), (1, '+')] {
            for record in &first.records[run] {
                let mut at = [None; 2];
                at[run] = Some(record.n);
                text.push_str(&line(sign, at, record.label));
            }
            if first.count[run] > first.records[run].len() {
                text.push_str(&format!("{sign} and {} more\n", grouped((first.count[run] - SHOWN) as u64)));
            }
        }
        text + &self.found.after.iter().map(both).collect::<String>()
    }

    fn differences(&self) -> Table<'_, Difference> {
        let said = |records: &[Compared], count: usize| {
            let words: Vec<&str> = records.iter().take(2).map(|record| self.word(record.label)).collect();
            let more = count.saturating_sub(words.len());
            words.join(", ") + &if more > 0 { format!(" and {} more", grouped(more as u64)) } else { String::new() }
        };
        let records = move |of: &Difference| match of.sort {
            Sort::OnlyIn(run) => said(&of.records[run], of.count[run]),
            Sort::Order => said(&of.records[0], of.count[0]),
            Sort::Other => {
                let [a, b] = [0, 1].map(|run: usize| said(&of.records[run], of.count[run]));
                format!("{a} → {b}")
            }
        };
        let table = Table::new(&self.found.differences, false).column(ALL, "what", |of| match of.sort {
            Sort::OnlyIn(run) => format!("only in {}", RUNS[run]),
            Sort::Order => "other order".to_owned(),
            Sort::Other => "other records".to_owned(),
        });
        with_places(table, |of| of.at)
            .column(JSON, "count_a", |of| of.count[0] as u64)
            .column(JSON, "count_b", |of| of.count[1] as u64)
            .column(ALL, "records", records)
            .column(JSON, "unsure", |of| of.is_unsure)
            .column(TEXT, "", |of| of.is_unsure.then_some("beside missing records"))
    }

    fn missing(&self) -> Table<'_, Missing> {
        with_places(Table::new(&self.found.missing, false).column(ALL, "in", |of| RUNS[of.run]), |of| of.at)
            .column(JSON, "missing", |of| Some(of.count).filter(|count| *count > 0))
            .column(TEXT, "what", |of| match of.count {
                0 => "records may be missing here: what they said is unknown".to_owned(),
                count => format!("{} missing here: what they said is unknown", counted(count, "record")),
            })
            .column(JSON, "other", |of| of.other as u64)
            .column(TEXT, "the other run has", |of| Some(of.other as u64).filter(|other| *other > 0))
            .fit(ColumnFit::number(0))
    }

    fn shifts(&self) -> Table<'_, Shift> {
        let table = Table::new(&self.found.shifts, false).column(ALL, "record", |of| self.word(of.label).to_owned());
        with_places(table, |of| of.at)
            .column(TEXT, "after, in A", |of| self.time(of.gaps[0]))
            .column(TEXT, "after, in B", |of| self.time(of.gaps[1]))
            .column(JSON, "after_a", |of| of.gaps[0])
            .column(JSON, "after_b", |of| of.gaps[1])
    }

    /// Labels that one run has more often, the greatest differences first.
    fn counts(&self) -> Vec<(String, [u64; 2])> {
        let counts = self.found.counts.iter().filter(|(_, [a, b])| a != b);
        let mut counts: Vec<_> = counts.map(|(label, counts)| (self.word(*label).to_owned(), *counts)).collect();
        counts.sort_by(|(x, a), (y, b)| b[0].abs_diff(b[1]).cmp(&a[0].abs_diff(a[1])).then_with(|| x.cmp(y)));
        counts.truncate(crate::analysis::compare::LISTED);
        counts
    }
}

/// Adds where something is in both runs.
fn with_places<'a, T>(table: Table<'a, T>, at: fn(&T) -> [u64; 2]) -> Table<'a, T> {
    table
        .column(TEXT, "at A", move |of| format!("#{}", at(of)[0]))
        .column(TEXT, "at B", move |of| format!("#{}", at(of)[1]))
        .column(JSON, "a", move |of| at(of)[0])
        .column(JSON, "b", move |of| at(of)[1])
}

fn count_table(counts: &[(String, [u64; 2])]) -> Table<'_, (String, [u64; 2])> {
    Table::new(counts, false)
        .column(ALL, "record", |(word, _)| word.clone())
        .column(TEXT, "in A", |(_, counts)| counts[0])
        .fit(ColumnFit::number(0))
        .column(TEXT, "in B", |(_, counts)| counts[1])
        .fit(ColumnFit::number(0))
        .column(JSON, "a", |(_, counts)| counts[0])
        .column(JSON, "b", |(_, counts)| counts[1])
}
