//! Native rows and text.

use crate::common::{Stream, decode, file, info, rows};
use spytui_decoder_harness::{Options, lines};
use spytui_plugin_api::{
    Source,
    batch::AttachmentId,
    row::{RowFlags, RowKind, Severity},
};
use spytui_plugin_host::kit::opt_vals;

const POINTERS_OF_8: fn() -> Options<'static> = || vec![("obj-ptr", b"8"), ("fun-ptr", b"8")];

/// Texts of rows `range` in the capture without target info.
fn drops(range: std::ops::Range<usize>) -> Vec<String> {
    let bytes = file("oven-734-drops.bin");
    lines(&decode(&bytes, &POINTERS_OF_8(), 4096), &bytes)[range].to_vec()
}

#[test]
fn texts_are_the_what_of_their_rows() {
    let bytes = file("oven-734.bin");
    let host = decode(&bytes, &vec![], 4096);
    let texts = lines(&host, &bytes);
    let of = |row: usize| texts[row].as_str();
    let at = |pos: u64| host.run.rows.iter().position(|r| r.pos == pos).unwrap();
    assert_eq!(of(at(1994)), "TE0-Post\tPOLL_SIG → AO(l_super)");
    assert_eq!(of(at(2021)), "POLL_SIG ← l_clock  free 10 min 10  pool 0 refs 128");
    assert_eq!(of(at(2051)), "POLL_SIG waited 326  queue empty  pool 0 refs 128");
    assert_eq!(of(at(2071)), "POLL_SIG in Super_active");
    assert_eq!(of(at(2117)), "sig 18 44 B");
    assert_eq!(of(at(2129)), "sig 18  free 3 min 3  pool 2 refs 1");
    assert_eq!(of(at(2216)), "sig 18 pool 2 refs 1");
    assert_eq!(of(at(1824)), "TE0-Arm\tAO(l_super) in 4 every 4");
}

#[test]
fn a_loss_says_how_much_and_when() {
    assert_eq!(
        drops(419..422),
        [
            "MOVE_SIG  0x408B7A → 0x408A94",
            "≥9 records lost, seq 209-217 · 200 018 ticks · ring or line",
            "sig 18  free 2 min 0  pool 0 refs 0",
        ]
    );
    assert_eq!(
        drops(474..476),
        [
            "damaged frame, wrong checksum · 15 B",
            "≥7 records lost, seq 15-21, one frame damaged · 8 ticks · ring or line",
        ]
    );
    assert_eq!(drops(0..1), ["stream begins in the middle of a frame · 2 B"]);
}

#[test]
fn damaged_captures_count_what_the_reference_counts() {
    let of = |name: &str, opts: Options<'_>| {
        let host = decode(&file(name), &opts, 4096);
        let counters = host.run.counters();
        (counters.records, counters.lost, counters.gaps, counters.bad_checksum)
    };
    assert_eq!(of("oven-734-flips.bin", vec![]), (2329, 31, 31, 33));
    // The reference counts an empty frame as damaged and, right after the start, not at all.
    assert_eq!(of("oven-734-drops.bin", POINTERS_OF_8()), (2257, 58, 14, 7));
    assert_eq!(of("oven-734.bin", vec![]), (2360, 0, 0, 0));
    assert_eq!(decode(&file("oven-734-drops.bin"), &POINTERS_OF_8(), 4096).run.counters().unknown, 0);
}

#[test]
fn a_reset_begins_an_epoch_and_time_anew() {
    let mut stream = Stream::start();
    stream.stamp(1000).stamp(2000);
    stream.seq = 1;
    stream.add(0, &[]).add(64, &info(0xFF, 734, 4)).stamp(5);
    let rows = rows(&stream.bytes, &vec![]);
    let epochs: Vec<usize> = (0..rows.len()).filter(|i| rows[*i].0.flags.intersects(RowFlags::EPOCH)).collect();
    assert_eq!(epochs, [1, 6]);
    assert_eq!((rows[4].0.kind.0, rows[4].0.is_record()), (RowKind::RESTART.0, false));
    assert_eq!((rows[7].0.time, rows[7].0.has(RowFlags::TIME_OWN)), (5, true));
    let (text, sizes) = rows[6].1.split_once(", timestamp").unwrap();
    assert_eq!(text, "Trg-RST\tQP 7.3.4 build 261120_143009");
    let pointers = "4 obj-ptr 4 fun-ptr 4 signal 2 event-size 2";
    let counters = "queue-ctr 1 pool-ctr 2 pool-blk 2 time-evt-ctr 4 objects 32 pools 3 rates 2";
    assert_eq!(sizes, format!(" {pointers} {counters}"));
}

#[test]
fn a_reset_whose_first_frame_is_lost_is_no_gap() {
    let mut stream = Stream::start();
    stream.stamp(1000);
    stream.seq = 2;
    stream.add(64, &info(0xFF, 734, 4)).stamp(5);
    let kinds: Vec<u16> = rows(&stream.bytes, &vec![]).iter().map(|r| r.0.kind.0).collect();
    assert_eq!(kinds, [0, 64, 39, 64, 39]);
}

#[test]
fn stamps_are_extended() {
    let mut stream = Stream::start();
    stream.stamp(0xFFFF_FFF0).stamp(0x10).stamp(0xFFFF_FFF8);
    let rows = rows(&stream.bytes, &vec![]);
    let times: Vec<u64> = rows[2..].iter().filter(|r| r.0.is_record()).map(|r| r.0.time).collect();
    assert_eq!(times, [0xFFFF_FFF0, 0x1_0000_0010, 0xFFFF_FFF8]);
}

#[test]
fn a_smaller_stamp_of_two_bytes_is_a_wrap() {
    let rows = rows(&file("small/time-back-2byte.bin"), &vec![]);
    let times: Vec<u64> = rows[1..].iter().map(|r| r.0.time).collect();
    assert_eq!(times, [0, 60_000, 120_000, 180_000, 240_000, 300_000]);
    assert!(rows.iter().all(|r| r.0.is_record()));
}

/// Four-byte time stamps from a two-byte counter that wraps, or that software extends.
#[test]
fn a_counter_shorter_than_its_stamps_goes_on() {
    let stamp = |n: u32| 65_000 + n * 300;
    let found = |wire: &dyn Fn(u32) -> u32, options: &Options<'_>| {
        let mut stream = Stream::start();
        (0..700).for_each(|n| _ = stream.stamp(wire(n)));
        let rows = rows(&stream.bytes, options);
        let times: Vec<u64> = rows[2..].iter().filter(|r| r.0.is_record()).map(|r| r.0.time).collect();
        assert_eq!(times, (0..700).map(|n| stamp(n).into()).collect::<Vec<u64>>());
        rows[2..].iter().filter(|r| !r.0.is_record()).map(|r| r.1.clone()).collect::<Vec<String>>()
    };
    let wraps = |n| stamp(n) % 0x1_0000;
    let guess = "counter wrapped close to 2^16; time continues: a guess, -o counter-bits=16 confirms it, \
                 counter-bits=64 denies it";
    assert_eq!(found(&wraps, &vec![]), [guess]);
    assert_eq!(found(&wraps, &vec![("counter-bits", b"16")]), ["16-bit counter wrapped; time continues"]);
    let text = "time stamp 66 064 lacks 2^16, read before the carry of its counter: corrected; \
                -o counter-bits=16 reads the counter alone";
    assert_eq!(found(&|n| stamp(n) - if n == 222 { 0x1_0000 } else { 0 }, &vec![]), [text]);
}

#[test]
fn time_that_goes_back_is_a_note() {
    let mut stream = Stream::start();
    stream.stamp(1000).stamp(900).stamp(950);
    let rows = rows(&stream.bytes, &vec![]);
    let found: Vec<(u16, &str)> = rows[2..].iter().map(|r| (r.0.kind.0, r.1.as_str())).collect();
    let back = (RowKind::TIME_BACK.0, "time went back from tick 1 000 to 900");
    assert_eq!(found, [(39, "nest 1"), back, (39, "nest 1"), (39, "nest 1")]);
}

#[test]
fn unknown_records_are_shown() {
    let mut stream = Stream::start();
    stream.add(90, &[1, 2]).add(43, &[]);
    let rows = rows(&stream.bytes, &vec![]);
    assert_eq!(rows[2].1, "record 90 is not known, 2 B: 01 02");
    assert_eq!(rows[3].1, "record 43 is not known, 0 B");
}

#[test]
fn a_payload_of_the_wrong_length_is_a_record_that_says_so() {
    let mut stream = Stream::start();
    stream.add(1, &[0; 9]);
    let (row, text) = rows(&stream.bytes, &vec![])[2].clone();
    assert!(row.is_record() && row.has(RowFlags::MALFORMED));
    assert_eq!(text, "payload does not fit, 8 B needed: 9 B: 00 00 00 00 00 00 00 00 00");
}

#[test]
fn records_longer_than_the_reference_buffer_are_fine() {
    let mut stream = Stream::start();
    let text = [b"\x01\0\0\0\x08".as_slice(), &[b'x'; 2000], b"\0"].concat();
    stream.add(100, &text).stamp(2);
    let rows = rows(&stream.bytes, &vec![]);
    assert_eq!(rows[2].1, format!("USER+0\t{}", "x".repeat(2000)));
    assert_eq!(rows.len(), 4);
}

#[test]
fn old_targets_have_other_records() {
    let texts = |version: u16, id: u8, payload: &[u8]| {
        let mut stream = Stream::of_version(version);
        stream.add(id, payload);
        rows(&stream.bytes, &vec![])[2].1.clone()
    };
    assert_eq!(texts(650, 71, &[1, 0, 0, 0, 0x01, 7]), "USER+1\t7");
    assert_eq!(texts(734, 71, &[1, 0, 0, 0, 9, 0, 0, 0, 3, 4]), "thr 3 cnt 4");
    assert_eq!(texts(711, 48, &[1, 0, 0, 0, 3, 4]), "Mtx-Lock\tpro 3 ceil 4");
    assert_eq!(texts(712, 48, &[1, 0, 0, 0, 3, 4]), "4 → 3");
    assert_eq!(texts(610, 11, &[1, 0, 0, 0, 9, 0, 0, 0, 3]), "AO-Remov\tpri 3");
    assert_eq!(texts(610, 18, &[9, 0, 0, 0, 3]), "EQ-Init\tlen 3");
    assert_eq!(texts(575, 66, &[1, 0, 0, 0, 3]), "Trg-Ack\tQS_RX_TICK");
    assert_eq!(texts(734, 66, &[0xC2]), "Trg-ERR\tsequence jumped, frame executed");
    assert_eq!(texts(719, 100, &[1, 0, 0, 0, 0x90, 0xFE]), "USER+0\t-2", "no enumerations yet");
    assert_eq!(texts(720, 100, &[1, 0, 0, 0, 0x90, 0xFE]), "USER+0\t254");
    assert_eq!(texts(719, 54, &[1, 0, 0, 0, 3, 2]), "2 → 3");
    assert_eq!(
        texts(734, 36, &[1, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 2, 1]),
        "TE2-Rarm\t0x5 in 9 was 1"
    );
}

#[test]
fn the_new_target_info_is_read() {
    let mut stream = Stream::empty();
    let number = !(2_601_010_812u32);
    let mut payload = vec![0b0100_0110];
    payload.extend(number.to_le_bytes());
    payload.extend(&info(0, 0, 8)[3..]);
    stream.add(0, &[]).add(64, &payload);
    let rows = rows(&stream.bytes, &vec![]);
    assert!(rows[1].1.starts_with("Trg-RST\tQP 8.1.2 build 261120_143009 framework 260101, timestamp 4 obj-ptr 8"));
    assert_eq!(rows[1].0.flags & RowFlags::EPOCH, RowFlags::EPOCH);
}

#[test]
fn what_contradicts_options_is_said() {
    let stream = Stream::start();
    let notes = crate::common::notes(&stream.bytes, &vec![("obj-ptr", b"8"), ("version", b"8.1")]);
    let said = "option obj-ptr=8, but the target reports 4, which is used: drop the option";
    assert_eq!(notes[0], (RowKind::CONFLICT.0, said.to_owned()));
    let said = "option version=8.1.0, but the target is QP 7.3.4, which is used: drop the option";
    assert_eq!(notes[1], (RowKind::CONFLICT.0, said.to_owned()));
    assert_eq!(crate::common::notes(&stream.bytes, &vec![("obj-ptr", b"4"), ("version", b"7.3")]), []);
}

#[test]
fn a_version_that_is_not_known_is_said() {
    let stream = Stream::of_version(901);
    let said = "the target is QP 9.0.1; known are 5.0 to 8.1: read as 8.1.9, records may be misread; update spytui";
    assert_eq!(crate::common::notes(&stream.bytes, &vec![]), [(RowKind::CONFLICT.0, said.to_owned())]);
}

#[test]
fn sizes_that_cannot_be_are_refused() {
    let mut stream = Stream::empty();
    let mut payload = info(0xFF, 734, 4);
    payload[7] = 3;
    stream.add(0, &[]).add(64, &payload).stamp(7);
    let rows = rows(&stream.bytes, &vec![]);
    assert_eq!(rows[2].1, "the target reports timestamp 3, which is not possible: 4 is kept; check the link");
    assert_eq!(rows[3].0.time, 7);
}

#[test]
fn a_target_without_pools_has_no_sizes_for_them() {
    let mut payload = info(0xFF, 734, 4);
    payload[5] = 0;
    let mut stream = Stream::empty();
    stream.add(0, &[]).raw(b"booting ...\r\n").add(64, &payload).add(25, &[7, 0, 0, 0, 1, 0, 0, 0, 2, 0]);
    let rows = rows(&stream.bytes, &vec![]);
    assert_eq!(rows.iter().map(|r| r.0.kind.0).collect::<Vec<_>>(), [0, RowKind::CONSOLE.0, 64, 25]);
    assert_eq!(rows[3].1, "free 2");
}

#[test]
fn what_an_info_teaches_is_handed_back_as_options() {
    let mut stream = Stream::empty();
    stream.seq = 77;
    stream.add(1, &[0; 16]).add(64, &info(0, 734, 8));
    let host = decode(&stream.bytes, &vec![], 4096);
    let row = host.run.rows.iter().position(|r| r.kind.0 == RowKind::CONFIG.0).unwrap();
    let options = host.run.attachments_of(row).iter().find(|e| e.id == AttachmentId::OPTIONS).unwrap();
    assert_eq!(options.bytes(&host.run.bytes), b"obj-ptr=8\nfun-ptr=8\n");
    let again = decode(&stream.bytes, &vec![("obj-ptr", b"8"), ("fun-ptr", b"8")], 4096);
    assert!(again.run.rows.iter().all(|r| r.kind.0 != RowKind::CONFIG.0 && !r.flags.intersects(RowFlags::MALFORMED)));
}

#[test]
fn names_come_from_a_dictionary_file() {
    let dic = file("oven-734-small-assert.dic");
    let bytes = file("oven-734-small-assert-nodic.bin");
    let host = decode(&bytes, &vec![("dic", &dic)], 4096);
    let texts = lines(&host, &bytes);
    assert!(texts.iter().any(|t| t == "TE0-Arm\tAO(l_super) in 4 every 4"));
    assert!(texts.iter().all(|t| !t.contains("sig 15")));
}

#[test]
fn a_dictionary_file_of_another_build_is_refused_with_both_stamps() {
    let dic = |stamp: &str| {
        format!(
            "{stamp}\nObj-Dic:\n4\n0x00000007 backlog\n***\nUsr-Dic:\n1\n0x00000064 TELEM\n***\n\
            Sig-Dic:\n4\n00000008 0x00000000 GO_SIG\n***\n"
        )
    };
    let (own, other) = (dic("-t261120_143009"), dic("-t241231_235959"));
    let add = |time: u8, stream: &mut Stream| {
        stream.add(10, &[time, 0, 0, 0, 9, 0, 0, 0, 7, 0, 0, 0, 8, 0, 1, 2]).add(100, &[time, 0, 0, 0, 0, 7]);
    };
    let texts = |bytes: &[u8], dic: &str| -> Vec<String> {
        rows(bytes, &vec![("dic", dic.as_bytes())]).into_iter().map(|row| row.1).collect()
    };
    let (named, unnamed) =
        (["GO_SIG → backlog  pool 1 refs 2", "TELEM\t7"], ["sig 8 → 0x7  pool 1 refs 2", "USER+0\t7"]);
    let mut stream = Stream::start();
    add(1, &mut stream);
    for dic in [&own, &dic("")] {
        assert_eq!(texts(&stream.bytes, dic)[2..], named);
    }
    let said = "the dictionary file is of build 241231_235959, the target of 261120_143009: its names are not used; \
        give the one of this build";
    let got = texts(&stream.bytes, &other);
    assert_eq!((&got[2][..], &got[3..]), (said, &unnamed.map(str::to_owned)[..]));
    // Attached late: until the target answers, its build is unknown. Reported once.
    let mut stream = Stream::empty();
    add(1, &mut stream);
    stream.add(64, &info(0, 734, 4)).add(64, &info(0, 734, 4));
    add(2, &mut stream);
    let said = "the dictionary file is of build 241231_235959, the target of 261120_143009: its names are not used \
        from here on, and may be wrong above; give the one of this build";
    let got = texts(&stream.bytes, &other);
    assert_eq!(
        (&got[..2], &got[3][..], &got[5..]),
        (&named.map(str::to_owned)[..], said, &unnamed.map(str::to_owned)[..])
    );
}

#[test]
fn a_dictionary_file_of_nothing_is_refused() {
    let fault = crate::common::decoder().open(&opt_vals(&[("dic", b"# no names\n")]), &Source::default()).unwrap_err();
    assert!(fault.to_string().contains("dic: the file has neither names nor sizes"), "{fault}");
}

#[test]
fn the_scheduler_resumes_before_7_2() {
    let bytes = file("small/sched-resume-693.bin");
    let (host, rows) = (decode(&bytes, &vec![], 4096), rows(&bytes, &vec![]));
    for place in [1, 2] {
        let (row, text) = &rows[place];
        assert_eq!((row.time, row.has(RowFlags::TIME_OWN), text.as_str()), (100, true, "2 → 3"));
        let kind = host.info.kinds.iter().find(|kind| kind.first == row.kind).unwrap();
        assert_eq!(kind.name, "QS_SCHED_RESUME");
    }
}

#[test]
fn an_assertion_is_an_error() {
    let bytes = file("oven-734-small-assert.bin");
    let rows = rows(&bytes, &vec![]);
    let (row, text) = rows.last().unwrap();
    assert_eq!((row.kind.0, row.severity, text.as_str()), (69, Severity::ERROR, "therm:777"));
}

#[test]
fn application_records_show_their_elements() {
    let mut stream = Stream::start();
    let mut payload = vec![1, 0, 0, 0, 0x00, 0xFF, 0xF1, 0xAB, 0x26];
    payload.extend(1.5f32.to_le_bytes());
    payload.extend([0x07]);
    payload.extend((-2.5e-9f64).to_le_bytes());
    payload.extend(b"\x08hi\0\x09\x02\xDE\xAD\x0A\x05\x00\x00\x00\x00\x00\x0B\x10\x00\x00\x00\x90\x02");
    stream.add(103, &payload);
    let text = &rows(&stream.bytes, &vec![])[2].1;
    assert_eq!(text, "USER+3\t-1 0xAB 1.5 -2.5e-9 hi DE AD sig 5 0x10 2");
}

#[test]
fn every_field_is_in_the_row() {
    let texts = |version: u16, id: u8, payload: &[u8]| {
        let mut stream = Stream::of_version(version);
        stream.add(id, payload);
        rows(&stream.bytes, &vec![])[2].1.clone()
    };
    // Pool and reference count of events, low watermark of raw queues.
    assert_eq!(
        texts(734, 14, &[1, 0, 0, 0, 0, 0, 0, 0, 8, 0, 9, 0, 0, 0, 1, 2, 5, 3]),
        "sig 8  free 5 min 3  pool 1 refs 2"
    );
    assert_eq!(texts(734, 16, &[1, 0, 0, 0, 8, 0, 9, 0, 0, 0, 1, 2, 5]), "sig 8  free 5  pool 1 refs 2");
    assert_eq!(texts(734, 17, &[1, 0, 0, 0, 8, 0, 9, 0, 0, 0, 1, 2]), "sig 8  queue empty  pool 1 refs 2");
    assert_eq!(texts(734, 19, &[1, 0, 0, 0, 8, 0, 9, 0, 0, 0, 1, 2, 5, 3]), "sig 8  free 5 min 3  pool 1 refs 2");
    assert_eq!(
        texts(734, 46, &[1, 0, 0, 0, 8, 0, 9, 0, 0, 0, 1, 2, 5, 3]),
        "sig 8  not posted: 5 free, margin 3  pool 1 refs 2"
    );
    assert_eq!(texts(734, 10, &[1, 0, 0, 0, 9, 0, 0, 0, 7, 0, 0, 0, 8, 0, 1, 2]), "sig 8 → 0x7  pool 1 refs 2");
    // Only statuses from 0x80 on are refusals.
    assert_eq!(texts(734, 66, &[0x41]), "Trg-Ack\tstatus 0x41");
    assert_eq!(texts(734, 66, &[0xC1]), "Trg-ERR\tbad checksum");
}

#[test]
fn a_query_names_its_object() {
    let mut stream = Stream::start();
    stream.add(67, &[1, 0, 0, 0, 3, 9, 0, 0, 0, 5, 3]);
    let (row, text) = rows(&stream.bytes, &vec![])[2].clone();
    assert_eq!((row.obj, row.has(RowFlags::HAS_OBJECT), text.as_str()), (9, true, "Query-EQ\tfree 5 min 3"));
    let host = decode(&stream.bytes, &vec![], 4096);
    let kind = host.info.kinds.iter().find(|kind| kind.first.0 == 67).unwrap();
    assert_ne!(kind.obj_space, spytui_plugin_api::NONE);
    assert!(["obj", "free", "use", "flags"].iter().all(|name| kind.fields.iter().any(|f| f == name)));
}

/// A note that the time went back is a row of its own.
#[test]
fn an_answer_belongs_to_its_record() {
    let mut stream = Stream::start();
    stream.stamp(5000).add(68, b"\x01\0\0\0\0\0\x01\x01\xAB");
    let host = decode(&stream.bytes, &vec![], 4096);
    let answers = host.run.attachments.iter().filter(|attachment| attachment.id == AttachmentId::ANSWER);
    let kinds: Vec<u16> = answers.map(|answer| host.run.rows[answer.at as usize].kind.0).collect();
    assert!(host.run.rows.iter().any(|row| row.kind == RowKind::TIME_BACK), "{:?}", host.run.rows);
    assert_eq!(kinds.last(), Some(&68));
}
