//! The values of the row under the cursor as bars.

use ratatui::layout::Rect;
use spytui_engine::{
    analysis::{
        histogram::Bin,
        statistics::{StatisticsRow, StatisticsTable, Unit},
    },
    present::clock::grouped,
};

use crate::{
    term::{Role, width},
    widget::Paint,
};

/// Draws the intervals as lines: ends, bar, count.
pub(super) fn draw(table: &StatisticsTable, row: &StatisticsRow, bins: &[Bin], area: Rect, paint: &mut Paint<'_>) {
    let labels = labels(table.unit, bins);
    let left = labels.iter().map(|label| width(label)).max().unwrap_or(0);
    let most = bins.iter().map(|bin| bin.count).max().unwrap_or(0).max(1);
    let counts = width(&grouped(most));
    let room = usize::from(area.width).saturating_sub(left + counts + 6);
    let names = if row.names.is_empty() { "all".to_owned() } else { row.names.join(" ") };
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

/// The ends of the intervals; in full where two of them have the same short form.
fn labels(unit: Unit, bins: &[Bin]) -> Vec<String> {
    let label = |bin: &Bin, text: &dyn Fn(u64) -> String| match (text(bin.from), text(bin.to)) {
        (from, to) if bin.from == bin.to || from == to => from,
        (from, to) => format!("{from} – {to}"),
    };
    let short: Vec<String> = bins.iter().map(|bin| label(bin, &|value| unit.text(value))).collect();
    let is_unclear = bins.windows(2).any(|pair| unit.text(pair[0].to) == unit.text(pair[1].to));
    let in_full = |value: u64| if unit == Unit::Ns { format!("{} ns", grouped(value)) } else { grouped(value) };
    if is_unclear { bins.iter().map(|bin| label(bin, &in_full)).collect() } else { short }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_intervals_have_different_labels() {
        let bin = |from, to| Bin { from, to, count: 1 };
        assert_eq!(labels(Unit::Ns, &[bin(0, 999), bin(1000, 1999)]), ["0ns – 999ns", "1.00us – 1.99us"]);
        let close = [bin(1_993_000_001, 1_993_000_001), bin(1_993_000_002, 1_993_000_009)];
        assert_eq!(labels(Unit::Ns, &close), ["1 993 000 001 ns", "1 993 000 002 ns – 1 993 000 009 ns"]);
        assert_eq!(labels(Unit::Elements, &[bin(3, 3)]), ["3"]);
    }
}
