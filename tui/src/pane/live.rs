//! A pane of lines made from all rows: reads the rows, updates the lines at intervals while rows arrive, keeps the
//! cursor on the same subject, and draws a table.

use std::time::{Duration, Instant};

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
    widgets::Widget,
};
use spytui_engine::trace::list::walk::Walking;

use super::{
    below_title,
    table::{Body, TableCursor},
};
use crate::{
    input::{Action, PaneId, PaneKeys},
    model::{
        Model, line_search,
        panes::{ActionOffer, Pane},
    },
    term::{Role, wrap},
    widget::{Paint, TitleRule},
};

pub(super) trait Live: Default {
    type Walk: Walking;
    /// What a line is about.
    type Subject: Clone + PartialEq;
    /// Parameters of the lines; when they change, lines are updated at once.
    type Asked: PartialEq;

    const KEYS: &'static PaneKeys;
    const STAYS_BESIDE: bool = false;
    /// A few new rows may wait for the next update.
    const MAY_WAIT: bool = true;
    const HAS_HEADING: bool = true;

    fn len(&self) -> usize;

    /// What a line is about.
    fn subject(&self, line: usize) -> Option<Self::Subject>;

    fn line_of(&self, subject: &Self::Subject) -> Option<usize> {
        (0..self.len()).find(|line| self.subject(*line).as_ref() == Some(subject))
    }

    /// The pane's lines as text, for a search.
    fn line_texts(&self, model: &Model) -> Vec<String>;

    fn asked(&self, walk: &Self::Walk, model: &Model) -> Self::Asked;

    /// Number of things that lines are made from.
    fn things(&self, _walk: &Self::Walk) -> usize {
        self.len()
    }

    fn make(&mut self, walk: &mut Self::Walk, model: &Model, cursor: &mut TableCursor);

    fn forget(&mut self);

    /// Handles an action of the pane, or opens what is under the cursor.
    fn act(&mut self, action: Action, line: usize, walk: &mut Self::Walk, model: &mut Model);

    /// Continues to look for a row to go to; `true` = it was not found yet.
    fn seek(&mut self, _model: &mut Model) -> bool {
        false
    }

    /// The line to which the last action moved the cursor.
    fn moved(&mut self) -> Option<usize> {
        None
    }

    /// Help for an action, with the cursor on a line.
    fn offer(&self, _action: Action, _line: usize, _model: &Model) -> ActionOffer {
        ActionOffer::Usual
    }

    /// Handles a click on a column heading.
    fn sort_by(&mut self, _column: usize) {}

    /// Prepares what depends on the cursor and on the number of lines on the screen.
    fn prepare(&mut self, _cursor: &TableCursor, _lines: usize, _model: &Model) {}

    /// The texts of its table in a pane of some width.
    fn body(&self, model: &Model, width: u16) -> Body;

    fn why_empty(&self, walk: &Self::Walk, model: &Model) -> String;

    /// Its title without the search text, and the text at the right.
    fn title(&self, walk: &Self::Walk, model: &Model, width: u16) -> (String, String);

    /// Number of lines below the table.
    fn below(&self, _about: &Below<'_, Self::Walk>) -> u16 {
        0
    }

    fn draw_below(&self, _about: &Below<'_, Self::Walk>, _area: Rect, _paint: &mut Paint<'_>) {}
}

/// What the lines below a table are about.
pub(super) struct Below<'a, W> {
    pub(super) walk: &'a W,
    /// The line under the cursor.
    pub(super) line: usize,
    pub(super) model: &'a Model,
    /// Width and height of the pane without its title.
    pub(super) size: (u16, u16),
}

pub(super) struct LivePane<T: Live> {
    shows: T,
    /// `None` until the pane is shown.
    walk: Option<T::Walk>,
    /// Parameters, row and name counts, and time of the last update.
    made: Option<(T::Asked, (u64, u64), Instant)>,
    cursor: TableCursor,
    /// The subject under the cursor, which stays there when lines move.
    chosen: Option<T::Subject>,
}

impl<T: Live> Default for LivePane<T> {
    fn default() -> LivePane<T> {
        let (shows, cursor) = (T::default(), TableCursor::default());
        LivePane { shows, walk: None, made: None, cursor, chosen: None }
    }
}

impl<T: Live> LivePane<T> {
    /// Reads the rows shown, from the first one on.
    fn walk(&mut self, model: &Model) -> (&mut T, &mut T::Walk, &mut TableCursor) {
        let rows = &model.list.rows;
        if self.walk.as_ref().is_some_and(|walk| !walk.is_of(rows)) {
            self.forget_rows();
        }
        let walk = self.walk.get_or_insert_with(|| T::Walk::new(rows));
        (&mut self.shows, walk, &mut self.cursor)
    }

    fn is_recent(&self, model: &Model) -> bool {
        let things = self.walk.as_ref().map_or(0, |walk| self.shows.things(walk));
        is_recent(model, self.made.as_ref().map(|made| made.2), PAUSE, things as u64)
    }

    fn refresh(&mut self, model: &Model) {
        let is_recent = self.is_recent(model);
        let (shows, walk, _) = self.walk(model);
        let (asked, rows) = (shows.asked(walk, model), &model.list.rows);
        let is_growing = walk.walked() < rows.len() || !model.links.is_over();
        let news = (walk.walked(), rows.name_changes());
        let stands =
            |made: &(T::Asked, (u64, u64), Instant)| made.0 == asked && (made.1 == news || is_recent && is_growing);
        if !self.made.as_ref().is_some_and(stands) {
            let (shows, walk, cursor) = self.walk(model);
            shows.make(walk, model, cursor);
            self.made = Some((asked, news, model.now));
        }
    }

    fn choose(&mut self) {
        // Beyond the end until the next frame.
        let line = self.cursor.at.min(self.shows.len().saturating_sub(1));
        self.chosen = self.shows.subject(line).or(self.chosen.take());
    }

    /// Number of heading lines in a pane of this height.
    fn heading(height: u16) -> u16 {
        u16::from(T::HAS_HEADING && height > 2)
    }

    /// What the lines below the table are about in a pane of this size, and their number.
    fn below<'a>(&self, walk: &'a T::Walk, model: &'a Model, size: (u16, u16)) -> (Below<'a, T::Walk>, u16) {
        let about = Below { walk, line: self.cursor.at, model, size };
        let lines = self.shows.below(&about).min(size.1);
        (about, lines)
    }
}

impl<T: Live> Pane for LivePane<T> {
    fn keys(&self) -> &'static PaneKeys {
        T::KEYS
    }

    fn stays_beside(&self) -> bool {
        T::STAYS_BESIDE
    }

    fn handle(&mut self, action: Action, model: &mut Model) {
        if matches!(action, Action::Open | Action::OfPane(..)) {
            let line = self.cursor.at.min(self.shows.len().saturating_sub(1));
            let (shows, walk, cursor) = self.walk(model);
            shows.act(action, line, walk, model);
            cursor.at = shows.moved().unwrap_or(cursor.at);
            return self.choose();
        }
        if self.cursor.handle(action, model.screen.front_height()) {
            self.choose();
        }
    }

    fn offer(&self, action: Action, model: &Model) -> ActionOffer {
        self.shows.offer(action, self.cursor.at, model)
    }

    fn work(&mut self, model: &mut Model) -> bool {
        let is_recent = T::MAY_WAIT && self.is_recent(model);
        read_on(self.walk(model).1, model, is_recent) | self.shows.seek(model)
    }

    fn line(&self) -> Option<usize> {
        Some(self.cursor.at)
    }

    fn line_texts(&self, model: &Model) -> Vec<String> {
        self.shows.line_texts(model)
    }

    fn go_to_line(&mut self, line: usize) {
        self.cursor.at = line;
        self.choose();
    }

    fn forget_rows(&mut self) {
        (self.walk, self.made) = (None, None);
        self.shows.forget();
    }

    fn memory(&self) -> usize {
        self.walk.as_ref().map_or(0, Walking::memory)
    }

    fn click(&mut self, at: Position, model: &mut Model) {
        let Some((_, area)) = model.screen.layout.pane else { return };
        let heading = Self::heading(area.height);
        if at.y >= area.y + heading {
            self.cursor.click(at, heading, model);
            return self.choose();
        }
        if let Some(column) = self.shows.body(model, area.width).column_at(area, at.x).filter(|_| at.y == area.y) {
            self.shows.sort_by(column);
        }
    }

    fn prepare(&mut self, model: &Model, width: u16, height: u16) {
        self.refresh(model);
        let chosen = self.chosen.as_ref().and_then(|chosen| self.shows.line_of(chosen));
        self.cursor.at = chosen.unwrap_or(self.cursor.at);
        let below = self.walk.as_ref().map_or(0, |walk| self.below(walk, model, (width, height)).1);
        let used = Self::heading(height) + below;
        let lines = usize::from(height.saturating_sub(used));
        self.cursor.fit(self.shows.len(), lines);
        self.choose();
        self.shows.prepare(&self.cursor, lines, model);
    }

    fn draw(&self, model: &Model, area: Rect, buffer: &mut Buffer) {
        let Some(walk) = &self.walk else { return };
        let (look, id, cursor) = (&model.screen.look, T::KEYS.id, &self.cursor);
        let (title, right) = self.shows.title(walk, model, area.width);
        let place = line_search::percent(cursor.at, self.shows.len(), area.height.into());
        let title = title + &line_search::title(model, id) + &place;
        TitleRule { title: &title, right: &right, look }.render(area, buffer);
        let area = below_title(area);
        let (about, below) = self.below(walk, model, (area.width, area.height));
        let table = Rect { height: area.height - below, ..area };
        let heading = Self::heading(area.height);
        let lines = Rect { y: table.y + heading, height: table.height.saturating_sub(heading), ..table };
        let body = self.shows.body(model, area.width);
        body.draw(heading > 0, cursor.top, table, look, buffer);
        let mut paint = Paint::new(buffer, look);
        if self.shows.len() == 0 {
            let (why, room) = (self.shows.why_empty(walk, model), area.width.saturating_sub(2));
            for (line, y) in why
                .lines()
                .flat_map(|part| wrap(part, room.into()))
                .zip(if body.is_empty() { table.y } else { lines.y }..lines.bottom())
            {
                paint.text(area.x + 1, y, room, line, Role::Help);
            }
        }
        let rest = Rect { y: table.bottom(), height: below, ..area };
        self.shows.draw_below(&about, rest, &mut paint);
        highlight(model, id, lines, &mut paint);
        if model.panes.front() == id {
            cursor.draw(lines, &mut paint);
        }
    }
}

/// Minimum interval between updates while rows arrive: a pause, plus some time per thing examined, so that following
/// takes little of the time.
pub(super) type Pause = (Duration, Duration);

/// The pause of panes with lines of text.
pub(super) const PAUSE: Pause = (Duration::from_millis(250), Duration::from_micros(100));
/// Rows read together while the pane's content is not updated: reading a few per turn would take longer.
const TOGETHER: u64 = 8192;
/// Number of new rows that may be unread without a notice.
const NEWEST: u64 = 10_000;

/// Whether a pane's content was just updated, from this many things.
pub(super) fn is_recent(model: &Model, made_at: Option<Instant>, pause: Pause, things: u64) -> bool {
    let pause = pause.0 + pause.1 * u32::try_from(things).unwrap_or(u32::MAX);
    made_at.is_some_and(|at| model.now.saturating_duration_since(at) < pause)
}

/// Whether the newest rows are followed and more may arrive.
pub(super) fn is_live(model: &Model) -> bool {
    model.list.page.follow && !model.links.is_over()
}

/// Reads more rows, unless they may wait for others; `is_recent` = the pane's content is not updated yet.
pub(super) fn read_on(walk: &mut impl Walking, model: &Model, is_recent: bool) -> bool {
    let rows = &model.list.rows;
    let may_wait = is_live(model) && is_recent && rows.len().saturating_sub(walk.walked()) < TOGETHER;
    !may_wait && walk.work(rows)
}

/// Percentage of rows that a pane has read; `None` if only new ones are unread.
pub(super) fn percent_read(model: &Model, read: u64) -> Option<u64> {
    let all = model.list.rows.len();
    (all.saturating_sub(read) > NEWEST).then(|| read * 100 / all)
}

/// Highlights matches of a pane's search in its lines.
pub(super) fn highlight(model: &Model, pane: PaneId, lines: Rect, paint: &mut Paint<'_>) {
    if let Some(search) = line_search::of_pane(model, pane) {
        paint.highlight(lines, &[&search.pattern]);
    }
}
