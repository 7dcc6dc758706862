//! Damage, in the native receiver.

use crate::common::{decode, notes, rows};
use spytui_decoder_harness::encode::tband::Stream;
use spytui_plugin_api::row::{RowKind, Severity};
use spytui_plugin_host::kit::{Host, start_event};

fn kinds(bytes: &[u8]) -> Vec<u16> {
    rows(bytes, &vec![]).iter().map(|r| r.0.kind.0).collect()
}

#[test]
fn damage_has_a_cause() {
    let cause = |event: &[u8]| {
        let mut s = Stream::default();
        s.resolution(1).frame(event);
        notes(&s.bytes, &vec![]).remove(0).1
    };
    for (event, text) in [
        (&[][..], "damaged frame, no event · 2 B"),
        (&[0x0C], "damaged frame, no event has id 0xC · 3 B"),
        (&[0x04], "damaged frame, time stamp missing · 3 B"),
        (&[0x04, 0x80], "damaged frame, time stamp cut · 4 B"),
        (&[0x04, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2], "damaged frame, time stamp too long · 13 B"),
        (&[0x04, 1], "damaged frame, isr_id cut or too long · 4 B"),
        (&[0x04, 1, 1, 9], "damaged frame, bytes left over after isr_enter · 6 B"),
        (&[0x65, 1, 6], "damaged frame, kind of queue missing or unknown · 5 B"),
    ] {
        assert_eq!(cause(event), text);
    }
    let mut s = Stream::default();
    s.resolution(1).raw(&[9, 1, 0]);
    assert_eq!(
        notes(&s.bytes, &vec![])[0].1,
        "damaged frame, a code byte points past its end: bytes are missing or wrong · 3 B"
    );
}

/// Text at the end of a frame, written while the target crashes: its lines are readable, and the rest of the frame is
/// damage.
#[test]
fn lines_in_damage_are_rows_of_their_own() {
    let console = RowKind::CONSOLE.0;
    for (after, kinds_of_damage) in [
        (&b"\0"[..], vec![RowKind::BAD_FRAME.0, console]),
        (b"", vec![RowKind::TAIL.0, console]),
        (&[7; 70_000], vec![RowKind::TOO_LONG.0, console, RowKind::RESYNC.0]),
    ] {
        let mut s = Stream::default();
        s.resolution(1).core(7, 0);
        let before = kinds(&s.bytes).len();
        s.raw(&[9, 1, 2]).raw(b"\r\nMPU FAULT at 0x08001234\r\n").raw(after);
        let rows = &rows(&s.bytes, &vec![])[before..];
        let kinds: Vec<u16> = rows.iter().map(|row| row.0.kind.0).take(kinds_of_damage.len()).collect();
        assert_eq!((kinds, rows[1].1.as_str()), (kinds_of_damage, "\r\nMPU FAULT at 0x08001234"));
        assert_eq!(decode(&s.bytes, &vec![], 1).run.counters().bytes(), s.bytes.len() as u64);
    }
}

#[test]
fn bad_frames_inherit_the_time() {
    let mut s = Stream::default();
    s.frame(&[0x0C]).core(7, 0).frame(&[0x0C]);
    let times: Vec<_> = rows(&s.bytes, &vec![]).iter().map(|(r, _)| (r.time, r.has_time())).collect();
    assert_eq!(times, [(0, false), (7, true), (7, true)]);
}

#[test]
fn runs_of_empty_frames_are_one_note() {
    let mut s = Stream::default();
    s.resolution(1).raw(&[0]).resolution(1).raw(&[0; 40]).resolution(1).raw(&[0; 5000]);
    let notes = notes(&s.bytes, &vec![]);
    let texts: Vec<&str> = notes.iter().map(|n| n.1.as_str()).collect();
    assert_eq!(texts, ["1 empty frame", "40 empty frames", "4 096 empty frames", "904 empty frames"]);
    assert!(notes.iter().all(|n| n.0 == RowKind::BAD_FRAME.0));
    let host = decode(&s.bytes, &vec![], 4096);
    assert_eq!(host.run.counters().bad_frame, 5041);
    assert!(host.run.rows.iter().all(|r| r.severity != Severity::ERROR));
}

#[test]
fn a_frame_without_an_end_is_reported_at_the_end() {
    for tail in [&[9, 9, 9][..], &[1], &[0xFF; 300]] {
        let mut s = Stream::default();
        s.resolution(1).raw(tail);
        let (row, text) = rows(&s.bytes, &vec![]).pop().unwrap();
        assert_eq!((row.kind.0, row.len as usize), (RowKind::TAIL.0, tail.len()));
        assert_eq!(text, format!("stream ends in the middle of a frame · {} B", tail.len()));
    }
    let mut s = Stream::default();
    s.resolution(1).raw(&[0, 0]);
    assert_eq!(kinds(&s.bytes), [2, RowKind::BAD_FRAME.0]);
}

#[test]
fn a_run_without_an_end_is_bounded() {
    let mut s = Stream::default();
    s.resolution(1).raw(&vec![5; 150_000]).raw(&[0]).core(1, 0);
    assert_eq!(kinds(&s.bytes), [2, RowKind::TOO_LONG.0, RowKind::RESYNC.0, RowKind::RESYNC.0, 0]);
    let host = decode(&s.bytes, &vec![], 4096);
    assert_eq!((host.run.counters().too_long, host.run.counters().skipped_bytes), (1, 150_001));
    let mut host = Host::open(crate::common::decoder(), &[("max-frame", b"100")]).unwrap();
    host.feed(&[7; 5000], &[start_event()]).unwrap();
    assert!(host.run.pending <= 100);
    assert_eq!(host.run.rows.len(), 49);
}

#[test]
fn long_texts_are_events() {
    let mut s = Stream::default();
    s.event(0x07, 1, &[1], &vec![b'x'; 60_000]);
    assert_eq!(kinds(&s.bytes), [7]);
    let host = decode(&s.bytes, &vec![("max-frame", b"1000")], 4096);
    assert_eq!(host.run.rows[0].kind.0, RowKind::TOO_LONG.0);
}

#[test]
fn the_first_frame_may_have_begun_before() {
    let mut s = Stream::default();
    s.raw(&[7, 7, 0]).resolution(1).raw(&[7, 7, 0]);
    let texts: Vec<String> = notes(&s.bytes, &vec![]).into_iter().map(|n| n.1).collect();
    assert!(texts[0].starts_with("damaged frame, or the stream begins in the middle of one: "), "{}", texts[0]);
    assert!(texts[1].starts_with("damaged frame, "));
}

#[test]
fn control_characters_of_a_text_stay_in_their_line() {
    let mut s = Stream::default();
    s.event(0x07, 1, &[1], b"a\0b\n\x1b[2J");
    let (row, text) = rows(&s.bytes, &vec![]).remove(0);
    // The host makes them visible; the row is complete and not a note.
    assert_eq!((row.kind.0, text.as_str()), (7, "a\0b\n\x1b[2J"));
}

#[test]
fn a_bare_metal_target_has_no_tasks() {
    let mut s = Stream::default();
    s.core(1, 0).run(2, 1);
    assert_eq!(kinds(&s.bytes), [0, 0x54]);
    let host = decode(&s.bytes, &vec![("mode", b"bare-metal")], 4096);
    assert_eq!(host.run.rows.iter().map(|r| r.kind.0).collect::<Vec<_>>(), [0, RowKind::BAD_FRAME.0]);
}
