//! Activities, names, fields and labels.

use crate::common::{CAPTURES, decode, file};
use spytui_decoder_harness::encode::tband::{Stream, signed};
use spytui_decoder_harness::{lines, name_of, names};
use spytui_plugin_api::{
    Activity, ActivityFlags as F, Field, NONE, Rendered, Verb as V,
    batch::{AttrId, DictOp},
    info::Class,
    render::{Tag, Want},
    row::{RowFlags, RowKind},
};

const ISRS: u16 = 16;
const MARKERS: u16 = 17;
const VALUES: u16 = 18;
const TASKS: u16 = 19;
const QUEUES: u16 = 20;
const TASK_MARKERS: u16 = 21;
const TASK_VALUES: u16 = 22;
const REASONS: u16 = 23;

/// Activities of all events after `before`.
fn activities(before: &[(u8, &[u64])], id: u8, numbers: &[u64]) -> Vec<Activity> {
    let mut stream = Stream::default();
    for (id, numbers) in before {
        stream.event(*id, 1, numbers, b"");
    }
    stream.event(id, 2, numbers, b"");
    let host = decode(&stream.bytes, &vec![], 4096);
    let last = host.run.rows.len() as u32 - 1;
    host.run.activities.iter().filter(|a| a.at == last).map(|a| Activity { at: 0, ..*a }).collect()
}

/// Activities without and with a running task, on core 2.
fn both(id: u8, numbers: &[u64]) -> [Vec<Activity>; 2] {
    let core: (u8, &[u64]) = (0, &[2]);
    [activities(&[core], id, numbers), activities(&[core, (0x54, &[7])], id, numbers)]
}

fn on_core(activity: Activity) -> Vec<Activity> {
    vec![Activity { core: 2, ..activity }]
}

#[test]
fn interrupts_markers_and_values() {
    for (id, activity) in [
        (0x04, Activity::new(V::ISR_IN).sub(ISRS, 9)),
        (0x05, Activity::new(V::ISR_OUT).sub(ISRS, 9)),
        (0x07, Activity::new(V::INSTANT).sub(MARKERS, 9)),
        (0x08, Activity::new(V::BEGIN).sub(MARKERS, 9)),
        (0x09, Activity::new(V::END).sub(MARKERS, 9)),
    ] {
        assert_eq!(both(id, &[9]), [on_core(activity), on_core(activity)]);
    }
    let value = Activity::new(V::VALUE).sub(VALUES, 9).val(-5i64 as u64).with(F::SIGNED);
    assert_eq!(both(0x0B, &[9, signed(-5)])[1], on_core(value));
}

#[test]
fn markers_of_the_task_that_runs() {
    for (id, activity) in [
        (0x7B, Activity::new(V::INSTANT).sub(TASK_MARKERS, 9)),
        (0x7C, Activity::new(V::BEGIN).sub(TASK_MARKERS, 9)),
        (0x7D, Activity::new(V::END).sub(TASK_MARKERS, 9)),
    ] {
        assert_eq!(both(id, &[9]), [on_core(activity), on_core(activity.obj(TASKS, 7))]);
    }
    let value = Activity::new(V::VALUE).sub(TASK_VALUES, 9).val(3).with(F::SIGNED);
    assert_eq!(both(0x7F, &[9, signed(3)]), [on_core(value), on_core(value.obj(TASKS, 7))]);
}

#[test]
fn tasks() {
    let state = |n: u64| Activity::new(V::STATE).sub(TASKS, 9).val(n);
    let alike = [
        (0x54, Activity::new(V::RUN).sub(TASKS, 9)),
        (0x55, state(2).with(F::UNLESS_RUNNING)),
        (0x56, state(2)),
        (0x57, state(2)),
        (0x5E, Activity::new(V::CREATE).sub(TASKS, 9)),
    ];
    for (id, activity) in alike {
        assert_eq!(both(id, &[9]), [on_core(activity), on_core(activity)]);
    }
    for (id, flags) in [(0x5B, F::empty()), (0x5C, F::FOR_NOW), (0x5D, F::empty())] {
        assert_eq!(both(id, &[9, 4])[1], on_core(Activity::new(V::PRIO).sub(TASKS, 9).val(4).with(flags)));
    }
    for (id, activity) in [(0x58, state(4)), (0x62, Activity::new(V::DELETE).sub(TASKS, 9))] {
        let activity = activity.with(F::WHEN_OUT);
        assert_eq!(both(id, &[9]), [on_core(activity), on_core(activity.obj(TASKS, 7))]);
    }
}

#[test]
fn what_a_task_waits_for() {
    let blocked = |reason: u64| Activity::new(V::STATE).val(3).item(REASONS, reason).with(F::WHEN_OUT | F::CURRENT);
    for (id, reason) in [(0x59, 1), (0x5A, 2)] {
        let activity = blocked(reason).second(11);
        assert_eq!(both(id, &[11]), [on_core(activity), on_core(activity.sub(TASKS, 7))]);
    }
    for (id, reason) in [(0x6F, 3), (0x6E, 4), (0x6D, 5)] {
        let activity = blocked(reason).obj(QUEUES, 9).second(11);
        assert_eq!(both(id, &[9, 11]), [on_core(activity), on_core(activity.sub(TASKS, 7))]);
    }
}

#[test]
fn queues() {
    let level = Activity::new(V::LEVEL).obj(QUEUES, 9).val(4);
    for id in [0x66, 0x68, 0x6A, 0x70] {
        let activity = level.with(F::CURRENT);
        assert_eq!(both(id, &[9, 4]), [on_core(activity), on_core(activity.sub(TASKS, 7))]);
    }
    for id in [0x67, 0x69, 0x6B] {
        assert_eq!(both(id, &[9, 4]), [on_core(level), on_core(level)]);
    }
    let cleared = Activity::new(V::CLEARED).obj(QUEUES, 9).with(F::CURRENT);
    assert_eq!(both(0x6C, &[9])[1], on_core(cleared.sub(TASKS, 7)));
    assert_eq!(both(0x63, &[9])[1], on_core(Activity::new(V::CREATE).obj(QUEUES, 9)));
}

#[test]
fn losses_and_bad_frames() {
    let lost = |n: u64, total: u64| on_core(Activity::new(V::LOST).val(n).second(total));
    assert_eq!(activities(&[(0, &[2])], 0x01, &[5]), lost(5, 5));
    assert_eq!(activities(&[(0, &[2]), (1, &[5])], 0x01, &[5]), []);
    assert_eq!(activities(&[(0, &[2]), (1, &[5])], 0x01, &[4]), []);
    let mut s = Stream::default();
    s.dropped(9, 5).dropped(2, 1).frame(&[0x0C]).raw(&[0, 0, 0]).event(0x07, 9, &[1], b"\xFF");
    let host = decode(&s.bytes, &vec![], 4096);
    let verbs: Vec<_> = host.run.activities.iter().map(|a| (a.at, a.verb, a.val)).collect();
    // Rows 0, 2, 3 are notes.
    let expected = [
        (1, V::LOST, 5),
        (4, V::RESET, 0),
        (4, V::LOST, 1),
        (5, V::INFO, 1),
        (6, V::INFO, 3),
        (7, V::INSTANT, 0),
        (7, V::INFO, 1),
    ];
    assert_eq!(verbs, expected);
    assert_eq!(host.run.rows[5].kind.0, RowKind::BAD_FRAME.0);
}

#[test]
fn a_task_is_unknown_after_time_went_back() {
    let mut s = Stream::default();
    s.run(9, 7).run(3, 8).core(3, 1).event(0x59, 4, &[1], b"").core(4, 0).event(0x59, 4, &[1], b"");
    s.core(1, 0).event(0x59, 4, &[1], b"");
    let host = decode(&s.bytes, &vec![], 4096);
    let delays = host.run.activities.iter().filter(|a| a.verb == V::STATE).map(|a| (a.sub_space, a.sub));
    assert_eq!(delays.collect::<Vec<_>>(), [(NONE, 0), (TASKS, 8), (NONE, 0)]);
}

#[test]
fn a_reset_found_late_undoes_nothing_of_its_epoch() {
    let mut s = Stream::default();
    s.dropped(5, 9).run(100, 7).run(10, 8).dropped(20, 2);
    let host = decode(&s.bytes, &vec![], 4096);
    let verbs: Vec<_> = host.run.activities.iter().map(|a| a.verb).collect();
    assert_eq!(verbs, [V::LOST, V::RUN, V::RUN, V::LOST]);
    let resets = host.run.rows.iter().filter(|r| r.kind == RowKind::RESET || r.has(RowFlags::EPOCH));
    assert_eq!(resets.map(|r| r.kind).collect::<Vec<_>>(), [RowKind::TIME_BACK]);
    let reported = "2 events dropped by the target (total 2, 9 before the reset)";
    assert!(lines(&host, &s.bytes).iter().any(|line| line.starts_with(reported)));
}

#[test]
fn every_event_that_is_no_name_means_something() {
    for (name, _) in CAPTURES {
        let bytes = file(&format!("{name}.bin"));
        let host = decode(&bytes, &vec![], 4096);
        for (i, row) in host.run.rows.iter().enumerate().filter(|(_, r)| r.is_record() && r.kind.0 > 1) {
            let named = row.has(spytui_plugin_api::RowFlags::NAMING) || row.kind.0 == 2;
            let activities = host.run.activities.iter().any(|a| a.at as usize == i);
            assert!(activities || named, "{name}: row {i}, {row:?}");
        }
    }
}

/// Dictionary events of the target: space, key, scope, attribute, number, text.
fn reported(stream: &Stream) -> Vec<(u16, u64, u64, AttrId, u64, String)> {
    let host = decode(&stream.bytes, &vec![], 4096);
    let of = |e: &spytui_plugin_api::DictEvent| {
        let text = String::from_utf8_lossy(e.text.of(&host.run.bytes)).into_owned();
        assert_eq!(e.op, DictOp::SET);
        (e.space, e.key, e.scope, e.attr, e.val, text)
    };
    host.run.dict.iter().filter(|e| (ISRS..REASONS).contains(&e.space)).map(of).collect()
}

#[test]
fn metadata_fills_the_dictionary() {
    let mut s = Stream::default();
    s.core(0, 1).meta(0x03, &[7], b"adc").meta(0x06, &[8], b"phase").meta(0x0A, &[9], b"").meta(0x5F, &[1], b"Mash");
    s.meta(0x60, &[3, 1], b"").meta(0x61, &[4], b"").meta(0x64, &[5], b"orders").meta(0x65, &[5, 1], b"");
    s.meta(0x65, &[6, 3], b"").meta(0x65, &[6, 4], b"").meta(0x65, &[6, 6], b"");
    let name = |space: u16, key: u64, scope: u64, text: &str| (space, key, scope, AttrId::NAME, 0, text.to_owned());
    let kind = |key: u64, class: Class, text: &str| (QUEUES, key, 0, AttrId::KIND, class.0.into(), text.to_owned());
    let expected = [
        name(ISRS, 7, 1, "adc"),
        name(MARKERS, 8, 0, "phase"),
        name(VALUES, 9, 0, ""),
        name(TASKS, 1, 0, "Mash"),
        (TASKS, 3, 0, AttrId::IDLE, 1, String::new()),
        (TASKS, 4, 0, AttrId::KIND, Class::TASK.0.into(), "Timer Service".to_owned()),
        name(QUEUES, 5, 0, "orders"),
        kind(5, Class::QUEUE, "Counting Semaphore"),
        kind(6, Class::LOCK, "Mutex"),
        kind(6, Class::LOCK, "Recursive Mutex"),
    ];
    assert_eq!(reported(&s), expected);
}

#[test]
fn names_of_a_task_are_given_to_the_one_that_runs() {
    let mut s = Stream::default();
    s.meta(0x7A, &[1, 0], b"nobody").run(1, 3).meta(0x7A, &[1, 0], b"mine").core(2, 1).meta(0x7E, &[2, 0], b"other");
    s.run(3, 4).meta(0x7E, &[2, 0], b"four").meta(0x7E, &[2, 9], b"nine").core(4, 0).meta(0x7A, &[1, 0], b"again");
    let name = |space: u16, key: u64, task: u64, text: &str| (space, key, task, AttrId::NAME, 0, text.to_owned());
    let parent = |space: u16, key: u64, task: u64| (space, key, task, AttrId::PARENT, task, String::new());
    let expected = [
        name(TASK_MARKERS, 1, 0, "nobody"),
        name(TASK_MARKERS, 1, 3, "mine"),
        parent(TASK_MARKERS, 1, 3),
        name(TASK_VALUES, 2, 0, "other"),
        name(TASK_VALUES, 2, 4, "four"),
        parent(TASK_VALUES, 2, 4),
        name(TASK_VALUES, 2, 9, "nine"),
        parent(TASK_VALUES, 2, 9),
        name(TASK_MARKERS, 1, 3, "again"),
        parent(TASK_MARKERS, 1, 3),
    ];
    assert_eq!(reported(&s), expected);
}

/// Name, value and text of a field.
type Shown = (String, Field, Vec<u8>);

/// Fields of the last row, and its payload: application bytes, or the frame.
fn fields(stream: &Stream, want: Want) -> (Vec<Shown>, Vec<u8>) {
    let host = decode(&stream.bytes, &vec![], 4096);
    let mut out = Rendered::default();
    let last = host.run.rows.len() - 1;
    host.run.render_one(&host.renderer, last, &stream.bytes, &names(&host), want, &mut out).unwrap();
    let field = |f: &Field| {
        let name = String::from_utf8(f.name.of(&out.blob).to_vec()).unwrap();
        (name, Field { name: Default::default(), text: Default::default(), ..*f }, f.text.of(&out.blob).to_vec())
    };
    (out.fields.iter().map(field).collect(), out.payload.to_vec())
}

#[test]
fn fields_are_called_as_the_wire_calls_them() {
    for (name, _) in CAPTURES {
        let bytes = file(&format!("{name}.bin"));
        let host = decode(&bytes, &vec![], 4096);
        host.render(&bytes, Want::FIELDS, |i, out| {
            let record = Some(host.run.rows[i].kind).filter(|kind| !kind.is_note());
            let Some(kind) = record.and_then(|kind| host.info.kind(kind)) else { return };
            let names: Vec<&[u8]> = out.fields.iter().map(|f| f.name.of(&out.blob)).collect();
            assert!(names.iter().eq(kind.fields.iter().map(|n| n.as_bytes()).collect::<Vec<_>>().iter()), "{name} {i}");
        })
        .unwrap();
    }
}

#[test]
fn fields_have_values_spaces_and_places() {
    let plain = Field { space: NONE, ..Field::default() };
    let mut s = Stream::default();
    s.core(0, 1).run(300, 7).event(0x7F, 300, &[2, signed(-300)], b"");
    let (got, _) = fields(&s, Want::FIELDS);
    let key = Field { num: 2, tag: Tag::KEY, space: TASK_VALUES, scope: 7, byte_off: 3, byte_len: 1, ..plain };
    let val = Field { num: -300i64 as u64, tag: Tag::SIGNED, byte_off: 4, byte_len: 2, ..plain };
    assert_eq!(got, [("valmarker_id".to_owned(), key, vec![]), ("val".to_owned(), val, vec![])]);
    s.event(0x04, 301, &[9], b"");
    assert_eq!((fields(&s, Want::FIELDS).0[0].1.space, fields(&s, Want::FIELDS).0[0].1.scope), (ISRS, 1));
    s.meta(0x65, &[3, 4], b"");
    let kind = fields(&s, Want::FIELDS).0[1].1;
    assert_eq!((kind.num, kind.tag, kind.space), (4, Tag::ENUM, 24));
}

#[test]
fn application_records_have_their_bytes() {
    let mut s = Stream::default();
    s.event(0x08, 1, &[0], b"a\0b");
    let (got, payload) = fields(&s, Want::FIELDS | Want::PAYLOAD);
    assert_eq!((got[1].0.as_str(), got[1].2.as_slice(), payload.as_slice()), ("msg", &b"a\0b"[..], &b"a\0b"[..]));
    s.event(0x0B, 1, &[0, signed(-2)], b"");
    assert_eq!(fields(&s, Want::PAYLOAD).1, (-2i64).to_le_bytes());
    s.event(0x04, 1, &[0], b"");
    assert_eq!(fields(&s, Want::PAYLOAD).1, b"");
}

#[test]
fn bad_frames_say_why() {
    let mut s = Stream::default();
    s.frame(&[0x0C, 5]);
    let (got, _) = fields(&s, Want::FIELDS);
    let texts: Vec<_> = got.iter().map(|(name, f, text)| (name.as_str(), f.num, text.as_slice())).collect();
    let expected: [(&str, u64, &[u8]); 3] =
        [("cause", 0, b"Invalid event id 0xC!"), ("frames", 1, b""), ("raw", 0, &[3, 0x0C, 5, 0])];
    assert_eq!(texts, expected);
    s.raw(&[0; 5]);
    assert_eq!(fields(&s, Want::FIELDS).0[1].1.num, 5);
}

/// Labels of all activities with `verb`, with the names at the end.
fn labels(bytes: &[u8], verb: V) -> Vec<String> {
    let host = decode(bytes, &vec![], 4096);
    host.run.activities.iter().filter(|a| a.verb == verb).map(|activity| name_of(&host, bytes, activity)).collect()
}

#[test]
fn slices_are_named_as_the_reference_converter_names_them() {
    let bytes = file("brew_stream.bin");
    let counted = |verb: V, text: &str| labels(&bytes, verb).iter().filter(|l| *l == text).count();
    assert!(labels(&bytes, V::RUN).iter().all(|l| l == "Running (core 0)"));
    assert_eq!(counted(V::STATE, "Blocked (Receive from Queue inputs set (#9))"), 16);
    assert_eq!(counted(V::STATE, "Blocked (Receive Queue mailbox (#3))"), 9);
    assert_eq!(counted(V::STATE, "Blocked (Delay until tick 15)"), 1);
    assert_eq!(counted(V::STATE, "Suspended (by Task Hops (#2))"), 8);
    assert_eq!(counted(V::DELETE, "Deleted (by Task Clean0 (#10))"), 1);
    assert_eq!(counted(V::INSTANT, "hops added"), 7);
    assert_eq!(counted(V::ISR_IN, "ISR SysTick (#15)"), 47);
    assert_eq!(counted(V::LEVEL, "Taken by Task Ferment (#3)"), 6);
    assert_eq!(counted(V::LEVEL, "Available"), 14 + 7);
}
