//! Programs that have received a small trace, one for each protocol.

use std::{cell::RefCell, sync::Arc, time::Instant};

use spytui::{
    commands::COMMANDS,
    config::Config,
    input::{History, Keymap, KnownNames},
    model::{
        Model,
        links::{Links, Source, SourceOrigin, SourceStatus, WayBack},
        list::List,
        settings::ModelSettings,
    },
    pane,
    term::{Glyphs, Theme},
    widget::Look,
};
use spytui_engine::{
    device::command,
    io::link::{LinkCounters, LinkFacts, LinkState},
    io::log::{LogEvent, LogOptions, RawLog},
    open::{Options, Origin, Registry},
    query::{Expr, Vocabulary},
    store::rows::BUDGET,
    trace::list::{Filter, RowList},
    trace::session::{Decoding, decode_loop::DecodeLoop},
};
use spytui_plugin_api::{Dict, EncodeError, EncoderInstance, Frames};

const TRACES: [(&str, &[u8]); 4] = [
    ("qs", include_bytes!("../../../decoders/qs/tests/captures/oven-734.bin")),
    ("rkh", include_bytes!("../../../decoders/rkh-trazer/tests/captures/gh340-default.bin")),
    ("tband", include_bytes!("../../../decoders/tband/tests/captures/brew_stream.bin")),
    ("qnx", include_bytes!("../../../decoders/qnx/tests/captures/fast-2cpu.kev")),
];
/// So much of each: filters render every row.
const LEN: usize = 3_000;

/// A program with one target.
pub struct Program {
    pub model: Model,
    /// Computed once, as it takes longer than what is tried with it.
    pub vocabulary: Vocabulary,
    encoder: Option<EncoderInstance>,
}

thread_local! {
    static PROGRAMS: RefCell<[Option<Program>; TRACES.len()]> = const { RefCell::new([const { None }; TRACES.len()]) };
}

/// Runs with the program of the protocol that a byte stands for.
pub fn with_program(byte: u8, run: impl FnOnce(&mut Program)) {
    let index = usize::from(byte) % TRACES.len();
    PROGRAMS.with_borrow_mut(|programs| run(programs[index].get_or_insert_with(|| Program::of(index))));
}

fn registry() -> Registry {
    let mut registry = Registry::new();
    for plugin in [
        spytui_decoder_qs::plugin(),
        spytui_decoder_rkh::plugin(),
        spytui_decoder_tband::plugin(),
        spytui_decoder_qnx::plugin(),
    ] {
        registry.add(plugin, &Origin::BuiltIn).unwrap();
    }
    registry
}

/// Decodes what is in a log.
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
        let origin = SourceOrigin::Peer("fuzz".to_owned());
        let links = Links::new(Arc::new(registry), vec![Source::new(0, origin, live(decoding), now)]);
        let list = List::new(RowList::new(links.decodings()), true, Filter::new(Expr::everything()));
        list.rows.grow(now);
        let look = Look { theme: Theme::default(), glyphs: Glyphs::Unicode };
        let settings = ModelSettings::new(Config::built_in(), Keymap::built_in(&pane::keys()), COMMANDS);
        let model = Model::new(links, list, pane::panes(), History::default(), look, settings, now);
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

/// A link that is up, and nothing more.
fn live(decoding: Arc<Decoding>) -> SourceStatus {
    SourceStatus {
        decoding,
        state: LinkState::Live,
        facts: LinkFacts::default(),
        counters: LinkCounters::default(),
        hint: None,
        recording: None,
        control: None,
        way_back: WayBack::Never,
        target: Arc::default(),
    }
}
