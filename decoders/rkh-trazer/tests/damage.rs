//! Losses and damage: each has a row in its place, and nothing is misread.

use crate::common::{FULL, Stream, decode, decoder, items, notes, rows, sealed, tcfg, text};
use spytui_decoder_harness::{attachment_of, lines, lost};
use spytui_plugin_api::{
    StreamEvent, StreamEventKind,
    batch::AttachmentId,
    row::{RowFlags, RowKind, Severity},
};
use spytui_plugin_host::kit::Host;

const EN: u8 = 160;

fn kinds(bytes: &[u8]) -> Vec<u16> {
    rows(bytes, &vec![]).iter().map(|(row, _)| row.kind.0).collect()
}

#[test]
fn a_gap_says_how_many_are_lost() {
    let mut stream = Stream::start();
    stream.add(EN, &[]).lose(3).add(EN, &[]).lose(200).add(EN, &[]);
    let host = decode(&stream.bytes, &vec![], 4096);
    assert_eq!(lost(&host, 2), Some((3, 0)));
    assert_eq!(attachment_of(&host, 2, AttachmentId::EXPECTED), Some((1, 4)));
    assert_eq!(lost(&host, 4), Some((200, 0)));
    let texts = lines(&host, &stream.bytes);
    assert_eq!(texts[2], "≥3 records lost, nseq 1-3 · 10 ticks · ring or line");
    assert_eq!((host.run.counters().gaps, host.run.counters().lost), (2, 203));
}

/// Text at the end of a frame, written while the target crashes: its lines are readable, and the rest of the frame is
/// damage.
#[test]
fn lines_in_damage_are_rows_of_their_own() {
    const CRASH: &[u8] = b"\r\nMPU FAULT at 0x08001234\r\nPC=1\r\n";
    let console = RowKind::CONSOLE.0;
    let mut stream = Stream::start();
    stream.add(EN, &[]).raw(&[EN, 1, 110, 0]).raw(CRASH).raw(b"\x7E").lose(1).add(EN, &[]);
    assert_eq!(kinds(&stream.bytes)[2..], [RowKind::BAD_CHECK.0, console, console, RowKind::GAP.0, EN.into()]);
    let rows_of =
        |bytes: &[u8]| rows(bytes, &vec![]).into_iter().map(|(row, text)| (row.len, text)).collect::<Vec<_>>();
    let lines = [(27, "\r\nMPU FAULT at 0x08001234".to_owned()), (7, "PC=1".to_owned())];
    assert_eq!(rows_of(&stream.bytes)[3..5], lines);
    // Nothing follows, or no flag for a long time.
    for after in [0, 70_000] {
        let mut stream = Stream::start();
        stream.add(EN, &[]).raw(&[EN, 1, 110, 0]).raw(CRASH).raw(&vec![0; after]);
        assert_eq!(kinds(&stream.bytes)[3..5], [console, console], "{after} bytes behind it");
        assert_eq!(decode(&stream.bytes, &vec![], 7).run.counters().bytes(), stream.bytes.len() as u64);
    }
}

#[test]
fn many_bytes_say_that_more_is_lost() {
    let mut stream = Stream::start();
    for _ in 0..10 {
        stream.add(EN, &[]);
    }
    stream.raw(&[0x05; 4000]).raw(&[0x7E]).lose(2).add(EN, &[]);
    let host = decode(&stream.bytes, &vec![], 4096);
    let gap = host.run.rows.iter().position(|r| r.kind.0 == RowKind::GAP.0).unwrap();
    assert_eq!(lost(&host, gap), Some((2, 0)));
    assert!(lines(&host, &stream.bytes)[gap].starts_with("≥2 records lost"));
}

#[test]
fn a_stream_that_begins_later_lacks_what_was_before() {
    let mut stream = Stream::start();
    stream.lose(9).add(EN, &[]);
    let host = decode(&stream.bytes, &vec![], 4096);
    assert_eq!(lost(&host, 1), Some((9, 0)));
    assert!(lines(&host, &stream.bytes)[1].starts_with("≥9 records lost, nseq 0-8"));
}

/// Records sent before the host attached are not lost on the line.
#[test]
fn a_stream_without_its_start_lost_nothing() {
    let mut stream = Stream::of(FULL, 4);
    stream.lose(104).add(EN, &[]).add(EN, &[]).lose(2).add(EN, &[]);
    let host = decode(&stream.bytes, &vec![("version", b"3.4.00"), ("checksum", b"1")], 4096);
    let texts = lines(&host, &stream.bytes);
    assert_eq!(texts[0], "attached late: at least 104 records were sent before");
    assert_eq!((host.run.rows[0].severity, host.run.rows[0].kind.is_loss()), (Severity::INFO, false));
    assert!(host.run.attachments.iter().all(|a| a.at != 0 || a.id == AttachmentId::TEXT));
    assert!(texts[3].starts_with("≥2 records lost, nseq 106-107"), "{texts:?}");
    assert_eq!((host.run.counters().gaps, host.run.counters().lost), (1, 2));
}

#[test]
fn a_wrong_sum_leaves_the_number_alone() {
    let mut stream = Stream::start();
    stream.add(EN, &[]);
    let mut broken = sealed(&stream.plain(EN, &[]), true);
    broken[0] ^= 1;
    stream.raw(&broken).lose(1).add(EN, &[]);
    assert_eq!(kinds(&stream.bytes), [172, 160, RowKind::BAD_CHECK.0, RowKind::GAP.0, 160]);
    let last = notes(&stream.bytes, &vec![]).pop().unwrap();
    assert_eq!(last.1, "≥1 record lost, nseq 1: frame damaged · 10 ticks");
}

#[test]
fn an_abandoned_frame_is_a_note_with_its_bytes() {
    let mut stream = Stream::start();
    stream.add(EN, &[]).raw(&[67, 1, 2, 0x7D, 0x7E]).add(EN, &[]);
    let host = decode(&stream.bytes, &vec![], 4096);
    assert_eq!((host.run.rows[2].kind.0, host.run.rows[2].len), (RowKind::BAD_FRAME.0, 5));
    assert_eq!(lines(&host, &stream.bytes)[2], "damaged frame, abandoned by the target · 5 B");
    // An escaped escape does not affect the flag.
    let mut stream = Stream::start();
    stream.raw(&[1, 0x7D, 0x5D, 0x7E]);
    assert_eq!(kinds(&stream.bytes), [172, RowKind::BAD_CHECK.0, RowKind::HINT.0]);
}

#[test]
fn an_unknown_event_counts_in_the_numbering() {
    let mut stream = Stream::start();
    stream.add(EN, &[]).add(185, &[1, 2]).add(EN, &[]);
    let rows = rows(&stream.bytes, &vec![]);
    let kinds: Vec<u16> = rows.iter().map(|(row, _)| row.kind.0).collect();
    assert_eq!(kinds, [172, 160, 185, 160], "no gap");
    assert_eq!(rows[2].1, "event 185 is not known, 2 B: 01 02");
}

#[test]
fn short_and_surplus_arguments_are_reported() {
    let mut stream = Stream::start();
    stream.add(100, &[1, 0, 0]).add(100, &[1, 0, 0, 0, 2, 0, 0, 0, 0xAA]).add(EN, &[]);
    let rows = rows(&stream.bytes, &vec![]);
    let kinds: Vec<u16> = rows.iter().map(|(row, _)| row.kind.0).collect();
    assert_eq!(kinds, [172, 100, RowKind::TOO_SHORT.0, 100, RowKind::TOO_LONG.0, 160]);
    assert!(rows[1].0.has(RowFlags::MALFORMED) && rows[3].0.has(RowFlags::MALFORMED));
    assert_eq!(rows[1].1, "arguments cut short, 3 B: 01 00 00");
    assert_eq!(rows[3].1, "0x2 · surplus 1 B: AA");
    let host = decode(&stream.bytes, &vec![], 4096);
    let item = &items(&host, &stream.bytes)[2];
    assert_eq!((&item["args"]["st"], &item["args"]["extra"]), (&2.into(), &"aa".into()));
}

#[test]
fn a_frame_that_is_shorter_than_its_header_is_none() {
    let mut stream = Stream::start();
    stream.raw(&[0, 0x7E]).add(EN, &[]);
    assert_eq!(kinds(&stream.bytes), [172, RowKind::TOO_SHORT.0, 160]);
}

/// Frames without flags between them: fused by a flag that became 0 or was lost.
fn fused(frames: &[(u8, Vec<u8>)], between: &[u8]) -> Stream {
    let mut stream = Stream::start();
    stream.add(EN, &[]);
    for (id, args) in frames {
        stream.add(*id, args);
        stream.bytes.pop();
        stream.raw(between);
    }
    stream.bytes.truncate(stream.bytes.len() - between.len());
    stream.raw(&[0x7E]).add(EN, &[]);
    stream
}

#[test]
fn a_frame_fused_to_a_user_record_is_none_of_its_items() {
    // The checksum of the first frame would be an item's format and the flag the end of its text; the rest parses as
    // items, too.
    let filler = (0..=255).find_map(|byte| {
        let frames = [(193, vec![0x01, byte]), (193, vec![0x01, 5])];
        let stream = fused(&frames, &[0]);
        let run = stream.bytes.rsplit(|&b| b == 0x7E).nth(2)?.to_vec();
        // Id, number and stamp, then the first frame's item, and its sum.
        (run.get(8)? & 15 == 7 && !run.contains(&0x7D)).then_some(stream)
    });
    let rows = rows(&filler.unwrap().bytes, &vec![]);
    let kinds: Vec<u16> = rows.iter().map(|(r, _)| r.kind.0).collect();
    assert_eq!(kinds, [172, 160, 193, RowKind::BAD_FRAME.0, 193, 160]);
}

#[test]
fn fused_frames_are_taken_apart() {
    let name = (174, b"\x01\0\0\0climate\0".to_vec());
    let state = (100, vec![1, 0, 0, 0, 0x7D, 0x7E, 0, 0]);
    let user = (193, b"\x07hello\0\x01\x2A".to_vec());
    for between in [&[0][..], &[]] {
        for frames in [
            vec![state.clone(), state.clone()],
            vec![name.clone(), state.clone()],
            vec![user.clone(), name.clone()],
            vec![(EN, vec![]), user.clone()],
            vec![state.clone(), user.clone(), name.clone()],
        ] {
            let stream = fused(&frames, between);
            let rows = rows(&stream.bytes, &vec![]);
            let records: Vec<u16> = rows.iter().filter(|(r, _)| r.is_record()).map(|(r, _)| r.kind.0).collect();
            let expected: Vec<u16> =
                [172, 160].into_iter().chain(frames.iter().map(|(id, _)| u16::from(*id))).chain([160]).collect();
            assert_eq!(records, expected, "{between:?}");
            let reported: Vec<u16> = rows.iter().filter(|(r, _)| r.kind.is_note()).map(|(r, _)| r.kind.0).collect();
            assert_eq!(reported, vec![RowKind::BAD_FRAME.0; frames.len() - 1], "no gap, but reported");
            assert!(rows.iter().all(|(r, _)| !r.flags.intersects(RowFlags::MALFORMED)));
        }
    }
}

#[test]
fn what_can_not_be_taken_apart_is_reported() {
    let mut stream = Stream::start();
    // The second part is not the next frame.
    let first = stream.plain(100, &[1, 0, 0, 0, 2, 0, 0, 0]);
    stream.lose(5);
    let second = stream.plain(EN, &[]);
    stream.raw(&[sealed(&first, true), sealed(&second, true)].concat());
    let flag = stream.bytes.len() - sealed(&second, true).len() - 1;
    stream.bytes[flag] = 0;
    assert_eq!(kinds(&stream.bytes), [172, 100, RowKind::TOO_LONG.0, RowKind::HINT.0]);
}

#[test]
fn long_frames_are_frames() {
    let mut stream = Stream::start();
    let long = [&[7][..], &[b'x'; 3000], &[0]].concat();
    stream.add(192, &long).add(EN, &[]);
    assert_eq!(kinds(&stream.bytes), [172, 192, 160]);
}

#[test]
fn runs_without_a_flag_are_given_up_in_pieces() {
    let mut stream = Stream::start();
    stream.add(EN, &[]).raw(&[0x11; 200_000]).raw(&[0x7E]).lose(1).add(EN, &[]);
    let kinds = kinds(&stream.bytes);
    assert_eq!(
        kinds[2..],
        [RowKind::TOO_LONG.0, RowKind::RESYNC.0, RowKind::RESYNC.0, RowKind::RESYNC.0, RowKind::GAP.0, 160]
    );
}

#[test]
fn a_frame_that_came_twice_is_no_record_and_no_loss() {
    let mut stream = Stream::start();
    stream.add(EN, &[]);
    let again = sealed(&stream.plain(EN, &[]), true);
    stream.raw(&again).raw(&again).lose(1).add(EN, &[]);
    let host = decode(&stream.bytes, &vec![], 4096);
    let kinds: Vec<u16> = host.run.rows.iter().map(|r| r.kind.0).collect();
    assert_eq!(kinds, [172, 160, 160, RowKind::DUPLICATE.0, 160]);
    assert_eq!((host.run.counters().duplicates, host.run.counters().lost), (1, 0));
}

#[test]
fn a_target_that_restarts_begins_an_epoch() {
    let mut stream = Stream::start();
    for _ in 0..5 {
        stream.add(EN, &[]);
    }
    (stream.seq, stream.time) = (0, 3);
    stream.tcfg(&tcfg(0xAC, 0x3400, FULL, [4, 4, 1])).add(EN, &[]).add(EN, &[]);
    let rows = rows(&stream.bytes, &vec![]);
    let kinds: Vec<u16> = rows[6..].iter().map(|(row, _)| row.kind.0).collect();
    assert_eq!(kinds, [172, RowKind::RESTART.0, 160, 160]);
    assert!(rows[7].0.has(RowFlags::EPOCH));
    assert_eq!(rows[8].0.time, 3);
}

#[test]
fn a_configuration_that_comes_again_is_no_restart() {
    let mut stream = Stream::start();
    for _ in 0..5 {
        stream.add(EN, &[]);
    }
    stream.tcfg(&tcfg(0xAC, 0x3400, FULL, [4, 4, 1])).add(EN, &[]);
    let rows = rows(&stream.bytes, &vec![]);
    assert!(rows.iter().all(|(row, _)| row.is_record() && !row.has(RowFlags::EPOCH)));
}

#[test]
fn the_start_may_lie_in_a_frame() {
    let mut stream = Stream::start();
    stream.add(EN, &[]).add(EN, &[]);
    let kinds = |from: usize| rows(&stream.bytes[from..], &vec![]).iter().map(|(r, _)| r.kind.0).collect::<Vec<_>>();
    assert_eq!(kinds(5), [RowKind::PARTIAL.0, 160, 160]);
    assert_eq!(kinds(17), [160, 160], "it begins with a whole frame");
}

#[test]
fn the_reference_host_says_little() {
    let style = vec![("reference", &b"trazer-3.2"[..])];
    let mut stream = Stream::start();
    stream.add(EN, &[]).add(185, &[]).add(EN, &[]).raw(&[1, 2, 0x7D, 0x7E]).raw(&[1, 2, 0x7E]).lose(1).add(EN, &[]);
    let text = String::from_utf8(text(&stream.bytes, &style, 4096)).unwrap();
    let lost = "\n***** May be have lost trace info, sequence are not correlatives\n";
    let expected = format!(
        "        100| [  0] | FWK | EN         :  \n***** Unknown trace event = (185)\n{lost}        \
        120| [  2] | FWK | EN         :  \n\n***** Stream Checksum Error\n{lost}        130| [  4] | FWK | EN         :  \n"
    );
    assert!(text.ends_with(&expected), "{text}");
}

#[test]
fn without_a_sum_a_frame_must_fit_or_be_the_next() {
    let mut stream = Stream::reported(&tcfg(0xAC, 0x3400, FULL & !(1 << 17), [4, 4, 1]));
    stream.add(EN, &[]).raw(&[100, 77, 1, 2, 3, 4, 5, 0x7E]).lose(2).add(EN, &[]);
    assert_eq!(kinds(&stream.bytes), [172, 160, RowKind::BAD_FRAME.0, RowKind::GAP.0, 160]);
}

#[test]
fn a_restart_shows_without_a_configuration_and_at_the_same_number() {
    // Numbers and time start over, and no configuration arrived.
    let mut stream = Stream::start();
    for _ in 0..5 {
        stream.add(EN, &[]);
    }
    (stream.seq, stream.time) = (0, 3);
    stream.add(EN, &[]);
    assert_eq!(kinds(&stream.bytes)[6..], [RowKind::RESTART.0, 160]);
    // By chance, 0 is the next number.
    let mut stream = Stream::start();
    stream.lose(250);
    for _ in 0..6 {
        stream.add(EN, &[]);
    }
    stream.time = 3;
    stream.tcfg(&tcfg(0xAC, 0x3400, FULL, [4, 4, 1])).add(EN, &[]).add(EN, &[]);
    assert_eq!(kinds(&stream.bytes)[8..], [172, RowKind::RESTART.0, 160, 160]);
}

#[test]
fn two_frames_that_ran_together_are_two_records_and_no_bad_frame() {
    let mut stream = Stream::start();
    stream.add(EN, &[]).add(EN, &[]);
    let end = stream.bytes.len() - 1;
    stream.bytes.remove(end);
    stream.add(EN, &[]).add(EN, &[]);
    let host = decode(&stream.bytes, &vec![], 4096);
    let text = &lines(&host, &stream.bytes)[3];
    assert!(text.contains("two frames ran together"), "{text}");
    let counters = host.run.counters();
    assert_eq!((counters.records, counters.bad(), counters.lost, counters.skipped_bytes), (5, 0, 0, 0));
}

/// On a two-byte clock, a smaller stamp is a wrap, unless its frame arrived after its successors. Four-byte time stamps
/// come from a three-byte counter.
#[test]
fn a_counter_shorter_than_its_stamps_goes_on() {
    let mut stream = Stream::start();
    let times: Vec<u32> = (0..600_u32).map(|n| 0x00FF_0000 + n * 0x1_0000).collect();
    for time in &times {
        stream.time = time % 0x0100_0000;
        stream.add(EN, &[]);
    }
    let rows = rows(&stream.bytes, &vec![]);
    let found: Vec<u64> = rows.iter().filter(|r| r.0.kind == RowKind(EN.into())).map(|r| r.0.time).collect();
    assert_eq!(found, times.iter().map(|time| u64::from(*time)).collect::<Vec<_>>());
    let notes: Vec<&str> = rows.iter().filter(|r| !r.0.is_record()).map(|r| r.1.as_str()).collect();
    assert_eq!(
        notes[notes.len() - 1..],
        [
            "counter wrapped close to 2^24; time continues: a guess, -o counter-bits=24 confirms it, counter-bits=64 denies it"
        ]
    );
}

#[test]
fn time_of_two_bytes_goes_on() {
    let stamps = [(0, 100), (1, 60_100), (2, 120_100), (4, 180_100), (3, 180_000), (5, 180_110), (6, 245_000)];
    let bytes: Vec<u8> = stamps
        .iter()
        .flat_map(|&(seq, time): &(u8, u32)| {
            let [low, high, ..] = time.to_le_bytes();
            sealed(&[EN, seq, low, high], true)
        })
        .collect();
    let rows = rows(&bytes, &vec![("timestamp", b"2"), ("nseq", b"1"), ("tstamp", b"1"), ("checksum", b"1")]);
    let times: Vec<u32> = rows.iter().filter(|r| r.0.is_record()).map(|r| r.0.time as u32).collect();
    assert_eq!(times, stamps.map(|(_, time)| time));
    let notes: Vec<&str> = rows.iter().filter(|r| !r.0.is_record()).map(|r| r.1.as_str()).collect();
    let late = "nseq 3 arrived late, not lost; the gap at byte 18 counted it";
    assert_eq!(notes, ["0 records lost, of nseq 3, all arrived late", late]);
}

/// Whatever the target sent while the link was down is missing, which only sequence numbers would show.
#[test]
fn a_link_that_was_down_hides_records_where_there_are_no_numbers() {
    const NUMBERED: u32 = 1 << 15;
    for flags in [FULL, FULL & !NUMBERED] {
        let mut stream = Stream::reported(&tcfg(0xAC, 0x3400, flags, [4, 4, 1]));
        stream.add(EN, &[]).add(EN, &[]);
        let at = stream.bytes.len() as u64;
        stream.add(EN, &[]).add(EN, &[]);
        let event = |kind, pos| StreamEvent { kind, pos, ..StreamEvent::default() };
        let links = [(StreamEventKind::LINK_UP, 0), (StreamEventKind::LINK_DOWN, at), (StreamEventKind::LINK_UP, at)];
        let mut host = Host::open(decoder(), &[]).unwrap();
        host.feed(&stream.bytes, &links.map(|(kind, pos)| event(kind, pos))).unwrap();
        let records = host.run.rows.iter().filter(|row| row.is_record());
        let hides: Vec<bool> = records.map(|row| row.may_hide_records()).collect();
        assert_eq!(hides, [false, false, false, flags & NUMBERED == 0, false]);
    }
}
