//! The trace as a whole: losses, time stamps that stand still, jump or go back, repeated resets, failed assertions, keys without a
//! dictionary entry, and absent record types that panes need although related records show that they should exist.

use std::collections::BTreeMap;

use spytui_plugin_api::{Activity, Class, KeyFormat, NONE, RowKind, Verb as V};

use super::finding::{Cases, Detail, Evidence, FoundCase, Rule};
use crate::{
    analysis::objects::Wording,
    replay::{Entities, FedRow, Key, MissingRecords, Moment, Slots},
};

/// Losses of one sort.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Loss {
    pub(super) evidence: Evidence,
    records: u64,
    is_bound: bool,
    bytes: u64,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Losses(pub(super) BTreeMap<Rule, Loss>);

impl Losses {
    pub(super) fn add(&mut self, fed: &FedRow, here: Moment) {
        let missing = fed.missing.unwrap_or_default();
        // All of a gap arrived late.
        if !fed.row.kind.is_loss() || missing == (MissingRecords { count: 0, is_exact: true }) {
            return;
        }
        let rule = match fed.row.kind {
            RowKind::DROP => Rule::Dropped,
            RowKind::CUT_OFF | RowKind::ORPHANS => Rule::CutOff,
            kind if kind.is_damage() => Rule::Damaged,
            _ => Rule::Missing,
        };
        let loss = self.0.entry(rule).or_default();
        loss.evidence.add(here, missing.count.max(fed.bytes));
        loss.records += missing.count;
        loss.is_bound |= !missing.is_exact;
        loss.bytes += fed.bytes;
    }

    pub(super) fn found(&self, out: &mut Vec<FoundCase>) {
        for (rule, loss) in &self.0 {
            let is_of_bytes = matches!(rule, Rule::Damaged | Rule::CutOff);
            let missing = Detail::Missing(loss.records, !loss.is_bound);
            let detail = if is_of_bytes { Detail::Bytes(loss.bytes) } else { missing };
            out.push(FoundCase::new(*rule, None, loss.evidence, detail));
        }
    }
}

/// Records in a row with the same time stamp: more than a target sends in one tick of a typical clock.
const STILL: u64 = 1024;
/// A step this many times longer than any other is not the program's own rhythm.
const JUMP: u64 = 1000;
/// Steps required before and after a jump; excludes the pause after start-up.
const STEPS: u64 = 256;

#[derive(Debug, Clone, Copy, Default)]
struct Step {
    ticks: u64,
    ns: Option<u64>,
    at: Moment,
    before: u64,
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Stamps {
    last: Option<(u64, Option<u64>)>,
    same: u64,
    from: Moment,
    steps: u64,
    longest: Step,
    second: u64,
    pub(super) seen: u64,
}

impl Stamps {
    /// Adds a record's own time stamp, in ticks, and in ns if the unit is known.
    pub(super) fn stamp(&mut self, here: Moment, time: u64, ns: Option<u64>, cases: &mut Cases) {
        self.seen += 1;
        let before = self.last.replace((time, ns));
        match before {
            Some((before, _)) if before == time => self.stands(here, cases),
            Some((before, before_ns)) => {
                self.same = 0;
                self.from = here;
                let ns = ns.zip(before_ns).map(|(now, before)| now.saturating_sub(before));
                self.step(time.saturating_sub(before), ns, here);
            }
            None => (self.same, self.from) = (0, here),
        }
    }

    fn stands(&mut self, here: Moment, cases: &mut Cases) {
        self.same += 1;
        if self.same >= STILL {
            let evidence = cases.of(Rule::TimeStands, None, Detail::Same(self.same + 1));
            evidence.extend(self.from, here, self.same == STILL);
        }
    }

    fn step(&mut self, ticks: u64, ns: Option<u64>, here: Moment) {
        if ticks > self.longest.ticks {
            self.second = self.longest.ticks;
            self.longest = Step { ticks, ns, at: here, before: self.steps };
        } else {
            self.second = self.second.max(ticks);
        }
        self.steps += 1;
    }

    /// Records are missing, time went back or the target was reset, so the next step is not measured.
    pub(super) fn lost(&mut self) {
        self.last = None;
    }

    pub(super) fn found(&self, out: &mut Vec<FoundCase>) {
        let step = self.longest;
        let is_known = step.before >= STEPS && self.steps - step.before > STEPS;
        if is_known && step.ticks / JUMP >= self.second.max(1) {
            let mut evidence = Evidence::default();
            evidence.add(step.at, step.ticks);
            out.push(FoundCase::new(Rule::TimeJump, None, evidence, Detail::Step { ticks: step.ticks, ns: step.ns }));
        }
    }
}

/// Minimum number of used keys in a space; a reader knows fewer by heart.
const FEW: u64 = 4;

#[derive(Debug, Clone, Default)]
pub(super) struct Used(Slots<Evidence>);

impl Used {
    pub(super) fn apply(&mut self, entities: &mut Entities, activity: &Activity, here: Moment) {
        let operands = [
            (activity.sub_space, activity.sub),
            (activity.obj_space, activity.obj),
            (activity.item_space, activity.item),
            (activity.second_space, activity.second),
        ];
        for (space, key) in operands.into_iter().filter(|(space, _)| *space != NONE) {
            let key = entities.named(activity, space, key);
            if let Some(id) = entities.id(key) {
                self.0.of(id).add(here, 0);
            }
        }
    }

    /// Reports spaces that should have names but lack most of them; the worst key is the most used one.
    pub(super) fn found(&self, entities: &Entities, wording: &Wording<'_>, out: &mut Vec<FoundCase>) {
        for space in wording.info.spaces.iter().filter(|space| has_names(space.class, space.key_format)) {
            let (mut of, mut all) = (0, Evidence::default());
            for (id, evidence) in self.0.iter().filter(|(_, evidence)| evidence.count > 0) {
                let key = entities.key(id);
                of += u64::from(key.space == space.id);
                if key.space == space.id && !wording.is_named(key) {
                    all.join(&Evidence { count: 1, worst: evidence.first, badness: evidence.count, ..*evidence });
                }
            }
            if all.count >= FEW && all.count * 2 >= of {
                let detail = Detail::Unnamed { unnamed: all.count, of };
                let class = Key { space: space.id, key: u64::MAX, scope: 0 };
                out.push(FoundCase::new(Rule::NoNames, Some(class), all, detail));
            }
        }
    }
}

/// Addresses and program-defined objects need names; small numbers of tasks and interrupts don't.
fn has_names(class: Class, format: KeyFormat) -> bool {
    matches!(class, Class::OBJECT | Class::STATE | Class::SIGNAL | Class::FUNCTION)
        || (format == KeyFormat::HEX && matches!(class, Class::TASK | Class::QUEUE | Class::POOL | Class::TIMER))
}

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
    /// Levels, and what tasks do.
    Other,
}

const ABOUT: usize = 7;

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

    pub(super) fn found(&self, out: &mut Vec<FoundCase>) {
        for (many, none, text) in PAIRS {
            if self.count(many) >= MANY && none.iter().all(|about| self.count(*about) == 0) {
                out.push(FoundCase::new(Rule::Hidden, None, self.seen[many as usize], Detail::Text(text)));
            }
        }
        let is_silent = self.seen.iter().all(|evidence| evidence.count == 0);
        if is_silent && self.records.count >= MANY {
            let text = "no record says what an object does: Objects, Timeline and Sequence stay empty";
            out.push(FoundCase::new(Rule::Hidden, None, self.records, Detail::Text(text)));
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
        V::RUN | V::IDLE | V::STATE | V::LEVEL | V::EMPTY | V::FULL => About::Other,
        _ => return None,
    })
}
