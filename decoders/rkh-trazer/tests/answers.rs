//! Answers of the companion: marked for the host, shown in words, and still records.

use crate::common::{Stream, decode, decoder, rows, text};
use spytui_decoder_harness::attachment_of;
use spytui_plugin_api::{AttachmentId, info::AnswerStage};
use spytui_plugin_host::kit::{Host, Sample, conform};

const EN: u8 = 160;
const TUSR: u8 = 171;
/// User event 31.
const ACK: u8 = 223;

fn named() -> Stream {
    let mut stream = Stream::start();
    stream.add(TUSR, b"\x1FSTY_ACK\0");
    stream
}

fn answer(stream: &mut Stream, op: u8, seq: u8, status: u8, value: u32) {
    let [a, b, c, d] = value.to_le_bytes();
    stream.add(ACK, &[1, op, 1, seq, 1, status, 5, a, b, c, d]);
}

/// Token, stage, status and value of each answer.
fn answers(host: &Host) -> Vec<(u64, u64, u64, u64)> {
    let of = |row: usize| {
        let (token, stage) = attachment_of(host, row, AttachmentId::ANSWER)?;
        let (status, value) = attachment_of(host, row, AttachmentId::ANSWER_DATA)?;
        Some((token, stage, status, value))
    };
    (0..host.run.rows.len()).filter_map(of).collect()
}

const ACCEPTED: u64 = AnswerStage::ACCEPTED.0 as u64;
const PROGRESS: u64 = AnswerStage::PROGRESS.0 as u64;
const REFUSED: u64 = AnswerStage::REFUSED.0 as u64;

#[test]
fn an_answer_has_token_stage_status_and_value() {
    let mut stream = named();
    answer(&mut stream, 1, 3, 0, 0);
    answer(&mut stream, 9, 4, 0, 9);
    answer(&mut stream, 9, 4, 131, 0xFB);
    answer(&mut stream, 1, 5, 4, 0);
    answer(&mut stream, 0, 6, 255, 0);
    let expected = [
        (0x103, ACCEPTED, 0, 0),
        (0x904, ACCEPTED, 0, 9),
        (0x904, PROGRESS, 131, 0xFB),
        (0x105, REFUSED, 4, 0),
        (0x006, REFUSED, 255, 0),
    ];
    for reference in [&vec![], &vec![("reference", b"trazer-3.2".as_slice())]] {
        assert_eq!(answers(&decode(&stream.bytes, reference, 7)), expected);
    }
    let texts: Vec<String> = rows(&stream.bytes, &vec![]).into_iter().skip(2).map(|row| row.1).collect();
    assert_eq!(
        texts,
        [
            "STY_ACK\tgroup seq 3: done",
            "STY_ACK\tinfo seq 4: 9 states follow",
            "STY_ACK\tinfo seq 4: groups 0xFB",
            "STY_ACK\tgroup seq 5: no such id",
            "STY_ACK\tping seq 6: other version of the companion",
        ]
    );
}

#[test]
fn an_event_without_the_name_is_shown_as_it_is() {
    let mut stream = Stream::start();
    answer(&mut stream, 1, 3, 0, 0);
    let host = decode(&stream.bytes, &vec![], 4096);
    assert_eq!(answers(&host).len(), 1, "the name may come later");
    assert_eq!(rows(&stream.bytes, &vec![])[1].1, "USR+31\t1 3 0 0");
}

#[test]
fn other_events_are_no_answers() {
    let mut stream = named();
    stream.add(ACK, &[1, 1, 1, 3, 1, 0]).add(ACK, &[1, 1, 1, 3, 3, 0, 0, 5, 0, 0, 0, 0]);
    stream.add(ACK, &[1, 1, 1, 3, 1, 0, 5, 0, 0, 0, 0, 1, 1]).add(ACK - 1, &[1, 1, 1, 3, 1, 0, 5, 0, 0, 0, 0]);
    stream.add(ACK, &[1, 1, 1, 3, 1, 0, 5, 0]);
    assert_eq!(answers(&decode(&stream.bytes, &vec![], 4096)), []);
    // A repeated frame is not a second answer.
    let mut stream = named();
    let begin = stream.bytes.len();
    answer(&mut stream, 1, 3, 0, 0);
    let frame = stream.bytes[begin..].to_vec();
    stream.raw(&frame).add(EN, &[]);
    assert_eq!(answers(&decode(&stream.bytes, &vec![], 4096)).len(), 1);
}

#[test]
fn the_reference_text_is_that_of_any_user_event() {
    let mut stream = named();
    answer(&mut stream, 1, 3, 0, 0);
    let text = text(&stream.bytes, &vec![("reference", b"trazer-3.2")], 4096);
    assert!(String::from_utf8_lossy(&text).contains("STY_ACK    : User trace information"), "{}", text.escape_ascii());
}

#[test]
fn answers_keep_the_rules_of_the_plugin_api() {
    let mut stream = named();
    for seq in 0..60 {
        answer(&mut stream, seq % 11, seq, [0, 128, 131, 4, 255][usize::from(seq % 5)], 0x7E7D << (seq % 16));
    }
    for opts in [vec![], vec![("reference", b"trazer-3.2".as_slice())]] {
        conform(decoder(), &[Sample { name: "answers", opts, bytes: &stream.bytes }]);
    }
}
