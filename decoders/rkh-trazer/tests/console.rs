//! Text on the trace line, and time that goes back.

use crate::common::{decode, file, options_of, opts, rows};
use spytui_decoder_harness::Options;
use spytui_plugin_api::row::{Row, RowKind};
use spytui_plugin_host::kit::{Host, start_event};

const FLAG: u8 = 0x7E;

/// A capture with text before every seventh frame, and the number of texts.
fn with_text(bytes: &[u8], texts: &[&str]) -> (Vec<u8>, usize) {
    let mut mixed = Vec::new();
    let mut count = 0;
    for (i, frame) in bytes.split_inclusive(|b| *b == FLAG).enumerate() {
        if i % 7 == 3 {
            mixed.extend_from_slice(texts[count % texts.len()].as_bytes());
            count += 1;
        }
        mixed.extend_from_slice(frame);
    }
    (mixed, count)
}

fn records(all: &[Row]) -> Vec<(u16, u64, u64)> {
    all.iter().filter(|row| row.is_record()).map(|row| (row.kind.0, row.time, row.obj)).collect()
}

fn costs_nothing(name: &str, options: &Options<'_>, texts: &[&str]) {
    let bytes = file(name);
    let clean = decode(&bytes, options, 4096).run.rows;
    let (mixed, count) = with_text(&bytes, texts);
    for chunk in [4096, 7] {
        let rows = decode(&mixed, options, chunk).run.rows;
        assert_eq!(records(&rows), records(&clean), "{name}");
        let of = |kind: RowKind| rows.iter().filter(|row| row.kind == kind).count();
        assert_eq!((of(RowKind::CONSOLE), of(RowKind::GAP), of(RowKind::BAD_CHECK)), (count, 0, 0), "{name}");
    }
}

#[test]
fn printed_text_costs_no_record() {
    let texts = ["x=1 ", "valve open: 42 %\r\n", "{\"json\": [1, 2]}\n", "größer {x}"];
    for name in ["gh340-default.bin", "el323-sig2.bin", "gh246-default.bin", "el340-wide.bin"] {
        costs_nothing(name, &vec![], &texts);
    }
    // Without checksums and numbers, only lines can be distinguished from frames.
    costs_nothing("gh340-bare.bin", &opts(&options_of("gh340-bare")), &["valve open: 42 %\r\n", "ok\n"]);
}

/// A flag in text does not end a damaged frame if the frame after the text is the next one.
#[test]
fn text_with_flags_is_text_if_no_frame_is_missing() {
    let texts = ["uart:~$ ", "x~", "=~=~=~= log of today =~=~=~=\r\n", "a~b~c~ ", "\r\n"];
    for name in ["gh340-default.bin", "el323-sig2.bin", "gh246-default.bin", "el340-wide.bin"] {
        costs_nothing(name, &vec![], &texts);
    }
    let mut stream = crate::common::Stream::start();
    stream.add(160, &[]).raw(b"uart:~$ ls ~/a\r\n").add(160, &[]);
    let shown: Vec<String> = rows(&stream.bytes, &vec![]).into_iter().map(|row| row.1).collect();
    assert_eq!(shown[2], "uart:~$ ls ~/a");
}

/// If a frame is missing, a segment that could be text is damage.
#[test]
fn text_with_flags_is_damage_if_a_frame_is_missing() {
    let mut stream = crate::common::Stream::start();
    stream.add(160, &[]).raw(b"ab~").lose(1).add(160, &[]);
    let kinds: Vec<u16> = rows(&stream.bytes, &vec![]).iter().map(|row| row.0.kind.0).collect();
    assert_eq!(kinds[2..], [RowKind::BAD_CHECK.0, RowKind::GAP.0, 160]);
    // The frame after a short text is not lost, too.
    let mut stream = crate::common::Stream::start();
    stream.add(160, &[]).raw(b"ok\r\n").lose(1).add(160, &[]);
    let kinds: Vec<u16> = rows(&stream.bytes, &vec![]).iter().map(|row| row.0.kind.0).collect();
    assert_eq!(kinds[2..], [RowKind::CONSOLE.0, RowKind::GAP.0, 160]);
}

#[test]
fn text_before_the_first_frame_and_at_the_end() {
    let bytes = [b"U-Boot 2026\r\nstarting\r\n".as_slice(), &file("gh340-default.bin"), b"assertion failed\n"].concat();
    let rows = rows(&bytes, &vec![]);
    let text: Vec<&str> = rows.iter().filter(|r| r.0.kind == RowKind::CONSOLE).map(|r| r.1.as_str()).collect();
    assert_eq!(text, ["U-Boot 2026", "starting", "assertion failed"]);
    assert!(rows.iter().all(|r| r.0.kind != RowKind::PARTIAL && r.0.kind != RowKind::TAIL));
}

/// A printed line is shown once it is complete, before the next frame.
#[test]
fn a_line_is_shown_when_it_is_complete() {
    let mut stream = crate::common::Stream::start();
    stream.post(67, 1, 5, 1).get(1, 5, 0);
    let mut host = Host::open(crate::common::decoder(), &[]).unwrap();
    host.feed(&stream.bytes, &[start_event()]).unwrap();
    let records = host.run.rows.len();
    let reported = |host: &Host| host.run.rows[records..].iter().map(|row| (row.kind.0, row.len)).collect::<Vec<_>>();
    let console = RowKind::CONSOLE.0;
    for (printed, rows) in [
        ("valve ", vec![]),
        ("open: 42 %\r", vec![]),
        ("\n", vec![(console, 18)]),
        ("ok\n", vec![(console, 18), (console, 3)]),
        ("pump", vec![(console, 18), (console, 3)]),
    ] {
        host.feed(printed.as_bytes(), &[]).unwrap();
        assert_eq!(reported(&host), rows, "{printed:?}");
    }
    let from = stream.bytes.len();
    stream.post(67, 1, 6, 1).post(67, 1, 7, 2);
    host.feed(&stream.bytes[from..], &[]).unwrap();
    let kinds: Vec<u16> = reported(&host).iter().map(|row| row.0).collect();
    assert_eq!(kinds, [console, console, console, 67, 67]);
}

/// A frame of printable bytes is not part of the text.
#[test]
fn a_printable_frame_is_no_line() {
    let mut stream = crate::common::Stream::start();
    // Id, number, time and arguments are letters and line feeds.
    stream.time = 0x6161_6151;
    for _ in 0..0x61 {
        stream.add(105, b"aaaa");
    }
    for lost in [0, 3] {
        let mut stream = stream.clone();
        stream.lose(lost).raw(b"valve open: ").add(98, b"aaaa\nbb\ncccc").add(98, b"aaaa\nbb\ncccc");
        for chunk in [1, 7, 4096] {
            let rows = decode(&stream.bytes, &vec![], chunk).run.rows;
            let of = |kind: u16| rows.iter().filter(|row| row.kind.0 == kind).count();
            assert_eq!((of(98), of(RowKind::BAD_CHECK.0)), (2, 0), "{lost} lost, in chunks of {chunk}");
        }
    }
}

#[test]
fn time_that_goes_back_is_a_note() {
    let mut stream = crate::common::Stream::start();
    stream.post(67, 1, 5, 1);
    stream.time -= 15;
    stream.get(1, 5, 0);
    let rows = rows(&stream.bytes, &vec![]);
    let at = rows.iter().position(|r| r.0.kind == RowKind::TIME_BACK).unwrap();
    assert!(rows[at].1.starts_with("time went back from tick "), "{}", rows[at].1);
    assert_eq!(rows[at + 1].0.kind.0, 66);
    assert_eq!(rows.iter().filter(|r| r.0.kind == RowKind::TIME_BACK).count(), 1);
}
