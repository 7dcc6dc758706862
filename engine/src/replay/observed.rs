//! A replay with the observer that it feeds.

use std::ops::Deref;

use spytui_plugin_api::{Activity, Info, Verb as V};

use super::{Change, Entities, FedRow, Moment, Operands, Replay, Stamp};

/// An activity, with what is known of its place and what it changes.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    pub row: &'a FedRow,
    /// The same place, with the time of the last row in its epoch that has one.
    pub here: &'a Moment,
    /// Nanoseconds of that time, if its unit is known.
    pub ns: Option<u64>,
    /// The same, as a place where something may begin.
    pub stamp: &'a Stamp,
    /// The activity, with the task that runs where it left that to the host.
    pub activity: &'a Activity,
    /// What it names.
    pub who: Operands,
    /// What it changes, if the observer needs that.
    pub(crate) changes: &'a [Change],
}

/// Makes figures of what a replay works out.
pub trait Observer {
    /// What it keeps of things outlives a reset of the target, and so must their ids. Otherwise a target with many things has
    /// room for others behind a reset.
    const KEEPS_IDS: bool = false;

    /// It needs times in nanoseconds.
    const NEEDS_NS: bool = false;

    /// Nothing is known yet, for the spaces of a decoder.
    fn new(info: &Info) -> Self;

    /// Whether the changes that a verb causes are needed: what nobody needs is not worked out.
    fn needs(verb: V) -> bool;

    /// The things that an activity names.
    #[inline]
    fn operands(&self, activity: &Activity, entities: &mut Entities) -> Operands {
        entities.operands(activity)
    }

    /// A row comes.
    fn begin(&mut self) {}

    /// The target was reset before the row, where an epoch begins, or by an activity: nothing is known any more. `ids_end` =
    /// ids stand for other things from here on.
    fn reset(&mut self, epoch: Option<Moment>, ids_end: bool);

    /// Records may be missing before the row.
    fn lost(&mut self) {}

    /// The row, before its activities.
    fn row(&mut self, row: &FedRow, activities: &[Activity], replay: &mut Replay) {
        let _ = (row, activities, replay);
    }

    /// An activity. One that leaves its task to the host, when none is known to run, is left out.
    fn activity(&mut self, seen: &Seen<'_>, entities: &mut Entities);
}

/// Things that an observer follows at most, so that noise does not exhaust memory. Beyond that they are refused, and counted.
pub(crate) const MOST: usize = 1 << 14;

/// An observer with the replay that feeds it.
#[derive(Debug, Clone)]
pub struct Observed<O> {
    pub(crate) replay: Replay,
    pub(crate) observer: O,
}

impl<O: Observer> Observed<O> {
    /// Nothing is known yet, for the spaces of a decoder.
    pub fn new(info: &Info) -> Observed<O> {
        Observed { replay: Replay::within(info, MOST, O::KEEPS_IDS), observer: O::new(info) }
    }

    /// The same, where the rows before this one are gone: all is unknown.
    pub fn begin_at(mut self, row: u64) -> Observed<O> {
        self.replay.begin_at(row);
        self
    }

    /// Takes the next row.
    pub fn row(&mut self, row: &FedRow, activities: &[Activity]) {
        let Observed { replay, observer } = self;
        observer.begin();
        if let Some(ids_end) = replay.row(row) {
            observer.reset(Some(row.at), ids_end);
        }
        if row.loses {
            observer.lost();
        }
        observer.row(row, activities, replay);
        for (i, activity) in activities.iter().enumerate() {
            self.activity(activity, activities.get(i + 1), row);
        }
    }

    #[inline]
    fn activity(&mut self, activity: &Activity, next: Option<&Activity>, row: &FedRow) {
        let Observed { replay, observer } = self;
        if activity.verb == V::RESET {
            return observer.reset(None, replay.reset());
        }
        let mut own = None;
        let Some(activity) = replay.resolved(activity, &mut own) else { return };
        let who = observer.operands(activity, &mut replay.entities);
        let needs = O::needs(activity.verb);
        if needs {
            replay.apply(activity, next, who, replay.last.time.unwrap_or(0), false);
        }
        let Replay { last: here, ns, stamp, changes, entities, .. } = replay;
        let changes = if needs { changes.as_slice() } else { &[] };
        observer.activity(&Seen { row, here, ns: *ns, stamp, activity, who, changes }, entities);
    }

    /// Number of the next row.
    pub fn rows(&self) -> u64 {
        self.replay.rows
    }

    /// The last row taken.
    pub fn last(&self) -> Moment {
        self.replay.last
    }

    /// Number of operands left out because there were too many things.
    pub fn refused(&self) -> u64 {
        self.replay.entities.refused()
    }
}

impl<O> Deref for Observed<O> {
    type Target = O;

    fn deref(&self) -> &O {
        &self.observer
    }
}

/// What is made of rows, one after the other.
pub trait Reader: Clone {
    /// It needs times in nanoseconds.
    const NEEDS_NS: bool = false;

    /// Nothing is known yet, for the spaces of a decoder.
    fn new(info: &Info) -> Self;

    /// The same, where the rows before this one are gone.
    fn begin_at(self, row: u64) -> Self;

    /// Number of the next row.
    fn rows(&self) -> u64;

    /// Takes the next row.
    fn row(&mut self, row: &FedRow, activities: &[Activity]);
}

impl<O: Observer + Clone> Reader for Observed<O> {
    const NEEDS_NS: bool = O::NEEDS_NS;

    fn new(info: &Info) -> Self {
        Observed::new(info)
    }

    fn begin_at(self, row: u64) -> Self {
        self.begin_at(row)
    }

    fn rows(&self) -> u64 {
        self.rows()
    }

    fn row(&mut self, row: &FedRow, activities: &[Activity]) {
        self.row(row, activities);
    }
}
