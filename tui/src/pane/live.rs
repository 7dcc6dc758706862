//! A pane of lines made from all rows: reads the rows, updates the lines at intervals while rows arrive, keeps the
//! cursor on the same subject, and draws a table.

use std::time::{Duration, Instant};

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
    widgets::Widget,
};
use spytui_engine::{
    export::table::{ColumnFit, Table},
    trace::list::walk::Walking,
};

use super::below_title;
use crate::{
    input::{Action, PaneId, PaneKeys},
    model::{
        Model, line_search,
        panes::{ActionOffer, Pane},
        screen::Piece,
    },
    term::{Role, cut_middle, end_marked, width, wrap},
    widget::{Look, Paint, TitleRule},
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
            let (shows, walk, _) = self.walk(model);
            return shows.act(action, line, walk, model);
        }
        if self.cursor.handle(action, model.screen.front_height()) {
            self.choose();
        }
    }

    fn offer(&self, action: Action, model: &Model) -> ActionOffer {
        self.shows.offer(action, self.cursor.at, model)
    }

    fn work(&mut self, model: &Model) -> bool {
        let is_recent = T::MAY_WAIT && self.is_recent(model);
        read_on(self.walk(model).1, model, is_recent)
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

/// Lines that an action scrolls by; `None` if it does not scroll by lines.
pub(super) fn lines_moved(action: Action, height: usize) -> Option<i64> {
    let page = height as i64;
    Some(match action {
        Action::Up => -1,
        Action::Down => 1,
        Action::HalfUp => -(page / 2).max(1),
        Action::HalfDown => (page / 2).max(1),
        Action::PageUp => -(page - 1).max(1),
        Action::PageDown => (page - 1).max(1),
        _ => return None,
    })
}

/// Highlights matches of a pane's search in its lines.
pub(super) fn highlight(model: &Model, pane: PaneId, lines: Rect, paint: &mut Paint<'_>) {
    if let Some(search) = line_search::of_pane(model, pane) {
        paint.highlight(lines, &[&search.pattern]);
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct TableSort {
    /// Index of the sort order.
    pub(super) column: usize,
    pub(super) reverse: bool,
}

impl TableSort {
    /// Sorts by a column; reverses the order if already sorted by it.
    pub(super) fn click(&mut self, column: usize) {
        *self = TableSort { column, reverse: self.column == column && !self.reverse };
    }

    /// `Objects · by name, reversed`
    pub(super) fn title(self, pane: &str, words: &[&str]) -> String {
        let reverse = if self.reverse { ", reversed" } else { "" };
        format!("{pane} · {}{reverse}", words.get(self.column).unwrap_or(&words[0]))
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct TableCursor {
    pub(super) at: usize,
    pub(super) top: usize,
    /// Number of lines as of the last frame.
    pub(super) len: usize,
}

impl TableCursor {
    /// Moves the cursor; `height` = lines per page. `false` = the action does not move.
    pub(super) fn handle(&mut self, action: Action, height: usize) -> bool {
        match action {
            Action::Top => self.at = 0,
            Action::Follow => self.go_to_end(),
            // The end may have moved since the last frame; the next one corrects that.
            _ => match lines_moved(action, height) {
                Some(by) => self.at = (self.at as i64).saturating_add(by).max(0) as usize,
                None => return false,
            },
        }
        true
    }

    /// A click into the lines of the table, which begin `above` lines below the top of the pane in front.
    pub(super) fn click(&mut self, at: Position, above: u16, model: &Model) {
        let first = model.screen.layout.pane.map(|(_, area)| area.y + above);
        let line = first.and_then(|first| at.y.checked_sub(first)).map(|line| self.top + usize::from(line));
        self.at = line.filter(|line| *line < self.len).unwrap_or(self.at);
    }

    /// Moves to the last line with the next frame.
    pub(super) fn go_to_end(&mut self) {
        self.at = usize::MAX / 2;
    }

    /// Keeps the cursor visible on `height` lines.
    pub(super) fn fit(&mut self, len: usize, height: usize) {
        self.len = len;
        self.at = self.at.min(len.saturating_sub(1));
        self.top = self.top.min(self.at).max((self.at + 1).saturating_sub(height.max(1)));
        self.top = self.top.min(len.saturating_sub(height.min(len)));
    }

    /// Draws the cursor over the lines of a table.
    pub(super) fn draw(&self, lines: Rect, paint: &mut Paint<'_>) {
        let line = self.at.saturating_sub(self.top);
        if self.at < self.len && line < usize::from(lines.height) {
            paint.cursor_line(lines.x, lines.y + line as u16, lines.width);
        }
    }

    /// Draws lines of text from the scroll position on, and the cursor.
    pub(super) fn draw_lines<T>(
        &self,
        lines: &[T],
        line: impl Fn(&T) -> Vec<Piece>,
        look: &Look,
        area: Rect,
        buffer: &mut Buffer,
    ) {
        let mut paint = Paint::new(buffer, look);
        for (item, y) in lines.iter().skip(self.top).zip(area.y..area.bottom()) {
            let pieces = line(item);
            paint.spans(area.x, y, area.width, pieces.iter().map(|(text, role)| (text.as_str(), *role)));
        }
        self.draw(area, &mut paint);
    }
}

#[derive(Debug, Default)]
pub(super) struct Body {
    /// Heading, role and layout.
    pub(super) columns: Vec<(&'static str, Role, ColumnFit)>,
    /// Index of the first row with texts.
    pub(super) first: usize,
    pub(super) rows: Vec<Vec<Piece>>,
    /// Maximum text width of each column.
    pub(super) widest: Vec<usize>,
    /// The last column extends to the edge.
    pub(super) is_flush: bool,
    /// A list without headings: objects have the colours of their names, and only they are shortened in the middle.
    pub(super) is_list: bool,
}

impl Body {
    /// For a table with columns of these roles; texts that deserve attention are warnings.
    pub(super) fn new<T>(table: &Table<'_, T>, rows: &[T], roles: &[Role]) -> Body {
        let columns = table.columns().map(|column| (column.heading, Role::Help, column.fit)).collect();
        let cell = |((text, warns), role): ((String, bool), &Role)| (text, if warns { Role::Warning } else { *role });
        let rows: Vec<Vec<Piece>> = rows.iter().map(|row| table.cells(row).zip(roles).map(cell).collect()).collect();
        let widest = |at: usize| rows.iter().map(|row| width(&row[at].0)).max().unwrap_or(0);
        let widest = (0..roles.len()).map(widest).collect();
        Body { columns, widest, rows, ..Body::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// Width that each column needs for its heading and its texts.
    fn wanted(&self) -> Vec<usize> {
        let heads = self.columns.iter().map(|column| if self.is_list { 0 } else { width(column.0) });
        heads.zip(&self.widest).map(|(head, widest)| head.max(*widest)).collect()
    }

    /// The columns that fit into a pane of this width.
    fn shown(&self, wanted: &[usize], width: u16, room: usize) -> Vec<usize> {
        let fit = |at: usize| self.columns[at].2;
        let is_there = |at: &usize| {
            let is_needless = fit(*at).is_optional || wanted[*at].max(fit(*at).roomy) == 0;
            width >= fit(*at).from && (self.widest[*at] > 0 || !is_needless)
        };
        let mut shown: Vec<usize> = (0..wanted.len()).filter(is_there).collect();
        while shown.iter().map(|at| wanted[*at].min(fit(*at).usual) + 1).sum::<usize>() > room {
            let Some(goes) = shown.iter().copied().max_by_key(|at| fit(*at).goes) else { break };
            if fit(goes).goes == 0 {
                break;
            }
            shown.retain(|at| *at != goes);
        }
        shown
    }

    /// Widths of the columns in a pane of this width, whose first cell is the cursor's; 0 = hidden.
    fn widths(&self, width: u16) -> Vec<usize> {
        let room = usize::from(width.saturating_sub(u16::from(!self.is_flush)));
        let wanted = self.wanted();
        let mut order = self.shown(&wanted, width, room);
        order.sort_by_key(|at| self.columns[*at].2.rank);
        let mut widths = vec![0; wanted.len()];
        let mut spare = room.saturating_sub(order.len());
        for most in [
            |fit: ColumnFit, wanted: usize| wanted.min(fit.least),
            |fit: ColumnFit, wanted: usize| wanted.min(fit.usual),
            |fit: ColumnFit, wanted: usize| wanted.min(fit.most),
            |fit: ColumnFit, _: usize| fit.roomy,
        ] {
            for at in &order {
                let more = most(self.columns[*at].2, wanted[*at]).saturating_sub(widths[*at]).min(spare);
                widths[*at] += more;
                spare -= more;
            }
        }
        widths
    }

    /// The column whose heading is at `x`.
    pub(super) fn column_at(&self, area: Rect, x: u16) -> Option<usize> {
        let mut end = usize::from(area.x) + 1;
        self.widths(area.width).into_iter().enumerate().filter(|(_, cells)| *cells > 0).find_map(|(at, cells)| {
            end += cells + 1;
            (usize::from(x) < end).then_some(at)
        })
    }

    /// Draws the headings, if there is a line for them, and the rows from one on. Long texts extend into empty cells
    /// after them.
    pub(super) fn draw(&self, has_heading: bool, top: usize, area: Rect, look: &Look, buffer: &mut Buffer) {
        let widths = self.widths(area.width);
        let columns: Vec<usize> = (0..widths.len()).filter(|at| widths[*at] > 0).collect();
        let heading: Vec<Piece> = self.columns.iter().map(|(head, role, _)| ((*head).to_owned(), *role)).collect();
        let rows = self.rows.iter().skip(top - self.first.min(top));
        let heading = std::iter::once(&heading).filter(|_| has_heading);
        for (row, y) in heading.chain(rows).zip(area.y..area.bottom()) {
            let mut x = area.x + 1;
            for (i, at) in columns.iter().enumerate() {
                let (text, role) = &row[*at];
                let empty = columns[i + 1..].iter().take_while(|next| row[**next].0.is_empty());
                let room = widths[*at] + empty.map(|next| widths[*next] + 1).sum::<usize>();
                let fit = self.columns[*at].2;
                let is_name = self.is_list && *role == Role::Object;
                let ellipsis = look.glyphs.ellipsis();
                let text = match fit.cuts_end || fit.is_right || self.is_list && !is_name {
                    true => end_marked(text, room, ellipsis),
                    false => cut_middle(text, room, ellipsis),
                };
                let pad = if fit.is_right { widths[*at].saturating_sub(width(&text)) } else { 0 };
                let free = usize::from(area.right().saturating_sub(x + pad as u16));
                if free > 0 {
                    let style = if is_name { look.theme.object(&text) } else { look.style(*role) };
                    let cells = if self.is_list { (widths[*at] + 1).min(free) as u16 } else { 0 };
                    buffer.set_style(Rect::new(x, y, cells, 1), style);
                    buffer.set_stringn(x + pad as u16, y, look.glyphs.spell(&text), free, style);
                }
                x += widths[*at] as u16 + 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(columns: &[(&'static str, usize, ColumnFit)]) -> Body {
        let widest = columns.iter().map(|column| column.1).collect();
        let columns = columns.iter().map(|(heading, _, fit)| (*heading, Role::Help, *fit)).collect();
        Body { columns, widest, ..Body::default() }
    }

    fn used(widths: &[usize]) -> usize {
        widths.iter().filter(|&&cells| cells > 0).map(|cells| cells + 1).sum()
    }

    #[test]
    fn columns_use_the_room_there_is() {
        let columns = [
            ("object", 30, ColumnFit { rank: 1, ..ColumnFit::new(8, 17) }),
            ("state", 14, ColumnFit::new(8, 18)),
            ("queue", 0, ColumnFit { is_optional: true, ..ColumnFit::new(6, 20) }),
            ("for", 7, ColumnFit { from: 96, ..ColumnFit::number(8) }),
            ("name", 5, ColumnFit { most: 60, roomy: 40, rank: 2, ..ColumnFit::new(8, 60) }),
        ];
        let body = body(&columns);
        for room in 28..200 {
            let widths = body.widths(room);
            assert!(used(&widths) < usize::from(room), "{room}: {widths:?}");
        }
        // The state gets what it needs first; the rest goes to the object.
        assert_eq!(body.widths(30), [8, 13, 0, 0, 5]);
        assert_eq!(body.widths(50), [27, 14, 0, 0, 5]);
        assert_eq!(body.widths(100), [30, 14, 0, 7, 40]);
    }

    #[test]
    fn figures_are_left_out_before_names_are_cut_short() {
        let figure = |goes| ColumnFit { goes, roomy: 8, ..ColumnFit::number(usize::MAX) };
        let columns = [
            ("object", 12, ColumnFit::new(8, 16)),
            ("min", 5, figure(2)),
            ("p95", 6, figure(1)),
            ("max", 7, figure(0)),
        ];
        let body = body(&columns);
        assert_eq!(body.widths(45), [12, 8, 8, 8]);
        assert_eq!(body.widths(35), [12, 5, 6, 7]);
        assert_eq!(body.widths(30), [12, 0, 7, 7]);
        assert_eq!(body.widths(22), [12, 0, 0, 7]);
        assert_eq!(body.column_at(Rect::new(0, 0, 30, 9), 14), Some(2));
        assert_eq!(body.column_at(Rect::new(0, 0, 30, 9), 13), Some(0));
        assert_eq!(body.column_at(Rect::new(0, 0, 30, 9), 30), None);
    }
}
