//! Programs that have received a small trace, one per protocol.

use std::{cell::RefCell, sync::Arc, time::Instant};

use spytui::{input::KnownNames, model::Model, term::Glyphs};
use spytui_engine::{
    device::command,
    io::log::{LogEvent, LogOptions, RawLog},
    open::{Options, Registry},
    query::Vocabulary,
    store::rows::BUDGET,
    trace::session::{Decoding, thread::DecodeLoop},
};
use spytui_plugin_api::{Dict, EncodeError, EncoderInstance, Frames};

use super::fixture::{live, model_of, registry};

const TRACES: [(&str, &[u8]); 4] = [
    ("qs", include_bytes!("../../../decoders/qs/tests/captures/oven-734.bin")),
    ("rkh", include_bytes!("../../../decoders/rkh-trazer/tests/captures/gh340-default.bin")),
    ("tband", include_bytes!("../../../decoders/tband/tests/captures/brew_stream.bin")),
    ("qnx", include_bytes!("../../../decoders/qnx/tests/captures/fast-2cpu.kev")),
];
/// Bytes of each trace: filters render every row.
const LEN: usize = 3_000;

/// A program with one target.
pub struct Program {
    pub model: Model,
    /// Computed once, as it takes longer than the tests with it.
    pub vocabulary: Vocabulary,
    encoder: Option<EncoderInstance>,
}

thread_local! {
    static PROGRAMS: RefCell<[Option<Program>; TRACES.len()]> = const { RefCell::new([const { None }; TRACES.len()]) };
}

/// Runs with the program of the protocol selected by a byte.
pub fn with_program(byte: u8, run: impl FnOnce(&mut Program)) {
    let index = usize::from(byte) % TRACES.len();
    PROGRAMS.with_borrow_mut(|programs| run(programs[index].get_or_insert_with(|| Program::of(index))));
}

/// Decodes a log.
fn decoded(registry: &Registry, proto: &str, log: Arc<RawLog>) -> Arc<Decoding> {
    let decoder = registry.find(proto).unwrap();
    let decoding = Arc::new(Decoding::new(decoder, Options::default(), log, 0, 0, BUDGET));
    let mut decoder = DecodeLoop::open(decoding.clone()).unwrap();
    while decoder.step().unwrap() {}
    decoding
}

/// Decodes a trace with events between its bytes.
pub fn decode_with(events: &[LogEvent]) {
    let (proto, trace) = TRACES[0];
    let log = RawLog::new(&LogOptions { spool: None, ..LogOptions::default() });
    let mut pos = 0;
    for event in events {
        let upto = usize::try_from(event.pos).unwrap_or(LEN).min(LEN);
        log.append(&trace[pos..upto], event.host_ns);
        log.add_event(event.kind, event.arg, &event.text, event.host_ns);
        pos = upto;
    }
    log.append(&trace[pos..LEN], 0);
    decoded(&registry(), proto, log);
}

impl Program {
    fn of(index: usize) -> Program {
        let (proto, trace) = TRACES[index];
        let log = RawLog::new(&LogOptions { spool: None, ..LogOptions::default() });
        log.append(&trace[..LEN], 1);
        log.end(1);
        let registry = registry();
        let decoding = decoded(&registry, proto, log);
        let encoder = decoding.decoder.table.open_encoder(&[]).unwrap();
        let now = Instant::now();
        let model = model_of(registry, live(decoding), Glyphs::Unicode, now);
        model.list.rows.grow(now);
        Program { vocabulary: model.vocabulary(), model, encoder }
    }

    /// Encodes a command to the target, if the line is one.
    pub fn encode(&mut self, line: &str) {
        let decoding = self.model.list.decoding();
        let parsed = command::parse(line, &decoding.decoder.info, &decoding.read().dictionary);
        let (Ok(parsed), Some(encoder)) = (parsed, &mut self.encoder) else { return };
        let configuration = decoding.read().configuration().to_vec();
        let encoded = encoder.encode(&parsed.command(&configuration, &[]), &Dict::new(&()), &mut Frames::default());
        assert!(matches!(encoded, Ok(()) | Err(EncodeError::Refused(_))), "{line:?}: {encoded:?}");
    }
}
