//! The reference host's text of every capture, byte for byte where it is correct.

use crate::common::{file, json_file, options_of, opts, text};
use spytui_decoder_harness::{Options, same};

const STYLE: (&str, &[u8]) = ("reference", b"trazer-3.2");

/// The host's text from the first event on.
fn events(name: &str) -> Vec<u8> {
    let text = file(&format!("{name}.txt"));
    let banner = b"-------- Parsing trace stream from file ";
    let start = text.windows(banner.len()).position(|w| w == banner).unwrap();
    let line = text[start..].iter().position(|&b| b == b'\n').unwrap();
    text[start + line + 2..].to_vec()
}

fn golden(name: &str, opts: &Options<'_>) {
    let bytes = file(&format!("{name}.bin"));
    for size in [65_536, 1, 7, 1000] {
        same(&format!("{name} in chunks of {size}"), &text(&bytes, opts, size), &events(name));
    }
}

#[test]
fn captures_whose_text_is_right() {
    for name in ["gh340-default", "gh300-sig1ts1", "el340-filtered", "gh340-default-flip"] {
        golden(name, &vec![STYLE]);
    }
}

/// Where the host misreads, the decoder writes the correct values in the same format: the number of lines that differ
/// is known.
#[test]
fn only_wrong_lines_differ() {
    for name in ["el323-sig2", "el323-sig2-drop", "el340-wide", "gh340-notcfg-nosnr", "el340-filtered-mix"] {
        let known = options_of(name);
        let mut options = opts(&known);
        options.push(STYLE);
        let got = text(&file(&format!("{name}.bin")), &options, 4096);
        let expected = events(name);
        let (got, expected): (Vec<_>, Vec<_>) =
            (got.split(|&b| b == b'\n').collect(), expected.split(|&b| b == b'\n').collect());
        assert_eq!(got.len(), expected.len(), "{name}");
        let differ = got.iter().zip(&expected).filter(|(g, e)| g != e).count();
        let wrong = json_file(&format!("{name}.json"))["reference_host"]["text_lines_wrong"].as_u64().unwrap();
        assert_eq!(differ as u64, wrong, "{name}");
    }
}

#[test]
fn without_number_and_stamp_all_but_user_events_is_right() {
    let got = text(&file("gh340-bare.bin"), &vec![STYLE], 4096);
    let expected = events("gh340-bare");
    let plain = |text: &[u8]| -> Vec<Vec<u8>> {
        let item = |line: &&[u8]| line.starts_with(b"                                  | ");
        text.split(|&b| b == b'\n').filter(|l| !item(l)).map(<[u8]>::to_vec).collect()
    };
    assert_eq!(plain(&got), plain(&expected));
    let text = String::from_utf8(got).unwrap();
    let pad = "                                  | ";
    assert!(text.contains(&format!("| LOG_TEXT   : User trace information\n{pad}soil 41%\n{pad}1\n{pad}\n")));
}

#[test]
fn values_that_the_host_misreads_are_right() {
    let known = options_of("gh340-notcfg-nosnr");
    let mut options = opts(&known);
    options.push(STYLE);
    let text = String::from_utf8(text(&file("gh340-notcfg-nosnr.bin"), &options, 4096)).unwrap();
    for line in [
        "      32237| [115] | SMA | FIFO       : ao=climate, sig=sPOWER, pid=static, rc=0, nelem=1, nseq=1",
        "      32243| [117] | SMA | GET        : ao=climate, sig=sPOWER, pid=static, rc=0, nelem=0, rt=-1, nseq=0",
        "      32307| [132] | MP  | GET        : mp=memPool0, nfree=59, nmin=59",
    ] {
        assert!(text.lines().any(|l| l == line), "{line}");
    }
}

/// Names move in the host: the older object loses its name.
#[test]
fn a_name_that_moves() {
    let mut stream = crate::common::Stream::start();
    stream.add(174, b"\x01\0\0\0cab\0").add(174, b"\x02\0\0\0&cab\0").add(105, &[1, 0, 0, 0]).add(105, &[2, 0, 0, 0]);
    let text = String::from_utf8(text(&stream.bytes, &vec![STYLE], 4096)).unwrap();
    assert!(text.contains("EVT_PROC   : ao=0X1\n"), "{text}");
    assert!(text.contains("EVT_PROC   : ao=cab\n"), "{text}");
}

/// The signal looked up first has its entry before the one named first: both keep the name.
#[test]
fn a_signal_has_its_place_from_its_first_look_up_on() {
    let config = file("shared-signal.cfg");
    let got = text(&file("shared-signal.bin"), &vec![STYLE, ("cfg", &config)], 4096);
    let lines = [
        "       1298| SMA | GET        : ao=0X2B40B59E, sig=0X2, pid=8, rc=26, nelem=84, rt=-1, nseq=0",
        "       1348| FWK | SIG        : sig=9, nm=%d",
        "       1348| FWK | SIG        : sig=2, nm=%d",
        "       1349| SMA | FIFO       : ao=0X5ABBB800, sig=%d, pid=10, rc=2, nelem=0, nseq=1",
    ];
    assert_eq!(String::from_utf8(got).unwrap(), lines.map(|line| format!("{line}\n")).concat());
}

/// Pools by one-based number; events in items of user events are looked up, too.
#[test]
fn pools_and_events_of_items_have_their_places_too() {
    let mut stream = crate::common::Stream::start();
    // GC of pool 2, then the names of the second and third pool.
    stream.add(164, &[5, 2, 0]).add(178, b"\x02large\0").add(178, b"\x01large\0").add(164, &[5, 3, 0]);
    stream.add(192, &[11, 7]).add(167, b"\x08door\0").add(167, b"\x07door\0").add(192, &[11, 8]);
    let text = String::from_utf8(text(&stream.bytes, &vec![STYLE], 4096)).unwrap();
    assert!(text.contains("sig=0X5, pid=2,") && text.contains("sig=0X5, pid=large,"), "{text}");
    assert!(text.contains("| event=0X7\n") && text.contains("| event=door\n"), "{text}");
}

/// Tracking begins at the configuration, and so do the numbers; a loss ends it.
#[test]
fn numbers_of_posts_go_on_and_tracking_does_not() {
    let mut stream = crate::common::Stream::start();
    stream.post(67, 1, 5, 1).get(1, 5, 0).lose(1).post(67, 1, 5, 1).get(1, 5, 0);
    let again = crate::common::tcfg(0xAC, 0x3400, crate::common::FULL, [4, 4, 1]);
    stream.tcfg(&again).post(67, 1, 5, 1).get(1, 5, 0);
    let text = String::from_utf8(text(&stream.bytes, &vec![STYLE], 4096)).unwrap();
    let ends: Vec<&str> =
        text.lines().filter(|l| l.contains("| SMA |")).filter_map(|l| l.split("nmin=0, ").nth(1)).collect();
    assert_eq!(ends, ["nseq=1", "rt=10, nseq=1", "nseq=2", "rt=-1, nseq=0", "nseq=1", "rt=10, nseq=1"]);
}

/// Function pointers that are longer than others are read correctly.
#[test]
fn function_pointers_have_their_own_size() {
    let mut stream =
        crate::common::Stream::reported(&crate::common::tcfg(0xAC, 0x3400, crate::common::FULL, [4, 2, 1]));
    stream.add(112, &[1, 1, 0, 2, 0, 0x78, 0x56, 0x34, 0x12]).add(169, &[0x78, 0x56, 0x34, 0x12]);
    let text = String::from_utf8(text(&stream.bytes, &vec![STYLE], 4096)).unwrap();
    assert!(text.contains("EXE_ACT    : Entry, ao=0X1, st=0X2, fn=0X12345678\n"), "{text}");
    assert!(text.contains("EXE_FUN    : fn=0X12345678\n"), "{text}");
}

#[test]
fn an_assertion_names_its_file() {
    let mut stream = crate::common::Stream::start();
    stream.add(173, b"rkhsm\0\x36\x02");
    let text = String::from_utf8(text(&stream.bytes, &vec![STYLE], 4096)).unwrap();
    assert!(text.ends_with("| FWK | ASSERT     : (566), rkhsm.c\n"), "{text}");
}

/// A single table, searched from its start: the first entry with the key or the name counts. A look-up creates entries.
#[test]
fn a_name_that_two_objects_share() {
    let mut stream = crate::common::Stream::start();
    // The entry of 2 precedes the renaming of 1, so both keep the name.
    stream.add(105, &[2, 0, 0, 0]).add(174, b"\x01\0\0\0cab\0").add(174, b"\x02\0\0\0cab\0");
    stream.add(105, &[1, 0, 0, 0]).add(105, &[2, 0, 0, 0]);
    // A signal loses its name when another one takes it.
    stream.add(167, b"\x05sOn\0").add(167, b"\x06sOn\0").add(106, &[1, 0, 0, 0, 5]).add(106, &[1, 0, 0, 0, 6]);
    let text = String::from_utf8(text(&stream.bytes, &vec![STYLE], 4096)).unwrap();
    let ends: Vec<&str> = text.lines().filter_map(|l| l.split(" : ao=").nth(1)).collect();
    assert_eq!(ends, ["0X2", "cab", "cab", "cab, sig=0X5", "cab, sig=sOn"], "{text}");
}

#[test]
fn counts_of_four_bytes_are_signed() {
    let mut wide = crate::common::tcfg(0xAC, 0x3400, crate::common::FULL, [4, 4, 1]);
    (wide[8], wide[9]) = (0x44, 0x44);
    let mut stream = crate::common::Stream::reported(&wide);
    stream.add(33, &[1, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0x7F]).add(33, &[1, 0, 0, 0, 0, 0, 0, 0x80]);
    stream.add(130, &[2, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 7, 0, 0, 0]);
    let text = String::from_utf8(text(&stream.bytes, &vec![STYLE], 4096)).unwrap();
    assert!(text.contains("GET        : q=0X1, nelem=2147483647\n"), "{text}");
    assert!(text.contains("GET        : q=0X1, nelem=-2147483648\n"), "{text}");
    assert!(text.contains("STOP       : t=0X2, nt=-1, per=7\n"), "{text}");
}

#[test]
fn a_configuration_with_surplus_bytes_is_applied_and_printed() {
    let reported = |surplus: &[u8]| {
        let record = [&crate::common::tcfg(0xAC, 0x3400, crate::common::FULL, [2, 4, 1]), surplus].concat();
        let mut stream = crate::common::Stream::reported(&record);
        stream.add(105, &[1, 0, 0, 0]);
        String::from_utf8(text(&stream.bytes, &vec![STYLE], 4096)).unwrap()
    };
    assert_eq!(reported(&[]), reported(&[1, 2, 3]));
    assert!(reported(&[9, 9]).contains("TRZ_RKH_CFGPORT_TRC_SIZEOF_TSTAMP= 16\n"), "{}", reported(&[9, 9]));
}

#[test]
fn a_user_event_of_2_4_4_has_a_name() {
    let mut stream =
        crate::common::Stream::reported(&crate::common::tcfg(0xAD, 0x2404, crate::common::FULL, [4, 4, 1]));
    stream.add(172, b"\x03LOG_TEXT\0").add(195, &[0x01, 7]);
    let text = String::from_utf8(text(&stream.bytes, &vec![STYLE], 4096)).unwrap();
    assert!(text.contains("FWK | TUSR       : ut=3, nm=LOG_TEXT\n"), "{text}");
    assert!(text.contains("USR | LOG_TEXT   : User trace information\n"), "{text}");
}
