//! Passes rows in merged order to all rules.

use spytui_plugin_api::{Activity, Info, RowFlags, RowKind, Severity, Verb as V};

use super::{
    cores::{Interrupts, Starved},
    finding::{Cases, Detail, ExaminedEvidence, FoundCase, Rule},
    levels::Fills,
    machines::{Ignored, Storms},
    timers::{Deadlines, Timers},
    trace::{Hidden, Losses, Stamps, Used},
};
use crate::{
    analysis::objects::Wording,
    replay::{Entities, FedRow, Key, Moment, Observed, Observer, Replay, Seen},
};

/// All rules with their state. Memory grows with the number of objects, to a few megabytes.
pub type FindingTable = Observed<FindingRules>;

#[derive(Debug, Clone, Default)]
pub struct FindingRules {
    cases: Cases,
    fills: Fills,
    ignored: Ignored,
    timers: Timers,
    deadlines: Deadlines,
    storms: Storms,
    starved: Starved,
    interrupts: Interrupts,
    stamps: Stamps,
    used: Used,
    hidden: Hidden,
    losses: Losses,
    /// Number of places with rows of errors; neighbours count once.
    pub(super) error_places: u64,
    last_error: Option<u64>,
    /// Records arrived since the last reset.
    has_records: bool,
    /// The first row of the epoch.
    start: u64,
    /// Where time went back; the next record may show that the target was reset.
    back: Option<Moment>,
}

impl Observer for FindingRules {
    const KEEPS_IDS: bool = true;
    const NEEDS_NS: bool = true;

    fn new(_: &Info) -> FindingRules {
        FindingRules::default()
    }

    fn needs(verb: V) -> bool {
        !matches!(verb, V::POST | V::SEND | V::PULSE | V::SIGNAL | V::GET | V::RECEIVE)
    }

    fn row(&mut self, fed: &FedRow, activities: &[Activity], replay: &mut Replay) {
        let (row, at, here) = (&fed.row, fed.at, replay.last);
        if row.is_record()
            && let Some(back) = self.back.take()
        {
            self.cases.of(Rule::TimeBack, None, Detail::Nothing).add(back, 0);
            self.stamps.lost();
        }
        match row.kind {
            RowKind::LINK | RowKind::RESTART => self.stamps.lost(),
            RowKind::TIME_BACK => {
                self.stamps.lost();
                self.back = Some(at);
            }
            _ => {}
        }
        if row.is_record()
            && row.has(RowFlags::TIME_OWN)
            && let Some(time) = at.time
        {
            self.stamps.stamp(at, time, fed.ns, &mut self.cases);
        }
        if row.is_record() && !row.has(RowFlags::NAMING) {
            self.hidden.record(at);
        }
        self.losses.add(fed, here);
        if row.severity >= Severity::ERROR {
            let is_new = self.last_error.replace(at.row).is_none_or(|last| last + 1 < at.row);
            self.error_places += u64::from(is_new);
        }
        let asserts = activities.iter().any(|activity| activity.verb == V::ASSERT);
        if row.is_record() && row.severity >= Severity::ERROR && !asserts {
            self.cases.of(Rule::Error, None, Detail::Nothing).add(here, 0);
        }
        for activity in activities {
            self.used.apply(&mut replay.entities, activity, here);
            self.hidden.apply(activity.verb, here);
            match activity.verb {
                V::ASSERT => self.cases.of(Rule::Assertion, None, Detail::Nothing).add(here, 0),
                V::TICK => self.storms.tick(),
                _ => {}
            }
        }
        self.has_records |= row.is_record();
    }

    fn lost(&mut self) {
        self.fills.lost();
        self.ignored.lost();
        self.deadlines.lost();
        self.storms.lost();
        self.starved.lost();
        self.interrupts.lost();
        self.stamps.lost();
    }

    fn reset(&mut self, epoch: Option<Moment>, _: bool) {
        if let Some(at) = epoch {
            self.back = None;
            // A stream may begin with a reset record.
            if std::mem::take(&mut self.has_records) {
                // The worst reset is the one after the fewest rows.
                let lived = at.row.saturating_sub(self.start);
                self.cases.of(Rule::Resets, None, Detail::Nothing).add(at, u64::MAX - lived);
                self.start = at.row;
            }
        }
        self.lost();
    }

    fn activity(&mut self, seen: &Seen<'_>, _: &mut Entities) {
        let Seen { activity, who, here: &here, .. } = *seen;
        let cases = &mut self.cases;
        match (activity.verb, who.sub, who.obj) {
            (V::LEVEL | V::EMPTY | V::CLEARED | V::FULL | V::POST, _, Some(of)) => self.fills.apply(seen, of, cases),
            (V::GET, by, queue) => {
                if let Some(queue) = queue.or(by) {
                    self.fills.apply(seen, queue, cases);
                }
                if let Some(by) = by {
                    self.deadlines.taken(activity, by);
                }
            }
            (V::ARM | V::DISARM | V::FIRE, Some(timer), receiver) => {
                self.timers.apply(seen, timer, cases);
                self.deadlines.timer(seen, timer, receiver, cases);
            }
            (V::RUN | V::STATE | V::DELETE | V::IDLE | V::BLOCK, ..) => {
                if activity.verb == V::IDLE {
                    self.starved.idle();
                }
                seen.changes.iter().for_each(|change| self.starved.apply(change, here, seen.ns));
            }
            (V::ISR_IN | V::ISR_OUT, Some(isr), _) => self.interrupts.apply(isr, seen),
            (verb, Some(machine), _) if verb.is_of_machine() => {
                self.ignored.apply(activity, machine, here);
                if verb == V::TRAN {
                    self.storms.transition(machine, here, seen.ns, cases);
                }
            }
            _ => {}
        }
    }
}

impl Observed<FindingRules> {
    /// How often a finding has occurred so far, and its latest row; `None` if it is not about single rows.
    pub fn latest(&self, rule: Rule, of: Option<Key>, item: Option<Key>) -> Option<(u64, Moment)> {
        let Observed { replay, observer: all } = self;
        let id = of.and_then(|key| replay.entities.known(key));
        let evidence = match (rule, id) {
            (Rule::Missing | Rule::Dropped | Rule::Damaged | Rule::CutOff, _) => all.losses.0.get(&rule)?.evidence,
            (Rule::Full | Rule::NearlyFull, Some(id)) => all.fills.0.get(id)?.extreme.evidence,
            (Rule::NeverEmpty, Some(id)) => all.fills.0.get(id)?.streak.evidence(),
            (Rule::Leak, Some(id)) => all.fills.0.get(id)?.stretches.evidence,
            (Rule::Ignored, Some(id)) => all.ignored.outcomes.get(&(id, (item?.space, item?.key)))?.evidence,
            (Rule::Starved, Some(id)) => {
                let task = all.starved.tasks.get(id)?;
                let mut evidence = task.sure.evidence;
                evidence.join(&task.doubtful.evidence);
                evidence
            }
            (Rule::InterruptStorm, Some(id)) => {
                let of_cores = all.interrupts.lines.iter().filter(|((isr, _), _)| *isr == id);
                of_cores.map(|(_, line)| line.evidence).max_by_key(|evidence| evidence.latest.row)?
            }
            _ => all.cases.0.get(&(rule, id))?.0,
        };
        Some((evidence.count, evidence.latest))
    }

    /// All findings, unsorted.
    pub(super) fn found(&self, wording: &Wording<'_>) -> Vec<FoundCase> {
        let Observed { replay, observer: all } = self;
        let entities = &replay.entities;
        let mut out: Vec<FoundCase> = all.cases.found(entities).collect();
        all.losses.found(&mut out);
        all.fills.found(entities, wording.info, &mut out);
        all.ignored.found(entities, &mut out);
        all.starved.found(replay, wording, &mut out);
        all.interrupts.found(entities, &mut out);
        all.stamps.found(&mut out);
        all.used.found(entities, wording, &mut out);
        all.hidden.found(&mut out);
        out
    }

    /// What rules examined, with numbers.
    pub(super) fn seen(&self, wording: &Wording<'_>) -> Vec<ExaminedEvidence> {
        let seen = |what, needs, seen| ExaminedEvidence { what, needs, seen };
        let levels = || self.fills.seen();
        let is_sized = |id| wording.capacity(self.replay.entities.key(id)).is_some();
        let is_limited = |id| self.cases.has(Rule::Refused, id) || is_sized(id);
        let sized = levels().filter(|(id, _, free)| *free || is_limited(*id));
        vec![
            seen("full queues and pools", "levels that count what is free, or sizes", sized.map(|of| of.1).sum()),
            seen("queues that never drain, leaks", "records of levels", levels().map(|of| of.1).sum()),
            seen("ignored events", "records of what becomes of events", self.ignored.seen),
            seen("timers", "records of their arming and their end", self.timers.armed * u64::from(self.timers.ends)),
            seen("periodic events", "periodic timers and who takes their events", self.deadlines.seen),
            seen("transitions", "records of them, and ticks or a known unit of time", self.storms.seen),
            seen("waits for a core", "records of when tasks are ready and when they run", self.starved.seen),
            seen("interrupts", "records of their begin and end, with times", self.interrupts.seen),
            seen("time stamps", "records with one", self.stamps.seen),
        ]
    }
}
