//! The rules, and what a rule found with the rows that show it.

use rustc_hash::FxHashMap;
use spytui_plugin_api::Severity;

use crate::replay::{Entities, Id, Key, Moment};

/// The most serious ones first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// Records are missing.
    Missing,
    /// The target dropped records.
    Dropped,
    /// Bytes that no record could be read from.
    Damaged,
    /// Records arrived in part.
    CutOff,
    Assertion,
    /// Another record of an error.
    Error,
    Resets,
    /// A queue or pool refused an element.
    Refused,
    /// The free blocks of a pool keep decreasing.
    Leak,
    /// A periodic event was not taken before the next one.
    Deadline,
    Full,
    NeverEmpty,
    Starved,
    InterruptStorm,
    TransitionStorm,
    TimeBack,
    /// A single time step is far longer than all others.
    TimeJump,
    TimeStands,
    /// A machine ignores an event in every state.
    Ignored,
    NearlyFull,
    ArmedTwice,
    NoNames,
    /// Records that a pane needs are absent.
    Hidden,
}

impl Rule {
    /// Name used in exports.
    pub fn word(self) -> &'static str {
        self.texts().0
    }

    pub fn title(self) -> &'static str {
        self.texts().1
    }

    pub fn why(self) -> &'static str {
        self.texts().2
    }

    pub fn next(self) -> &'static str {
        self.texts().3
    }

    pub fn severity(self) -> Severity {
        match self {
            // Of rows that are errors themselves.
            Rule::Missing | Rule::Damaged | Rule::Assertion | Rule::Error => Severity::ERROR,
            Rule::Ignored | Rule::NearlyFull | Rule::ArmedTwice | Rule::NoNames | Rule::Hidden => Severity::INFO,
            _ => Severity::WARNING,
        }
    }

    /// Whether what led to it is of interest.
    pub fn is_failure(self) -> bool {
        use Rule::{Assertion, Deadline, Error, Leak, Refused, Resets};
        matches!(self, Assertion | Error | Resets | Refused | Leak | Deadline)
    }

    /// Word, title, why it matters, what to do next.
    #[rustfmt::skip]
    fn texts(self) -> (&'static str, &'static str, &'static str, &'static str) {
        match self {
            Rule::Missing => ("missing", "records missing",
                "What they said is unknown; figures across them may be too low.",
                "See where (`x`), and on which side they were lost (pane 5)."),
            Rule::Dropped => ("dropped", "dropped by the target",
                "Its buffer was full, so what is missing is where most happened.",
                "Enlarge its buffer, speed up the link, or leave records out (pane 6)."),
            Rule::Damaged => ("damaged", "bytes damaged",
                "Records may have been in them.",
                "Check baud rate, cable and ground; pane 5 lists the kinds of damage."),
            Rule::CutOff => ("cut-off", "records cut off",
                "Only a part of them arrived.",
                "See what happened to the link there."),
            Rule::Assertion => ("assertion", "assertion failed",
                "A condition that the code checks was false.",
                "See what led to it: Enter."),
            Rule::Error => ("error", "error reported",
                "The target itself calls it an error.",
                "See what led to it: Enter."),
            Rule::Resets => ("resets", "reset loop",
                "Each start loses all state; a watchdog, a fault or its power may be the cause.",
                "Look at the last rows before each reset."),
            Rule::Refused => ("refused", "no room",
                "What did not fit is lost, unless the sender checks for it.",
                "See who fills it (filter by the object), and who should have emptied it."),
            Rule::Leak => ("leak", "pool leaks",
                "Blocks are taken but not returned, so it will run empty.",
                "Find what is allocated more often than collected."),
            Rule::Deadline => ("deadline", "periodic event late",
                "Its period is its deadline: work piles up, or a cycle is skipped.",
                "See what ran between both expiries; the step before it may take too long."),
            Rule::Full => ("full", "full",
                "The next one has no room: it is refused, or an assertion fails.",
                "See who posted the burst before the first row; enlarge it, or empty it sooner."),
            Rule::NeverEmpty => ("never-empty", "queue never drains",
                "Its receiver does not keep up, so every event waits behind others.",
                "Compare how often it is posted to with how long its steps take."),
            Rule::Starved => ("starved", "task starved",
                "It was ready, but never got the CPU.",
                "See who ran instead, and its priority."),
            Rule::InterruptStorm => ("interrupt-storm", "interrupt storm",
                "The handler takes at least half of the core, and little is left for tasks.",
                "Check that its source is acknowledged, and its rate."),
            Rule::TransitionStorm => ("transition-storm", "storm of transitions",
                "A machine that changes its state without a pause drives itself, or a signal bounces.",
                "See which events take turns, and who posts them."),
            Rule::TimeBack => ("time-back", "time went back",
                "Durations across these rows are wrong.",
                "Check the width of the time stamp, and whether its counter is read in two parts."),
            Rule::TimeJump => ("time-jump", "time jumps",
                "Durations across this row may be wrong.",
                "Check whether the target slept or was halted, and the width of the time stamp."),
            Rule::TimeStands => ("time-stands", "time stands still",
                "The order is known, but no duration.",
                "Check that the counter behind the time stamp runs, and that it is not too coarse."),
            Rule::Ignored => ("ignored", "event ignored in every state",
                "Nobody needs the event, or its handler is missing.",
                "Do not send it, or handle it in the states that receive it."),
            Rule::NearlyFull => ("nearly-full", "nearly full",
                "A slightly larger burst does not fit.",
                "See what led to the first row, and leave more room."),
            Rule::ArmedTwice => ("armed-twice", "timer armed twice",
                "The first expiry never comes; on purpose only where a watchdog is restarted.",
                "Disarm it first, or check who armed it before."),
            Rule::NoNames => ("no-names", "names missing",
                "Objects are shown by their numbers.",
                "Start recording before the target starts, have it send its dictionaries, or load names (`:dict load`)."),
            Rule::Hidden => ("hidden", "record types missing",
                "The target's filter may leave them out, so that panes stay empty or incomplete.",
                "Switch the records on in the target's filter (pane 6)."),
        }
    }
}

/// Rows that show a finding: the first, the worst and the latest occurrence.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Evidence {
    pub count: u64,
    pub first: Moment,
    pub worst: Moment,
    pub latest: Moment,
    /// How bad the worst one was, in the rule's own unit.
    pub badness: u64,
}

impl Evidence {
    pub(super) fn add(&mut self, here: Moment, badness: u64) {
        self.add_from(here, here, badness);
    }

    /// Adds an occurrence that spans two rows.
    pub(super) fn add_from(&mut self, from: Moment, here: Moment, badness: u64) {
        if self.count == 0 {
            self.first = from;
        }
        if self.count == 0 || badness > self.badness {
            (self.worst, self.badness) = (here, badness);
        }
        self.latest = here;
        self.count += 1;
    }

    /// Adds an occurrence that spans two rows if it is new; otherwise the latest one lasts until here.
    pub(super) fn extend(&mut self, from: Moment, here: Moment, is_new: bool) {
        if is_new {
            self.add_from(from, here, 0);
        } else {
            self.latest = here;
        }
    }

    /// Adds an occurrence unless the latest one is in the same row.
    pub(super) fn add_once(&mut self, here: Moment) {
        if self.count == 0 || self.latest.row != here.row {
            self.add(here, 0);
        }
    }

    pub(super) fn join(&mut self, other: &Evidence) {
        if self.count == 0 {
            *self = *other;
            return;
        }
        self.count += other.count;
        if other.badness > self.badness {
            (self.worst, self.badness) = (other.worst, other.badness);
        }
        self.first = if other.first.row < self.first.row { other.first } else { self.first };
        self.latest = if other.latest.row > self.latest.row { other.latest } else { self.latest };
    }

    /// The rows without duplicates, each with its label.
    pub fn rows(&self) -> Vec<(&'static str, Moment)> {
        let mut rows: Vec<(&'static str, Moment)> = Vec::with_capacity(3);
        for (word, at) in [("first", self.first), ("worst", self.worst), ("latest", self.latest)] {
            if rows.iter().all(|(_, known)| known.row != at.row) {
                rows.push((word, at));
            }
        }
        rows
    }
}

/// Fewer resets may be the start of a session or intended.
const MANY_RESETS: u64 = 3;

/// Evidence collected while rows are read, by rule and object.
#[derive(Debug, Clone, Default)]
pub(super) struct Cases(pub(super) FxHashMap<(Rule, Option<Id>), (Evidence, Detail)>);

impl Cases {
    /// The evidence of a rule for an object; adds its greatest detail.
    pub(super) fn of(&mut self, rule: Rule, id: Option<Id>, detail: Detail) -> &mut Evidence {
        let (evidence, greatest) = self.0.entry((rule, id)).or_default();
        *greatest = detail.max(*greatest);
        evidence
    }

    pub(super) fn has(&self, rule: Rule, id: Id) -> bool {
        self.0.contains_key(&(rule, Some(id)))
    }

    pub(super) fn found(&self, entities: &Entities) -> impl Iterator<Item = FoundCase> {
        let found = self.0.iter().map(|((rule, id), (evidence, detail))| {
            FoundCase::new(*rule, id.map(|id| entities.key(id)), *evidence, *detail)
        });
        found.filter(|found| found.rule != Rule::Resets || found.evidence.count >= MANY_RESETS)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FoundCase {
    pub(super) rule: Rule,
    /// The object concerned.
    pub(super) of: Option<Key>,
    /// The event concerned.
    pub(super) item: Option<Key>,
    pub(super) evidence: Evidence,
    pub(super) detail: Detail,
}

impl FoundCase {
    pub(super) fn new(rule: Rule, of: Option<Key>, evidence: Evidence, detail: Detail) -> FoundCase {
        FoundCase { rule, of, item: None, evidence, detail }
    }
}

/// The measured values shown with a finding.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Detail {
    #[default]
    Nothing,
    /// Fewest free elements, and the capacity if known.
    Free(u64, Option<u64>),
    /// Most used elements.
    Used(u64),
    /// Level changes in a row without an empty queue.
    Changes(u64),
    /// Best level of the first and last stretch, in free or used elements.
    Leak {
        counts_free: bool,
        before: u64,
        after: u64,
    },
    States(u64),
    /// Longest wait, in ticks and ns, and switches to others meanwhile.
    Wait {
        ticks: Option<u64>,
        ns: Option<u64>,
        switches: u64,
    },
    /// Share of the core, per mille.
    Share(u64),
    Transitions(u64),
    /// A time step, in ticks and ns.
    Step {
        ticks: u64,
        ns: Option<u64>,
    },
    /// Number of records with the same time.
    Same(u64),
    /// Keys without a name, of all keys used.
    Unnamed {
        unnamed: u64,
        of: u64,
    },
    Text(&'static str),
    /// Missing records; 0 = their number is unknown.
    Missing(u64, bool),
    Bytes(u64),
}

/// The evidence that rules examined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExaminedEvidence {
    pub what: &'static str,
    pub needs: &'static str,
    /// Number of them seen; with 0 there is no verdict.
    pub seen: u64,
}
