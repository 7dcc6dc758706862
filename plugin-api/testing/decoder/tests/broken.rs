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
    Decoder, Dict, Fault, Info, Mark, Opts, Out, Row, RowIn, Source, Text,
    chunk::mark,
    decoder,
    kit::{Sample, conform},
    row::{flag, note},
};
use spytui_testing_decoder::{decode::Toy, stream::mixed};

/// Breaks one rule of the contract, by number.
#[derive(Clone)]
struct Wrong<const RULE: u8> {
    toy: Toy,
    shared: Arc<AtomicU64>,
}

const GOOD: u8 = 0;
const CHUNKS: u8 = 1;
const PENDING: u8 = 2;
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

    fn open(opts: &Opts<'_>, source: &Source<'_>) -> Result<Self, Fault> {
        Ok(Wrong { toy: Toy::open(opts, source)?, shared: Arc::default() })
    }

    fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Out<'_>) {
        let here = Row { pos, kind: note::MESSAGE, flags: flag::NOTE, ..Row::default() };
        match RULE {
            CHUNKS => out.row(here),
            LOST_BYTES if pos == 0 => return,
            BACK if pos == 0 => out.row(Row { pos: 5, ..here }),
            EXTRA => out.extra(99, 0, 0),
            COUNTER => out.count(99, 1),
            KIND if pos == 0 => out.row(Row { kind: 0x4000, flags: 0, ..here }),
            SHARED if self.shared.fetch_add(bytes.len() as u64, Ordering::Relaxed) % 7 == 3 => out.count(64, 1 << 40),
            WANT if pos == 0 && out.wants_acts() => out.row(here),
            _ => {}
        }
        self.toy.bytes(pos, bytes, out);
        if RULE == LEFT_OVER && bytes.contains(&b'Q') {
            out.extra(64, 0, 0);
        }
    }

    fn mark(&mut self, mark: &Mark, text: &[u8], out: &mut Out<'_>) {
        if RULE == MARKS && mark.kind == mark::TIME && out.at() == 0 {
            out.row(Row { pos: mark.pos, kind: note::MESSAGE, flags: flag::NOTE, ..Row::default() });
        }
        self.toy.mark(mark, text, out);
    }

    fn pending(&self) -> u64 {
        self.toy.pending() + u64::from(RULE == PENDING)
    }

    fn render(cfg: &[u8], row: &RowIn<'_>, dict: &Dict<'_>, want: u32, out: &mut Text<'_>) {
        static CALLS: AtomicU64 = AtomicU64::new(0);
        if RULE == IMPURE {
            out.push(CALLS.fetch_add(1, Ordering::Relaxed).to_string().as_bytes());
        }
        Toy::render(cfg, row, dict, want, out);
    }
}

/// The kit's sentence, if it objects.
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
        (objection::<PENDING>(), "pending"),
        (objection::<LOST_BYTES>(), "bytes in rows"),
        (objection::<BACK>(), "goes back"),
        (objection::<EXTRA>(), "extra 99 is not declared"),
        (objection::<COUNTER>(), "counter 99 is not declared"),
        (objection::<LEFT_OVER>(), ""),
        (objection::<KIND>(), "neither declared nor named"),
        (objection::<SHARED>(), ""),
        (objection::<IMPURE>(), ""), // noticed in one of four threads, whose message stays there
        (objection::<MARKS>(), "where marks lie"),
        (objection::<WANT>(), "depends on want"),
    ];
    for (i, (said, word)) in all.iter().enumerate() {
        let said = said.as_ref().unwrap_or_else(|| panic!("rule {} is not noticed", i + 1));
        assert!(said.contains(word), "rule {}: {said}", i + 1);
    }
}
