//! A replay with its observer.

use std::ops::Deref;

use spytui_plugin_api::{Activity, Info, Verb as V};

use super::{Change, Entities, FedRow, Id, Key, Machines, Moment, Operands, Replay, Stamp, section::Sections};

/// An activity with its place and its changes.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    pub row: &'a FedRow,
    /// Moment of the row, with the epoch's latest known time.
    pub here: &'a Moment,
    /// Time of `here` in ns, if its unit is known.
    pub ns: Option<u64>,
    /// The row as a possible start of an interval.
    pub stamp: &'a Stamp,
    /// The activity, with the running task filled in if it left that to the host.
    pub activity: &'a Activity,
    pub who: Operands,
    /// Changes by the row, if the observer needs them.
    pub(crate) changes: &'a [Change],
    pub(crate) machines: &'a Machines,
    pub(crate) sections: &'a Sections,
}

/// Processes the output of a replay.
pub trait Observer {
    /// Whether data about entities survives resets, so that ids must stay valid. Otherwise a reset makes room for new
    /// entities.
    const KEEPS_IDS: bool = false;

    /// Requires times in nanoseconds.
    const NEEDS_NS: bool = false;

    fn new(info: &Info) -> Self;

    /// Whether it needs the changes caused by a verb; others are not computed.
    fn needs(verb: V) -> bool;

    /// The entities that an activity names.
    #[inline]
    fn operands(&self, activity: &Activity, entities: &mut Entities) -> Operands {
        entities.operands(activity)
    }

    fn begin(&mut self) {}

    /// The target was reset: before a row that begins an epoch, or by an activity. Nothing is known any more. `ids_end`
    /// = ids stand for other entities from here on.
    fn reset(&mut self, epoch: Option<Moment>, ids_end: bool);

    /// Records may be missing before the row.
    fn lost(&mut self) {}

    /// A row, before its activities.
    fn row(&mut self, row: &FedRow, activities: &[Activity], replay: &mut Replay) {
        let _ = (row, activities, replay);
    }

    /// An activity. Skipped if it leaves its task to the host and no task is known to run.
    fn activity(&mut self, seen: &Seen<'_>, entities: &mut Entities);
}

/// Maximum number of entities an observer tracks, to bound memory on noisy input. Others are refused and counted.
pub(crate) const MOST: usize = 1 << 14;

#[derive(Debug, Clone, Default)]
pub struct Observed<O> {
    pub(crate) replay: Replay,
    pub(crate) observer: O,
}

impl<O: Observer> Reader for Observed<O> {
    const NEEDS_NS: bool = O::NEEDS_NS;

    fn new(info: &Info) -> Observed<O> {
        Observed { replay: Replay::within(info, MOST, O::KEEPS_IDS), observer: O::new(info) }
    }

    fn begin_at(mut self, row: u64) -> Observed<O> {
        self.replay.begin_at(row);
        self
    }

    fn rows(&self) -> u64 {
        self.replay.rows
    }

    fn row(&mut self, row: &FedRow, activities: &[Activity]) {
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
}

impl<O: Observer> Observed<O> {
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
        let Replay { last: here, ns, stamp, changes, machines, sections, entities, .. } = replay;
        let changes = if needs { changes.as_slice() } else { &[] };
        observer.activity(&Seen { row, here, ns: *ns, stamp, activity, who, changes, machines, sections }, entities);
    }

    pub fn key(&self, id: Id) -> Key {
        self.replay.entities.key(id)
    }

    pub fn last(&self) -> Moment {
        self.replay.last
    }

    /// Number of operands ignored because of too many entities.
    pub fn refused(&self) -> u64 {
        self.replay.entities.refused
    }
}

impl<O> Deref for Observed<O> {
    type Target = O;

    fn deref(&self) -> &O {
        &self.observer
    }
}

/// Consumes rows one by one.
pub trait Reader: Sized {
    /// Requires times in nanoseconds.
    const NEEDS_NS: bool = false;

    fn new(info: &Info) -> Self;

    /// Starts at a row before which everything is unknown.
    fn begin_at(self, row: u64) -> Self;

    /// Number of the next row.
    fn rows(&self) -> u64;

    fn row(&mut self, row: &FedRow, activities: &[Activity]);
}
