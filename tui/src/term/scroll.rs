//! Detects scrolling of a list, so that the terminal can scroll it itself.

use std::ops::Range;

use ratatui::buffer::{Buffer, Cell};

/// Rows whose new place is looked for first, as parts of the region in quarters.
const ANCHORS: [usize; 3] = [1, 2, 3];

/// By how many rows the content of `region` moved from `old` to `new`; positive is up. 0 when moving saves nothing.
pub(super) fn shift(old: &Buffer, new: &Buffer, region: &Range<u16>) -> i32 {
    let rows = usize::from(region.end.saturating_sub(region.start));
    let moved = Moved { old, new, top: usize::from(region.start), rows };
    let still = moved.matches(0);
    if rows < 3 || still + 2 > rows {
        return 0;
    }
    let mut best = (still + 1, 0);
    for candidate in moved.candidates() {
        let saved = moved.matches(candidate);
        if saved > best.0 {
            best = (saved, candidate);
        }
    }
    best.1
}

struct Moved<'a> {
    old: &'a Buffer,
    new: &'a Buffer,
    top: usize,
    rows: usize,
}

impl Moved<'_> {
    fn candidates(&self) -> Vec<i32> {
        let anchors = ANCHORS.map(|quarter| self.rows * quarter / 4);
        let places = anchors.iter().flat_map(|at| {
            let wanted = row(self.new, self.top + at);
            let found = (0..self.rows).filter(move |from| row(self.old, self.top + from) == wanted);
            found.map(move |from| from as i32 - *at as i32)
        });
        let mut shifts: Vec<i32> = places.filter(|shift| *shift != 0).collect();
        shifts.sort_unstable_by_key(|shift| (shift.abs(), *shift));
        shifts.dedup();
        shifts
    }

    /// Rows that need no drawing after a move by `shift`.
    fn matches(&self, shift: i32) -> usize {
        let same = |at: &usize| {
            let from = *at as i32 + shift;
            let inside = (0..self.rows as i32).contains(&from);
            inside && row(self.old, self.top + from as usize) == row(self.new, self.top + at)
        };
        (0..self.rows).filter(same).count()
    }
}

fn row(buffer: &Buffer, y: usize) -> &[Cell] {
    let width = usize::from(buffer.area.width);
    buffer.content.get(y * width..(y + 1) * width).unwrap_or_default()
}

/// Moves the rows of `region` in `buffer` as the terminal does; freed rows become blank.
pub(super) fn rotate(buffer: &mut Buffer, region: &Range<u16>, shift: i32) {
    let width = usize::from(buffer.area.width);
    let span = usize::from(region.start) * width..usize::from(region.end) * width;
    let Some(cells) = buffer.content.get_mut(span) else { return };
    let moved = (shift.unsigned_abs() as usize * width).min(cells.len());
    let freed = if shift > 0 {
        cells.rotate_left(moved);
        let kept = cells.len() - moved;
        &mut cells[kept..]
    } else {
        cells.rotate_right(moved);
        &mut cells[..moved]
    };
    freed.iter_mut().for_each(Cell::reset);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(lines: [&str; 6]) -> Buffer {
        Buffer::with_lines(lines)
    }

    #[test]
    fn a_scrolled_list_is_recognised() {
        let old = rows(["head", "a", "b", "c", "d", "tail"]);
        assert_eq!(shift(&old, &rows(["HEAD", "b", "c", "d", "e", "tail"]), &(1..5)), 1);
        assert_eq!(shift(&old, &rows(["HEAD", "x", "y", "a", "b", "tail"]), &(1..5)), -2);
        assert_eq!(shift(&old, &old, &(1..5)), 0);
        assert_eq!(shift(&old, &rows(["head", "x", "y", "z", "d", "tail"]), &(1..5)), 0);
        assert_eq!(shift(&old, &rows(["head", "a", "b", "c", "x", "tail"]), &(1..5)), 0);
    }

    #[test]
    fn rotation_frees_rows() {
        let mut buffer = rows(["h", "a", "b", "c", "d", "t"]);
        rotate(&mut buffer, &(1..5), 1);
        assert_eq!(buffer, rows(["h", "b", "c", "d", " ", "t"]));
        rotate(&mut buffer, &(1..5), -2);
        assert_eq!(buffer, rows(["h", " ", " ", "b", "c", "t"]));
        rotate(&mut buffer, &(1..5), 9);
        assert_eq!(buffer, rows(["h", " ", " ", " ", " ", "t"]));
        rotate(&mut buffer, &(4..60), 1);
    }
}
