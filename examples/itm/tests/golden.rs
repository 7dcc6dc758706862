//! The text of every packet.

#![allow(clippy::expect_used)]

mod encoder;

use encoder::*;
use itm::Itm;
use spytui_plugin_api::decoder;
use spytui_plugin_host::kit::lines;

fn of(packets: &[Vec<u8>]) -> Vec<String> {
    with(&[], packets)
}

fn with(opts: &[(&str, &[u8])], packets: &[Vec<u8>]) -> Vec<String> {
    lines(decoder::<Itm>(), opts, &[&SYNC[..], &packets.concat()].concat()).expect("it decodes")
}

#[test]
fn each_packet_has_its_text() {
    let lines = of(&[
        software(1, &[7]),
        software(2, &[1, 2]),
        software(31, &[1, 2, 3, 4]),
        page(1),
        software(0, &[9]),
        exception(15, ENTERED),
        exception(15, EXITED),
        exception(0, RETURNED),
        pc(0x0800_1234),
        hardware(2, &[0]),
        hardware(0, &[0x24]),
        hardware(8, &0x0800_0010_u32.to_le_bytes()),
        hardware(11, &[0x34, 0x12]),
        hardware(20, &[1]),
        hardware(23, &[1, 2, 0, 0]),
        global_low(1_000_000, 2),
        global_high(3),
        OVERFLOW.to_vec(),
        local(5, 0),
        local(500, 3),
    ]);
    let expected = [
        "SYNC",
        "VALUE  value 7",
        "VALUE  value 513",
        "VALUE  value 67305985",
        "EXTENSION  page 1",
        "VALUE  value 9",
        "ENTER",
        "EXIT",
        "RETURN",
        "PC  pc 0x08001234",
        "SLEEP",
        "EVENTS  sleep cycle wrapped",
        "DATA_PC  pc 0x08000010",
        "DATA_ADDR  address 0x1234",
        "READ  value 1",
        "WRITE  value 513",
        "GLOBAL  low 1000000  wrapped",
        "GLOBAL  high 3",
        "≥1 record lost · ring",
        "TIME  delta 5",
        "TIME  delta 500 · record and time late",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn characters_are_lines_up_to_another_source() {
    let long = "x".repeat(300);
    let packets = [
        text(0, "hello\r\nwor"),
        pc(1),
        text(0, "ld\n"),
        text(0, "\ta\n"),
        text(3, "no"),
        text(0, &long),
        text(0, "\n"),
    ];
    let values = ["VALUE  value 110", "VALUE  value 111"];
    let (first, rest) = ("x".repeat(256), "x".repeat(44));
    let lines_of = |texts: &[&str]| texts.iter().map(|text| format!("TEXT  {text}")).collect::<Vec<_>>();
    let got = of(&packets);
    assert_eq!(
        got[..4],
        [vec!["SYNC".to_owned()], lines_of(&["hello", "wor"]), vec!["PC  pc 0x00000001".to_owned()]].concat()
    );
    assert_eq!(got[4..6], lines_of(&["ld", "\\x09a"]));
    assert_eq!(got[6..8], values);
    assert_eq!(got[8..], lines_of(&[&first, &rest]));
    assert_eq!(with(&[("text", b"3")], &[text(3, "no\n"), text(0, "A")]), ["SYNC", "TEXT  no", "VALUE  value 65"]);
}

#[test]
fn a_stream_without_synchronisation_says_so() {
    let bytes = [software(1, &[7]), software(1, &[8])].concat();
    let got = lines(decoder::<Itm>(), &[], &bytes).expect("it decodes");
    let hint = "no synchronisation at the start: the first records may be wrong";
    assert_eq!(got, [hint, "VALUE  value 7", "VALUE  value 8"]);
}

/// Checks bits from the tables of `PROTOCOL.md`, independent of the encoder.
#[test]
fn bytes_are_those_of_the_tables() {
    let packets: [(&[u8], &str); 14] = [
        (&[0b1100_0000, 0b1000_0001, 0b0000_0001], "TIME  delta 129"),
        (&[0b0110_0000], "TIME  delta 6"),
        (
            &[0b1001_0100, 0b1000_0001, 0b1000_0000, 0b1000_0000, 0b0110_0001],
            "GLOBAL  low 2097153  wrapped  clock changed",
        ),
        (&[0b1011_0100, 0b1000_0001, 0b1000_0000, 0b1000_0000, 0b0000_0001], "GLOBAL  high 2097153"),
        (&[0b0111_1000], "EXTENSION  page 7"),
        (&[0b1111_1010, 0x34, 0x12], "VALUE  value 4660"),
        (&[0b0000_0101, 0b0001_0011], "EVENTS  CPI exception fold wrapped"),
        (&[0b0000_1110, 0x0F, 0b0001_0000], "ENTER"),
        (&[0b0000_1110, 0x0F, 0b0010_0000], "EXIT"),
        (&[0b0000_1110, 0x20, 0b0011_0000], "RETURN"),
        (&[0b0001_0111, 1, 2, 3, 4], "PC  pc 0x04030201"),
        (&[0b0100_0111, 1, 2, 3, 4], "DATA_PC  pc 0x04030201"),
        (&[0b0111_1110, 1, 2], "DATA_ADDR  address 0x0201"),
        (&[0b1000_1101, 9], "WRITE  value 9"),
    ];
    for (bytes, text) in packets {
        assert_eq!(of(&[bytes.to_vec()]), ["SYNC", text]);
    }
}

#[test]
fn characters_of_a_word_are_text_where_the_option_says_so() {
    let packets = [
        software(0, b"Hell"),
        software(0, b"o,"),
        software(0, b" wor"),
        software(0, b"ld\n\0"),
        software(0, &[1, 2, 3, 4]),
        software(1, b"abcd"),
        software(0, b"en"),
    ];
    let rest = ["VALUE  value 67305985", "VALUE  value 1684234849"];
    let expected = [&["SYNC", "TEXT  Hello, world"], &rest[..], &["TEXT  en"]].concat();
    assert_eq!(with(&[("text-words", b"yes")], &packets), expected);
    assert!(of(&packets).iter().all(|line| !line.starts_with("TEXT")));
}
