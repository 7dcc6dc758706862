//! The pane of issues, in code findings: what an expert would spot in the rows, with the rows that show it.

use ratatui::layout::Rect;
use spytui_engine::{
    analysis::{
        Key,
        findings::{Finding, Findings, Rule},
    },
    export::findings::{severity_word, table},
    present::{clock::grouped, words::counted},
    store::View,
    trace::list::{
        Direction, FindingWalk, Occurrences, RenderRequest, RowList, RowRenderer, Walking, row_list::number_text,
    },
};
use spytui_plugin_api::{Severity, render::Want};

use super::{
    live::{Below, Live, LivePane, percent_read},
    table::{Body, TableCursor},
};
use crate::{
    input::{Action, Hint, PaneAction, PaneId, PaneKeys, RECORDS},
    model::{Model, incident, jump, panes::ActionOffer},
    term::{Role, width, wrap},
    widget::Paint,
};

const ID: PaneId = PaneId("findings");

const KEYS: PaneKeys = PaneKeys {
    id: ID,
    title: "issues",
    tab: Some("Iss"),
    actions: &[NEXT, PREVIOUS],
    hints: &[
        Hint(&[Action::Open], "to the row that shows it"),
        Hint(&[Action::OfPane(ID, NEXT), Action::OfPane(ID, PREVIOUS)], "next, previous"),
        Hint(&[Action::Search], "find"),
    ],
    signs: ">: the row visited last; 4/5: elements in use of the size",
};

const NEXT: PaneAction = PaneAction::new("evidence-next", "the next row that shows it", "object-previous");
const PREVIOUS: PaneAction = PaneAction::new("evidence-previous", "the previous one", "object-previous");

/// Identifies a finding, which stays under the cursor when others appear.
type Which = (Rule, Option<Key>, Option<Key>, String);

pub(super) type FindingsPane = LivePane<ShownFindings>;

#[derive(Debug, Default)]
pub(super) struct ShownFindings {
    findings: Findings,
    /// The row of a finding visited last.
    step: Option<(Finding, u64)>,
    /// Looks for the next or previous row of that finding.
    seeking: Option<Direction>,
    /// The rows of that finding.
    occurrences: Option<Occurrences>,
    /// The list was visible with it when it was last in front.
    has_list: bool,
    /// The rows that show the finding under the cursor.
    evidence: Vec<EvidenceLine>,
}

impl Live for ShownFindings {
    type Walk = FindingWalk;
    type Subject = Which;
    /// Whether names are short.
    type Asked = bool;

    const KEYS: &'static PaneKeys = &KEYS;
    const HAS_HEADING: bool = false;

    fn len(&self) -> usize {
        self.findings.list.len()
    }

    fn subject(&self, line: usize) -> Option<Which> {
        self.findings.list.get(line).map(which)
    }

    fn line_texts(&self, _model: &Model) -> Vec<String> {
        self.findings.list.iter().map(Finding::headline).collect()
    }

    fn asked(&self, _walk: &FindingWalk, model: &Model) -> bool {
        model.list.page.short
    }

    fn make(&mut self, walk: &mut FindingWalk, model: &Model, _cursor: &mut TableCursor) {
        self.findings = walk.findings(&model.list.rows, model.list.page.short);
    }

    fn forget(&mut self) {
        self.findings = Findings::default();
        self.evidence.clear();
        (self.step, self.seeking, self.occurrences) = (None, None, None);
    }

    fn act(&mut self, action: Action, line: usize, _walk: &mut FindingWalk, model: &mut Model) {
        match action {
            Action::OfPane(_, NEXT) => self.turn(line, model, Direction::Forward),
            Action::OfPane(_, PREVIOUS) => self.turn(line, model, Direction::Backward),
            _ => self.open(line, model),
        }
    }

    fn seek(&mut self, model: &mut Model) -> bool {
        let (Some(direction), Some((finding, from))) = (self.seeking.take(), self.step.clone()) else { return false };
        let rows = &model.list.rows;
        let occurrences = self.occurrences.get_or_insert_with(|| Occurrences::new(rows, finding.clone()));
        match occurrences.seek(rows, from, direction) {
            None => self.seeking = Some(direction),
            Some(Some((number, at))) => self.visit(&finding, number, at.row, model),
            Some(None) => self.visit_end(&finding, direction, model),
        }
        self.seeking.is_some()
    }

    fn prepare(&mut self, cursor: &TableCursor, _lines: usize, model: &Model) {
        if model.panes.front() == ID {
            self.has_list = !model.screen.layout.list_area.is_empty();
        }
        let here = self.findings.list.get(cursor.at);
        self.evidence = here.map_or_else(Vec::new, |finding| evidence_lines(&model.list.rows, finding));
    }

    fn body(&self, _model: &Model, _width: u16) -> Body {
        let list = &self.findings.list;
        let roles = [Role::Plain, Role::Kind, Role::Object, Role::Plain, Role::Plain];
        let mut body = Body { is_list: true, is_flush: true, ..Body::new(&table(list, false), list, &roles) };
        let names = list.iter().filter(|finding| finding.more == 0).map(|finding| width(&finding.object));
        (body.widest[0], body.widest[2], body.widest[4]) = (7, names.max().unwrap_or(0), 7);
        for (cells, finding) in body.rows.iter_mut().zip(list) {
            if finding.more > 0 {
                cells[2].1 = Role::Plain;
            }
            cells[0].1 = match finding.rule.severity() {
                Severity::ERROR => Role::Error,
                Severity::WARNING => Role::Warning,
                _ => Role::Help,
            };
        }
        body
    }

    fn offer(&self, action: Action, line: usize, _model: &Model) -> ActionOffer {
        let is_failure = self.findings.list.get(line).is_some_and(|finding| finding.rule.is_failure());
        match action {
            Action::Open if is_failure => ActionOffer::Words("to what led to it".to_owned()),
            _ => ActionOffer::Usual,
        }
    }

    fn why_empty(&self, walk: &FindingWalk, model: &Model) -> String {
        let (rows, walked) = (model.list.rows.len(), walk.walked());
        let text = match walk.failure() {
            Some(failure) => format!("what is in the rows can't be found: {failure}"),
            None if rows == 0 => "no records yet".to_owned(),
            None if walked < rows => "nothing found so far".to_owned(),
            None => "nothing found".to_owned(),
        };
        if walked > 0 { format!("{text}\n{}", self.findings.scope()) } else { text }
    }

    /// The number of findings; and how many rows were read: `all 2 360 rows`, `45 % of the rows`; while more arrive, `2
    /// 360 rows`.
    fn title(&self, walk: &FindingWalk, model: &Model, _width: u16) -> (String, String) {
        let of = |severity| self.findings.list.iter().filter(move |finding| finding.rule.severity() == severity);
        let count = |severity| of(severity).map(|finding| finding.more.max(1)).sum::<u64>();
        let severities = [Severity::ERROR, Severity::WARNING, Severity::INFO];
        // As many as `e` goes to.
        let places = self.findings.error_places;
        let words = |severity| match (count(severity), severity_word(severity)) {
            (0, _) => None,
            (n, word) if severity == Severity::ERROR && places != n => {
                Some(format!("{} in {}", counted(n, word), counted(places, "place")))
            }
            (n, word) => Some(counted(n, word)),
        };
        let counts = severities.into_iter().filter_map(words).collect::<Vec<_>>().join(", ");
        let title = if counts.is_empty() { "Issues".to_owned() } else { format!("Issues · {counts}") };
        let (rows, walked) = (model.list.rows.len(), walk.walked());
        let reach = match walk.failure() {
            Some(_) => format!("up to row {}", grouped(walked)),
            None if rows == 0 => String::new(),
            None if walked >= rows && model.links.is_over() => format!("all {}", counted(rows, "row")),
            None => percent_read(model, walked)
                .map_or_else(|| counted(walked, "row"), |percent| format!("{percent} % of the rows")),
        };
        (title, reach)
    }

    fn below(&self, about: &Below<'_, FindingWalk>) -> u16 {
        let (width, height) = about.size;
        self.findings.list.get(about.line).map_or(0, |finding| lines(finding, width, height))
    }

    fn draw_below(&self, about: &Below<'_, FindingWalk>, area: Rect, paint: &mut Paint<'_>) {
        if let Some(finding) = self.findings.list.get(about.line) {
            let step = self.step_of(finding);
            draw(finding, (&self.evidence, step), area, paint);
        }
    }
}

fn which(finding: &Finding) -> Which {
    // Findings without an object differ in their details. The number of further ones makes no difference.
    let differs = finding.key.is_none() && finding.more == 0;
    let detail = if differs { finding.detail.clone() } else { String::new() };
    (finding.rule, finding.key, finding.item, detail)
}

impl ShownFindings {
    /// The row of a finding visited last; `None` = none yet.
    fn step_of(&self, finding: &Finding) -> Option<u64> {
        self.step.as_ref().filter(|(of, _)| which(of) == which(finding)).map(|(_, step)| *step)
    }

    /// Goes to the row of the finding visited last, or to its first one; of a failure, to what led to it.
    fn open(&mut self, line: usize, model: &mut Model) {
        let Some(finding) = self.findings.list.get(line).filter(|finding| !finding.evidence.is_empty()).cloned() else {
            return;
        };
        match self.step_of(&finding) {
            Some(row) => _ = jump::to_row(model, row),
            None => self.visit_end(&finding, Direction::Forward, model),
        }
        if finding.rule.is_failure() {
            incident::open(model, model.list.row_here());
        } else if !self.has_list {
            model.panes.show(RECORDS);
        }
    }

    /// Moves the list's cursor to the next or previous row that shows the finding.
    fn turn(&mut self, line: usize, model: &mut Model, direction: Direction) {
        let Some(finding) = self.findings.list.get(line).cloned() else { return };
        if self.step_of(&finding).is_none() {
            return self.visit_end(&finding, direction, model);
        }
        self.seeking = Some(direction);
        model.jobs.unfinished |= self.seek(model);
    }

    /// Goes to the first row of the finding, or backward to its latest.
    fn visit_end(&mut self, finding: &Finding, direction: Direction, model: &mut Model) {
        let rows = finding.evidence.iter().map(|(_, at)| at.row);
        let (number, row) = match direction {
            Direction::Forward => (1, rows.min()),
            Direction::Backward => (finding.count, rows.max()),
        };
        row.into_iter().for_each(|row| self.visit(finding, number, row, model));
    }

    fn visit(&mut self, finding: &Finding, number: u64, row: u64, model: &mut Model) {
        if self.step_of(finding).is_none() {
            self.occurrences = None;
        }
        self.step = Some((finding.clone(), row));
        if jump::to_row(model, row) {
            let (number, all) = (grouped(number), grouped(finding.count.max(number)));
            let record = model.list.rows.number(row).unwrap_or_default();
            model.say(format!("{record} {number} of {all}: {}", finding.headline()).trim_start());
        }
    }
}

/// Number of lines, with a blank one.
fn lines(finding: &Finding, width: u16, height: u16) -> u16 {
    let wanted = 1 + about(finding, width).len() + finding.evidence.len();
    // Three findings, or half of the pane, stay visible.
    let most = usize::from(height).saturating_sub(3).max(usize::from(height) / 2);
    if wanted > most { 0 } else { wanted as u16 }
}

/// Why a finding matters and what to do, in lines.
fn about(finding: &Finding, width: u16) -> Vec<(String, Role)> {
    let room = usize::from(width).saturating_sub(2).max(20);
    let mut lines = Vec::new();
    let texts = [
        (finding.headline(), Role::Title),
        (finding.rule.why().to_owned(), Role::Plain),
        (finding.next().to_owned(), Role::Help),
    ];
    for (text, role) in texts {
        lines.extend(wrap(&text, room).into_iter().map(|line| (line.to_owned(), role)));
    }
    lines
}

/// Draws them below a blank line; `step` = the row visited last.
fn draw(finding: &Finding, (evidence, step): (&[EvidenceLine], Option<u64>), area: Rect, paint: &mut Paint<'_>) {
    let mut rows = area.y + 1..area.bottom();
    for ((line, role), y) in about(finding, area.width).into_iter().zip(&mut rows) {
        paint.text(area.x + 1, y, area.width.saturating_sub(1), &line, role);
    }
    let widest = |part: fn(&EvidenceLine) -> &str| evidence.iter().map(|line| width(part(line))).max().unwrap_or(0);
    let (number, time) = (widest(|line| &line.number), widest(|line| &line.time));
    for (line, y) in evidence.iter().zip(rows) {
        let mark = if step == Some(line.row) { ">" } else { " " };
        let parts = [
            (format!("{mark}{:<6} ", line.word), Role::Help),
            (format!("{:>number$}  ", line.number), Role::Plain),
            (format!("{:>time$}  ", line.time), Role::Time),
            (line.text.clone(), Role::Signal),
        ];
        paint.spans(area.x, y, area.width, parts.iter().map(|(text, role)| (text.as_str(), *role)));
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct EvidenceLine {
    /// `first`, `worst` or `latest`.
    word: &'static str,
    row: u64,
    number: String,
    time: String,
    /// Kind, object and text of the row; empty if no longer kept.
    text: String,
}

/// The rows of a finding: at most three.
fn evidence_lines(rows: &RowList, finding: &Finding) -> Vec<EvidenceLine> {
    let several = rows.sources() > 1;
    let ask = RenderRequest { want: Want::TEXT | Want::FIELDS, view: View::Effective, short: true, before: None };
    let mut renderer = RowRenderer::default();
    let lines = finding.evidence.iter().map(|(word, at)| {
        let number = number_text(several.then_some(at.source), at.n);
        let mut line = EvidenceLine { word, row: at.row, number, time: String::new(), text: String::new() };
        if at.row >= rows.first_kept() && at.row < rows.len() {
            rows.ensure_loaded(at.row);
            renderer.views(rows, [at.row], ask, |_, item| {
                let shown = item.line();
                line.time = shown.time.trim().to_owned();
                let words = [shown.kind.trim(), shown.object.trim(), shown.what.trim()];
                line.text = words.iter().filter(|word| !word.is_empty()).copied().collect::<Vec<_>>().join(" ");
                false
            });
        }
        line
    });
    lines.collect()
}
