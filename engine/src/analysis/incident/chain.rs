//! Who waits for whom: from each task that waits for what another one holds, to the task that should go on.

use rustc_hash::FxHashSet;
use spytui_plugin_api::info::space;

use crate::{
    analysis::objects::{
        ObjectKind, ObjectState, ObjectTable, TrackedObject, Wording,
        object::{FillState, TaskNow},
    },
    replay::{Doing, Key, Moment},
};

/// Tasks followed at most, so that noise makes no endless page.
const MOST: usize = 64;

/// A task that can't go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stuck {
    pub(super) task: Key,
    pub(super) now: TaskNow,
    pub(super) since: Moment,
    pub(super) is_sure: bool,
    pub(super) by: Option<Holder>,
}

/// What keeps a task from going on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Holder {
    /// The task that holds what it waits for, or runs in its place.
    pub(super) task: Key,
    pub(super) since: Moment,
    pub(super) is_sure: bool,
    /// It runs on the core that the other one needs.
    pub(super) runs: bool,
}

/// Tasks that wait for one another.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Chain {
    /// Each waits for the next one.
    pub(super) links: Vec<Stuck>,
    /// The last one waits for the first.
    pub(super) is_cycle: bool,
}

impl Chain {
    pub(super) fn is_sure(&self) -> bool {
        self.links.iter().all(|link| link.is_sure && link.by.is_none_or(|by| by.is_sure))
    }
}

#[derive(Clone, Copy)]
pub(super) struct Tasks<'a> {
    pub(super) table: &'a ObjectTable,
    pub(super) wording: &'a Wording<'a>,
}

impl Tasks<'_> {
    /// Chains that begin at a task nobody waits for, and cycles; then tasks that are ready and get no core.
    pub(super) fn chains(self) -> Vec<Chain> {
        let waits: Vec<Stuck> =
            self.stuck().filter(|stuck| stuck.now.doing != Doing::READY && stuck.by.is_some()).collect();
        let held: FxHashSet<Key> = waits.iter().filter_map(|stuck| Some(stuck.by?.task)).collect();
        // Those that others wait for come last: only cycles are left for them.
        let (first, then): (Vec<Stuck>, Vec<Stuck>) = waits.into_iter().partition(|stuck| !held.contains(&stuck.task));
        let ready = self.stuck().filter(|stuck| stuck.now.doing == Doing::READY && stuck.by.is_some());
        let mut chains = Vec::new();
        let mut seen = FxHashSet::default();
        for begin in first.into_iter().chain(then).chain(ready).take(MOST) {
            if !seen.contains(&begin.task) {
                let chain = self.chain(begin);
                seen.extend(chain.links.iter().map(|link| link.task));
                chains.push(chain);
            }
        }
        chains
    }

    /// Whether any record says what a task does.
    pub(super) fn are_known(self) -> bool {
        self.table.objects().any(|(_, object)| matches!(object.state, ObjectState::Task(_)))
    }

    /// Tasks that are blocked since a row or later, the latest first.
    pub(super) fn blocked_since(self, row: u64) -> impl Iterator<Item = Stuck> {
        let mut all: Vec<Stuck> =
            self.stuck().filter(|stuck| stuck.since.row >= row && stuck.now.doing != Doing::READY).collect();
        all.reverse();
        all.into_iter()
    }

    fn chain(self, begin: Stuck) -> Chain {
        let mut chain = Chain { links: vec![begin], is_cycle: false };
        while let Some(by) = chain.links.last().and_then(|last| last.by).filter(|_| chain.links.len() < MOST) {
            if let Some(at) = chain.links.iter().position(|link| link.task == by.task) {
                chain.links.drain(..at);
                chain.is_cycle = true;
                break;
            }
            let Some(next) = self.table.object(by.task).and_then(|object| self.of(by.task, object)) else { break };
            chain.links.push(next);
        }
        chain
    }

    /// All tasks that can't go on, the longest first.
    fn stuck(self) -> impl Iterator<Item = Stuck> {
        let mut all: Vec<Stuck> = self.table.objects().filter_map(|(key, object)| self.of(key, object)).collect();
        all.sort_by_key(|stuck| (stuck.since.row, stuck.task));
        all.into_iter()
    }

    /// `None` if the task runs or is not known to wait.
    fn of(self, task: Key, object: &TrackedObject) -> Option<Stuck> {
        let ObjectState::Task(now) = object.state else { return None };
        let by = match now.doing {
            Doing::RUNNING | Doing::DEAD => return None,
            Doing::READY if self.wording.is_idle(task) => return None,
            Doing::READY => self.runs_instead(task, now.core),
            _ => now.on.and_then(|on| self.holder(on)),
        };
        let is_sure = !self.table.is_unsure(object);
        Some(Stuck { task, now, since: object.since, is_sure, by: by.filter(|by| by.task != task) })
    }

    /// The task that runs on a core, unless that is an idle task.
    fn runs_instead(self, task: Key, core: u16) -> Option<Holder> {
        let core = self.table.object(Key { space: space::CORES, key: core.into(), scope: 0 })?;
        let ObjectState::Runs(other) = core.state else { return None };
        let is_sure = !self.table.is_unsure(core);
        let runs = Holder { task: other, since: core.since, is_sure, runs: true };
        Some(runs).filter(|_| other != task && !self.wording.is_idle(other))
    }

    /// Who holds a lock; a task that is waited for is its own holder.
    fn holder(self, on: Key) -> Option<Holder> {
        let object = self.table.object(on)?;
        let is_sure = !self.table.is_unsure(object);
        let level = object.level.filter(|level| matches!(level.fill, FillState::Empty | FillState::Count(0)));
        let task = match object.state {
            ObjectState::Held(by) => by?,
            ObjectState::Task(_) => on,
            // An empty lock is taken.
            ObjectState::Level(_) if self.wording.kind(on, object) == ObjectKind::Lock => level?.by?,
            _ => return None,
        };
        Some(Holder { task, since: object.since, is_sure, runs: false })
    }
}
