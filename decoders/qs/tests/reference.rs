//! The reference hosts' text of every capture, byte for byte.

use crate::common::{Stream, file, frame, info, text};
use spytui_decoder_harness::{Options, same};
use spytui_plugin_api::Source;
use spytui_plugin_host::kit::opt_vals;

const V7: (&str, &[u8]) = ("reference", b"qspy-7.3.4");
const V8: (&str, &[u8]) = ("reference", b"qspy-8.1.3");

fn golden(name: &str, opts: &Options<'_>) {
    let (bytes, expected) = (file(&format!("{name}.bin")), file(&format!("{name}.txt")));
    for size in [65_536, 1, 7, 1000] {
        same(&format!("{name} in chunks of {size}"), &text(&bytes, opts, size), &expected);
    }
}

#[test]
fn clean_streams_of_7() {
    for name in ["oven-734", "oven-734-rx", "oven-693-32bit", "oven-734-small-assert", "oven-734-nodict"] {
        golden(name, &vec![V7]);
    }
}

#[test]
fn every_record_and_every_element() {
    golden("every-record-734", &vec![V7]);
    golden("formats-734", &vec![V7]);
    golden("every-record-812", &vec![V8]);
}

#[test]
fn clean_streams_of_8() {
    golden("oven-815", &vec![V8]);
}

#[test]
fn flipped_bits() {
    golden("oven-734-flips", &vec![V7]);
}

#[test]
fn missing_pieces_with_sizes_from_options() {
    golden("oven-734-drops", &vec![V7, ("obj-ptr", b"8"), ("fun-ptr", b"8")]);
}

#[test]
fn noise_repeats_and_extra_flags() {
    golden("oven-815-garbage", &vec![V8]);
}

#[test]
fn names_from_a_dictionary_file() {
    let dic = file("oven-734-small-assert.dic");
    golden("oven-734-small-assert-nodic", &vec![V7, ("dic", &dic)]);
}

#[test]
fn a_dictionary_file_that_is_not_there() {
    let (bytes, expected) = (file("oven-734-small-assert.bin"), file("oven-734-small-assert.dic-run.txt"));
    let text = text(&bytes, &vec![V7, ("dic", b"")], 65_536);
    same("head of the run with -d", &text[..expected.len()], &expected);
}

/// Text of records added to a target of some version, without its two start lines.
fn of(version: u16, style: (&'static str, &'static [u8]), add: impl Fn(&mut Stream)) -> String {
    let mut stream = Stream::of_version(version);
    add(&mut stream);
    let text = text(&stream.bytes, &vec![style], 4096);
    let text = String::from_utf8(text).unwrap();
    text.split_once('\n').unwrap().1.to_owned()
}

#[test]
fn records_of_old_targets() {
    let time = [1, 0, 0, 0];
    let (o1, o2) = ([0x11, 0, 0, 0], [0x22, 0, 0, 0]);
    let join = |parts: &[&[u8]]| parts.concat();
    let add = |id: u8, payload: Vec<u8>| {
        move |s: &mut Stream| {
            s.add(id, &payload);
        }
    };
    assert_eq!(of(610, V7, add(10, join(&[&time, &o1, &[3]]))), "");
    assert_eq!(of(610, V7, add(11, join(&[&time, &o1, &[3]]))), "0000000001 AO-Remov Obj=0x00000011,Pri=3\n");
    assert_eq!(of(610, V7, add(18, join(&[&o1, &[3]]))), "           EQ-Init  Obj=0x00000011,Len=3\n");
    let ctr = join(&[&time, &o1, &o2, &[9, 0, 0, 0], &[4, 0, 0, 0], &[1]]);
    assert_eq!(of(610, V7, add(38, ctr)), "0000000001 TE1-Ctr  Obj=0x00000011,AO=0x00000022,Tim=9,Int=4\n");
    assert_eq!(of(575, V7, add(66, join(&[&time, &[3]]))), "           Trg-Ack  QS_RX_TICK\n");
    assert_eq!(of(709, V7, add(48, join(&[&time, &[3, 4]]))), "0000000001 Mtx-Lock Pro=3,Ceil=4\n");
    assert_eq!(of(709, V8, add(49, join(&[&time, &[3, 4]]))), "0000000001 Mtx-Unlk Pro=3,Ceil=4\n");
    assert_eq!(of(650, V7, add(71, join(&[&time, &[1, 7]]))), "0000000001 USER+001 7\n");
    assert_eq!(of(650, V8, add(71, join(&[&time, &o1, &[1, 7]]))), "0000000001 Sem-Take 0x00000011,Thr=1,Cnt=7\n");
    let brackets = |s: &mut Stream| {
        s.add(61, b"\x11\0\0\0a[1]\0").add(12, b"\x01\0\0\0\x05\0\x11\0\0\0");
    };
    let expected = "           Obj-Dict 0x00000011->a<1>\n0000000001 AO-Subsc Obj=a<1>,Sig=00000005,Obj=0x00000011\n";
    assert_eq!(of(689, V7, brackets), expected);
    assert_eq!(of(540, V7, add(0, vec![])), "           Trg-RST  540\n");
}

#[test]
fn bytes_of_a_rearmed_timer_are_exchanged_by_the_older_host() {
    let payload = [1, 0, 0, 0, 0x11, 0, 0, 0, 0x22, 0, 0, 0, 9, 0, 0, 0, 4, 0, 0, 0, 1, 0];
    let add = |s: &mut Stream| {
        s.add(36, &payload);
    };
    assert!(of(734, V7, add).starts_with("0000000001 TE0-Rarm") && of(734, V7, add).ends_with("Was=1\n"));
    assert!(of(734, V8, add).starts_with("0000000001 TE1-Rarm") && of(734, V8, add).ends_with("Was=0\n"));
}

#[test]
fn two_missing_objects_share_a_number() {
    let recall = |s: &mut Stream| {
        s.add(18, &[1, 0, 0, 0, 0x11, 0, 0, 0, 0x22, 0, 0, 0]);
    };
    assert_eq!(of(734, V7, recall), "0000000001 AO-RCllA Obj=0x00000011,Que=0x00000011\n");
    let named = |s: &mut Stream| {
        s.add(61, b"\x11\0\0\0x\0");
        recall(s);
    };
    assert!(of(734, V7, named).ends_with("Obj=x,Que=0x00000022\n"));
}

/// Address 0 is `NULL` only if addresses have at least four bytes.
#[test]
fn two_missing_short_objects_share_a_number_and_0_is_one() {
    let mut s = Stream::empty();
    s.add(18, &[1, 0, 0, 0, 0x11, 0x22, 0, 0]);
    let opts = vec![V7, ("obj-ptr", b"2".as_slice())];
    assert_eq!(text(&s.bytes, &opts, 1000), b"0000000001 AO-RCllA Obj=0x00002211,Que=0x00002211\n");
}

#[test]
fn a_query_without_its_kind_is_read_as_one_of_a_state_machine() {
    let cut = |s: &mut Stream| {
        s.add(67, &[1, 0, 0, 0]);
    };
    assert_eq!(
        of(734, V7, cut),
        "   <COMMS> ERROR    1 more bytes needed for uint8_t \n   <COMMS> ERROR    5 more bytes needed for uint32_t \n\
         \x20  <COMMS> ERROR    5 more bytes needed for uint32_t \n   <COMMS> ERROR    1 bytes needed in Rec=QS_QUERY_DATA\n"
    );
}

/// The host looks it up with object 0, which is the first entry that its bisection hits.
#[test]
fn a_signal_whose_object_is_cut_off_has_the_name_that_the_bisection_meets() {
    let cut = |s: &mut Stream| {
        s.add(60, b"\x05\0\x11\0\0\0one\0").add(60, b"\x05\0\x22\0\0\0two\0").add(60, b"\x05\0\x33\0\0\0three\0");
        s.add(100, &[1, 0, 0, 0, 0x0A, 5, 0, 0x11]);
    };
    assert!(of(734, V7, cut).ends_with("   <COMMS> ERROR    3 more bytes needed for uint32_t two\n"));
}

#[test]
fn an_info_that_differs_discards_the_dictionaries() {
    let stamp = [1, 0, 0, 0, 5, 0, 0x11, 0, 0, 0];
    let other = |reset: u8| {
        move |s: &mut Stream| {
            let mut info = info(reset, 734, 4);
            info[10] = 59;
            s.add(61, b"\x11\0\0\0x\0").add(64, &info).add(12, &stamp);
        }
    };
    let text = of(734, V7, other(0));
    assert!(text.contains(
        "Trg-Info QP-Ver=734,Build=261120_143059\n   <QSPY-> Target info mismatch (dictionaries discarded)\n"
    ));
    assert!(text.ends_with("AO-Subsc Obj=0x00000011,Sig=00000005,Obj=0x00000011\n"));
    // The newer host checks the type of the framework, which this layout lacks.
    assert!(of(734, V8, other(0)).ends_with("AO-Subsc Obj=x,Sig=00000005,Obj=0x00000011\n"));
    assert!(!of(734, V8, other(0xFF)).contains("Obj=x,"));
}

#[test]
fn names_and_lines_are_cut() {
    let long = |s: &mut Stream| {
        let name = [&b"\x11\0\0\0"[..], &[b'n'; 100], b"\0"].concat();
        s.add(61, &name).add(12, &[1, 0, 0, 0, 5, 0, 0x11, 0, 0, 0]);
    };
    for (style, most) in [(V7, 63), (V8, 127)] {
        let name = "n".repeat(100.min(most));
        let expected = format!("0000000001 AO-Subsc Obj={name},Sig=00000005,Obj=0x00000011\n");
        assert!(of(734, style, long).ends_with(&expected));
    }
    let wide = |s: &mut Stream| {
        let elements = [0xF1, 7].repeat(200);
        s.add(100, &[&[1, 0, 0, 0][..], &elements].concat());
    };
    let line = of(734, V7, wide);
    assert_eq!(line.len(), "0000000001 USER+000".len() + 200 * 5 - 28 + 1);
    assert_eq!(of(734, V8, wide).len(), "0000000001 USER+000".len() + 200 * 5 + 1);
}

#[test]
fn damage_at_the_start_is_silent_and_short_frames_are_not() {
    let bytes = [b"\x05\x06\x07\x7E\xFF\x7E".as_slice(), &frame(9, 58, &[]), b"\x7E", &frame(11, 58, &[])].concat();
    let expected = "   <COMMS> ERROR    Record too short at Seq=0(?),Rec=QS_QEP_INTERN_TRAN\n           TstPause\n   \
        <COMMS> ERROR    Bad checksum in Rec=QS_TEST_PAUSED(?),Seq=9\n   <COMMS> ERROR    Discontinuity Seq=9->11\n           TstPause\n";
    same("start", &text(&bytes, &vec![V7], 1), expected.replace("INTERN_TRAN", "TRAN").as_bytes());
}

#[test]
fn a_peek_of_nothing_shows_what_the_buffer_holds() {
    let mut stream = Stream::empty();
    stream.add(100, b"\x01\0\0\0\x09\x08\xA0\xA1\xA2\xA3\xA4\xA5\xA6\xA7").add(68, &[1, 0, 0, 0, 5, 0, 2, 0]);
    let check = !(2u8 + 68 + 1 + 5 + 2);
    let expected = format!("0000000001 Trg-Peek Offs=5,Size=2,Num=0,Data=<A3{check:02X}>\n");
    let text = String::from_utf8(text(&stream.bytes, &vec![V7], 4096)).unwrap();
    assert!(text.ends_with(&expected), "{text}");
}

/// Missing names are as wide as the start-up sizes; of size 1 they are signed numbers, of size 2 as wide as of 4.
#[test]
fn missing_names_have_the_width_of_the_sizes_at_start_up() {
    let subscribe = |obj: &[u8], opts: &[(&'static str, &'static [u8])]| {
        let mut s = Stream::empty();
        s.add(12, &[&[1, 0, 0, 0, 5, 0][..], obj].concat());
        let mut all = vec![V7];
        all.extend_from_slice(opts);
        String::from_utf8(text(&s.bytes, &all, 1000)).unwrap()
    };
    let two: [(&str, &[u8]); 2] = [("obj-ptr", b"2"), ("fun-ptr", b"2")];
    assert_eq!(subscribe(&[0x34, 0x12], &two), "0000000001 AO-Subsc Obj=0x00001234,Sig=00000005,Obj=0x00001234\n");
    assert_eq!(subscribe(&[0, 0], &two), "0000000001 AO-Subsc Obj=0x00000000,Sig=00000005,Obj=0x00000000\n");
    let one: [(&str, &[u8]); 2] = [("obj-ptr", b"1"), ("fun-ptr", b"1")];
    assert_eq!(subscribe(&[7], &one), "0000000001 AO-Subsc Obj=007,Sig=00000005,Obj=0x00000007\n");
    assert_eq!(subscribe(&[0], &one), "0000000001 AO-Subsc Obj=000,Sig=00000005,Obj=0x00000000\n");
    // A target with longer pointers than the host was started with.
    let mut s = Stream::empty();
    s.add(64, &info(0xFF, 734, 4)).add(1, &[0x12, 0, 0, 0x80, 0x34, 0, 0, 0]);
    let text = String::from_utf8(text(&s.bytes, &[&[V7], &one[..]].concat(), 1000)).unwrap();
    assert!(text.ends_with("===RTC===> St-Entry Obj=-2147483630,State=052\n"), "{text}");
}

#[test]
fn the_version_of_a_big_endian_target_holds_its_bit() {
    let reported = |reset: u8, version: u16| {
        let mut stream = Stream::empty();
        stream.add(0, &[]).add(64, &info(reset, version, 4));
        String::from_utf8(text(&stream.bytes, &vec![V7], 4096)).unwrap()
    };
    assert!(reported(0xFF, 0x8000 | 734).contains("Trg-RST  QP-Ver=33502,Build="));
    assert!(reported(0, 0x8000 | 734).contains("Trg-Info QP-Ver=33502,Build="));
    assert!(reported(0xFF, 734).contains("Trg-RST  QP-Ver=734,Build="));
}

#[test]
fn an_empty_record_with_a_payload_resets_nothing() {
    let named = |payload: &'static [u8]| {
        move |s: &mut Stream| {
            s.add(61, b"\x11\0\0\0x\0").add(0, payload).add(12, &[1, 0, 0, 0, 5, 0x11, 0, 0, 0]);
        }
    };
    let old = |payload: &'static [u8]| {
        let mut options = vec![V7, ("signal", b"1".as_slice()), ("version", b"5.4".as_slice())];
        options.push(("obj-ptr", b"4"));
        let mut stream = Stream::empty();
        named(payload)(&mut stream);
        String::from_utf8(text(&stream.bytes, &options, 4096)).unwrap()
    };
    assert!(old(&[]).contains("           Trg-RST  540\n") && old(&[]).contains("Obj=0x00000011,"), "{}", old(&[]));
    let with = old(&[1, 2]);
    assert!(with.contains("   <COMMS> ERROR    2 bytes unused in Rec=QS_EMPTY\n") && with.contains("Obj=x,"), "{with}");
    assert!(!with.contains("Trg-RST"), "{with}");
}

#[test]
fn queries_of_all_kinds() {
    let query = |version: u16, style, kind: u8| {
        of(version, style, move |s: &mut Stream| {
            s.add(67, &[1, 0, 0, 0, kind, 0x11, 0, 0, 0]);
        })
    };
    assert_eq!(query(734, V7, 5), "0000000001 Query-AP Obj=0x00000011\n");
    assert_eq!(query(734, V7, 7), "           Unknown Query-Kind=7,Len=9\n");
    assert_eq!(query(734, V8, 7), "0000000001 Query-EP Obj=0x00000011\n");
    for style in [V7, V8] {
        assert_eq!(query(734, style, 6), "0000000001 Query-SM_AO Obj=0x00000011\n");
        assert_eq!(query(734, style, 8), "           Unknown Query-Kind=8,Len=9\n");
        assert_eq!(query(734, style, 255), "           Unknown Query-Kind=255,Len=9\n");
    }
    let unused = "   <COMMS> ERROR    4 bytes unused in Rec=QS_QUERY_DATA\n";
    assert_eq!(query(812, V8, 9), unused.repeat(2));
    assert_eq!(query(812, V7, 9), "           Unknown Query-Kind=9,Len=9\n");
}

/// Its length is checked like any other; the newer host checks twice.
#[test]
fn queries_of_kinds_without_a_layout() {
    golden("small/query7-734", &vec![V7]);
    for name in ["query7-801", "query7-801-exact", "query6-812"] {
        golden(&format!("small/{name}"), &vec![V8]);
    }
}

#[test]
fn what_the_newer_host_takes_for_a_change_or_a_reset() {
    for name in ["info-date-changes-813", "info-type-changes-813", "old-info-reset-bit0-813"] {
        golden(&format!("small/{name}"), &vec![V8]);
    }
}

/// With an illegal size, the host would exit; spytui keeps the previous one.
#[test]
fn sizes_that_can_not_be_are_refused() {
    let mut wrong = info(0xFF, 734, 4);
    wrong[3] = 0x23;
    let mut s = Stream::empty();
    s.add(64, &wrong).add(12, &[1, 0, 0, 0, 5, 0, 0x11, 0, 0, 0]);
    let got = String::from_utf8(text(&s.bytes, &vec![V7], 4096)).unwrap();
    assert!(got.ends_with("AO-Subsc Obj=0x00000011,Sig=00000005,Obj=0x00000011\n"), "{got}");
    let pool = String::from_utf8(text(&file("small/size-not-possible.bin"), &vec![V7], 4096)).unwrap();
    assert!(pool.ends_with("0000000001 MP-Get   Obj=0x00000011,Free=1,Min=2\n"), "{pool}");
    let dic = b"-v734\n-T4\n-O3\n".as_slice();
    let fault = crate::common::decoder().open(&opt_vals(&[("dic", dic)]), &Source::default()).unwrap_err();
    assert!(fault.to_string().contains("-O3: obj-ptr is one of 1 2 4 8"), "{fault}");
}
