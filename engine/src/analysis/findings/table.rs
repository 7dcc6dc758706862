//! Passes rows in merged order to all rules.

use spytui_plugin_api::{Activity, Class, Info, RowFlags, RowKind, Verb as V};

use super::{
    cores::{Interrupts, Starved},
    finding::{ExaminedEvidence, FoundCase},
    levels::{Fills, Leaks},
    machines::{Ignored, Storms},
    timers::{Deadlines, Timers},
    trace::{Hidden, Stamps, Trouble, Used},
};
use crate::replay::{Change, Entities, FedRow, Id, Key, Moment, Observed, Observer, Replay, Seen};

/// All rules with their state. Memory grows with the number of objects, to a few megabytes.
pub type FindingTable = Observed<FindingRules>;

#[derive(Debug, Clone, Default)]
pub struct FindingRules {
    fills: Fills,
    leaks: Leaks,
    ignored: Ignored,
    timers: Timers,
    deadlines: Deadlines,
    storms: Storms,
    starved: Starved,
    interrupts: Interrupts,
    stamps: Stamps,
    trouble: Trouble,
    used: Used,
    hidden: Hidden,
    /// Records arrived since the last reset.
    has_records: bool,
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
            self.stamps.back(back);
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
            self.stamps.stamp(at, time, fed.ns);
        }
        if row.is_record() && !row.has(RowFlags::NAMING) {
            self.hidden.record(at);
        }
        for activity in activities {
            self.used.apply(&mut replay.entities, activity, here);
            self.hidden.apply(activity.verb, here);
            match activity.verb {
                V::ASSERT => self.trouble.assertion(here),
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
                self.trouble.reset(at);
            }
        }
        self.lost();
    }

    fn activity(&mut self, seen: &Seen<'_>, entities: &mut Entities) {
        let Seen { activity, who, changes, here: &here, .. } = *seen;
        match (activity.verb, who.sub, who.obj) {
            (V::LEVEL | V::EMPTY | V::CLEARED | V::FULL | V::POST, _, Some(of)) => {
                self.fills.apply(activity, of, changes, here);
                for change in changes {
                    if let Change::Level { level, free, .. } = *change {
                        self.leaks.level(of, level, free, here);
                    }
                }
            }
            (V::GET, by, queue) => {
                if let Some(queue) = queue.or(by) {
                    self.fills.apply(activity, queue, changes, here);
                }
                if let Some(by) = by {
                    self.deadlines.taken(activity, by);
                }
            }
            (V::ARM | V::DISARM | V::FIRE, Some(timer), receiver) => {
                self.timers.apply(activity.verb, timer, changes, (seen.stamp.losses, here));
                self.deadlines.timer(activity, timer, receiver, here);
            }
            (V::RUN | V::STATE | V::DELETE | V::IDLE | V::BLOCK, ..) => {
                if activity.verb == V::IDLE {
                    self.starved.idle();
                }
                changes.iter().for_each(|change| self.starved.apply(change, here, seen.ns));
            }
            (V::ISR_IN | V::ISR_OUT, Some(isr), _) => self.interrupts.apply(isr, seen),
            (verb, Some(machine), _) if verb.is_of_machine() => {
                self.ignored.apply(entities, activity, machine, here);
                if verb == V::TRAN {
                    self.storms.transition(machine, here, seen.ns);
                }
            }
            _ => {}
        }
    }
}

impl Observed<FindingRules> {
    /// All findings, unsorted; `is_named` and `is_idle` consult a dictionary.
    pub(super) fn found(
        &self,
        info: &Info,
        is_named: impl Fn(Key) -> bool,
        is_idle: impl Fn(Key) -> bool,
    ) -> Vec<FoundCase> {
        let Observed { replay, observer: all } = self;
        let (entities, mut out) = (&replay.entities, Vec::new());
        let is_queue = |id: Id| info.space(entities.key(id).space).is_some_and(|spec| spec.class == Class::QUEUE);
        all.fills.found(entities, is_queue, &mut out);
        let is_posted = |id: Id| is_queue(id) || all.fills.is_posted(id);
        all.leaks.found(entities, is_posted, &mut out);
        all.ignored.found(entities, &mut out);
        all.timers.found(entities, &mut out);
        all.deadlines.found(entities, &mut out);
        all.storms.found(entities, &mut out);
        all.starved.found(entities, (replay.last, replay.ns), is_idle, &mut out);
        all.interrupts.found(entities, &mut out);
        all.stamps.found(&mut out);
        all.trouble.found(&mut out);
        all.used.found(info, entities, is_named, &mut out);
        all.hidden.found(&mut out);
        out
    }

    /// What rules examined, with numbers. `is_sized` = a dictionary contains the capacity of a queue or pool.
    pub(super) fn seen(&self, is_sized: impl Fn(Key) -> bool) -> Vec<ExaminedEvidence> {
        let seen = |what, needs, seen| ExaminedEvidence { what, needs, seen };
        let levels = || self.fills.seen().map(|(id, count, free)| (self.replay.entities.key(id), count, free));
        let sized = levels().filter(|(key, _, free)| *free || is_sized(*key));
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
