//! The meaning of records: configuration, names, response times, activities, labels.

use crate::common::{FULL, Stream, decode, decoder, file, items, notes, rows, sealed, tcfg, text};
use spytui_decoder_harness::{Options, attachment_of, lines, name_of, same};
use spytui_plugin_api::{
    ActivityFlags, Verb,
    batch::{AttachmentId, AttrId},
    info::prop,
    row::RowKind,
};
use spytui_plugin_host::kit::{Host, Names};

const RT: AttachmentId = AttachmentId(66);

/// Response times of the gets, in order.
fn times(host: &Host) -> Vec<Option<u64>> {
    let gets = (0..host.run.rows.len()).filter(|i| host.run.rows[*i].kind.0 == 66);
    gets.map(|i| attachment_of(host, i, RT).map(|(a, _)| a)).collect()
}

#[test]
fn response_times_are_from_post_to_get() {
    let mut stream = Stream::start();
    stream.post(67, 1, 5, 1).post(67, 1, 6, 2).get(1, 5, 1).get(1, 6, 0);
    // An event posted in front is taken first.
    stream.post(67, 1, 5, 1).post(68, 1, 7, 2).get(1, 7, 1).get(1, 5, 0);
    // Each object separately.
    stream.post(67, 1, 5, 1).post(67, 2, 5, 1).get(2, 5, 0).get(1, 5, 0);
    let host = decode(&stream.bytes, &vec![], 4096);
    assert_eq!(times(&host), [20, 20, 10, 30, 10, 30].map(Some));
    assert!(lines(&host, &stream.bytes)[3].contains(" waited 20 left "));
}

#[test]
fn response_times_come_back_without_the_start_of_the_stream() {
    // In 2.4.6, the lengths are in records of queues, whose owners were reported before.
    let whole = file("gh246-default.bin");
    let frames: Vec<&[u8]> = whole.split_inclusive(|b| *b == 0x7E).collect();
    let late = frames[frames.len() * 15 / 100..].concat();
    let options: Options<'_> = vec![("version", b"2.4.6"), ("sender", b"1"), ("queue-lwm", b"1"), ("pool-lwm", b"1")];
    let (of_whole, of_late) = (times(&decode(&whole, &vec![], 4096)), times(&decode(&late, &options, 4096)));
    let same = of_late.iter().rev().zip(of_whole.iter().rev());
    assert!(same.clone().all(|(late, whole)| late.is_none() || late == whole));
    assert!(of_late.iter().flatten().count() * 10 > of_late.len() * 9, "{of_late:?}");
}

#[test]
fn what_the_reference_host_says_is_no_response_time() {
    let mut stream = Stream::start();
    stream.post(67, 1, 5, 1).get(1, 5, 0).get(1, 5, 0);
    let host = decode(&stream.bytes, &vec![("reference", b"trazer-3.2")], 4096);
    let asked = host.info.attachments.iter().filter(|e| !e.distribution.is_empty()).map(|e| e.id);
    assert_eq!(asked.collect::<Vec<_>>(), [RT], "not what the reference host says, which may be negative");
    assert_eq!(times(&host), [None, None]);
}

#[test]
fn response_times_know_wraps() {
    let mut stream = Stream::reported(&tcfg(0xAC, 0x3400, FULL, [2, 4, 1]));
    stream.time = 0xFFF8;
    stream.post(67, 1, 5, 1);
    stream.time = 4;
    stream.get(1, 5, 0);
    assert_eq!(times(&decode(&stream.bytes, &vec![], 4096)), [Some(12)]);
}

#[test]
fn no_response_time_is_better_than_a_wrong_one() {
    let mut stream = Stream::start();
    stream.post(67, 1, 5, 1).lose(2).get(1, 5, 1).post(67, 1, 5, 2).get(1, 5, 1).get(1, 5, 0);
    let host = decode(&stream.bytes, &vec![], 4096);
    assert_eq!(times(&host), [None, None, Some(20)]);
    // Nor from time stamps that were never sent.
    let mut bare = Stream::reported(&tcfg(0xAC, 0x3400, FULL & !(1 << 16), [4, 4, 1]));
    bare.post(67, 1, 5, 1).get(1, 5, 0);
    assert_eq!(times(&decode(&bare.bytes, &vec![], 4096)), [None]);
}

/// The reference host's response times, where correct, are equal: up to the first loss and without posts in front.
#[test]
fn response_times_are_those_of_the_reference_host() {
    let bytes = file("gh340-default.bin");
    let host = decode(&bytes, &vec![], 4096);
    let reference = String::from_utf8(file("gh340-default.txt")).unwrap();
    let theirs: Vec<i64> = reference
        .lines()
        .filter_map(|l| l.split("SMA | GET ").nth(1)?.split("rt=").nth(1)?.split(',').next()?.parse().ok())
        .collect();
    let ours = times(&host);
    assert_eq!(ours.len(), theirs.len());
    let alike = ours.iter().zip(&theirs).filter(|(ours, theirs)| ours.map(|o| o as i64) == Some(**theirs)).count();
    assert!(ours.iter().all(Option::is_some));
    assert!(alike * 10 > ours.len() * 8, "{alike} of {}", ours.len());
}

#[test]
fn the_target_reports_its_properties() {
    let stream = Stream::reported(&tcfg(0xAC, 0x3203, FULL, [2, 2, 4]));
    let host = decode(&stream.bytes, &vec![], 4096);
    let mut names = Names::new(&host.info);
    host.run.dict.iter().for_each(|e| names.apply(e, e.text.of(&host.run.bytes)));
    let value = |key: u64| host.run.dict.iter().rev().find(|e| e.space == 0 && e.key == key).map(|e| e.val);
    assert_eq!(value(prop::VERSION), Some(0x3203));
    assert_eq!((value(prop::OBJ_PTR), value(prop::SIGNAL), value(prop::STAMP)), (Some(2), Some(4), Some(2)));
    let clock = host.run.clocks.last().unwrap();
    assert_eq!((clock.num, clock.den), (1_000_000_000, 1000));
    let host = decode(&stream.bytes, &vec![("ticks-per-second", b"1000000")], 4096);
    assert_eq!(host.run.clocks.last().unwrap().den, 1_000_000);
}

#[test]
fn the_targets_word_counts_more_than_an_option() {
    let mut stream = Stream::start();
    stream.add(100, &[1, 0, 0, 0, 2, 0, 0, 0]);
    let opts: Options<'_> = vec![("pointer", b"2"), ("cfg", b"TRAZER_SIZEOF_SIG=2\nTRAZER_SIZEOF_NTIMER=2\n")];
    let notes = notes(&stream.bytes, &opts);
    let reported: Vec<&str> = notes.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(notes.len(), 2, "{reported:?}");
    assert!(notes.iter().all(|(kind, _)| *kind == RowKind::CONFLICT.0));
    assert!(reported[0].starts_with("option signal=2, but the target reports 1"), "{reported:?}");
    assert!(reported[1].starts_with("option pointer=2, but the target reports 4"), "{reported:?}");
}

#[test]
fn a_configuration_behind_records_is_learned() {
    let mut stream = Stream::of(FULL, 4);
    stream.add(160, &[]).tcfg(&tcfg(0xAC, 0x3400, FULL, [4, 4, 2])).add(160, &[]);
    let host = decode(&stream.bytes, &vec![], 4096);
    let at = host.run.rows.iter().position(|r| r.kind.0 == RowKind::CONFIG.0).unwrap();
    let learned = host.run.attachments_of(at).iter().find(|e| e.id == AttachmentId::OPTIONS).unwrap();
    assert_eq!(learned.bytes(&host.run.bytes), b"signal=2\nsender=1\nqueue-lwm=1\npool-lwm=1\n");
    // At the beginning, nothing learned affects earlier records.
    assert!(notes(&Stream::start().add(160, &[]).bytes, &vec![]).is_empty());
}

#[test]
fn function_pointers_show_their_size() {
    let mut stream = Stream::start();
    stream
        .add(169, &[1, 2])
        .add(112, &[0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 4])
        .add(168, b"\x01\x02\0\0run\0")
        .add(169, &[1, 2]);
    let rows = rows(&stream.bytes, &vec![]);
    let texts: Vec<&str> = rows[1..].iter().map(|(_, text)| text.as_str()).collect();
    let expected =
        ["function pointers have 2 bytes, as this record shows", "0x201", "Effect 0x403 in 0x2", "0x201 run", "run"];
    assert_eq!(texts, expected);
}

#[test]
fn an_announced_pointer_of_one_byte_is_sent_as_four() {
    let mut stream = Stream::reported(&tcfg(0xAC, 0x3400, FULL, [4, 1, 1]));
    stream.add(100, &[1, 0, 0, 0, 2, 0, 0, 0]);
    let host = decode(&stream.bytes, &vec![], 4096);
    let items = items(&host, &stream.bytes);
    assert_eq!((&items[0]["args"]["ptr"], &items[1]["args"]["st"]), (&1.into(), &2.into()));
}

#[test]
fn pointers_of_two_and_eight_bytes() {
    for bytes in [2u8, 8] {
        let mut stream = Stream::reported(&tcfg(0xAC, 0x3400, FULL, [4, bytes, 1]));
        let pointer = |first: u8| [vec![first], vec![0; usize::from(bytes) - 1]].concat();
        stream.add(100, &[pointer(1), pointer(2)].concat());
        let host = decode(&stream.bytes, &vec![], 4096);
        assert_eq!(items(&host, &stream.bytes)[1]["args"]["st"], 2, "{bytes}");
    }
}

#[test]
fn old_targets_report_their_configuration_in_old_layouts() {
    // 2.4.3 with number, 2-byte stamp and checksum: the header is the usual one.
    let record = [0xAD, 0, 1, 0, 0x03, 0x24, 0, 0x18, 0x12, 0x42, 0x11, 0x21, 0x11, 0x14];
    let mut stream = Stream::of(FULL, 2);
    stream.raw(&sealed(&record, true)).lose(1);
    // The id of TRN is one higher there, and a post has no sender.
    stream.add(99, &[1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]).add(67, &[1, 0, 0, 0, 5, 0, 0]);
    let host = decode(&stream.bytes, &vec![], 4096);
    let names: Vec<String> = items(&host, &stream.bytes).iter().map(|i| i["ev"].as_str().unwrap().to_owned()).collect();
    assert_eq!(names, ["FWK.TCFG", "SM.TRN", "SMA.FIFO"]);
    assert!(notes(&stream.bytes, &vec![]).is_empty());
}

#[test]
fn an_old_configuration_has_a_number_and_a_stamp() {
    let record = |seq: u8, stamp: u8| {
        sealed(&[0xAD, seq, stamp, 0, 0x03, 0x24, 0, 0x18, 0x12, 0x42, 0x11, 0x21, 0x11, 0x14], true)
    };
    let mut stream = Stream::of(FULL, 2);
    stream.raw(&record(0, 200)).lose(1);
    stream.time = 205;
    stream.add(106, &[1, 0, 0, 0]);
    // Records are lost, then the target restarts.
    stream.raw(&record(30, 210)).raw(&record(0, 5));
    let host = decode(&stream.bytes, &vec![], 4096);
    let items = items(&host, &stream.bytes);
    let numbers: Vec<Option<u64>> = items.iter().map(|i| i["nseq"].as_u64()).collect();
    assert_eq!(numbers, [Some(0), Some(1), Some(30), Some(0)]);
    assert_eq!(
        (items[0]["ts"].as_u64(), items[2]["ts"].as_u64(), items[3]["ts"].as_u64()),
        (Some(200), Some(210), Some(5))
    );
    let kinds: Vec<u16> = notes(&stream.bytes, &vec![]).iter().map(|n| n.0).collect();
    assert_eq!(kinds, [RowKind::GAP.0, RowKind::RESTART.0]);
}

#[test]
fn late_names_hold_for_all_rows_and_lose_their_ampersand() {
    let mut stream = Stream::start();
    stream.add(100, &[1, 0, 0, 0, 2, 0, 0, 0]);
    stream
        .add(174, b"\x01\0\0\0&cab\0")
        .add(175, b"\x01\0\0\0\x02\0\0\0Idle\0")
        .add(171, b"\x09NOTE\0")
        .add(201, &[1, 7]);
    let host = decode(&stream.bytes, &vec![], 4096);
    let name = |space: u16| host.run.dict.iter().find(|e| e.space == space && e.attr == AttrId::NAME);
    let text = |space: u16| name(space).map(|e| e.text.of(&host.run.bytes).to_vec());
    assert_eq!(text(16), Some(b"cab".to_vec()));
    assert_eq!((text(17), name(17).map(|e| (e.key, e.scope))), (Some(b"Idle".to_vec()), Some((2, 1))));
    assert_eq!(lines(&host, &stream.bytes)[5], "NOTE\t7", "all five bits count");
}

#[test]
fn names_come_from_another_stream() {
    let mut first = Stream::start();
    first.add(174, b"\x01\0\0\0cab\0").add(167, b"\x05eCALL\0");
    let mut stream = Stream::of(FULL, 4);
    stream.get(1, 5, 0);
    for (style, expected) in [("", "eCALL left 0 min 0"), ("trazer-3.2", "ao=cab, sig=eCALL")] {
        let mut opts: Options<'_> = vec![("symbols", &first.bytes), ("queue-lwm", b"1"), ("sender", b"1")];
        opts.extend((!style.is_empty()).then_some(("reference", style.as_bytes())));
        let text = text(&stream.bytes, &opts, 4096);
        let text = String::from_utf8_lossy(&text);
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn options_that_can_not_be_are_errors() {
    for (key, value, word) in [
        ("version", "1.0", "known are 2.3 to 3.4"),
        ("signal", "3", "signal=3: must be 1, 2 or 4"),
        ("cfg", "TRAZER_SIZEOF_SIG=1\nTRAZER_XYZ=1\n", "line 2: unknown key TRAZER_XYZ"),
        ("reference", "trazer-1.0", "trazer-3.2"),
    ] {
        let fault = Host::open(decoder(), &[(key, value.as_bytes())]).err().map(|f| f.to_string());
        assert!(fault.as_ref().is_some_and(|f| f.contains(word)), "{fault:?}");
    }
}

#[test]
fn an_option_given_singly_wins_over_the_file() {
    let mut stream = Stream::of(FULL, 4);
    stream.add(167, b"\x05\0a\0");
    let opts: Options<'_> = vec![("cfg", b"#define RKH_CFG_FWK_SIZEOF_EVT 32u\n"), ("signal", b"2")];
    assert_eq!(rows(&stream.bytes, &opts)[0].1, "5 a");
}

#[test]
fn a_stream_that_does_not_fit_asks_for_its_configuration() {
    let mut stream = Stream::of(FULL, 2);
    for _ in 0..40 {
        stream.add(100, &[1, 0, 0, 0, 2, 0, 0, 0]);
    }
    let notes = notes(&stream.bytes, &vec![]);
    let hints: Vec<&String> = notes.iter().filter(|(kind, _)| *kind == RowKind::HINT.0).map(|(_, text)| text).collect();
    assert_eq!(hints.len(), 1, "{notes:?}");
    assert!(hints[0].contains("-o cfg=FILE"));
}

#[test]
fn records_are_activities() {
    let bytes = file("gh340-default.bin");
    let host = decode(&bytes, &vec![], 4096);
    let verbs_of = |kind: u16| -> Vec<Verb> {
        let row = host.run.rows.iter().position(|r| r.kind.0 == kind).unwrap() as u32;
        host.run.activities.iter().filter(|a| a.at == row).map(|a| a.verb).collect()
    };
    for (kind, verbs) in [
        (1, vec![Verb::LEVEL]),
        (32, vec![Verb::CLEARED]),
        (38, vec![Verb::EMPTY]),
        (64, vec![Verb::CREATE]),
        (66, vec![Verb::GET, Verb::LEVEL]),
        (67, vec![Verb::POST, Verb::LEVEL]),
        (69, vec![Verb::PRIO]),
        (71, vec![Verb::DEFER]),
        (96, vec![Verb::INIT]),
        (98, vec![Verb::TRAN]),
        (99, vec![Verb::REST]),
        (100, vec![Verb::ENTER]),
        (101, vec![Verb::EXIT]),
        (105, vec![Verb::DONE]),
        (112, vec![Verb::ACTION]),
        (113, vec![Verb::DISPATCH]),
        (129, vec![Verb::ARM]),
        (131, vec![Verb::FIRE]),
        (160, vec![Verb::INFO]),
        (163, vec![Verb::ALLOC, Verb::LEVEL]),
        (164, vec![Verb::UNREF]),
        (165, vec![Verb::COLLECT, Verb::LEVEL]),
        (170, vec![Verb::SEND]),
        (192, vec![Verb::INSTANT]),
        (166, vec![]),
        (172, vec![Verb::RESET]),
    ] {
        assert_eq!(verbs_of(kind), verbs, "{kind}");
    }
}

#[test]
fn slices_are_named_by_their_signal() {
    let bytes = file("gh340-default.bin");
    let host = decode(&bytes, &vec![], 4096);
    let activity = host.run.activities.iter().find(|a| a.verb == Verb::DISPATCH).unwrap();
    assert_eq!(name_of(&host, &bytes, activity), "sPOWER");
}

#[test]
fn items_are_shown_as_the_reference_host_would_if_it_read_them() {
    let mut stream = Stream::reported(&tcfg(0xAC, 0x3400, FULL & !(1 << 15 | 1 << 16), [4, 4, 1]));
    let items =
        b"\x50\xFE\x61\x07\x86\x01\0\0\0\x07a\x08\x0B\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0A\x0B\x08\0\x0B\x05";
    let items = [&items[..9], b"\x07ab\0", &items[11..]].concat();
    stream.add(200, &items);
    let pad = "                                  | ";
    let gap = " ".repeat(50);
    let expected = format!(
        " USR | USR#8      : User trace information\n{pad}-0002\n{pad}000007\n{pad}0x00000001\n{pad}ab\n\
        {pad}[ 01 02 03 04 05 06 07 08 09 0A {gap}0B ]\n{pad}[ ]\n{pad}event=0X5\n"
    );
    let text = text(&stream.bytes, &vec![("reference", b"trazer-3.2")], 4096);
    let start = text.windows(5).position(|w| w == b" USR ").unwrap();
    same("items", &text[start..], expected.as_bytes());
}

/// Of two active objects, the one with the lower number runs first.
#[test]
fn the_lower_priority_runs_first() {
    let host = decode(&file("gh340-default.bin"), &vec![], 4096);
    let mut priorities = host.run.activities.iter().filter(|activity| activity.verb == Verb::PRIO).peekable();
    assert!(priorities.peek().is_some());
    assert!(priorities.all(|activity| activity.flags.contains(ActivityFlags::LOWER_FIRST)));
}
