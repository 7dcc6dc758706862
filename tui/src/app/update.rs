//! What events do to the state.

use std::time::{Duration, Instant};

use crossterm::event::KeyEvent;
use spytui_engine::list::RowSource;

use super::{
    layout::{Layout, Wish},
    state::{App, Pane},
};
use crate::{
    action::{Key, Meaning, Place, help, narrow},
    term::TermEvent,
};

/// Time for the work beside the screen, in one turn of the main loop.
const SLICE: Duration = Duration::from_millis(8);
/// Cells for keys and usages before their meaning in the help.
pub const HELP_KEYS: usize = 16;

impl App {
    /// Something happened at the terminal; `true` = a key, which is answered at once.
    pub fn event(&mut self, event: TermEvent) -> bool {
        match event {
            TermEvent::Key(key) => {
                self.key(key);
                return true;
            }
            TermEvent::Paste(text) => {
                self.paste(&text);
                return true;
            }
            TermEvent::Terminate(signal) => self.quit = Some(128 + signal as u8),
            TermEvent::Hangup => self.quit = Some(129),
            TermEvent::Gone => self.quit = Some(129),
            _ => {}
        }
        false
    }

    fn key(&mut self, event: KeyEvent) {
        let key = Key::of(event);
        self.touched = true;
        if self.asks_to_quit {
            return self.answer_quit(key);
        }
        if self.typing.is_some() {
            return self.type_key(key);
        }
        if self.help.is_some() && self.help_key(key) {
            return;
        }
        self.notice = None;
        self.pressed.push(key);
        match self.keymap.meaning(self.place(), &self.pressed) {
            Meaning::Action(act) => {
                self.pressed.clear();
                self.act(act);
            }
            Meaning::Prefix(_) => {}
            Meaning::Nothing => self.nothing(),
        }
    }

    fn nothing(&mut self) {
        let typed: Vec<String> = self.pressed.iter().map(Key::to_string).collect();
        self.pressed.clear();
        let escape = typed.last().is_some_and(|k| k == "Esc");
        if !escape {
            self.say(format!("{} does nothing here; ? shows the keys", typed.join(" ")));
        }
    }

    fn answer_quit(&mut self, key: Key) {
        self.asks_to_quit = false;
        match key.character() {
            Some('q' | 'y') => self.quit = Some(0),
            Some('s') => self.ask(crate::action::Prompt::Command, "wq "),
            _ => self.notice = None,
        }
    }

    /// Keys while help is open; `false` = not for it.
    fn help_key(&mut self, key: Key) -> bool {
        let lines = self.help_lines().len();
        let Some((top, filter)) = &mut self.help else { return false };
        use crossterm::event::KeyCode;
        match (key.code(), key.control()) {
            (KeyCode::Esc, _) | (KeyCode::F(1), _) | (KeyCode::Char('g' | 'c'), true) => self.help = None,
            (KeyCode::Char('q' | '?'), false) if filter.is_empty() => self.help = None,
            (KeyCode::Down, _) | (KeyCode::Enter, _) => *top = (*top + 1).min(lines.saturating_sub(1)),
            (KeyCode::Up, _) => *top = top.saturating_sub(1),
            (KeyCode::Char('j'), false) if filter.is_empty() => *top = (*top + 1).min(lines.saturating_sub(1)),
            (KeyCode::Char('k'), false) if filter.is_empty() => *top = top.saturating_sub(1),
            (KeyCode::PageDown, _) => *top = (*top + 15).min(lines.saturating_sub(1)),
            (KeyCode::Char(' '), false) if filter.is_empty() => *top = (*top + 15).min(lines.saturating_sub(1)),
            (KeyCode::PageUp, _) => *top = top.saturating_sub(15),
            (KeyCode::Char('b'), false) if filter.is_empty() => *top = top.saturating_sub(15),
            (KeyCode::Backspace, _) => {
                filter.pop();
                *top = 0;
            }
            _ => match key.character() {
                Some(c) if !c.is_control() => {
                    filter.push(c);
                    *top = 0;
                }
                _ => {}
            },
        }
        true
    }

    /// Help as it stands: keys valid now and commands, those that fit what was typed.
    #[must_use]
    pub fn help_lines(&self) -> Vec<(String, String)> {
        let all = help(None, self.place(), &self.keymap);
        let typed = self.help.as_ref().map_or("", |h| h.1.as_str());
        let fits = |left: &str| crate::term::width(left) <= HELP_KEYS;
        let lines = narrow(&all, typed).into_iter().flat_map(|l| match fits(&l.left) {
            true => vec![(l.left, l.right)],
            // Long usages stand on a line of their own.
            false => vec![(l.left, String::new()), (String::new(), l.right)],
        });
        lines.collect()
    }

    /// The place that keys are looked up for.
    #[must_use]
    pub fn place(&self) -> Place {
        match self.pane {
            Pane::Records => Place::Records,
            Pane::Dictionary => Place::Dictionary,
            Pane::Counters => Place::Counters,
            Pane::Log => Place::Log,
        }
    }

    /// Work beside the screen: searches that ended, files written, rates, the rest of a filter. `true` = there is
    /// more to do soon.
    pub fn turn(&mut self, now: Instant) -> bool {
        if let Some(answer) = self.finding.as_ref().and_then(super::finding::Finding::answer) {
            self.found(answer);
        }
        if let Some(answer) = self.writing.as_ref().and_then(super::write::Writing::answer) {
            self.writing = None;
            match answer {
                Ok(text) => self.say(text),
                Err(text) => self.fail(text),
            }
        }
        self.follow_decoding();
        for fault in spytui_plugin_api::guard::late_faults() {
            crate::app_log::note(crate::app_log::Level::Error, "plugin", &fault.to_string());
        }
        self.guess();
        self.follow_links();
        self.listen_for_baud(now);
        let rows = self.rows.clone();
        let start = Instant::now();
        loop {
            let more = self.grow(now) | self.list.filter.work(&rows, 1);
            if !more || start.elapsed() >= SLICE {
                return more;
            }
        }
    }

    /// News of the links: messages to the log, new sources to the list.
    fn follow_links(&mut self) {
        let mut news = Vec::new();
        for (i, source) in self.sources.iter().enumerate() {
            if let super::source::Feed::Link(link) = &source.feed {
                news.extend(link.events().try_iter().map(|event| (i, event)));
            }
        }
        for (i, event) in news {
            self.link_event(i, event);
        }
        let problem = self.shown_sources().find_map(|source| source.log().take_problem());
        if let Some(problem) = problem {
            self.fail(problem);
        }
    }

    fn link_event(&mut self, source: usize, event: spytui_engine::link::LinkEvent) {
        use spytui_engine::link::{LinkEvent, LinkState};
        let name = self.sources[source].name();
        match event {
            LinkEvent::Note(text) => {
                crate::app_log::note(crate::app_log::Level::Info, &name, &text);
                if self.scope.contains(&source) {
                    self.said_by_link = Some(text.clone());
                    self.say(text);
                }
            }
            LinkEvent::State(state) => {
                // Every attempt is a state; what is wrong is a note, once.
                let text = match &state {
                    LinkState::NoLink { .. } | LinkState::Failed(_) => return,
                    LinkState::Waiting(text) => text.clone(),
                    other => other.words(),
                };
                crate::app_log::note(crate::app_log::Level::Info, &name, &text);
                // What was wrong is over.
                if self.notice.as_ref().map(|n| &n.text) == self.said_by_link.as_ref() {
                    self.notice = None;
                }
            }
            LinkEvent::Source(index) => self.add_peer(source, index),
        }
    }

    /// Another sender of a link that has several streams.
    fn add_peer(&mut self, source: usize, index: usize) {
        if index == 0 {
            return;
        }
        let super::source::Feed::Link(link) = &self.sources[source].feed else { return };
        let Some(peer) = link.sources().into_iter().find(|s| s.index == index) else { return };
        match self.open_peer(&peer) {
            Ok(new) => {
                self.sources.push(new);
                self.say(format!("{}: a new source; ) shows the next one", peer.name));
            }
            Err(error) => self.fail(error),
        }
    }

    /// Takes the figures for the rates.
    pub fn sample(&mut self) {
        let now = Instant::now();
        self.sources.iter_mut().for_each(|source| {
            source.sample(now);
        });
    }

    /// Makes everything that the next frame shows.
    pub fn prepare(&mut self, size: (u16, u16)) {
        self.size = size;
        self.lay_out();
        self.make_headers(Instant::now());
        let (height, width) = self.layout.pane.map_or((0, 0), |(_, r)| (usize::from(r.height), usize::from(r.width)));
        self.make_panes(height, width);
    }

    /// Layout, page and details; these may ask for more lines than those before.
    fn lay_out(&mut self) {
        for _ in 0..3 {
            let details_all = self.details_all();
            let wish = Wish { pane: self.pane, details: self.details_open, details_all, zoom: self.zoom };
            self.layout = Layout::new(self.size, wish);
            let rows = self.rows.clone();
            if self.layout.list_area.height > 0 {
                self.list.page(&rows, usize::from(self.layout.list_area.height));
            }
            if self.layout.details.is_some() {
                self.make_details();
            }
            // More lines for the details may move the list, but not to another row.
            if self.details_all() == details_all {
                return;
            }
        }
    }

    fn details_all(&self) -> Option<u16> {
        let details = self.details.as_ref().filter(|_| self.details_large)?;
        let bytes = details.bytes.len().div_ceil(usize::from(crate::view::hex_columns(self.size.0)));
        u16::try_from(details.fields.len().max(bytes)).ok()
    }

    fn make_details(&mut self) {
        let (first, row) = match self.list.cursor_entry() {
            // A fold shows the details of its last row, which is the gap where there is one.
            Some(i) => (self.list.entries[i].first, self.list.entries[i].last),
            None => return self.details = None,
        };
        let names = self.rows.name_changes();
        if self.details.as_ref().is_some_and(|d| d.row == row && d.changes == names) {
            return;
        }
        self.details = super::details::details(&self.rows, row);
        if let Some(details) = self.details.as_mut().filter(|d| d.bytes.is_empty() && first < row) {
            // The gap has no bytes, but the damaged frame that it stands for.
            details.bytes = super::details::details(&self.rows, first).map(|d| d.bytes).unwrap_or_default();
        }
    }

    /// How long the main loop may sleep: the next time at which something on the screen changes by itself.
    #[must_use]
    pub fn sleep(&self) -> Duration {
        let live = !self.is_over() || !self.is_all_there();
        let busy = self.auto_baud.is_some() || self.waits || self.source().guessing.is_busy();
        match (busy, live) {
            (true, _) => Duration::from_millis(50),
            (false, true) => Duration::from_millis(500),
            (false, false) => Duration::from_secs(3600),
        }
    }
}
