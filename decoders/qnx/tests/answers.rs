//! Answers and drop totals of a companion on the target. Its lines are tested with the parser, in the program.

use crate::common::{decode, rows, text};
use spytui_decoder_harness::Options;
use spytui_decoder_harness::encode::qnx::{Trace, class};
use spytui_plugin_api::{batch::AttachmentId, info::AnswerStage, row::RowKind};
use spytui_plugin_host::kit::Host;

/// Row, token, stage and result of each answer.
fn answers(host: &Host) -> Vec<(usize, u64, u64, u64)> {
    let of = |id: AttachmentId| host.run.attachments.iter().filter(move |it| it.id == id);
    let data: Vec<_> = of(AttachmentId::ANSWER_DATA).map(|it| (it.at, it.a, it.b)).collect();
    let all = of(AttachmentId::ANSWER).zip(data);
    let one = |(answer, (at, item, value)): (&spytui_plugin_api::batch::Attachment, (u32, u64, u64))| {
        assert_eq!((answer.at, item), (at, 0));
        (at as usize, answer.a, answer.b, value)
    };
    all.map(one).collect()
}

const ACCEPTED: u64 = AnswerStage::ACCEPTED.0 as u64;

fn trace(big: bool) -> Trace {
    let mut trace = Trace::new(big);
    trace.header(&[("SYS_RELEASE", "6.4.1"), ("STY", "1")], 0).at(0, 100).buffer(1, 0).time(5);
    trace
}

fn nto1(records: &[&[u32]]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (second, record) in (1_000_000_000..).zip(records) {
        let words = [&[record[0], second, 0], &record[1..]].concat();
        bytes.extend(words.iter().flat_map(|word: &u32| word.to_le_bytes()));
    }
    bytes
}

#[test]
fn user_event_1023_of_two_words_is_an_answer() {
    for big in [false, true] {
        let mut trace = trace(big);
        trace.event(class::USER, 1023, &[7, 22]).event(class::USER, 1023, &[8, 0, 0]).event(class::USER, 1022, &[9, 0]);
        let host = decode(&trace.bytes, &vec![], 7);
        let at = host.run.rows.len() - 3;
        assert_eq!(answers(&host), [(at, 7, ACCEPTED, 22)]);
        let texts: Vec<String> = rows(&trace.bytes, &vec![]).into_iter().map(|row| row.1).collect();
        assert_eq!(texts[at], "answer to command 7: 22");
        assert!(texts[at + 1..].iter().all(|text| !text.contains("answer")), "{texts:?}");
    }
}

#[test]
fn a_format_and_the_reference_text_are_as_before() {
    let mut trace = trace(false);
    trace.event(class::USER, 1021, &[3, 0]).event(class::USER, 1023, &[7, 22]);
    let fmt = b"user 1021 STY_DROPS \"total %u%n\"\nuser 1023 STY_ACK \"command %u result %u\"";
    let texts: Vec<String> = rows(&trace.bytes, &vec![("fmt", fmt)]).into_iter().map(|row| row.1).collect();
    let [.., drop, total, answer] = texts.as_slice() else { panic!("{texts:?}") };
    let expected = ["3 events dropped by the target, 3 in all", "total 3", "command 7 result 22"];
    assert_eq!([drop, total, answer], expected);
    let reference = text(&trace.bytes, &vec![("reference", b"traceprinter-1.02")], 4096);
    let reference = String::from_utf8_lossy(&reference);
    assert!(reference.ends_with("USREVENT:EVENT:1023, d0:0x00000007 d1:0x00000016\n"), "{reference}");
}

#[test]
fn opcode_fe_of_two_words_is_an_answer() {
    const PLAIN: &[u32] = &[0x1000_0010, 5];
    let bytes = nto1(&[
        PLAIN,
        PLAIN,
        &[0x2000_00FE, 7, 22],
        // One word, data bits, or a buffer make them ordinary records.
        &[0x1000_00FE, 7],
        &[0x2000_01FE, 7, 22],
        &[0xA000_00FE, 7, 22, 0],
        PLAIN,
        PLAIN,
        PLAIN,
    ]);
    let opts: Options<'_> = vec![("profile", b"nto1")];
    let host = decode(&bytes, &opts, 7);
    assert_eq!(answers(&host), [(2, 7, ACCEPTED, 22)]);
    assert_eq!(rows(&bytes, &opts)[2].1, "answer to command 7: 22");
    let fmt = vec![("profile", &b"nto1"[..]), ("fmt", b"opcode 0xFE STY_ACK \"command %u result %u\"")];
    let named = rows(&bytes, &fmt).swap_remove(2).1;
    assert!(!named.contains("answer"), "{named}");
}

#[test]
fn an_answer_of_nto1_shows_that_a_companion_reports_what_was_dropped() {
    const PLAIN: &[u32] = &[0x1000_0010, 5];
    const ANSWER: &[u32] = &[0x2000_00FE, 1, 0];
    let total = |total| [0x1000_00FD, total];
    let [before, first, same, fallen] = [3, 9, 9, 1].map(total);
    let bytes = nto1(&[PLAIN, PLAIN, &before, ANSWER, &first, &same, &fallen, PLAIN, PLAIN]);
    let opts: Options<'_> = vec![("profile", b"nto1")];
    let host = decode(&bytes, &opts, 7);
    assert_eq!(host.run.counters().records, 9, "each stays a record");
    let drops = rows(&bytes, &opts).into_iter().filter(|row| row.0.kind == RowKind::DROP).map(|row| row.1);
    let drops: Vec<String> = drops.collect();
    assert_eq!(drops, ["9 records dropped by the target, 9 in all", "1 record dropped by the target, 1 in all"]);
}
