//! The rules of the plugin API, on a stream as a target sends it.

#![allow(clippy::expect_used)]

use a5::A5;
use spytui_plugin_api::RowKind;
use spytui_plugin_host::kit::{Host, Sample, conform, lines};
use spytui_plugin_layer::{Check, decoder};

/// A frame.
fn frame(kind: u8, sequence: u8, time: u32, payload: &[u8]) -> Vec<u8> {
    let content = [&time.to_le_bytes(), payload].concat();
    let mut frame = [&[0xA5, content.len() as u8, kind, sequence][..], &content].concat();
    frame.push(Check::CRC8.of(&frame[1..]) as u8);
    frame
}

fn stream() -> Vec<u8> {
    let mut bytes =
        [frame(5, 0, 0, b"\x00\x07pump"), frame(5, 1, 0, b"\x02\x01idle"), frame(5, 2, 0, b"\x02\x02run")].concat();
    for i in 3..200_u8 {
        let time = u32::from(i) * 10;
        bytes.extend(match i % 4 {
            0 => frame(1, i, time, b"all is well\n"),
            1 => frame(2, i, time, &[1, i, 0xFF]),
            2 => frame(3, i, time, &[7, 1, 2]),
            _ => frame(4, i, time, &[i, 0]),
        });
    }
    bytes
}

#[test]
fn the_rules_of_the_plugin_api_hold() {
    let bytes = stream();
    let cut = &bytes[7..];
    let samples = [("whole", &bytes[..]), ("from the middle", cut)];
    conform(decoder::<A5>(), &samples.map(|(name, bytes)| Sample { name, opts: Vec::new(), bytes }));
}

/// The text of a part of a stream.
fn text(bytes: &[u8]) -> Vec<String> {
    lines(decoder::<A5>(), &[], bytes).expect("it decodes")
}

#[test]
fn a_counter_shorter_than_its_stamps_goes_on() {
    let stream =
        |stamps: &[u32]| stamps.iter().zip(0..).flat_map(|(time, i)| frame(1, i, *time, b"go\n")).collect::<Vec<u8>>();
    let found = |opts: &[(&str, &[u8])], stamps: &[u32]| {
        let bytes = stream(stamps);
        let host =
            Host::open(decoder::<A5>(), opts).and_then(|host| host.stream(&bytes, usize::MAX)).expect("it opens");
        let rows = host.run.rows.iter();
        let times: Vec<u64> = rows.clone().filter(|row| row.is_record()).map(|row| row.time).collect();
        (times, rows.filter(|row| !row.is_record()).map(|row| row.kind).collect::<Vec<_>>())
    };
    let short = [65_000, 65_200, 65_400, 64, 264];
    let goes_on = (vec![65_000, 65_200, 65_400, 65_600, 65_800], vec![RowKind::HINT]);
    assert_eq!(found(&[], &short), goes_on);
    assert_eq!(found(&[("counter-bits", b"16")], &short), goes_on);
    assert_eq!(found(&[("counter-bits", b"64")], &short).1, [RowKind::TIME_BACK]);
    assert_eq!(found(&[], &[45_000, 45_200, 300]).1, [RowKind::TIME_BACK]);
}

#[test]
fn each_kind_has_its_text() {
    let names = [frame(5, 0, 0, b"\x00\x07pump"), frame(5, 1, 0, b"\x02\x01idle"), frame(5, 2, 5, b"\x02\x02run")];
    let records = [
        frame(3, 3, 10, &[7, 1, 2]),
        frame(2, 4, 11, &[1, 0x0C, 0xFE]),
        frame(1, 5, 12, b"hot\n"),
        frame(4, 6, 13, &[9, 0]),
        frame(9, 7, 13, &[9, 0]),
        frame(2, 8, 13, &[9]),
        frame(2, 9, 13, &[9, 1, 2, 3]),
    ];
    let expected = [
        "NAME  object 7 = pump",
        "NAME  state 1 = idle",
        "NAME  state 2 = run",
        "STATE  idle → run",
        "SAMPLE  value -500",
        "LOG  hot\\n",
        "9 records dropped by the target (total 9), between ticks 12 and 13",
        "DROP  count 9",
        "UNKNOWN  id 9  bytes a5 06 09 07 0d 00 00 00 09 00 f6",
        "SAMPLE  does not fit",
        "SAMPLE  value 513 · more 03",
    ];
    assert_eq!(text(&[names.concat(), records.concat()].concat()), expected);
}

#[test]
fn damage_is_counted_up_to_the_next_good_frame() {
    let [mut first, second, third] = [0, 1, 2].map(|i| frame(1, i, i.into(), b"all is well"));
    // The bad length points beyond the next frame, which must still be found.
    first[1] = 30;
    let wrong = [frame(1, 9, 0, b"good"), first, second.clone(), third.clone()].concat();
    let lost = "damaged frame, wrong checksum · 20 B";
    assert_eq!(text(&wrong)[1], lost);
    let back = frame(1, 3, 1, b"back");
    let doubled = [second, third.clone(), third, back].concat();
    let expected =
        ["LOG  all is well", "LOG  all is well", "repeated frame", "time went back from tick 2 to 1", "LOG  back"];
    assert_eq!(text(&doubled), expected);
}
