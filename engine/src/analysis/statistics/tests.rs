//! Statistics of activities, without a decoder.

use spytui_plugin_api::{Activity, ActivityFlags as F, Info, Row, RowFlags, RowKind, TaskState, Verb as V};

use super::{
    Measure as M, Statistics, SubjectColumn, SubjectColumns,
    tally::{IDLE, number_of_key},
};
use crate::replay::{FedRow, Moment, Reader};

const OBJECTS: u16 = 20;
const SIGNALS: u16 = 21;

/// Time and activity of a row; `None` is a gap.
type Event = (u64, Option<Activity>);

fn statistics(events: &[Event]) -> Statistics {
    statistics_of(&Info::default(), events)
}

fn statistics_of(info: &Info, events: &[Event]) -> Statistics {
    let mut statistics = Statistics::new(info);
    for (n, (time, activity)) in events.iter().enumerate() {
        let flags = RowFlags::TIME_OWN | if n == 0 { RowFlags::EPOCH } else { RowFlags::empty() };
        let record = Row { kind: RowKind(1), time: *time, flags, len: 5, ..Row::default() };
        let row = if activity.is_some() { record } else { Row::gap(0) };
        let time = activity.map(|_| *time);
        let at = Moment { row: n as u64, n: n as u64 + 1, source: 0, time };
        statistics.row(&FedRow::new(&row, at, 0), activity.as_slice());
    }
    statistics
}

/// Values of each object, with the row of the greatest value.
fn found(statistics: &Statistics, measure: M) -> Vec<(u64, Vec<u64>, u64)> {
    let sums = statistics.tally.sums(measure).map(|(subject, sum)| {
        let values = sum.values.values().flat_map(|(value, n)| std::iter::repeat_n(value, n as usize));
        (subject.object.map_or(0, |key| key.key), values.collect(), sum.greatest.map_or(0, |most| most.at.row))
    });
    sums.collect()
}

fn of(verb: V, sub: u64) -> Activity {
    Activity::new(verb).sub(OBJECTS, sub).item(SIGNALS, 7)
}

fn post(to: u64) -> Activity {
    Activity::new(V::POST).obj(OBJECTS, to).item(SIGNALS, 7)
}

#[test]
fn who_waits_for_a_lock_is_blocked_and_nobody_is_ready_on_an_idle_core() {
    let waits = Activity::new(V::BLOCK).sub(OBJECTS, 1).obj(OBJECTS, 9);
    let idle = Activity::new(V::IDLE);
    let all = statistics(&[
        (10, Some(of(V::RUN, 1))),
        (15, Some(waits)),
        (16, Some(of(V::RUN, 2))),
        (30, Some(of(V::RUN, 1))),
        // When task 2 stopped being ready is unknown.
        (40, Some(idle)),
        (50, Some(of(V::RUN, 2))),
        (60, Some(idle)),
    ]);
    assert_eq!(found(&all, M::Blocked), [(1, vec![14], 3)]);
    assert_eq!(found(&all, M::Ready), []);
}

#[test]
fn time_in_a_state_is_not_counted_across_a_loss() {
    let rests = |state| Some(Activity::new(V::REST).sub(OBJECTS, 1).item(SIGNALS, state));
    // When the first state began, and the one behind the loss, is unknown.
    let before = [(10, rests(5)), (25, rests(6)), (30, rests(6)), (32, rests(5))];
    let all = statistics(&[&before[..], &[(40, None), (50, rests(6)), (60, rests(5))]].concat());
    let states: Vec<_> =
        all.tally.sums(M::State).map(|(subject, sum)| (subject.signal.unwrap().key, sum.total)).collect();
    assert_eq!((states, all.tally.counts(M::State).cut), (vec![(6, 7)], 1));
    let open: Vec<_> = all.open(M::State, SubjectColumns::usual(M::State)).collect();
    assert_eq!(open, []);
}

#[test]
fn values_of_any_sign_keep_their_order() {
    let value = |number: f64| Activity::new(V::VALUE).sub(OBJECTS, 1).val(number.to_bits()).with(F::FLOAT);
    let numbers = [3.5, -2.0, 0.0, f64::NAN, 1e9, -1e9];
    let events: Vec<Event> = (0..).zip(numbers).map(|(time, number)| (time, Some(value(number)))).collect();
    let all = statistics(&events);
    let (_, sum) = all.tally.sums(M::Value).next().unwrap();
    let known = [sum.least.unwrap().value, sum.values.percentile(50), sum.greatest.unwrap().value].map(number_of_key);
    assert_eq!((known, sum.values.count), ([-1e9, 0.0, 1e9], 5));
}

#[test]
fn an_event_is_followed_from_its_post_to_the_end_of_its_step() {
    let events = [
        (10, Some(post(2))),
        (14, Some(of(V::GET, 2).obj(OBJECTS, 2))),
        (15, Some(of(V::DISPATCH, 2))),
        (19, Some(of(V::TRAN, 2))),
    ];
    let all = statistics(&events);
    let values = [M::Wait, M::Latency, M::Step, M::Response].map(|measure| found(&all, measure));
    assert_eq!(values, [(4, 1), (5, 2), (4, 3), (9, 3)].map(|(value, row)| vec![(2, vec![value], row)]));
    // If taking is not recorded, an event is taken when dispatched.
    let without = statistics(&[events[0], events[2], events[3]]);
    assert_eq!(found(&without, M::Latency), [(2, vec![5], 1)]);
}

#[test]
fn nothing_is_measured_across_a_loss_or_without_a_time() {
    let lost = statistics(&[
        (10, Some(post(2))),
        (11, Some(of(V::DISPATCH, 3))),
        (12, Some(of(V::ISR_IN, 4))),
        (0, None),
        (14, Some(of(V::GET, 2).obj(OBJECTS, 2))),
        (15, Some(of(V::DISPATCH, 2))),
        (16, Some(of(V::TRAN, 3))),
        (17, Some(of(V::ISR_OUT, 4))),
        (18, Some(of(V::TRAN, 2))),
    ]);
    for measure in [M::Wait, M::Latency, M::Interrupt, M::Response] {
        assert_eq!((found(&lost, measure), lost.tally.counts(measure).cut), (vec![], 1), "{measure:?}");
    }
    // The step after the loss is complete.
    assert_eq!((found(&lost, M::Step), lost.tally.counts(M::Step).cut), (vec![(2, vec![3], 8)], 1));
    let mut untimed = Statistics::new(&Info::default());
    for (n, activity) in [of(V::ISR_IN, 4), of(V::ISR_OUT, 4)].into_iter().enumerate() {
        let row = Row { kind: RowKind(1), ..Row::default() };
        let at = Moment { row: n as u64, ..Moment::default() };
        untimed.row(&FedRow::new(&row, at, 0), &[activity]);
    }
    assert_eq!((found(&untimed, M::Interrupt), untimed.tally.counts(M::Interrupt).untimed), (vec![], 1));
}

#[test]
fn what_goes_on_has_lasted_so_long_unless_records_are_missing() {
    let ready = |task| Activity::new(V::STATE).sub(OBJECTS, task).val(TaskState::READY.0);
    let events = [
        (5, Some(of(V::ISR_IN, 9))),
        (10, Some(ready(1))),
        (12, Some(of(V::RUN, 1))),
        (20, Some(ready(2))),
        (30, Some(post(3))),
    ];
    let open = |events: &[Event], measure, by: &[SubjectColumn]| {
        let all = statistics(events);
        let open =
            all.open(measure, SubjectColumns::of(by)).map(|(of, open)| (of.object.unwrap().key, open.value, open.row));
        open.collect::<Vec<_>>()
    };
    assert_eq!(open(&events, M::Ready, &[SubjectColumn::Object]), [(2, 10, 3)]);
    // The kind is that of the record at the end; no handler was seen to end.
    assert_eq!(open(&events, M::Ready, &[SubjectColumn::Object, SubjectColumn::Kind]), []);
    assert_eq!(open(&events, M::Interrupt, &[SubjectColumn::Object]), []);
    assert_eq!(open(&[&events[..4], &[(0, None), events[4]]].concat(), M::Ready, &[SubjectColumn::Object]), []);
}

#[test]
fn a_core_does_one_thing_at_a_time() {
    let all = statistics(&[
        (0, Some(of(V::RUN, 1))),
        (10, Some(of(V::ISR_IN, 9))),
        (13, Some(of(V::ISR_OUT, 9))),
        (20, Some(Activity::new(V::IDLE))),
        (50, Some(of(V::RUN, 1))),
        (55, Some(of(V::RUN, 1))),
        (60, Some(of(V::RUN, 2))),
        (0, None),
        (70, Some(of(V::ISR_IN, 9))),
        (75, Some(of(V::ISR_OUT, 9))),
        (90, Some(of(V::RUN, 2))),
        (91, Some(of(V::RUN, 1))),
    ]);
    let mut cpu = found(&all, M::Cpu);
    cpu.sort();
    assert_eq!(cpu, [(IDLE.key, vec![30], 4), (1, vec![7, 10, 10], 1), (2, vec![1], 11), (9, vec![3, 5], 9)]);
    // After a loss, the state is unknown until reported.
    assert_eq!(all.cores().collect::<Vec<_>>(), [(0, 66, 25)]);
    // Switching it in again continues the run.
    assert_eq!(found(&all, M::Run), [(1, vec![10, 20], 3), (2, vec![1], 11)]);
}

#[test]
fn a_task_waits_for_the_processor_and_is_active_until_it_blocks() {
    let state = |state: TaskState| of(V::STATE, 1).val(state.0);
    let all = statistics(&[
        (0, Some(state(TaskState::BLOCKED))),
        (10, Some(state(TaskState::READY))),
        (14, Some(of(V::RUN, 1))),
        (20, Some(of(V::RUN, 2))),
        (30, Some(of(V::RUN, 1))),
        (35, Some(state(TaskState::BLOCKED))),
    ]);
    let of_first = |measure| found(&all, measure).into_iter().find(|found| found.0 == 1).unwrap().1;
    assert_eq!(
        [M::Blocked, M::Ready, M::Run, M::Activation].map(of_first),
        [vec![10], vec![4, 10], vec![5, 6], vec![25]]
    );
}

#[test]
fn the_outermost_section_counts_and_each_span() {
    let at = |verb| Activity::new(verb).sub(OBJECTS, 1);
    let all = statistics(&[
        (0, Some(at(V::CRIT_IN))),
        (2, Some(at(V::CRIT_IN))),
        (3, Some(at(V::CRIT_OUT))),
        (7, Some(at(V::CRIT_OUT))),
        (7, Some(at(V::CRIT_OUT))),
        (10, Some(at(V::BEGIN))),
        (12, Some(at(V::BEGIN))),
        (15, Some(at(V::END))),
        (20, Some(at(V::END))),
    ]);
    assert_eq!((found(&all, M::Critical), found(&all, M::Span)), (vec![(0, vec![7], 3)], vec![(1, vec![3, 10], 8)]));
}

#[test]
fn a_reported_low_water_mark_is_the_least_level() {
    let level = |free, low| Activity::new(V::LEVEL).obj(OBJECTS, 1).val(free).second(low).with(F::FREE);
    let all = statistics(&[(0, Some(level(7, 4))), (1, Some(level(5, 4))), (2, Some(level(6, 9).with(F::FAILED)))]);
    let (_, sum) = all.tally.sums(M::Free).next().unwrap();
    assert_eq!((sum.least.map(|least| (least.value, least.at.row)), sum.values.count), (Some((4, 0)), 3));
    // A full queue has no free elements.
    let full = statistics(&[(0, Some(level(7, 4))), (1, Some(Activity::new(V::FULL).obj(OBJECTS, 1)))]);
    assert_eq!(full.tally.sums(M::Free).next().unwrap().1.least.map(|least| (least.value, least.at.row)), Some((0, 1)));
}

#[test]
fn noise_takes_bounded_memory_and_little_time() {
    let mut statistics = Statistics::new(&Info::default());
    let verbs = [V::POST, V::DISPATCH, V::ISR_IN, V::BEGIN, V::TAKE, V::RUN, V::SEND, V::RECEIVE, V::LEVEL];
    for n in 0..300_000_u64 {
        let key = n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let verb = verbs[(key >> 60) as usize % verbs.len()];
        let activity =
            Activity { core: key as u16, ..of(verb, key >> 20).obj(OBJECTS, key >> 21).second(key >> 40).val(key) };
        let row = Row {
            kind: RowKind(key as u16 & 0x7FFF),
            time: n,
            obj: key,
            item: key,
            flags: RowFlags::TIME_OWN | RowFlags::HAS_OBJECT | RowFlags::HAS_ITEM,
            ..Row::default()
        };
        let at = Moment { row: n, n, source: 0, time: Some(n) };
        statistics.row(&FedRow::new(&row, at, 0), &[activity]);
    }
    assert!(super::Measure::all().map(|measure| statistics.tally.sums(measure).count()).sum::<usize>() < 10_000);
}
