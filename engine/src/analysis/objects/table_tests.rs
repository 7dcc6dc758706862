//! How activities change the table.

use spytui_plugin_api::{
    Activity, ActivityFlags as F, Class, Info, KeyFormat, NONE, Row, RowKind, TaskState as Doings, Verb as V,
    info::{SpaceInfo, space},
};

use super::{
    object::ObjectState,
    object::{ObjectKind, TrackedObject},
    table::ObjectTable,
};
use crate::replay::{Doing, FedRow, Key, MOST, Moment, Reader};

const OBJECTS: u16 = 16;
const STATES: u16 = 17;
const TASKS: u16 = 18;
const QUEUES: u16 = 19;
const STEPS: u16 = 20;

fn info() -> Info {
    let space =
        |id, class, scope_space| SpaceInfo { scope_space, ..SpaceInfo::new(id, "x", "X", class, KeyFormat::HEX) };
    let spaces = vec![
        space(OBJECTS, Class::OBJECT, NONE),
        space(STATES, Class::STATE, OBJECTS),
        space(TASKS, Class::TASK, NONE),
        space(QUEUES, Class::QUEUE, NONE),
        space(STEPS, Class::MARKER, TASKS),
    ];
    Info { spaces: spaces.into(), ..Info::default() }
}

fn key(space: u16, key: u64) -> Key {
    Key { space, key, scope: 0 }
}

/// A table whose rows are ten ticks apart.
struct Bench(ObjectTable);

impl Bench {
    fn new() -> Bench {
        Bench(ObjectTable::new(&info()))
    }

    fn rows(&mut self, activities: &[Activity]) -> &mut Bench {
        activities.iter().for_each(|activity| self.row(RowKind(1), 0, &[*activity]));
        self
    }

    fn row(&mut self, kind: RowKind, epoch: u32, activities: &[Activity]) {
        let row = self.0.rows();
        let at = Moment { row, n: row + 1, source: 0, time: Some(row * 10) };
        self.0.row(&FedRow::new(&Row { kind, ..Row::default() }, at, epoch), activities);
    }

    fn lose(&mut self) -> &mut Bench {
        self.row(RowKind::GAP, 0, &[]);
        self
    }

    fn object(&self, space: u16, of: u64) -> &TrackedObject {
        self.0.object(key(space, of)).expect("no such object")
    }

    fn doing(&self, task: u64) -> Doing {
        let ObjectState::Task(task) = self.object(TASKS, task).state else { panic!("no task") };
        task.doing
    }

    /// Whether the state of an object is uncertain, and where it began.
    fn known(&self, space: u16, of: u64) -> (bool, Option<u64>) {
        let object = self.object(space, of);
        (self.0.is_unsure(object), object.began())
    }
}

fn of(verb: V) -> Activity {
    Activity::new(verb).sub(OBJECTS, 1)
}

#[test]
fn a_machine_is_where_its_last_transition_led() {
    let state = |state| ObjectState::Machine(Key { space: STATES, key: state, scope: 1 });
    let mut bench = Bench::new();
    bench.rows(&[of(V::DISPATCH).obj(STATES, 5), of(V::INTERNAL).obj(STATES, 4)]);
    assert_eq!((bench.object(OBJECTS, 1).state, bench.known(OBJECTS, 1)), (state(5), (false, Some(0))));
    bench.rows(&[of(V::TRAN).obj(STATES, 5).second_key(STATES, 6), of(V::REST).item(STATES, 6)]);
    assert_eq!((bench.object(OBJECTS, 1).state, bench.known(OBJECTS, 1)), (state(6), (false, Some(2))));
    let object = bench.object(OBJECTS, 1);
    assert_eq!((object.events, object.permille(bench.0.now())), (4, Some(333)));
}

#[test]
fn a_transition_that_fails_leaves_the_machine_where_it_was() {
    let state = |state| ObjectState::Machine(Key { space: STATES, key: state, scope: 1 });
    let mut bench = Bench::new();
    let tran = of(V::TRAN).obj(STATES, 4).second_key(STATES, 6);
    let fails = of(V::IGNORED).with(F::FAILED);
    bench.rows(&[of(V::DISPATCH).obj(STATES, 5), tran, fails]);
    assert_eq!(bench.object(OBJECTS, 1).state, state(5));
    // The later failure is not this transition's.
    bench.rows(&[tran, of(V::REST).item(STATES, 7), of(V::DISPATCH).obj(STATES, 7), fails]);
    assert_eq!(bench.object(OBJECTS, 1).state, state(7));
}

#[test]
fn who_waits_for_a_lock_is_blocked_by_it() {
    let run = |task| Activity::new(V::RUN).sub(TASKS, task);
    let waits = Activity::new(V::BLOCK).sub(TASKS, 1).obj(OBJECTS, 6);
    let mut bench = Bench::new();
    bench.rows(&[run(1), waits.with(F::FAILED), run(2), run(1)]);
    assert_eq!((bench.doing(1), bench.doing(2)), (Doing::RUNNING, Doing::READY));
    bench.rows(&[waits, run(2)]);
    let ObjectState::Task(task) = bench.object(TASKS, 1).state else { panic!("no task") };
    assert_eq!((task.doing, task.on, bench.known(TASKS, 1)), (Doing::BLOCKED, Some(key(OBJECTS, 6)), (false, Some(5))));
    bench.rows(&[run(3), Activity::new(V::IDLE)]);
    assert_eq!([2, 3].map(|task| bench.doing(task)), [Doing::BLOCKED; 2]);
}

#[test]
fn a_loss_makes_uncertain_what_no_record_says_again() {
    let mut bench = Bench::new();
    bench.rows(&[of(V::REST).item(STATES, 5), Activity::new(V::ARM).sub(OBJECTS, 2)]).lose();
    assert_eq!((bench.known(OBJECTS, 1), bench.known(OBJECTS, 2)), ((true, Some(0)), (true, Some(1))));
    bench.rows(&[of(V::REST).item(STATES, 5), of(V::IGNORED)]);
    assert_eq!((bench.known(OBJECTS, 1), bench.known(OBJECTS, 2)), ((false, Some(0)), (true, Some(1))));
    let level = Activity::new(V::LEVEL).obj(OBJECTS, 1).val(3);
    bench.rows(&[level]).lose();
    let object = bench.object(OBJECTS, 1);
    assert!(bench.0.is_level_unsure(&object.level.expect("a level")));
}

#[test]
fn a_task_that_is_switched_out_is_as_sure_as_before() {
    let run = |task| Activity::new(V::RUN).sub(TASKS, task);
    let mut bench = Bench::new();
    bench.rows(&[run(1)]).lose().rows(&[run(2)]);
    assert_eq!((bench.doing(1), bench.known(TASKS, 1)), (Doing::READY, (true, Some(2))));
    assert_eq!((bench.doing(2), bench.known(TASKS, 2)), (Doing::RUNNING, (false, Some(2))));
    bench.rows(&[Activity::new(V::STATE).sub(TASKS, 1).val(Doings::BLOCKED.0), Activity::new(V::IDLE)]);
    assert_eq!((bench.doing(1), bench.known(TASKS, 1).0), (Doing::BLOCKED, false));
    assert_eq!(bench.object(space::CORES, 0).state, ObjectState::Idle);
}

#[test]
fn what_is_left_to_the_host_is_the_running_task() {
    let mut bench = Bench::new();
    let begin = Activity::new(V::BEGIN).sub(STEPS, 7).with(F::CURRENT);
    bench.rows(&[begin, Activity::new(V::RUN).sub(TASKS, 3), begin]);
    let marker = bench.0.object(Key { space: STEPS, key: 7, scope: 3 }).expect("a marker");
    assert_eq!((marker.state, marker.since.row), (ObjectState::Begun, 2));
}

#[test]
fn kinds_are_those_of_the_space_or_of_what_is_done_with_it() {
    let mut bench = Bench::new();
    bench.rows(&[
        of(V::DISPATCH),
        Activity::new(V::ARM).sub(OBJECTS, 2),
        Activity::new(V::LEVEL).obj(OBJECTS, 3).val(3),
        Activity::new(V::POST).obj(OBJECTS, 4).sub(OBJECTS, 5),
        Activity::new(V::TAKE).obj(OBJECTS, 6).sub(TASKS, 1),
        Activity::new(V::LEVEL).obj(QUEUES, 1).val(3),
        of(V::INFO),
    ]);
    let kind = |of| bench.object(OBJECTS, of).kind(Class::OBJECT);
    use ObjectKind as K;
    assert_eq!([1, 2, 3, 4, 6].map(kind), [K::Machine, K::Timer, K::Pool, K::Queue, K::Lock]);
    assert_eq!(bench.object(QUEUES, 1).kind(Class::QUEUE), K::Queue);
    assert_eq!(bench.object(OBJECTS, 6).state, ObjectState::Held(Some(key(TASKS, 1))));
    // The sender of a post is not its receiver.
    assert_eq!(bench.0.object(key(OBJECTS, 5)), None);
}

#[test]
fn timers_that_fire_once_are_disarmed_by_it() {
    let mut bench = Bench::new();
    let timer = |verb, second| Activity::new(verb).sub(OBJECTS, 1).second(second);
    bench.rows(&[timer(V::ARM, 5), timer(V::FIRE, 0)]);
    assert_eq!(bench.object(OBJECTS, 1).state, ObjectState::Armed { once: false });
    bench.rows(&[timer(V::ARM, 0), timer(V::FIRE, 0)]);
    assert_eq!(bench.known(OBJECTS, 1), (false, Some(3)));
}

#[test]
fn a_reset_forgets() {
    let mut bench = Bench::new();
    bench.rows(&[of(V::REST).item(STATES, 5)]).row(RowKind(1), 1, &[]);
    assert_eq!(bench.0.objects().count(), 0);
    bench.row(RowKind(1), 1, &[of(V::REST).item(STATES, 5)]);
    bench.row(RowKind(1), 1, &[Activity::new(V::RESET)]);
    assert_eq!((bench.0.objects().count(), bench.0.object(key(OBJECTS, 1))), (0, None));
    assert_eq!(bench.0.sign_of_change(key(OBJECTS, 1)), (0, 2));
}

#[test]
fn noise_of_many_epochs_leaves_room() {
    let mut bench = Bench::new();
    for epoch in 0..4 {
        let objects = epoch * MOST as u64..(epoch + 1) * MOST as u64;
        objects.for_each(|n| bench.row(RowKind(1), epoch as u32, &[of(V::REST).sub(OBJECTS, n)]));
        assert_eq!((bench.0.objects().count(), bench.0.refused()), (MOST, 0));
    }
}

#[test]
fn noise_does_not_fill_the_memory() {
    let mut bench = Bench::new();
    let noise: Vec<Activity> = (0..MOST as u64 + 9).map(|n| of(V::REST).sub(OBJECTS, n)).collect();
    bench.rows(&noise);
    assert_eq!((bench.0.objects().count(), bench.0.refused()), (MOST, 9));
}

fn priority(task: u64, val: u64, flags: F) -> Activity {
    Activity::new(V::PRIO).sub(TASKS, task).val(val).with(flags)
}

/// Tasks by urgency.
fn by_urgency(bench: &Bench) -> Vec<u64> {
    let tasks = bench.0.objects().filter(|(key, _)| key.space == TASKS);
    let mut tasks: Vec<_> = tasks.map(|(key, task)| (task.urgency(), key.key)).collect();
    tasks.sort_unstable();
    tasks.into_iter().map(|task| task.1).collect()
}

#[test]
fn tasks_are_as_urgent_as_the_protocol_counts() {
    for (flags, order) in [
        (F::empty(), [3, 2, 1]),
        (F::LOWER_FIRST, [1, 2, 3]),
        (F::SIGNED, [2, 1, 3]),
        (F::SIGNED | F::LOWER_FIRST, [3, 1, 2]),
    ] {
        let mut bench = Bench::new();
        bench.rows(&[priority(1, 0, flags), priority(2, 5, flags), priority(3, (-2_i64) as u64, flags)]);
        assert_eq!(by_urgency(&bench), order, "{flags:?}");
    }
}

#[test]
fn a_priority_for_a_while_changes_no_order() {
    let mut bench = Bench::new();
    bench.rows(&[priority(1, 1, F::empty()), priority(2, 4, F::empty()), priority(3, 2, F::FOR_NOW)]);
    assert_eq!(by_urgency(&bench), [2, 3, 1]);
    let sign = bench.0.sign_of_priorities();
    bench.rows(&[priority(1, 9, F::FOR_NOW), priority(3, 7, F::FOR_NOW), priority(2, 4, F::empty())]);
    assert_eq!((by_urgency(&bench), bench.0.sign_of_priorities()), (vec![2, 3, 1], sign));
    bench.rows(&[priority(1, 3, F::empty())]);
    assert_eq!(by_urgency(&bench), [2, 1, 3]);
    assert_ne!(bench.0.sign_of_priorities(), sign);
    // A new task with the key of a dead one has its own priority.
    bench.rows(&[Activity::new(V::CREATE).sub(TASKS, 2), priority(2, 0, F::FOR_NOW)]);
    assert_eq!(by_urgency(&bench), [1, 3, 2]);
    // The order survives a reset until the target says more.
    bench.rows(&[Activity::new(V::RESET), Activity::new(V::RUN).sub(TASKS, 1), Activity::new(V::RUN).sub(TASKS, 2)]);
    assert_eq!(by_urgency(&bench), [1, 2]);
    bench.rows(&[priority(2, 8, F::FOR_NOW)]);
    assert_eq!(by_urgency(&bench), [2, 1]);
}
