//! Value changes (VCD) for viewers of waveforms, of the lanes of a timeline: states as texts, levels and values as numbers.
//! Texts are an extension that GTKWave and Surfer know; with numbers instead, users would have to look up each state.

use std::{
    collections::HashSet,
    io::{self, BufWriter, Write},
    path::Path,
    sync::atomic::AtomicBool,
};

use vcd::{IdCode, TimescaleUnit, Value, VarType, Writer};

use super::{
    capture::{ExportError, Exported, Inputs, TICKS, into_file, unplaced},
    replay_sink::{ReplaySink, in_words},
};
use crate::{
    analysis::{
        objects::Wording,
        timeline::{LaneChange, LaneKey, LaneValue, TimelineRecorder},
    },
    present::Clock,
    row::RowView,
    trace::stream::Sink,
};

/// Writes a new file that appears only when complete. An existing one is replaced only with `replace`.
pub fn export_file(
    inputs: &Inputs<'_>,
    path: &Path,
    replace: bool,
    stop: &AtomicBool,
) -> Result<Exported, ExportError> {
    let first = inputs.first_pass()?;
    in_words(inputs.decoder, &first.found.names, |wording| {
        // Variables stand before their changes.
        let mut found = ValueChanges::new(wording, io::sink());
        inputs.second_pass(&first, &mut found, stop)?;
        into_file(path, replace, |file| {
            let mut out = ValueChanges::new(wording, BufWriter::new(file));
            out.begin(&found).map_err(unplaced)?;
            let fault = inputs.second_pass(&first, &mut out, stop)?;
            out.time(out.lanes.replay.span().1).and_then(|()| out.out.flush()).map_err(unplaced)?;
            let notes = match out.changes {
                0 => vec!["no record has a time and an object: the file is empty".to_owned()],
                _ if out.clock.known() => Vec::new(),
                _ => vec![TICKS.to_owned()],
            };
            Ok(Exported { tracks: found.variables.len() as u64, events: out.changes, notes, fault })
        })
    })
}

struct ValueChanges<'a, W: Write> {
    lanes: ReplaySink<TimelineRecorder>,
    wording: &'a Wording<'a>,
    clock: Clock,
    /// By number of the lane.
    variables: Vec<(LaneKey, VarType)>,
    out: Writer<W>,
    /// The time written last.
    at: Option<u64>,
    changes: u64,
}

impl<'a, W: Write> ValueChanges<'a, W> {
    fn new(wording: &'a Wording<'a>, out: W) -> ValueChanges<'a, W> {
        let mut lanes = ReplaySink::<TimelineRecorder>::new(wording.info);
        lanes.replay.kept = Some(Vec::new());
        let (clock, out) = (Clock::default(), Writer::new(out));
        ValueChanges { lanes, wording, clock, variables: Vec::new(), out, at: None, changes: 0 }
    }

    /// Writes what stands before the changes.
    fn begin(&mut self, found: &ValueChanges<'_, impl Write>) -> io::Result<()> {
        (self.clock, self.variables) = (found.lanes.clock(), found.variables.clone());
        let ValueChanges { out, wording, .. } = self;
        out.version(concat!("spytui ", env!("CARGO_PKG_VERSION")))?;
        out.comment("After a loss all is unknown until a record says it: x, or NaN of a real")?;
        if !self.clock.known() {
            out.comment(TICKS)?;
        }
        out.timescale(1, TimescaleUnit::NS)?;
        let (recorder, mut taken) = (&found.lanes.replay, HashSet::new());
        for (lane, (key, of)) in (0..).zip(&self.variables) {
            let kind = recorder.table.object(key.object).map(|object| wording.kind(key.object, object));
            let level = if recorder.counts_free(lane) { ":free" } else { ":used" };
            let mut name = word(&wording.name(key.object)) + if key.is_level { level } else { "" };
            if !taken.insert((kind, name.clone())) {
                name.push_str(&format!(":{lane}"));
            }
            out.add_module(kind.map_or("object", |kind| kind.word()))?;
            out.var_def(*of, if *of == VarType::String { 1 } else { 64 }, IdCode::from(lane), &name, None)?;
            out.upscope()?;
        }
        out.enddefinitions()
    }

    fn change(&mut self, LaneChange { at, lane, shown }: LaneChange) -> io::Result<()> {
        self.time(at)?;
        self.changes += 1;
        let (id, recorder) = (IdCode::from(lane), &self.lanes.replay);
        let Some((key, of)) = self.variables.get_mut(lane as usize) else { return Ok(()) };
        match (shown, of) {
            (LaneValue::State(state), of) => {
                *of = VarType::String;
                let text =
                    recorder.state(state).map_or_else(String::new, |state| word(&self.wording.state_word(state)));
                // Unlike an unknown one.
                self.out.change_string(id, if text == "x" { "x_" } else { &text })
            }
            (LaneValue::Number(number), VarType::String) => self.out.change_string(id, &number.to_string()),
            (LaneValue::Number(number), VarType::Real) => self.out.change_real(id, number),
            (LaneValue::Number(number), _) => {
                // An empty queue has room for all its elements; how many may be unknown.
                let size = recorder.table.object(key.object).and_then(|object| object.level?.capacity);
                let count = if number.is_finite() { Some(number as u64) } else { size };
                let bits = count.map_or_else(|| "x".to_owned(), |count| format!("{count:b}"));
                writeln!(self.out.writer(), "b{bits} {id}")
            }
            (LaneValue::Unknown, VarType::String) => self.out.change_string(id, "x"),
            (LaneValue::Unknown, VarType::Real) => self.out.change_real(id, f64::NAN),
            (LaneValue::Unknown, _) => self.out.change_vector(id, [Value::X]),
        }
    }

    /// Writes the time of what follows.
    fn time(&mut self, at: u64) -> io::Result<()> {
        let ns = self.clock.ns(at).unwrap_or(at);
        if self.at.replace(ns) == Some(ns) { Ok(()) } else { self.out.timestamp(ns) }
    }
}

impl<W: Write> Sink for ValueChanges<'_, W> {
    fn activities(&self) -> bool {
        true
    }

    fn row(&mut self, item: &RowView<'_>) -> io::Result<()> {
        self.lanes.row(item)?;
        let kept = self.lanes.replay.kept.replace(Vec::new()).unwrap_or_default();
        let new = self.lanes.replay.lanes().skip(self.variables.len());
        self.variables.extend(new.map(|key| (key, if key.is_level { VarType::Wire } else { VarType::Real })));
        kept.into_iter().try_for_each(|change| self.change(change))
    }
}

/// A text as a word of the file.
fn word(text: &str) -> String {
    text.replace(|c: char| !c.is_ascii_graphic() || "[]$\\".contains(c), "_")
}
