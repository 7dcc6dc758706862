//! Passes rows in merged order to all rules.

use spytui_plugin_api::{Activity, Class, Info, RowKind, Verb as V};

use super::{
    clock::Stamps, deadline::Deadlines, finding::Found, hidden::Hidden, ignored::Ignored, interrupt::Interrupts,
    leak::Leaks, names::Used, queue::Fills, starved::Starved, storm::Storms, timer::Timers, trouble::Trouble,
};
use crate::analysis::{
    change::Change,
    entity::{Entities, Id, Key, Operands},
    objects::{FedRow, Moment},
    reducer::Reducer,
};

/// Objects, states and events that are followed, so that noise does not exhaust memory.
const MOST: usize = 1 << 14;

/// All rules with what they know so far. It takes as much memory as there are objects, at most a few megabytes.
#[derive(Debug, Clone)]
pub struct FindingTable {
    reducer: Reducer,
    changes: Vec<Change>,
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
    losses: u32,
    epoch: u32,
    /// Records came since the last reset.
    has_records: bool,
    /// Time went back there; with the next record it may be seen that the target was reset.
    back: Option<Moment>,
    /// The last row, with its time.
    last: Moment,
    ns: Option<u64>,
    rows: u64,
}

/// What was seen of what rules look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) what: &'static str,
    pub(super) needs: &'static str,
    pub(super) count: u64,
}

impl FindingTable {
    /// Nothing is known yet, for the spaces of a decoder.
    #[must_use]
    pub fn new(info: &Info) -> FindingTable {
        let mut reducer = Reducer::new(info);
        reducer.entities = Entities::limited(info, MOST);
        FindingTable {
            reducer,
            changes: Vec::new(),
            fills: Fills::default(),
            leaks: Leaks::default(),
            ignored: Ignored::default(),
            timers: Timers::default(),
            deadlines: Deadlines::default(),
            storms: Storms::default(),
            starved: Starved::default(),
            interrupts: Interrupts::default(),
            stamps: Stamps::default(),
            trouble: Trouble::default(),
            used: Used::default(),
            hidden: Hidden::default(),
            losses: 0,
            epoch: 0,
            has_records: false,
            back: None,
            last: Moment::default(),
            ns: None,
            rows: 0,
        }
    }

    /// The same, where the rows before this one are gone.
    #[must_use]
    pub fn begin_at(self, row: u64) -> FindingTable {
        FindingTable { rows: row, ..self }
    }

    /// Number of the next row.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The last row taken.
    #[must_use]
    pub fn last(&self) -> Moment {
        self.last
    }

    /// Takes the next row; `ns` = its time in nanoseconds, if the unit of its time is known.
    pub fn row(&mut self, row: &FedRow, ns: Option<u64>, activities: &[Activity]) {
        if row.epoch != self.epoch {
            self.epoch = row.epoch;
            self.back = None;
            self.reset(row.at);
        } else if !row.kind.is_note()
            && let Some(back) = self.back.take()
        {
            self.stamps.back(back);
        }
        if row.loses {
            self.lost();
        }
        if matches!(row.kind, RowKind::LINK | RowKind::RESTART) {
            self.stamps.lost();
        }
        if row.kind == RowKind::TIME_BACK {
            self.stamps.lost();
            self.back = Some(row.at);
        }
        let time = row.at.time.or(self.last.time);
        self.last = Moment { time, ..row.at };
        (self.rows, self.ns) = (row.at.row + 1, ns.or(self.ns));
        if row.has_own_time
            && let Some(time) = row.at.time
        {
            self.stamps.stamp(row.at, time, ns);
        }
        if row.is_traced {
            self.hidden.record(row.at);
        }
        for activity in activities {
            self.activity(*activity);
        }
        self.has_records |= !row.kind.is_note();
    }

    fn lost(&mut self) {
        self.losses += 1;
        self.reducer.lost(&mut self.changes);
        self.changes.clear();
        self.fills.lost();
        self.ignored.lost();
        self.deadlines.lost();
        self.storms.lost();
        self.starved.lost();
        self.interrupts.lost();
        self.stamps.lost();
    }

    /// The target was reset.
    fn reset(&mut self, here: Moment) {
        // A stream may begin with the record of a reset.
        if std::mem::take(&mut self.has_records) {
            self.trouble.reset(here);
        }
        self.forget();
    }

    /// Nothing is known any more.
    fn forget(&mut self) {
        self.reducer.forget(&mut self.changes);
        self.changes.clear();
        self.lost();
    }

    fn activity(&mut self, mut activity: Activity) {
        let here = self.last;
        match activity.verb {
            V::RESET => return self.forget(),
            V::ASSERT => self.trouble.assertion(here),
            V::TICK => self.storms.tick(),
            _ => {}
        }
        self.used.apply(&mut self.reducer.entities, &activity, here);
        self.hidden.apply(activity.verb, here);
        if !self.reducer.resolve(&mut activity) {
            return;
        }
        let who = self.reducer.entities.operands(&activity);
        let mut changes = std::mem::take(&mut self.changes);
        changes.clear();
        self.reducer.apply(&activity, who, here.time.unwrap_or(0), false, &mut changes);
        self.judge(&activity, who, &changes, here);
        self.changes = changes;
    }

    fn judge(&mut self, activity: &Activity, who: Operands, changes: &[Change], here: Moment) {
        let entities = &self.reducer.entities;
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
                self.timers.apply(activity.verb, timer, changes, (self.losses, here));
                self.deadlines.timer(activity, timer, receiver, here);
            }
            (V::RUN | V::STATE | V::DELETE | V::IDLE, ..) => {
                if activity.verb == V::IDLE {
                    self.starved.idle();
                }
                changes.iter().for_each(|change| self.starved.apply(change, here, self.ns));
            }
            (V::ISR_IN | V::ISR_OUT, Some(isr), _) => self.interrupts.apply(activity.verb, isr, activity.core, here),
            (verb, Some(machine), _) if verb.is_of_machine() => {
                self.ignored.apply(entities, activity, machine, here);
                if verb == V::TRAN {
                    self.storms.transition(machine, here, self.ns);
                }
            }
            _ => {}
        }
    }

    /// What was found, in no order; `is_named` and `is_idle` are what a dictionary says of keys.
    pub(super) fn found(
        &self,
        info: &Info,
        is_named: impl Fn(Key) -> bool,
        is_idle: impl Fn(Key) -> bool,
    ) -> Vec<Found> {
        let (all, mut out) = (self, Vec::new());
        let entities = &all.reducer.entities;
        let is_queue = |id: Id| info.space(entities.key(id).space).is_some_and(|spec| spec.class == Class::QUEUE);
        all.fills.found(entities, is_queue, &mut out);
        let is_posted = |id: Id| is_queue(id) || all.fills.is_posted(id);
        all.leaks.found(entities, is_posted, &mut out);
        all.ignored.found(entities, &mut out);
        all.timers.found(entities, &mut out);
        all.deadlines.found(entities, &mut out);
        all.storms.found(entities, &mut out);
        all.starved.found(entities, (all.last, all.ns), is_idle, &mut out);
        all.interrupts.found(entities, &mut out);
        all.stamps.found(&mut out);
        all.trouble.found(&mut out);
        all.used.found(info, entities, is_named, &mut out);
        all.hidden.found(&mut out);
        out
    }

    /// What rules looked at, and how much of it there was.
    /// `is_sized` = a dictionary has the size of a queue or pool.
    pub(super) fn seen(&self, is_sized: impl Fn(Key) -> bool) -> [Seen; 9] {
        let seen = |what, needs, count| Seen { what, needs, count };
        let levels = || self.fills.seen().map(|(id, count, free)| (self.reducer.entities.key(id), count, free));
        let sized = levels().filter(|(key, _, free)| *free || is_sized(*key));
        [
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

    /// Number of operands left out because there were too many.
    #[must_use]
    pub fn refused(&self) -> u64 {
        self.reducer.entities.refused()
    }
}
