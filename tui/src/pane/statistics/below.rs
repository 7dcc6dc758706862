//! The lines below the table: remarks on the figures, and the values of the row under the cursor as bars.

use ratatui::layout::Rect;
use spytui_engine::{
    analysis::{
        distribution::Bin,
        statistics::{FigureUnit, StatisticsRow, StatisticsTable, tally::number_of_key},
    },
    device::switches::Masked,
    export::statistics::histogram,
    present::clock::grouped,
    trace::list::{StatisticsWalk, Walking},
};

use super::ShownStatistics;
use crate::{
    model::links::WayBack,
    pane::live::Below,
    term::{Role, width, wrap},
    widget::Paint,
};

/// Pane heights from which on values are shown as bars, and the number of bar lines.
const BARS: [(u16, u16); 2] = [(30, 12), (16, 7)];

impl ShownStatistics {
    /// Number of bar lines in a pane of this height.
    pub(super) fn bars(&self, height: u16) -> u16 {
        let is_wanted = !self.without_bars && !self.rows().is_empty();
        BARS.iter().find(|(from, _)| height >= *from && is_wanted).map_or(0, |(_, lines)| *lines)
    }

    /// Remarks on losses, masked records, and ticks, in at most half of the lines that the bars leave.
    pub(super) fn notes(&self, about: &Below<'_, StatisticsWalk>) -> Vec<String> {
        let Below { walk, model, size: (width, height), .. } = *about;
        let mut notes: Vec<String> = self.table.iter().flat_map(|table| table.notes.clone()).collect();
        let source = model.links.addressed();
        let is_two_way = source.status.way_back != WayBack::Never;
        if let Masked::Off(words) = Masked::of(source.decoding(), &source.status.target, is_two_way) {
            notes.push(format!("the target does not send {}", words.join(" ")));
        }
        if walk.missed > 0 {
            notes.push(format!("without the first {} rows, whose bytes are not kept", grouped(walk.missed)));
        }
        if let Some(failure) = walk.failure().filter(|_| !self.rows().is_empty()) {
            notes.push(format!("stopped here: {failure}"));
        }
        let room = usize::from(width.saturating_sub(2)).max(1);
        let most = height.saturating_sub(self.bars(height) + 1) / 2;
        notes.iter().flat_map(|note| wrap(note, room)).map(str::to_owned).take(most.into()).collect()
    }
}

/// Draws remarks on the figures, and the values of the row under the cursor.
pub(super) fn draw(shown: &ShownStatistics, about: &Below<'_, StatisticsWalk>, area: Rect, paint: &mut Paint<'_>) {
    let notes = shown.notes(about);
    for (line, y) in notes.iter().zip(area.y..area.bottom()) {
        paint.text(area.x + 1, y, area.width.saturating_sub(2), line, Role::Warning);
    }
    let Some(table) = &shown.table else { return };
    let height = area.height.saturating_sub(notes.len() as u16);
    if let Some(row) = table.rows.get(about.line).filter(|_| height > 1) {
        let bins = histogram(&about.walk.clock(&about.model.list.rows), table, row, usize::from(height - 1));
        draw_bars(table, row, &bins, Rect { y: area.bottom() - height, height, ..area }, paint);
    }
}

/// Draws the bins as lines: ends, bar, count.
fn draw_bars(table: &StatisticsTable, row: &StatisticsRow, bins: &[Bin], area: Rect, paint: &mut Paint<'_>) {
    let labels = labels(table.unit, bins);
    let left = labels.iter().map(|label| width(label)).max().unwrap_or(0);
    let most = bins.iter().map(|bin| bin.count).max().unwrap_or(0).max(1);
    let counts = width(&grouped(most));
    let room = usize::from(area.width).saturating_sub(left + counts + 6);
    let names = if row.names.is_empty() { "all".to_owned() } else { table.by.words(&row.names) };
    let values = if row.count == 1 { "value" } else { "values" };
    let title = format!("{names}: {} {values}", grouped(row.count));
    paint.text(area.x + 1, area.y, area.width.saturating_sub(2), &title, Role::Help);
    for ((bin, label), y) in bins.iter().zip(labels).zip(area.y + 1..area.bottom()) {
        let cells = (u128::from(bin.count) * room as u128).div_ceil(u128::from(most)) as usize;
        let count = grouped(bin.count);
        let parts = [
            (format!(" {label:>left$}  "), Role::Plain),
            (format!("{count:>counts$} "), Role::Number),
            ("█".repeat(cells), Role::Bar),
        ];
        paint.spans(area.x, y, area.width, parts.iter().map(|(text, role)| (text.as_str(), *role)));
    }
}

/// The ends of the bins; in full if two of them have the same short form.
fn labels(unit: FigureUnit, bins: &[Bin]) -> Vec<String> {
    let label = |bin: &Bin, text: &dyn Fn(u64) -> String| match (text(bin.from), text(bin.to)) {
        (from, to) if bin.from == bin.to || from == to => from,
        (from, to) => format!("{from} – {to}"),
    };
    let short: Vec<String> = bins.iter().map(|bin| label(bin, &|value| unit.text(value))).collect();
    let is_unclear = bins.windows(2).any(|pair| unit.text(pair[0].to) == unit.text(pair[1].to));
    let in_full = |value: u64| match unit {
        FigureUnit::Ns => format!("{} ns", grouped(value)),
        FigureUnit::Numbers => number_of_key(value).to_string(),
        _ => grouped(value),
    };
    if is_unclear { bins.iter().map(|bin| label(bin, &in_full)).collect() } else { short }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_intervals_have_different_labels() {
        let bin = |from, to| Bin { from, to, count: 1 };
        assert_eq!(labels(FigureUnit::Ns, &[bin(0, 999), bin(1000, 1999)]), ["0ns – 999ns", "1.00us – 1.99us"]);
        let close = [bin(1_993_000_001, 1_993_000_001), bin(1_993_000_002, 1_993_000_009)];
        assert_eq!(labels(FigureUnit::Ns, &close), ["1 993 000 001 ns", "1 993 000 002 ns – 1 993 000 009 ns"]);
        assert_eq!(labels(FigureUnit::Elements, &[bin(3, 3)]), ["3"]);
    }
}
