//! A session at the screen, without files, threads or a terminal: messages in, effects out.

#![allow(clippy::unwrap_used)]

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use spytui::{
    config::Config,
    input::{Choice, KeyPress, PaneId, PathLookup, PromptKind, RECORDS},
    model::{
        Effect, Effects, Message, Model,
        baud_scan::BaudScan,
        links::{Source, SourceOrigin},
        prompt::LookedUp,
    },
    term::{Depth, Glyphs, Screen},
    update::{sleep, update},
    view,
};
use spytui_engine::{
    decode::guess::Suggestion,
    io::{
        link::{LineCommand, LinkSpec, LinkState},
        log::{LogOptions, RawLog},
    },
    open::{Options, Origin, Registry},
    store::rows::BUDGET,
    trace::session::{Decoding, thread::DecodeLoop},
};

use crate::fuzzing::fixture::{live, model_of};

const CAPTURE: &[u8] = include_bytes!("../../decoders/qs/tests/captures/oven-734.bin");
const RECORDS_OF_CAPTURE: u64 = 2_360;
const SIZE: (u16, u16) = (80, 24);
const INTERRUPT: KeyEvent = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);

/// A model with one source, whose log and decoder the test drives by hand.
struct Bench {
    model: Model,
    log: Arc<RawLog>,
    decoder: DecodeLoop,
    now: Instant,
}

/// No effects are requested, except saving what was typed.
fn is_quiet(effects: &Effects) -> bool {
    effects.iter().all(|effect| matches!(effect, Effect::Log { .. }))
}

impl Bench {
    fn new() -> Bench {
        let mut registry = Registry::new();
        registry.add(spytui_decoder_qs::plugin(), &Origin::BuiltIn).unwrap();
        let decoder = registry.find("qs").unwrap();
        let log = RawLog::new(&LogOptions { spool: None, ..LogOptions::default() });
        let decoding = Decoding::new(decoder, Options::default(), log.clone(), 0, 0, BUDGET);
        let decoding = Arc::new(decoding);
        let now = Instant::now();
        let model = model_of(registry, live(decoding.clone()), Glyphs::Unicode, now);
        let decoder = DecodeLoop::open(decoding).unwrap();
        Bench { model, log, decoder, now }
    }

    /// Bytes arrive and are decoded.
    fn receives(&mut self, bytes: &[u8]) {
        self.log.append(bytes, 0);
        while self.decoder.step().unwrap() {}
        self.tick();
    }

    /// Half a second passes.
    fn tick(&mut self) {
        self.now += Duration::from_millis(500);
        assert!(is_quiet(&self.send(Message::Tick(self.now))));
        while self.model.jobs.unfinished {
            assert!(is_quiet(&self.send(Message::Work)));
        }
        assert!(self.send(Message::Frame(SIZE)).is_empty());
    }

    /// Bytes arrive half a second after keys, so that sizes may be guessed, too.
    fn shows_what_comes(&mut self, bytes: &[u8]) {
        self.log.append(bytes, 0);
        while self.decoder.step().unwrap() {}
        self.now += Duration::from_millis(500);
        self.send(Message::Tick(self.now));
        self.works();
    }

    /// Remaining work is done, and drawn.
    fn works(&mut self) {
        while self.model.jobs.unfinished {
            assert!(is_quiet(&self.send(Message::Work)));
        }
        self.send(Message::Frame(SIZE));
    }

    fn send(&mut self, message: Message) -> Effects {
        update(&mut self.model, message)
    }

    /// Presses a key.
    fn press(&mut self, key: KeyEvent) -> Effects {
        // As fast as people type.
        self.now += Duration::from_millis(21);
        self.send(Message::Key(KeyPress::of(key), self.now))
    }

    /// Types keys; returns all effects, except lookups for completions. `\r` is Enter.
    fn types(&mut self, keys: &str) -> Effects {
        let mut effects = Effects::new();
        for c in keys.chars() {
            let code = if c == '\r' { KeyCode::Enter } else { KeyCode::Char(c) };
            effects.extend(self.press(KeyEvent::new(code, KeyModifiers::NONE)));
            effects.extend(self.send(Message::Frame(SIZE)));
        }
        effects.retain(|effect| !matches!(effect, Effect::LookUp(_)));
        effects
    }

    /// Number of the record under the cursor.
    fn record(&self) -> Option<u64> {
        self.model.list.cursor_entry()?.n
    }

    fn notice(&self) -> &str {
        self.model.prompt.notice.as_ref().map_or("", |notice| notice.text.as_str())
    }

    /// Why the command line stays open.
    fn refused(&self) -> Option<String> {
        self.model.prompt.line.as_ref()?.refused.clone()
    }

    fn screen(&self) -> String {
        let mut screen = Screen::new(SIZE.0, SIZE.1, Depth::Sixteen, false);
        view::draw(&self.model, &mut screen);
        let mut emulator = vt100::Parser::new(SIZE.1.try_into().unwrap(), SIZE.0.try_into().unwrap(), 0);
        emulator.process(screen.compose());
        emulator.screen().contents()
    }
}

#[test]
fn records_arrive_and_are_followed_until_the_user_scrolls() {
    let mut bench = Bench::new();
    bench.tick();
    assert!(bench.screen().contains("Nothing received yet."));
    let (first, rest) = CAPTURE.split_at(CAPTURE.len() / 2);
    bench.receives(first);
    let newest = bench.record();
    assert!(newest > Some(1) && bench.screen().contains("follow"));
    assert!(bench.types("k").is_empty());
    let held = bench.record();
    assert!(held < newest);
    bench.receives(rest);
    assert_eq!(bench.record(), held);
    assert!(bench.screen().contains("held +"), "{}", bench.screen());
    assert!(bench.types("G").is_empty());
    assert_eq!(bench.record(), Some(RECORDS_OF_CAPTURE));
    assert!(bench.types("g").is_empty());
    assert_eq!(bench.record(), Some(1));
}

/// However many characters arrive between two frames, preview and completions are updated once; a key that acts on them
/// finds them updated.
#[test]
fn characters_typed_ahead_of_a_frame_are_completed_once() {
    let mut bench = Bench::new();
    bench.receives(CAPTURE);
    bench.types(":filter ");
    let offered = |bench: &Bench| bench.model.prompt.line.as_ref().map(|line| line.completions.clone()).unwrap();
    let before = offered(&bench);
    for c in "kind:Tra".chars() {
        bench.press(KeyEvent::from(KeyCode::Char(c)));
        assert_eq!(offered(&bench), before);
    }
    bench.send(Message::Tick(bench.now));
    assert_eq!(offered(&bench)[0].text, "Tran");
    for c in " kind:Ig".chars() {
        bench.press(KeyEvent::from(KeyCode::Char(c)));
    }
    bench.press(KeyEvent::from(KeyCode::Right));
    let line = bench.model.prompt.line.as_ref().map(|line| line.editor.text());
    assert_eq!(line, Some("filter kind:Tra kind:Ignore"));
}

#[test]
fn keys_typed_ahead_of_a_frame_mean_the_row_that_they_went_to() {
    let mut bench = Bench::new();
    bench.receives(CAPTURE);
    bench.types(":goto #418");
    for code in [KeyCode::Enter, KeyCode::Char('r')] {
        bench.press(KeyEvent::new(code, KeyModifiers::NONE));
    }
    assert_eq!(bench.notice(), "times are relative to this row; t changes that");
}

#[test]
fn a_saved_filter_is_kept_for_later_runs() {
    let mut bench = Bench::new();
    bench.receives(CAPTURE);
    bench.types(":filter kind:Tran\r");
    let effects = bench.types(":filter save mine\r");
    let keeps =
        |effect: &Effect| matches!(effect, Effect::SaveFilter(name, expr) if name == "mine" && expr == "kind:Tran");
    assert!(effects.iter().any(keeps));
    let effects = bench.types(":filter save mi.ne\r");
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::SaveFilter(..))));
}

#[test]
fn a_search_goes_on_while_there_is_time_until_it_is_interrupted() {
    let mut bench = Bench::new();
    bench.receives(CAPTURE);
    bench.types("g");
    let effects = bench.types("/kind:Tran\r");
    assert!(matches!(&effects[0], Effect::SaveHistory(PromptKind::Search, line) if line == "kind:Tran"));
    assert!(bench.model.jobs.searching.is_some());
    bench.works();
    assert!(bench.model.jobs.searching.is_none());
    bench.send(Message::Frame(SIZE));
    assert_eq!(bench.model.list.cursor_entry().unwrap().line.kind, "Tran");
    bench.types("<");
    assert_eq!(bench.record(), Some(1));
    // A cancelled search moves nothing.
    bench.types("n");
    bench.press(INTERRUPT);
    assert_eq!(bench.notice(), "search interrupted");
    bench.works();
    assert_eq!(bench.record(), Some(1));
}

#[test]
fn a_filter_keeps_the_cursor_and_counts_what_it_hides() {
    let mut bench = Bench::new();
    bench.receives(CAPTURE);
    bench.types(":goto #714\r");
    assert_eq!(bench.record(), Some(714));
    bench.types("fgroup:AO\r");
    bench.tick();
    assert_eq!(bench.record(), Some(714));
    let hidden = bench.model.list.page.filter.hidden;
    assert!(hidden > 0 && hidden < bench.model.list.rows.len());
    assert!(bench.screen().contains("filter group:AO  hides"));
    bench.types("a");
    assert!(bench.model.list.page.filter.is_everything());
}

#[test]
fn panes_that_were_left_free_what_they_keep_of_the_rows() {
    const KEEPING: [PaneId; 3] = [PaneId("objects"), PaneId("timeline"), PaneId("strip")];
    let mut bench = Bench::new();
    bench.receives(CAPTURE);
    let kept = |bench: &Bench| KEEPING.map(|id| bench.model.panes.get(id).unwrap().memory());
    for pane in KEEPING {
        bench.model.panes.show(pane);
        bench.shows_what_comes(b"");
    }
    bench.model.panes.show(RECORDS);
    bench.shows_what_comes(b"");
    assert!(kept(&bench).iter().all(|bytes| *bytes > 0), "{:?}", kept(&bench));
    bench.model.panes.left_memory = 0;
    bench.shows_what_comes(b"");
    assert_eq!(kept(&bench), [0, 0, 0]);
}

#[test]
fn a_wrong_command_is_said_before_and_after_enter() {
    let mut bench = Bench::new();
    bench.receives(CAPTURE);
    bench.types(":fliter x");
    let preview = &bench.model.prompt.line.as_ref().unwrap().preview;
    assert!(preview.error && preview.text == "unknown command \"fliter\"; did you mean \"filter\"?");
    let effects = bench.types("\r");
    assert!(matches!(&effects[..], [Effect::Log { .. }]), "{effects:?}");
    // The line stays, with the cursor at the error.
    let line = bench.model.prompt.line.as_ref().unwrap();
    assert_eq!((line.editor.text(), line.editor.cursor()), ("fliter x", 0));
    assert_eq!(line.preview.text, "unknown command \"fliter\"; did you mean \"filter\"?");
}

#[test]
fn a_line_with_a_mistake_stays_open_with_the_cursor_at_it() {
    for (keys, column, said) in [
        (":goto #1o\r", 5, "not a location: #1o"),
        (":goto\r", 4, "WHERE is missing"),
        ("fkind:Tran fre<2\r", 10, "unknown field \"fre\""),
        ("/kind:Tran fre<2\r", 10, "unknown field \"fre\""),
    ] {
        let mut bench = Bench::new();
        bench.receives(CAPTURE);
        bench.types(keys);
        let line = bench.model.prompt.line.as_ref().unwrap_or_else(|| panic!("{keys:?} is closed"));
        assert_eq!(line.editor.cursor(), column, "{keys:?}");
        assert!(line.preview.error && line.preview.text.contains(said), "{:?}", line.preview);
        assert!(bench.screen().contains(said), "{}", bench.screen());
        bench.types("x");
        assert!(bench.model.prompt.line.as_ref().unwrap().refused.is_none());
    }
}

#[test]
fn what_is_said_is_logged() {
    let mut bench = Bench::new();
    bench.receives(CAPTURE);
    for (keys, said) in [("u", "no marks; m sets one"), ("=", "equal neighbours are folded"), (":nope\r", "unknown")] {
        let effects = bench.types(keys);
        let logged = |effect: &Effect| matches!(effect, Effect::Log { text, .. } if text.starts_with(said));
        assert_eq!(effects.iter().filter(|effect| logged(effect)).count(), 1, "{keys}: {effects:?}");
    }
}

#[test]
fn a_refused_command_stays_open_with_the_cursor_at_the_argument() {
    for (line, said, column) in [
        ("open nosuch.bin", "nosuch.bin: no such file.", 5),
        ("write none/x.txt #1..#10", "none/x.txt: there is no folder none; make it first", 6),
        ("export perfetto none/x", "none/x: there is no folder none; make it first", 16),
        ("w \"a b.txt\" kind:Tran", "a b.txt exists already; choose another name", 2),
    ] {
        let mut bench = Bench::new();
        bench.receives(CAPTURE);
        // Repeating a line does not change the history.
        for _ in 0..2 {
            bench.types(&format!(":{line}\r"));
            bench.send(Message::Refused(said.to_owned()));
            assert_eq!(bench.refused().as_deref(), Some(said));
            let editor = &bench.model.prompt.line.as_ref().unwrap().editor;
            assert_eq!((editor.text(), editor.cursor()), (line, column));
            assert!(bench.screen().contains(said), "{}", bench.screen());
            bench.press(KeyEvent::from(KeyCode::Esc));
        }
    }
    let mut bench = Bench::new();
    bench.receives(CAPTURE);
    bench.types(":write x.txt #20..#10\r");
    assert_eq!(bench.refused().as_deref(), Some("#20..#10 runs backwards"));
    assert_eq!(bench.model.prompt.line.as_ref().unwrap().editor.cursor(), 12);
    bench.press(KeyEvent::from(KeyCode::Esc));
    // Further typing is not interrupted.
    bench.types(":open nosuch.bin\r:goto ");
    bench.send(Message::Refused("nosuch.bin: no such file.".to_owned()));
    assert_eq!(bench.model.prompt.line.as_ref().unwrap().editor.text(), "goto ");
}

#[test]
fn the_title_of_the_list_keeps_its_state_and_gives_the_filter_the_room() {
    let mut bench = Bench::new();
    bench.receives(CAPTURE);
    bench.types("k");
    let title = |bench: &mut Bench, filter: &str| {
        bench.types(&format!(":filter {filter}\r"));
        bench.works();
        bench.screen().lines().nth(2).unwrap_or_default().to_owned()
    };
    let whole = title(&mut bench, "kind:Tran to:motor -sig:TEMP*");
    assert!(whole.contains(" filter kind:Tran to:motor -sig:TEMP*  hides 2 "), "{whole}");
    let cut = title(&mut bench, "kind:Tran,Ignored,Disp to:motor,door,heater -sig:TEMP* -obj:super");
    assert!(cut.starts_with("─ Records ─ filter kind:Tran,Ignored,Disp to:motor…  hides 2 "), "{cut}");
    for title in [whole, cut] {
        assert!(title.contains(" · held · ") && title.ends_with(" % ─"), "{title}");
    }
}

#[test]
fn a_jump_to_a_row_that_the_filter_hides_says_so_and_stays() {
    let mut bench = Bench::new();
    bench.receives(CAPTURE);
    bench.types(":goto #418\rm:goto #714\r");
    let cause = |bench: &mut Bench| {
        bench.types("c");
        bench.record().unwrap()
    };
    let number = cause(&mut bench);
    assert_ne!(number, 714);
    bench.types(":goto #714\r");
    let kind = bench.model.list.cursor_entry().unwrap().line.kind.clone();
    bench.types(&format!(":filter kind:{kind}\r"));
    bench.works();
    let hidden = |number: u64| format!("#{number} is hidden by the filter; a shows all");
    for (keys, of) in [("c", number), (":goto #418\r", 418), (":goto '1\r", 418), ("U", 418), (":goto #714\r<", number)]
    {
        bench.model.prompt.notice = None;
        bench.types(keys);
        assert_eq!((bench.notice(), bench.record()), (hidden(of).as_str(), Some(714)), "{keys}");
    }
    // A place does not name a row, so the next shown one is used.
    bench.types("a:goto #714\r");
    assert_eq!(cause(&mut bench), number);
}

#[test]
fn a_filter_explains_every_row() {
    let mut bench = Bench::new();
    bench.receives(&CAPTURE[..40_000]);
    // Some bytes are lost, including a part of a frame.
    bench.receives(&CAPTURE[40_100..]);
    let rows = bench.model.list.rows.len();
    bench.types(":filter kind:Tran or to:motor\r:filter why\r");
    bench.works();
    let said = bench.notice().replace(' ', "");
    let numbers = |part: &str| -> Vec<u64> {
        part.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
    };
    let parts: Vec<Vec<u64>> = said.split('·').map(numbers).collect();
    let [tran, motor, together, always, all] = &parts[..] else { panic!("{said}") };
    assert!(always[0] > 1 && all == &[rows], "{said}");
    for [passes, hides] in [tran, motor, together].map(|part| [part[0], part[1]]) {
        assert_eq!(passes + hides + always[0], rows, "{said}");
    }
}

#[test]
fn a_filter_finds_marks() {
    let mut bench = Bench::new();
    bench.receives(CAPTURE);
    bench.types(":goto #418\rm:goto #714\r:mark here it begins\r:goto #720\r");
    let shown = |bench: &mut Bench, filter: &str| -> Vec<u64> {
        bench.types(&format!(":filter {filter}\r"));
        bench.works();
        bench.model.list.page.entries.iter().filter_map(|entry| entry.n).collect()
    };
    assert_eq!(shown(&mut bench, "mark:here"), [2, 714]);
    assert_eq!(shown(&mut bench, "mark:*"), [2, 418, 714]);
    // A removed mark is no longer found.
    bench.types("g:goto #418\rm");
    bench.works();
    let left: Vec<u64> = bench.model.list.page.entries.iter().filter_map(|entry| entry.n).collect();
    assert_eq!(left, [2, 714]);
    assert!(!shown(&mut bench, "-mark:here kind:AO-Post").contains(&714));
}

#[test]
fn a_failed_line_is_recalled_but_is_no_ghost() {
    let mut bench = Bench::new();
    bench.receives(CAPTURE);
    bench.types(":goto #714\r");
    let effects = bench.types(":goto #9999\r");
    assert!(
        matches!(&effects[..], [Effect::SaveHistory(..), Effect::Log { .. }, Effect::MarkFailed(..)]),
        "{effects:?}"
    );
    // It stays open for correction.
    assert_eq!(bench.refused().as_deref(), Some("#9999: there are 2 360 records"));
    bench.press(KeyEvent::from(KeyCode::Esc));
    // An effect that fails also marks the line as failed.
    bench.types(":open nosuch.bin\r");
    let effects = bench.send(Message::Failed("nosuch.bin: no such file.".to_owned()));
    assert!(matches!(&effects[..], [Effect::Log { .. }, Effect::MarkFailed(..)]), "{effects:?}");
    let ghost = |bench: &Bench| bench.model.prompt.line.as_ref().unwrap().ghost.take.clone();
    bench.types(":go");
    assert_eq!(ghost(&bench), "to #714");
    bench.press(INTERRUPT);
    bench.types(":open n");
    assert_eq!(ghost(&bench), "");
    bench.press(KeyEvent::new(KeyCode::Up, KeyModifiers::NONE));
    assert_eq!(bench.model.prompt.line.as_ref().unwrap().editor.text(), "open nosuch.bin");
}

#[test]
fn a_question_mark_behind_a_command_explains_it() {
    let mut bench = Bench::new();
    bench.receives(CAPTURE);
    bench.types(":goto ?");
    let screen = bench.screen();
    assert!(screen.contains(":goto WHERE") && screen.contains("#714, #1:714, 12.5ms"), "{screen}");
    assert_eq!(bench.model.prompt.line.as_ref().unwrap().editor.text(), "goto ");
    bench.types("#5");
    assert!(!bench.screen().contains(":goto WHERE"));
    bench.types("\r:find /a?b");
    assert_eq!(bench.model.prompt.line.as_ref().unwrap().editor.text(), "find /a?b");
    bench.press(INTERRUPT);
    bench.types(":?");
    assert!(
        bench.screen().contains("─ Help · : ─") && bench.screen().contains(":proto NAME|auto"),
        "{}",
        bench.screen()
    );
}

#[test]
fn a_named_rate_ends_the_search_for_one() {
    let mut bench = Bench::new();
    bench.model.jobs.baud_scan = Some(BaudScan::start(0, 115_200));
    let effects = bench.send(Message::Tick(bench.now));
    assert!(
        matches!(effects.as_slice(), [Effect::SetLine(0, LineCommand::Baud(115_200)), Effect::Log { .. }]),
        "{effects:?}"
    );
    assert_eq!(sleep(&bench.model), Duration::from_millis(50));
    let spec = LinkSpec::parse("serial:/dev/ttyUSB0?baud=115200").unwrap();
    let mut status = live(bench.model.links.addressed().decoding().clone());
    status.facts.baud = Some(115_200);
    bench.model.links.sources[0] = Source::new(0, SourceOrigin::Link(spec), status, bench.now);
    let effects = bench.types(":baud 57600\r");
    assert!(
        effects.iter().any(|effect| matches!(effect, Effect::SetLine(0, LineCommand::Baud(57_600)))),
        "{effects:?}"
    );
    // Longer than listening at one rate.
    for _ in 0..5 {
        bench.tick();
    }
    assert_eq!(bench.notice(), "57600 baud");
}

#[test]
fn where_all_has_come_it_sleeps() {
    let mut bench = Bench::new();
    bench.receives(CAPTURE);
    assert_eq!(sleep(&bench.model), Duration::from_millis(500));
    while bench.decoder.step().unwrap() {}
    bench.shows_what_comes(b"");
    for (quiet, wait) in [(9, 500), (10, 5_000)] {
        bench.model.links.sources[0].status.state = LinkState::Quiet(Duration::from_secs(quiet));
        assert_eq!(sleep(&bench.model), Duration::from_millis(wait));
    }
    bench.log.end(0);
    bench.model.links.sources[0].status.state = LinkState::Ended;
    while bench.decoder.step().unwrap() {}
    bench.shows_what_comes(b"");
    let decoding = bench.model.links.addressed().decoding().clone();
    bench.send(Message::Sizes { decoding, found: None, pattern: None });
    bench.shows_what_comes(b"");
    assert_eq!(sleep(&bench.model), Duration::from_secs(3600));
}

#[test]
fn sizes_guessed_before_they_were_set_do_not_replace_them() {
    let mut bench = Bench::new();
    bench.receives(CAPTURE);
    let decoding = bench.model.links.addressed().decoding().clone();
    let options = [("signal".to_owned(), "1".to_owned())].to_vec();
    let suggestion = Suggestion { options, percent: 99, why: String::new(), teller: None, misfit: None };
    let found = Some((decoding.options.clone(), suggestion));
    let is_switch = |effect: &Effect| matches!(effect, Effect::Switch { .. });
    assert!(bench.types(":set signal=2\r").iter().any(is_switch));
    assert!(!bench.send(Message::Sizes { decoding, found, pattern: None }).iter().any(is_switch));
}

#[test]
fn an_answer_about_old_sizes_is_none_while_the_list_waits_for_new_rows() {
    let mut bench = Bench::new();
    bench.receives(CAPTURE);
    let old = bench.model.links.addressed().decoding().clone();
    let asked = |bench: &mut Bench| {
        bench.now += Duration::from_millis(500);
        let effects = bench.send(Message::Tick(bench.now));
        effects.into_iter().find_map(|effect| match effect {
            Effect::SuggestSizes { decoding, .. } => Some(decoding),
            _ => None,
        })
    };
    let effects = bench.types(":set signal=2\r");
    let (decoder, options) = match &effects[1] {
        Effect::Switch { decoder, options, .. } => (decoder.clone(), options.clone()),
        other => panic!("{other:?}"),
    };
    assert!(asked(&mut bench).is_some_and(|about| Arc::ptr_eq(&about, &old)));
    let new = Arc::new(Decoding::new(decoder, options, bench.log.clone(), 0, 0, BUDGET));
    bench.model.links.sources[0].status.decoding = new.clone();
    bench.send(Message::Sizes { decoding: old, found: None, pattern: None });
    assert!(asked(&mut bench).is_none());
    bench.decoder = DecodeLoop::open(new.clone()).unwrap();
    while bench.decoder.step().unwrap() {}
    assert!(asked(&mut bench).is_some_and(|about| Arc::ptr_eq(&about, &new)));
}

#[test]
fn commands_ask_for_what_they_cannot_do() {
    let mut bench = Bench::new();
    bench.receives(CAPTURE);
    let effects = bench.types(":record run.bin\r");
    assert!(matches!(&effects[1], Effect::Record { sources, quit: false, .. } if sources == &[0]));
    let effects = bench.types(":set signal=2\r");
    assert!(matches!(&effects[1], Effect::Switch { said, .. } if said == "signal = 2: decoding again"));
    bench.send(Message::Done("signal = 2: decoding again".to_owned()));
    assert!(bench.notice().starts_with("signal = 2"));
    assert!(matches!(&bench.types(":write parquet=tables\r")[1], Effect::WriteLive(0, _)));
    for (path, said) in [("parquet", "parquet=DIR"), ("parquet=", "parquet=DIR"), ("text=", "text=PATH, or text alone")]
    {
        bench.types(&format!(":write {path}\r"));
        let refused = bench.refused().unwrap_or_default();
        assert!(refused.ends_with(&format!("is missing; use {said}")), "{refused}");
        bench.press(KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE));
    }
    let effects = bench.types("y");
    assert!(matches!(effects.as_slice(), [Effect::CopyRows(..)]));
    bench.send(Message::Copied { what: "1 row".to_owned(), places: vec!["the terminal".to_owned()] });
    assert_eq!(bench.notice(), "copied 1 row to the terminal");
    bench.send(Message::Failed("disk full".to_owned()));
    assert!(bench.model.prompt.notice.as_ref().unwrap().error);
}

#[test]
fn files_are_looked_up_outside() {
    let mut bench = Bench::new();
    bench.types(":write ");
    bench.press(KeyEvent::new(KeyCode::Char('u'), KeyModifiers::NONE));
    let effects = bench.send(Message::Tick(bench.now));
    let [Effect::LookUp(query)] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!(query, &PathLookup { path: "u".to_owned(), ports: false });
    let found = LookedUp { query: query.clone(), paths: vec![Choice::new("unit.txt", "")], ports: Vec::new() };
    assert!(bench.send(Message::LookedUp(found)).is_empty());
    assert_eq!(bench.model.prompt.line.as_ref().unwrap().ghost.take, "nit.txt");
    bench.press(KeyEvent::new(KeyCode::Tab, KeyModifiers::NONE));
    assert_eq!(bench.model.prompt.line.as_ref().unwrap().editor.text(), "write unit.txt ");
}

#[test]
fn panes_that_are_closed_walk_no_rows() {
    let mut bench = Bench::new();
    let followed = |bench: &Bench| bench.model.links.addressed().decoding().followed();
    // Other effects are ignored.
    let comes = |bench: &mut Bench, bytes: &[u8]| {
        bench.log.append(bytes, 0);
        while bench.decoder.step().unwrap() {}
        bench.now += Duration::from_millis(500);
        bench.send(Message::Tick(bench.now));
        bench.works();
    };
    // Each with the key that closes it.
    let panes = [("3", "1"), ("4", "1"), ("8", "1"), ("0", "1"), ("T", "T")];
    let mut parts = CAPTURE.chunks(CAPTURE.len() / (2 * panes.len()) + 1);
    let mut before = 0;
    for (open, close) in panes {
        comes(&mut bench, parts.next().unwrap());
        assert_eq!(followed(&bench), before, "before {open}");
        bench.types(open);
        comes(&mut bench, &[]);
        comes(&mut bench, parts.next().unwrap());
        assert_ne!(followed(&bench), before, "{open}");
        before = followed(&bench);
        bench.types(close);
    }
}

#[test]
fn panes_take_the_keys_while_they_are_in_front() {
    let mut bench = Bench::new();
    bench.receives(CAPTURE);
    bench.types("2");
    assert_eq!(bench.model.panes.front(), PaneId("dictionary"));
    assert!(bench.screen().contains("Dictionary · by key"));
    bench.types("s");
    assert!(bench.screen().contains("Dictionary · by name"));
    // Enter filters by the name under the cursor, and returns to the list.
    bench.types("\r");
    assert_eq!(bench.model.panes.front(), RECORDS);
    assert!(!bench.model.list.page.filter.is_everything());
    bench.types("5");
    assert!(bench.screen().contains("adds up"));
    bench.types("9");
    assert!(bench.screen().contains("no messages"));
    bench.types("\t1");
    assert_eq!(bench.model.panes.front(), RECORDS);
}

#[test]
fn it_asks_before_it_quits() {
    let mut bench = Bench::new();
    bench.receives(CAPTURE);
    bench.types("q");
    assert!(bench.screen().contains("quit? q yes"));
    bench.types("x");
    assert_eq!(bench.model.quit, None);
    bench.types("qy");
    assert_eq!(bench.model.quit, Some(0));
}

#[test]
fn a_paste_that_comes_as_keys_does_not_quit() {
    let mut bench = Bench::new();
    bench.receives(CAPTURE);
    let paste = |bench: &mut Bench, text: &str| {
        for c in text.chars() {
            let key = KeyPress::of(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE));
            bench.send(Message::Key(key, bench.now));
        }
    };
    bench.now += Duration::from_secs(1);
    paste(&mut bench, "quick yq");
    bench.send(Message::Frame(SIZE));
    assert_eq!(bench.model.quit, None);
    assert!(bench.screen().contains("q was pasted; quit? q yes"), "{}", bench.screen());
    bench.types("y");
    assert_eq!(bench.model.quit, Some(0));
}

/// The lines of these panes are made from rows that arrive during typing.
#[test]
fn a_search_in_a_pane_goes_on_when_its_lines_come() {
    for (pane, text, title) in [
        ("0", "ignored", "Issues · 3 warnings, 3 notes · /ignored 1 of 1"),
        ("2", "Motor_", "/Motor_ 1 of "),
        ("3", "heater", "/heater 1 of 3"),
        ("8l", "TIMEEVT_ARM", "/TIMEEVT_ARM 1 of 1"),
    ] {
        let mut bench = Bench::new();
        bench.tick();
        bench.types(&format!("{pane}/{text}\r"));
        assert_eq!(bench.notice(), "no match in this pane", "{pane}");
        assert!(bench.screen().contains(&format!("/{text} 0 of 0")), "{}", bench.screen());
        // In two pieces: matches are counted again.
        let (first, rest) = CAPTURE.split_at(CAPTURE.len() / 2);
        bench.shows_what_comes(first);
        bench.shows_what_comes(rest);
        bench.shows_what_comes(b"");
        assert!(bench.screen().contains(title), "{pane}: {}", bench.screen());
        assert_eq!(bench.notice(), "", "{pane}");
    }
}

/// This also holds while typing; cancelling goes back.
#[test]
fn a_search_that_is_typed_finds_lines_that_come() {
    let mut bench = Bench::new();
    bench.tick();
    bench.types("0/ignored");
    bench.shows_what_comes(CAPTURE);
    bench.shows_what_comes(b"");
    assert!(bench.screen().contains("/ignored 1 of 1"), "{}", bench.screen());
    bench.press(KeyEvent::new(KeyCode::Char('g'), KeyModifiers::CONTROL));
    bench.shows_what_comes(b"");
    assert!(!bench.screen().contains("/ignored"), "{}", bench.screen());
}

#[test]
fn the_mouse_chooses_rows_panes_and_columns() {
    let mut bench = Bench::new();
    bench.receives(CAPTURE);
    let click = |bench: &mut Bench, x: u16, y: u16| {
        let kind = MouseEventKind::Down(MouseButton::Left);
        bench.send(Message::Mouse(MouseEvent { kind, column: x, row: y, modifiers: KeyModifiers::NONE }));
        bench.send(Message::Frame(SIZE));
    };
    let wheel = |bench: &mut Bench, kind, y: u16| {
        bench.send(Message::Mouse(MouseEvent { kind, column: 5, row: y, modifiers: KeyModifiers::NONE }));
        bench.send(Message::Frame(SIZE));
    };
    let last = bench.record().unwrap();
    wheel(&mut bench, MouseEventKind::ScrollUp, 6);
    assert_eq!(bench.record(), Some(last - 3));
    // The first line of the list is the fifth of the screen.
    let first = bench.model.list.page.entries[0].n;
    click(&mut bench, 30, 4);
    assert_eq!(bench.record(), first);
    click(&mut bench, 30, 5);
    assert_eq!(bench.record(), bench.model.list.page.entries[1].n);
    // Pressed again, it shows all details.
    assert!(!bench.model.panes.details_large);
    click(&mut bench, 30, 5);
    assert!(bench.model.panes.details_large);
    bench.types("\r");
    // The kind heading begins a filter.
    click(&mut bench, 27, 3);
    assert_eq!(bench.model.prompt.line.as_ref().map(|line| line.editor.text().to_owned()), Some("kind:".to_owned()));
    bench.press(KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE));
    // The time heading switches the style.
    click(&mut bench, 9, 3);
    assert!(bench.notice().starts_with("time since the row above"), "{}", bench.notice());
    // A tab; and the heading of a table sorts it.
    click(&mut bench, 8, SIZE.1 - 2);
    assert!(bench.screen().contains("─ Dictionary · by key"), "{}", bench.screen());
    click(&mut bench, 30, 3);
    assert!(bench.screen().contains("─ Dictionary · by name"), "{}", bench.screen());
    click(&mut bench, 1, SIZE.1 - 2);
    assert_eq!(bench.model.panes.front(), RECORDS);
}

#[test]
fn a_mark_and_its_note_are_one() {
    let mut bench = Bench::new();
    bench.receives(CAPTURE);
    bench.types("km");
    bench.types("Mhere\r");
    let marks: Vec<_> =
        bench.model.list.marks.iter().map(|(name, mark)| (name.to_owned(), mark.note.clone())).collect();
    assert_eq!(marks, [("1".to_owned(), "here".to_owned())]);
    // The note can be changed.
    bench.types("M too\r");
    assert_eq!(bench.model.list.marks.get("1").unwrap().note, "here too");
}

#[test]
fn a_pane_that_is_alone_says_so() {
    let mut bench = Bench::new();
    bench.receives(CAPTURE);
    bench.types("z");
    assert!(bench.screen().contains("1 Rec alone"), "{}", bench.screen());
    bench.types("z");
    assert!(!bench.screen().contains("alone"));
}

#[test]
fn escape_never_asks_to_quit_and_a_question_takes_only_its_answers() {
    const ESCAPE: KeyEvent = KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE);
    let mut bench = Bench::new();
    bench.receives(CAPTURE);
    bench.types("2");
    for _ in 0..4 {
        bench.press(ESCAPE);
        assert!(!bench.screen().contains("quit?"), "{}", bench.screen());
    }
    assert_eq!(bench.model.panes.front(), RECORDS);
    // Letters after a question are neither actions nor answers.
    let row = bench.record();
    bench.types("q:open /dev/x");
    assert!(bench.screen().contains("x is not an answer; quit? q yes"), "{}", bench.screen());
    assert_eq!((bench.record(), bench.model.quit), (row, None));
    bench.press(ESCAPE);
    assert!(!bench.screen().contains("quit?"), "{}", bench.screen());
}

#[test]
fn two_interrupts_within_a_second_quit() {
    let mut bench = Bench::new();
    for (pause, quit) in [(60_000, None), (1_500, None), (500, Some(130))] {
        // Nothing happens while nothing arrives.
        bench.now += Duration::from_millis(pause);
        assert!(is_quiet(&bench.press(INTERRUPT)));
        assert_eq!(bench.model.quit, quit);
    }
}

#[test]
fn set_knows_every_setting_that_is_printed() {
    let mut bench = Bench::new();
    bench.receives(CAPTURE);
    let printed = Config::built_in();
    for (name, value, _) in printed.all() {
        bench.types(&format!(":set {name}\r"));
        assert_eq!(bench.notice(), format!("{name} = {value} (built in)"));
    }
    bench.types(":set\r");
    let (title, lines) = bench.model.prompt.help.take().and_then(|help| help.page).unwrap();
    assert_eq!((title.as_str(), lines[0].left.as_str()), ("Settings", "Not as by default"));
    assert!(lines.iter().any(|line| line.left == "obj-ptr") && lines.iter().any(|line| line.left == "ui.fold"));
    bench.types(":set ui.fold on\r");
    assert_eq!(bench.notice(), "ui.fold = true (:set)");
    bench.types(":set alias.quiet \"filter -kind:Tick\"\r:quiet\r");
    assert!(!bench.model.list.page.filter.is_everything());
    bench.types(":set ui.fps 10\r");
    assert!(bench.refused().unwrap().starts_with("ui.fps is read when spytui starts"));
    bench.press(KeyEvent::from(KeyCode::Esc));
    bench.types(":set fold=maybe\r");
    assert!(bench.refused().unwrap().contains("must be true or false"));
}

#[test]
fn columns_are_those_configured() {
    let mut bench = Bench::new();
    bench.receives(CAPTURE);
    bench.types(":goto #714\r");
    let line = |bench: &Bench| {
        bench.screen().lines().find(|line| line.contains("AO-Post  motor")).unwrap_or_default().to_owned()
    };
    assert!(
        line(&bench).starts_with(" 328 991 427      +0 AO  │AO-Post  motor     SPIN_REQ_SIG ← door"),
        "{}",
        bench.screen()
    );
    bench.types(":set columns.qs number,seq,bytes,epoch,severity,kind,object\r");
    let shown = line(&bench);
    assert!(shown.trim_end().ends_with("#714   202    30   1  normal │AO-Post  motor"), "{shown:?}");
    bench.types(":set columns.qs kind,what\r");
    assert!(bench.screen().contains(" │AO-Post  SPIN_REQ_SIG ← door"), "{}", bench.screen());
}

#[test]
fn marks_are_a_list_to_go_from() {
    let mut bench = Bench::new();
    bench.receives(CAPTURE);
    bench.types("'");
    assert_eq!(bench.notice(), "no marks; m sets one");
    bench.types(":goto #418\rm:goto #714\r:mark here it begins\rg'");
    let screen = bench.screen();
    assert!(screen.contains("#418") && screen.contains("it begins") && screen.contains(":goto '"), "{screen}");
    bench.types("\r");
    assert_eq!(bench.record(), Some(418));
    bench.types("g'here\r");
    assert_eq!(bench.record(), Some(714));
}

#[test]
fn a_refused_option_says_what_it_is_and_nothing_of_arguments() {
    let mut bench = Bench::new();
    bench.receives(CAPTURE);
    bench.types(":set ticks-per-second 1MHz\r");
    let refused = bench.refused().unwrap();
    assert!(refused.starts_with("ticks-per-second=1MHz: must be a whole number from 0 to "), "{refused}");
    assert!(refused.contains("; rate of the time stamps, Hz; "), "{refused}");
}

#[test]
fn help_finds_the_units_of_times() {
    let mut bench = Bench::new();
    bench.receives(CAPTURE);
    for typed in ["?units", "?ticks"] {
        bench.types(typed);
        let screen = bench.screen();
        assert!(screen.contains("12.5ms 3us 40t") && screen.contains("times in filters and goto"), "{screen}");
        bench.press(KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE));
    }
}

#[test]
fn help_has_headings_in_the_order_of_use_and_filters_from_the_first_letter() {
    let mut bench = Bench::new();
    bench.receives(CAPTURE);
    bench.types("?");
    let headings = |bench: &Bench| -> Vec<String> {
        let lines = spytui::model::prompt::help_lines(&bench.model);
        lines.into_iter().filter(|line| line.heading).map(|line| line.left).collect()
    };
    let all = [
        "Move",
        "Find",
        "Places",
        "Panes",
        "Rows",
        "Time and copies",
        "Program",
        "Signs",
        "Groups of records",
        "Units",
        "Commands",
    ];
    assert_eq!(headings(&bench), all);
    let lines = spytui::model::prompt::help_lines(&bench.model);
    assert!(lines.iter().any(|line| (line.left.as_str(), line.right.as_str()) == ("SM", "state machines")));
    bench.types("jump");
    assert_eq!(bench.model.prompt.help.as_ref().unwrap().filter, "jump");
    assert!(headings(&bench).is_empty());
}

#[test]
fn help_about_a_kind_says_what_its_decoder_declares() {
    let mut bench = Bench::new();
    bench.receives(CAPTURE);
    for word in ["AO-PostA", "qs_qf_active_post_attempt"] {
        bench.types(&format!(":help {word}\r"));
        let (title, lines) = bench.model.prompt.help.take().and_then(|help| help.page).unwrap();
        assert_eq!(title, "QS_QF_ACTIVE_POST_ATTEMPT");
        let of = |name: &str| lines.iter().find(|line| line.left == name).map(|line| line.right.as_str());
        assert_eq!([of("number"), of("usually"), of("filter")], [Some("45"), Some("warning"), Some("kind:AO-PostA")]);
    }
}

#[test]
fn a_jump_keeps_rows_around_its_row() {
    let mut bench = Bench::new();
    bench.receives(CAPTURE);
    let line = |bench: &mut Bench, keys: &str| {
        bench.types(keys);
        bench.model.list.page.cursor_entry().unwrap()
    };
    assert_eq!(line(&mut bench, ":goto #500\r"), 5);
    // Of the rows on the screen, only the outer ones scroll.
    assert_eq!([line(&mut bench, ":goto #502\r"), line(&mut bench, ":goto #496\r")], [7, 5]);
    // Also if the list was hidden.
    assert_eq!(line(&mut bench, "3:goto #600\r1"), 5);
    // A click does not scroll.
    assert_eq!(line(&mut bench, "k"), 4);
}
#[test]
fn the_layout_is_the_one_configured() {
    const WIDE: (u16, u16) = (140, 40);
    let mut bench = Bench::new();
    bench.receives(CAPTURE);
    bench.types("2");
    for (layout, beside) in [("auto", true), ("stacked", false), ("side", true)] {
        bench.types(&format!(":set ui.layout {layout}\r"));
        bench.send(Message::Frame(WIDE));
        assert_eq!(bench.model.screen.layout.beside, beside, "{layout}");
    }
}
