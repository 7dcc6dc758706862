//! Features that streams of real protocols don't cover: guesses, labels, late rows, learned options.
#![allow(clippy::unwrap_used)]

use spytui_plugin_api::{
    Activity, DecoderRef, Dict, RSlice, Rendered, Row, Verb,
    batch::AttachmentId,
    render::Want,
    row::{RowFlags, RowKind},
};
use spytui_plugin_host::kit::{Host, Names, opt_vals};
use spytui_testing_decoder::{
    info::{SINCE, kind},
    plugin,
    stream::{Writer, mixed},
};

fn toy() -> DecoderRef {
    plugin().decoders().as_slice()[0]
}

/// Rows and texts of a stream.
fn decoded(opts: &[(&str, &[u8])], bytes: &[u8]) -> (Host, Vec<String>) {
    let host = Host::open(toy(), opts).unwrap().stream(bytes, 7).unwrap();
    let mut texts = Vec::new();
    host.render(bytes, Want::TEXT, |_, out| texts.push(String::from_utf8_lossy(&out.text).into_owned())).unwrap();
    (host, texts)
}

#[test]
fn a_record_in_pieces_is_one_row_where_it_is_complete() {
    let mut w = Writer::new(0);
    w.frame(1, "B 4 0102").frame(2, "S 5 7 9").frame(1, "P 03").frame(1, "E 04");
    let (host, texts) = decoded(&[], &w.bytes);
    let kinds: Vec<RowKind> = host.run.rows.iter().map(|r| r.kind).collect();
    assert_eq!(kinds, [kind::STATE, kind::BLOB]);
    assert_eq!(texts, ["0007 = 9", "4 bytes [01, 02, 03, 04]"]);
    assert!(host.run.rows[1].has(RowFlags::FRAGMENTED));
    let pieces = host.run.attachments.iter().filter(|e| e.id == AttachmentId::FRAGMENT).count();
    assert_eq!(pieces, 1, "the last two parts touch and are one stretch");
}

#[test]
fn parts_that_are_given_up_are_a_late_row_without_bytes_of_its_own() {
    let mut w = Writer::new(0);
    w.frame(1, "B 4 0102").frame(2, "B 4 aa").frame(2, "S 5 7 9").frame(0, "Z");
    let (host, _) = decoded(&[], &w.bytes);
    let late = host.run.rows.iter().position(|r| r.kind == RowKind::ORPHANS).unwrap();
    let row = &host.run.rows[late];
    assert!(row.len == 0 && !row.is_record() && row.has(RowFlags::FRAGMENTED | RowFlags::SKIPPED));
    assert!(host.run.rows[late + 1].has(RowFlags::EPOCH), "it stands before what revealed it");
}

#[test]
fn a_gap_ends_the_open_part_of_its_core() {
    let mut w = Writer::new(0);
    w.frame(1, "B 4 0102");
    let gap = w.bytes.len();
    w.frame(1, "P 03");
    w.bytes.truncate(gap);
    w.frame(1, "E 04");
    let (host, _) = decoded(&[], &w.bytes);
    let rows: Vec<(RowKind, u64)> = host.run.rows.iter().map(|r| (r.kind, r.pos)).collect();
    let at = gap as u64;
    assert_eq!(rows, [(RowKind::GAP, at), (RowKind::ORPHANS, at), (RowKind::ORPHANS, at)]);
}

#[test]
fn a_user_s_option_is_not_overruled_by_what_is_learned() {
    let mut w = Writer::new(0);
    w.frame(0, "S 1 7 1").frame(0, "O width=2").frame(0, "S 2 7 1");
    let (host, texts) = decoded(&[], &w.bytes);
    assert_eq!(texts, ["0007 = 1", "learned from the target: width 2", "07 = 1"]);
    assert_eq!(host.run.attachments.iter().filter(|e| e.id == AttachmentId::OPTIONS).count(), 1);
    assert_eq!(
        decoded(&[("width", b"3")], &w.bytes).1,
        ["007 = 1", "the target contradicts the options, its keys have another width", "007 = 1"]
    );
}

#[test]
fn names_come_go_and_hold_from_their_row_on() {
    let mut w = Writer::new(0);
    w.frame(0, "S 1 7 1").frame(0, "N 10 7 pump").frame(0, "S 2 7 1").frame(0, "F 10 7").frame(0, "S 3 7 1");
    w.frame(0, "N 10 7 valve").frame(0, "F 10").frame(0, "M 7 8");
    let (host, texts) = decoded(&[("names", b"8 file\n")], &w.bytes);
    let all = ["0007 = 1", "pump", "pump = 1", "F 10 7", "0007 = 1", "valve", "F 10", "0007", "0008"];
    assert_eq!(texts, all);
    assert!(host.run.rows[8].has(RowFlags::SHARED) && host.run.rows[8].pos == host.run.rows[7].pos);
    let since: Vec<u64> = host.run.attachments.iter().filter(|e| e.id == SINCE).map(|e| e.a).collect();
    assert_eq!(since, [1, 1]);
}

#[test]
fn a_guess_counts_its_evidence() {
    let bytes = mixed(1, 200);
    let guesses = toy().probe(&bytes, &[]).unwrap();
    assert_eq!(guesses.len(), 1);
    assert!(guesses[0].explained > 900 && guesses[0].evidence_bits > 1000 && guesses[0].options.contains("width="));
    assert!(toy().probe(b"shopping list\nmilk\n", &[]).unwrap().is_empty());
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    let pairs: [(&str, &[u8]); 2] = [("reference", b"toy-1"), ("width", b"2")];
    let fault = toy().open(&opt_vals(&pairs), &Default::default()).unwrap_err();
    assert!(!fault.panicked && fault.text.contains("leave one"), "{fault}");
}

#[test]
fn a_span_is_labelled_with_the_name_of_its_track() {
    let mut w = Writer::new(0);
    w.frame(0, "N 11 1 blink").frame(0, "< 1").frame(0, "> 1");
    let (host, texts) = decoded(&[], &w.bytes);
    assert_eq!(&texts[1..], ["begin blink", "end blink"]);
    let activity: &Activity = host.run.activities.iter().find(|a| a.verb == Verb::BEGIN).unwrap();
    let mut names = Names::new(&host.info);
    host.run.dict.iter().for_each(|e| names.apply(e, e.text.of(&host.run.bytes)));
    let row = Row::default();
    let row =
        spytui_plugin_api::RowIn { row: &row, raw: RSlice::EMPTY, attachments: RSlice::EMPTY, blob: RSlice::EMPTY };
    let mut out = Rendered::default();
    toy().label(b"", &row, activity, &Dict::new(&names), &mut out).unwrap();
    assert_eq!(out.text.as_slice(), b"blink");
}
