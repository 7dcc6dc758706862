//! All objects of a target, updated row by row in merged order.

use std::sync::Arc;

use spytui_plugin_api::{
    Activity, ActivityFlags as F, Class, Info, NONE, Row, RowKind, Verb as V, info::space, row::RowFlags,
};

use super::{
    level::Level,
    object::{LastEvent, Moment, Object, Signs},
    state::{State, TaskNow},
};
use crate::{
    analysis::{
        change::{Change, Doing, Holder, TaskState},
        entity::{Entities, Id, Key, Operands},
        reducer::Reducer,
        time_axis::begins_epoch,
    },
    present::line::Role,
    row::tracks::TRACKS,
};

/// Objects kept at most, so that noise does not exhaust memory.
pub(super) const MOST: usize = 1 << 14;

/// A row as the table takes it.
#[derive(Debug, Clone, Copy)]
pub struct FedRow {
    /// Its kind.
    pub kind: RowKind,
    /// Records may be missing before it.
    pub loses: bool,
    /// It is one to look at.
    pub warns: bool,
    /// Where it is, and when.
    pub at: Moment,
    /// The epoch of the target, from 0.
    pub epoch: u32,
    /// It is a record with a time stamp of its own.
    pub has_own_time: bool,
    /// It is a record that says more than a name.
    pub is_traced: bool,
    /// Its time may decide where an epoch begins on a time axis.
    pub begins_epoch: bool,
    /// Its bytes on the wire.
    pub bytes: u64,
}

impl FedRow {
    /// Of a row.
    #[must_use]
    pub fn new(row: &Row, at: Moment, epoch: u32) -> FedRow {
        let loses = row.may_hide_records();
        let warns = Role::of(row).warns(row.severity);
        let has_own_time = row.is_record() && row.has(RowFlags::TIME_OWN);
        let is_traced = row.is_record() && !row.has(RowFlags::NAMING);
        let begins_epoch = begins_epoch(row);
        let bytes = row.len.into();
        FedRow { kind: row.kind, loses, warns, at, epoch, has_own_time, is_traced, begins_epoch, bytes }
    }

    /// The same row with bytes that lie elsewhere: so many in all.
    #[must_use]
    pub fn with_bytes(self, bytes: u64) -> FedRow {
        FedRow { bytes, ..self }
    }

    /// The same row, with which nothing is missing.
    #[must_use]
    pub fn without_loss(self) -> FedRow {
        FedRow { loses: false, ..self }
    }
}

/// All objects as of a row. Only its objects are kept: it takes as much memory as there are objects.
#[derive(Debug, Clone)]
pub struct ObjectTable {
    reducer: Reducer,
    /// As it is when nothing is known.
    blank: Arc<Reducer>,
    /// By entity.
    objects: Vec<Object>,
    /// Whether what is in a space is an object, by space.
    spaces: Arc<[bool]>,
    changes: Vec<Change>,
    losses: u32,
    /// How often there were too many objects to keep them over a reset.
    wiped: u64,
    /// How often an object got another priority.
    priorities: u64,
    epoch: u32,
    now: Option<u64>,
    rows: u64,
    last: Moment,
    /// What the last row may have changed beyond its last record; several times maybe.
    touched: Vec<Id>,
    /// The last row made all states unknown.
    forgot: bool,
}

impl ObjectTable {
    /// Without objects, for the spaces of a decoder.
    #[must_use]
    pub fn new(info: &Info) -> ObjectTable {
        let mut reducer = Reducer::new(info);
        reducer.entities = Entities::limited(info, MOST);
        let last = info.spaces.iter().map(|space| usize::from(space.id) + 1).max().unwrap_or(0);
        let mut spaces = vec![false; last.max(usize::from(TRACKS) + 1)];
        spaces[usize::from(TRACKS)] = true;
        for spec in &info.spaces {
            spaces[usize::from(spec.id)] = is_object(spec.class);
        }
        ObjectTable {
            blank: Arc::new(reducer.clone()),
            reducer,
            objects: Vec::new(),
            spaces: spaces.into(),
            changes: Vec::new(),
            losses: 0,
            wiped: 0,
            priorities: 0,
            epoch: 0,
            now: None,
            rows: 0,
            last: Moment::default(),
            touched: Vec::new(),
            forgot: false,
        }
    }

    /// The same, where the rows before this one are gone.
    #[must_use]
    pub fn begin_at(self, row: u64) -> ObjectTable {
        ObjectTable { rows: row, ..self }
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

    /// Time of the last row that has one.
    #[must_use]
    pub fn now(&self) -> Option<u64> {
        self.now
    }

    /// One of the objects that the last row may have changed beyond their last record; some stand there several times.
    pub(crate) fn touched(&self, index: usize) -> Option<(Id, &Object)> {
        let id = *self.touched.get(index)?;
        Some((id, self.objects.get(id.0 as usize)?))
    }

    /// The key of an object that a row touched.
    pub(crate) fn key(&self, id: Id) -> Key {
        self.reducer.entities.key(id)
    }

    /// Whether the last row made all states unknown.
    pub(crate) fn forgot(&self) -> bool {
        self.forgot
    }

    /// How often there were too many objects to keep them over a reset: what an [`Id`] stands for changes with that.
    pub(crate) fn wiped(&self) -> u64 {
        self.wiped
    }

    /// All objects, in the order in which records named them.
    pub fn objects(&self) -> impl Iterator<Item = (Key, &Object)> {
        let all = self.objects.iter().enumerate().filter(|(_, object)| object.signs != Signs::default());
        all.map(|(id, object)| (self.reducer.entities.key(Id(id as u32)), object))
    }

    /// An object.
    #[must_use]
    pub fn object(&self, key: Key) -> Option<&Object> {
        let id = self.reducer.entities.known(key)?;
        self.objects.get(id.0 as usize).filter(|object| object.signs != Signs::default())
    }

    /// A number that stays as long as all priorities do; see [`Object::urgency`].
    #[must_use]
    pub fn sign_of_priorities(&self) -> (u64, u64) {
        (self.wiped, self.priorities)
    }

    /// Whether records that are missing may have changed the state of an object since it was reported.
    #[must_use]
    pub fn is_unsure(&self, object: &Object) -> bool {
        object.state != State::Unknown && object.said != self.losses
    }

    /// Whether records that are missing may have changed a level since it was reported.
    #[must_use]
    pub fn is_level_unsure(&self, level: &Level) -> bool {
        level.said != self.losses
    }

    /// A number that stays as long as the state of an object does, also over resets of the target.
    #[must_use]
    pub fn sign_of_change(&self, key: Key) -> (u64, u64) {
        let id = self.reducer.entities.known(key);
        let object = id.and_then(|id| self.objects.get(id.0 as usize));
        (self.wiped, object.map_or(0, |object| object.changes))
    }

    /// Number of operands left out because there were too many objects.
    #[must_use]
    pub fn refused(&self) -> u64 {
        self.reducer.entities.refused()
    }

    /// About how much memory it takes, bytes.
    #[must_use]
    pub fn memory(&self) -> usize {
        // Keys stand in a list and in a map; a state takes a share.
        let keys = 4 * size_of::<Key>() + 3 * size_of::<(u64, u64, u64)>();
        size_of::<ObjectTable>() + self.objects.len() * (size_of::<Object>() + keys)
    }

    /// Takes the next row.
    pub fn row(&mut self, row: &FedRow, activities: &[Activity]) {
        self.touched.clear();
        self.forgot = false;
        if row.epoch != self.epoch {
            self.epoch = row.epoch;
            self.forget();
        }
        if row.loses {
            self.losses += 1;
            self.reducer.lost(&mut self.changes);
            self.changes.clear();
        }
        self.now = row.at.time.or(self.now);
        (self.rows, self.last) = (row.at.row + 1, row.at);
        for activity in activities {
            self.activity(row, *activity);
        }
    }

    /// Nothing is known any more. That there were objects is remembered, unless they are too many.
    fn forget(&mut self) {
        (self.now, self.forgot) = (None, true);
        self.touched.clear();
        if self.objects.len() > MOST / 2 {
            self.reducer = (*self.blank).clone();
            self.objects.clear();
            self.wiped += 1;
            return;
        }
        self.reducer.forget(&mut self.changes);
        self.changes.clear();
        self.objects.iter_mut().for_each(Object::forget);
    }

    fn activity(&mut self, row: &FedRow, mut activity: Activity) {
        if activity.verb == V::RESET {
            return self.forget();
        }
        if !self.reducer.resolve(&mut activity) {
            return;
        }
        let sub = self.sub(&activity);
        let obj = self.obj(&activity);
        let here = Moment { time: self.now, ..row.at };
        self.event(row, &activity, (sub, obj), here);
        match (activity.verb, sub, obj) {
            (V::RUN | V::STATE | V::DELETE | V::IDLE | V::BLOCK, ..) => {
                self.schedules(row, &activity, (sub, obj), here)
            }
            (V::LEVEL | V::EMPTY | V::CLEARED | V::FULL, _, Some(of)) => self.level(&activity, (sub, of), here),
            (V::TAKE | V::GIVE, _, Some(lock)) => {
                self.of(lock).signs.add(Signs::LOCK);
                self.schedules(row, &activity, (sub, obj), here);
            }
            (V::PRIO, Some(task), _) => {
                let is_new = self.of(task).prioritize(&activity);
                self.priorities += u64::from(is_new);
            }
            (V::CREATE, Some(task), _) => self.of(task).outdate_priority(),
            (_, Some(sub), _) => self.state(&activity, sub, here),
            _ => {}
        }
    }

    /// The object that does something.
    fn sub(&mut self, activity: &Activity) -> Option<Id> {
        // A record that is a marker itself is an object if it has a state.
        let of_kind = activity.sub_space == space::KINDS && activity.verb != V::INSTANT;
        if !of_kind && !self.is_object(activity.sub_space) {
            return None;
        }
        let key = self.reducer.entities.named(activity, activity.sub_space, activity.sub);
        self.reducer.entities.id(key)
    }

    /// The object to which something is done.
    fn obj(&mut self, activity: &Activity) -> Option<Id> {
        let is_about = matches!(
            activity.verb,
            V::POST
                | V::GET
                | V::DEFER
                | V::RECALL
                | V::CREATE
                | V::LEVEL
                | V::EMPTY
                | V::CLEARED
                | V::FULL
                | V::ALLOC
                | V::REF
                | V::UNREF
                | V::COLLECT
                | V::TAKE
                | V::GIVE
                | V::BLOCK
        );
        if !is_about || !self.is_object(activity.obj_space) {
            return None;
        }
        let key = self.reducer.entities.named(activity, activity.obj_space, activity.obj);
        self.reducer.entities.id(key)
    }

    fn is_object(&self, space: u16) -> bool {
        space != space::KINDS && self.spaces.get(usize::from(space)).copied().unwrap_or(false)
    }

    /// An object that may change beyond its last record.
    fn of(&mut self, id: Id) -> &mut Object {
        if self.touched.last() != Some(&id) {
            self.touched.push(id);
        }
        slot(&mut self.objects, id)
    }

    /// Remembers the last record about those that it is about.
    fn event(&mut self, row: &FedRow, activity: &Activity, (sub, obj): (Option<Id>, Option<Id>), here: Moment) {
        let item = (activity.item_space != NONE)
            .then(|| self.reducer.entities.named(activity, activity.item_space, activity.item));
        let posts = matches!(activity.verb, V::POST | V::GET | V::DEFER | V::RECALL);
        // What is posted concerns the receiver.
        let actor = sub.filter(|_| activity.verb != V::POST || obj.is_none());
        for (id, is_actor) in [(actor, true), (obj.filter(|obj| Some(*obj) != actor), false)] {
            let Some(id) = id else { continue };
            let object = slot(&mut self.objects, id);
            object.signs.add(if is_actor { Signs::SEEN } else { sign_of(activity.verb) });
            if posts && !is_actor || activity.verb == V::GET && obj == sub {
                object.signs.add(Signs::POSTED);
            }
            let again = object.last.filter(|last| last.at.row == here.row);
            object.events += u64::from(again.is_none());
            // The first activity of a record says most.
            let item = again.and_then(|last| last.item).or(item);
            object.last = Some(LastEvent { at: here, kind: row.kind, warns: row.warns, item });
        }
    }

    /// A state that the record gives the object itself.
    fn state(&mut self, activity: &Activity, sub: Id, here: Moment) {
        let losses = self.losses;
        let key = |entities: &Entities, space: u16, key: u64| entities.named(activity, space, key);
        let (sign, state) = match activity.verb {
            // The transition does not take place.
            V::IGNORED if activity.flags.contains(F::FAILED) => {
                let object = self.of(sub);
                object.signs.add(Signs::MACHINE);
                if let Some(before) = object.before.take() {
                    // If records are missing since, it may have been another transition.
                    let is_sure = object.said == losses;
                    object.enter(State::Machine(before), here, losses, is_sure);
                }
                return;
            }
            V::TRAN => {
                (Signs::MACHINE, State::Machine(key(&self.reducer.entities, activity.second_space, activity.second)))
            }
            V::REST => {
                (Signs::MACHINE, State::Machine(key(&self.reducer.entities, activity.item_space, activity.item)))
            }
            // The state in which an event is handled; a transition may have led through others without a record.
            V::DISPATCH if activity.obj_space != NONE => {
                (Signs::MACHINE, State::Machine(key(&self.reducer.entities, activity.obj_space, activity.obj)))
            }
            verb if verb.is_of_machine() => return self.of(sub).signs.add(Signs::MACHINE),
            V::ARM => (Signs::TIMER, State::Armed { once: activity.second == 0 }),
            V::DISARM => (Signs::TIMER, State::Disarmed),
            V::FIRE => return self.fired(sub, here),
            V::ISR_IN => (Signs::INTERRUPT, State::Inside(activity.core)),
            V::ISR_OUT => (Signs::INTERRUPT, State::Outside),
            V::VALUE => {
                (Signs::VALUE, State::Value { bits: activity.val, flags: activity.flags & (F::SIGNED | F::FLOAT) })
            }
            // A span that is apart says nothing of what its object does.
            V::BEGIN | V::END if self.has_state_of_its_own(sub) || activity.flags.contains(F::APART) => return,
            V::BEGIN => (Signs::SPAN, State::Begun),
            V::END => (Signs::SPAN, State::Ended),
            _ => return,
        };
        let object = self.of(sub);
        object.signs.add(sign);
        object.before = match object.state {
            State::Machine(before) if activity.verb == V::TRAN => Some(before),
            _ => None,
        };
        object.enter(state, here, losses, true);
    }

    fn has_state_of_its_own(&mut self, id: Id) -> bool {
        let signs = self.of(id).signs;
        [Signs::MACHINE, Signs::TASK, Signs::TIMER, Signs::LOCK, Signs::INTERRUPT]
            .into_iter()
            .any(|sign| signs.has(sign))
    }

    fn fired(&mut self, timer: Id, here: Moment) {
        let losses = self.losses;
        let object = self.of(timer);
        object.signs.add(Signs::TIMER);
        // If records are missing since it was armed, it may have been armed in another way.
        let is_sure = object.said == losses;
        if object.state == (State::Armed { once: true }) {
            object.enter(State::Disarmed, here, losses, is_sure);
        }
    }

    fn level(&mut self, activity: &Activity, (sub, of): (Option<Id>, Id), here: Moment) {
        let (losses, by) = (self.losses, sub.map(|sub| self.reducer.entities.key(sub)));
        let object = self.of(of);
        object.signs.add(Signs::LEVEL);
        object.level = Level::after(object.level, activity, by, losses).or(object.level);
        // Of a machine the level is that of its queue.
        if let (State::Unknown | State::Level(_), Some(level)) = (object.state, object.level) {
            object.enter(State::Level(level.number()), here, losses, true);
        }
    }

    fn lock(&mut self, lock: Id, holder: Holder, here: Moment) {
        let (losses, entities) = (self.losses, &self.reducer.entities);
        let state = match holder {
            Holder::Taken(by) => State::Held(by.map(|by| entities.key(by))),
            Holder::Nobody => State::Free,
            Holder::NoLock => State::Unknown,
        };
        self.of(lock).enter(state, here, losses, true);
    }

    /// Tasks change their state, cores what they run, and locks who holds them.
    fn schedules(&mut self, row: &FedRow, activity: &Activity, (sub, obj): (Option<Id>, Option<Id>), here: Moment) {
        let mut changes = std::mem::take(&mut self.changes);
        changes.clear();
        let is_of_lock = matches!(activity.verb, V::TAKE | V::GIVE | V::BLOCK);
        let who = Operands { sub, obj: obj.filter(|_| is_of_lock) };
        self.reducer.apply(activity, who, here.time.unwrap_or(0), false, &mut changes);
        if let Some(task) = sub.filter(|_| !matches!(activity.verb, V::TAKE | V::GIVE)) {
            let object = self.of(task);
            object.signs.add(Signs::TASK);
            if activity.flags.contains(F::WHEN_OUT) || activity.verb == V::BLOCK {
                object.announced = Some(row.kind);
            }
        }
        for change in &changes {
            match *change {
                Change::Task { task, state, late } => self.task(row, (task, state, late), here),
                Change::Lock { lock, holder } => self.lock(lock, holder, here),
                Change::Runs { task, core } => {
                    let key = self.reducer.entities.key(task);
                    self.core(core, State::Runs(key), here);
                }
                // What it does until a record says so is not known.
                Change::Stops { core, .. } if activity.verb != V::IDLE => self.core(core, State::Unknown, here),
                _ => {}
            }
        }
        if activity.verb == V::IDLE {
            self.core(activity.core, State::Idle, here);
        }
        self.changes = changes;
    }

    fn task(&mut self, row: &FedRow, (task, state, late): (Id, TaskState, bool), here: Moment) {
        let losses = self.losses;
        let cause = state.cause;
        let named = |space: fn(&Activity) -> (u16, u64)| {
            let cause = cause.as_ref()?;
            let (space, key) = space(cause);
            (space != NONE).then(|| self.reducer.entities.named(cause, space, key))
        };
        let why = named(|cause| (cause.item_space, cause.item));
        let on = named(|cause| (cause.obj_space, cause.obj));
        let object = self.of(task);
        let announced = object.announced.take();
        let said_by = cause.and(if late { announced } else { Some(row.kind) });
        let core = match (cause, object.state) {
            (Some(cause), _) => cause.core,
            (None, State::Task(before)) => before.core,
            _ => 0,
        };
        // What follows from a record about another task is as sure as it was before, and so is that a task is ready: one that
        // runs may be made ready, too.
        let is_sure = cause.is_some() && !late && (state.doing != Doing::Ready || object.said == losses);
        let state = State::Task(TaskNow { doing: state.doing, core, why, on, said_by });
        object.enter(state, here, losses, is_sure);
    }

    fn core(&mut self, core: u16, state: State, here: Moment) {
        let losses = self.losses;
        let key = Key { space: space::CORES, key: core.into(), scope: 0 };
        let Some(id) = self.reducer.entities.id(key) else { return };
        let object = self.of(id);
        object.signs.add(Signs::CORE);
        object.enter(state, here, losses, true);
    }
}

fn slot(objects: &mut Vec<Object>, id: Id) -> &mut Object {
    let at = id.0 as usize;
    if at >= objects.len() {
        objects.resize_with(at + 1, Object::default);
    }
    &mut objects[at]
}

/// Whether things of a class are objects, not what records say of them.
fn is_object(class: Class) -> bool {
    !matches!(class, Class::STATE | Class::SIGNAL | Class::FUNCTION | Class::PROCESS | Class::CALL | Class::ENUM)
}

/// What a verb says of its object.
fn sign_of(verb: V) -> Signs {
    match verb {
        V::LEVEL | V::EMPTY | V::CLEARED | V::FULL => Signs::LEVEL,
        V::TAKE | V::GIVE | V::BLOCK => Signs::LOCK,
        _ => Signs::SEEN,
    }
}
