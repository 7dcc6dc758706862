//! The steps around a list row, with names as in the list.

use std::sync::Arc;

use spytui_engine::{
    analysis::{
        Key, Reader,
        lifelines::{ChosenLifelines, Lifeline, LifelineNames, Lifelines},
        sequence::{Happening, How, SequenceStep, Sequencer},
    },
    present::sanitise,
    store::{Shape, View},
    trace::{
        list::{RenderRequest, RowList, RowRenderer, walk::worded_in},
        session::decoding::CauseRange,
    },
};
use spytui_plugin_api::{RowKind, Verb, Want, row::RowFlags};

use super::{LIFELINES, NEAR};
use crate::model::{Model, details::changes};

/// Rows examined before and after the cursor row, as long as there are few steps.
const REACHES: [u64; 3] = [2_048, 8_192, 32_768];
/// Earlier rows whose steps are not shown: they lead to those that are.
const LEAD: u64 = 1_024;
/// Number of pages of steps searched.
const PAGES: usize = 4;
/// How often the search for more steps continues beyond the known ones.
const FURTHER: u64 = 16;

/// Parameters of the steps, apart from the rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StepRequest {
    chosen: String,
    short: bool,
    taken: bool,
    /// Number of changes of names and loss sizes, and of renumberings of rows.
    changes: (u64, u64),
    len: u64,
}

impl StepRequest {
    pub(super) fn of(model: &Model, taken: bool) -> StepRequest {
        let rows = &model.list.rows;
        StepRequest {
            chosen: model.settings.config.text(LIFELINES).to_owned(),
            short: model.list.page.short,
            taken,
            changes: (changes(rows), rows.rebuilt()),
            len: rows.len(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SequenceLine {
    pub(super) row: u64,
    /// Time since the previous line; empty if either has no time.
    pub(super) delta: String,
    pub(super) what: StepContent,
}

/// Content of a line, with lifelines by index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum StepContent {
    Message { from: usize, to: usize, how: How, failed: bool, text: String },
    Mark { on: usize, verb: Verb, text: String },
    Across { is_reset: bool, text: String },
}

#[derive(Debug)]
pub(super) struct Around {
    wanted: StepRequest,
    first: u64,
    last: u64,
    height: usize,
    /// Number of rows that were decoded again.
    pub(super) decoded: u64,
    pub(super) lines: Vec<SequenceLine>,
    pub(super) lifelines: Lifelines,
    pub(super) order: Vec<usize>,
}

/// The row of a step: its list row, source and number there, time and kind.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    listed: u64,
    own: (usize, u64),
    time: Option<u64>,
    kind: RowKind,
}

impl Around {
    /// Finds steps around a row, for this many lines of the screen. Lifelines keep their order.
    pub(super) fn of(model: &Model, row: u64, wanted: StepRequest, (height, order): (usize, &[String])) -> Around {
        let rows = &model.list.rows;
        let mut around = Around::within(rows, (row, REACHES[0]), &wanted);
        for reach in &REACHES[1..] {
            if around.lines.len() >= height * PAGES || (around.first == 0 && around.last + 1 >= wanted.len) {
                break;
            }
            around = Around::within(rows, (row, *reach), &wanted);
        }
        around.height = height;
        around.order = around.lifelines.order();
        if wanted.chosen.is_empty() {
            let known = |line: &usize| {
                let name = around.lifelines.all.get(*line).map(Lifeline::name);
                let is_known = around.lifelines.all.get(*line).is_some_and(|line| line.id.is_some());
                (!is_known, order.iter().position(|known| Some(known) == name.as_ref()).unwrap_or(usize::MAX))
            };
            around.order.sort_by_cached_key(known);
        }
        around
    }

    pub(super) fn lifelines_in_order(self) -> Vec<String> {
        let all = self.lifelines.all;
        self.order.iter().filter_map(|line| Some(all.get(*line)?.name())).collect()
    }

    /// Whether it covers the surroundings of a row on this many lines. `is_paused` = new rows don't matter yet.
    pub(super) fn serves(&self, row: u64, wanted: &StepRequest, (height, is_paused): (usize, bool)) -> bool {
        let is_end = self.last + 1 >= self.wanted.len;
        let same = StepRequest { len: self.wanted.len, changes: self.wanted.changes, ..wanted.clone() } == self.wanted;
        if !same || self.wanted.changes.1 != wanted.changes.1 || height > self.height {
            return false;
        }
        if is_paused && is_end && row >= self.first {
            return true;
        }
        let begins = self.first == 0 || row >= self.first + NEAR;
        let ends = if is_end { self.wanted.len == wanted.len } else { row + NEAR <= self.last };
        begins && ends && self.wanted.changes == wanted.changes
    }

    /// The line of a row, or the last one before it.
    pub(super) fn line_at(&self, row: u64) -> usize {
        let first = self.lines.partition_point(|line| line.row < row);
        let is_here = self.lines.get(first).is_some_and(|line| line.row == row);
        if is_here { first } else { first.saturating_sub(1) }
    }

    /// A row with steps beyond the known ones.
    pub(super) fn beyond(&self, model: &Model, down: bool) -> Option<u64> {
        let rows = &model.list.rows;
        let reach = REACHES[2];
        let (mut first, mut last) = (self.first, self.last);
        for _ in 0..FURTHER {
            let middle = match down {
                true if last + 1 < rows.len() => last + 1 + reach,
                false if first > 0 => first.saturating_sub(1 + reach),
                _ => return None,
            };
            let further = Around::within(rows, (middle.min(rows.len().saturating_sub(1)), reach), &self.wanted);
            let found = match down {
                true => further.lines.iter().find(|line| line.row > self.last),
                false => further.lines.iter().rev().find(|line| line.row < self.first),
            };
            if let Some(line) = found {
                return Some(line.row);
            }
            (first, last) = (further.first, further.last);
        }
        None
    }

    /// The steps of rows within `reach` of a row.
    fn within(rows: &RowList, (row, reach): (u64, u64), wanted: &StepRequest) -> Around {
        let first = row.saturating_sub(reach).max(rows.first_kept());
        let last = row.saturating_add(reach).min(rows.len().saturating_sub(1));
        let mut around = Around {
            wanted: wanted.clone(),
            first,
            last,
            height: 0,
            decoded: 0,
            lines: Vec::new(),
            lifelines: Lifelines::new(ChosenLifelines::parse(&wanted.chosen)),
            order: Vec::new(),
        };
        let steps = steps(rows, row, (first.saturating_sub(LEAD).max(rows.first_kept()), last));
        let is_shown = |step: &SequenceStep<Place>| {
            let is_taken = matches!(step.what, Happening::Mark { verb: Verb::GET, .. });
            step.of.listed >= first && (wanted.taken || !is_taken)
        };
        let Some((sequencer, steps, decoded)) = steps else { return around };
        around.decoded = decoded;
        let names = ListNames { rows, short: wanted.short };
        for step in steps.iter().filter(|step| is_shown(step)) {
            around.add(step, &sequencer, names);
        }
        around.word_losses(rows);
        around.measure(rows, &steps);
        around
    }

    fn add(&mut self, step: &SequenceStep<Place>, sequencer: &Sequencer<Place>, names: ListNames<'_>) {
        let at = step.of.own;
        let item = || step.item.map_or_else(|| names.kind(at, step.of.kind), |item| names.name(at, item));
        let text = || step.text(&item(), step.within.map(|state| names.name(at, state)).as_deref());
        let lifeline = |id| names.called(at, sequencer.key(id));
        let what = match step.what {
            Happening::Message { from, to, how } => {
                let Some((from, to)) = self.lifelines.message((from, to), lifeline) else { return };
                StepContent::Message { from, to, how, failed: step.failed, text: text() }
            }
            Happening::Mark { on, verb } => {
                let Some(on) = self.lifelines.mark(on, verb == Verb::PUBLISH, lifeline) else { return };
                StepContent::Mark { on, verb, text: text() }
            }
            Happening::Loss | Happening::Reset => {
                let is_reset = step.what == Happening::Reset;
                // The first start of the target is not a reset.
                if is_reset && self.lines.is_empty() && self.first == 0 {
                    return;
                }
                // Neighbouring losses share a line, as in the list.
                if let Some(SequenceLine { row, what: StepContent::Across { is_reset: false, .. }, .. }) =
                    self.lines.last_mut()
                    && !is_reset
                {
                    *row = step.of.listed;
                    return;
                }
                StepContent::Across { is_reset, text: text() }
            }
        };
        self.lines.push(SequenceLine { row: step.of.listed, delta: String::new(), what });
    }

    /// Takes the texts of losses from the list.
    fn word_losses(&mut self, rows: &RowList) {
        let across =
            self.lines.iter().filter(|line| matches!(line.what, StepContent::Across { .. })).map(|line| line.row);
        let across: Vec<u64> = across.collect();
        let ask = RenderRequest { want: Want::TEXT, view: View::Effective, short: self.wanted.short, before: None };
        let mut said = Vec::new();
        RowRenderer::default().views(rows, across, ask, |row, view| {
            said.push((row, sanitise(view.rendered.text)));
            true
        });
        for line in &mut self.lines {
            let StepContent::Across { text, is_reset } = &mut line.what else { continue };
            let Ok(at) = said.binary_search_by_key(&line.row, |(row, _)| *row) else { continue };
            match (*is_reset, &said[at].1) {
                (true, own) => *text = format!("{text} · {own}"),
                (false, own) => own.clone_into(text),
            }
        }
    }

    fn measure(&mut self, rows: &RowList, steps: &[SequenceStep<Place>]) {
        let clock = rows.clock();
        let (mut before, mut steps) = (None, steps.iter().peekable());
        for line in &mut self.lines {
            while steps.next_if(|step| step.of.listed < line.row).is_some() {}
            let time = steps.peek().filter(|step| step.of.listed == line.row).and_then(|step| step.of.time);
            if let StepContent::Across { is_reset: true, .. } = line.what {
                before = None;
            }
            if let (Some(before), Some(time)) = (before, time) {
                line.delta = clock.micros_text(before, time);
            }
            before = time.or(before);
        }
    }
}

/// The steps of a range of rows around a row, and the number of rows decoded again; `None` if that is impossible.
fn steps(
    rows: &RowList,
    row: u64,
    (first, last): (u64, u64),
) -> Option<(Sequencer<Place>, Vec<SequenceStep<Place>>, u64)> {
    let mut sequencer = Sequencer::new(&rows.source(0).decoder.info);
    let mut ranges: Vec<Option<Arc<CauseRange>>> = vec![None; rows.sources()];
    let (source, own) = rows.locate(row)?;
    // The details request the same rows.
    *ranges.get_mut(source)? = rows.source(source).causes(own);
    let mut steps = Vec::new();
    for listed in first..=last {
        let Some((source, own)) = rows.locate(listed) else { continue };
        let range = ranges.get_mut(source)?;
        if range.as_ref().is_none_or(|range| !has(range, own)) {
            *range = rows.source(source).causes(own);
        }
        let Some(range) = range.as_ref().filter(|range| has(range, own)) else { continue };
        let activities = range.causes.activities((own - range.first) as usize);
        if rows.shape(listed).is_none() && !rows.ensure_loaded(listed) {
            continue;
        }
        let breaks = |shape: &Shape| shape.row.may_hide_records() || shape.row.flags.contains(RowFlags::EPOCH);
        if activities.is_empty() && !rows.shape(listed).is_some_and(|shape| breaks(&shape)) {
            continue;
        }
        let Some(row) = rows.row(listed).filter(|_| !rows.is_left_out(listed)) else { continue };
        let time = row.has_time().then_some(row.time);
        let epoch = rows.epoch_of(listed).unwrap_or(0);
        sequencer.add(&row, epoch, activities, &Place { listed, own: (source, own), time, kind: row.kind });
        steps.extend(std::iter::from_fn(|| sequencer.ready()));
    }
    steps.extend(std::iter::from_fn(|| sequencer.hand_out()));
    let decoded = ranges.iter().flatten().map(|range| range.causes.rows() as u64).sum();
    Some((sequencer, steps, decoded))
}

/// Whether a range contains a row of its source.
fn has(range: &CauseRange, own: u64) -> bool {
    own >= range.first && own < range.first + range.causes.rows() as u64
}

/// Names as in the list.
#[derive(Clone, Copy)]
struct ListNames<'a> {
    rows: &'a RowList,
    short: bool,
}

impl ListNames<'_> {
    /// The names of a lifeline as seen by a row of a source.
    fn called(self, at: (usize, u64), key: Key) -> LifelineNames {
        let other = worded_in(self.rows, at, false, |wording| wording.name_or_key(key));
        let class = self.rows.source(0).decoder.info.space(key.space);
        let class = class.map_or_else(String::new, |space| space.name.to_string());
        LifelineNames { name: self.name(at, key), other, class }
    }

    fn name(self, at: (usize, u64), key: Key) -> String {
        worded_in(self.rows, at, self.short, |wording| wording.name_or_key(key))
    }

    fn kind(self, at: (usize, u64), kind: RowKind) -> String {
        worded_in(self.rows, at, false, |wording| wording.record_kind(kind))
    }
}
