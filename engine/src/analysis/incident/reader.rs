//! The objects of a target, with what changed in the last seconds.

use std::collections::VecDeque;

use spytui_plugin_api::{Activity, ActivityFlags as F, Info, NONE, Row, RowFlags, Severity, Verb as V, info::space};

use crate::{
    analysis::objects::{ObjectState, ObjectTable},
    replay::{FedRow, Key, MissingRecords, Moment, Reader},
};

/// How far an incident looks back by default, ns.
pub const LOOK_BACK: u64 = 10_000_000_000;
/// Rows that it looks back at most; the only limit where the unit of time is unknown.
pub const MOST_ROWS: u64 = 1 << 15;
/// A failure within this many rows of an incident belongs to it: a reset follows an assertion.
const SAME: u64 = 1 << 8;

/// Changes of the last seconds, oldest first.
#[derive(Debug, Clone, Default)]
pub struct Moments(pub(super) VecDeque<Recent>);

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Recent {
    pub(super) at: Moment,
    pub(super) ns: Option<u64>,
    pub(super) what: Change,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Change {
    /// Used elements of a queue or pool, or free ones; `None` = as many as it has.
    Level {
        of: Key,
        count: Option<u64>,
        is_free: bool,
    },
    /// A queue or pool had no room.
    Refused {
        of: Key,
    },
    /// What a core runs; `None` = it is idle.
    Runs {
        core: Key,
        task: Option<Key>,
    },
    Missing(MissingRecords),
}

/// The state of a target where an incident begins.
#[derive(Debug, Clone)]
pub struct Snapshot {
    pub table: ObjectTable,
    pub recent: Moments,
}

#[derive(Debug, Clone)]
pub struct IncidentReader {
    pub table: ObjectTable,
    pub recent: Moments,
    /// The last incident so far.
    pub found: Option<Snapshot>,
    /// Number of incidents so far.
    pub count: u64,
    /// How far it looks back, ns.
    look_back: u64,
    /// The last row that belongs to the last incident.
    last: Option<u64>,
}

impl IncidentReader {
    /// Continues from a table.
    pub fn from(table: ObjectTable, look_back: u64) -> IncidentReader {
        IncidentReader { table, recent: Moments::default(), found: None, count: 0, look_back, last: None }
    }

    fn find(&mut self, row: &FedRow) {
        if !is_failure(&row.row, row.epoch) {
            return;
        }
        let here = row.at.row;
        if self.last.replace(here).is_none_or(|last| here - last > SAME) {
            self.count += 1;
            self.found = Some(Snapshot { table: self.table.clone(), recent: self.recent.clone() });
        }
    }

    fn note(&mut self, at: Moment, ns: Option<u64>, what: Change) {
        self.recent.0.push_back(Recent { at, ns, what });
    }

    fn forget_old(&mut self, row: &FedRow) {
        let is_old = |recent: &Recent| {
            let ago = row.ns.zip(recent.ns).map(|(now, then)| now.saturating_sub(then));
            row.at.row - recent.at.row > MOST_ROWS || ago.is_some_and(|ago| ago > self.look_back)
        };
        while self.recent.0.front().is_some_and(is_old) {
            self.recent.0.pop_front();
        }
    }

    fn refusals(&mut self, row: &FedRow, activities: &[Activity]) {
        for activity in activities {
            let failed = activity.flags.contains(F::FAILED);
            let is_refused = failed && matches!(activity.verb, V::POST | V::LEVEL) || activity.verb == V::FULL;
            if is_refused && activity.obj_space != NONE {
                let of = self.table.replay.entities.named(activity, activity.obj_space, activity.obj);
                let refused = Change::Refused { of };
                // A record may say it as a post that failed and as a level that did not change.
                let mut of_row = self.recent.0.iter().rev().take_while(|recent| recent.at.row == row.at.row);
                if of_row.all(|recent| recent.what != refused) {
                    self.note(row.at, row.ns, refused);
                }
            }
        }
    }

    /// Notes the levels and cores that the row has changed.
    fn changes(&mut self, row: &FedRow) {
        for at in 0.. {
            let Some((id, object)) = self.table.touched(at) else { break };
            let key = self.table.key(id);
            let level = object.level.map(|level| (level.number(), level.counts_free));
            let what = match (object.state, level) {
                (ObjectState::Runs(task), _) if key.space == space::CORES => {
                    Change::Runs { core: key, task: Some(task) }
                }
                (ObjectState::Idle, _) if key.space == space::CORES => Change::Runs { core: key, task: None },
                (_, Some((count, is_free))) => Change::Level { of: key, count, is_free },
                _ => continue,
            };
            self.note(row.at, row.ns, what);
        }
    }
}

impl Reader for IncidentReader {
    const NEEDS_NS: bool = true;

    fn new(info: &Info) -> IncidentReader {
        IncidentReader::from(ObjectTable::new(info), LOOK_BACK)
    }

    fn begin_at(self, row: u64) -> IncidentReader {
        IncidentReader { table: self.table.begin_at(row), ..self }
    }

    fn rows(&self) -> u64 {
        self.table.rows()
    }

    fn row(&mut self, row: &FedRow, activities: &[Activity]) {
        self.find(row);
        self.forget_old(row);
        self.table.row(row, activities);
        if row.loses {
            let missing = row.missing.unwrap_or_default();
            self.note(row.at, row.ns, Change::Missing(missing));
        }
        self.refusals(row, activities);
        self.changes(row);
    }
}

/// Whether a row of an epoch is an incident by itself: an error such as an assertion, or a reset of the target.
pub fn is_failure(row: &Row, epoch: u32) -> bool {
    let is_error = row.is_record() && row.severity >= Severity::ERROR;
    is_error || epoch > 0 && row.has(RowFlags::EPOCH)
}
