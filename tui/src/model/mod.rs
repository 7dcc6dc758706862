//! The state of the screen, in small parts with their own rules.
//!
//! | part | what is in it |
//! |---|---|
//! | [`links`] | the sources, and which of them are shown |
//! | [`list`] | the rows shown: page, cursor, filter, marks |
//! | [`panes`] | the panes, and which one is in front |
//! | [`prompt`] | command line, help, keys, messages |
//! | [`screen`] | size, layout, header, looks |
//!
//! [`Message`]s change it, [`Effect`]s are its requests to the outside world. The other modules are shared by several
//! actions, commands and panes: [`jump`], [`search`], [`line_search`], [`filter`], [`decoder`], [`names`], [`details`],
//! [`target`], [`console`], [`resume`], [`triggers`].

pub mod baud_scan;
pub mod console;
pub mod decoder;
pub mod details;
pub mod filter;
pub mod incident;
pub mod jump;
pub mod line_search;
pub mod links;
pub mod list;
pub mod loss_words;
pub mod names;
pub mod panes;
pub mod prompt;
pub mod resume;
pub mod screen;
pub mod search;
pub mod target;
pub mod triggers;

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use crossterm::event::MouseEvent;
use spytui_engine::{
    decode::guess::{DamagePattern, Likely, Suggestion},
    device::{control::Prepared, front_end::FrontEndAddress},
    export::sequence::DiagramRequest,
    io::{
        format_files::FormatSet,
        link::{LineCommand, LinkEvent, LinkSpec},
        log::RawLog,
    },
    open::{Decoder, Options, Registry},
    query::Expr,
    trace::{list::RowList, session::Decoding},
};

use crate::{
    app_log::{LogLevel, LogLine},
    config::Config,
    input::{Arg, CommandSpec, Given, HelpLine, History, KeyPress, Keymap, PathLookup, PromptKind},
    term::Figures,
    trigger::{TriggerNews, TriggerRule},
    widget::Look,
    writing::WriteRequest,
};
use baud_scan::BaudScan;
use filter::FilterTally;
use line_search::LineSearch;
use links::{Links, Source, SourceStatus};
use list::{Collapse, List};
use panes::Panes;
use prompt::{LookedUp, Prompt};
use resume::Resumed;
use screen::ScreenState;
use search::{LastSearch, Seeking, TypedSearch};
use triggers::Triggers;

pub struct Model {
    pub links: Links,
    pub list: List,
    pub panes: Panes,
    pub prompt: Prompt,
    pub jobs: Jobs,
    pub screen: ScreenState,
    pub triggers: Triggers,
    pub settings: ModelSettings,
    pub now: Instant,
    /// Exit code, once the program ends.
    pub quit: Option<u8>,
    /// Text printed after the screen is left.
    pub last_words: Option<String>,
    /// Requested since the last message.
    pub effects: Effects,
}

impl Model {
    pub fn new(
        links: Links,
        list: List,
        panes: Panes,
        history: History,
        look: Look,
        settings: ModelSettings,
        now: Instant,
    ) -> Model {
        let mut model = Model {
            links,
            list,
            panes,
            prompt: Prompt { history, ..Prompt::default() },
            jobs: Jobs { filter_is_new: true, ..Jobs::default() },
            screen: ScreenState::new(look),
            triggers: Triggers::default(),
            settings,
            now,
            quit: None,
            last_words: None,
            effects: Effects::new(),
        };
        model.follow_settings();
        model
    }

    fn follow_settings(&mut self) {
        let config = &self.settings.config;
        self.list.page.short = config.on("ui.short-names");
        self.list.page.collapse = list::Collapse::configured(config.on("ui.fold"));
        self.panes.details_open = config.on("ui.details");
        self.screen.time_style = screen::TimeStyle::configured(config.text("ui.time"));
    }

    pub fn marks(&self) -> usize {
        let lists = self.links.saved_views.values().chain([&self.list]);
        lists.map(|list| list.marks.len()).sum()
    }

    pub fn ask_for(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    /// Shows a message, and logs it because the next key removes it.
    pub fn say(&mut self, text: impl Into<String>) {
        let text = text.into();
        // Holding a key down repeats the same message.
        if self.prompt.log.last().is_none_or(|line| line.text != text) {
            self.log(LogLevel::Info, "app", text.clone());
        }
        self.show(text);
    }

    /// Shows a message that is already logged, or only temporary.
    pub fn show(&mut self, text: impl Into<String>) {
        self.prompt.notice = Some(prompt::Notice::said(text));
    }

    /// The decodings shown; `None`, and a message, if they are of several targets.
    pub fn parts_of_target(&mut self) -> Option<Vec<Arc<Decoding>>> {
        let parts = (!self.links.is_joint()).then(|| self.list.rows.parts.to_vec());
        if parts.is_none() {
            self.fail("this is about one target; ( and ) choose one");
        }
        parts
    }

    pub fn fail(&mut self, text: impl Into<String>) {
        let text = text.into();
        self.log(LogLevel::Warning, "app", text.clone());
        if let Some((kind, line)) = self.prompt.just_run.take() {
            self.prompt.history.mark_failed(kind, &line);
            self.ask_for(Effect::MarkFailed(kind, line));
        }
        self.prompt.notice = Some(prompt::Notice::mistake(text));
    }

    /// Writes a line to the program's log.
    pub fn log(&mut self, level: LogLevel, source: &str, text: impl Into<String>) {
        self.ask_for(Effect::Log { level, source: source.to_owned(), text: text.into() });
    }

    /// `true` if everything received is decoded and listed.
    pub fn is_all_there(&self) -> bool {
        !self.list.waits && self.links.shown().all(|source| source.decoding().pos() >= source.log().len())
    }
}

/// Work that takes more than one turn of the main loop.
#[derive(Debug, Default)]
pub struct Jobs {
    pub(in crate::model) last_search: Option<LastSearch>,
    pub(in crate::model) typed_search: Option<TypedSearch>,
    /// The search in the lines of a pane other than the record list.
    pub(in crate::model) line_search: Option<LineSearch>,
    pub searching: Option<Seeking>,
    pub baud_scan: Option<BaudScan>,
    /// Whether anything passes the filter was not reported yet.
    pub(in crate::model) filter_is_new: bool,
    /// Number of rows when the filter was set.
    pub(in crate::model) filter_rows: u64,
    pub(in crate::model) refusal_is_shown: bool,
    /// Counts for `:filter why`: each term, and the filter last.
    pub(in crate::model) why: Vec<FilterTally>,
    /// More work can be done at once.
    pub unfinished: bool,
}

/// An event for [`crate::update::update`].
#[derive(Debug)]
pub enum Message {
    Key(KeyPress, Instant),
    Mouse(MouseEvent),
    Paste(String),
    /// The program must end with this exit code.
    Quit(u8),
    Tick(Instant),
    /// Do some background work.
    Work,
    /// A frame of this size will be drawn.
    Frame((u16, u16)),
    Drawn(Figures),
    /// In the order of the sources.
    Status(Vec<SourceStatus>),
    Link(usize, LinkEvent),
    Opened {
        source: Box<Source>,
        /// A further stream of an open link, not shown by itself.
        peer: bool,
    },
    Closed(Vec<usize>),
    /// What is known of the list of these sources from earlier.
    Resumed(Vec<usize>, Box<Resumed>),
    /// Result of a lookup of files and serial ports for the command line.
    LookedUp(LookedUp),
    Copied {
        what: String,
        places: Vec<String>,
    },
    Done(String),
    /// Set a trigger of the arguments or the configuration, for all rows.
    SetTrigger(TriggerRule, Expr),
    /// Rows of a source met a trigger.
    Triggered {
        id: u64,
        source: usize,
        news: TriggerNews,
    },
    Saved {
        /// A description of what was saved.
        said: String,
        paths: Vec<PathBuf>,
    },
    Failed(String),
    /// A command was refused at once, with the reason.
    Refused(String),
    Logged(Vec<LogLine>),
    /// Result of examining the start of a decoding's bytes.
    Sizes {
        decoding: Arc<Decoding>,
        /// Sizes that fit; `None` if none are missing.
        found: Option<(Options, Suggestion)>,
        pattern: Option<DamagePattern>,
    },
    /// The decoder that the bytes of a decoding suggest.
    Likely {
        decoding: Arc<Decoding>,
        /// `None` if no decoder recognises the bytes.
        found: Option<Likely>,
        empty: bool,
        asked_by_user: bool,
    },
    /// A dictionary file that the decoder reads itself.
    DictionaryFile(PathBuf),
    /// How the trace and a recording differ, and the record where they first do.
    Compared {
        decodings: Vec<Arc<Decoding>>,
        path: PathBuf,
        lines: Vec<HelpLine>,
        first: Option<u64>,
    },
    Formats(Arc<FormatSet>),
    /// The file of a plugin was rebuilt.
    PluginChanged(PathBuf),
    Registry {
        registry: Arc<Registry>,
        loaded: Option<PathBuf>,
        /// The requested name.
        id: String,
    },
}

pub type Effects = Vec<Effect>;

/// An operation outside the model.
#[derive(Debug)]
pub enum Effect {
    Redraw,
    Suspend,
    Mouse(bool),
    Copy {
        what: String,
        text: String,
    },
    CopyRows(RowSelection, Collapse),
    /// Write a line to the program's log.
    Log {
        level: LogLevel,
        source: String,
        text: String,
    },
    /// Save a filter under a name for later runs.
    SaveFilter(String, String),
    /// Add a line to the history file.
    SaveHistory(PromptKind, String),
    /// Mark a line of the history file as failed, so that it is not suggested again.
    MarkFailed(PromptKind, String),
    /// Look up files and serial ports for the command line.
    LookUp(PathLookup),
    /// Open a link as a source of a target.
    OpenLink(LinkSpec, DecodeRequest),
    /// Decode another stream of a source's link.
    OpenPeer {
        /// The source that owns the link.
        source: usize,
        /// Number of the stream in the link.
        index: usize,
        decode: DecodeRequest,
    },
    /// Decode sources again, all of them or none.
    Switch {
        sources: Vec<usize>,
        decoder: Arc<Decoder>,
        options: Options,
        said: String,
    },
    SendCommand {
        source: usize,
        command: Box<Prepared>,
    },
    /// Serve front ends of another host with the target of a source; `None` = no longer.
    ServeFrontEnd {
        source: usize,
        address: Option<FrontEndAddress>,
    },
    /// Set the rate or a control line of a source's serial line.
    SetLine(usize, LineCommand),
    /// Send bytes to the target of a source.
    SendBytes {
        source: usize,
        bytes: Vec<u8>,
        said: String,
    },
    /// Change a source's serial line for a while.
    Pulse {
        source: usize,
        begin: LineCommand,
        end: LineCommand,
        time: Duration,
    },
    /// Find out what is known of the list of these sources from earlier.
    Resume(Vec<usize>),
    /// Forget what is known of the list of these sources.
    Forget(Vec<usize>),
    /// Close sources with their links; completes recordings.
    Close(Vec<usize>),
    /// Record sources, including everything received so far.
    Record {
        sources: Vec<usize>,
        /// File name, by default from the date; with several sources, each gets its own file.
        path: Option<PathBuf>,
        /// Quit as soon as everything is written.
        quit: bool,
    },
    StopRecording(Vec<usize>),
    /// Write a file of a source while bytes arrive; never overwrites.
    WriteLive(usize, WriteRequest),
    /// Complete all such files of a source.
    StopWriting(usize),
    /// Write the decoder's own dictionary file; never overwrites.
    WriteDictionary(Arc<Decoding>, PathBuf),
    /// Write rows or bytes to a new file; the extension selects the format.
    WriteRows(RowSelection, PathBuf),
    /// Write a decoding as a trace for the Perfetto viewer; never overwrites.
    ExportPerfetto(Arc<Decoding>, PathBuf),
    /// Write decodings of a target as a sequence diagram; never overwrites.
    ExportSequence(Vec<Arc<Decoding>>, DiagramRequest, PathBuf),
    WriteText {
        /// File name; never overwrites.
        path: PathBuf,
        text: String,
        said: String,
    },
    /// Load names for these decodings from a file: our own format, a dictionary file of the decoder, or a capture.
    /// Decoder and options of the first decoding apply to all.
    LoadNames(PathBuf, Vec<Arc<Decoding>>),
    /// Compare what these decodings of a target have received with a recording.
    Compare(Vec<Arc<Decoding>>, PathBuf),
    /// Find field sizes that fit the bytes of a source.
    SuggestSizes {
        source: usize,
        decoding: Arc<Decoding>,
        /// Current options, without guessed ones.
        options: Options,
        logs: Vec<Arc<RawLog>>,
    },
    /// Probe the newest bytes of a source with all decoders.
    AskDecoders {
        source: usize,
        decoding: Arc<Decoding>,
        decoders: Vec<Arc<Decoder>>,
        asked_by_user: bool,
    },
    CheckFormats(PathBuf),
    /// Also read a format file.
    LoadFormats(PathBuf),
    LoadPlugin(PathBuf),
    ReloadPlugin(Option<String>),
    /// Set a trigger, for all rows or for those from now on.
    SetTrigger {
        id: u64,
        rule: TriggerRule,
        expr: Expr,
        all: bool,
    },
    RemoveTrigger(u64),
    Bell,
    /// Send the next record of a recording that is played step by step.
    Step,
}

#[derive(Debug)]
pub struct RowSelection {
    pub rows: RowList,
    /// First and last row.
    pub range: (u64, u64),
    pub expr: Expr,
}

/// Decoder, options and place of a new source.
#[derive(Debug, Clone)]
pub struct DecodeRequest {
    pub decoder: Arc<Decoder>,
    pub options: Options,
    pub target: usize,
    /// Number of the source in the target.
    pub source: u16,
    /// Budget of its rows, bytes.
    pub memory: usize,
}

/// A command: its syntax and its function.
pub struct ModelCommand {
    pub spec: CommandSpec,
    pub run: fn(&Given, &mut Model),
}

impl ModelCommand {
    /// Without aliases; `doc` is one sentence without a full stop.
    pub const fn new(
        words: &'static [&'static str],
        args: &'static [Arg],
        doc: &'static str,
        run: fn(&Given, &mut Model),
    ) -> ModelCommand {
        ModelCommand { spec: CommandSpec { words, aliases: &[], args, doc }, run }
    }

    /// Adds other names for the first word.
    pub const fn alias(mut self, aliases: &'static [&'static str]) -> ModelCommand {
        self.spec.aliases = aliases;
        self
    }
}

pub struct ModelSettings {
    pub config: Config,
    pub keymap: Keymap,
    pub(in crate::model) previous_filter: Option<Expr>,
    commands: &'static [ModelCommand],
    /// In the order of the help.
    pub command_specs: Vec<&'static CommandSpec>,
}

impl ModelSettings {
    pub fn new(config: Config, keymap: Keymap, commands: &'static [ModelCommand]) -> ModelSettings {
        let command_specs = commands.iter().map(|command| &command.spec).collect();
        ModelSettings { config, keymap, previous_filter: None, commands, command_specs }
    }

    pub fn command(&self, given: &Given) -> Option<&'static ModelCommand> {
        self.commands.iter().find(|command| command.spec.words == given.command.words)
    }
}
