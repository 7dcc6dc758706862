//! Spans: rows that belong together (run-to-completion steps, kernel calls, interrupts, markers), derived from
//! activities alone; shown in the gutter of the list.

use spytui_plugin_api::{Activity, ActivityFlags, Batch, Info, NONE, Verb, row::RowFlags};

use crate::store::Span;

/// Open spans at a stream position. Small; copied with every checkpoint.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SpanState {
    depth: u8,
    unsure: bool,
    /// If the target reports the end of steps, everything before that end belongs to the step.
    end: StepEnd,
    is_handled: bool,
    machine: u64,
}

enum Edge {
    /// A step: a target that works on one thing at a time ends it before the next.
    Open,
    /// A span that may be nested: an interrupt, a marker.
    Begin,
    Close,
    /// A rejected step, which ends without a report.
    Reject,
    End,
    /// An end of a span that contains none of the rows between its ends.
    Apart(Span),
    Neither,
}

fn edge(activity: &Activity, end: StepEnd) -> Edge {
    let apart = end.is_apart();
    match activity.verb {
        Verb::BEGIN if activity.flags.contains(ActivityFlags::APART) => Edge::Apart(Span::ApartBegin),
        Verb::END if activity.flags.contains(ActivityFlags::APART) => Edge::Apart(Span::ApartEnd),
        Verb::DISPATCH => Edge::Open,
        Verb::BEGIN | Verb::ISR_IN => Edge::Begin,
        Verb::END | Verb::ISR_OUT => Edge::End,
        // An unhandled event has no end of its own.
        Verb::UNHANDLED if apart => Edge::Close,
        Verb::IGNORED if apart && activity.flags.contains(ActivityFlags::FAILED) => Edge::Reject,
        Verb::TRAN | Verb::INTERNAL | Verb::IGNORED if apart => Edge::Neither,
        Verb::TRAN | Verb::INTERNAL | Verb::IGNORED | Verb::DONE => Edge::Close,
        _ => Edge::Neither,
    }
}

impl SpanState {
    pub fn new(info: &Info) -> SpanState {
        SpanState { end: StepEnd::new(info), ..SpanState::default() }
    }

    /// The state after a range without activities.
    pub fn interrupted(self) -> SpanState {
        SpanState { end: self.end, ..SpanState::default() }
    }

    /// Appends each row's place in a span.
    pub fn places(&mut self, batch: &Batch, out: &mut Vec<(Span, bool)>) {
        let mut activities = batch.activities.iter().peekable();
        for (i, row) in batch.rows.iter().enumerate() {
            if row.may_hide_records() || row.has(RowFlags::EPOCH) {
                self.unsure |= self.depth > 0 && !row.flags.intersects(RowFlags::EPOCH);
                self.depth = if !row.flags.intersects(RowFlags::EPOCH) { self.depth } else { 0 };
            }
            let mut open = None;
            let mut close = None;
            let mut apart = None;
            while let Some(activity) = activities.next_if(|a| a.at as usize <= i) {
                if activity.verb == Verb::DONE {
                    self.end.came();
                }
                match edge(activity, self.end) {
                    Edge::Open => {
                        open = Some(Span::Open);
                        if self.depth > 0 && self.is_handled && !self.unsure {
                            self.end.is_missing();
                        }
                        self.is_handled = false;
                        self.machine = activity.sub;
                    }
                    Edge::Begin => open = Some(Span::Begin),
                    Edge::Close => close = Some(Span::None),
                    // Rejected before a step (a false guard), or after a loss, perhaps in another step.
                    Edge::Reject if self.unsure || activity.sub != self.machine => {}
                    Edge::Reject => close = Some(Span::None),
                    Edge::End => close = Some(Span::End),
                    Edge::Apart(end) => apart = Some(end),
                    Edge::Neither => self.is_handled |= matches!(activity.verb, Verb::TRAN | Verb::INTERNAL),
                }
            }
            let (place, unsure) = self.place(row.is_record(), open, close);
            // The row itself is certain.
            let of_others = matches!(place, Span::None | Span::Inside);
            out.push(apart.filter(|_| of_others).map_or((place, unsure), |end| (end, false)));
        }
    }

    /// `open` = how the row begins a span, `close` = its place if it ends no known span.
    fn place(&mut self, record: bool, open: Option<Span>, close: Option<Span>) -> (Span, bool) {
        let unsure = self.unsure;
        if !record {
            return (Span::None, false);
        }
        match (open, close) {
            // A step starts within another: either an end was lost, or the steps are nested. A one-column gutter shows
            // the inner one.
            (Some(begin), None) => {
                // Rows of a step that begins after the loss are certain.
                self.unsure &= self.depth > 0 && begin != Span::Open;
                self.depth = 1;
                (begin, false)
            }
            (None, Some(_)) if self.depth > 0 => {
                self.depth = 0;
                self.unsure = false;
                (Span::Close, unsure)
            }
            _ if self.depth > 0 => (Span::Inside, unsure),
            (None, Some(outer)) => (outer, false),
            _ => (Span::None, false),
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum StepEnd {
    /// The transition, or any other handling of the event.
    #[default]
    Handled,
    /// The decoder declares a separate end record, but none was seen yet; the target may omit them.
    Promised,
    /// A separate end record.
    Reported,
}

impl StepEnd {
    /// The initial value, from the decoder's declaration.
    pub fn new(info: &Info) -> StepEnd {
        if info.reports_step_end { StepEnd::Promised } else { StepEnd::Handled }
    }

    /// Whether a step continues after its event was handled.
    pub fn is_apart(self) -> bool {
        self != StepEnd::Handled
    }

    /// A record reported the end of a step.
    pub fn came(&mut self) {
        *self = StepEnd::Reported;
    }

    /// The next step began without a reported end of a handled one.
    pub fn is_missing(&mut self) {
        if *self == StepEnd::Promised {
            *self = StepEnd::Handled;
        }
    }
}

/// The core specified by the user. In protocols without cores, each further source counts as a core, so that its rows
/// are distinguishable; otherwise the stream specifies cores.
pub fn core_of(info: &Info, core: Option<u16>, source: u16) -> u16 {
    core.unwrap_or(if source > 0 && !info.has_cores { source } else { NONE })
}

#[cfg(test)]
mod tests {
    use spytui_plugin_api::{Row, RowKind};

    use super::*;

    fn spans(verbs: &[Verb]) -> Vec<Span> {
        let mut batch = Batch::default();
        for &verb in verbs {
            let at = batch.rows.len() as u32;
            batch.activities.push(Activity { at, ..Activity::new(verb) });
            batch.rows.push(Row::default());
        }
        let mut out = Vec::new();
        SpanState::default().places(&batch, &mut out);
        out.into_iter().map(|(span, _)| span).collect()
    }

    #[test]
    fn a_step_is_tied_from_dispatch_to_transition() {
        let verbs = [Verb::POST, Verb::DISPATCH, Verb::EXIT, Verb::TRAN, Verb::POST];
        assert_eq!(spans(&verbs), [Span::None, Span::Open, Span::Inside, Span::Close, Span::None]);
    }

    #[test]
    fn where_the_target_reports_the_end_a_transition_is_none() {
        let step = [Verb::DISPATCH, Verb::TRAN, Verb::ENTER, Verb::DONE];
        let places = spans(&[step, step].concat());
        assert_eq!(places[4..], [Span::Open, Span::Inside, Span::Inside, Span::Close]);
    }

    #[test]
    fn the_first_step_ends_as_the_decoder_says_unless_its_end_is_left_out() {
        let places = |verbs: &[Verb]| {
            let mut batch = Batch::default();
            for &verb in verbs {
                let at = batch.rows.len() as u32;
                batch.activities.push(Activity { at, ..Activity::new(verb) });
                batch.rows.push(Row::default());
            }
            let mut out = Vec::new();
            SpanState::new(&Info { reports_step_end: true, ..Info::default() }).places(&batch, &mut out);
            out.into_iter().map(|(span, _)| span).collect::<Vec<_>>()
        };
        let step = [Verb::DISPATCH, Verb::TRAN, Verb::ENTER, Verb::DONE, Verb::POST];
        assert_eq!(places(&step), [Span::Open, Span::Inside, Span::Inside, Span::Close, Span::None]);
        let left_out = [Verb::DISPATCH, Verb::TRAN, Verb::ENTER, Verb::DISPATCH, Verb::TRAN, Verb::ENTER];
        assert_eq!(places(&left_out)[3..], [Span::Open, Span::Close, Span::None]);
    }

    #[test]
    fn an_interrupt_in_another_is_distinguished_from_the_next() {
        let nested = [Verb::ISR_IN, Verb::ISR_IN, Verb::ISR_OUT, Verb::POST, Verb::ISR_OUT];
        assert_eq!(spans(&nested), [Span::Begin, Span::Begin, Span::Close, Span::None, Span::End]);
    }

    #[test]
    fn where_the_target_reports_the_end_an_event_that_nothing_takes_is_one() {
        let verbs = [Verb::DISPATCH, Verb::DONE, Verb::DISPATCH, Verb::UNHANDLED, Verb::POST];
        assert_eq!(spans(&verbs)[2..], [Span::Open, Span::Close, Span::None]);
    }

    #[test]
    fn a_step_that_begins_after_a_loss_is_certain() {
        let mut batch = Batch::default();
        for verb in [Verb::DISPATCH, Verb::LOST, Verb::POST, Verb::DISPATCH, Verb::ENTER, Verb::DONE] {
            let at = batch.rows.len() as u32;
            batch.activities.push(Activity { at, ..Activity::new(verb) });
            let kind = if verb == Verb::LOST { RowKind::GAP } else { RowKind(1) };
            batch.rows.push(Row { kind, ..Row::default() });
        }
        let mut out = Vec::new();
        SpanState::default().places(&batch, &mut out);
        assert_eq!(out.iter().map(|place| place.1).collect::<Vec<_>>(), [false, false, true, false, false, false]);
    }

    #[test]
    fn a_step_that_is_rejected_has_no_other_end() {
        let of = |verb, machine| Activity::new(verb).sub(1, machine);
        let failed = |machine| of(Verb::IGNORED, machine).with(ActivityFlags::FAILED);
        let done = [of(Verb::DISPATCH, 1), of(Verb::DONE, 1)];
        let places = |rest: &[Activity], lost: Option<usize>| {
            let mut batch = Batch::default();
            for activity in done.iter().chain(rest) {
                let at = batch.rows.len() as u32;
                batch.activities.push(Activity { at, ..*activity });
                let kind = if lost == Some(at as usize) { RowKind::GAP } else { RowKind(1) };
                batch.rows.push(Row { kind, ..Row::default() });
            }
            let mut out = Vec::new();
            SpanState::default().places(&batch, &mut out);
            out.into_iter().skip(done.len()).map(|(span, _)| span).collect::<Vec<_>>()
        };
        let step = [of(Verb::DISPATCH, 1), of(Verb::TRAN, 1), failed(1), of(Verb::ALLOC, 2)];
        assert_eq!(places(&step, None), [Span::Open, Span::Inside, Span::Close, Span::None]);
        assert_eq!(places(&step, Some(3)), [Span::Open, Span::None, Span::Inside, Span::Inside], "perhaps another's");
        // A false guard is before its step, here in that of another machine.
        let nested = [of(Verb::DISPATCH, 1), failed(2), of(Verb::DONE, 1), failed(1)];
        assert_eq!(places(&nested, None), [Span::Open, Span::Inside, Span::Close, Span::None]);
    }

    #[test]
    fn an_end_without_a_beginning_ties_nothing() {
        assert_eq!(spans(&[Verb::TRAN, Verb::DONE]), [Span::None, Span::None]);
    }

    #[test]
    fn calls_of_one_thread_among_many_hold_nothing() {
        let mut batch = Batch::default();
        let call = |verb| Activity::new(verb).with(ActivityFlags::APART);
        let verbs = [call(Verb::BEGIN), Activity::new(Verb::RUN), Activity::new(Verb::ISR_IN), call(Verb::END)];
        for (at, activity) in (0..).zip(verbs) {
            batch.activities.push(Activity { at, ..activity });
            batch.rows.push(Row::default());
        }
        batch.rows.push(Row::default());
        let mut out = Vec::new();
        SpanState::default().places(&batch, &mut out);
        let places: Vec<Span> = out.into_iter().map(|place| place.0).collect();
        assert_eq!(places, [Span::ApartBegin, Span::None, Span::Begin, Span::ApartEnd, Span::Inside]);
    }
}
