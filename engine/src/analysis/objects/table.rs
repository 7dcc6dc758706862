//! All objects of a target, updated row by row in merged order.

use std::sync::Arc;

use spytui_plugin_api::{Activity, ActivityFlags as F, Class, Info, NONE, Verb as V, info::space};

use super::object::{LastEvent, Level, ObjectState, Signs, TaskNow, TrackedObject};
use crate::{
    present::RowRole,
    replay::{
        Change, Doing, Entities, FedRow, Holder, Id, Key, Moment, Observed, Observer, Operands, Seen, Slots, Stamp,
        TaskState,
    },
    row::typed::TRACKS,
};

/// All objects as of a row. Memory grows with the number of objects only.
pub type ObjectTable = Observed<Objects>;

#[derive(Debug, Clone, Default)]
pub struct Objects {
    objects: Slots<TrackedObject>,
    /// Whether things in a space are objects, by space.
    spaces: Arc<[bool]>,
    /// Number of times that there were too many objects to keep over a reset. After each, [`Id`]s stand for other
    /// objects.
    pub(crate) wiped: u64,
    /// Number of priority changes of all objects.
    priorities: u64,
    /// Objects that the last row may have changed, besides those it is about; may contain duplicates.
    touched: Vec<Id>,
    /// Whether the last row made all states unknown.
    pub(crate) forgot: bool,
}

impl Objects {
    /// An object that the last row may have changed, besides those it is about; duplicates are possible.
    pub(crate) fn touched(&self, index: usize) -> Option<(Id, &TrackedObject)> {
        let id = *self.touched.get(index)?;
        Some((id, self.objects.get(id)?))
    }

    /// Changes whenever a priority does; see [`TrackedObject::urgency`].
    pub fn sign_of_priorities(&self) -> (u64, u64) {
        (self.wiped, self.priorities)
    }

    /// The object that acts.
    fn sub(&self, activity: &Activity, entities: &mut Entities) -> Option<Id> {
        // A marker record is itself an object if it has a state.
        let of_kind = activity.sub_space == space::KINDS && activity.verb != V::INSTANT;
        if !of_kind && !self.is_object(activity.sub_space) {
            return None;
        }
        entities.id(entities.named(activity, activity.sub_space, activity.sub))
    }

    /// The object acted on.
    fn obj(&self, activity: &Activity, entities: &mut Entities) -> Option<Id> {
        let is_about = matches!(activity.verb, V::POST | V::GET | V::DEFER | V::RECALL | V::CREATE | V::ALLOC)
            || matches!(activity.verb, V::LEVEL | V::EMPTY | V::CLEARED | V::FULL | V::REF | V::UNREF | V::COLLECT)
            || matches!(activity.verb, V::TAKE | V::GIVE | V::BLOCK);
        if !is_about || !self.is_object(activity.obj_space) {
            return None;
        }
        entities.id(entities.named(activity, activity.obj_space, activity.obj))
    }

    fn is_object(&self, space: u16) -> bool {
        space != space::KINDS && self.spaces.get(usize::from(space)).copied().unwrap_or(false)
    }

    /// An object that may change beyond its last record.
    fn of(&mut self, id: Id) -> &mut TrackedObject {
        if self.touched.last() != Some(&id) {
            self.touched.push(id);
        }
        self.objects.of(id)
    }

    /// Stores the last record of the objects concerned.
    fn event(&mut self, seen: &Seen<'_>, entities: &Entities) {
        let Seen { activity, here: &here, who: Operands { sub, obj }, row: FedRow { row, .. }, .. } = *seen;
        let item = (activity.item_space != NONE).then(|| entities.named(activity, activity.item_space, activity.item));
        let warns = RowRole::of(row).warns(row.severity);
        let posts = matches!(activity.verb, V::POST | V::GET | V::DEFER | V::RECALL);
        // A post concerns the receiver.
        let actor = sub.filter(|_| activity.verb != V::POST || obj.is_none());
        for (id, is_actor) in [(actor, true), (obj.filter(|obj| Some(*obj) != actor), false)] {
            let Some(id) = id else { continue };
            let object = self.objects.of(id);
            object.signs.insert(if is_actor { Signs::SEEN } else { sign_of(activity.verb) });
            if posts && !is_actor || activity.verb == V::GET && obj == sub {
                object.signs.insert(Signs::POSTED);
            }
            let again = object.last.filter(|last| last.at.row == here.row);
            object.events += u64::from(again.is_none());
            // A record's first activity says most.
            let item = again.and_then(|last| last.item).or(item);
            object.last = Some(LastEvent { at: here, kind: row.kind, warns, item });
        }
    }

    /// Applies a state that the record reports for the object itself.
    fn state(&mut self, seen: &Seen<'_>, sub: Id, entities: &Entities) {
        let Seen { activity, here: &here, stamp: &Stamp { losses, .. }, .. } = *seen;
        let key = |space: u16, key: u64| entities.named(activity, space, key);
        let (sign, state) = match activity.verb {
            // The transition does not happen.
            V::IGNORED if activity.flags.contains(F::FAILED) => {
                let object = self.of(sub);
                object.signs.insert(Signs::MACHINE);
                if let Some(before) = object.before.take() {
                    // After a loss, it may have been another transition.
                    let is_sure = object.said == losses;
                    object.enter(ObjectState::Machine(before), here, losses, is_sure);
                }
                return;
            }
            V::TRAN => (Signs::MACHINE, ObjectState::Machine(key(activity.second_space, activity.second))),
            V::REST => (Signs::MACHINE, ObjectState::Machine(key(activity.item_space, activity.item))),
            // The state in which an event is handled; unrecorded transitions may have preceded it.
            V::DISPATCH if activity.obj_space != NONE => {
                (Signs::MACHINE, ObjectState::Machine(key(activity.obj_space, activity.obj)))
            }
            verb if verb.is_of_machine() => return self.of(sub).signs.insert(Signs::MACHINE),
            V::ARM => (Signs::TIMER, ObjectState::Armed { once: activity.second == 0 }),
            V::DISARM => (Signs::TIMER, ObjectState::Disarmed),
            V::FIRE => return self.fired(seen, sub),
            V::ISR_IN => (Signs::INTERRUPT, ObjectState::Inside(activity.core)),
            V::ISR_OUT => (Signs::INTERRUPT, ObjectState::Outside),
            V::VALUE => (
                Signs::VALUE,
                ObjectState::Value { bits: activity.val, flags: activity.flags & (F::SIGNED | F::FLOAT) },
            ),
            // A detached span does not describe what its object does.
            V::BEGIN | V::END if self.has_state_of_its_own(sub) || activity.flags.contains(F::APART) => return,
            V::BEGIN => (Signs::SPAN, ObjectState::Begun),
            V::END => (Signs::SPAN, ObjectState::Ended),
            _ => return,
        };
        let object = self.of(sub);
        object.signs.insert(sign);
        object.before = match object.state {
            ObjectState::Machine(before) if activity.verb == V::TRAN => Some(before),
            _ => None,
        };
        object.enter(state, here, losses, true);
    }

    fn has_state_of_its_own(&mut self, id: Id) -> bool {
        let own = Signs::MACHINE | Signs::TASK | Signs::TIMER | Signs::LOCK | Signs::INTERRUPT;
        self.of(id).signs.intersects(own)
    }

    fn fired(&mut self, &Seen { here: &here, stamp: &Stamp { losses, .. }, .. }: &Seen<'_>, timer: Id) {
        let object = self.of(timer);
        object.signs.insert(Signs::TIMER);
        // After a loss, the timer may have been armed differently.
        let is_sure = object.said == losses;
        if object.state == (ObjectState::Armed { once: true }) {
            object.enter(ObjectState::Disarmed, here, losses, is_sure);
        }
    }

    fn level(&mut self, seen: &Seen<'_>, of: Id, entities: &Entities) {
        let Seen { activity, here: &here, stamp: &Stamp { losses, .. }, who, .. } = *seen;
        let by = who.sub.map(|sub| entities.key(sub));
        let object = self.of(of);
        object.signs.insert(Signs::LEVEL);
        object.level = Level::after(object.level, activity, by, losses).or(object.level);
        // The level of a machine is that of its queue.
        if let (ObjectState::Unknown | ObjectState::Level(_), Some(level)) = (object.state, object.level) {
            object.enter(ObjectState::Level(level.number().unwrap_or(u64::MAX)), here, losses, true);
        }
    }

    /// Applies changes of tasks, of what cores run, and of who holds locks.
    fn schedules(&mut self, seen: &Seen<'_>, entities: &mut Entities) {
        let activity = seen.activity;
        if let Some(task) = seen.who.sub.filter(|_| !matches!(activity.verb, V::TAKE | V::GIVE)) {
            let object = self.of(task);
            object.signs.insert(Signs::TASK);
            if activity.flags.contains(F::WHEN_OUT) || activity.verb == V::BLOCK {
                object.announced = Some(seen.row.row.kind);
            }
        }
        for change in seen.changes {
            match *change {
                Change::Task { task, state, late } => self.task(seen, task, state, late, entities),
                Change::Lock { lock, holder } => {
                    let state = match holder {
                        Holder::Taken(by) => ObjectState::Held(by.map(|by| entities.key(by))),
                        Holder::Nobody => ObjectState::Free,
                        Holder::NoLock => ObjectState::Unknown,
                    };
                    self.of(lock).enter(state, *seen.here, seen.stamp.losses, true);
                }
                Change::Runs { task, core } => {
                    let key = entities.key(task);
                    self.core(seen, core, ObjectState::Runs(key), entities);
                }
                // Its state is unknown until a record reports it.
                Change::Stops { core, .. } if activity.verb != V::IDLE => {
                    self.core(seen, core, ObjectState::Unknown, entities);
                }
                _ => {}
            }
        }
        if activity.verb == V::IDLE {
            self.core(seen, activity.core, ObjectState::Idle, entities);
        }
    }

    fn task(&mut self, seen: &Seen<'_>, task: Id, state: TaskState, late: bool, entities: &Entities) {
        let Seen { here: &here, stamp: &Stamp { losses, .. }, .. } = *seen;
        let cause = state.cause;
        let named = |space: fn(&Activity) -> (u16, u64)| {
            let cause = cause.as_ref()?;
            let (space, key) = space(cause);
            (space != NONE).then(|| entities.named(cause, space, key))
        };
        let why = named(|cause| (cause.item_space, cause.item));
        let on = named(|cause| (cause.obj_space, cause.obj));
        let object = self.of(task);
        let announced = object.announced.take();
        let said_by = cause.and(if late { announced } else { Some(seen.row.row.kind) });
        let core = match (cause, object.state) {
            (Some(cause), _) => cause.core,
            (None, ObjectState::Task(before)) => before.core,
            _ => 0,
        };
        // What follows from a record about another task is as certain as before. That holds for ready tasks too: a
        // running task may also be made ready.
        let is_sure = cause.is_some() && !late && (state.doing != Doing::READY || object.said == losses);
        let state = ObjectState::Task(TaskNow { doing: state.doing, core, why, on, said_by });
        object.enter(state, here, losses, is_sure);
    }

    fn core(&mut self, seen: &Seen<'_>, core: u16, state: ObjectState, entities: &mut Entities) {
        let key = Key { space: space::CORES, key: core.into(), scope: 0 };
        let Some(id) = entities.id(key) else { return };
        let object = self.of(id);
        object.signs.insert(Signs::CORE);
        object.enter(state, *seen.here, seen.stamp.losses, true);
    }
}

impl ObjectTable {
    /// Time of the epoch's last row that has one.
    pub fn now(&self) -> Option<u64> {
        self.replay.last.time
    }

    /// All objects, in order of first appearance.
    pub fn objects(&self) -> impl Iterator<Item = (Key, &TrackedObject)> {
        let all = self.observer.objects.iter().filter(|(_, object)| !object.signs.is_empty());
        all.map(|(id, object)| (self.key(id), object))
    }

    pub fn object(&self, key: Key) -> Option<&TrackedObject> {
        self.known(key).filter(|object| !object.signs.is_empty())
    }

    fn known(&self, key: Key) -> Option<&TrackedObject> {
        self.observer.objects.get(self.replay.entities.known(key)?)
    }

    /// Whether missing records may have changed the state since it was reported.
    pub fn is_unsure(&self, object: &TrackedObject) -> bool {
        object.state != ObjectState::Unknown && object.said != self.replay.stamp.losses
    }

    /// Whether missing records may have changed the level since it was reported.
    pub fn is_level_unsure(&self, level: &Level) -> bool {
        level.said != self.replay.stamp.losses
    }

    /// Changes whenever the object's state does; survives resets.
    pub fn sign_of_change(&self, key: Key) -> (u64, u64) {
        (self.wiped, self.known(key).map_or(0, |object| object.changes))
    }

    /// Approximate memory use, bytes.
    pub fn memory(&self) -> usize {
        // Each key is in a list and in a map; a state takes a share.
        let keys = 4 * size_of::<Key>() + 3 * size_of::<(u64, u64, u64)>();
        size_of::<ObjectTable>() + self.observer.objects.iter().len() * (size_of::<TrackedObject>() + keys)
    }
}

impl Observer for Objects {
    fn new(info: &Info) -> Objects {
        let last = info.spaces.iter().map(|space| usize::from(space.id) + 1).max().unwrap_or(0);
        let mut spaces = vec![false; last.max(usize::from(TRACKS) + 1)];
        spaces[usize::from(TRACKS)] = true;
        for spec in &info.spaces {
            spaces[usize::from(spec.id)] = is_object(spec.class);
        }
        Objects { spaces: spaces.into(), ..Objects::default() }
    }

    fn needs(verb: V) -> bool {
        matches!(verb, V::RUN | V::STATE | V::DELETE | V::IDLE | V::BLOCK | V::TAKE | V::GIVE)
    }

    fn operands(&self, activity: &Activity, entities: &mut Entities) -> Operands {
        Operands { sub: self.sub(activity, entities), obj: self.obj(activity, entities) }
    }

    fn begin(&mut self) {
        self.touched.clear();
        self.forgot = false;
    }

    fn activity(&mut self, seen: &Seen<'_>, entities: &mut Entities) {
        self.event(seen, entities);
        let activity = seen.activity;
        match (activity.verb, seen.who.sub, seen.who.obj) {
            (V::RUN | V::STATE | V::DELETE | V::IDLE | V::BLOCK, ..) => self.schedules(seen, entities),
            (V::LEVEL | V::EMPTY | V::CLEARED | V::FULL, _, Some(of)) => self.level(seen, of, entities),
            (V::TAKE | V::GIVE, _, Some(lock)) => {
                self.of(lock).signs.insert(Signs::LOCK);
                self.schedules(seen, entities);
            }
            (V::PRIO, Some(task), _) => {
                let is_new = self.of(task).prioritize(activity);
                self.priorities += u64::from(is_new);
            }
            (V::CREATE, Some(task), _) => self.of(task).outdate_priority(),
            (_, Some(sub), _) => self.state(seen, sub, entities),
            _ => {}
        }
    }

    /// Objects are kept over a reset, unless there are too many.
    fn reset(&mut self, _: Option<Moment>, ids_end: bool) {
        self.forgot = true;
        self.touched.clear();
        if ids_end {
            self.objects = Slots::default();
            self.wiped += 1;
        }
        self.objects.iter_mut().for_each(|(_, object)| object.forget());
    }
}

/// Whether things of a class are objects, as opposed to what records say of objects.
fn is_object(class: Class) -> bool {
    !matches!(class, Class::STATE | Class::SIGNAL | Class::FUNCTION | Class::PROCESS | Class::CALL | Class::ENUM)
}

fn sign_of(verb: V) -> Signs {
    match verb {
        V::LEVEL | V::EMPTY | V::CLEARED | V::FULL => Signs::LEVEL,
        V::TAKE | V::GIVE | V::BLOCK => Signs::LOCK,
        _ => Signs::SEEN,
    }
}
