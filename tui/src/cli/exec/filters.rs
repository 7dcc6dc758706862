//! The filters of the rows that are printed, as lines change them.

use std::{collections::VecDeque, sync::Arc};

use parking_lot::Mutex;
use spytui_engine::{io::log::RawLog, query::Expr};

use super::target::Side;

/// The filters that lines asked for, on their way to the output.
#[derive(Debug, Default)]
pub(super) struct NextFilters(Mutex<VecDeque<NextFilter>>);

#[derive(Debug)]
struct NextFilter {
    from: Vec<From>,
    expr: Expr,
}

/// Where a filter begins in a log.
#[derive(Debug)]
struct From {
    log: Arc<RawLog>,
    pos: u64,
    is_reached: bool,
}

impl NextFilters {
    /// Lets a filter hold for all that is received from now on; of a file, for all that is not yet read.
    pub(super) fn push(&self, expr: Expr, sides: &[Side]) {
        let mut list = self.0.lock();
        let from = |side: &Side| Some(From { log: side.log.clone(), pos: side.received()?, is_reached: false });
        list.push_back(NextFilter { from: sides.iter().filter_map(from).collect(), expr });
    }

    /// Removes the filters that hold from this position on, and returns the last one and the position up to which the log
    /// can be read.
    pub(super) fn take(&self, log: &Arc<RawLog>, pos: u64) -> (Option<Expr>, u64) {
        let mut list = self.0.lock();
        let mut taken = None;
        while let Some(next) = list.front_mut() {
            let own = next.from.iter_mut().find(|from| Arc::ptr_eq(&from.log, log));
            let until = own.map_or(u64::MAX, |own| {
                own.is_reached |= pos >= own.pos;
                // From there on it waits for the other logs.
                own.pos.max(pos)
            });
            if next.from.iter().any(|from| !from.is_reached) {
                return (taken, until);
            }
            taken = list.pop_front().map(|next| next.expr);
        }
        (taken, u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use spytui_engine::{io::log::LogOptions, query::Vocabulary};

    use super::*;

    #[test]
    fn a_filter_holds_from_where_it_was_asked_for_in_each_log() {
        let [first, second, other] = [(); 3].map(|()| RawLog::new(&LogOptions::default()));
        let filters = NextFilters::default();
        let push = |text: &str, at: &[(&Arc<RawLog>, u64)]| {
            let from = at.iter().map(|(log, pos)| From { log: (*log).clone(), pos: *pos, is_reached: false }).collect();
            let expr = spytui_engine::query::parse(text, &Vocabulary::open()).unwrap();
            filters.0.lock().push_back(NextFilter { from, expr });
        };
        let take = |log, pos| {
            let (expr, until) = filters.take(log, pos);
            (expr.map(|expr| expr.to_string()), until)
        };
        assert_eq!(take(&first, 0), (None, u64::MAX));
        push("obj:a", &[(&first, 100), (&second, 50)]);
        push("obj:b", &[(&first, 100), (&second, 80)]);
        assert_eq!(take(&first, 20), (None, 100));
        // It waits for the second one; a log that nobody filters by does not.
        assert_eq!(
            [take(&first, 100), take(&second, 10), take(&other, 0)],
            [100, 50, u64::MAX].map(|until| (None, until))
        );
        assert_eq!(take(&second, 50), (Some("obj:a".to_owned()), 80));
        assert_eq!([take(&second, 80), take(&second, 80)], [80; 2].map(|until| (None, until)));
        assert_eq!(take(&first, 100), (Some("obj:b".to_owned()), u64::MAX));
        // Of a file, from what is read next.
        push("obj:a", &[]);
        push("obj:b", &[]);
        assert_eq!(take(&other, 7), (Some("obj:b".to_owned()), u64::MAX));
    }
}
