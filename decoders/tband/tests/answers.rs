//! Answers of the companion: marked for the host, shown in words, and still events.

use crate::common::{decode, decoder, reference, rows, text};
use spytui_decoder_harness::attachment_of;
use spytui_decoder_harness::encode::tband::{Stream, signed};
use spytui_plugin_api::{AttachmentId, info::AnswerStage};
use spytui_plugin_host::kit::{Host, Sample, conform};

const VALUE: u8 = 0x0B;
const ACK: u64 = 0x7F00;

fn named() -> Stream {
    let mut stream = Stream::default();
    stream.core(0, 0).meta(0x0A, &[ACK], b"STY_ACK").meta(0x0A, &[1], b"rpm");
    stream
}

fn answer(stream: &mut Stream, op: u8, seq: u8, status: u8, value: u32) {
    let [a, b, c, d] = value.to_le_bytes();
    let packed = i64::from_le_bytes([op, seq, status, a, b, c, d, 0]);
    stream.event(VALUE, 10 + u64::from(seq), &[ACK, signed(packed)], b"");
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
    answer(&mut stream, 9, 4, 0, 4);
    answer(&mut stream, 9, 4, 130, u32::MAX);
    answer(&mut stream, 1, 5, 4, 0);
    let expected = [
        (0x103, ACCEPTED, 0, 0),
        (0x904, ACCEPTED, 0, 4),
        (0x904, PROGRESS, 130, u32::MAX.into()),
        (0x105, REFUSED, 4, 0),
    ];
    for opts in [vec![], reference("free-rtos")] {
        assert_eq!(answers(&decode(&stream.bytes, &opts, 7)), expected);
    }
    let texts: Vec<String> = rows(&stream.bytes, &vec![]).into_iter().skip(3).map(|row| row.1).collect();
    assert_eq!(
        texts,
        [
            "class seq 3: done",
            "info seq 4: 4 states follow",
            "info seq 4: ring peak 4294967295",
            "class seq 5: no such id"
        ]
    );
}

#[test]
fn other_values_are_no_answers() {
    let mut stream = named();
    stream.event(VALUE, 1, &[1, signed(0x101)], b"").event(VALUE, 2, &[ACK, signed(-0x101)], b"");
    stream.event(VALUE, 3, &[ACK, signed(1 << 56)], b"").event(0x07, 4, &[ACK], b"");
    assert_eq!(answers(&decode(&stream.bytes, &vec![], 4096)), []);
    let texts: Vec<String> = rows(&stream.bytes, &vec![]).into_iter().skip(3).map(|row| row.1).collect();
    assert_eq!(texts[..2], ["257", "-257"]);
}

#[test]
fn a_value_without_the_name_is_shown_as_it_is() {
    let mut stream = Stream::default();
    stream.core(0, 0);
    answer(&mut stream, 1, 3, 0, 0);
    assert_eq!(rows(&stream.bytes, &vec![])[1].1, "769");
    assert_eq!(answers(&decode(&stream.bytes, &vec![], 4096)).len(), 1, "the name may come later");
}

#[test]
fn the_reference_text_is_that_of_any_value() {
    let mut stream = named();
    answer(&mut stream, 1, 3, 0, 0);
    let text = text(&stream.bytes, &reference("free-rtos"), 4096);
    assert!(String::from_utf8_lossy(&text).contains("\"val\":769"), "{}", text.escape_ascii());
}

#[test]
fn answers_keep_the_rules_of_the_plugin_api() {
    let mut stream = named();
    for seq in 0..60 {
        answer(&mut stream, seq % 11, seq, [0, 128, 131, 4, 255][usize::from(seq % 5)], 0x7E00 << (seq % 16));
    }
    for opts in [vec![], reference("free-rtos")] {
        conform(decoder(), &[Sample { name: "answers", opts, bytes: &stream.bytes }]);
    }
}
