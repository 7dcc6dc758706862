//! Each rule, with activities that trigger it, and without their cause.

use spytui_plugin_api::{
    Activity, ActivityFlags as F, Class, Info, KeyFormat, Row, RowKind, TaskState, Verb as V, info::SpaceInfo,
    render::Lookup, row::RowFlags,
};

use super::{Finding, FindingTable, Findings, Rule};
use crate::{
    analysis::objects::Wording,
    replay::{FedRow, Moment, Reader},
};

const OBJECTS: u16 = 16;
const SIGNALS: u16 = 17;
const STATES: u16 = 18;
const TASKS: u16 = 19;
const ISRS: u16 = 20;

fn info() -> Info {
    let space = |id, class, format| SpaceInfo::new(id, "x", "things", class, format);
    let spaces = vec![
        space(OBJECTS, Class::OBJECT, KeyFormat::HEX),
        space(SIGNALS, Class::SIGNAL, KeyFormat::DECIMAL),
        space(STATES, Class::STATE, KeyFormat::HEX),
        space(TASKS, Class::TASK, KeyFormat::DECIMAL),
        space(ISRS, Class::ISR, KeyFormat::DECIMAL),
    ];
    Info { spaces: spaces.into(), ..Info::default() }
}

struct Stream {
    table: FindingTable,
    row: u64,
    time: u64,
    epoch: u32,
    /// Nanoseconds per tick, if known.
    unit: Option<u64>,
}

impl Stream {
    fn new() -> Stream {
        Stream { table: FindingTable::new(&info()), row: 0, time: 0, epoch: 0, unit: None }
    }

    /// With ticks of 1 µs.
    fn timed() -> Stream {
        Stream { unit: Some(1000), ..Stream::new() }
    }

    fn feed(&mut self, row: &Row, activities: &[Activity]) {
        let at = Moment { row: self.row, n: self.row, source: 0, time: row.has_time().then_some(self.time) };
        let ns = self.unit.map(|unit| unit * self.time);
        self.table.row(&FedRow { ns, ..FedRow::new(row, at, self.epoch) }, activities);
        self.row += 1;
    }

    /// Adds a record one tick after the previous one.
    fn record(&mut self, activities: &[Activity]) {
        self.after(1, activities);
    }

    fn after(&mut self, ticks: u64, activities: &[Activity]) {
        self.time += ticks;
        self.feed(&Row { flags: RowFlags::TIME_OWN, ..Row::default() }, activities);
    }

    fn note(&mut self, kind: RowKind) {
        self.feed(&Row { kind, ..Row::default() }, &[]);
    }

    fn findings(&self) -> Findings {
        self.named(&())
    }

    fn named(&self, names: &dyn Lookup) -> Findings {
        Findings::new(&self.table, &Wording { info: &info(), names, of_formats: &|_| None })
    }

    fn find(&self, rule: Rule) -> Option<Finding> {
        self.findings().list.into_iter().find(|finding| finding.rule == rule)
    }

    #[track_caller]
    fn finds(&self, rule: Rule) -> Finding {
        self.find(rule).unwrap_or_else(|| panic!("not {rule:?}, but {:?}", self.rules()))
    }

    fn rules(&self) -> Vec<Rule> {
        self.findings().list.iter().map(|finding| finding.rule).collect()
    }
}

fn free(of: u64, level: u64) -> Activity {
    Activity::new(V::LEVEL).obj(OBJECTS, of).val(level).with(F::FREE)
}

fn post(to: u64) -> Activity {
    Activity::new(V::POST).obj(OBJECTS, to).item(SIGNALS, 5)
}

fn get(by: u64) -> Activity {
    Activity::new(V::GET).sub(OBJECTS, by).obj(OBJECTS, by).item(SIGNALS, 5)
}

fn empty(of: u64) -> Activity {
    Activity::new(V::EMPTY).obj(OBJECTS, of)
}

#[test]
fn a_queue_that_is_never_empty_is_found_with_its_worst_row() {
    let mut stream = Stream::new();
    stream.record(&[post(1), free(1, 6)]);
    for _ in 0..40 {
        stream.record(&[post(1), free(1, 5)]);
        stream.record(&[get(1), free(1, 6)]);
    }
    let found = stream.finds(Rule::NeverEmpty);
    assert_eq!((found.count, found.evidence[0].1.row, found.evidence[1].1.row), (80, 0, 1));
    // The finding remains after the queue is finally empty.
    stream.record(&[get(1), empty(1)]);
    assert_eq!(stream.finds(Rule::NeverEmpty).count, 80);
}

#[test]
fn a_queue_that_is_empty_now_and_then_or_of_which_records_are_missing_is_not() {
    let mut drained = Stream::new();
    let mut masked = Stream::new();
    let mut lossy = Stream::new();
    for turn in 0..60 {
        drained.record(&[post(1), free(1, 6)]);
        drained.record(&[get(1), empty(1)]);
        // The record of the last event is missing.
        masked.record(&[post(1), free(1, 6)]);
        masked.record(&[post(1), free(1, 5)]);
        masked.record(&[get(1), free(1, 6)]);
        lossy.record(&[post(1), free(1, 5)]);
        lossy.record(&[get(1), free(1, 6)]);
        if turn % 10 == 9 {
            lossy.note(RowKind::GAP);
        }
    }
    assert_eq!([drained, masked, lossy].map(|stream| stream.find(Rule::NeverEmpty)), [None, None, None]);
}

#[test]
fn a_queue_is_full_or_nearly_by_its_size() {
    let mut stream = Stream::new();
    let mut fill = |of, levels: &[u64]| {
        for _ in 0..2 {
            stream.record(&[post(of), free(of, levels[0])]);
            stream.record(&[get(of), empty(of)]);
        }
        levels.iter().for_each(|level| stream.record(&[post(of), free(of, *level)]));
    };
    fill(1, &[5, 4, 3, 2, 1]);
    fill(2, &[3, 2, 1, 0, 1, 0]);
    // A mailbox is often full in normal use, and in a small queue one free element is much.
    fill(3, &[0, 0]);
    fill(4, &[2, 1]);
    fill(5, &[20, 19, 18]);
    let all = stream.findings().list;
    let texts: Vec<String> = all.iter().map(|f| format!("{} ×{}", f.headline(), f.count)).collect();
    assert_eq!(texts[0], "0x2: full, 4/4 ×2");
    assert_eq!(texts[1], "0x1: nearly full, 5/6 ×1");
    assert!(!all.iter().any(|f| f.key.is_some_and(|key| [3, 4, 5].contains(&key.key))), "{texts:?}");
}

#[test]
fn what_has_no_room_is_counted_once_a_record() {
    let mut stream = Stream::new();
    stream.record(&[post(1).with(F::FAILED), free(1, 2).with(F::FAILED)]);
    stream.record(&[Activity::new(V::FULL).obj(OBJECTS, 1)]);
    assert_eq!(stream.finds(Rule::Refused).count, 2);
}

#[test]
fn a_pool_that_leaks_gets_worse_at_its_best() {
    let pool = |leaks: bool| {
        let mut stream = Stream::new();
        for turn in 0..320_u64 {
            let lost = if leaks { turn / 32 } else { turn / 32 % 3 };
            stream.record(&[free(9, 40 - lost - turn % 4)]);
        }
        stream.find(Rule::Leak)
    };
    let found = pool(true).unwrap();
    assert_eq!(found.detail, "at best free 40, then free 31");
    assert_eq!(pool(false), None);
}

fn outcome(verb: V, signal: u64, state: u64) -> Activity {
    Activity::new(verb).sub(OBJECTS, 1).obj(STATES, state).item(SIGNALS, signal)
}

#[test]
fn an_event_is_ignored_in_every_state_in_which_it_comes() {
    let mut stream = Stream::new();
    for turn in 0..6 {
        stream.record(&[outcome(V::IGNORED, 5, turn % 2)]);
        stream.record(&[outcome(V::IGNORED, 6, turn % 2)]);
        stream.record(&[outcome(V::IGNORED, 7, 1)]);
    }
    stream.record(&[outcome(V::INTERNAL, 6, 3)]);
    let found = stream.finds(Rule::Ignored);
    assert_eq!((found.detail.as_str(), found.count), ("x 5 in 2 states", 6));
    assert_eq!(stream.rules().iter().filter(|rule| **rule == Rule::Ignored).count(), 1);
}

#[test]
fn an_event_that_no_state_takes_is_ignored_where_its_step_ends() {
    let steps = |then: V| {
        let mut stream = Stream::new();
        for turn in 0..6 {
            stream.record(&[outcome(V::DISPATCH, 5, turn % 2)]);
            stream.record(&[Activity::new(V::UNHANDLED).sub(OBJECTS, 1).item(SIGNALS, 5)]);
            stream.record(&[Activity::new(then).sub(OBJECTS, 1)]);
        }
        stream.find(Rule::Ignored).map(|found| found.count)
    };
    // A transition without a signal belongs to the step.
    assert_eq!((steps(V::DONE), steps(V::INTERNAL)), (Some(6), None));
}

fn timer(verb: V, period: u64) -> Activity {
    Activity::new(verb).sub(OBJECTS, 7).obj(OBJECTS, 1).item(SIGNALS, 5).val(10).second(period)
}

#[test]
fn a_timer_is_armed_twice_only_if_its_end_would_be_seen() {
    let arms = |between: &[V]| {
        let mut stream = Stream::new();
        stream.record(&[timer(V::ARM, 0)]);
        between.iter().for_each(|verb| stream.record(&[timer(*verb, 0)]));
        stream.record(&[timer(V::ARM, 0)]);
        stream.record(&[timer(V::ARM, 0)]);
        stream.find(Rule::ArmedTwice).map(|found| found.count)
    };
    assert_eq!([arms(&[V::FIRE]), arms(&[V::DISARM, V::ARM]), arms(&[])], [Some(1), Some(2), None]);
    let mut lossy = Stream::new();
    lossy.record(&[timer(V::FIRE, 0)]);
    lossy.record(&[timer(V::ARM, 0)]);
    lossy.note(RowKind::GAP);
    lossy.record(&[timer(V::ARM, 0)]);
    assert_eq!(lossy.find(Rule::ArmedTwice), None);
}

#[test]
fn a_periodic_event_has_to_be_taken_before_the_next_one() {
    let run = |late: bool| {
        let mut stream = Stream::new();
        stream.record(&[timer(V::ARM, 10)]);
        for turn in 0..6 {
            stream.after(10, &[timer(V::FIRE, 0)]);
            if turn != 3 || !late {
                stream.record(&[get(1)]);
            }
        }
        stream.find(Rule::Deadline)
    };
    let found = run(true).unwrap();
    assert_eq!((found.count, found.object.as_str()), (1, "0x7"));
    assert_eq!(run(false), None);
}

#[test]
fn transitions_without_a_tick_between_them_are_a_storm() {
    let tran = Activity::new(V::TRAN).sub(OBJECTS, 1).obj(STATES, 1).item(SIGNALS, 5).second_key(STATES, 2);
    let run = |each: u64| {
        let mut stream = Stream::new();
        for turn in 0..200_u64 {
            if turn.is_multiple_of(each) {
                stream.record(&[Activity::new(V::TICK)]);
            }
            stream.record(&[tran]);
        }
        stream.find(Rule::TransitionStorm)
    };
    let found = run(50).unwrap();
    assert_eq!((found.count, found.detail.as_str()), (3, "50 in a row"));
    assert_eq!(run(20), None);
    // With a known unit, no ticks are needed.
    let paced = |ticks: u64| {
        let mut stream = Stream::timed();
        (0..64).for_each(|_| stream.after(ticks, &[tran]));
        stream.find(Rule::TransitionStorm).is_some()
    };
    assert_eq!([paced(100), paced(1000)], [true, false]);
}

fn task(verb: V, task: u64, state: TaskState) -> Activity {
    Activity::new(verb).sub(TASKS, task).val(state.0)
}

#[test]
fn a_task_that_waits_for_a_core_is_starved_unless_it_is_idle() {
    let run = |mut stream: Stream, blocks: bool, ticks: u64| {
        stream.record(&[task(V::RUN, 3, TaskState::RUNNING)]);
        if blocks {
            stream.record(&[task(V::STATE, 3, TaskState::BLOCKED)]);
        }
        stream.record(&[task(V::STATE, 3, TaskState::READY)]);
        for turn in 0..300 {
            stream.after(ticks, &[task(V::RUN, 1 + turn % 2, TaskState::RUNNING)]);
        }
        stream.find(Rule::Starved)
    };
    let found = run(Stream::timed(), true, 1000).unwrap();
    assert_eq!((found.object.as_str(), found.evidence.len()), ("x 3", 1));
    assert!(found.detail.contains("while others got a core 300 times"), "{}", found.detail);
    assert_eq!(run(Stream::timed(), false, 1000), None);
    assert_eq!(run(Stream::timed(), true, 10), None);
    assert!(run(Stream::new(), true, 10).is_some());
}

/// Task 2 has an idle name.
struct Idle;

impl Lookup for Idle {
    fn get(&self, _row: u32, space: u16, key: u64, _scope: u64) -> Option<&[u8]> {
        (space == TASKS && key == 2).then_some(b"IDLE")
    }
}

#[test]
fn a_core_that_is_idle_starves_nobody() {
    let run = |stops: &dyn Fn(&mut Stream)| {
        let mut stream = Stream::timed();
        stream.record(&[task(V::RUN, 3, TaskState::RUNNING)]);
        stream.record(&[task(V::STATE, 3, TaskState::BLOCKED)]);
        stream.record(&[task(V::STATE, 3, TaskState::READY)]);
        stream.after(1000, &[task(V::RUN, 1, TaskState::RUNNING)]);
        stops(&mut stream);
        stream.after(400_000, &[task(V::RUN, 1, TaskState::RUNNING)]);
        let starved = |findings: Findings| findings.list.iter().any(|finding| finding.rule == Rule::Starved);
        (starved(stream.findings()), starved(stream.named(&Idle)))
    };
    assert_eq!(run(&|_| {}), (true, true));
    assert_eq!(run(&|stream| stream.record(&[Activity::new(V::IDLE)])), (false, false));
    // A task that never blocks counts as idle if its name says so.
    assert_eq!(run(&|stream| stream.record(&[task(V::RUN, 2, TaskState::RUNNING)])), (true, false));
}

#[test]
fn a_task_that_waits_for_locks_only_may_starve() {
    let mut stream = Stream::timed();
    stream.record(&[Activity::new(V::BLOCK).sub(TASKS, 3).obj(OBJECTS, 7)]);
    stream.record(&[task(V::RUN, 3, TaskState::RUNNING)]);
    for turn in 0..300 {
        stream.after(1000, &[task(V::RUN, 1 + turn % 2, TaskState::RUNNING)]);
    }
    assert_eq!(stream.find(Rule::Starved).map(|found| found.object), Some("x 3".to_owned()));
}

#[test]
fn where_blocking_is_not_recorded_nobody_is_starved() {
    let mut stream = Stream::timed();
    for turn in 0..50 {
        stream.after(10_000, &[task(V::RUN, turn % 5 / 4, TaskState::RUNNING)]);
    }
    assert_eq!(stream.find(Rule::Starved), None);
    assert!(stream.findings().scope().contains("waits for a core (needs"));
}

#[test]
fn an_interrupt_that_takes_half_of_the_core_is_a_storm() {
    let run = |inside: u64| {
        let mut stream = Stream::new();
        for _ in 0..200 {
            stream.after(100 - inside, &[Activity::new(V::ISR_IN).sub(ISRS, 4)]);
            stream.after(inside, &[Activity::new(V::ISR_OUT).sub(ISRS, 4)]);
        }
        stream.find(Rule::InterruptStorm)
    };
    assert_eq!(run(60).map(|found| (found.count, found.detail)), Some((3, "60 % of the core".to_owned())));
    assert_eq!(run(30), None);
}

#[test]
fn time_stamps_that_stand_still_jump_or_go_back() {
    let mut still = Stream::new();
    (0..3000).for_each(|_| still.after(0, &[]));
    assert_eq!(still.rules(), [Rule::TimeStands, Rule::Hidden]);
    assert_eq!(still.finds(Rule::TimeStands).detail, "3 000 records with the same time");

    let run = |loses: bool| {
        let mut jump = Stream::new();
        (0..400).for_each(|turn| jump.after(1 + turn % 7, &[]));
        if loses {
            jump.note(RowKind::GAP);
        }
        jump.after(1_000_000, &[]);
        (0..400).for_each(|turn| jump.after(1 + turn % 7, &[]));
        jump.find(Rule::TimeJump)
    };
    assert_eq!(
        run(false).map(|found| (found.detail, found.evidence[0].1.row)),
        Some(("by 1 000 000 ticks".into(), 400))
    );
    assert_eq!(run(true), None);

    let mut back = Stream::new();
    back.note(RowKind::TIME_BACK);
    back.record(&[]);
    assert_eq!(back.rules(), [Rule::TimeBack]);
    // A reset starts a new time.
    let mut reset = Stream::new();
    reset.note(RowKind::TIME_BACK);
    reset.epoch = 1;
    reset.record(&[Activity::new(V::RESET)]);
    assert_eq!(reset.rules(), []);
}

#[test]
fn a_pause_that_comes_again_is_no_jump() {
    let mut stream = Stream::new();
    for _ in 0..3 {
        (0..400).for_each(|_| stream.record(&[]));
        stream.after(1_000_000, &[]);
    }
    (0..400).for_each(|_| stream.record(&[]));
    assert_eq!(stream.find(Rule::TimeJump), None);
}

#[test]
fn resets_count_from_the_third_one_on_and_not_at_the_start() {
    let run = |resets: u32| {
        let mut stream = Stream::new();
        stream.epoch = 1;
        stream.record(&[Activity::new(V::RESET)]);
        for epoch in 0..resets {
            (0..10 + epoch).for_each(|_| stream.record(&[]));
            stream.epoch += 1;
            stream.record(&[Activity::new(V::RESET)]);
        }
        stream.find(Rule::Resets).map(|found| (found.count, found.evidence.len()))
    };
    assert_eq!((run(2), run(4)), (None, Some((4, 2))));
}

#[test]
fn a_failed_assertion_is_found() {
    let mut stream = Stream::new();
    stream.record(&[Activity::new(V::ASSERT)]);
    assert_eq!(stream.rules(), [Rule::Assertion]);
}

/// Names every object.
struct Named;

impl Lookup for Named {
    fn get(&self, _row: u32, space: u16, _key: u64, _scope: u64) -> Option<&[u8]> {
        (space == OBJECTS).then_some(b"door")
    }
}

#[test]
fn keys_without_names_are_found_by_space() {
    let mut stream = Stream::new();
    (0..5).for_each(|to| stream.record(&[post(0x1000 + to)]));
    let found = stream.finds(Rule::NoNames);
    assert_eq!((found.detail.as_str(), found.count), ("5 of 5 have no name", 5));
    assert!(stream.named(&Named).list.is_empty());
}

#[test]
fn records_that_never_came_are_found_by_what_belongs_to_them() {
    let mut stream = Stream::new();
    (0..70).for_each(|_| stream.record(&[post(1)]));
    assert!(stream.finds(Rule::Hidden).detail.starts_with("events are posted, but none is taken"));
    stream.record(&[get(1)]);
    assert_eq!(stream.find(Rule::Hidden), None);
}

#[test]
fn what_can_not_be_judged_is_said() {
    let mut stream = Stream::new();
    stream.record(&[post(1), free(1, 4)]);
    let scope = stream.findings().scope();
    assert!(
        scope.starts_with("looked at: full queues and pools, queues that never drain, leaks, time stamps\nnot judged: ignored events (needs"),
        "{scope}"
    );
}

#[test]
fn a_queue_whose_size_is_not_known_is_not_judged_to_be_full() {
    let mut stream = Stream::new();
    stream.record(&[post(1), Activity::new(V::LEVEL).obj(OBJECTS, 1).val(4)]);
    let scope = stream.findings().scope();
    assert!(scope.starts_with("looked at: queues that never drain, leaks, time stamps\nnot judged: full"), "{scope}");
}

/// Thousands of findings of one rule don't help: the most frequent ones are listed, with the number of the rest.
#[test]
fn of_very_many_findings_of_a_rule_the_first_ones_are_listed() {
    let mut stream = Stream::new();
    stream.record(&[post(9_000), free(9_000, 0)]);
    for machine in 0..3_000_u64 {
        for turn in 0..(if machine % 1_000 == 7 { 9 } else { 4 }) {
            stream.record(&[outcome(V::IGNORED, machine, turn % 2)]);
        }
    }
    let findings = stream.findings().list;
    let of = |rule| findings.iter().filter(move |finding| finding.rule == rule);
    assert_eq!((of(Rule::Full).count(), of(Rule::Ignored).count()), (1, 21));
    let counts: Vec<u64> = of(Rule::Ignored).map(|finding| finding.count).filter(|count| *count == 9).collect();
    assert_eq!(counts.len(), 3);
    let rest = of(Rule::Ignored).next_back().unwrap();
    assert_eq!((rest.more, rest.count, rest.evidence.len()), (2_980, 2_980 * 4, 0));
    assert_eq!(rest.headline(), "event ignored in every state, and 2 980 more of this rule");
    assert_ne!(rest.next(), Rule::Ignored.next());
    // The others have their own rows.
    assert!(of(Rule::Ignored).take(20).all(|finding| finding.more == 0 && !finding.evidence.is_empty()));
}

#[test]
fn noise_does_not_fill_the_memory() {
    let mut stream = Stream::new();
    for key in 0..100_000_u64 {
        stream.record(&[post(key), outcome(V::IGNORED, key, key), timer(V::ARM, 1).sub(OBJECTS, key)]);
    }
    assert!(stream.table.refused() > 0);
    assert!(stream.findings().list.len() < 100);
}
