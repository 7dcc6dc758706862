//! Why a finding matters, what to do, and the rows that show it.

use ratatui::layout::Rect;
use spytui_engine::analysis::findings::Finding;

use super::evidence::EvidenceLine;
use crate::{
    term::{Role, width, wrap},
    widget::Paint,
};

/// Lines that they take, with a blank one.
pub(super) fn lines(finding: &Finding, width: u16, height: u16) -> u16 {
    let wanted = 1 + about(finding, width).len() + finding.evidence.len();
    // Three findings stay, or half of the pane.
    let most = usize::from(height).saturating_sub(3).max(usize::from(height) / 2);
    if wanted > most { 0 } else { wanted as u16 }
}

/// Why a finding matters and what to do, in lines.
fn about(finding: &Finding, width: u16) -> Vec<(String, Role)> {
    let room = usize::from(width).saturating_sub(2).max(20);
    let mut lines = Vec::new();
    let texts = [
        (finding.headline(), Role::Title),
        (finding.why().to_owned(), Role::Plain),
        (finding.next().to_owned(), Role::Help),
    ];
    for (text, role) in texts {
        lines.extend(wrap(&text, room).into_iter().map(|line| (line.to_owned(), role)));
    }
    lines
}

/// Draws them below a blank line; `step`: the row that was gone to last.
pub(super) fn draw(
    finding: &Finding,
    (evidence, step): (&[EvidenceLine], Option<usize>),
    area: Rect,
    paint: &mut Paint<'_>,
) {
    let mut rows = area.y + 1..area.bottom();
    for ((line, role), y) in about(finding, area.width).into_iter().zip(&mut rows) {
        paint.text(area.x + 1, y, area.width.saturating_sub(1), &line, role);
    }
    let widest = |part: fn(&EvidenceLine) -> &str| evidence.iter().map(|line| width(part(line))).max().unwrap_or(0);
    let (number, time) = (widest(|line| &line.number), widest(|line| &line.time));
    for ((at, line), y) in evidence.iter().enumerate().zip(rows) {
        let mark = if step == Some(at) { ">" } else { " " };
        let parts = [
            (format!("{mark}{:<6} ", line.word), Role::Help),
            (format!("{:>number$}  ", line.number), Role::Plain),
            (format!("{:>time$}  ", line.time), Role::Time),
            (line.text.clone(), Role::Signal),
        ];
        paint.spans(area.x, y, area.width, parts.iter().map(|(text, role)| (text.as_str(), *role)));
    }
}
