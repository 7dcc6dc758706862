//! The table and what is said of it.

use ratatui::{
    buffer::Buffer,
    layout::{Constraint, Layout, Rect},
    text::Line,
    widgets::{Cell, Row, Table, Widget},
};
use spytui_engine::{
    analysis::statistics::{Column, Figure, Measure, Sort, StatisticsRow, StatisticsTable, Unit, measure::Quantity},
    device::filter_state::Masked,
    export::statistics::histogram,
    present::clock::grouped,
};

use super::super::{pace::percent_read, table::highlight};
use super::{
    ID, StatisticsPane,
    cells::{self, Cells},
    distribution,
};
use crate::{
    model::{Model, line_search, links::WayBack},
    term::{Role, cut_middle, wrap},
    widget::{Look, Paint, Rule},
};

/// Lines above the rows of the table.
pub(super) const HEADING: u16 = 1;
/// From how many lines on the values are shown as bars, and how many lines they take.
const BARS: [(u16, u16); 2] = [(30, 12), (16, 7)];

/// Where what is drawn.
pub(super) struct Parts {
    table: Rect,
    /// The rows of the table.
    pub(super) lines: Rect,
    notes: Rect,
    bars: Rect,
}

/// The parts of the pane below its title.
pub(super) fn parts(pane: &StatisticsPane, model: &Model, area: Rect) -> Parts {
    let is_wanted = !pane.without_bars && !pane.rows().is_empty();
    let bars = BARS.iter().find(|(from, _)| area.height >= *from && is_wanted).map_or(0, |(_, lines)| *lines);
    let room = area.height.saturating_sub(bars + HEADING);
    let notes = (notes(pane, model, area.width).len() as u16).min(room / 2);
    let [table, notes, bars] =
        Layout::vertical([Constraint::Fill(1), Constraint::Length(notes), Constraint::Length(bars)]).areas(area);
    let heading = HEADING.min(table.height);
    let lines = Rect { y: table.y + heading, height: table.height - heading, ..table };
    Parts { table, lines, notes, bars }
}

pub(super) fn draw(pane: &StatisticsPane, model: &Model, area: Rect, buffer: &mut Buffer) {
    let look = &model.screen.look;
    title(pane, model, area, buffer);
    let parts = parts(pane, model, super::super::below_title(area));
    let Some(table) = &pane.table else { return };
    draw_table(pane, model, table, &parts, buffer);
    let mut paint = Paint::new(buffer, look);
    for (line, y) in notes(pane, model, area.width).iter().zip(parts.notes.y..parts.notes.bottom()) {
        paint.text(area.x + 1, y, area.width.saturating_sub(2), line, Role::Warning);
    }
    if let Some(row) = table.rows.get(pane.cursor.at).filter(|_| parts.bars.height > 1)
        && let Some(walk) = &pane.walk
    {
        let most = usize::from(parts.bars.height - 1);
        let bins = histogram(&walk.clock(&model.list.rows), table, row, most);
        distribution::draw(table, row, &bins, parts.bars, &mut paint);
    }
    highlight(model, ID, parts.lines, &mut paint);
    if model.panes.front() == ID {
        pane.cursor.draw(parts.lines, &mut paint);
    }
}

fn draw_table(pane: &StatisticsPane, model: &Model, table: &StatisticsTable, parts: &Parts, buffer: &mut Buffer) {
    let look = &model.screen.look;
    if table.rows.is_empty() {
        let mut paint = Paint::new(buffer, look);
        let room = parts.table.width.saturating_sub(2);
        for (line, y) in wrap(&why_empty(pane, model), room.into()).into_iter().zip(parts.table.y..parts.table.bottom())
        {
            paint.text(parts.table.x + 1, y, room, line, Role::Help);
        }
        return;
    }
    let several = model.list.rows.sources() > 1;
    // The first column stays free for the cursor.
    let inner = Rect { x: parts.table.x + 1, width: parts.table.width.saturating_sub(1), ..parts.table };
    let drawing = Drawing { look, table, cells: Cells::of(table, inner.width.into(), several), several };
    let shown = table.rows.iter().skip(pane.cursor.top).take(parts.lines.height.into());
    let rows = Table::new(shown.map(|row| drawing.row(row)), drawing.constraints()).column_spacing(1);
    Widget::render(rows.header(drawing.heading(pane)), inner, buffer);
}

/// What the pane says where it has no rows.
fn why_empty(pane: &StatisticsPane, model: &Model) -> String {
    let rows = &model.list.rows;
    match &pane.walk {
        Some(walk) if walk.failure().is_some() => {
            format!("the records can't be read again: {}", walk.failure().unwrap_or_default())
        }
        Some(walk) if walk.walked() < rows.len() => {
            format!("reading the records: {} %", walk.walked() * 100 / rows.len().max(1))
        }
        _ if rows.is_empty() => "no records yet".to_owned(),
        _ => pane.measure().needs().to_owned(),
    }
}

/// What is to be known of the figures: what was lost, is masked, or is not in seconds.
fn notes(pane: &StatisticsPane, model: &Model, width: u16) -> Vec<String> {
    let mut notes: Vec<String> = pane.table.iter().flat_map(|table| table.notes.clone()).collect();
    let source = model.links.first();
    let is_two_way = source.status.way_back != WayBack::Never;
    if let Masked::Off(words) = Masked::of(source.decoding(), &source.status.target, is_two_way) {
        notes.push(format!("the target does not send {}", words.join(" ")));
    }
    if let Some(walk) = &pane.walk {
        if walk.missed() > 0 {
            notes.push(format!("without the first {} rows, whose bytes are not kept", grouped(walk.missed())));
        }
        if let Some(failure) = walk.failure().filter(|_| !pane.rows().is_empty()) {
            notes.push(format!("no further: {failure}"));
        }
    }
    let room = usize::from(width.saturating_sub(2)).max(1);
    notes.iter().flat_map(|note| wrap(note, room).into_iter().map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// `Statistics · latency, post to dispatch, ticks · by object, signal · max`
fn title(pane: &StatisticsPane, model: &Model, area: Rect, buffer: &mut Buffer) {
    let look = &model.screen.look;
    let measure = pane.measure();
    let asked = pane.asked(measure);
    let unit = pane.table.as_ref().filter(|table| table.unit == Unit::Ticks).map_or("", |_| ", ticks");
    let searched = line_search::title(model, ID);
    let name = if area.width < 70 || measure.quantity() != Quantity::Time && area.width < 90 {
        measure.word().to_owned()
    } else {
        format!("{}: {}", measure.word(), measure.title())
    };
    let by = if area.width < 60 || area.width < 100 && !searched.is_empty() {
        String::new()
    } else {
        format!(" · by {}", asked.by.text())
    };
    let place = line_search::percent(pane.cursor.at, pane.rows().len(), usize::from(area.height));
    let title = format!("Statistics · {name}{unit}{by}{searched}{place}");
    let measures = pane.measures();
    let number = measures.iter().position(|own| *own == measure).unwrap_or(0) + 1;
    let percent = pane.walk.as_ref().and_then(|walk| percent_read(model, walk.walked()));
    let reading = percent.map_or_else(String::new, |percent| format!("{percent} % read · "));
    let right = format!("{reading}{number} of {}", measures.len());
    Rule { title: &title, right: &right, look }.render(area, buffer);
}

/// Makes rows of cells.
struct Drawing<'a> {
    look: &'a Look,
    table: &'a StatisticsTable,
    cells: Cells,
    several: bool,
}

impl Drawing<'_> {
    fn constraints(&self) -> Vec<Constraint> {
        let names = self.cells.names.iter();
        let widths = names.copied().chain(self.cells.figures.iter().map(|figure| figure.1));
        widths.map(|width| Constraint::Length(width as u16)).collect()
    }

    /// The column by which rows are sorted stands out.
    fn heading(&self, pane: &StatisticsPane) -> Row<'static> {
        let measure = self.table.measure;
        let sort = pane.asked(measure).sort;
        let role = |own: Sort| if own == sort { Role::Title } else { Role::Help };
        let names = self.table.by.iter().zip(&self.cells.names).map(|(column, width)| {
            let text = cut_middle(column.word(), *width, self.look.glyphs.ellipsis());
            Cell::new(self.look.span(&text, role(Sort::Name(column))))
        });
        let figures = self.cells.figures.iter().map(|(figure, _)| {
            let span = self.look.span(figure.heading(measure), role(Sort::Figure(*figure)));
            Cell::new(Line::from(span).right_aligned())
        });
        Row::new(names.chain(figures).collect::<Vec<_>>())
    }

    fn row(&self, row: &StatisticsRow) -> Row<'static> {
        let names = self.table.by.iter().zip(&row.names).zip(&self.cells.names).map(|((column, name), width)| {
            let text = cut_middle(name, *width, self.look.glyphs.ellipsis());
            Cell::new(self.look.span(&text, role_of(column)))
        });
        let figures = self.cells.figures.iter().map(|(figure, _)| {
            let text = cells::text(self.table, row, *figure, self.several);
            let span = self.look.span(&text, figure_role(*figure, self.table.measure));
            Cell::new(Line::from(span).right_aligned())
        });
        Row::new(names.chain(figures).collect::<Vec<_>>())
    }
}

fn role_of(column: Column) -> Role {
    match column {
        Column::Kind => Role::Kind,
        Column::Group => Role::Group,
        Column::Object => Role::Object,
        Column::Signal => Role::Signal,
        Column::Core => Role::Plain,
    }
}

/// The figure to look at, and the record with it, stand out.
fn figure_role(figure: Figure, measure: Measure) -> Role {
    let is_extreme = figure == if measure.is_low_worse() { Figure::Min } else { Figure::Max };
    match figure {
        Figure::At => Role::Time,
        _ if is_extreme => Role::Number,
        _ => Role::Plain,
    }
}
