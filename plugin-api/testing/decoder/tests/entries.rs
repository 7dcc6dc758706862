//! What one stream of a real protocol does not exercise: guesses, labels, late rows, learnt options, the way back,
//! formatters.
#![allow(clippy::unwrap_used)]

use spytui_plugin_api::{
    Act, AppRecord, ArgVal, Call, Cut, DecoderRef, DictView, FilterOp, RSlice, RVec, Rendered, Row, Tx, TxOut, Verb,
    batch::extra,
    kit::{Host, Names, conform_commands, opt_vals},
    render::{NoNames, want},
    row::{flag, note},
    tx::{cmd, event},
};
use spytui_testing_decoder::{
    info::{OBJECTS, SAY, SET, SINCE, kind},
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
    host.render(bytes, want::TEXT, |_, out| texts.push(String::from_utf8_lossy(&out.text).into_owned())).unwrap();
    (host, texts)
}

#[test]
fn a_record_in_pieces_is_one_row_where_it_is_complete() {
    let mut w = Writer::new(0);
    w.frame(1, "B 4 0102").frame(2, "S 5 7 9").frame(1, "P 03").frame(1, "E 04");
    let (host, texts) = decoded(&[], &w.bytes);
    let kinds: Vec<u16> = host.run.rows.iter().map(|r| r.kind).collect();
    assert_eq!(kinds, [kind::STATE, kind::BLOB]);
    assert_eq!(texts, ["0007 = 9", "4 bytes [01, 02, 03, 04]"]);
    assert!(host.run.rows[1].has(flag::PIECES | flag::EXTRAS));
    let pieces = host.run.extras.iter().filter(|e| e.id == extra::PIECE).count();
    assert_eq!(pieces, 1, "the last two parts touch and are one stretch");
}

#[test]
fn parts_that_are_given_up_are_a_late_row_without_bytes_of_its_own() {
    let mut w = Writer::new(0);
    w.frame(1, "B 4 0102").frame(2, "B 4 aa").frame(2, "S 5 7 9").frame(0, "Z");
    let (host, _) = decoded(&[], &w.bytes);
    let late = host.run.rows.iter().position(|r| r.kind == note::ORPHANS).unwrap();
    let row = &host.run.rows[late];
    assert!(row.len == 0 && row.has(flag::PIECES | flag::SKIPPED | flag::NOTE));
    assert!(host.run.rows[late + 1].has(flag::EPOCH), "it stands before what revealed it");
}

#[test]
fn a_user_s_option_is_not_overruled_by_what_is_learnt() {
    let mut w = Writer::new(0);
    w.frame(0, "S 1 7 1").frame(0, "O width=2").frame(0, "S 2 7 1");
    let (host, texts) = decoded(&[], &w.bytes);
    assert_eq!(texts, ["0007 = 1", "width=2", "07 = 1"]);
    assert_eq!(host.run.extras.iter().filter(|e| e.id == extra::OPTIONS).count(), 1);
    assert_eq!(decoded(&[("width", b"3")], &w.bytes).1, ["007 = 1", "the target's keys have another width", "007 = 1"]);
}

#[test]
fn names_come_go_and_hold_from_their_row_on() {
    let mut w = Writer::new(0);
    w.frame(0, "S 1 7 1").frame(0, "N 10 7 pump").frame(0, "S 2 7 1").frame(0, "F 10 7").frame(0, "S 3 7 1");
    w.frame(0, "N 10 7 valve").frame(0, "F 10").frame(0, "M 7 8");
    let (host, texts) = decoded(&[("names", b"8 file\n")], &w.bytes);
    let all = ["0007 = 1", "pump", "pump = 1", "F 10 7", "0007 = 1", "valve", "F 10", "0007", "0008"];
    assert_eq!(texts, all);
    assert!(host.run.rows[8].has(flag::SHARED) && host.run.rows[8].pos == host.run.rows[7].pos);
    let since: Vec<u64> = host.run.extras.iter().filter(|e| e.id == SINCE).map(|e| e.a).collect();
    assert_eq!(since, [1, 1]);
}

#[test]
fn a_guess_counts_its_evidence() {
    let bytes = mixed(1, 200);
    let guesses = toy().guess(&bytes, &[]).unwrap();
    assert_eq!(guesses.len(), 1);
    assert!(guesses[0].explained > 900 && guesses[0].evidence_bits > 1000 && guesses[0].options.contains("width="));
    assert!(toy().guess(b"shopping list\nmilk\n", &[]).unwrap().is_empty());
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    let pairs: [(&str, &[u8]); 2] = [("reference", b"toy-1"), ("width", b"2")];
    let fault = toy().start(&opt_vals(&pairs), &Default::default()).unwrap_err();
    assert!(!fault.panicked && fault.text.contains("leave one"), "{fault}");
}

#[test]
fn a_span_is_labelled_with_the_name_of_its_track() {
    let mut w = Writer::new(0);
    w.frame(0, "N 11 1 blink").frame(0, "< 1").frame(0, "> 1");
    let (host, texts) = decoded(&[], &w.bytes);
    assert_eq!(&texts[1..], ["begin blink", "end blink"]);
    let act: &Act = host.run.acts.iter().find(|a| a.verb == Verb::BEGIN).unwrap();
    let mut names = Names::new(&host.info);
    host.run.dict.iter().for_each(|e| names.apply(e, e.text.of(&host.run.bytes)));
    let row = Row::default();
    let row = spytui_plugin_api::RowIn { row: &row, raw: RSlice::EMPTY, extras: RSlice::EMPTY, blob: RSlice::EMPTY };
    let mut out = Rendered::default();
    toy().name_of(b"", &row, act, 0, &DictView::new(&names), &mut out).unwrap();
    assert_eq!(out.text.as_slice(), b"blink");
}

fn call<'a>(cmd: u16, args: &'a [ArgVal], filters: &'a [FilterOp], texts: &'a [u8]) -> Call<'a> {
    Call { cmd, args: args.into(), filters: filters.into(), texts: texts.into() }
}

#[test]
fn the_way_back_keeps_its_state_and_previews_change_nothing() {
    let set = [ArgVal { num: 7, ..ArgVal::default() }, ArgVal { num: 255, ..ArgVal::default() }];
    let wide = [ArgVal { num: 0x10000, column: 5, ..ArgVal::default() }, set[1]];
    let say = [ArgVal { text: Cut { off: 0, len: 5 }, ..ArgVal::default() }];
    let ops = [FilterOp { op: 0, item: 1, lo: 0, hi: 0 }, FilterOp { op: 0, item: 3, lo: 0, hi: 0 }];
    let calls = [
        call(cmd::INFO, &[], &[], b""),
        call(SET, &set, &[], b""),
        call(SET, &wide, &[], b""),
        call(999, &[], &[], b""),
        call(SAY, &say, &[], b"hello"),
        call(cmd::FILTER, &[], &ops, b""),
        call(cmd::RESET, &[], &[], b""),
    ];
    let sent = conform_commands(toy(), &[], &[4, 0], &NoNames, &calls);
    let texts: Vec<String> = sent
        .iter()
        .map(|s| s.as_ref().map_or_else(|f| f.text.to_string(), |b| String::from_utf8_lossy(b).trim().to_owned()))
        .collect();
    let bodies: Vec<&str> = texts.iter().map(|t| t.split('*').next().unwrap()).collect();
    let wide = "object 0x10000  has more than 4 digits";
    assert_eq!(bodies, [">0I", ">1S 7 ff", wide, "command 999 is not known here", ">2T hello", ">3F a", ">4Z"]);
    assert_eq!(sent[2].as_ref().unwrap_err().column, 5);
}

fn states(tx: &Tx) -> Vec<u8> {
    let mut out = RVec::new();
    tx.filters(&mut out).unwrap();
    out.iter().map(|f| f.state).collect()
}

#[test]
fn a_new_epoch_makes_the_filter_unknown_and_numbers_from_0() {
    let mut tx = toy().transmit(&[]).unwrap();
    let ops = [FilterOp { op: 2, item: 2, lo: 0, hi: 0 }];
    let send = |tx: &mut Tx| {
        let mut out = TxOut::default();
        tx.encode(b"", &call(cmd::FILTER, &[], &ops, b""), &DictView::new(&NoNames), &mut out).unwrap();
        (out.frames[0].token, out.frames[0].stages)
    };
    assert_eq!(states(&tx), [2, 2, 2]);
    assert_eq!((send(&mut tx), send(&mut tx), states(&tx)), ((0, 6), (1, 6), vec![0, 1, 0]));
    tx.event(event::EPOCH, 0, 0).unwrap();
    assert_eq!((states(&tx), send(&mut tx)), (vec![2, 2, 2], (0, 6)));
}

#[test]
fn answers_carry_token_stage_and_whom_they_are_for() {
    let mut w = Writer::new(0);
    w.frame(0, "A 1 3 0").frame(0, "A 4 - 41");
    let (host, texts) = decoded(&[], &w.bytes);
    let acks: Vec<_> = host.run.acks.iter().map(|a| (a.at, a.stage, a.flags, a.token, a.status)).collect();
    assert_eq!(acks, [(0, 1, 0, 3, 0), (1, 4, 1, 0, 0x41)]);
    assert!(host.run.rows.iter().all(|r| r.has(flag::ANSWER)));
    assert_eq!(texts[1], "stage 4 status 65");
}

#[test]
fn a_formatter_takes_what_is_its_own() {
    let mut w = Writer::new(0);
    w.frame(0, "L 1 e600");
    let (host, texts) = decoded(&[], &w.bytes);
    assert_eq!(texts, ["log 1 [e6, 00]"]);
    let mut payload = Vec::new();
    host.render(&w.bytes, want::PAYLOAD | want::FIELDS, |_, out| payload.extend_from_slice(&out.payload)).unwrap();
    let formatter = plugin().formatters().as_slice()[0];
    let format = |code| {
        let record = AppRecord {
            protocol: b"toy".as_slice().into(),
            kind: kind::LOG,
            code,
            name: RSlice::EMPTY,
            time: 0,
            ns: 0,
            int_width: 4,
            big_endian: false,
            obj_ptr: 4,
            fun_ptr: 4,
            sig: 2,
            evt_size: 2,
            stamp: 2,
            payload: payload.as_slice().into(),
            fields: RSlice::EMPTY,
            blob: RSlice::EMPTY,
        };
        let mut out = Rendered::default();
        let mine = formatter.text(&record, &DictView::new(&NoNames), want::TEXT | want::FIELDS, &mut out).unwrap();
        (mine, String::from_utf8_lossy(&out.text).into_owned(), out.fields.len())
    };
    assert_eq!(format(1), (true, "temperature 23.0 °C".to_owned(), 1));
    assert_eq!(format(2), (false, String::new(), 0));
    assert_eq!(host.info.kind(kind::STATE).map(|k| k.obj_space), Some(OBJECTS));
}
