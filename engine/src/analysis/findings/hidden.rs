//! Record types that panes need and that are absent, although related records show that they should exist.

use spytui_plugin_api::Verb as V;

use super::finding::{Detail, Evidence, Found, Rule};
use crate::replay::Moment;

/// Records after which the absence of their counterpart is no coincidence.
const MANY: u64 = 64;

/// Record types that panes depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum About {
    Sent,
    Taken,
    Dispatch,
    Outcome,
    IsrIn,
    IsrOut,
    Runs,
    State,
    Level,
}

const ABOUT: usize = 9;

/// Many records of the first type but none of the second types means that some are filtered out.
const PAIRS: [(About, &[About], &str); 5] = [
    (
        About::Sent,
        &[About::Taken, About::Dispatch],
        "events are posted, but none is taken: Sequence and `c` end at the post",
    ),
    (About::Taken, &[About::Sent], "events are taken, but none is posted: Sequence does not know who sent them"),
    (
        About::Dispatch,
        &[About::Outcome],
        "events are dispatched, but no outcome is recorded: Objects and Timeline miss the states",
    ),
    (About::IsrIn, &[About::IsrOut], "interrupts begin, but none ends: Timeline can't show how long they take"),
    (
        About::Outcome,
        &[About::Sent, About::Taken, About::Dispatch],
        "states change, but no event is recorded: Sequence stays empty",
    ),
];

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Hidden {
    seen: [Evidence; ABOUT],
    records: Evidence,
}

impl Hidden {
    /// Counts a record of the target other than a dictionary.
    pub(super) fn record(&mut self, here: Moment) {
        self.records.add(here, 0);
    }

    pub(super) fn apply(&mut self, verb: V, here: Moment) {
        if let Some(about) = about(verb) {
            self.seen[about as usize].add(here, 0);
        }
    }

    fn count(&self, about: About) -> u64 {
        self.seen[about as usize].count
    }

    pub(super) fn found(&self, out: &mut Vec<Found>) {
        for (many, none, text) in PAIRS {
            if self.count(many) >= MANY && none.iter().all(|about| self.count(*about) == 0) {
                out.push(Found::new(Rule::Hidden, None, self.seen[many as usize], Detail::Text(text)));
            }
        }
        let is_silent = self.seen.iter().all(|evidence| evidence.count == 0);
        if is_silent && self.records.count >= MANY {
            let text = "no record says what an object does: Objects, Timeline and Sequence stay empty";
            out.push(Found::new(Rule::Hidden, None, self.records, Detail::Text(text)));
        }
    }
}

fn about(verb: V) -> Option<About> {
    Some(match verb {
        V::POST | V::SEND | V::PULSE | V::SIGNAL | V::PUBLISH => About::Sent,
        V::GET | V::RECEIVE => About::Taken,
        V::DISPATCH => About::Dispatch,
        V::TRAN | V::INTERNAL | V::IGNORED | V::REST => About::Outcome,
        V::ISR_IN => About::IsrIn,
        V::ISR_OUT => About::IsrOut,
        V::RUN | V::IDLE => About::Runs,
        V::STATE => About::State,
        V::LEVEL | V::EMPTY | V::FULL => About::Level,
        _ => return None,
    })
}
