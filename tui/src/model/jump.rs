//! Jumps: by number, by mark, to the next loss, and back.

use spytui_engine::{
    io::log::host_now,
    present::{Clock, RowRole, clock::grouped},
    store::Shape,
    trace::list::{Direction, find_shape, place_of_shape},
};
use spytui_plugin_api::row::{RowFlags, Severity};

use super::{
    Model,
    list::{Collapse, LogPosition},
    screen::TICK_RATE,
};
use crate::input::{Action, JumpTarget, RECORDS, Where};

/// Goes to a row and remembers the old position; reports it and stays if the filter hides the row. `true` if it went.
pub fn to_row(model: &mut Model, row: u64) -> bool {
    if !passes_filter(model, row) {
        say_hidden(model, row);
        return false;
    }
    to_place(model, row);
    true
}

/// Goes to a row, or to the next one shown: for jumps without an explicit row.
fn to_place(model: &mut Model, row: u64) {
    remember(model);
    uncover(model, row);
    go(model, row);
}

/// Whether the filter shows a row. Ignores rows hidden because another source reports the same.
fn passes_filter(model: &mut Model, row: u64) -> bool {
    let list = &mut model.list;
    list.rows.is_left_out(row) || list.page.filter.shows(&list.rows, row)
}

/// `#484 is hidden by the filter; a shows all`
fn say_hidden(model: &mut Model, row: u64) {
    model.list.rows.ensure_loaded(row);
    let number = model.list.rows.number(row).unwrap_or_else(|| "that row".to_owned());
    let keys = model.settings.keymap.keys(RECORDS, Action::AllRows);
    let remedy = keys.first().map_or(String::new(), |key| format!("; {key} shows all"));
    model.say(format!("{number} is hidden by the filter{remedy}"));
}

/// Goes to the first row of the list.
pub fn to_top(model: &mut Model) {
    remember(model);
    model.list.page.home(&model.list.rows);
}

/// Goes to a row without remembering the present position.
pub fn without_trace(model: &mut Model, row: u64) {
    unfold(model, row);
    go(model, row);
}

fn go(model: &mut Model, row: u64) {
    let height = model.screen.list_height();
    let list = &mut model.list;
    list.page.go_to(&list.rows, row, height);
}

/// Remembers the cursor row, for going back with `<`.
pub fn remember(model: &mut Model) {
    if let Some(position) = model.list.position_of(model.list.page.cursor) {
        model.list.jumps.push(position);
    }
}

/// Gives a naming record its own line.
fn unfold(model: &mut Model, row: u64) {
    let names = |shape: Shape| shape.row.flags.contains(RowFlags::NAMING);
    model.list.page.folds_names &= !model.list.rows.shape(row).is_some_and(names);
}

/// Shows a row hidden as redundant or in a fold.
fn uncover(model: &mut Model, row: u64) {
    unfold(model, row);
    if model.list.page.collapse.hides(&model.list.rows, row) {
        model.list.page.collapse = Collapse::Redundant;
        let text = model.list.turn_collapse();
        model.say(text);
    }
}

/// In longer lists, ranks are not counted, because a key must be answered at once.
const COUNTED: u64 = 200_000;
/// Maximum number of hidden rows skipped by a jump to the next row of a kind, because a key must be answered at once.
const PASSED_OVER: usize = 64;

impl JumpTarget {
    /// Singular and plural.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            JumpTarget::Loss => ("loss", "losses"),
            JumpTarget::Error => ("error", "errors"),
            JumpTarget::Warning => ("warning or reset", "warnings or resets"),
            JumpTarget::Reset => ("reset", "resets"),
        }
    }

    fn fits(self, shape: &Shape) -> bool {
        match self {
            JumpTarget::Loss => shape.row.kind.is_loss(),
            JumpTarget::Error => shape.row.severity >= Severity::ERROR,
            JumpTarget::Warning => {
                let role = RowRole::of(&shape.row);
                role == RowRole::Event || role.warns(shape.row.severity)
            }
            JumpTarget::Reset => shape.row.flags.contains(RowFlags::EPOCH),
        }
    }
}

/// Goes to the next or previous row of a kind, wrapping around; in a following list, to the newest one.
pub fn to_next(model: &mut Model, target: JumpTarget, direction: Direction) {
    let cursor = model.list.page.cursor;
    let (first, last) = model.list.cursor_entry().map_or((cursor, cursor), |entry| (entry.first, entry.last));
    let from = match direction {
        // An empty list has no row to start after.
        Direction::Forward => Some(last).filter(|_| !model.list.rows.is_empty()),
        Direction::Backward => Some(first),
    };
    let found = match model.list.page.follow {
        true => find_shown(model, None, Direction::Backward, target),
        false => find_shown(model, from, direction, target),
    };
    let Some(row) = found.or_else(|| find_shown(model, None, direction, target)) else {
        let hidden = find_shape(&model.list.rows, None, direction, |shape: &Shape| target.fits(shape));
        return match hidden {
            Some(row) => say_hidden(model, row),
            None if target == JumpTarget::Error => model.say("no errors; see Issues for what several records show"),
            None => model.say(format!("no {}", target.words().1)),
        };
    };
    to_row(model, row);
    let round = if found.is_some() { String::new() } else { format!(" · {}", round(direction)) };
    model.say(format!("{}{}{round}", place_text(model, row, target), age_text(model, row)));
}

/// Message when a search wraps around.
pub fn round(direction: Direction) -> &'static str {
    match direction {
        Direction::Forward => "wrapped to top",
        Direction::Backward => "wrapped to end",
    }
}

/// The next row of a kind that the filter shows; skips a limited number of hidden ones.
fn find_shown(model: &mut Model, from: Option<u64>, direction: Direction, target: JumpTarget) -> Option<u64> {
    let mut from = from;
    for _ in 0..PASSED_OVER {
        let row = find_shape(&model.list.rows, from, direction, |shape: &Shape| target.fits(shape))?;
        if passes_filter(model, row) {
            return Some(row);
        }
        from = Some(row);
    }
    None
}

/// Rank of a row among those of a target, from 1, and their number; `None` in long lists.
pub fn place(model: &Model, row: u64, target: JumpTarget) -> Option<(u64, u64)> {
    place_of_shape(&model.list.rows, row, COUNTED, |shape: &Shape| target.fits(shape))
}

/// `loss 2 of 2`.
fn place_text(model: &Model, row: u64, target: JumpTarget) -> String {
    match place(model, row, target) {
        Some((place, total)) => format!("{} {} of {}", target.words().0, grouped(place), grouped(total)),
        None => target.words().0.to_owned(),
    }
}

/// `, 14 s ago` for a row received over a link.
fn age_text(model: &Model, row: u64) -> String {
    let came = model.list.rows.locate(row).filter(|_| !model.links.is_over()).and_then(|(source, row)| {
        let decoding = model.list.rows.source(source);
        let pos = decoding.read().rows.row(row)?.pos;
        decoding.log.host_time_at(pos)
    });
    let Some(seconds) = came.map(|came| host_now().saturating_sub(came) / 1_000_000_000) else { return String::new() };
    match seconds {
        0..=99 => format!(", {seconds} s ago"),
        100..=5_999 => format!(", {} min ago", seconds / 60),
        _ => format!(", {} h ago", seconds / 3_600),
    }
}

/// Returns to the position before the last jump.
pub fn back(model: &mut Model) {
    let here = model.list.position_of(model.list.page.cursor);
    match model.list.jumps.back(here) {
        Some(position) => to_position(model, position),
        None => model.say("no earlier position"),
    }
}

pub fn forward(model: &mut Model) {
    match model.list.jumps.forward() {
        Some(position) => to_position(model, position),
        None => model.say("no later position"),
    }
}

fn to_position(model: &mut Model, position: LogPosition) {
    match model.list.row_at(position) {
        Some(row) if passes_filter(model, row) => without_trace(model, row),
        Some(row) => say_hidden(model, row),
        None => {}
    }
}

pub fn to_mark(model: &mut Model, direction: Direction) {
    let here = model.list.page.cursor;
    let mut all: Vec<u64> = model.list.marks.values().filter_map(|mark| model.list.row_at(mark.position)).collect();
    all.sort_unstable();
    let further: Vec<u64> = match direction {
        Direction::Forward => all.iter().copied().filter(|&row| row > here).collect(),
        Direction::Backward => all.iter().rev().copied().filter(|&row| row < here).collect(),
    };
    let shown = further.iter().copied().find(|&row| passes_filter(model, row));
    match shown.or(further.first().copied()) {
        Some(row) => _ = to_row(model, row),
        None if all.is_empty() => model.say("no marks; m sets one"),
        None if direction == Direction::Forward => model.say("no further mark"),
        None => model.say("no earlier mark"),
    }
}

pub fn mark(model: &mut Model, name: Option<String>, note: String) {
    let Some(position) = model.list.position_of(model.list.page.cursor) else { return };
    // A marked row gets a note, not another mark.
    let name = name.or_else(|| model.list.mark_at(position).map(str::to_owned));
    let name = model.list.mark(name, position, note);
    model.say(format!("mark {name}; '{name} in :goto, u U next and previous"));
}

pub fn to_location(model: &mut Model, location: &Where) {
    // The others don't mean exactly one row.
    let is_row =
        matches!(location, Where::Row(_) | Where::RowOf(..) | Where::Next(_) | Where::Byte(_) | Where::Mark(_));
    match row_of(model, location) {
        Ok(row) if is_row => _ = to_row(model, row),
        Ok(row) => to_place(model, row),
        Err(error) => model.fail(error),
    }
}

pub fn row_of(model: &Model, location: &Where) -> Result<u64, String> {
    let (list, rows) = (&model.list, &model.list.rows);
    let (len, here) = (rows.len(), list.page.cursor);
    if len == 0 {
        return Err("there are no rows yet".to_owned());
    }
    // Numbers and bytes without a source refer to the source under the cursor.
    let source = rows.locate(here).map_or(0, |(source, _)| source);
    match location {
        Where::Row(n) => nth_record(model, source, *n),
        Where::RowOf(source, n) => nth_record(model, usize::from(*source), *n),
        Where::First => Ok(0),
        Where::Last => Ok(len - 1),
        Where::Here => Ok(here),
        Where::Next(target) => {
            let found = find_shape(rows, Some(here), Direction::Forward, |shape: &Shape| target.fits(shape));
            let further = if rows.rows_of(|shape| target.fits(shape)) > 0 { "further " } else { "" };
            found.ok_or_else(|| format!("no {further}{}", target.words().1))
        }
        Where::Byte(pos) => {
            let received = rows.source(source).log.len();
            if *pos >= received {
                return Err(format!("@0x{pos:x} is beyond the end: {} B were received", grouped(received)));
            }
            list.row_at(LogPosition { source, pos: *pos, nth: u64::MAX })
                .ok_or_else(|| format!("no row at byte 0x{pos:x}"))
        }
        Where::Mark(name) => {
            let mark = list.marks.get(name).ok_or_else(|| format!("'{name}: no such mark"))?;
            list.row_at(mark.position).ok_or_else(|| format!("'{name}: its row is gone"))
        }
        Where::Ticks(_) | Where::Date(_) | Where::Ns(_) if rows.is_joint => {
            Err("targets have no common clock; ( and ) choose one".to_owned())
        }
        Where::Ticks(ticks) => Ok(row_at_time(model, |time, _| time >= *ticks)),
        Where::Date(unix_ns) => {
            if !rows.clock().has_dates() {
                return Err("times have no date here: go to seconds, as 12.5s".to_owned());
            }
            Ok(row_at_time(model, |time, clock| clock.unix_ns(time).is_some_and(|t| t >= *unix_ns)))
        }
        Where::Ns(ns) => {
            if !rows.clock().known() {
                let info = &list.decoding().decoder.info;
                let setting =
                    info.option(TICK_RATE).map_or(String::new(), |_| format!(":set {TICK_RATE} 1000000, or "));
                return Err(format!("the rate of the ticks is unknown: {setting}go to ticks, as 327490841t"));
            }
            Ok(row_at_time(model, |time, clock| clock.ns_shown(time).is_some_and(|t| t >= i128::from(*ns))))
        }
    }
}

fn nth_record(model: &Model, source: usize, n: u64) -> Result<u64, String> {
    let rows = &model.list.rows;
    let sources = rows.sources();
    if source >= sources {
        return Err(format!("source {source}: there are {sources}, numbered from 0"));
    }
    let decoding = rows.source(source);
    let records = decoding.read().rows.records();
    let missing = || format!("#{n}: there are {} records", grouped(records));
    let index = n.checked_sub(1).ok_or_else(|| "records are numbered from 1".to_owned())?;
    loop {
        let answer = decoding.read().rows.nth_record(index);
        match answer {
            Ok(row) => return row.and_then(|row| rows.place(source, row)).ok_or_else(missing),
            Err(segment) => decoding.reload(segment)?,
        }
    }
}

/// The first row at or after a time, by binary search; times may repeat and step back.
fn row_at_time(model: &Model, reached: impl Fn(u64, Clock) -> bool) -> u64 {
    let rows = &model.list.rows;
    let (mut low, mut high) = (rows.first_kept(), rows.len());
    while low < high {
        let middle = low + (high - low) / 2;
        rows.ensure_loaded(middle);
        match rows.row(middle) {
            Some(row) if !reached(row.time, rows.clock_of(middle)) => low = middle + 1,
            None if rows.is_left_out(middle) => low = middle + 1,
            _ => high = middle,
        }
    }
    low.min(rows.len().saturating_sub(1))
}
