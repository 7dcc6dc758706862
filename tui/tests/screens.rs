//! Whole screens as they are drawn, on two captures, at two sizes; read back by an emulator.

#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use crossbeam_channel::bounded;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use spytui::action::{History, Key, Keymap};
use spytui::app::App;
use spytui::command::COMMANDS;
use spytui::config::Config;
use spytui::effects::{Edge, Port};
use spytui::model::links::Links;
use spytui::model::list::List;
use spytui::model::settings::ModelSettings;
use spytui::model::{DecodeRequest, Message, Model};
use spytui::pane;
use spytui::term::{Depth, Glyphs, Screen, Theme};
use spytui::view;
use spytui::widget::Look;
use spytui_engine::link::{Link, LinkOptions, LinkSpec};
use spytui_engine::list::{Filter, RowList};
use spytui_engine::plugin::{Options, Origin, Registry};
use spytui_engine::query::Expr;
use spytui_engine::store::rows::BUDGET;

struct Stage {
    app: App,
    size: (u16, u16),
    /// What wakes the app; nobody waits here.
    _woken: crossbeam_channel::Receiver<()>,
}

/// The app with a capture that is decoded to its end.
fn stage(capture: &str, options: &[&str], size: (u16, u16)) -> Stage {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../decoders/qs/tests/captures").join(capture);
    let mut registry = Registry::new();
    registry.add(spytui_decoder_qs::plugin(), &Origin::BuiltIn).unwrap();
    let decoder = registry.find("qs").unwrap();
    let options: Vec<String> = options.iter().map(ToString::to_string).collect();
    let options = Options::parse(&decoder.info, &options).unwrap();
    let link = Link::open(LinkSpec::path(path), LinkOptions::default()).unwrap();
    let (wake, woken) = bounded(1);
    let decode = DecodeRequest { decoder, options, target: 0, source: 0, memory: BUDGET };
    let port = Port::of_link(link, decode, wake.clone()).unwrap();
    let source = port.source(0);
    let start = Instant::now();
    while !source.log().ended() || source.decoding().pos() < source.log().len() {
        assert!(start.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(1));
    }
    // Times in the log are since the start; all are 0 this way.
    let started = SystemTime::now() + Duration::from_secs(3_600);
    let links = Links::new(Arc::new(registry), vec![source], started);
    let keymap = Keymap::built_in(&pane::keys());
    let list = List::new(RowList::new(links.decodings()), false, Filter::new(Expr::everything()));
    let look = Look { theme: Theme::default(), glyphs: Glyphs::Unicode };
    let settings = ModelSettings::new(Config::built_in(), keymap, COMMANDS);
    let model = Model::new(links, list, pane::panes(), History::default(), look, settings, Instant::now());
    let app = App { model, edge: Edge::new(vec![port], wake) };
    let mut stage = Stage { app, size, _woken: woken };
    stage.frame();
    stage
}

impl Stage {
    /// A frame as the main loop makes it.
    fn frame(&mut self) -> String {
        let (width, height) = self.size;
        self.app.turn(Instant::now(), None).unwrap();
        while self.app.model.jobs.unfinished {
            self.app.turn(Instant::now(), None).unwrap();
        }
        self.app.send(Message::Frame(self.size), None).unwrap();
        let mut screen = Screen::new(width, height, Depth::Sixteen, false);
        view::draw(&self.app.model, &mut screen);
        let mut emulator = vt100::Parser::new(height.try_into().unwrap(), width.try_into().unwrap(), 0);
        emulator.process(screen.compose());
        emulator.screen().contents().lines().map(|line| format!("{}\n", line.trim_end())).collect()
    }

    /// Types; one frame after each key.
    fn types(&mut self, keys: &str) -> &mut Stage {
        for c in keys.chars() {
            let code = match c {
                '\r' => KeyCode::Enter,
                '\t' => KeyCode::Tab,
                c => KeyCode::Char(c),
            };
            let key = Key::of(KeyEvent::new(code, KeyModifiers::NONE));
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

macro_rules! screens {
    ($($name:ident: $stage:expr, $keys:literal;)*) => {
        $(#[test]
        fn $name() {
            let screen = $stage.types($keys).frame();
            insta::assert_snapshot!(stringify!($name), screen);
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
    completions_at_80x24: oven(SMALL), ":filter kind:Tr";
    completions_at_200x50: oven(LARGE), ":";
    a_mistake_at_80x24: oven(SMALL), ":goto #1o";
    hide_menu_at_80x24: oven(SMALL), ":goto #418\r-";
    quit_question_at_80x24: oven(SMALL), "q";
    selection_at_80x24: oven(SMALL), ":goto #418\rmvjj";
}

#[test]
fn a_long_message_takes_the_lines_above() {
    let mut stage = oven(SMALL);
    stage.app.model.fail(
        "listen 127.0.0.1:9000: nobody yet; this machine only, for boards --listen 0.0.0.0:9000. \
         QNX: tracelogger -c -f - | nc THISHOST 9000. Port taken: Port 9000 is in use here; --listen 0 picks one.",
    );
    insta::assert_snapshot!("a_long_message_at_80x24", stage.frame());
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
