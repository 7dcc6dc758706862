//! Finds the next row of a shape, in either direction.

use std::ops::RangeInclusive;

use super::RowList;
use crate::store::Shape;

/// Search direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// To later rows.
    Forward,
    /// To earlier rows.
    Backward,
}

/// Rows looked at together.
const PORTION: u64 = 1024;

/// The nearest row after (before) `from` whose shape fits; excludes `from`.
pub fn find_shape(
    list: &RowList,
    from: Option<u64>,
    direction: Direction,
    fits: impl Fn(&Shape) -> bool,
) -> Option<u64> {
    let mut portions = portions(from, list.len(), direction);
    portions.find_map(|portion| {
        let fitting = fitting(list, portion, &fits);
        match direction {
            Direction::Forward => fitting.first().copied(),
            Direction::Backward => fitting.last().copied(),
        }
    })
}

/// The rows of a portion whose shape fits.
fn fitting(list: &RowList, portion: RangeInclusive<u64>, fits: impl Fn(&Shape) -> bool) -> Vec<u64> {
    let portion = list.first_kept().max(*portion.start())..=*portion.end();
    let touched: Vec<u64> = match list.sources() {
        _ if portion.is_empty() => return Vec::new(),
        1 => vec![*portion.start(), *portion.end()],
        // Neighbours in the list may be anywhere in their sources.
        _ => portion.clone().filter(|&row| !list.is_left_out(row)).collect(),
    };
    if !touched.into_iter().all(|row| list.ensure_loaded(row)) {
        return Vec::new();
    }
    let shown = portion.filter(|&row| !list.is_left_out(row));
    let places: Vec<_> = shown.map(|row| (row, list.locate(row))).collect();
    let states = list.read_all();
    let hit = |(row, place): (u64, Option<(usize, u64)>)| {
        let shape = place.and_then(|(source, row)| states.get(source)?.rows.shape(row));
        shape.filter(|s| fits(s)).map(|_| row)
    };
    places.into_iter().filter_map(hit).collect()
}

/// The place of a row among all rows whose shape fits, from 1, and how many there are; neighbours count once. `None` in
/// a list of more than `most` rows.
pub fn place_of_shape(list: &RowList, row: u64, most: u64, fits: impl Fn(&Shape) -> bool) -> Option<(u64, u64)> {
    if list.len() > most {
        return None;
    }
    let (mut place, mut total, mut last) = (0, 0, None);
    for portion in portions(None, list.len(), Direction::Forward) {
        for fitting in fitting(list, portion, &fits) {
            total += u64::from(last.is_none_or(|last| last + 1 < fitting));
            place = if fitting <= row { total } else { place };
            last = Some(fitting);
        }
    }
    Some((place, total))
}

/// Ranges of rows from `from` to the end (to the start).
fn portions(from: Option<u64>, len: u64, direction: Direction) -> impl Iterator<Item = RangeInclusive<u64>> {
    let mut next = match direction {
        Direction::Forward => Some(from.map_or(0, |f| f + 1)).filter(|&n| n < len),
        Direction::Backward => from.map_or(len, |f| f.min(len)).checked_sub(1),
    };
    std::iter::from_fn(move || {
        let at = next?;
        Some(match direction {
            Direction::Forward => {
                let end = (at + PORTION - 1).min(len - 1);
                next = Some(end + 1).filter(|&n| n < len);
                at..=end
            }
            Direction::Backward => {
                let start = at.saturating_sub(PORTION - 1);
                next = start.checked_sub(1);
                start..=at
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portions_cover_each_row_once() {
        let rows = |from, direction| portions(from, 3000, direction).flatten().count();
        assert_eq!(rows(None, Direction::Forward), 3000);
        assert_eq!(rows(Some(9), Direction::Forward), 2990);
        assert_eq!(rows(Some(2999), Direction::Forward), 0);
        assert_eq!(rows(None, Direction::Backward), 3000);
        assert_eq!(rows(Some(9), Direction::Backward), 9);
        assert_eq!(portions(Some(0), 0, Direction::Backward).count(), 0);
    }
}
