//! Whole screens as drawn, on two captures, in two sizes; read back by an emulator. One of the demo is the README's
//! picture (`picture`).

#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::time::{Duration, Instant};

use crossbeam_channel::bounded;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::Color;
use spytui::app::App;
use spytui::effects::{Edge, LinkPort};
use spytui::input::KeyPress;
use spytui::model::{DecodeRequest, Message};
use spytui::term::{Depth, Glyphs, Screen, Theme};
use spytui::view;
use spytui::widget::Look;
use spytui_demo_target::{AVAILABLE, Proto};
use spytui_engine::io::link::{Link, LinkOptions, LinkSpec};
use spytui_engine::open::Options;
use spytui_engine::store::rows::BUDGET;

use crate::fuzzing::fixture::{model, registry};

/// Snapshots of a pane: a capture, its options, the size, and the keys that lead there.
macro_rules! screens {
    ($($name:ident: $capture:ident $options:expr, $size:ident, $keys:literal;)*) => {
        $(#[test]
        fn $name() {
            let screen = shown($capture, &$options, $size).types($keys).frame();
            insta::assert_snapshot!(stringify!($name), parts(&screen).1);
        })*
    };
}

mod compare;
mod findings;
mod incident;
mod joint;
mod picture;
mod sequence;
mod statistics;
mod timeline;

// Captures below `decoders` with which several panes are shown.
const OVEN: &str = "qs/tests/captures/oven-734.bin";
const DROPS: &str = "qs/tests/captures/oven-734-drops.bin";
const GREENHOUSE: &str = "rkh-trazer/tests/captures/gh340-default-flip.bin";
const BREW: &str = "tband/tests/captures/brew_stream.bin";
const KERNEL: &str = "qnx/tests/captures/fast-2cpu.kev";
const MEDIUM: (u16, u16) = (120, 36);

/// A capture of a protocol, by its path below `decoders`.
fn shown(capture: &str, options: &[&str], size: (u16, u16)) -> Stage {
    let protocol = capture.split(['/', '-']).next().unwrap();
    stage_with(protocol, &Path::new(env!("CARGO_MANIFEST_DIR")).join("../decoders").join(capture), options, size)
}

struct Stage {
    app: App,
    size: (u16, u16),
    /// Wakes the app; nobody waits here.
    _woken: crossbeam_channel::Receiver<()>,
}

/// The app with a completely decoded capture.
fn stage(capture: &str, options: &[&str], size: (u16, u16)) -> Stage {
    stage_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../decoders/qs/tests/captures").join(capture), options, size)
}

/// The app with any completely decoded QS file.
fn stage_of(path: &Path, options: &[&str], size: (u16, u16)) -> Stage {
    stage_with("qs", path, options, size)
}

/// The app with any completely decoded file of a protocol.
fn stage_with(protocol: &str, path: &Path, options: &[&str], size: (u16, u16)) -> Stage {
    stage_of_targets(&[(protocol, path, options)], size)
}

/// The app with a completely decoded file for each target: its protocol, path and options.
fn stage_of_targets(targets: &[(&str, &Path, &[&str])], size: (u16, u16)) -> Stage {
    let registry = registry();
    let (wake, woken) = bounded(1);
    let (mut ports, mut sources) = (Vec::new(), Vec::new());
    for (target, (protocol, path, options)) in targets.iter().enumerate() {
        let decoder = registry.find(protocol).unwrap();
        let options: Vec<String> = options.iter().map(ToString::to_string).collect();
        let options = Options::parse(&decoder.info, &options).unwrap();
        let link = Link::open(LinkSpec::path(path), LinkOptions::default()).unwrap();
        let decode = DecodeRequest { decoder, options, target, source: 0, memory: BUDGET };
        let port = LinkPort::of_link(link, decode, wake.clone()).unwrap();
        let source = port.source(target);
        let start = Instant::now();
        while !source.log().ended() || source.decoding().pos() < source.log().len() {
            assert!(start.elapsed() < Duration::from_secs(20));
            std::thread::sleep(Duration::from_millis(1));
        }
        ports.push(port);
        sources.push(source);
    }
    // Times in the log are relative to the start; this makes all of them 0.
    let mut model = model(registry, sources.remove(0), false, Glyphs::Unicode, Instant::now());
    model.links.sources.extend(sources);
    let app = App { model, edge: Edge::new(ports, wake) };
    let mut stage = Stage { app, size, _woken: woken };
    stage.frame();
    stage
}

impl Stage {
    /// A frame like those of the main loop.
    fn frame(&mut self) -> String {
        let emulator = self.emulator();
        emulator.screen().contents().lines().map(|line| format!("{}\n", line.trim_end())).collect()
    }

    /// The terminal that shows the frame.
    fn emulator(&mut self) -> vt100::Parser {
        let (width, height) = self.size;
        let mut emulator = vt100::Parser::new(height.try_into().unwrap(), width.try_into().unwrap(), 0);
        emulator.process(&self.bytes());
        emulator
    }

    /// The bytes of the whole frame.
    fn bytes(&mut self) -> Vec<u8> {
        let (width, height) = self.size;
        self.app.turn(Instant::now(), None).unwrap();
        while self.app.model.jobs.unfinished {
            self.app.turn(Instant::now(), None).unwrap();
        }
        self.app.send(Message::Frame(self.size), None).unwrap();
        let is_ascii = self.app.model.screen.look.glyphs == Glyphs::Ascii;
        let mut screen = Screen::new(width, height, Depth::Sixteen, is_ascii);
        view::draw(&self.app.model, &mut screen);
        screen.compose().to_vec()
    }

    /// Foreground and background colour of each word of the first line that contains `text`.
    fn colours(&mut self, text: &str) -> Vec<(String, vt100::Color, vt100::Color)> {
        let emulator = self.emulator();
        let screen = emulator.screen();
        let (width, height) = self.size;
        let line = (0..height).find(|&y| screen.contents_between(y, 0, y, width).contains(text)).unwrap();
        let mut words: Vec<(String, vt100::Color, vt100::Color)> = Vec::new();
        let mut in_word = false;
        for cell in (0..width).filter_map(|x| screen.cell(line, x)) {
            let (symbol, colours) = (cell.contents(), (cell.fgcolor(), cell.bgcolor()));
            match words.last_mut().filter(|word| in_word && (word.1, word.2) == colours) {
                _ if symbol.trim().is_empty() => {}
                Some(word) => word.0.push_str(symbol),
                None => words.push((symbol.to_owned(), colours.0, colours.1)),
            }
            in_word = !symbol.trim().is_empty();
        }
        words
    }

    /// Types keys, with a frame after each.
    fn types(&mut self, keys: &str) -> &mut Stage {
        for c in keys.chars() {
            let code = match c {
                '\r' => KeyCode::Enter,
                '\t' => KeyCode::Tab,
                '\u{1b}' => KeyCode::Esc,
                c => KeyCode::Char(c),
            };
            let key = KeyPress::of(KeyEvent::new(code, KeyModifiers::NONE));
            self.app.send(Message::Key(key, Instant::now()), None).unwrap();
            self.frame();
        }
        self
    }
}

const SMALL: (u16, u16) = (80, 24);
const LARGE: (u16, u16) = (200, 50);

fn oven(size: (u16, u16)) -> Stage {
    stage("oven-734.bin", &[], size)
}

fn drops(size: (u16, u16)) -> Stage {
    stage("oven-734-drops.bin", &["obj-ptr=8", "fun-ptr=8"], size)
}

/// The header, and the part below it: a change of the header should change one snapshot.
fn parts(screen: &str) -> (&str, &str) {
    screen.split_at(screen.find("─ ").unwrap_or_default())
}

#[test]
fn headers() {
    let sizes = [SMALL, LARGE, (120, 40), (60, 15), (40, 8)];
    let stages = sizes.into_iter().flat_map(|size| [oven(size), drops(size)]);
    let headers = stages.map(|mut stage| parts(&stage.frame()).0.to_owned());
    insta::assert_snapshot!("headers", headers.collect::<Vec<_>>().join("\n"));
}

macro_rules! screens {
    ($($name:ident: $stage:expr, $keys:literal;)*) => {
        $(#[test]
        fn $name() {
            let screen = $stage.types($keys).frame();
            insta::assert_snapshot!(stringify!($name), parts(&screen).1);
        })*
    };
}

screens! {
    list_at_80x24: oven(SMALL), ":goto #418\r";
    list_at_200x50: oven(LARGE), ":goto #418\r";
    list_at_120x40: oven((120, 40)), ":goto #714\r2";
    list_at_60x15: oven((60, 15)), ":goto #714\r";
    list_at_40x8: drops((40, 8)), "xx";
    loss_at_80x24: drops(SMALL), "xx";
    loss_at_200x50: drops(LARGE), "xx";
    folded_losses_at_80x24: drops(SMALL), ":filter kind:ASSERT\r";
    details_in_full_at_80x24: oven(SMALL), ":goto #2\r\r";
    details_at_200x50: oven(LARGE), ":goto #2\r\r";
    dictionary_at_80x24: oven(SMALL), "2";
    dictionary_at_200x50: oven(LARGE), "2";
    dictionary_without_names_at_80x24: drops(SMALL), "2ssg";
    counters_at_80x24: drops(SMALL), "xx5";
    counters_at_200x50: drops(LARGE), "xx5";
    help_at_80x24: oven(SMALL), "?";
    help_at_200x50: oven(LARGE), "?";
    help_filtered_at_80x24: oven(SMALL), "?loss";
    help_about_a_kind_at_80x24: oven(SMALL), ":help AO-PostA\r";
    completions_at_80x24: oven(SMALL), ":filter kind:Tr";
    completions_at_200x50: oven(LARGE), ":";
    a_mistake_at_80x24: oven(SMALL), ":goto #1o";
    hide_menu_at_80x24: oven(SMALL), ":goto #418\r-";
    quit_question_at_80x24: oven(SMALL), "q";
    details_at_40x10: oven((40, 10)), ":goto #418\r\r";
    too_small_at_20x5: oven((20, 5)), "";
    selection_at_80x24: oven(SMALL), ":goto #418\rmvjj";
}

#[test]
fn a_long_message_takes_the_lines_above() {
    let mut stage = oven(SMALL);
    stage.app.model.fail(
        "listen 127.0.0.1:9000: nobody yet; this machine only, for boards --listen 0.0.0.0:9000. \
         QNX: tracelogger -c -f - | nc THISHOST 9000. Port taken: Port 9000 is in use here; --listen 0 picks one.",
    );
    insta::assert_snapshot!("a_long_message_at_80x24", parts(&stage.frame()).1);
}

/// The message line, and the time of the cursor row.
fn said_and_shown(stage: &mut Stage, keys: &str) -> (String, String) {
    stage.types(keys);
    let screen = stage.frame();
    let top = usize::from(stage.app.model.screen.layout.list_area.y);
    let line = screen.lines().nth(top + stage.app.model.list.page.cursor_entry().unwrap()).unwrap();
    let said = screen.lines().nth(23).unwrap_or_default().trim().to_owned();
    (said, line.chars().take(12).collect::<String>().trim().to_owned())
}

#[test]
fn the_time_column_shows_what_can_be_had_and_says_what_can_not() {
    let mut stage = oven(SMALL);
    stage.types(":goto #418\r");
    for (keys, said, shown) in [
        ("t", "time since the row above · no seconds: rate unknown; :set ticks-per-second HZ", "+264"),
        ("t", "time in ticks · no mark: r measures from a row · no host times: a file", "327 391 259"),
        (":set time host\r", "ui.time = \"host\" (:set) · no host times: a file", "327 391 259"),
        ("r:goto #714\r", "c why · C then · - hide · + only · . next of object · m mark · G newest", "+1 600 168"),
    ] {
        assert_eq!(said_and_shown(&mut stage, keys), (said.to_owned(), shown.to_owned()), "{keys}");
    }
    let mut stage = stage_of_seconds();
    for (keys, said) in [("t", "time since the row above"), ("tt", "time in seconds")] {
        assert_eq!(said_and_shown(&mut stage, keys).0, said, "{keys}");
    }
}

#[test]
fn help_and_completions_are_not_cut() {
    let mut stage = oven(SMALL);
    assert!(stage.types("?xyz").frame().contains(" nothing matches \"xyz\""));
    let mut stage = oven((60, 24));
    let screen = stage.types("?write").frame();
    let words = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("RANGE as #10..#20, 1ms.., ...$, sel (also :w) :export"), "{screen}");
    let mut stage = oven(SMALL);
    let screen = stage.types(":set ").frame();
    assert!(screen.contains("until the target reports it, such as 7.3 or 734"), "{screen}");
}

#[test]
fn details_say_whole_what_is_more() {
    let mut stage = oven(SMALL);
    let title = |stage: &mut Stage, keys: &str| {
        let screen = stage.types(keys).frame();
        screen.lines().rfind(|line| line.starts_with("─ QS_")).unwrap_or_default().to_owned()
    };
    assert!(title(&mut stage, ":goto #418\r").ends_with("162  … ──── 4 more: Enter ─"));
    assert!(title(&mut stage, "\r").ends_with("d hide ─"));
    assert!(title(&mut stage, ":goto #2\r").ends_with(" 6 more: Y copies ─"));
    // Text that continues in lines not shown ends with a mark.
    stage.size = (60, 24);
    let screen = stage.types("\r:goto #714\r").frame();
    let last = screen.lines().nth(21).unwrap_or_default();
    assert!(last.ends_with('…'), "{screen}");
}

/// The objects of a capture of each protocol, in three sizes.
fn objects(protocol: &str, capture: &str, options: &[&str], keys: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../decoders").join(capture);
    for size in [SMALL, (120, 36), LARGE] {
        let mut stage = stage_with(protocol, &path, options, size);
        let screen = stage.types(keys).types("3").frame();
        insta::assert_snapshot!(format!("objects_{protocol}_at_{}x{}", size.0, size.1), parts(&screen).1);
    }
}

#[test]
fn objects_of_each_protocol() {
    objects("qs", "qs/tests/captures/oven-734.bin", &[], ":goto #744\r");
    let cfg = Path::new(env!("CARGO_MANIFEST_DIR")).join("../decoders/rkh-trazer/tests/captures/gh340-default.cfg");
    let cfg = format!("cfg={}", cfg.display());
    objects("rkh", "rkh-trazer/tests/captures/gh340-default-flip.bin", &[&cfg], "gx");
    objects("tband", "tband/tests/captures/brew_stream.bin", &[], ":goto #500\r");
    objects("qnx", "qnx/tests/captures/fast-2cpu.kev", &[], ":goto #500\r");
}

#[test]
fn what_a_loss_made_uncertain_is_marked_without_colour_and_in_ascii() {
    let mut stage = drops(SMALL);
    stage.app.model.screen.look = Look { theme: Theme::named("mono", &|_| None).unwrap(), glyphs: Glyphs::Ascii };
    let screen = stage.types("xxxx3").frame();
    assert!(screen.is_ascii(), "{screen}");
    insta::assert_snapshot!("objects_in_ascii_at_80x24", screen);
}

#[test]
fn what_a_loss_made_uncertain_is_a_warning() {
    let mut stage = drops(SMALL);
    stage.types("xxxx3");
    let colours = stage.colours(" ~0x408A94");
    let of = |text: &str| colours.iter().find(|(word, ..)| word.starts_with(text)).map(|(_, colour, _)| *colour);
    assert_eq!((of("~0x408A94"), of("~0/7,")), (Some(vt100::Color::Idx(11)), Some(vt100::Color::Idx(11))));
    assert_ne!(of("0x411180"), of("~0/7,"));
}

fn stage_of_seconds() -> Stage {
    stage("oven-734.bin", &["ticks-per-second=1000000"], SMALL)
}

/// In each size: a heading over each column, and from 120 columns on no kind word is cut.
#[test]
fn headings_stand_over_their_columns_in_every_protocol() {
    for (protocol, capture) in [
        ("qs", "qs/tests/captures/oven-734.bin"),
        ("rkh", "rkh-trazer/tests/captures/gh340-default.bin"),
        ("tband", "tband/tests/captures/brew_stream.bin"),
        ("qnx", "qnx/tests/captures/fast-2cpu.kev"),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../decoders").join(capture);
        let mut stage = stage_with(protocol, &path, &[], SMALL);
        // The list has all columns of the screen.
        stage.types(":set ui.beside off\r");
        for size in [SMALL, (120, 36), LARGE] {
            stage.size = size;
            for keys in ["g", "  ", "G"] {
                let screen = stage.types(keys).frame();
                let lines: Vec<Vec<char>> = screen.lines().map(|line| line.chars().collect()).collect();
                let heading: String = lines[3].iter().collect();
                let at = |word: &str| heading.find(word).map(|byte| heading[..byte].chars().count()).unwrap();
                let (kind, object) = (at("kind"), at("object"));
                assert!(heading.contains("time s") || heading.contains("ticks"), "{heading}");
                let entries = &stage.app.model.list.page.entries;
                let records = entries
                    .iter()
                    .zip(&lines[4..])
                    .filter(|(e, _)| e.line.role == spytui_engine::present::RowRole::Record);
                for (entry, line) in records {
                    let from = |x: usize| line.iter().skip(x).collect::<String>();
                    let start = |text: &str| text.chars().take(3).collect::<String>();
                    assert!(from(kind).starts_with(&start(&entry.line.kind)), "{protocol} {size:?}\n{screen}");
                    if !entry.line.object.is_empty() {
                        assert!(from(object).starts_with(&start(&entry.line.object)), "{protocol} {size:?}\n{screen}");
                    }
                    if size.0 >= 120 {
                        assert!(from(kind).starts_with(entry.line.kind.as_str()), "{protocol} {size:?}\n{screen}");
                    }
                }
            }
        }
    }
}

/// The line of keys is always there, until a message replaces it.
#[test]
fn every_pane_and_kind_of_row_has_its_hint() {
    let mut stage = drops(SMALL);
    let hint = |stage: &mut Stage, keys: &str| {
        // The next key removes a message.
        let screen = stage.types(keys).types("h").frame();
        screen.lines().nth(23).unwrap_or_default().trim().to_owned()
    };
    assert!(stage.frame().contains("times are ticks; :set ticks-per-second 1000000 makes them seconds"));
    assert_eq!(hint(&mut stage, "x"), "on a loss: x X losses 1/14 · C after · Enter details · 5 counters · A advice");
    assert!(hint(&mut stage, "j").starts_with("c why · C then"));
    assert!(hint(&mut stage, "2").starts_with("Enter only its rows"));
    assert!(hint(&mut stage, "5").starts_with("Enter goes there"));
    assert!(hint(&mut stage, "6").starts_with("Space stages a change"));
    assert!(hint(&mut stage, "9").starts_with("/ find"));
    stage.types(":set ui.hints off\r");
    assert_eq!(hint(&mut stage, "1"), "");
}

/// A loss has its own background; the cursor on it must look different from that and from plain text.
#[test]
fn the_cursor_is_seen_on_a_loss_in_every_theme() {
    for name in Theme::names() {
        let mut stage = drops(SMALL);
        stage.app.model.screen.look.theme = Theme::named(name, &|_| None).unwrap();
        let line = stage.types("x").app.model.list.page.cursor_entry().unwrap();
        let row = stage.app.model.screen.layout.list_area.y + line as u16;
        let look = |stage: &mut Stage| {
            let emulator = stage.emulator();
            let cell = emulator.screen().cell(row, 20).unwrap();
            (cell.fgcolor(), cell.bgcolor(), cell.inverse())
        };
        let with = look(&mut stage);
        let without = look(stage.types("k"));
        assert_ne!(with, without, "{name}");
        let is_bar = with == (vt100::Color::Default, vt100::Color::Default, name != "mono");
        assert!(is_bar, "{name}: {with:?}");
    }
}

#[test]
fn the_counters_begin_with_what_was_lost_and_why() {
    let mut stage = drops(SMALL);
    let screen = stage.types("5").frame();
    let line = |at: usize| screen.lines().nth(at).unwrap_or_default().trim().to_owned();
    assert_eq!(line(3), "≥51 records lost in the target or on the line");
    assert_eq!(line(4), "7 damaged on the line");
    assert!(screen.contains("after #1918     ≥6 records        1 damaged, others in ring or line"), "{screen}");
    let screen = oven(SMALL).types("5").frame();
    assert!(screen.contains("\n no loss was seen\n"), "{screen}");
}

/// The demo of a protocol with faults, after some seconds.
fn demo(proto: Proto, name: &str, faults: &str, seconds: u32) -> Stage {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("demo.bin");
    std::fs::write(&file, picture::stream(proto, faults, seconds * 100)).unwrap();
    stage_with(name, &file, &[], SMALL)
}

#[test]
fn the_counters_claim_no_more_than_can_be_seen_and_agree_with_the_list() {
    if !AVAILABLE {
        return;
    }
    let mut tband = demo(Proto::Tband, "tband", "flip=20", 10);
    let screen = tband.types("5").frame();
    assert!(screen.contains("\n none detected; this protocol hides most losses (no checksum, no seq)\n"), "{screen}");
    let screen = tband.types("G").frame();
    assert!(!screen.contains(" no losses\n"), "{screen}");
    let screen = demo(Proto::Qnx, "qnx", "flip=300,burst=40,seed=18", 25).types("5z").frame();
    assert!(screen.contains("\n losses in 3 places, listed below\n"), "{screen}");
    assert!(screen.contains("   after #745      parts without begin or end, 16 B"), "{screen}");
}

#[test]
fn the_details_of_folded_losses_are_of_the_one_that_is_counted() {
    let mut stage = drops(SMALL);
    // The keys after the jump dismiss its message.
    let folded = stage.types(":filter kind:ASSERT\rgxdd").frame();
    let title = |screen: &str| screen.lines().rfind(|line| line.starts_with("─ ")).unwrap_or_default().to_owned();
    assert!(folded.contains("░░ 14 losses") && folded.contains("losses 1/14"), "{folded}");
    let first = drops(SMALL).types("x").frame();
    assert_eq!(title(&folded), title(&first), "{folded}\n{first}");
}

#[test]
fn bytes_beside_a_gap_are_those_of_the_damaged_frame() {
    let screen = drops(SMALL).types(":goto #1918\rx").frame();
    assert!(screen.contains("  damaged frame, ") && !screen.contains("  0 B  damaged"), "{screen}");
}

#[test]
fn details_on_a_low_screen_come_and_go_with_their_keys() {
    let mut stage = oven((40, 10));
    let cursor = |stage: &mut Stage| (stage.frame().contains("─ QS_"), stage.app.model.list.page.cursor);
    let (_, row) = cursor(stage.types(":goto #418\r"));
    for (open, close) in [("d", "d"), ("\r", "\r"), ("\r", "d")] {
        assert_eq!(cursor(stage.types(open)), (true, row), "{open:?}");
        assert_eq!(cursor(stage.types(close)), (false, row), "{close:?}");
        assert!(stage.frame().lines().count() >= 10, "{}", stage.frame());
    }
    // The details are those of the row that the cursor moves to.
    assert_eq!(cursor(stage.types("dj")), (true, row + 1));
}

#[test]
fn what_follows_a_loss_is_behind_it() {
    let mut stage = drops(SMALL);
    stage.types("xC");
    assert!(stage.frame().contains("the first record after the loss"));
    assert!(stage.app.model.list.cursor_entry().unwrap().n.is_some());
}

#[test]
fn the_cursor_row_keeps_its_line() {
    let mut stage = oven(SMALL);
    stage.types(":goto #418\r");
    let row = |stage: &Stage| stage.app.model.list.page.cursor;
    let here = row(&stage);
    for size in [LARGE, (40, 8), (120, 40), (60, 15), SMALL] {
        stage.size = size;
        stage.frame();
        assert_eq!(row(&stage), here, "{size:?}");
        assert!(stage.app.model.list.cursor_entry().is_some(), "{size:?}");
    }
    stage.types("+g");
    assert_eq!(row(&stage), here);
    stage.types("a=");
    assert_eq!(row(&stage), here);
    stage.types(":set short-names off\r");
    assert_eq!(row(&stage), here);
}

const GREEN: vt100::Color = vt100::Color::Idx(10);
const YELLOW: vt100::Color = vt100::Color::Idx(11);
const RED: vt100::Color = vt100::Color::Idx(1);

#[test]
fn words_of_the_text_have_the_colour_of_what_they_mean() {
    let mut stage = oven(SMALL);
    stage.types(":goto #405\r");
    let words = |stage: &mut Stage, text: &str, from: &str| -> Vec<(String, vt100::Color)> {
        let all = stage.colours(text).into_iter().map(|(word, ink, _)| (word, ink));
        all.skip_while(|(word, _)| word != from).skip(1).collect()
    };
    let plain = vt100::Color::Default;
    let named = |list: &[(&str, vt100::Color)]| list.iter().map(|(w, ink)| ((*w).to_owned(), *ink)).collect::<Vec<_>>();
    assert_eq!(
        words(&mut stage, "running → stopped", "motor"),
        named(&[("SPIN_DONE_SIG", GREEN), ("running", YELLOW), ("→", plain), ("stopped", YELLOW)])
    );
    stage.types(":goto #418\r");
    let clock = match Theme::default().object("l_clock").fg {
        Some(Color::Indexed(n)) => vt100::Color::Idx(n),
        other => panic!("{other:?}"),
    };
    let post = [("BEAT_SIG", GREEN), ("←", plain), ("l_clock", clock), ("free", plain), ("10", plain)];
    let post = [&post[..], &[("min", plain), ("9", plain)]].concat();
    // The text continues.
    assert_eq!(words(&mut stage, "← l_clock", "super")[..post.len()], named(&post));
}

#[test]
fn only_figures_of_a_loss_are_red() {
    let red = |stage: &mut Stage, text: &str| -> String {
        let words = stage.colours(text).into_iter().filter(|word| word.2 == RED).map(|word| word.0);
        words.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(red(&mut oven(SMALL), "gaps 0"), "");
    let mut stage = drops(SMALL);
    assert_eq!(red(&mut stage, "gaps 14"), "gaps 14 (≥58 lost) bad 7 skipped 229 B");
    stage.types("xx5");
    for (line, figures) in
        [("lost ≥58", "≥58 in 14 places"), ("bad frames", "7"), ("unknown ids", ""), ("after #2165", "≥3 records")]
    {
        assert_eq!(red(&mut stage, line), figures, "{line}");
    }
}

#[test]
fn a_page_in_colour_is_within_the_byte_budget() {
    let mut stage = oven(SMALL);
    stage.types(":goto #418\r");
    let bytes = stage.bytes().len();
    assert!(bytes < 3_400, "{bytes} B");
}
