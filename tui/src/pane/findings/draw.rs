//! The findings, one a line, and below them why the one under the cursor matters, what to do, and the rows that show it.

use ratatui::{buffer::Buffer, layout::Rect, widgets::Widget};
use spytui_engine::{
    analysis::findings::Finding,
    export::findings::severity_word,
    present::clock::{grouped, short_count},
};
use spytui_plugin_api::Severity;

use super::super::{pace::percent_read, table::highlight};
use super::{FindingsPane, ID};
use crate::{
    model::{Model, line_search, loss_words::units},
    term::{Glyphs, Role, cut_middle, end_marked, width, wrap},
    widget::{Paint, Rule},
};

/// Cells of the severity, the count, and the number of a row.
const SEVERITY: usize = 7;
const COUNT: usize = 7;
/// Cells of the title and the object: the most, and the fewest.
const TITLE: (usize, usize) = (28, 12);
const OBJECT: (usize, usize) = (20, 8);
/// From this width of the pane on there are details in the lines.
const DETAILED: u16 = 72;

/// Lines below the findings.
pub(super) fn below(pane: &FindingsPane, width: u16, height: u16) -> u16 {
    let wanted = pane.here().map_or(0, |finding| 1 + about(finding, width).len() + finding.evidence.len());
    // Three findings stay, or half of the pane.
    let most = usize::from(height).saturating_sub(3).max(usize::from(height) / 2);
    if wanted > most { 0 } else { wanted as u16 }
}

pub(super) fn draw(pane: &FindingsPane, model: &Model, area: Rect, buffer: &mut Buffer) {
    let look = &model.screen.look;
    title(pane, model, area, buffer);
    let area = super::super::below_title(area);
    let mut paint = Paint::new(buffer, look);
    if pane.findings.list.is_empty() {
        return empty(pane, model, area, &mut paint);
    }
    let below = below(pane, area.width, area.height).min(area.height);
    let lines = Rect { height: area.height - below, ..area };
    let columns = Columns::of(&pane.findings.list, area.width);
    for (finding, y) in pane.findings.list.iter().skip(pane.cursor.top).zip(lines.y..lines.bottom()) {
        let parts = columns.line(finding, look.glyphs);
        paint.spans(
            area.x + 1,
            y,
            area.width.saturating_sub(1),
            parts.iter().map(|(text, role)| (text.as_str(), *role)),
        );
    }
    highlight(model, ID, lines, &mut paint);
    if model.panes.front() == ID {
        pane.cursor.draw(lines, &mut paint);
    }
    if below > 0 {
        details(pane, Rect { y: lines.bottom() + 1, height: below - 1, ..area }, &mut paint);
    }
}

/// What the pane says where nothing was found.
fn empty(pane: &FindingsPane, model: &Model, area: Rect, paint: &mut Paint<'_>) {
    let walked = pane.walk.as_ref().map_or(0, |walk| walk.walked());
    let text = match pane.walk.as_ref().and_then(|walk| walk.failure()) {
        Some(failure) => format!("what is in the rows can't be found: {failure}"),
        None if model.list.rows.is_empty() => "no records yet".to_owned(),
        None if walked < model.list.rows.len() => "nothing found so far".to_owned(),
        None => "nothing found".to_owned(),
    };
    let room = usize::from(area.width.saturating_sub(2));
    let scope = pane.findings.scope();
    let parts = std::iter::once(text.as_str()).chain(scope.lines().filter(|_| walked > 0));
    let lines = parts.flat_map(|part| wrap(part, room));
    for (line, y) in lines.zip(area.y..area.bottom()) {
        paint.text(area.x + 1, y, room as u16, line, Role::Help);
    }
}

fn title(pane: &FindingsPane, model: &Model, area: Rect, buffer: &mut Buffer) {
    let of = |severity| pane.findings.list.iter().filter(move |finding| finding.severity() == severity);
    let count = |severity| of(severity).map(|finding| finding.more.max(1)).sum::<u64>();
    let severities = [(Severity::ERROR, "error"), (Severity::WARNING, "warning"), (Severity::INFO, "note")];
    let counts = severities.map(|(severity, word)| (count(severity), word));
    let counts: Vec<String> = counts.into_iter().filter(|(n, _)| *n > 0).map(|(n, word)| units(n, word)).collect();
    let counts = if counts.is_empty() { String::new() } else { format!(" · {}", counts.join(", ")) };
    let place = line_search::percent(pane.cursor.at, pane.findings.list.len(), usize::from(area.height));
    let title = format!("Findings{counts}{}{place}", line_search::title(model, ID));
    Rule { title: &title, right: &reach(pane, model), look: &model.screen.look }.render(area, buffer);
}

/// How far rows were looked at: `all 2 360 rows`, `45 % of the rows`; while more come, `2 360 rows`.
fn reach(pane: &FindingsPane, model: &Model) -> String {
    let (rows, walk) = (model.list.rows.len(), pane.walk.as_ref());
    let walked = walk.map_or(0, |walk| walk.walked());
    match walk.and_then(|walk| walk.failure()) {
        Some(_) => format!("up to row {}", grouped(walked)),
        None if rows == 0 => String::new(),
        None if walked >= rows && model.links.is_over() => format!("all {}", units(rows, "row")),
        None => percent_read(model, walked)
            .map_or_else(|| units(walked, "row"), |percent| format!("{percent} % of the rows")),
    }
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

fn details(pane: &FindingsPane, area: Rect, paint: &mut Paint<'_>) {
    let Some(finding) = pane.here() else { return };
    let mut y = area.y;
    let room = area.width.saturating_sub(1);
    for (line, role) in about(finding, area.width).into_iter().take(usize::from(area.height)) {
        paint.text(area.x + 1, y, room, &line, role);
        y += 1;
    }
    let widest = |part: fn(&super::EvidenceLine) -> &str| pane.evidence.iter().map(|line| width(part(line))).max();
    let (number, time) = (widest(|line| &line.number).unwrap_or(0), widest(|line| &line.time).unwrap_or(0));
    for (at, line) in pane.evidence.iter().enumerate().take_while(|(at, _)| y + (*at as u16) < area.bottom()) {
        let mark = if pane.step == Some(at) { ">" } else { " " };
        let parts = [
            (format!("{mark}{:<6} ", line.word), Role::Help),
            (format!("{:>number$}  ", line.number), Role::Plain),
            (format!("{:>time$}  ", line.time), Role::Time),
            (line.text.clone(), Role::Signal),
        ];
        paint.spans(area.x, y + at as u16, area.width, parts.iter().map(|(text, role)| (text.as_str(), *role)));
    }
}

/// Widths of the columns.
struct Columns {
    title: usize,
    object: usize,
    detail: usize,
}

impl Columns {
    fn of(list: &[Finding], room: u16) -> Columns {
        let widest = |part: &dyn Fn(&Finding) -> usize| list.iter().map(part).max().unwrap_or(0);
        let (title, object) =
            (widest(&|finding| width(finding.rule.title())), widest(&|finding| width(&finding.object)));
        let fixed = 1 + SEVERITY + 1 + 1 + 1 + COUNT;
        let spare = usize::from(room).saturating_sub(fixed);
        let object = object.min(OBJECT.0).min((spare / 3).max(OBJECT.1));
        let title = title.min(TITLE.0).min(spare.saturating_sub(object).max(TITLE.1));
        let detail = if room >= DETAILED { spare.saturating_sub(title + object + 1) } else { 0 };
        Columns { title, object, detail }
    }

    /// `error   no room       AO(l_motor)           14`
    fn line(&self, finding: &Finding, glyphs: Glyphs) -> Vec<(String, Role)> {
        let ellipsis = glyphs.ellipsis();
        let (severity, role) = (severity_word(finding.severity()), role(finding.severity()));
        let title = end_marked(finding.rule.title(), self.title, ellipsis);
        let object = cut_middle(&finding.object, self.object, ellipsis);
        let pad = |text: &str, cells: usize| format!("{text}{}", " ".repeat(cells.saturating_sub(width(text))));
        let mut parts = vec![(pad(severity, SEVERITY + 1), role), (pad(&title, self.title + 1), Role::Kind)];
        let rest = if self.detail > 0 { self.object + 1 + self.detail } else { self.object };
        let detail = if finding.more > 0 { rest } else { self.detail };
        if finding.more == 0 {
            parts.push((pad(&object, self.object + 1), Role::Object));
        }
        if detail > 0 {
            parts.push((pad(&end_marked(&finding.detail, detail, ellipsis), detail + 1), Role::Plain));
        }
        parts.push((format!("{:>COUNT$}", count(finding.count)), Role::Plain));
        parts
    }
}

fn role(severity: Severity) -> Role {
    match severity {
        Severity::ERROR => Role::Error,
        Severity::WARNING => Role::Warning,
        _ => Role::Help,
    }
}

/// In at most six cells.
fn count(n: u64) -> String {
    if n < 100_000 { grouped(n) } else { short_count(n) }
}
