//! The cells of a lane as characters.

use spytui_engine::analysis::timeline::{Cell, Shown};

use super::{
    lanes::{Lane, Lanes},
    meaning::Meaning,
};
use crate::term::{Role, width};

/// A cell of the screen.
pub(super) type Drawn = (char, Role);

/// Eighths of a cell.
const EIGHTHS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Nothing is known.
const UNKNOWN: Drawn = ('·', Role::Help);
/// A state changes more than once.
const BUSY: char = '▒';

/// The cells of a lane; `ticks` = of a column.
pub(super) fn lane(lane: &Lane, cells: &[Cell], ticks: u64, lanes: &Lanes) -> Vec<Drawn> {
    let is_named = |state: &(u32, u64)| lanes.state(state.0).is_some_and(|state| state.0 == Meaning::Named);
    if cells.iter().any(|cell| cell.range.is_some()) {
        numbers(lane, cells)
    } else if cells.iter().flat_map(|cell| &cell.states).any(is_named) {
        names(cells, lanes)
    } else {
        cells.iter().map(|cell| bar(cell, ticks, lanes)).collect()
    }
}

fn role(cell: &Cell, role: Role) -> Role {
    if cell.unsure { Role::Warning } else { role }
}

/// How much of the column something runs, or is ready to.
fn bar(cell: &Cell, ticks: u64, lanes: &Lanes) -> Drawn {
    if cell.is_blank() {
        return UNKNOWN;
    }
    let with = |meaning| {
        let has = |state: &&(u32, u64)| lanes.state(state.0).is_some_and(|state| state.0 == meaning);
        let mut states = cell.states.iter().filter(has).map(|state| state.1).peekable();
        states.peek().is_some().then_some(()).map(|()| states.sum::<u64>())
    };
    if let Some(on) = with(Meaning::On) {
        let eighth = u128::from(on) * 8 / u128::from(ticks.max(1));
        return (
            EIGHTHS[usize::try_from(eighth).map_or(7, |eighth| eighth.saturating_sub(1).min(7))],
            role(cell, Role::State),
        );
    }
    let sign = match (with(Meaning::Ready), cell.unsure) {
        (_, true) => '~',
        (Some(_), false) => '─',
        (None, false) => ' ',
    };
    (sign, role(cell, Role::Plain))
}

/// A line of small bars: values between the least and the greatest one shown, levels by how full something is. Of several
/// numbers in a column the greatest, of levels the fullest.
fn numbers(lane: &Lane, cells: &[Cell]) -> Vec<Drawn> {
    let ranges = cells.iter().filter_map(|cell| cell.range);
    let finite = ranges.clone().flat_map(|range| [range.0, range.1]).filter(|number| number.is_finite());
    let (least, most) =
        finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), number| (a.min(number), b.max(number)));
    // Of a queue whose size is not known, one element more than seen is free when it is empty.
    let has_empty = ranges.clone().any(|range| range.1.is_infinite());
    let capacity = lane.capacity.filter(|capacity| *capacity > 0).map(|capacity| capacity as f64);
    let seen = if has_empty && lane.counts_free { most + 1.0 } else { most };
    let size = capacity.unwrap_or(seen);
    let share = |(low, high): (f64, f64)| match lane.key.is_level {
        true if lane.counts_free => (size - low) / size,
        true => high / size,
        false => (high - least) / (most - least),
    };
    let height = |share: f64| match share {
        // Nothing finite, or only one number was shown.
        share if share.is_nan() => 0,
        share => (share * 7.0).ceil().clamp(0.0, 7.0) as usize,
    };
    let draw = |cell: &Cell| match cell.range {
        Some(range) => (EIGHTHS[height(share(range))], role(cell, Role::Number)),
        None => UNKNOWN,
    };
    cells.iter().map(draw).collect()
}

/// States by name: a line at each change, the name behind it.
fn names(cells: &[Cell], lanes: &Lanes) -> Vec<Drawn> {
    let mut drawn = Vec::with_capacity(cells.len());
    while drawn.len() < cells.len() {
        let at = drawn.len();
        let Some(cell) = cells.get(at) else { break };
        if cell.is_blank() {
            drawn.push(UNKNOWN);
        } else if cell.changes > 1 {
            drawn.push((BUSY, role(cell, Role::State)));
        } else {
            let long = cells[at + 1..].iter().take_while(|next| next.changes == 0 && !next.is_blank()).count() + 1;
            stretch(&cells[at..at + long], lanes, &mut drawn);
        }
    }
    drawn
}

/// One state over some columns.
fn stretch(cells: &[Cell], lanes: &Lanes, drawn: &mut Vec<Drawn>) {
    let begins = cells.first().is_some_and(|cell| cell.changes > 0);
    let shown = cells.first().map(|cell| cell.last);
    let word = match shown {
        Some(Shown::State(state)) => lanes.state(state).map_or("", |state| state.1),
        _ => "",
    };
    let room = cells.len() - usize::from(begins);
    // Wide characters would take more than their columns.
    let fits = width(word) == word.chars().count() && room > 2;
    let mut letters = word.chars().take(if fits { room } else { 0 });
    for (column, cell) in cells.iter().enumerate() {
        if column == 0 && begins {
            drawn.push(('│', role(cell, Role::Plain)));
            continue;
        }
        let line = if cell.unsure { '~' } else { '─' };
        drawn.push(match letters.next() {
            Some(letter) => (letter, role(cell, Role::State)),
            None => (line, role(cell, Role::Help)),
        });
    }
}

#[cfg(test)]
mod tests {
    use spytui_engine::analysis::{Key, objects::ObjectKind, timeline::LaneKey};

    use super::*;

    fn drawn(is_level: bool, counts_free: bool, ranges: &[Option<(f64, f64)>]) -> String {
        drawn_of(is_level, counts_free, None, ranges)
    }

    fn drawn_of(is_level: bool, counts_free: bool, capacity: Option<u64>, ranges: &[Option<(f64, f64)>]) -> String {
        let key = LaneKey { object: Key { space: 16, key: 1, scope: 0 }, is_level };
        let lane = Lane {
            number: 0,
            key,
            name: String::new(),
            below: key.object,
            is_second: false,
            kind: ObjectKind::Queue,
            counts_free,
            capacity,
        };
        let cells: Vec<Cell> = ranges.iter().map(|range| Cell { range: *range, ..Cell::default() }).collect();
        numbers(&lane, &cells).into_iter().map(|cell| cell.0).collect()
    }

    #[test]
    fn values_lie_between_the_least_and_the_greatest() {
        let value = |number: f64| Some((number, number));
        assert_eq!(drawn(false, false, &[value(-4.0), None, value(10.0), Some((-4.0, 3.0))]), "▁·█▅");
        assert_eq!(drawn(false, false, &[value(5.0), value(5.0)]), "▁▁");
    }

    #[test]
    fn levels_show_how_full_something_is() {
        let level = |number: f64| Some((number, number));
        // Of a pool the most free elements are all there are.
        assert_eq!(drawn(true, true, &[level(4.0), level(0.0), Some((2.0, 4.0))]), "▁█▅");
        // An empty queue has one more than it had with one element.
        assert_eq!(drawn(true, true, &[level(f64::INFINITY), level(6.0), level(0.0)]), "▁▂█");
        assert_eq!(drawn(true, true, &[level(f64::INFINITY)]), "▁");
        assert_eq!(drawn(true, false, &[level(0.0), level(8.0), level(1.0), level(f64::INFINITY)]), "▁█▂█");
        assert_eq!(drawn(true, false, &[level(0.0)]), "▁");
        // Where the size is known, it is the scale.
        assert_eq!(drawn_of(true, false, Some(8), &[level(0.0), level(1.0), level(8.0)]), "▁▂█");
        assert_eq!(drawn_of(true, true, Some(8), &[level(8.0), level(7.0), level(f64::INFINITY)]), "▁▂▁");
    }
}
