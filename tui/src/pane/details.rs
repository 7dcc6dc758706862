//! The details under the list: fields of the cursor row at the left, its bytes at the right.

use std::borrow::Cow;

use ratatui::{buffer::Buffer, layout::Rect, widgets::Widget};
use spytui_engine::present::{RowRole, clock::grouped};

use crate::{
    input::{Action, PaneAction, PaneId, PaneKeys},
    model::{
        Effect, Model,
        details::{DetailField, Details, changes, details, loss_at},
        list::ListEntry,
        panes::{Dock, Pane},
        screen::ScreenLayout,
    },
    term::{Role, cut_middle, end_marked, width, wrap},
    widget::{Look, Paint, TitleRule},
};

const ID: PaneId = PaneId("details");

const KEYS: PaneKeys =
    PaneKeys { id: ID, title: "details", tab: None, actions: &[TOGGLE, COPY], hints: &[], signs: "" };

const TOGGLE: PaneAction = PaneAction::new("details", "details on or off", "zoom");
const COPY: PaneAction = PaneAction::new("copy-details", "copy the details", "copy");

/// The details of the row under the cursor.
#[derive(Debug, Default)]
pub(super) struct DetailsPane {
    details: Option<Details>,
}

impl Pane for DetailsPane {
    fn keys(&self) -> &'static PaneKeys {
        &KEYS
    }

    fn is_of_all(&self) -> bool {
        true
    }

    fn dock(&self) -> Dock {
        Dock::Below
    }

    fn handle(&mut self, action: Action, model: &mut Model) {
        match action {
            Action::OfPane(_, TOGGLE) => model.panes.toggle_details(ScreenLayout::is_low(model.screen.size.1)),
            Action::OfPane(_, COPY) => copy(model),
            _ => {}
        }
    }

    fn forget_rows(&mut self) {
        self.details = None;
    }

    fn prepare(&mut self, model: &Model, _width: u16, _height: u16) {
        let Some(entry) = model.list.cursor_entry() else {
            self.details = None;
            return;
        };
        let rows = &model.list.rows;
        let names = changes(rows);
        let (first, row) = rows_of(model, entry);
        if self.details.as_ref().is_some_and(|d| d.row == row && d.changes == names) {
            return;
        }
        self.details = details(rows, row);
        // While following the newest rows, the cursor row changes with every frame.
        if let Some(shown) = self.details.as_mut().filter(|_| !model.list.page.follow || model.links.is_over()) {
            shown.add_links(rows);
        }
        let frame = (first < row).then(|| details(rows, first)).flatten();
        if let (Some(shown), Some(frame)) = (self.details.as_mut(), frame) {
            shown.add_frame(frame);
        }
    }

    fn lines_wanted(&self, model: &Model) -> Option<u16> {
        if !model.panes.details_large {
            return None;
        }
        let Some(details) = &self.details else { return Some(0) };
        u16::try_from(Sheet::new(details, model.screen.size.0).lines()).ok()
    }

    fn draw(&self, model: &Model, area: Rect, buffer: &mut Buffer) {
        draw(self.details.as_ref(), model.panes.details_large, &model.screen.look, area, buffer);
    }
}

/// The row of a line shown in the details, and an earlier one that may have bytes if that has none. For losses it is
/// the last row of the fold, which is the gap if there is one.
fn rows_of(model: &Model, entry: &ListEntry) -> (u64, u64) {
    match entry.line.role {
        RowRole::Loss => loss_at(&model.list.rows, model.list.page.cursor, (entry.first, entry.last)),
        _ if entry.folds_names() => (entry.first, entry.first),
        _ => (entry.last, entry.last),
    }
}

fn copy(model: &mut Model) {
    let Some(mut details) = details(&model.list.rows, model.list.page.cursor) else { return };
    details.add_links(&model.list.rows);
    let mut text = format!("{}\n", details.title);
    for f in details.fields.iter().chain(&details.links) {
        text.push_str(format!("{:<8} {:<12} {} {}", f.name, f.value, f.meaning, f.origin).trim_end());
        text.push('\n');
    }
    model.ask_for(Effect::Copy { what: "the details".to_owned(), text });
}

/// Maximum width of the value column before a meaning.
const VALUE: usize = 20;

/// `is_large` = in as many lines as the screen has.
fn draw(details: Option<&Details>, is_large: bool, look: &Look, area: Rect, buffer: &mut Buffer) {
    let Some(details) = details else {
        return TitleRule { title: "Details", right: "d hide", look }.render(area, buffer);
    };
    let inner = super::below_title(area);
    let sheet = Sheet::new(details, area.width);
    let right = hint(sheet.lines().saturating_sub(usize::from(inner.height)), is_large);
    // The hint is never shortened.
    let room = usize::from(area.width).saturating_sub(width(&right) + 7);
    let title = title_in(&details.title, room, look.glyphs.ellipsis());
    TitleRule { title: &title, right: &right, look }.render(area, buffer);
    let mut paint = Paint::new(buffer, look);
    let height = usize::from(inner.height);
    // Cause and effects are more important than the last fields, but their continuation lines are not.
    let whole = sheet.lines() <= height;
    let mut links: Vec<&FieldLine> = sheet.links.iter().filter(|line| whole || line.begins).collect();
    let above = height.saturating_sub(links.len()).min(sheet.above());
    draw_lines(&sheet.fields.iter().take(above).collect::<Vec<_>>(), (inner.x, inner.y), &mut paint);
    links.truncate(height - above);
    draw_lines(&links, (inner.x, inner.y + above as u16), &mut paint);
    let x = inner.right().saturating_sub(hex_width(details, area.width));
    for (bytes, y) in hex(&details.bytes, area.width).iter().take(above).zip(inner.y..) {
        paint.text(x, y, inner.right() - x, bytes, Role::Plain);
    }
}

/// A title cut to a width; its last words are dropped first.
fn title_in<'a>(title: &'a str, cells: usize, ellipsis: &str) -> Cow<'a, str> {
    if width(title) <= cells {
        return title.into();
    }
    let room = cells.saturating_sub(2 + width(ellipsis));
    let ends = title.match_indices("  ").map(|(at, _)| at).filter(|at| width(&title[..*at]) <= room);
    match ends.last() {
        Some(end) => format!("{}  {ellipsis}", &title[..end]).into(),
        None => end_marked(title, cells, ellipsis),
    }
}

/// The number of invisible lines with the key that shows them; otherwise the key that hides the pane.
fn hint(more: usize, is_large: bool) -> String {
    match more {
        0 => "d hide".to_owned(),
        // There is no room for more.
        more if is_large => format!("{} more: Y copies", grouped(more as u64)),
        more => format!("{} more: Enter", grouped(more as u64)),
    }
}

/// Draws lines one below the other. A line whose continuation is missing is marked.
fn draw_lines(lines: &[&FieldLine], (x, y): (u16, u16), paint: &mut Paint<'_>) {
    for ((i, line), y) in lines.iter().enumerate().zip(y..) {
        let is_cut = line.goes_on && lines.get(i + 1).is_none_or(|next| next.begins);
        line.draw(x, y, is_cut, paint);
    }
}

/// Bytes per line on a screen of this width.
fn hex_columns(width: u16) -> u16 {
    match width {
        140.. => 16,
        110.. => 12,
        56.. => 8,
        _ => 4,
    }
}

/// Width of the bytes: two digits and a blank for each, a blank, and its character.
fn hex_width(details: &Details, width: u16) -> u16 {
    if details.bytes.is_empty() { 0 } else { hex_columns(width) * 4 + 1 }
}

/// The bytes in lines of digits and ASCII characters.
fn hex(bytes: &[u8], width: u16) -> Vec<String> {
    let columns = usize::from(hex_columns(width));
    let line = |chunk: &[u8]| {
        let digits: String = chunk.iter().map(|b| format!("{b:02x} ")).collect();
        let character = |&b: &u8| if b.is_ascii_graphic() || b == b' ' { char::from(b) } else { '.' };
        let text: String = chunk.iter().map(character).collect();
        format!("{digits:<digits_width$} {text}", digits_width = columns * 3)
    };
    bytes.chunks(columns).map(line).collect()
}

/// The details laid out in lines for a screen of some width.
struct Sheet {
    fields: Vec<FieldLine>,
    /// Lines of the bytes, beside the fields.
    bytes: usize,
    /// Cause and effects, over the whole width.
    links: Vec<FieldLine>,
}

impl Sheet {
    fn new(details: &Details, width: u16) -> Sheet {
        let all = usize::from(width).saturating_sub(1);
        let beside_bytes = usize::from(width.saturating_sub(hex_width(details, width))).saturating_sub(1);
        let columns = FieldColumns::new(&details.fields, beside_bytes);
        let below = FieldColumns { value: columns.value, ..FieldColumns::new(&details.links, all) };
        Sheet {
            fields: details.fields.iter().flat_map(|field| columns.lines(field)).collect(),
            bytes: details.bytes.len().div_ceil(usize::from(hex_columns(width))),
            links: details.links.iter().flat_map(|link| below.lines(link)).collect(),
        }
    }

    /// Lines above those on cause and effects.
    fn above(&self) -> usize {
        self.fields.len().max(self.bytes)
    }

    fn lines(&self) -> usize {
        self.above() + self.links.len()
    }
}

struct FieldLine {
    begins: bool,
    goes_on: bool,
    cells: Vec<FieldCell>,
}

struct FieldCell {
    from: usize,
    to: usize,
    text: String,
    role: Role,
    /// A name, which may be shortened in the middle.
    is_name: bool,
}

impl FieldLine {
    /// `is_cut` = its continuation is not shown.
    fn draw(&self, x: u16, y: u16, is_cut: bool, paint: &mut Paint<'_>) {
        for (i, cell) in self.cells.iter().enumerate() {
            let room = cell.to.saturating_sub(cell.from);
            let ellipsis = paint.glyphs().ellipsis();
            let text: Cow<'_, str> = if cell.is_name {
                cut_middle(&cell.text, room, ellipsis)
            } else if is_cut && i + 1 == self.cells.len() {
                format!("{} {ellipsis}", cell.text).into()
            } else {
                cell.text.as_str().into()
            };
            paint.text(x + cell.from as u16, y, room as u16, &text, cell.role);
        }
    }
}

/// Start of the columns, by the width of their contents.
struct FieldColumns {
    value: usize,
    meaning: usize,
    origin: usize,
    end: usize,
    short: bool,
}

impl FieldColumns {
    fn new(fields: &[DetailField], end: usize) -> FieldColumns {
        let widest = |text: fn(&DetailField) -> &str| fields.iter().map(|f| width(text(f))).max().unwrap_or(0);
        let name = widest(|f| &f.name).clamp(4, 12);
        let values = fields.iter().filter(|f| !f.meaning.is_empty()).map(|f| width(&f.value)).max();
        let value = 1 + name + 2;
        let meaning = value + values.unwrap_or(0).min(VALUE) + 2;
        let origin = meaning + widest(|f| &f.meaning) + 2;
        let short = origin + widest(|f| &f.origin) > end;
        let shown = fields.iter().map(|f| width(origin_of(f, short))).max().unwrap_or(0);
        let origin = origin.min(end.saturating_sub(shown));
        FieldColumns { value, meaning, origin: origin.max(meaning + 2), end, short }
    }

    /// The lines of a field; without meaning or origin, its other columns get their room. The last column is wrapped.
    fn lines(&self, field: &DetailField) -> Vec<FieldLine> {
        let cell = |from: usize, to: usize, text: &str, role: Role, is_name: bool| FieldCell {
            from,
            to,
            text: text.to_owned(),
            role,
            is_name,
        };
        let name = cell(1, self.value - 1, &field.name, Role::Help, true);
        let value = cell(self.value, self.meaning - 1, &field.value, Role::Plain, true);
        let role = field.role;
        let (mut cells, from, text, role) = if field.meaning.is_empty() {
            (vec![name], self.value, field.value.as_str(), Role::Plain)
        } else if field.origin.is_empty() {
            (vec![name, value], self.meaning, field.meaning.as_str(), role)
        } else {
            let meaning = cell(self.meaning, self.origin - 1, &field.meaning, role, true);
            (vec![name, value, meaning], self.origin, origin_of(field, self.short), Role::Help)
        };
        let mut texts = wrap(text, self.end.saturating_sub(from).max(1)).into_iter();
        cells.push(cell(from, self.end, texts.next().unwrap_or_default(), role, false));
        let mut lines = vec![FieldLine { begins: true, goes_on: false, cells }];
        for text in texts {
            lines.iter_mut().for_each(|line| line.goes_on = true);
            lines.push(FieldLine {
                begins: false,
                goes_on: false,
                cells: vec![cell(from, self.end, text, role, false)],
            });
        }
        lines
    }
}

/// The origin of a name; the short form omits the position.
fn origin_of(field: &DetailField, short: bool) -> &str {
    if short { field.origin.split(" @").next().unwrap_or_default() } else { &field.origin }
}
