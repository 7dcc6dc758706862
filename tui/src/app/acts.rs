//! What keys do, one method for each family of actions.

use std::time::{Duration, Instant};

use spytui_engine::{
    list::{Direction, RowSource, find_shape},
    present::{Role, clock::grouped},
    query::Expr,
    store::Shape,
};
use spytui_plugin_api::row::Severity;

use super::{
    effect::Effect,
    state::{App, Pane, TimeStyle},
};
use crate::action::{Action, Prompt, quoted};

/// Two `^c` within this time quit.
const TWICE: Duration = Duration::from_secs(1);

impl App {
    /// Does what a key stands for.
    pub fn act(&mut self, act: Action) {
        use Action as A;
        // Whoever goes somewhere else is not taken back.
        self.wanted = None;
        match act {
            A::Up => self.step(-1),
            A::Down => self.step(1),
            A::HalfUp => self.step(-(self.list_height() as i64 / 2).max(1)),
            A::HalfDown => self.step((self.list_height() as i64 / 2).max(1)),
            A::PageUp => self.step(-(self.list_height() as i64 - 1).max(1)),
            A::PageDown => self.step((self.list_height() as i64 - 1).max(1)),
            A::Top => self.top(),
            A::Follow => self.bottom(),
            A::Hold => self.hold_or_follow(),
            A::Left => self.sideways = self.sideways.saturating_sub(8),
            A::Right => self.sideways = (self.sideways + 8).min(4096),
            A::PaneRecords => self.show_pane(Pane::Records),
            A::PaneDictionary => self.show_pane(Pane::Dictionary),
            A::PaneCounters => self.show_pane(Pane::Counters),
            A::PaneLog => self.show_pane(Pane::Log),
            A::PaneNext => self.turn_pane(1),
            A::PanePrevious => self.turn_pane(-1),
            A::SourceNext => self.turn_source(1),
            A::SourcePrevious => self.turn_source(-1),
            A::SortNext => self.dictionary.sort = (self.dictionary.sort + 1) % super::dictionary::SORTS.len(),
            A::SortReverse => self.dictionary.reverse = !self.dictionary.reverse,
            A::Zoom => self.zoom = !self.zoom,
            A::Details => self.details_open = !self.details_open,
            A::Open => self.open(),
            A::Search => self.ask(Prompt::Search, ""),
            A::SearchNext => self.search_on(Direction::Forward),
            A::SearchPrevious => self.search_on(Direction::Backward),
            A::EditFilter => {
                let text = self.filter_text();
                self.ask(Prompt::Filter, &text);
            }
            A::Command => self.ask(Prompt::Command, ""),
            A::MarkNote => self.ask(Prompt::Note, ""),
            A::ChooseDecoder => {
                let likely = self.source().guessing.other().unwrap_or_default();
                self.ask(Prompt::Command, &format!("proto {likely}"));
            }
            A::HideKind | A::HideGroup | A::HideObject | A::HideSignal | A::HideCore => self.narrow(act),
            A::OnlyKind | A::OnlyGroup | A::OnlyObject | A::OnlySignal | A::OnlyCore => self.narrow(act),
            A::AllRows => self.all_rows(),
            A::Fold => self.fold(),
            A::LossNext => self.jump(Direction::Forward, "losses", |s| s.kind.is_loss()),
            A::LossPrevious => self.jump(Direction::Backward, "losses", |s| s.kind.is_loss()),
            A::ErrorNext => self.jump(Direction::Forward, "errors", is_error),
            A::ErrorPrevious => self.jump(Direction::Backward, "errors", is_error),
            A::WarningNext => self.jump(Direction::Forward, "warnings or resets", is_warning),
            A::WarningPrevious => self.jump(Direction::Backward, "warnings or resets", is_warning),
            A::ObjectNext => self.same_object(Direction::Forward),
            A::ObjectPrevious => self.same_object(Direction::Backward),
            A::Back => self.walk_trail(-1),
            A::Forward => self.walk_trail(1),
            A::Mark => self.toggle_mark(),
            A::MarkNext => self.next_mark(true),
            A::MarkPrevious => self.next_mark(false),
            A::MarkList => self.list_marks(),
            A::TimeColumn => self.turn_time(),
            A::Measure => self.measure(),
            A::Select => self.select(),
            A::Copy => self.copy_rows(),
            A::CopyDetails => self.copy_details(),
            A::Help => self.help = Some((0, String::new())),
            A::Close => self.close(),
            A::Redraw => self.effects.push(Effect::Redraw),
            A::Suspend => self.effects.push(Effect::Suspend),
            A::Interrupt => self.interrupt(),
        }
    }

    /// Lines of the list.
    #[must_use]
    pub fn list_height(&self) -> usize {
        self.layout.list.max(1)
    }

    fn step(&mut self, by: i64) {
        let (rows, height) = (self.rows.clone(), self.list_height());
        match self.pane {
            Pane::Records => {
                self.list.step(&rows, by, height);
            }
            Pane::Dictionary => self.dictionary.step(by),
            Pane::Counters => self.counters.step(by),
            Pane::Log => self.log.step(by),
        }
    }

    fn top(&mut self) {
        let rows = self.rows.clone();
        match self.pane {
            Pane::Records => {
                self.remember();
                self.list.home(&rows);
            }
            Pane::Dictionary => self.dictionary.cursor = 0,
            Pane::Counters => self.counters.cursor = 0,
            Pane::Log => self.log.cursor = 0,
        }
    }

    fn bottom(&mut self) {
        match self.pane {
            Pane::Records => {
                self.remember();
                self.list.end();
                if self.is_over() && self.is_all_there() {
                    // Nothing more comes: the last row, without following.
                    let rows = self.rows.clone();
                    self.list.page(&rows, self.layout.list.max(1));
                    self.list.follow = false;
                }
            }
            Pane::Dictionary => self.dictionary.to_end(),
            Pane::Counters => self.counters.to_end(),
            Pane::Log => self.log.to_end(),
        }
    }

    fn hold_or_follow(&mut self) {
        let rows = self.rows.clone();
        if self.list.follow { self.list.hold(&rows) } else { self.list.end() }
    }

    fn show_pane(&mut self, pane: Pane) {
        self.pane = pane;
        self.shown_pane_changed();
    }

    fn turn_pane(&mut self, by: i64) {
        let at = Pane::ALL.iter().position(|p| p.0 == self.pane).unwrap_or(0) as i64;
        let next = (at + by).rem_euclid(Pane::ALL.len() as i64) as usize;
        self.show_pane(Pane::ALL[next].0);
    }

    fn shown_pane_changed(&mut self) {
        if self.pane == Pane::Log {
            self.log.to_end();
        }
    }

    /// Enter: details of the row; in lists filter by it or go to it.
    fn open(&mut self) {
        match self.pane {
            Pane::Records => match (self.details_open, self.details_large) {
                (false, _) => self.details_open = true,
                (true, large) => self.details_large = !large,
            },
            Pane::Dictionary => self.filter_by_name(),
            Pane::Counters => {
                if let Some(row) = self.shown.counters.get(self.counters.cursor).and_then(|r| r.row) {
                    self.pane = Pane::Records;
                    self.go_to_row(row);
                }
            }
            Pane::Log => {}
        }
    }

    fn filter_by_name(&mut self) {
        let Some(row) = self.shown.names.rows.get(self.dictionary.cursor).cloned() else { return };
        let word = row.name.unwrap_or(row.key);
        let role = match row.space.as_str() {
            "sig" => "sig",
            "fun" | "state" => "state",
            _ => "obj",
        };
        let text = format!("{role}:{}", quoted(&word));
        self.pane = Pane::Records;
        self.filter_from_text(&text);
    }

    /// Goes to a row and remembers where it was.
    pub fn go_to_row(&mut self, row: u64) {
        self.remember();
        self.uncover(row);
        let (rows, height) = (self.rows.clone(), self.list_height());
        self.list.go_to(&rows, row, height);
    }

    fn jump(&mut self, direction: Direction, what: &str, fits: impl Fn(&Shape) -> bool) {
        let from = match direction {
            Direction::Forward => self.entry_end(),
            Direction::Backward => self.entry_start(),
        };
        match find_shape(&self.rows, from, direction, fits) {
            Some(row) => self.go_to_row(row),
            None => {
                self.say(format!("no {} {what}", if direction == Direction::Forward { "further" } else { "earlier" }))
            }
        }
    }

    /// Last row of the entry under the cursor; none before the first row.
    fn entry_end(&self) -> Option<u64> {
        match self.list.cursor_entry() {
            Some(i) => Some(self.list.entries[i].last),
            None => Some(self.list.cursor),
        }
        .filter(|_| !self.rows.is_empty())
    }

    fn entry_start(&self) -> Option<u64> {
        self.list.cursor_entry().map(|i| self.list.entries[i].first).or(Some(self.list.cursor))
    }

    fn same_object(&mut self, direction: Direction) {
        let Some(entry) = self.list.cursor_entry().map(|i| self.list.entries[i].line.clone()) else { return };
        if entry.object.is_empty() {
            self.say("this row is about no object");
            return;
        }
        match self.parse(&format!("obj:{}", quoted(&entry.object))) {
            Ok(expr) => self.start_find(expr, direction),
            Err(error) => self.fail(error),
        }
    }

    /// All rows, and back to the filter before.
    fn all_rows(&mut self) {
        if self.list.filter.is_everything() {
            let before = self.filter_before.clone().unwrap_or_else(Expr::everything);
            self.set_filter(before);
        } else {
            self.set_filter(Expr::everything());
        }
    }

    /// Remembers the place, to go back to with `<`.
    fn remember(&mut self) {
        let Some(spot) = self.spot_of(self.list.cursor) else { return };
        self.trail.truncate(self.trail_at);
        if self.trail.last() != Some(&spot) {
            self.trail.push(spot);
        }
        if self.trail.len() > 200 {
            self.trail.remove(0);
        }
        self.trail_at = self.trail.len();
    }

    fn walk_trail(&mut self, by: i64) {
        if by < 0 && self.trail_at == self.trail.len() {
            self.remember();
            self.trail_at = self.trail.len().saturating_sub(1);
        }
        let at = self.trail_at as i64 + by;
        let Some(&spot) = usize::try_from(at).ok().and_then(|at| self.trail.get(at)) else {
            return self.say(if by < 0 { "nothing further back" } else { "nothing further on" });
        };
        self.trail_at = at as usize;
        if let Some(row) = self.row_at(spot) {
            let (rows, height) = (self.rows.clone(), self.list_height());
            self.list.go_to(&rows, row, height);
        }
    }

    fn turn_time(&mut self) {
        self.time_style = match self.time_style {
            TimeStyle::Target if self.measure_from.is_some() => TimeStyle::SinceMark,
            TimeStyle::Target | TimeStyle::SinceMark => TimeStyle::Host,
            TimeStyle::Host => TimeStyle::Target,
        };
        let what = match self.time_style {
            TimeStyle::Target => "time of the target",
            TimeStyle::SinceMark => "time since the row measured from",
            TimeStyle::Host => "time of arrival",
        };
        self.say(what);
    }

    fn measure(&mut self) {
        let time = self.list.cursor_entry().and_then(|i| self.list.entries[i].time);
        match time {
            Some(time) => {
                self.measure_from = Some(time);
                self.time_style = TimeStyle::SinceMark;
                self.say("times are since this row; t changes that");
            }
            None => self.say("this row has no time stamp"),
        }
    }

    fn select(&mut self) {
        self.selected_from = match self.selected_from {
            None => Some(self.list.cursor),
            Some(_) => None,
        };
        if self.selected_from.is_some() {
            self.say("move, then y copies the rows; v ends");
        }
    }

    fn copy_rows(&mut self) {
        let from = self.selected_from.take().unwrap_or(self.list.cursor);
        let (first, last) = (from.min(self.list.cursor), from.max(self.list.cursor));
        let (text, rows) = self.rows_text(first, last);
        self.say(format!("copied {} row{}", grouped(rows), if rows == 1 { "" } else { "s" }));
        self.effects.push(Effect::Copy(text));
    }

    fn copy_details(&mut self) {
        let Some(details) = super::details::details(&self.rows, self.list.cursor) else { return };
        let mut text = format!("{}\n", details.title);
        for f in &details.fields {
            text.push_str(format!("{:<8} {:<12} {} {}", f.name, f.value, f.meaning, f.origin).trim_end());
            text.push('\n');
        }
        self.say("copied the details");
        self.effects.push(Effect::Copy(text));
    }

    fn close(&mut self) {
        if self.selected_from.take().is_some() || self.notice.take().is_some() {
            return;
        }
        if self.zoom {
            self.zoom = false;
        } else if self.pane != Pane::Records {
            self.pane = Pane::Records;
        } else {
            self.asks_to_quit = true;
        }
    }

    fn interrupt(&mut self) {
        if let Some(finding) = self.finding.take() {
            finding.stop();
            return self.say("search interrupted");
        }
        let now = Instant::now();
        if self.interrupted.is_some_and(|at| now.duration_since(at) < TWICE) {
            self.quit = Some(130);
        }
        self.interrupted = Some(now);
        self.say("^c again within a second quits; :q too");
    }
}

fn is_error(shape: &Shape) -> bool {
    shape.severity >= Severity::ERROR
}

fn is_warning(shape: &Shape) -> bool {
    shape.severity >= Severity::WARNING || Role::of(&shape.row()) == Role::Event
}
