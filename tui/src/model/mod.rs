//! The state of the screen, in small parts with their own rules.
//!
//! | part | what is in it |
//! |---|---|
//! | [`links`] | the sources, and which of them are shown |
//! | [`list`] | the rows shown: page, cursor, filter, marks |
//! | [`panes`] | what is a pane, and which one is in front |
//! | [`prompt`] | command line, help, keys and messages |
//! | [`screen`] | size, layout, header, looks |
//! | [`settings`] | configuration, keys, commands, saved filters |
//!
//! [`Message`]s change it, [`Effect`]s are what it asks the outside world to do. The other modules are what several
//! actions, commands and panes do with it: [`jump`], [`search`], [`line_search`], [`filter`], [`decoder`], [`names`],
//! [`details`], [`target`].

pub mod baud_scan;
pub mod causes;
pub mod completions;
pub mod decoder;
pub mod details;
mod effect;
pub mod filter;
pub mod jump;
pub mod line_search;
pub mod links;
pub mod list;
pub mod loss_words;
mod message;
pub mod names;
pub mod panes;
pub mod prompt;
pub mod screen;
pub mod search;
pub mod settings;
pub mod target;

use std::time::Instant;

use crate::{app_log::Level, input::History, widget::Look};
use baud_scan::BaudScan;
use filter::Tally;
use line_search::LineSearch;
use links::Links;
use list::List;
use panes::Panes;
use prompt::Prompt;
use screen::ScreenState;
use search::{LastSearch, Seeking, TypedSearch};
use settings::ModelSettings;

pub use effect::{ControlLine, DecodeRequest, Effect, Effects, RowSelection};
pub use message::Message;

/// The complete state of the screen.
pub struct Model {
    pub links: Links,
    pub list: List,
    pub panes: Panes,
    /// Command line, help and messages.
    pub prompt: Prompt,
    pub jobs: Jobs,
    /// Size, layout, header, looks.
    pub screen: ScreenState,
    /// Configuration, keys, commands.
    pub settings: ModelSettings,
    /// Time of the last tick.
    pub now: Instant,
    /// Exit code, once the program ends.
    pub quit: Option<u8>,
    /// What is said after the end, on the screen of before.
    pub last_words: Option<String>,
    effects: Effects,
}

impl Model {
    /// The state at the start.
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
            settings,
            now,
            quit: None,
            last_words: None,
            effects: Effects::new(),
        };
        model.follow_settings();
        model
    }

    /// Applies the configuration.
    fn follow_settings(&mut self) {
        let config = &self.settings.config;
        self.list.page.short = config.on("ui.short-names");
        self.list.page.collapse = list::Collapse::configured(config.on("ui.fold"));
        self.panes.details_open = config.on("ui.details");
        self.screen.time_style = screen::TimeStyle::configured(config.text("ui.time"));
    }

    /// Number of marks in all lists.
    pub fn marks(&self) -> usize {
        let lists = self.links.saved_views.values().chain([&self.list]);
        lists.map(|list| list.marks.iter().count()).sum()
    }

    pub fn ask_for(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    /// Takes the requested effects.
    pub fn take_effects(&mut self) -> Effects {
        std::mem::take(&mut self.effects)
    }

    /// Shows a message, and logs it: it is gone with the next key.
    pub fn say(&mut self, text: impl Into<String>) {
        let text = text.into();
        // A key that is held down says the same again and again.
        if self.prompt.log.last().is_none_or(|line| line.text != text) {
            self.log(Level::Info, "app", text.clone());
        }
        self.show(text);
    }

    /// Shows a message that is in the log already, or says what is going on only now.
    pub fn show(&mut self, text: impl Into<String>) {
        self.prompt.notice = Some(prompt::Notice::said(text));
    }

    /// Shows and logs an error.
    pub fn fail(&mut self, text: impl Into<String>) {
        let text = text.into();
        self.log(Level::Warning, "app", text.clone());
        if let Some((kind, line)) = self.prompt.just_run.take() {
            self.prompt.history.mark_failed(kind, &line);
            self.ask_for(Effect::MarkFailed(kind, line));
        }
        self.prompt.notice = Some(prompt::Notice::mistake(text));
    }

    /// Writes a line to the program's log.
    pub fn log(&mut self, level: Level, source: &str, text: impl Into<String>) {
        self.ask_for(Effect::Log { level, source: source.to_owned(), text: text.into() });
    }

    /// `true` if everything received is decoded and in the list.
    pub fn is_all_there(&self) -> bool {
        !self.list.waits && self.links.shown().all(|source| source.decoding().pos() >= source.log().len())
    }

    /// `true` if there is work to do at once.
    pub fn is_unfinished(&self) -> bool {
        self.jobs.unfinished || self.list.page.unfinished
    }
}

/// Work that takes more than one turn of the main loop.
#[derive(Debug, Default)]
pub struct Jobs {
    pub(in crate::model) last_search: Option<LastSearch>,
    /// The search that is being typed.
    pub(in crate::model) typed_search: Option<TypedSearch>,
    /// The search in the lines of another pane than the record list.
    pub(in crate::model) line_search: Option<LineSearch>,
    /// The next match is looked for.
    pub searching: Option<Seeking>,
    /// Listening for the right baud rate.
    pub baud_scan: Option<BaudScan>,
    /// It was not yet said whether anything passes the filter.
    pub(in crate::model) filter_is_new: bool,
    /// Rows there were when the filter was set.
    pub(in crate::model) filter_rows: u64,
    /// It was said that names are refused.
    pub(in crate::model) refusal_is_shown: bool,
    /// Counts for `:filter why`: each term, and the filter last.
    pub(in crate::model) why: Vec<Tally>,
    /// There is more to do at once.
    pub unfinished: bool,
}
