//! The conformance kit detects decoders that break a rule.
#![allow(clippy::unwrap_used)]

use std::{
    panic::catch_unwind,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use spytui_plugin_api::{
    Activity, Answer, AttachmentId, Command, CounterId, Decoder, DecoderOptions, DecoderRef, Dict, Encoder, Fault,
    FilterState, Frame, Frames, Info, NONE, Output, Refusal, Row, RowFlags, RowIn, Source, StreamEvent, TextWriter,
    Verb, Verdict, Want,
    chunk::StreamEventKind,
    decoder, decoder_and_encoder,
    info::{ArgForms, ArgInfo, CommandInfo, FilterTable, Guess, prop},
    row::RowKind,
};
use spytui_plugin_host::kit::{Sample, conform};
use spytui_testing_decoder::{stream::mixed, toy::Toy};

/// Breaks the rule of the plugin API with this number.
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
const GAP: u8 = 13;
const NUMBERS: u8 = 14;
const GROUP: u8 = 15;
const VERB: u8 = 16;
const ID: u8 = 17;
const SPACE_TWICE: u8 = 18;
const EXPLAINED: u8 = 19;
const OTHER_GROUP: u8 = 20;
const SKIPS: u8 = 21;
const OPERAND: u8 = 22;
const SLEEPS: u8 = 23;
const TWICE: u8 = 24;
const PRINTS: u8 = 25;
const TIME: u8 = 26;

impl<const RULE: u8> Decoder for Wrong<RULE> {
    fn info() -> Info {
        let mut info = Toy::info();
        match RULE {
            ID => info.id = "A 5!".into(),
            SPACE_TWICE => info.spaces.push(info.spaces[0].clone()),
            _ => {}
        }
        info
    }

    fn probe(_: &[u8], _: &DecoderOptions<'_>, out: &mut Vec<Guess>) {
        if RULE == EXPLAINED {
            out.push(Guess { evidence_bits: 1, explained: 5000, options: "".into(), why: "".into() });
        }
    }

    fn open(opts: &DecoderOptions<'_>, source: &Source) -> Result<Self, Fault> {
        Ok(Wrong { toy: Toy::open(opts, source)?, shared: Arc::default() })
    }

    fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Output<'_>) {
        let here = Row { pos, kind: RowKind::HINT, ..Row::default() };
        match RULE {
            CHUNKS if pos == 0 && bytes.len() < 10 => out.row(here),
            LOST_BYTES if pos == 0 => return,
            BACK if pos == 0 => out.row(Row { pos: 5, ..here }),
            EXTRA => out.attachment(AttachmentId(99), 0, 0),
            COUNTER => out.count(CounterId(99), 1),
            KIND if pos == 0 => out.row(Row { kind: RowKind(0x4000), ..here }),
            SHARED if self.shared.fetch_add(bytes.len() as u64, Ordering::Relaxed) % 7 == 3 => {
                out.count(CounterId(64), 1 << 40)
            }
            GAP if pos == 0 => out.row(Row::gap(0)),
            NUMBERS if pos == 0 => {
                out.attachment(AttachmentId::LOST, 1, 0);
                out.attachment(AttachmentId::EXPECTED, 1, 999);
                out.row(Row::gap(0));
            }
            GROUP if pos == 0 => out.row(Row { kind: Toy::info().kinds[0].first, group: 77, ..here }),
            OTHER_GROUP if pos == 0 => {
                let info = Toy::info();
                let of = |group: u8| info.groups.iter().find(|other| other.id != group).map_or(0, |other| other.id);
                out.row(Row { kind: info.kinds[0].first, group: of(info.kinds[0].group), ..here });
            }
            TIME if pos == 0 => {
                let kind = &Toy::info().kinds[0];
                let record = Row { kind: kind.first, group: kind.group, flags: RowFlags::TIME_OWN, ..here };
                out.row(Row { time: 5, ..record });
                out.row(Row { time: 3, ..record });
            }
            TWICE if pos == 0 => out.row(Row { len: 3, flags: RowFlags::SKIPPED, ..here }),
            SLEEPS => std::thread::sleep(std::time::Duration::from_millis(500)),
            OPERAND if pos == 0 => {
                if out.wants_activities() {
                    out.activity(Activity::new(Verb::TRAN).second_key(999, 1));
                }
                out.row(here);
            }
            VERB if pos == 0 => {
                if out.wants_activities() {
                    out.activity(Activity::new(Verb(0x7777)));
                }
                out.row(here);
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
            out.prop(prop::SYSTEM, event.pos, b"");
        }
        self.toy.event(event, text, out);
    }

    fn render(cfg: &[u8], row: &RowIn<'_>, dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
        static CALLS: AtomicU64 = AtomicU64::new(0);
        if RULE == IMPURE {
            out.put(CALLS.fetch_add(1, Ordering::Relaxed).to_string().as_bytes());
        }
        if RULE == PRINTS {
            print();
        }
        if RULE == SKIPS && row.row.is_record() {
            out.unsigned("seq", row.row.pos & 15, 0, 0);
        }
        Toy::render(cfg, row, dict, want, out);
    }
}

#[allow(clippy::print_stdout)] // what is to be noticed
fn print() {
    println!("look at me");
}

/// The kit's complaint, if any.
fn objection<const RULE: u8>() -> Option<String> {
    said(decoder::<Wrong<RULE>>())
}

fn said(decoder: DecoderRef) -> Option<String> {
    let bytes = mixed(1, 400);
    let sample = Sample { name: "stream", opts: Vec::new(), bytes: &bytes };
    let result = catch_unwind(|| conform(decoder, &[sample]));
    result.err().map(|e| e.downcast_ref::<String>().cloned().unwrap_or_default())
}

#[test]
fn every_broken_rule_is_noticed() {
    assert_eq!(objection::<GOOD>(), None);
    let all = [
        (objection::<CHUNKS>(), "chunk"),
        (objection::<LOST_BYTES>(), "bytes pending from @0x0 on, where it said at most 4096"),
        (objection::<BACK>(), "a row at 0 after one at 5"),
        (objection::<EXTRA>(), "attachment 99 is not declared"),
        (objection::<COUNTER>(), "counter 99 is not declared"),
        (objection::<LEFT_OVER>(), ""),
        (objection::<KIND>(), "neither declared nor named"),
        (objection::<SHARED>(), ""),
        (objection::<IMPURE>(), ""), // noticed in one of four threads, whose message stays there
        (objection::<MARKS>(), "where stream events lie"),
        (objection::<WANT>(), "depends on want"),
        (objection::<GAP>(), "row 0 at 0: a gap that does not say how many are lost"),
        (objection::<NUMBERS>(), "numbers 1 and 999 beyond"),
        (objection::<GROUP>(), "group 77 is not declared"),
        (objection::<VERB>(), "is not known"),
        (objection::<ID>(), "the id \"A 5!\" is none: small letters"),
        (objection::<SPACE_TWICE>(), "is declared twice"),
        (objection::<EXPLAINED>(), "explains 5000 of 1000"),
        (objection::<OTHER_GROUP>(), "and that of its kind is"),
        (objection::<SKIPS>(), "and no note between"),
        (objection::<OPERAND>(), "space 999 is not declared"),
        (objection::<SLEEPS>(), "does it sleep?"),
        (objection::<TWICE>(), "is in two rows"),
        (objection::<TIME>(), "row 1 at 0: time 3 after 5, and no note between"),
    ];
    for (i, (said, word)) in all.iter().enumerate() {
        let said = said.as_ref().unwrap_or_else(|| panic!("rule {} is not noticed", i + 1));
        assert!(said.contains(word), "rule {}: {said}", i + 1);
    }
}

#[test]
fn what_prints_is_noticed() {
    let said = objection::<PRINTS>().unwrap();
    assert!(said.starts_with("it prints \"look at me"), "{said}");
}

/// A decoder with commands.
struct Commanded(Toy);

impl Decoder for Commanded {
    fn info() -> Info {
        let commands = [
            CommandInfo::new(1, "filter", "").with([ArgInfo::new("SPEC", ArgForms::FILTER)]),
            CommandInfo::new(2, "count", "").with([ArgInfo::number("N", 0..=9)]),
        ];
        let table = FilterTable { command: 1, max: 9, space: NONE, ..FilterTable::default() };
        Info { commands: commands.into_iter().collect(), filters: [table].into_iter().collect(), ..Toy::info() }
    }

    fn open(opts: &DecoderOptions<'_>, source: &Source) -> Result<Self, Fault> {
        Ok(Commanded(Toy::open(opts, source)?))
    }

    fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Output<'_>) {
        self.0.bytes(pos, bytes, out);
    }

    fn event(&mut self, event: &StreamEvent, text: &[u8], out: &mut Output<'_>) {
        self.0.event(event, text, out);
    }

    fn render(cfg: &[u8], row: &RowIn<'_>, dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
        Toy::render(cfg, row, dict, want, out);
    }
}

impl Clone for Commanded {
    fn clone(&self) -> Commanded {
        Commanded(self.0.clone())
    }
}

/// Breaks the rule of encoders with this number.
#[derive(Clone, Default)]
struct WrongEncoder<const RULE: u8> {
    seq: u8,
    shared: Arc<AtomicU64>,
}

const SHARED_NUMBERS: u8 = 20;
const SHARED_FILTER: u8 = 21;
const NO_FRAME: u8 = 22;
const NO_BYTES: u8 = 23;
const NO_TIME: u8 = 24;
const NO_TABLE: u8 = 25;
const SILENT_REFUSAL: u8 = 26;
const PANIC: u8 = 27;

impl<const RULE: u8> Encoder for WrongEncoder<RULE> {
    fn open(_: &DecoderOptions<'_>) -> Result<Self, Fault> {
        Ok(WrongEncoder::default())
    }

    fn encode(&mut self, command: &Command<'_>, _: &Dict<'_>, out: &mut Frames) -> Result<(), Refusal> {
        let number = command.number(0);
        match RULE {
            SILENT_REFUSAL if number == 9 => return Err(Refusal::new(0, "")),
            PANIC if number == 9 => panic!("nine"),
            NO_FRAME => return Ok(()),
            _ if number == 8 => return Err(Refusal::new(0, "no eights")),
            _ => {}
        }
        self.seq = self.seq.wrapping_add(1);
        let shared = if RULE == SHARED_NUMBERS { self.shared.fetch_add(1, Ordering::Relaxed) as u8 } else { 0 };
        let timeout_ms = if RULE == NO_TIME { 0 } else { 100 };
        let bytes = if RULE == NO_BYTES { Vec::new() } else { vec![self.seq, shared, command.id as u8] };
        out.push(Frame { awaited: 2, timeout_ms, ..Frame::default() }, |out| out.extend_from_slice(&bytes));
        Ok(())
    }

    fn answer(&mut self, answer: &Answer) -> Verdict {
        self.shared.fetch_add(1, Ordering::Relaxed);
        Verdict { stage: answer.stage, ..Verdict::default() }
    }

    fn filter(&self, out: &mut Vec<FilterState>) {
        let first = if RULE == SHARED_FILTER { self.shared.load(Ordering::Relaxed) } else { 0 };
        let table = if RULE == NO_TABLE { 7 } else { 0 };
        out.push(FilterState { table, first, last: first, ..FilterState::default() });
    }
}

fn objection_to_encoder<const RULE: u8>() -> Option<String> {
    said(decoder_and_encoder::<Commanded, WrongEncoder<RULE>>())
}

#[test]
fn every_broken_rule_of_encoders_is_noticed() {
    assert_eq!(objection_to_encoder::<GOOD>(), None);
    for (said, word) in [
        (objection_to_encoder::<SHARED_NUMBERS>(), "two forks encode it differently"),
        (objection_to_encoder::<SHARED_FILTER>(), "a fork changes what is known"),
        (objection_to_encoder::<NO_FRAME>(), "no frame"),
        (objection_to_encoder::<NO_BYTES>(), "bytes of frames"),
        (objection_to_encoder::<NO_TIME>(), "does not wait"),
        (objection_to_encoder::<NO_TABLE>(), "a state of no table"),
        (objection_to_encoder::<SILENT_REFUSAL>(), "refused without a word"),
        (objection_to_encoder::<PANIC>(), "nine"),
        (said(decoder::<Commanded>()), "there is no encoder"),
    ] {
        let said = said.unwrap_or_else(|| panic!("not noticed: {word}"));
        assert!(said.contains(word), "{word}: {said}");
    }
}
