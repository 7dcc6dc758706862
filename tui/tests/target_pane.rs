//! The Target pane and the keys that fill a command line for the target, without a target: no key sends anything.

#![allow(clippy::unwrap_used)]

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use spytui::{
    input::{KeyPress, TARGET},
    model::{
        Effect, Effects, Message, Model,
        links::{SourceStatus, WayBack},
    },
    term::{Depth, Glyphs, Screen},
    update::update,
    view,
};
use spytui_engine::{
    device::{
        control::{CommandState, CommandStatus, Pending, TargetStatus},
        switches::{SwitchState, SwitchStates},
    },
    io::link::LinkFacts,
    io::log::{LogOptions, RawLog},
    open::{Options, Origin, Registry},
    store::rows::BUDGET,
    trace::session::{Decoding, thread::DecodeLoop},
};
use spytui_plugin_api::{FilterState, RowKind};

use crate::fuzzing::fixture;

pub(crate) const CAPTURE: &[u8] = include_bytes!("../../decoders/qs/tests/captures/oven-734.bin");

/// A model with one live source, whose bytes and target status the test provides.
pub(crate) struct Bench {
    model: Model,
    log: Arc<RawLog>,
    decoder: DecodeLoop,
    now: Instant,
    size: (u16, u16),
    glyphs: Glyphs,
}

/// A link that is up in both directions.
fn live(decoding: Arc<Decoding>) -> SourceStatus {
    let facts = LinkFacts { line_rate: Some(11_520), ..LinkFacts::default() };
    SourceStatus { facts, way_back: WayBack::Open, ..fixture::live(decoding) }
}

impl Bench {
    fn new(size: (u16, u16), glyphs: Glyphs) -> Bench {
        let mut bench = Bench::silent(size, glyphs);
        // Two seconds of traffic.
        let (before, rest) = CAPTURE.split_at(CAPTURE.len() / 2);
        bench.receives(before);
        for piece in rest.chunks(rest.len().div_ceil(3)) {
            bench.receives(piece);
        }
        bench
    }

    /// A bench whose target has sent nothing yet.
    pub(crate) fn silent(size: (u16, u16), glyphs: Glyphs) -> Bench {
        let mut registry = Registry::new();
        registry.add(spytui_decoder_qs::plugin(), &Origin::BuiltIn).unwrap();
        let decoder = registry.find("qs").unwrap();
        let log = RawLog::new(&LogOptions { spool: None, ..LogOptions::default() });
        let decoding = Arc::new(Decoding::new(decoder, Options::default(), log.clone(), 0, 0, BUDGET));
        let now = Instant::now();
        let model = fixture::model_of(registry, live(decoding.clone()), glyphs, now);
        let decoder = DecodeLoop::open(decoding).unwrap();
        Bench { model, log, decoder, now, size, glyphs }
    }

    /// Bytes arrive, and a second passes.
    fn receives(&mut self, bytes: &[u8]) {
        self.receives_within(Duration::from_secs(1), bytes);
    }

    /// Bytes arrive, and some time passes.
    pub(crate) fn receives_within(&mut self, time: Duration, bytes: &[u8]) {
        self.log.append(bytes, 0);
        while self.decoder.step().unwrap() {}
        self.now += time;
        self.send(Message::Tick(self.now));
        while self.model.jobs.unfinished {
            self.send(Message::Work);
        }
        self.send(Message::Frame(self.size));
    }

    fn send(&mut self, message: Message) -> Effects {
        update(&mut self.model, message)
    }

    /// Sets the known state of the target.
    fn target(&mut self, target: TargetStatus) {
        self.model.links.sources[0].status.target = Arc::new(target);
        // The header is updated twice a second.
        self.receives(b"");
    }

    /// Types keys; returns the effects, except history and completions.
    pub(crate) fn types(&mut self, keys: &str) -> Effects {
        let mut effects = Effects::new();
        for c in keys.chars() {
            let code = match c {
                '\r' => KeyCode::Enter,
                '\x1b' => KeyCode::Esc,
                c => KeyCode::Char(c),
            };
            let key = KeyPress::of(KeyEvent::new(code, KeyModifiers::NONE));
            effects.extend(self.send(Message::Key(key, self.now)));
            effects.extend(self.send(Message::Frame(self.size)));
        }
        effects.retain(|effect| !matches!(effect, Effect::LookUp(_) | Effect::SaveHistory(..) | Effect::Log { .. }));
        effects
    }

    /// The open command line.
    fn line(&self) -> &str {
        self.model.prompt.line.as_ref().map_or("", |line| line.editor.text())
    }

    pub(crate) fn screen(&self) -> String {
        let (width, height) = self.size;
        let mut screen = Screen::new(width, height, Depth::Sixteen, false);
        view::draw(&self.model, &mut screen);
        let mut emulator = vt100::Parser::new(height.try_into().unwrap(), width.try_into().unwrap(), 0);
        emulator.process(screen.compose());
        let text: String = emulator.screen().contents().lines().map(|line| format!("{}\n", line.trim_end())).collect();
        assert!(self.glyphs != Glyphs::Ascii || text.is_ascii(), "{text}");
        text
    }
}

fn bench() -> Bench {
    Bench::new((80, 24), Glyphs::Unicode)
}

fn command(number: u32, line: &str, state: CommandState) -> CommandStatus {
    CommandStatus {
        pending: None,
        done_at: None,
        number,
        name: line.split(" ").next().unwrap_or_default().to_owned(),
        line: line.to_owned(),
        origin: "typed".to_owned(),
        state,
    }
}

/// Acknowledged by the target: everything on except the groups SM (1..9 and 55..57) and the record 14.
fn masked() -> Vec<FilterState> {
    let off = [(1, 9), (14, 14), (55, 57)];
    let on = [(0, 0), (10, 13), (15, 54), (58, 124)];
    let state = |is_on| move |(first, last)| FilterState { table: 0, is_on, is_known: true, first, last };
    off.map(state(false)).into_iter().chain(on.map(state(true))).collect()
}

fn masked_target() -> TargetStatus {
    let why = "refused by the target; QS gives no reason. Is an object current? :target current ap l_block";
    TargetStatus {
        commands: vec![
            command(1, "filter =ALL -SM -14", CommandState::Done("acknowledged after 12 ms".to_owned())),
            command(2, "peek 0 4 1", CommandState::Refused(why.to_owned())),
            command(3, "info", CommandState::Sent),
        ],
        filter: masked(),
        forgotten: Vec::new(),
    }
}

/// The two header lines, and the part below them: a change of the header should change one snapshot.
fn parts(screen: &str) -> (&str, &str) {
    let end = screen.match_indices('\n').nth(1).map_or(0, |(at, _)| at + 1);
    screen.split_at(end)
}

#[test]
fn the_pane_shows_the_filter_and_the_commands() {
    let mut headers = String::new();
    for (name, size, glyphs) in [
        ("target_at_80x24", (80, 24), Glyphs::Unicode),
        ("target_at_120x40", (120, 40), Glyphs::Unicode),
        ("target_in_ascii", (80, 24), Glyphs::Ascii),
    ] {
        let mut bench = Bench::new(size, glyphs);
        bench.target(masked_target());
        assert!(bench.types("6jj jl").is_empty());
        let screen = bench.screen();
        let (header, below) = parts(&screen);
        headers += header;
        insta::assert_snapshot!(name, below);
    }
    insta::assert_snapshot!("target_headers", headers);
}

#[test]
fn what_nobody_acknowledged_is_not_shown_as_known() {
    let mut bench = bench();
    bench.types("6");
    insta::assert_snapshot!("target_unknown_at_80x24", parts(&bench.screen()).1);
}

#[test]
fn an_object_that_is_off_by_name_is_off_in_its_group() {
    let mut bench = Bench::new((120, 50), Glyphs::Unicode);
    let motor = FilterState { table: 2, is_on: false, is_known: true, first: 0x41_12C0, last: 0x41_12C0 };
    bench.target(TargetStatus { filter: vec![motor], ..TargetStatus::default() });
    bench.types("6");
    let screen = bench.screen();
    let line = |name: &str| screen.lines().find(|line| line.contains(name)).unwrap_or_default().to_owned();
    assert!(line("[-] AO").contains("1 off, rest unknown"), "{screen}");
    assert!(line("[?] EP").contains("unknown"), "{screen}");
    assert!(screen.lines().nth(1).unwrap().contains("target filter: motor off"), "{screen}");
}

#[test]
fn no_key_of_the_pane_sends_anything() {
    let mut bench = bench();
    bench.target(TargetStatus { forgotten: masked(), ..masked_target() });
    bench.types("6");
    for key in "jjjj lh uk j Gg b jj\r".chars() {
        let effects = bench.types(&key.to_string());
        assert!(effects.is_empty(), "{key:?}: {effects:?}");
    }
    assert_eq!(bench.line(), "target filter =ALL -SM -14");
}

#[test]
fn staged_changes_fill_the_line_together_and_vanish_once_sent() {
    let mut bench = bench();
    bench.types("6jj ");
    assert!(bench.screen().contains(" - [x] SM"), "{}", bench.screen());
    assert!(bench.screen().contains("staged: filter -SM"));
    // Switches of a group can be staged, too.
    bench.types("jljj ");
    assert!(bench.screen().contains("staged: filter -SM -AO-RCall"), "{}", bench.screen());
    bench.types("\r");
    assert_eq!(bench.line(), "target filter -SM -AO-RCall");
    bench.types("\x1b");
    assert!(bench.screen().contains("staged"), "Esc in the line takes nothing back");
    let sent = command(1, "filter -SM", CommandState::Sent);
    bench.target(TargetStatus { commands: vec![sent], ..TargetStatus::default() });
    assert!(bench.screen().contains("staged: filter -AO-RCall "), "{}", bench.screen());
    bench.types("u");
    assert!(!bench.screen().contains("staged"));
}

#[test]
fn a_switch_turns_through_its_changes() {
    let mut bench = bench();
    bench.target(masked_target());
    bench.types("6jj ");
    assert!(bench.screen().contains(" + [ ] SM"), "what is off can only be switched on: {}", bench.screen());
    bench.types(" ");
    assert!(!bench.screen().contains("staged"));
    bench.types("\r");
    assert_eq!(bench.line(), "target filter +SM", "without staged changes that of the switch under the cursor");
}

#[test]
fn after_a_reset_the_old_filter_is_offered() {
    let mut bench = bench();
    bench.target(TargetStatus { forgotten: masked(), ..TargetStatus::default() });
    assert!(bench.screen().contains("filter lost (6)"));
    bench.types("6");
    let screen = bench.screen();
    assert!(screen.contains("its filter is unknown"), "{screen}");
    assert!(screen.contains("send it again: Enter fills in :target filter =ALL -SM -14"), "{screen}");
    assert!(bench.types("jj\r").is_empty());
    assert_eq!(bench.line(), "target filter =ALL -SM -14");
}

#[test]
fn a_target_that_does_not_answer_gets_the_same_on_this_side() {
    let mut bench = bench();
    let why = "sent, no answer for 1 s. No receive part in this target? Filter is unknown; use :filter.";
    let commands = vec![command(1, "filter -SM -14", CommandState::TimedOut(why.to_owned()))];
    bench.target(TargetStatus { commands, ..TargetStatus::default() });
    assert!(bench.screen().contains("filter: unknown"));
    bench.types("6j\r");
    assert_eq!(bench.line(), "filter -group:SM -kind:AO-Post");
}

#[test]
fn a_link_that_only_reads_says_so() {
    let mut bench = bench();
    bench.model.links.sources[0].status.way_back = WayBack::Never;
    bench.types("6");
    assert!(bench.screen().contains("this link only reads; :filter hides rows here"), "{}", bench.screen());
    assert!(!bench.screen().contains("target filter:"));
    bench.model.links.sources[0].status.way_back = WayBack::NotNow("the link is down: nothing was sent".to_owned());
    bench.send(Message::Frame(bench.size));
    assert!(bench.screen().contains("the link is down"));
}

#[test]
fn the_header_shows_the_command_under_way() {
    let header = |command: CommandStatus, size| {
        let mut bench = Bench::new(size, Glyphs::Unicode);
        bench.target(TargetStatus { commands: vec![command], ..TargetStatus::default() });
        bench.screen().lines().nth(1).unwrap().to_owned()
    };
    let queued = command(1, "filter -SM", CommandState::Queued);
    let waits = header(queued, (200, 50));
    assert!(waits.contains("#1 filter waits"), "{waits}");
    let since = Instant::now().checked_sub(Duration::from_secs(12)).unwrap();
    let sent = CommandStatus {
        pending: Some(Pending { since, upto: 60_000 }),
        ..command(1, "filter -SM", CommandState::Sent)
    };
    let wide = header(sent.clone(), (200, 50));
    assert!(wide.contains("#1 filter 1") && wide.contains(" s, 3 kB ahead"), "{wide}");
    let narrow = header(sent, (80, 24));
    assert!(narrow.contains("#1 1") || narrow.contains("#1 filter 1"), "{narrow}");
    let state = CommandState::Done("acknowledged after 12 ms".to_owned());
    let done = CommandStatus {
        done_at: Instant::now().checked_add(Duration::from_secs(5)),
        ..command(1, "filter -SM", state.clone())
    };
    assert!(header(done, (200, 50)).contains("#1 filter ✓"));
    let long_ago = CommandStatus { done_at: Some(since), ..command(1, "filter -SM", state) };
    assert!(!header(long_ago, (200, 50)).contains("#1"));
}

#[test]
fn the_header_says_what_is_masked() {
    let header = |target: TargetStatus, size| {
        let mut bench = Bench::new(size, Glyphs::Unicode);
        bench.target(target);
        bench.screen().lines().nth(1).unwrap().to_owned()
    };
    let narrow = header(masked_target(), (80, 24));
    assert!(narrow.contains("   SM, AO-Post off   "), "{narrow}");
    let wide = header(masked_target(), (120, 40));
    assert!(wide.contains("target filter: SM, AO-Post off"), "{wide}");
    let seen = header(TargetStatus::default(), (120, 40));
    assert!(seen.contains("target filter: as seen"), "{seen}");
    assert!(!header(TargetStatus::default(), (80, 24)).contains("filter"));
    // A group that is off is listed, although none of its records arrived.
    let state = |(first, last), is_on| FilterState { table: 0, is_on, is_known: true, first, last };
    let filter = vec![state((0, 47), true), state((48, 53), false), state((54, 124), true)];
    let silent = header(TargetStatus { filter, ..TargetStatus::default() }, (120, 40));
    assert!(silent.contains("target filter: SC off"), "{silent}");
    // So are kinds that are off in a group whose other kinds arrived.
    let filter = vec![state((0, 45), true), state((46, 47), false), state((48, 124), true)];
    let rare = header(TargetStatus { filter, ..TargetStatus::default() }, (120, 40));
    assert!(rare.contains("target filter: MP-GetA, 1 of EQ off"), "{rare}");
    // The filter from before a reset can be sent again.
    let lost = TargetStatus { forgotten: vec![state((0, 47), true)], ..TargetStatus::default() };
    assert!(header(lost, (120, 40)).contains("filter lost: 6 Enter restores"));
    let all = TargetStatus { filter: vec![state((0, 124), true)], ..TargetStatus::default() };
    assert!(header(all, (120, 40)).contains("target filter: all on"));
}

#[test]
fn capitals_in_the_list_put_the_row_into_the_filter_of_the_target() {
    let mut bench = bench();
    bench.types(":goto #714\r");
    for (keys, line) in [
        ("-K", "target filter -AO-Post"),
        ("-G", "target filter -AO"),
        ("-O", "target local -obj:AO(l_motor)"),
        ("+K", "target filter =AO-Post"),
        ("+G", "target filter =AO"),
    ] {
        let effects = bench.types(keys);
        assert!(effects.is_empty(), "{effects:?}");
        assert_eq!(bench.line(), line);
        bench.types("\x1b");
    }
    // A timer is no active object.
    bench.types(":goto #75\r-O");
    assert_eq!(bench.line(), "");
    let screen = bench.screen();
    assert!(screen.contains("the target switches active objects only; - o hides this object here"), "{screen}");
    // The target's own information can't be switched off, least of all together with everything else.
    bench.types(":goto #1\r-G");
    assert_eq!((bench.line(), bench.screen().contains("the target always sends this kind")), ("", true));
    bench.types(":goto #714\r-S");
    assert_eq!(bench.line(), "");
    assert!(bench.screen().contains("has no filter by this signal"), "{}", bench.screen());
}

#[test]
fn target_without_more_shows_the_pane_and_names_need_a_reset() {
    for line in [":target\r", ":target filter\r", ":t f\r", ":target local\r"] {
        let mut bench = bench();
        assert!(bench.types(line).is_empty());
        assert!(bench.model.panes.front() == TARGET, "{line}");
    }
    let mut bench = bench();
    assert!(bench.types(":target dict\r").is_empty());
    assert_eq!(bench.line(), "target reset");
    assert!(
        bench.screen().contains("names come after a reset, from some targets also for target info"),
        "{}",
        bench.screen()
    );
}

#[test]
fn what_comes_is_on_and_what_does_not_come_is_unknown() {
    let mut registry = Registry::new();
    registry.add(spytui_decoder_qs::plugin(), &Origin::BuiltIn).unwrap();
    let qs = registry.find("qs").unwrap();
    let global = &qs.info.filters[0];
    let switches = SwitchStates::new(&qs.info, global, &[], &[RowKind(3), RowKind(14)]);
    assert_eq!(
        [3, 4, 14, 0].map(|switch| switches.at(switch)),
        [SwitchState::AssumedOn, SwitchState::Unknown, SwitchState::AssumedOn, SwitchState::Always]
    );
    let counts = switches.count(&global.groups[0]);
    assert_eq!((counts.assumed_on, counts.unknown, counts.always), (1, 11, 0));
}
