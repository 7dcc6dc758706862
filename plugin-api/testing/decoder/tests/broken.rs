//! The conformance kit notices a decoder that breaks a rule.
#![allow(clippy::unwrap_used)]

use std::{
    panic::catch_unwind,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use spytui_plugin_api::{
    AttachmentId, CounterId, Decoder, DecoderOptions, Dict, Fault, Info, Output, Row, RowIn, Source, StreamEvent,
    TextWriter, Want,
    chunk::StreamEventKind,
    decoder,
    kit::{Sample, conform},
    row::RowKind,
};
use spytui_testing_decoder::{stream::mixed, toy::Toy};

/// Breaks one rule of the plugin API, by number.
#[derive(Clone)]
struct Wrong<const RULE: u8> {
    toy: Toy,
    shared: Arc<AtomicU64>,
}

const GOOD: u8 = 0;
const CHUNKS: u8 = 1;
const LOST_BYTES: u8 = 3;
const BACK: u8 = 4;
const EXTRA: u8 = 5;
const COUNTER: u8 = 6;
const LEFT_OVER: u8 = 7;
const KIND: u8 = 8;
const SHARED: u8 = 9;
const IMPURE: u8 = 10;
const MARKS: u8 = 11;
const WANT: u8 = 12;

impl<const RULE: u8> Decoder for Wrong<RULE> {
    fn info() -> Info {
        Toy::info()
    }

    fn open(opts: &DecoderOptions<'_>, source: &Source<'_>) -> Result<Self, Fault> {
        Ok(Wrong { toy: Toy::open(opts, source)?, shared: Arc::default() })
    }

    fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Output<'_>) {
        let here = Row { pos, kind: RowKind::HINT, ..Row::default() };
        match RULE {
            CHUNKS => out.row(here),
            LOST_BYTES if pos == 0 => return,
            BACK if pos == 0 => out.row(Row { pos: 5, ..here }),
            EXTRA => out.attachment(AttachmentId(99), 0, 0),
            COUNTER => out.count(CounterId(99), 1),
            KIND if pos == 0 => out.row(Row { kind: RowKind(0x4000), ..here }),
            SHARED if self.shared.fetch_add(bytes.len() as u64, Ordering::Relaxed) % 7 == 3 => {
                out.count(CounterId(64), 1 << 40)
            }
            WANT if pos == 0 && out.wants_activities() => out.row(here),
            _ => {}
        }
        self.toy.bytes(pos, bytes, out);
        if RULE == LEFT_OVER && bytes.contains(&b'Q') {
            out.attachment(AttachmentId(64), 0, 0);
        }
    }

    fn event(&mut self, event: &StreamEvent, text: &[u8], out: &mut Output<'_>) {
        if RULE == MARKS && event.kind == StreamEventKind::TIME && out.at() == 0 {
            out.row(Row { pos: event.pos, kind: RowKind::HINT, ..Row::default() });
        }
        self.toy.event(event, text, out);
    }

    fn render(cfg: &[u8], row: &RowIn<'_>, dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
        static CALLS: AtomicU64 = AtomicU64::new(0);
        if RULE == IMPURE {
            out.put(CALLS.fetch_add(1, Ordering::Relaxed).to_string().as_bytes());
        }
        Toy::render(cfg, row, dict, want, out);
    }
}

/// The kit's error, if any.
fn objection<const RULE: u8>() -> Option<String> {
    let bytes = mixed(1, 400);
    let sample = Sample { name: "stream", opts: Vec::new(), bytes: &bytes };
    let result = catch_unwind(|| conform(decoder::<Wrong<RULE>>(), &[sample]));
    result.err().map(|e| e.downcast_ref::<String>().cloned().unwrap_or_default())
}

#[test]
fn every_broken_rule_is_noticed() {
    assert_eq!(objection::<GOOD>(), None);
    let all = [
        (objection::<CHUNKS>(), "chunk"),
        (objection::<LOST_BYTES>(), "pending after END"),
        (objection::<BACK>(), "goes back"),
        (objection::<EXTRA>(), "attachment 99 is not declared"),
        (objection::<COUNTER>(), "counter 99 is not declared"),
        (objection::<LEFT_OVER>(), ""),
        (objection::<KIND>(), "neither declared nor named"),
        (objection::<SHARED>(), ""),
        (objection::<IMPURE>(), ""), // noticed in one of four threads, whose message stays there
        (objection::<MARKS>(), "where stream events lie"),
        (objection::<WANT>(), "depends on want"),
    ];
    for (i, (said, word)) in all.iter().enumerate() {
        let said = said.as_ref().unwrap_or_else(|| panic!("rule {} is not noticed", i + 1));
        assert!(said.contains(word), "rule {}: {said}", i + 1);
    }
}
