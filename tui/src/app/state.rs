//! The state of the app: what `update` changes and the views draw.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
    time::{Instant, SystemTime},
};

use spytui_engine::{
    list::{Filter, RowList},
    plugin::Registry,
    query::Expr,
    session::Decoding,
};

use super::{
    auto_baud::AutoBaud,
    details::Details,
    effect::Effect,
    finding::Finding,
    folds::Folding,
    layout::Layout,
    list::List,
    places::Spot,
    shown::Shown,
    source::Source,
    sources::{Parked, whole_target},
    typing::Typing,
    write::Writing,
};
use crate::{
    action::{History, Key, Keymap},
    config::{Config, Value},
    term::{Glyphs, Theme},
};

/// Panes that there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Pane {
    /// The list of rows.
    Records,
    /// Names.
    Dictionary,
    /// Accounting, losses, bandwidth.
    Counters,
    /// Messages of the app and of plugins.
    Log,
}

impl Pane {
    /// All panes with key and short title, in the order of the tab line.
    pub const ALL: [(Pane, char, &'static str); 4] = [
        (Pane::Records, '1', "Rec"),
        (Pane::Dictionary, '2', "Dict"),
        (Pane::Counters, '5', "Cnt"),
        (Pane::Log, '9', "Log"),
    ];
}

/// How time is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeStyle {
    /// As the decoder's clock says: ticks, or seconds where the rate is known.
    Target,
    /// Since the mark set with `r`.
    SinceMark,
    /// When it was received.
    Host,
}

/// A message in the last line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The text.
    pub text: String,
    /// It is an error.
    pub error: bool,
}

/// A row that the user marked, by place in the log: a switch of the decoder renumbers rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Where the row is.
    pub spot: Spot,
    /// Note of the user.
    pub note: String,
}

/// Scrolling of a pane that is a table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Table {
    /// Line under the cursor.
    pub cursor: usize,
    /// First line shown.
    pub top: usize,
    /// Number of lines as of the last frame.
    pub len: usize,
    /// Sort column.
    pub sort: usize,
    /// The other way round.
    pub reverse: bool,
}

impl Table {
    /// Moves the cursor.
    pub fn step(&mut self, by: i64) {
        // The end may have moved since the last frame: the next one sees to it.
        self.cursor = (self.cursor as i64 + by).max(0) as usize;
    }

    /// To the last line there is with the next frame.
    pub fn to_end(&mut self) {
        self.cursor = usize::MAX / 2;
    }

    /// Keeps the cursor on the screen of `height` lines.
    pub fn fit(&mut self, len: usize, height: usize) {
        self.len = len;
        self.cursor = self.cursor.min(len.saturating_sub(1));
        self.top = self.top.min(self.cursor).max((self.cursor + 1).saturating_sub(height.max(1)));
        self.top = self.top.min(len.saturating_sub(height.min(len)));
    }
}

/// How everything looks.
#[derive(Debug, Clone)]
pub struct Look {
    /// Styles.
    pub theme: Theme,
    /// Glyphs.
    pub glyphs: Glyphs,
}

/// What a search is doing.
#[derive(Debug, Clone)]
pub struct Search {
    /// What is looked for.
    pub expr: Expr,
    /// As the user wrote it.
    pub text: String,
}

/// Everything.
pub struct App {
    /// All decoders.
    pub registry: Arc<Registry>,
    /// All sources.
    pub sources: Vec<Source>,
    /// The sources shown, as one list.
    pub scope: Vec<usize>,
    /// Where the user was in the others.
    pub parked: HashMap<Vec<usize>, Parked>,
    /// The rows of the sources shown.
    pub rows: RowList,
    /// How often their order began anew, as of the last look.
    pub rebuilt: u64,
    /// Rows wait for a source that is silent.
    pub waits: bool,
    /// The cursor goes to this place as soon as its row is in the list.
    pub wanted: Option<Spot>,
    /// The list.
    pub list: List,
    /// The pane in front.
    pub pane: Pane,
    /// Details under the list.
    pub details_open: bool,
    /// They take as many lines as they need.
    pub details_large: bool,
    /// The pane in front fills the screen.
    pub zoom: bool,
    /// Dictionary pane.
    pub dictionary: Table,
    /// Counters pane.
    pub counters: Table,
    /// Log pane.
    pub log: Table,
    /// Styles and glyphs.
    pub look: Look,
    /// The command line while it is open.
    pub typing: Option<Typing>,
    /// Help while it is open: first line shown, and what is typed to filter it.
    pub help: Option<(usize, String)>,
    /// Keys that begin an action.
    pub pressed: Vec<Key>,
    /// The message line.
    pub notice: Option<Notice>,
    /// What the link said last in the message line.
    pub said_by_link: Option<String>,
    /// The last search.
    pub search: Option<Search>,
    /// The filter before this one.
    pub filter_before: Option<Expr>,
    /// Marks by name.
    pub marks: BTreeMap<String, Mark>,
    /// Places to go back and forward to.
    pub trail: Vec<Spot>,
    /// Where in the trail.
    pub trail_at: usize,
    /// Row selected from, with `v`.
    pub selected_from: Option<u64>,
    /// Time of the mark set with `r`.
    pub measure_from: Option<u64>,
    /// How time is shown.
    pub time_style: TimeStyle,
    /// Columns that the list is moved sideways.
    pub sideways: usize,
    /// Screen size.
    pub size: (u16, u16),
    /// What the views draw.
    pub shown: Shown,
    /// Details of the row under the cursor.
    pub details: Option<Details>,
    /// The decoding of the first source shown: decoder and options are those of all.
    pub decoded: Arc<Decoding>,
    /// Since when the first byte is waited for.
    pub opened: Instant,
    /// The same by the clock on the wall.
    pub started: SystemTime,
    /// Exit code, when it is to end.
    pub quit: Option<u8>,
    /// The first key was pressed: the hint of the first start goes.
    pub touched: bool,
    /// Asking whether to quit.
    pub asks_to_quit: bool,
    /// Bytes and frames drawn, for `:stats`.
    pub figures: crate::term::Figures,
    /// When `^c` was pressed.
    pub interrupted: Option<Instant>,
    /// To be carried out.
    pub effects: Vec<Effect>,
    /// A search at work, and its direction.
    pub finding: Option<Finding>,
    /// Lines of each part of the screen, as of the last frame.
    pub layout: Layout,
    /// Wakes the main loop.
    pub wake: crossbeam_channel::Sender<()>,
    /// Filters kept under names.
    pub saved_filters: BTreeMap<String, String>,
    /// Listening for the right rate.
    pub auto_baud: Option<AutoBaud>,
    /// A file being written.
    pub writing: Option<Writing>,
    /// Keys and what they mean.
    pub keymap: Keymap,
    /// The settings in force.
    pub config: Config,
    /// What was typed before.
    pub history: History,
}

impl App {
    /// The state at the start.
    #[must_use]
    #[allow(clippy::too_many_arguments)] // each is a part of its own, made by its own room
    pub fn new(
        registry: Arc<Registry>,
        sources: Vec<Source>,
        decoded: Arc<Decoding>,
        list: List,
        look: Look,
        keymap: Keymap,
        history: History,
        wake: crossbeam_channel::Sender<()>,
    ) -> App {
        let scope = whole_target(&sources, 0);
        let rows = match scope.as_slice() {
            [_] => RowList::new(vec![decoded.clone()]),
            _ => RowList::new(scope.iter().filter_map(|&i| sources.get(i)).map(Source::decoded).collect()),
        };
        App {
            registry,
            sources,
            scope,
            parked: HashMap::new(),
            rows,
            rebuilt: 0,
            waits: false,
            wanted: None,
            list,
            pane: Pane::Records,
            details_open: true,
            details_large: false,
            zoom: false,
            dictionary: Table::default(),
            counters: Table::default(),
            log: Table::default(),
            look,
            typing: None,
            help: None,
            pressed: Vec::new(),
            notice: None,
            said_by_link: None,
            search: None,
            filter_before: None,
            marks: BTreeMap::new(),
            trail: Vec::new(),
            trail_at: 0,
            selected_from: None,
            measure_from: None,
            time_style: TimeStyle::Target,
            sideways: 0,
            size: (80, 24),
            shown: Shown::default(),
            details: None,
            decoded,
            opened: Instant::now(),
            started: SystemTime::now(),
            quit: None,
            touched: false,
            asks_to_quit: false,
            figures: crate::term::Figures::default(),
            interrupted: None,
            effects: Vec::new(),
            finding: None,
            layout: Layout::default(),
            wake,
            saved_filters: BTreeMap::new(),
            auto_baud: None,
            writing: None,
            keymap,
            config: Config::built_in(),
            history,
        }
    }

    /// Takes settings over.
    pub fn take_config(&mut self, config: Config) {
        self.list.short = config.on("ui.short-names");
        self.list.folding = if config.on("ui.fold") { Folding::Equal } else { Folding::NoNews };
        self.details_open = config.on("ui.details");
        self.time_style = if config.text("ui.time") == "host" { TimeStyle::Host } else { TimeStyle::Target };
        for (name, value, _) in config.below("filters") {
            if let Value::Text(text) = value {
                self.saved_filters.insert(name.to_owned(), text.clone());
            }
        }
        self.config = config;
    }

    /// The source shown; of several the first.
    #[must_use]
    pub fn source(&self) -> &Source {
        &self.sources[self.scope[0]]
    }

    /// The source shown; of several the first.
    pub fn source_mut(&mut self) -> &mut Source {
        &mut self.sources[self.scope[0]]
    }

    /// All sources shown.
    pub fn shown_sources(&self) -> impl DoubleEndedIterator<Item = &Source> + Clone {
        self.scope.iter().map(|&source| &self.sources[source])
    }

    /// Whether nothing more comes from any source shown.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.shown_sources().all(|source| source.state().is_over())
    }

    /// Whether everything that came is decoded and in the list.
    #[must_use]
    pub fn is_all_there(&self) -> bool {
        !self.waits && self.shown_sources().all(|source| source.decoded().pos() >= source.log().len())
    }

    /// What came so far says nothing about what comes.
    pub fn begin_anew(&mut self) {
        let c = self.decoded.read().counters.clone();
        self.source_mut().harvest.begin_anew(c.fed, c.rows.record_bytes);
    }

    /// Says something in the message line.
    pub fn say(&mut self, text: impl Into<String>) {
        self.notice = Some(Notice { text: text.into(), error: false });
    }

    /// Says what went wrong.
    pub fn fail(&mut self, text: impl Into<String>) {
        let text = text.into();
        crate::app_log::note(crate::app_log::Level::Warning, "app", &text);
        self.notice = Some(Notice { text, error: true });
    }

    /// Shows rows by another expression; the cursor stays at its row or goes to the next shown one.
    pub fn set_filter(&mut self, expr: Expr) {
        let before = std::mem::replace(&mut self.list.filter, Filter::new(expr));
        self.filter_before = Some(before.expr().clone());
    }
}
