//! The rows of a block, divided among threads.

use std::{fmt, sync::OnceLock, thread::available_parallelism};

use rayon::{ThreadPool, ThreadPoolBuilder};
use spytui_plugin_api::Rendered;

use crate::row::{RowPlans, RowView};

/// Makes the lines of rows.
pub trait RowLines: Send + fmt::Debug {
    /// Appends the line of a row, whose fields may be planned.
    fn push(&mut self, item: &RowView<'_>, out: &mut Vec<u8>);
}

/// Minimum number of rows of a part: waking a thread takes as long as many rows.
const FEWEST: usize = 256;
const MOST_THREADS: usize = 8;

/// Not in one cache line with what another thread changes.
#[derive(Debug)]
#[repr(align(128))]
struct Apart<T>(T);

impl<L: RowLines> RowLines for Apart<L> {
    fn push(&mut self, item: &RowView<'_>, out: &mut Vec<u8>) {
        self.0.push(item, out);
    }
}

/// A part of the rows, and the buffers of its thread.
#[derive(Debug)]
#[repr(align(128))]
pub struct LinePart {
    pub(super) lines: Box<dyn RowLines>,
    pub(super) rendered: Rendered,
    pub(super) plans: RowPlans,
    pub out: Vec<u8>,
}

impl LinePart {
    pub fn new(lines: impl RowLines + 'static) -> LinePart {
        let (rendered, plans) = Default::default();
        LinePart { lines: Box::new(Apart(lines)), rendered, plans, out: Vec::new() }
    }
}

/// Number of parts that are worth making.
pub fn most_parts() -> usize {
    available_parallelism().map_or(1, |threads| threads.get().min(MOST_THREADS))
}

/// Created for the first block that is long enough; `None` if threads can't be started.
static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();

/// Works on `count` rows: all at once, or with `is_divided` each part of them on a thread of its own. `work` is given
/// what `begin` returns for the first row of a part, and the number of its rows.
pub(super) fn divide<B: Send, P: Send>(
    count: usize,
    is_divided: bool,
    parts: &mut [P],
    mut begin: impl FnMut(usize) -> B,
    work: impl Fn(B, usize, &mut P) + Sync,
) {
    let wanted = if is_divided { (count / FEWEST).clamp(1, parts.len().max(1)) } else { 1 };
    let new_pool = || ThreadPoolBuilder::new().num_threads(most_parts() - 1).build().ok();
    let pool = if wanted > 1 { POOL.get_or_init(new_pool).as_ref() } else { None };
    let each = count.div_ceil(if pool.is_some() { wanted } else { 1 }).max(1);
    let mut parts = (0..count).step_by(each).zip(parts);
    match pool {
        Some(pool) => pool.in_place_scope(|scope| {
            let own = parts.next().map(|(first, part)| (begin(first), part));
            for (first, part) in parts {
                let (work, begin) = (&work, begin(first));
                scope.spawn(move |_| work(begin, each.min(count - first), part));
            }
            own.into_iter().for_each(|(begin, part)| work(begin, each.min(count), part));
        }),
        None => parts.for_each(|(first, part)| work(begin(first), count, part)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_in_one_part_and_many_rows_are_divided() {
        for is_divided in [true, false] {
            for count in [0, 1, FEWEST - 1, 2 * FEWEST - 1, 2 * FEWEST, 3 * FEWEST + 7, 100 * FEWEST + 1] {
                let mut parts = vec![None; 4];
                divide(count, is_divided, &mut parts, |first| first, |first, rows, part| *part = Some((first, rows)));
                let used: Vec<(usize, usize)> = parts.into_iter().flatten().collect();
                let end = used.iter().try_fold(0, |next, &(first, rows)| (first == next).then_some(next + rows));
                assert_eq!(end, Some(count), "{used:?}");
                let most = if is_divided { (count / FEWEST).clamp(1, 4) } else { 1 };
                assert_eq!(used.len(), most.min(count), "{used:?}");
            }
        }
    }
}
