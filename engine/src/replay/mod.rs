//! Interprets rows for a target in one place, row by row in merged order: where an epoch begins, where records may be
//! missing, which task runs, and which state changes an activity causes. Works on the verbs of the plugin contract, for
//! any protocol. Observers build on it, and none of them decides what a loss or a reset means.
//!
//! | module | what is in it |
//! |---|---|
//! | `observed` | a replay with its observer |
//! | `row` | the rows that a replay reads, and places in the trace |
//! | `change` | the state changes that activities cause |
//! | `entity` | tasks, queues, machines … as small numbers |
//! | `scheduler` | tasks and cores |
//! | `machine` | state machines and their run-to-completion steps |
//! | `messages` | messages in flight, each with its sending row |
//! | `fill_level` | fill levels of queues and pools, lock owners |
//! | `section` | interrupts, critical sections, locks, spans, timers |

mod change;
mod entity;
mod fill_level;
mod machine;
mod messages;
mod observed;
mod row;
mod scheduler;
mod section;

use spytui_plugin_api::{Activity, ActivityFlags as F, Info, NONE, Row, RowFlags, Verb as V};

use self::{fill_level::Levels, messages::Messages, scheduler::Scheduler, section::Sections};

pub use spytui_plugin_api::TaskState as Doing;

pub(crate) use change::{Change, Holder, MachineStep, Section, TaskState, got};
pub(crate) use entity::Slots;
pub use entity::{Entities, Id, Key, Operands};
pub(crate) use machine::Machines;
pub(crate) use messages::Post;
pub use observed::{Observed, Observer, Reader, Seen};
pub use row::{FedRow, MissingRecords, Moment, Stamp};
pub(crate) use section::{is_of_interval, is_of_section};

/// The state of a target, updated by rows and their activities.
#[derive(Debug, Clone, Default)]
pub struct Replay {
    pub(crate) entities: Entities,
    keeps_ids: bool,
    scheduler: Scheduler,
    /// Only present in exports, which show steps and machine states.
    pub(crate) machines: Machines,
    messages: Messages,
    /// Records show when an event leaves its queue; otherwise dispatching takes it.
    shows_taking: bool,
    levels: Levels,
    pub(crate) sections: Sections,
    /// Changes caused by the last activity, loss or reset.
    pub(crate) changes: Vec<Change>,
    /// The last row, as a possible start of an interval.
    pub(crate) stamp: Stamp,
    epoch: Option<u32>,
    /// Number of the next row.
    rows: u64,
    /// The last row, with the epoch's latest known time.
    pub(crate) last: Moment,
    /// Time of `last` in ns.
    pub(crate) ns: Option<u64>,
}

impl Replay {
    /// Nothing is known about the target. Keeps many entities, whose ids survive resets.
    pub(crate) fn new(info: &Info) -> Replay {
        Replay::within(info, 1 << 18, true)
    }

    /// `most` = maximum number of entities; `keeps_ids` = ids survive resets.
    fn within(info: &Info, most: usize, keeps_ids: bool) -> Replay {
        Replay { entities: Entities::new(info, most), keeps_ids, machines: Machines::new(info), ..Replay::default() }
    }

    /// Starts at a row before which everything is unknown.
    fn begin_at(&mut self, row: u64) {
        if row > 0 {
            self.rows = row;
            self.lost();
        }
    }

    /// Advances to the next row, whose activities follow; `loses` = records may be missing before it. The changes
    /// contain what was open at a loss or reset. Returns `Some` at the start of an epoch, `true` if ids stand for other
    /// entities from here on.
    #[inline]
    pub(crate) fn next(&mut self, row: &Row, epoch: u32, loses: bool) -> Option<bool> {
        self.changes.clear();
        // The epoch of the first row may have begun long before.
        let begins_epoch = self.epoch.replace(epoch).is_some_and(|before| before != epoch);
        let reset = begins_epoch.then(|| self.reset());
        if loses {
            self.lost();
        }
        if row.has(RowFlags::EPOCH) {
            self.start();
        }
        reset
    }

    pub(crate) fn start(&mut self) {
        self.messages.start(self.stamp.losses);
    }

    /// [`Replay::next`] for a row with its place.
    #[inline]
    pub(crate) fn row(&mut self, row: &FedRow) -> Option<bool> {
        let reset = self.next(&row.row, row.epoch, row.loses);
        self.last = Moment { time: row.at.time.or(self.last.time), ..row.at };
        self.ns = row.ns.or(self.ns);
        self.rows = row.at.row + 1;
        let time = row.at.time.filter(|_| row.row.has(RowFlags::TIME_OWN));
        self.stamp = Stamp { row: row.at.row, time, losses: self.stamp.losses };
        reset
    }

    /// The task running on a core, if certain.
    pub(crate) fn current(&self, core: u16) -> Option<Id> {
        self.scheduler.current(core)
    }

    /// Whether the host must fill in the activity's task: those with the flag `CURRENT`, and markers of an owned space
    /// without an owner.
    #[inline]
    fn leaves_task(&self, activity: &Activity) -> bool {
        let marks = is_mark(activity.verb);
        let asked = activity.flags.contains(F::CURRENT) || marks && self.entities.is_owned(activity.sub_space);
        asked && if marks { activity.obj_space == NONE } else { activity.sub_space == NONE }
    }

    /// An activity with the running task filled in if it leaves that to the host. `own` is its buffer, because few
    /// activities are copied. `None` = no task is known to run.
    #[inline(always)]
    pub(crate) fn resolved<'a>(&self, activity: &'a Activity, own: &'a mut Option<Activity>) -> Option<&'a Activity> {
        if !self.leaves_task(activity) {
            return Some(activity);
        }
        let Some(current) = self.current(activity.core) else {
            // Fill levels change regardless of the task.
            return matches!(activity.verb, V::LEVEL | V::CLEARED | V::EMPTY | V::FULL).then_some(activity);
        };
        let Key { space, key, .. } = self.entities.key(current);
        let is_mark = is_mark(activity.verb);
        Some(own.insert(if is_mark { activity.obj(space, key) } else { activity.sub(space, key) }))
    }

    /// Applies a resolved activity with entities `who` at time `now`. `next` = the following activity of the row;
    /// `lock` = its object is a lock.
    #[inline(always)]
    pub(crate) fn apply(&mut self, activity: &Activity, next: Option<&Activity>, who: Operands, now: u64, lock: bool) {
        let Replay { changes: out, messages, machines, entities, stamp, .. } = self;
        out.clear();
        match (activity.verb, who.sub, who.obj) {
            (V::DISPATCH, Some(machine), _) => {
                let post = if self.shows_taking { None } else { messages.taken(activity, who.sub, stamp.losses) };
                let signal = entities.item(activity);
                let step = MachineStep { begin: *stamp, signal, post, handled: None, has_moved: false };
                machines.dispatches(activity, machine, step, now, out);
            }
            (V::TRAN | V::INTERNAL | V::IGNORED | V::UNHANDLED | V::DONE, Some(machine), _) => {
                machines.handles(activity, machine, now, out);
            }
            (V::REST, Some(machine), _) => machines.rests(activity, machine, out),
            (V::POST, _, to) => out.push(Change::Sent { flow: messages.sent(activity, to, None, *stamp) }),
            (V::SEND | V::PULSE | V::SIGNAL, from, to) => match messages.replied(activity, from, to) {
                Some(call) => out.push(Change::Replied { call }),
                // Matched by number only, without a queue.
                None => {
                    let caller = from.filter(|_| activity.verb == V::SEND);
                    out.push(Change::Sent { flow: messages.sent(activity, None, caller, *stamp) });
                }
            },
            (V::GET, by, queue) => {
                self.shows_taking = true;
                let machine = by.or(queue);
                let queue = queue.or(by);
                // The record may report the remaining length.
                let next = next.filter(|next| (next.obj_space, next.obj) == (activity.obj_space, activity.obj));
                let left = queue.zip(next).and_then(|(queue, next)| self.levels.used(next, queue));
                if let (Some(queue), Some(left)) = (queue, left) {
                    messages.wait(queue, left.saturating_add(1), stamp.losses);
                }
                let post = messages.taken(activity, queue, stamp.losses);
                if let Some(machine) = machine {
                    machines.end(machine, now, out);
                    machines.takes(activity, machine, post);
                }
                out.push(Change::Got { post });
            }
            (V::RECEIVE, by, _) => {
                out.push(Change::Got { post: messages.received(activity, by, stamp.losses) });
            }
            (V::LEVEL | V::EMPTY | V::CLEARED, who, Some(of)) => {
                self.levels.apply(activity, of, who, lock, out);
                if let Some(used) = self.levels.used(activity, of) {
                    messages.wait(of, used, stamp.losses);
                }
            }
            (V::ARM | V::DISARM | V::FIRE, Some(timer), _) => self.sections.timer(activity, timer, out),
            (V::RUN, Some(task), _) => self.scheduler.run(activity, task, out),
            (V::STATE | V::DELETE, Some(task), _) => self.scheduler.state(activity, task, out),
            // A task that waits for a lock will be switched out.
            (V::BLOCK, Some(task), lock) if !activity.flags.contains(F::FAILED) => {
                if let Some(lock) = lock {
                    self.levels.lock(activity, lock, who.sub, out);
                }
                let waits = Activity { verb: V::STATE, val: Doing::BLOCKED.0, ..*activity }.with(F::WHEN_OUT);
                self.scheduler.state(&waits, task, out);
            }
            (V::IDLE, ..) => self.scheduler.idle(activity.core, out),
            (verb, ..) if is_of_section(verb) => {
                if let (V::TAKE | V::GIVE, Some(lock)) = (verb, who.obj) {
                    self.levels.lock(activity, lock, who.sub, out);
                }
                self.sections.apply(activity, who, *stamp, out);
            }
            (V::RESET, ..) => drop(self.reset()),
            _ => {}
        }
    }

    /// Records may be missing: open intervals may have ended, and another task may run.
    fn lost(&mut self) {
        self.stamp.losses += 1;
        self.scheduler.lost();
        self.machines.lost(&mut self.changes);
        self.levels.losses = self.stamp.losses;
        self.sections.lost();
    }

    /// The target was reset: nothing is known any more. Returns whether ids stand for other entities from here on: with
    /// more than half of them in use, many may be noise.
    fn reset(&mut self) -> bool {
        self.finish();
        self.scheduler = Scheduler::default();
        self.machines.forget();
        self.messages.reset(self.stamp.losses);
        self.levels = Levels::default();
        self.sections = Sections::default();
        (self.last.time, self.ns) = (None, None);
        self.changes.push(Change::Forgotten);
        !self.keeps_ids && self.entities.give_again()
    }

    pub(crate) fn finish(&mut self) {
        self.machines.finish(&mut self.changes);
    }
}

fn is_mark(verb: V) -> bool {
    matches!(verb, V::BEGIN | V::END | V::INSTANT | V::VALUE)
}

#[cfg(test)]
pub(crate) use observed::MOST;

#[cfg(test)]
mod tests {
    use super::*;

    const TASKS: u16 = 20;
    const MARKERS: u16 = 21;

    /// `None` if no task is known to run.
    fn apply(replay: &mut Replay, activity: Activity) -> Option<Vec<Change>> {
        let activity = *replay.resolved(&activity, &mut None)?;
        let who = replay.entities.operands(&activity);
        replay.apply(&activity, None, who, 0, false);
        Some(replay.changes.clone())
    }

    #[test]
    fn whoever_runs_is_known_by_its_lane() {
        let mut replay = Replay::new(&Info::default());
        let blocks = Activity::new(V::STATE).val(3).with(F::CURRENT | F::WHEN_OUT);
        assert_eq!(apply(&mut replay, blocks), None);
        apply(&mut replay, Activity::new(V::RUN).sub(TASKS, 5));
        assert_eq!(apply(&mut replay, blocks), Some(vec![]));
        let changes = apply(&mut replay, Activity::new(V::RUN).sub(TASKS, 6)).unwrap();
        assert!(matches!(changes[1], Change::Task { late: true, .. }), "{changes:?}");

        let mark = Activity::new(V::BEGIN).sub(MARKERS, 1).with(F::CURRENT);
        let place = replay.resolved(&mark, &mut None).map(|mark| (mark.obj_space, mark.obj));
        assert_eq!(place, Some((TASKS, 6)));
        assert!(replay.resolved(&Activity { core: 1, ..mark }, &mut None).is_none());
        let level = Activity { core: 1, ..Activity::new(V::LEVEL).obj(22, 1).with(F::CURRENT) };
        assert!(replay.resolved(&level, &mut None).is_some());
    }

    #[test]
    fn the_length_that_a_get_leaves_says_which_post_it_takes() {
        let post = Activity::new(V::POST).obj(TASKS, 5).item(MARKERS, 7);
        let (get, empty) = (Activity { verb: V::GET, ..post }, Activity { verb: V::EMPTY, ..post });
        let got = |next: Activity| {
            let mut replay = Replay::new(&Info::default());
            replay.lost();
            apply(&mut replay, post);
            apply(&mut replay, post);
            let who = replay.entities.operands(&get);
            replay.apply(&get, Some(&next), who, 0, false);
            let Some(&Change::Got { post }) = replay.changes.last() else { panic!("{:?}", replay.changes) };
            post.map(|post| (post.flow, post.is_sure))
        };
        assert_eq!(got(empty), Some((2, true)));
        assert_eq!(got(empty.obj(TASKS, 6)), Some((1, false)));
    }

    #[test]
    fn after_a_reset_nothing_is_known() {
        let mut replay = Replay::new(&Info::default());
        apply(&mut replay, Activity::new(V::RUN).sub(TASKS, 5));
        apply(&mut replay, Activity::new(V::ISR_IN).sub(23, 1));
        assert_eq!(apply(&mut replay, Activity::new(V::RESET)), Some(vec![Change::Forgotten]));
        assert_eq!(replay.current(0), None);
        assert_eq!(apply(&mut replay, Activity::new(V::ISR_OUT).sub(23, 1)), Some(vec![]));
    }
}
