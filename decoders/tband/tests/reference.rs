//! The reference tool's text, byte for byte.

use crate::common::{CAPTURES, file, reference, text};
use spytui_decoder_harness::encode::tband::Stream;
use spytui_decoder_harness::same;

#[test]
fn every_capture_is_what_the_reference_tool_prints() {
    for (name, mode) in CAPTURES {
        let bytes = file(&format!("{name}.bin"));
        let expected = file(&format!("{name}.txt"));
        for size in [usize::MAX, 1, 61] {
            same(name, &text(&bytes, &reference(mode), size), &expected);
        }
    }
}

#[test]
fn without_a_mode_all_events_are_read() {
    for (name, _) in CAPTURES.iter().filter(|(name, _)| *name != "edge_frames_baremetal") {
        let bytes = file(&format!("{name}.bin"));
        same(name, &text(&bytes, &reference(""), 4096), &file(&format!("{name}.txt")));
    }
}

fn lines(stream: &Stream) -> String {
    String::from_utf8(text(&stream.bytes, &reference(""), 4096)).unwrap()
}

#[test]
fn numbers_are_printed_over_their_full_range() {
    let mut stream = Stream::default();
    stream.event(0x04, u64::MAX, &[u32::MAX.into()], b"").resolution(u64::MAX).event(0x0B, 100_000_000, &[7, 1], b"");
    let expected = "{\"Base\":{\"ts\":18446744073709551615,\"kind\":{\"IsrEnter\":{\"isr_id\":4294967295}}}}\n\
        {\"BaseMetadata\":{\"TsResolutionNs\":{\"ns_per_ts\":18446744073709551615}}}\n\
        {\"Base\":{\"ts\":100000000,\"kind\":{\"Valmarker\":{\"valmarker_id\":7,\"val\":-9223372036854775808}}}}\n";
    assert_eq!(lines(&stream), expected);
}

#[test]
fn texts_are_escaped_as_json_wants_it() {
    let all: Vec<u8> = (0..0x80).collect();
    let mut stream = Stream::default();
    stream.event(0x07, 1, &[2], &all).event(0x07, 1, &[2], "é🔥".as_bytes());
    let got = lines(&stream);
    for line in got.lines() {
        let json: serde_json::Value = serde_json::from_str(line).unwrap();
        let msg = json["Base"]["kind"]["Evtmarker"]["msg"].as_str().unwrap().to_owned();
        assert!(msg.as_bytes() == all || msg == "é🔥");
        // The reference tool escapes JSON like this library.
        assert!(line.contains(&format!("\"msg\":{}", serde_json::to_string(&msg).unwrap())), "{line}");
    }
    assert!(got.contains("\\u0000") && got.contains("\\u001f") && got.contains('\x7f'));
}

#[test]
fn long_texts_are_printed_whole() {
    for len in [200, 250, 253, 254, 255, 256, 507, 508, 509, 5000] {
        let msg = "m".repeat(len);
        let mut stream = Stream::default();
        stream.event(0x08, 1, &[2], msg.as_bytes());
        let expected = format!(
            "{{\"Base\":{{\"ts\":1,\"kind\":{{\"EvtmarkerBegin\":{{\"evtmarker_id\":2,\"msg\":\"{msg}\"}}}}}}}}\n"
        );
        assert_eq!(lines(&stream), expected);
    }
}

#[test]
fn a_bad_frame_has_the_time_of_the_last_good_one() {
    let mut stream = Stream::default();
    stream.frame(&[0x0C]).core(5, 1).frame(&[0x0C]).raw(&[0, 0]).event(0x07, 9, &[1], b"\xFF").raw(&[9, 9]);
    let invalid = |ts: &str, err: &str| format!("{{\"Invalid\":{{\"ts\":{ts},\"err\":\"{err}\"}}}}\n");
    let expected = [
        invalid("null", "Invalid event id 0xC!"),
        "{\"Base\":{\"ts\":5,\"kind\":{\"CoreId\":{\"core_id\":1}}}}\n".to_owned(),
        invalid("5", "Invalid event id 0xC!"),
        invalid("5", "Empty COBS frame").repeat(2),
        invalid("5", "invalid utf-8 sequence of 1 bytes from index 0"),
    ];
    assert_eq!(lines(&stream), expected.concat());
}

#[test]
fn time_that_goes_back_changes_nothing() {
    let mut stream = Stream::default();
    stream.core(100, 0).dropped(100, 7).event(0x04, 3, &[1], b"").dropped(3, 2);
    // The time of a core reported without one is 0 here.
    stream.core(0, 1).meta(0x03, &[1], b"adc").frame(&[0x0C]).core(0, 9);
    let text = lines(&stream);
    assert_eq!(text.lines().count(), 8);
    assert!(text.contains("{\"Invalid\":{\"ts\":0,\"err\":\"Invalid event id 0xC!\"}}\n"), "{text}");
    assert!(lines(&stream).ends_with("{\"Base\":{\"ts\":0,\"kind\":{\"CoreId\":{\"core_id\":9}}}}\n"));
}
