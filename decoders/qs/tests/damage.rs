//! Damage, loss, and text between frames, in the native receiver.

use crate::common::{Stream, decode, frame, notes, rows};
use spytui_decoder_harness::{lines, lost};
use spytui_plugin_api::{
    Batch, ByteRange, Chunk, Row, Source, StreamEvent,
    chunk::StreamEventKind,
    row::{RowFlags, RowKind},
};
use spytui_plugin_host::kit::{Host, end_event, start_event};

const LATE: u16 = RowKind::LATE.0;
const IDLE: u16 = 0xFF40;

fn kinds(bytes: &[u8]) -> Vec<u16> {
    rows(bytes, &vec![]).iter().map(|r| r.0.kind.0).collect()
}

/// 8-bit sequence numbers continue after the loss of 256 frames.
#[test]
fn a_missing_tick_shows_what_sequence_numbers_hide() {
    let stream = |lost: u8, ticks: &dyn Fn(u32) -> u32| {
        let mut stream = Stream::start();
        for n in 0..50 {
            stream.add(31, &[&ticks(n).to_le_bytes()[..], &[0]].concat()).stamp(n);
            if n == 41 {
                stream.lose(lost);
            }
        }
        let rows = rows(&stream.bytes, &vec![]);
        let hides = rows.iter().filter(|row| row.0.may_hide_records());
        hides.map(|row| (row.0.kind, row.1.clone())).collect::<Vec<_>>()
    };
    let text = "9 ticks are missing before 50 of rate 0, but no sequence number: 256 records were lost, or more, \
                or the filter of the target left ticks out";
    let hole = |n| if n > 40 { n + 9 } else { n };
    assert_eq!(stream(0, &hole), [(RowKind::HINT, text.to_owned())]);
    let gap = stream(9, &|n| if n > 41 { n + 4 } else { n });
    assert_eq!(gap.iter().map(|row| row.0).collect::<Vec<_>>(), [RowKind::GAP]);
    for ticks in [&|n| n, &|n| n * 7, &|n| 0xFFFF_FFD8_u32.wrapping_add(n), &|n| n % 40] as [&dyn Fn(u32) -> u32; 4] {
        assert_eq!(stream(0, ticks), []);
    }
}

#[test]
fn a_banner_runs_into_the_first_frame() {
    let mut stream = Stream::empty();
    stream.raw(b"U-Boot 2026\r\n\r\nRAM ok").add(0, &[]).add(64, &crate::common::info(0xFF, 734, 4)).stamp(7);
    let rows = rows(&stream.bytes, &vec![]);
    let texts: Vec<&str> = rows.iter().map(|r| r.1.as_str()).collect();
    assert_eq!(texts[..2], ["U-Boot 2026", "\r\nRAM ok"]);
    assert_eq!(
        rows.iter().map(|r| r.0.kind.0).collect::<Vec<_>>(),
        [RowKind::CONSOLE.0, RowKind::CONSOLE.0, 0, 64, 39]
    );
    assert!(rows[..2].iter().all(|r| !r.0.is_record() && !r.0.has(RowFlags::SKIPPED)));
}

#[test]
fn text_between_frames_costs_no_frame() {
    for text in ["x", "ok\r\n", "temp {12}", "a}", "tilde ~ and more\n", "{\"a\":1}", "größer", "\x1B[31mred\x1B[0m"]
    {
        let mut stream = Stream::start();
        stream.stamp(10).raw(text.as_bytes()).stamp(20).stamp(30);
        let kinds = kinds(&stream.bytes);
        let records: Vec<u16> = kinds.iter().copied().filter(|k| *k < 0xFF00).collect();
        assert_eq!(records, [0, 64, 39, 39, 39], "{text:?}: {kinds:x?}");
        assert!(!kinds.contains(&RowKind::GAP.0), "{text:?}");
    }
}

/// A flag in text does not end a damaged frame if the frame after the text is the next one.
#[test]
fn text_with_flags_is_text_if_no_frame_is_missing() {
    for (text, shown) in [
        ("uart:~$ ", vec!["uart:~$"]),
        ("x~", vec!["x"]),
        ("ls ~/a\r\nb~c ", vec!["ls ~/a", "b~c"]),
        ("=~=~=~= log of today =~=~=~=\r\n", vec!["=~=~=~= log of today =~=~=~="]),
        ("- ~\r\n", vec!["- ~"]),
        ("\r\n", vec![""]),
    ] {
        let mut stream = Stream::start();
        stream.stamp(10).raw(text.as_bytes()).stamp(20).stamp(30);
        let expected = decode(&stream.bytes, &vec![], 4096).run;
        assert!(expected == decode(&stream.bytes, &vec![], 1).run, "{text:?}");
        let rows = rows(&stream.bytes, &vec![]);
        let texts: Vec<&str> = rows.iter().filter(|r| r.0.kind == RowKind::CONSOLE).map(|r| r.1.trim()).collect();
        let kinds: Vec<u16> = rows.iter().map(|r| r.0.kind.0).filter(|kind| *kind != RowKind::CONSOLE.0).collect();
        assert_eq!((texts, kinds), (shown, vec![0, 64, 39, 39, 39]), "{text:?}");
    }
}

/// If a frame is missing, a segment that could be text is damage.
#[test]
fn text_with_flags_is_damage_if_a_frame_is_missing() {
    let mut stream = Stream::start();
    stream.stamp(10).raw(b"ab~").lose(1).stamp(20);
    assert_eq!(kinds(&stream.bytes), [0, 64, 39, RowKind::BAD_CHECK.0, RowKind::GAP.0, 39]);
    assert_eq!(rows(&stream.bytes, &vec![])[4].1, "≥1 record lost, seq 4: frame damaged · 10 ticks");
    // Text with a valid sum by chance.
    let sum = frame(b'=', b'a', b" ");
    let mut stream = Stream::start();
    stream.stamp(10).raw(&sum).stamp(20);
    assert_eq!(kinds(&stream.bytes), [0, 64, 39, RowKind::CONSOLE.0, 39], "{sum:x?}");
}

/// Held bytes are limited, and released at the end of the stream.
#[test]
fn text_with_flags_does_not_wait_for_ever() {
    let mut host = Host::open(crate::common::decoder(), &[]).unwrap();
    host.feed(&Stream::start().bytes, &[start_event()]).unwrap();
    host.feed(&b"a~".repeat(10_000), &[]).unwrap();
    assert!(host.run.pending <= 4096 + 2, "{}", host.run.pending);
    host.feed(b"$ ", &[end_event(host.fed as usize + 2)]).unwrap();
    let is_text = |row: &Row| row.kind == RowKind::CONSOLE;
    assert!(host.run.pending == 0 && host.run.rows[2..].iter().all(is_text));
    // Lines are shown before the next frame arrives.
    let mut host = Host::open(crate::common::decoder(), &[]).unwrap();
    host.feed(&Stream::start().bytes, &[start_event()]).unwrap();
    host.feed(b"uart:~$ ls\r\n", &[]).unwrap();
    assert_eq!((host.run.pending, host.run.rows.len()), (0, 3));
}

#[test]
fn a_whole_line_is_shown_before_a_flag_comes() {
    let mut host = Host::open(crate::common::decoder(), &[]).unwrap();
    let stream = Stream::start();
    host.feed(&stream.bytes, &[start_event()]).unwrap();
    host.feed(b"Hello, world\n", &[]).unwrap();
    assert_eq!(host.run.rows.last().unwrap().kind.0, RowKind::CONSOLE.0);
    host.feed(b"second line\nthi", &[]).unwrap();
    assert_eq!((host.run.rows.len(), host.run.pending), (4, 3));
}

#[test]
fn a_frame_full_of_printable_bytes_is_no_text() {
    let mut stream = Stream::start();
    stream.seq = 0x41;
    // Stamp "abcd", signal 10 = a line feed.
    stream.add(8, b"abcd\x0A\0efghijkl").add(8, b"abce\x0A\0efghijkl");
    for size in [1, 5, 4096] {
        let kinds: Vec<u16> = decode(&stream.bytes, &vec![], size).run.rows.iter().map(|r| r.kind.0).collect();
        assert_eq!(kinds, [0, 64, RowKind::GAP.0, 8, 8], "in chunks of {size}");
    }
}

#[test]
fn a_reboot_with_a_banner() {
    let mut stream = Stream::start();
    stream.stamp(10).raw(b"\x00\x80rubbish").raw(b"\r\nBoot v2\r\n");
    stream.seq = 1;
    stream.add(0, &[]).add(64, &crate::common::info(0xFF, 734, 4)).stamp(3);
    let kinds = kinds(&stream.bytes);
    assert_eq!(kinds[kinds.len() - 3..], [0, 64, 39], "{kinds:x?}");
    assert!(!kinds.contains(&RowKind::GAP.0), "{kinds:x?}");
}

#[test]
fn a_frame_behind_noise_is_found() {
    let mut stream = Stream::start();
    stream.stamp(10).raw(&[0x13, 0x80, 0xFF, 0x05, 0x7D]).stamp(20);
    assert_eq!(kinds(&stream.bytes), [0, 64, 39, RowKind::BAD_CHECK.0, 39]);
}

#[test]
fn a_frame_behind_a_lost_flag_is_found() {
    let mut stream = Stream::start();
    stream.stamp(10).stamp(20);
    *stream.bytes.last_mut().unwrap() = 0x6E;
    stream.stamp(30);
    let rows = rows(&stream.bytes, &vec![]);
    assert_eq!(
        rows.iter().map(|r| r.0.kind.0).collect::<Vec<_>>(),
        [0, 64, 39, RowKind::BAD_CHECK.0, RowKind::GAP.0, 39]
    );
    assert_eq!(rows[4].1, "≥1 record lost, seq 4: frame damaged · 20 ticks");
}

/// Text at the end of a frame, written while the target resets: its lines are readable, and the rest of the frame is
/// damage.
#[test]
fn lines_in_damage_are_rows_of_their_own() {
    let mut stream = Stream::start();
    stream.stamp(10).raw(&[4, 8, 6, 4, 0, 0]).raw(b"\r\nMPU FAULT at 0x08001234\r\nPC=1\r\n");
    stream.seq = 1;
    stream.add(0, &[]).add(64, &crate::common::info(0xFF, 734, 4)).stamp(3);
    for size in [1, 4096] {
        let host = decode(&stream.bytes, &vec![], size);
        let kinds: Vec<u16> = host.run.rows.iter().map(|row| row.kind.0).collect();
        let console = RowKind::CONSOLE.0;
        let restart = RowKind::RESTART.0;
        assert_eq!(
            kinds,
            [0, 64, 39, RowKind::BAD_CHECK.0, console, console, restart, 0, 64, 39],
            "in chunks of {size}"
        );
        assert_eq!((host.run.rows[3].len, host.run.counters().bad_checksum), (6, 1));
    }
    let texts: Vec<String> = rows(&stream.bytes, &vec![]).into_iter().map(|row| row.1).collect();
    assert_eq!(texts[4..6], ["\r\nMPU FAULT at 0x08001234", "PC=1"]);
    // Nothing follows, or no flag for a long time.
    for (after, kind) in [(0, RowKind::TAIL), (70_000, RowKind::TOO_LONG)] {
        let mut stream = Stream::start();
        stream.stamp(10).raw(&[4, 8, 6, 4, 0, 0]).raw(b"\r\nMPU FAULT at 0x08001234\r\n").raw(&vec![0; after]);
        assert_eq!(kinds(&stream.bytes)[3..5], [kind.0, RowKind::CONSOLE.0], "{after} bytes behind it");
    }
}

/// Frames with flipped bits don't count as text.
#[test]
fn damage_has_no_lines() {
    let clean = crate::common::file("oven-734.bin");
    let mut seed = 7u32;
    for round in 0..20 {
        let mut bytes = clean[..20_000].to_vec();
        for _ in 0..300 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            bytes[(seed >> 8) as usize % 20_000] ^= 1 << (seed >> 29);
        }
        let rows = decode(&bytes, &vec![], 4096).run.rows;
        let is_line = |row: &&Row| row.kind == RowKind::CONSOLE && row.len >= 8;
        assert_eq!(rows.iter().find(is_line), None, "round {round}");
    }
}

#[test]
fn damage_has_a_name() {
    let mut stream = Stream::start();
    stream.raw(b"\xFF\x7E").stamp(1).raw(&[0x05, 0x7D, 0x7E]).stamp(2).raw(&[1, 2, 3, 4, 0x7E]).stamp(3);
    let kinds = kinds(&stream.bytes);
    assert_eq!(kinds, [0, 64, RowKind::TOO_SHORT.0, 39, RowKind::BAD_FRAME.0, 39, RowKind::BAD_CHECK.0, 39]);
}

#[test]
fn flags_in_a_row_are_no_damage() {
    let mut stream = Stream::start();
    stream.raw(&[0x7E; 5]).stamp(1).raw(&[0x7E; 3000]).stamp(2);
    let host = decode(&stream.bytes, &vec![], 4096);
    let rows: Vec<(u16, u32)> = host.run.rows.iter().map(|r| (r.kind.0, r.len)).collect();
    assert_eq!(rows, [(0, 4), (64, 20), (39, 14), (IDLE, 1025), (IDLE, 1025), (39, 959)]);
    assert_eq!(host.run.counters().skipped_bytes, 0);
}

#[test]
fn a_frame_that_came_twice_is_no_record() {
    let mut stream = Stream::start();
    stream.stamp(1);
    let twice = frame(3, 39, &[1, 0, 0, 0, 1]);
    stream.raw(&twice).stamp(2);
    assert_eq!(kinds(&stream.bytes), [0, 64, 39, RowKind::DUPLICATE.0, 39]);
}

#[test]
fn a_frame_that_came_late_is_not_lost() {
    let mut stream = Stream::start();
    stream.stamp(1).raw(&frame(5, 39, &[3, 0, 0, 0, 1])).raw(&frame(4, 39, &[2, 0, 0, 0, 1]));
    stream.seq = 6;
    stream.stamp(4);
    assert_eq!(kinds(&stream.bytes), [0, 64, 39, RowKind::GAP.0, 39, LATE, 39, 39]);
}

/// A late frame is also earlier on a two-byte clock, where time otherwise only goes forward.
#[test]
fn a_late_frame_with_stamps_of_two_bytes_is_earlier() {
    let mut stream = Stream::empty();
    let mut two = crate::common::info(0xFF, 734, 4);
    two[7] = 2;
    stream.add(0, &[]).add(64, &two).add(39, &[1, 0, 1]);
    stream.raw(&frame(5, 39, &[9, 0, 1])).raw(&frame(4, 39, &[2, 0, 1]));
    stream.seq = 6;
    stream.add(39, &[10, 0, 1]).add(39, &[4, 0, 1]);
    assert_eq!(kinds(&stream.bytes), [0, 64, 39, RowKind::GAP.0, 39, LATE, 39, 39, 39]);
    let rows = rows(&stream.bytes, &vec![]);
    let times: Vec<u64> = rows.iter().filter(|r| r.0.kind.0 == 39).map(|r| r.0.time).collect();
    assert_eq!(times, [1, 9, 2, 10, 0x1_0004]);
}

#[test]
fn a_gap_says_how_much_is_missing() {
    let mut stream = Stream::start();
    stream.stamp(10).lose(250).stamp(20);
    let host = decode(&stream.bytes, &vec![], 4096);
    assert_eq!(host.run.rows[3].kind.0, RowKind::GAP.0);
    assert_eq!(lost(&host, 3), Some((250, 0)), "254 is before the first number");
    assert_eq!(lines(&host, &stream.bytes)[3], "≥250 records lost, seq 4-253 · 10 ticks · ring or line");
}

/// A loss of nearly all numbers looks like a step back, but not if time goes forward.
#[test]
fn a_step_back_is_a_loss_when_time_goes_on() {
    let mut stream = Stream::start();
    for time in 1..10 {
        stream.stamp(time);
    }
    stream.lose(250).stamp(20);
    let host = decode(&stream.bytes, &vec![], 4096);
    let gap = host.run.rows.len() - 2;
    assert_eq!((lost(&host, gap), host.run.counters().gaps), (Some((0, 0)), 0), "it may be late");
    assert_eq!(lines(&host, &stream.bytes)[gap], "seq 6 instead of 12: later frames decide");
    stream.stamp(30).stamp(40).stamp(50);
    let host = decode(&stream.bytes, &vec![], 4096);
    assert_eq!(lost(&host, gap), Some((250, 0)));
    assert_eq!((host.run.counters().gaps, host.run.counters().lost), (1, 250));
    assert_eq!(lines(&host, &stream.bytes)[gap], "≥250 records lost, seq 12-5 · 11 ticks · ring or line");
}

#[test]
fn more_may_be_missing_when_time_went_on() {
    let mut stream = Stream::start();
    (0..100).for_each(|i| {
        stream.stamp(i * 10);
    });
    stream.lose(3).stamp(1_000_000);
    let texts: Vec<String> = notes(&stream.bytes, &vec![]).into_iter().map(|n| n.1).collect();
    assert_eq!(texts, ["≥3 records lost, seq 103-105 · 999 010 ticks · ring or line"]);
}

#[test]
fn more_may_be_missing_when_many_bytes_were_damaged() {
    let mut stream = Stream::start();
    stream.stamp(10).stamp(20);
    for _ in 0..300 {
        let mut bad = frame(9, 39, &[1, 2, 3, 4, 5]);
        bad[3] ^= 0x11;
        stream.raw(&bad);
    }
    stream.lose(3).stamp(30);
    let gap = notes(&stream.bytes, &vec![]).pop().unwrap();
    assert_eq!(gap.0, RowKind::GAP.0);
    assert!(gap.1.starts_with("≥3 records lost, seq 5-7: frames damaged"), "{}", gap.1);
}

#[test]
fn a_run_without_a_flag_is_bounded() {
    let mut bytes = Stream::start().bytes;
    bytes.extend(vec![0x05; 200_000]);
    bytes.extend(frame(3, 39, &[1, 0, 0, 0, 1]));
    let host = decode(&bytes, &vec![], 4096);
    let kinds: Vec<u16> = host.run.rows.iter().map(|r| r.kind.0).collect();
    assert_eq!(kinds, [0, 64, RowKind::TOO_LONG.0, RowKind::RESYNC.0, RowKind::RESYNC.0, RowKind::BAD_CHECK.0, 39]);
}

#[test]
fn noise_with_the_right_sum_is_not_believed() {
    let mut stream = Stream::start();
    stream.stamp(10).raw(&frame(200, 6, &[1, 2, 3])).stamp(20);
    assert_eq!(kinds(&stream.bytes), [0, 64, 39, RowKind::BAD_FRAME.0, 39]);
}

#[test]
fn zeros_with_the_right_sum_are_no_restart() {
    let mut stream = Stream::empty();
    stream.stamp(10).raw(&frame(0, 0, &[0, 0, 0, 0x2F])).stamp(20);
    assert_eq!(kinds(&stream.bytes), [39, RowKind::BAD_FRAME.0, 39]);
    let mut stream = Stream::empty();
    stream.raw(&frame(0, 0, &[0, 0, 0, 0x2F])).stamp(20);
    assert_eq!(kinds(&stream.bytes), [RowKind::PARTIAL.0, 39]);
}

#[test]
fn the_end_of_the_stream_leaves_nothing_behind() {
    for (tail, kind) in
        [(&b"\x05\x06\x01"[..], RowKind::TAIL.0), (b"login: now", RowKind::CONSOLE.0), (b"\x7E\x7E", IDLE)]
    {
        let mut stream = Stream::start();
        stream.raw(tail);
        let (row, _) = rows(&stream.bytes, &vec![]).pop().unwrap();
        assert_eq!((row.kind.0, row.len as usize), (kind, tail.len()));
    }
}

#[test]
fn a_link_that_breaks_gives_up_half_a_frame() {
    let mut host = Host::open(crate::common::decoder(), &[]).unwrap();
    let stream = Stream::start();
    let at = |kind, pos: usize| StreamEvent { kind, pos: pos as u64, ..StreamEvent::default() };
    host.feed(&stream.bytes, &[start_event()]).unwrap();
    host.feed(&[3, 39, 1], &[]).unwrap();
    let pos = host.fed as usize;
    host.feed(b"", &[at(StreamEventKind::LINK_DOWN, pos), at(StreamEventKind::LINK_UP, pos)]).unwrap();
    host.feed(&[0x22, 0x7E], &[]).unwrap();
    host.feed(b"", &[end_event(pos + 2)]).unwrap();
    let kinds: Vec<u16> = host.run.rows.iter().map(|r| r.kind.0).collect();
    assert_eq!(kinds, [0, 64, RowKind::CUT_OFF.0, RowKind::PARTIAL.0]);
    let all = [&stream.bytes[..], &[3, 39, 1, 0x22, 0x7E]].concat();
    assert_eq!(lines(&host, &all)[2], "frame cut off by the disconnect · 3 B");
}

#[test]
fn what_the_host_lost_is_the_hosts() {
    let mut host = Host::open(crate::common::decoder(), &[]).unwrap();
    let mut stream = Stream::start();
    host.feed(&stream.bytes, &[start_event()]).unwrap();
    let pos = stream.bytes.len();
    host.feed(
        b"",
        &[StreamEvent { kind: StreamEventKind::HOST_LOSS, pos: pos as u64, arg: 100, ..StreamEvent::default() }],
    )
    .unwrap();
    stream.lose(4).stamp(3);
    host.feed(&stream.bytes[pos..], &[]).unwrap();
    let texts = lines(&host, &stream.bytes);
    assert_eq!(texts[2], "≥4 records lost, seq 3-6 · host");
}

#[test]
fn options_of_a_mark_hold_from_there() {
    // They are also evidence against a frame that neither fits nor has the expected number.
    let bytes = [frame(1, 1, &[0; 8]), frame(2, 1, &[0; 16]), frame(200, 1, &[0; 8])].concat();
    let texts = b"obj-ptr=8\nfun-ptr=8\n";
    let cut = ByteRange { off: 0, len: texts.len() as u32 };
    let marks =
        [start_event(), StreamEvent { kind: StreamEventKind::OPTIONS, pos: 12, text: cut, ..StreamEvent::default() }];
    let mut instance = crate::common::decoder().open(&[], &Source::default()).unwrap();
    let mut batch = Batch::default();
    let chunk = Chunk {
        pos: 0,
        bytes: bytes.as_slice().into(),
        events: marks.as_slice().into(),
        texts: texts[..].into(),
        wants_activities: false,
    };
    instance.feed(&chunk, &mut batch).unwrap();
    assert_eq!(batch.rows.iter().map(|r| r.has(RowFlags::MALFORMED)).collect::<Vec<_>>(), [false; 3]);
    assert_eq!(batch.rows.iter().map(|r| r.kind.0).collect::<Vec<_>>(), [1, 1, RowKind::BAD_FRAME.0]);
    assert_ne!(batch.rows[0].cfg, batch.rows[1].cfg);
}
