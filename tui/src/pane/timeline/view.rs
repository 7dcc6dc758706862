//! The time window on the screen: how it moves and zooms.

use spytui_engine::{analysis::timeline::TimeWindow, present::Clock};

#[derive(Debug)]
pub(super) struct View {
    pub(super) window: TimeWindow,
    pub(super) zoom: TimelineZoom,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum TimelineZoom {
    /// A minute, or everything if that is shorter or the tick rate is unknown.
    #[default]
    Minute,
    All,
    /// Ticks per column.
    Ticks(u64),
}

impl Default for View {
    fn default() -> View {
        View { window: TimeWindow { begin: 0, ticks: 1, columns: 0 }, zoom: TimelineZoom::default() }
    }
}

/// What a window is fitted to.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Fitted {
    /// Positions of the first and the last row.
    pub(super) span: (u64, u64),
    /// Ticks of a minute, if the tick rate is known.
    pub(super) minute: Option<u64>,
    pub(super) columns: usize,
    pub(super) here: Option<u64>,
    pub(super) follows: bool,
}

/// ns
pub(super) const MINUTE: u128 = 60_000_000_000;

/// Ticks of a time in ns; `None` if the tick rate is unknown.
pub(super) fn ticks_of(clock: &Clock, time: u128) -> Option<u64> {
    const MANY: u64 = 1_000_000;
    let ns = clock.ns(MANY).filter(|ns| *ns > 0)?;
    u64::try_from(time * u128::from(MANY) / u128::from(ns)).ok()
}

/// The next of 1, 2, 5, 10, 20 … from a number on.
fn round_up(ticks: u64) -> u64 {
    let mut power = 1_u64;
    loop {
        for step in [1, 2, 5] {
            let round = power.saturating_mul(step);
            if round >= ticks || round == u64::MAX {
                return round;
            }
        }
        power = power.saturating_mul(10);
    }
}

/// The greatest round number below `ticks`.
fn round_below(ticks: u64) -> u64 {
    let mut below = 1;
    let mut next = 2;
    while next < ticks {
        (below, next) = (next, round_up(next + 1));
    }
    below
}

impl View {
    /// Fits the window into this many columns, including the cursor.
    pub(super) fn fit(&mut self, fitted: &Fitted) {
        let Fitted { span, minute, columns, here, follows } = *fitted;
        let all = all_ticks(span, columns);
        let ticks = match (self.zoom, minute) {
            (TimelineZoom::Ticks(ticks), _) => ticks.max(1),
            (TimelineZoom::Minute, Some(minute)) => all_ticks((0, minute.saturating_sub(1)), columns).min(all),
            _ => all,
        };
        // The cursor is in the middle of the first window.
        let is_first = self.window.columns == 0;
        let shows_all = ticks == all && !matches!(self.zoom, TimelineZoom::Ticks(_));
        let begin = if shows_all { span.0 } else { self.window.begin.max(span.0) };
        self.window = TimeWindow { begin, ticks, columns };
        self.window.begin = self.aligned_from(begin, span.0);
        let Some(here) = here.filter(|_| columns > 0) else { return };
        if here < self.window.begin || here >= self.window.end() || is_first && !shows_all {
            // While rows arrive, most of the window is before the newest one, so that lanes need not move with each
            // row.
            let before = if follows { columns * 7 / 8 } else { columns / 2 };
            self.put(here, before, span.0);
        }
    }

    /// Moves the window so that a position is in a column.
    fn put(&mut self, here: u64, column: usize, first: u64) {
        let begin = here.saturating_sub(self.window.ticks.saturating_mul(column as u64)).max(first);
        self.window.begin = self.aligned_from(begin, first);
    }

    /// Column boundaries are fixed, however the window moves.
    fn aligned_from(&self, at: u64, first: u64) -> u64 {
        at - at.saturating_sub(first) % self.window.ticks
    }

    /// Start of the column of a position.
    pub(super) fn aligned(&self, at: u64) -> u64 {
        let (begin, ticks) = (self.window.begin, self.window.ticks);
        if at >= begin { at - (at - begin) % ticks } else { begin.saturating_sub((begin - at).div_ceil(ticks) * ticks) }
    }

    pub(super) fn column(&self, at: u64) -> Option<usize> {
        (at >= self.window.begin && at < self.window.end()).then(|| self.window.column(at))
    }

    /// Zooms in, keeping the position under the cursor.
    pub(super) fn zoom_in(&mut self, here: Option<u64>) {
        self.zoom_to(round_below(self.window.ticks), here);
    }

    /// Zooms out, up to everything.
    pub(super) fn zoom_out(&mut self, here: Option<u64>, span: (u64, u64)) {
        let ticks = round_up(self.window.ticks.saturating_add(1));
        if ticks >= all_ticks(span, self.window.columns) {
            self.zoom = TimelineZoom::All;
            return;
        }
        self.zoom_to(ticks, here);
    }

    fn zoom_to(&mut self, ticks: u64, here: Option<u64>) {
        let here = here.filter(|here| self.column(*here).is_some());
        let middle = self.window.start(self.window.columns / 2);
        let fixed = here.unwrap_or(middle);
        let column = self.window.column(fixed);
        (self.zoom, self.window.ticks) = (TimelineZoom::Ticks(ticks), ticks);
        self.window.begin = fixed.saturating_sub(ticks.saturating_mul(column as u64));
    }
}

/// Ticks per column, so that everything fits with little room left.
fn all_ticks(span: (u64, u64), columns: usize) -> u64 {
    let least = (span.1 - span.0.min(span.1)) / (columns as u64).max(1) + 1;
    let mut power = 1_u64;
    while power.saturating_mul(100) < least {
        power = power.saturating_mul(10);
    }
    let steps = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100];
    steps.map(|step| power.saturating_mul(step)).into_iter().find(|ticks| *ticks >= least).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_take_round_times() {
        assert_eq!([1, 2, 3, 6, 11, 5000, 5001].map(round_up), [1, 2, 5, 10, 20, 5000, 10_000]);
        assert_eq!([1, 2, 3, 5, 6, 10, 5000, 5001].map(round_below), [1, 1, 2, 2, 5, 5, 2000, 5000]);
        assert_eq!((round_up(u64::MAX), round_below(1)), (u64::MAX, 1));
    }

    #[test]
    fn zooming_keeps_what_is_under_the_cursor() {
        let (span, here) = ((1_000, 101_000), Some(61_234));
        let mut view = View::default();
        view.fit(&Fitted { span, columns: 50, here, ..Fitted::default() });
        assert_eq!(view.window, TimeWindow { begin: 1_000, ticks: 2_500, columns: 50 });
        let column = view.column(61_234).unwrap();
        for ticks in [2_000, 1_000, 500, 200, 100, 50, 20, 10, 5, 2, 1, 1] {
            view.zoom_in(here);
            view.fit(&Fitted { span, columns: 50, here, ..Fitted::default() });
            assert_eq!(view.window.ticks, ticks);
            assert!(view.column(61_234).unwrap().abs_diff(column) <= 1, "{ticks}: {:?}", view.window);
        }
        for _ in 0..12 {
            view.zoom_out(here, span);
            view.fit(&Fitted { span, columns: 50, here, ..Fitted::default() });
        }
        assert_eq!((view.window.begin, view.window.ticks), (1_000, 2_500));
    }

    fn fit(view: &mut View, columns: usize, here: u64, follows: bool) {
        view.fit(&Fitted { span: (0, 100_000), minute: None, columns, here: Some(here), follows });
    }

    #[test]
    fn the_first_window_is_the_minute_around_the_cursor() {
        let shown = |span: u64, here: u64| {
            let mut view = View::default();
            view.fit(&Fitted { span: (0, span), minute: Some(60), columns: 60, here: Some(here), follows: false });
            (view.window.begin, view.window.end())
        };
        assert_eq!((shown(1000, 500), shown(1000, 3)), ((470, 530), (0, 60)));
        // Everything, if that is less than a minute.
        assert_eq!(shown(29, 20), (0, 60));
    }

    #[test]
    fn the_cursor_is_in_the_window() {
        let mut view = View::default();
        fit(&mut view, 100, 0, false);
        view.zoom_in(Some(0));
        for (here, follows) in [(99_000, true), (98_000, true), (10, false), (50_000, false), (0, false)] {
            fit(&mut view, 100, here, follows);
            assert!(view.column(here).is_some(), "{here}: {:?}", view.window);
            assert_eq!(view.window.begin % view.window.ticks, 0);
        }
        // Fewer columns, or none.
        fit(&mut view, 3, 77_000, false);
        assert!(view.column(77_000).is_some());
        fit(&mut view, 0, 77_000, false);
    }
}
