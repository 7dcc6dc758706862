//! Activities, answers and fields.

use crate::common::{Stream, decode, file};
use spytui_decoder_harness::lines;
use spytui_plugin_api::{
    Activity, ActivityFlags as F, Field, NONE, Rendered, RowKind, Verb as V,
    render::{FieldFlags, Tag, Want},
    row::RowFlags,
};
use spytui_plugin_host::kit::{Host, Names};

const OBJECTS: u16 = 16;
const FUNCTIONS: u16 = 17;
const SIGNALS: u16 = 18;
const TASKS: u16 = 20;
const ISRS: u16 = 21;
const POOLS: u16 = 22;

/// Activities of one record from a target with default sizes.
fn activities(id: u8, payload: &[u8]) -> Vec<Activity> {
    let mut stream = Stream::start();
    stream.add(id, payload);
    let host = decode(&stream.bytes, &vec![], 4096);
    let last = host.run.rows.len() as u32 - 1;
    host.run.activities.iter().filter(|a| a.at == last).map(|a| Activity { at: 0, ..*a }).collect()
}

const O1: [u8; 4] = [0x11, 0, 0, 0];
const O2: [u8; 4] = [0x22, 0, 0, 0];
const T: [u8; 4] = [1, 0, 0, 0];
const SIG: [u8; 2] = [5, 0];

fn bytes(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}

#[test]
fn state_machines() {
    let of = |verb: V| Activity::new(verb).sub(OBJECTS, 0x11);
    let handled = |verb: V| of(verb).obj(FUNCTIONS, 0x22).item(SIGNALS, 5);
    assert_eq!(activities(1, &bytes(&[&O1, &O2])), [of(V::ENTER).item(FUNCTIONS, 0x22)]);
    assert_eq!(activities(2, &bytes(&[&O1, &O2])), [of(V::EXIT).item(FUNCTIONS, 0x22)]);
    let init = of(V::INIT).obj(FUNCTIONS, 0x22).item(FUNCTIONS, 0x11);
    for id in [3, 55, 56, 57] {
        assert_eq!(activities(id, &bytes(&[&O1, &O2, &O1])), [init]);
    }
    let at_rest = [of(V::INIT).item(FUNCTIONS, 0x22), of(V::REST).item(FUNCTIONS, 0x22)];
    assert_eq!(activities(4, &bytes(&[&T, &O1, &O2])), at_rest);
    assert_eq!(activities(5, &bytes(&[&T, &SIG, &O1, &O2])), [handled(V::INTERNAL)]);
    assert_eq!(activities(6, &bytes(&[&T, &SIG, &O1, &O2, &O1])), [handled(V::TRAN).second_key(FUNCTIONS, 0x11)]);
    assert_eq!(activities(7, &bytes(&[&T, &SIG, &O1, &O2])), [handled(V::IGNORED)]);
    assert_eq!(activities(8, &bytes(&[&T, &SIG, &O1, &O2])), [handled(V::DISPATCH)]);
    assert_eq!(activities(9, &bytes(&[&SIG, &O1, &O2])), [handled(V::UNHANDLED)]);
}

#[test]
fn events_and_queues() {
    let level = |n: u64| Activity::new(V::LEVEL).obj(OBJECTS, 0x11).val(n).with(F::FREE);
    let post = Activity::new(V::POST).obj(OBJECTS, 0x11).item(SIGNALS, 5);
    let get = Activity::new(V::GET).sub(OBJECTS, 0x11).obj(OBJECTS, 0x11).item(SIGNALS, 5);
    let sent = bytes(&[&T, &O2, &SIG, &O1, &[0, 0, 3, 2]]);
    let put = bytes(&[&T, &SIG, &O1, &[0, 0, 3, 2]]);
    assert_eq!(activities(14, &sent), [post.sub(OBJECTS, 0x22), level(3).second(2)]);
    let failed = [post.sub(OBJECTS, 0x22).with(F::FAILED), level(3).second(2).with(F::FAILED)];
    assert_eq!(activities(45, &sent), failed);
    for id in [15, 20] {
        assert_eq!(activities(id, &put), [post.with(F::LIFO), level(3).second(2)]);
    }
    assert_eq!(activities(19, &put), [post, level(3).second(2)]);
    assert_eq!(activities(46, &put)[0], post.with(F::FAILED));
    for (first, last) in [(16, 17), (21, 22)] {
        assert_eq!(activities(first, &bytes(&[&T, &SIG, &O1, &[0, 0, 3]])), [get, level(3)]);
        assert_eq!(
            activities(last, &bytes(&[&T, &SIG, &O1, &[0, 0]])),
            [get, Activity::new(V::EMPTY).obj(OBJECTS, 0x11)]
        );
    }
    let defer = |verb: V| Activity::new(verb).sub(OBJECTS, 0x11).obj(OBJECTS, 0x22);
    assert_eq!(activities(10, &bytes(&[&T, &O1, &O2, &SIG, &[0, 0]])), [defer(V::DEFER).item(SIGNALS, 5)]);
    assert_eq!(activities(11, &bytes(&[&T, &O1, &O2, &SIG, &[0, 0]])), [defer(V::RECALL).item(SIGNALS, 5)]);
    assert_eq!(activities(18, &bytes(&[&T, &O1, &O2])), [defer(V::RECALL).with(F::FAILED)]);
    let subscribe = |verb: V| Activity::new(verb).sub(OBJECTS, 0x11).item(SIGNALS, 5);
    assert_eq!(activities(12, &bytes(&[&T, &SIG, &O1])), [subscribe(V::SUBSCRIBE)]);
    assert_eq!(activities(13, &bytes(&[&T, &SIG, &O1])), [subscribe(V::UNSUBSCRIBE)]);
}

#[test]
fn memory() {
    let of = |verb: V| Activity::new(verb).item(SIGNALS, 5);
    let pooled = |verb: V| of(verb).obj(POOLS, 2).val(3);
    let event = bytes(&[&T, &SIG, &[2, 3]]);
    let new = bytes(&[&T, &[40, 0], &SIG]);
    assert_eq!(activities(23, &new), [of(V::ALLOC).val(40).with(F::FAILED)]);
    assert_eq!(activities(28, &new), [of(V::ALLOC).val(40)]);
    assert_eq!(activities(27, &event), [pooled(V::REF)]);
    assert_eq!(activities(29, &event), [pooled(V::UNREF)]);
    assert_eq!(activities(38, &event), [pooled(V::UNREF)]);
    assert_eq!(activities(30, &event), [pooled(V::COLLECT)]);
    assert_eq!(activities(26, &bytes(&[&T, &O1, &SIG, &[2, 3]])), [of(V::PUBLISH).sub(OBJECTS, 0x11)]);
    let level = |n: u64| Activity::new(V::LEVEL).obj(OBJECTS, 0x11).val(n).with(F::FREE);
    assert_eq!(activities(24, &bytes(&[&T, &O1, &[7, 0, 5, 0]])), [level(7).second(5)]);
    assert_eq!(activities(25, &bytes(&[&T, &O1, &[7, 0]])), [level(7)]);
    assert_eq!(activities(47, &bytes(&[&T, &O1, &[7, 0, 5, 0]])), [level(7).second(5).with(F::FAILED)]);
}

#[test]
fn timers_interrupts_and_tasks() {
    let timer = |verb: V| Activity::new(verb).sub(OBJECTS, 0x11).obj(OBJECTS, 0x22);
    let armed = bytes(&[&T, &O1, &O2, &[9, 0, 0, 0], &[4, 0, 0, 0], &[0]]);
    assert_eq!(activities(32, &armed), [timer(V::ARM).val(9).second(4)]);
    assert_eq!(activities(36, &bytes(&[&armed, &[1]])), [timer(V::ARM).val(9).second(4)]);
    assert_eq!(activities(33, &bytes(&[&O1, &O2, &[0]])), [timer(V::DISARM)]);
    assert_eq!(activities(34, &bytes(&[&T, &O1, &O2, &[0]])), [timer(V::DISARM).with(F::FAILED)]);
    assert_eq!(activities(35, &armed), [timer(V::DISARM).val(9).second(4)]);
    assert_eq!(activities(37, &bytes(&[&T, &O1, &SIG, &O2, &[0]])), [timer(V::FIRE).item(SIGNALS, 5)]);
    assert_eq!(activities(31, &[9, 0, 0, 0, 1])[0].val, 9);
    let of_isr = |verb: V| Activity::new(verb).sub(ISRS, 7).val(1);
    assert_eq!(activities(41, &bytes(&[&T, &[1, 7]])), [of_isr(V::ISR_IN)]);
    assert_eq!(activities(42, &bytes(&[&T, &[1, 7]])), [of_isr(V::ISR_OUT)]);
    assert_eq!(activities(39, &bytes(&[&T, &[1]]))[0].verb, V::CRIT_IN);
    assert_eq!(activities(40, &bytes(&[&T, &[1]]))[0].verb, V::CRIT_OUT);
    for id in [48, 49, 52] {
        assert_eq!(activities(id, &bytes(&[&T, &[7, 3]])), [Activity::new(V::RUN).sub(TASKS, 7)]);
    }
    assert_eq!(activities(53, &bytes(&[&T, &[7]])), [Activity::new(V::IDLE)]);
    assert_eq!(activities(50, &bytes(&[&T, &[1, 7]])), [Activity::new(V::SCHED_LOCK).val(7)]);
    assert_eq!(activities(51, &bytes(&[&T, &[7, 1]])), [Activity::new(V::SCHED_UNLOCK).val(1)]);
}

#[test]
fn locks() {
    let payload = bytes(&[&T, &O1, &[3, 1]]);
    let of = |verb: V| Activity::new(verb).sub(TASKS, 3).obj(OBJECTS, 0x11).val(1);
    let table = [
        (71, of(V::TAKE)),
        (72, of(V::BLOCK)),
        (73, of(V::GIVE)),
        (74, of(V::BLOCK).with(F::FAILED)),
        (75, of(V::TAKE)),
        (77, of(V::GIVE)),
        (78, of(V::TAKE).with(F::FAILED)),
        (80, of(V::GIVE).with(F::FAILED)),
    ];
    for (id, activity) in table {
        assert_eq!(activities(id, &payload), [activity], "{id}");
    }
    // The waiting task comes second.
    assert_eq!(activities(76, &payload)[0].sub, 1);
    assert_eq!(activities(79, &payload)[0].flags, F::FAILED);
}

#[test]
fn the_rest() {
    assert_eq!(activities(69, &bytes(&[&T, &[9, 3], b"mod\0"])), [Activity::new(V::ASSERT).val(777)]);
    let state = Activity::new(V::REST).sub(OBJECTS, 0x11).item(FUNCTIONS, 0x22);
    assert_eq!(activities(67, &bytes(&[&T, &[0], &O1, &O2])), [state]);
    let pool = bytes(&[&T, &[2], &O1, &[7, 0, 5, 0]]);
    assert_eq!(activities(67, &pool)[0].flags, F::FREE);
    assert_eq!(activities(103, &bytes(&[&T, &[1, 9]])), [Activity::new(V::INSTANT).sub(1, 103)]);
    assert_eq!(activities(64, &crate::common::info(0xFF, 734, 4)), [Activity::new(V::RESET)]);
    for (id, payload) in
        [(64, crate::common::info(0, 734, 4)), (65, bytes(&[&T, &[1]])), (66, vec![1]), (54, b"\x01\x02a\0".to_vec())]
    {
        assert_eq!(activities(id, &payload), [], "{id}");
    }
}

#[test]
fn every_activity_of_the_captures_is_declared_and_every_record_has_one() {
    for name in ["oven-734", "oven-815", "oven-693-32bit", "every-record-734", "every-record-812"] {
        let host = decode(&file(&format!("{name}.bin")), &vec![], 4096);
        for (i, row) in host.run.rows.iter().enumerate() {
            let silent = !row.is_record() || row.flags.intersects(RowFlags::MALFORMED | RowFlags::NAMING);
            let meaningless = matches!(row.kind.0, 0 | 43 | 44 | 58 | 59 | 64..=68 | 70 | 82..=99);
            if !silent && !meaningless {
                assert!(host.run.activities.iter().any(|a| a.at as usize == i), "{name}: {row:?}");
            }
        }
    }
}

/// Fields of the last row of a stream.
fn fields(bytes: &[u8]) -> (Vec<(String, Field)>, Vec<u8>, Host) {
    let host = decode(bytes, &vec![], 4096);
    let mut out = Rendered::default();
    let names = Names::new(&host.info);
    let row = host.run.rows.len() - 1;
    host.run.render_one(&host.renderer, row, bytes, &names, Want::FIELDS, &mut out).unwrap();
    let mut frame = Vec::new();
    spytui_hdlc::unstuff(&host.run.raw(row, bytes), &mut frame);
    let name = |f: &Field| String::from_utf8(f.name.of(&out.blob).to_vec()).unwrap();
    let (seq, fields) = out.fields.split_first().unwrap();
    assert_eq!((name(seq).as_str(), seq.num, seq.byte_off), ("seq", frame[0].into(), 0));
    (fields.iter().map(|f| (name(f), *f)).collect(), frame, host)
}

#[test]
fn fields_have_names_spaces_and_places() {
    let mut stream = Stream::start();
    stream.add(6, &bytes(&[&T, &SIG, &[0x7E, 0, 0, 0], &O2, &O1]));
    let (fields, frame, host) = fields(&stream.bytes);
    let seen: Vec<_> = fields.iter().map(|(n, f)| (n.as_str(), f.space, f.num, f.byte_off, f.byte_len)).collect();
    assert_eq!(
        seen,
        [
            ("sig", SIGNALS, 5, 6, 2),
            ("obj", OBJECTS, 0x7E, 8, 4),
            ("source", FUNCTIONS, 0x22, 12, 4),
            ("target", FUNCTIONS, 0x11, 16, 4),
        ]
    );
    assert_eq!((fields[0].1.scope, fields[0].1.tag), (0x7E, Tag::KEY));
    assert_eq!(&frame[8..12], [0x7E, 0, 0, 0]);
    let names: Vec<&str> = host.info.kind(RowKind(6)).unwrap().fields.iter().map(|n| n.as_str()).collect();
    assert_eq!(names, ["sig", "obj", "source", "target"]);
}

/// Name, number and place of a record's fields; bytes have no number.
fn places(version: u16, id: u8, payload: &[u8]) -> (String, Vec<(String, u64, u32, u32)>) {
    let mut stream = Stream::of_version(version);
    stream.add(id, payload);
    let (fields, _, host) = fields(&stream.bytes);
    let places = fields.into_iter().map(|(name, f)| {
        let number = if f.tag == Tag::BYTES { 0 } else { f.num };
        (name, number, f.byte_off, f.byte_len)
    });
    (lines(&host, &stream.bytes)[2].clone(), places.collect())
}

fn place(name: &str, number: u64, at: u32, len: u32) -> (String, u64, u32, u32) {
    (name.to_owned(), number, at, len)
}

#[test]
fn a_query_of_any_kind_keeps_its_fields() {
    let (text, found) = places(734, 67, b"\x01\0\0\0\x07\x11\0\0\x0012345");
    assert_eq!(text, "kind 7 is not known, 14 B: 01 00 00 00 07 11 00 00 00 31 32 33 34 35");
    assert_eq!(found, [place("kind", 7, 6, 1), place("obj", 17, 7, 4), place("rest", 0, 11, 5)]);
    let (_, found) = places(734, 67, b"\x01\0\0\0\x05\x11\0\0\x0045");
    assert_eq!(found, [place("kind", 5, 6, 1), place("obj", 17, 7, 4), place("rest", 0, 11, 2)]);
    let (_, found) = places(812, 67, b"\x01\0\0\0\x09\x11");
    assert_eq!(found, [place("kind", 9, 6, 1), place("rest", 0, 7, 1)]);
    let (_, found) = places(734, 67, b"\x01\0\0\0\x05\x11\0");
    assert_eq!(found, [place("payload", 0, 2, 7)]);
}

#[test]
fn what_the_scheduler_resumes_are_fields() {
    let (text, found) = places(693, 54, &[100, 0, 0, 0, 3, 2]);
    assert_eq!((text.as_str(), found), ("2 → 3", vec![place("pri", 3, 6, 1), place("prev", 2, 7, 1)]));
}

#[test]
fn elements_are_fields_with_type_and_width() {
    let mut stream = Stream::start();
    stream.add(100, &bytes(&[&T, &[0x30, 0xFF], b"\x08hi\0", &[0x88, 0]]));
    let (fields, _, _) = fields(&stream.bytes);
    let (name, first) = &fields[0];
    assert_eq!(
        (name.as_str(), first.tag, first.num as i64, (first.element, first.width)),
        ("0", Tag::SIGNED, -1, (0, 3))
    );
    assert_eq!((first.flags, first.byte_off, first.byte_len), (FieldFlags::ELEMENT, 6, 2));
    assert_eq!((fields[1].0.as_str(), fields[1].1.tag, fields[1].1.element, fields[1].1.width), ("1", Tag::TEXT, 8, 0));
    assert_eq!((fields[2].1.tag, fields[2].1.element, fields[2].1.width), (Tag::TEXT, 8, 8));
    assert_eq!(fields[0].1.space, NONE);
}

#[test]
fn application_payload_is_what_follows_the_stamp() {
    let mut stream = Stream::start();
    stream.add(100, &bytes(&[&T, &[0x01, 7]]));
    let host = decode(&stream.bytes, &vec![], 4096);
    let mut out = Rendered::default();
    let names = Names::new(&host.info);
    host.run.render_one(&host.renderer, 2, &stream.bytes, &names, Want::PAYLOAD, &mut out).unwrap();
    assert_eq!(out.payload.to_vec(), [0x01, 7]);
    assert_eq!((host.run.rows[2].item, host.run.rows[2].flags & RowFlags::APPLICATION), (0, RowFlags::APPLICATION));
}
