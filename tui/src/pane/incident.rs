//! The page of an incident: what led to an assertion, an error or a reset.

use spytui_engine::{
    analysis::incident::{Incident, IncidentLine, IncidentPart},
    export::{
        incident::{heading, sign},
        table::ColumnFit,
    },
    trace::list::{ObjectHistory, Walking},
};

use super::{
    live::{Live, LivePane},
    table::{Body, TableCursor},
};
use crate::{
    input::{Action, Hint, INCIDENT, PaneAction, PaneKeys, RECORDS},
    model::{Model, incident::row_of_page, jump},
    term::{Role, end_marked, width},
};

const KEYS: PaneKeys = PaneKeys {
    id: INCIDENT,
    title: "incident",
    tab: Some(""),
    actions: &[NEXT, PREVIOUS],
    hints: &[
        Hint(&[Action::Open], "to the row that shows it"),
        Hint(&[Action::OfPane(INCIDENT, NEXT), Action::OfPane(INCIDENT, PREVIOUS)], "next, previous"),
        Hint(&[Action::Search], "find"),
    ],
    signs: "◄─: what keeps it from going on; ⇒: what follows from it; ~: perhaps not so: records were lost",
};

const NEXT: PaneAction = PaneAction::new("edge-next", "the row of the next line", "object-previous");
const PREVIOUS: PaneAction = PaneAction::new("edge-previous", "the row of the previous line", "object-previous");

pub(super) type IncidentPane = LivePane<ShownIncident>;

/// Width of the reasons beside a line of text, at least.
const REASON: usize = 24;

#[derive(Debug, Default)]
pub(super) struct ShownIncident {
    incident: Option<Incident>,
    lines: Vec<PageLine>,
    /// The row of the last incident; the page of another one begins at its top.
    about: Option<u64>,
    /// The line whose row was visited last, until the cursor is there.
    visited: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PageLine {
    /// Empty between parts.
    Heading(&'static str),
    Line(IncidentLine),
}

impl Live for ShownIncident {
    type Walk = ObjectHistory;
    type Subject = PageLine;
    /// The row, whether it was read, whether names are short, and how far it looks back.
    type Asked = (Option<u64>, bool, bool, u64);

    const KEYS: &'static PaneKeys = &KEYS;
    const HAS_HEADING: bool = false;

    fn len(&self) -> usize {
        self.lines.len()
    }

    fn subject(&self, line: usize) -> Option<PageLine> {
        self.lines.get(line).filter(|line| matches!(line, PageLine::Line(_))).cloned()
    }

    fn line_texts(&self, _model: &Model) -> Vec<String> {
        let text = |line: &PageLine| match line {
            PageLine::Heading(text) => (*text).to_owned(),
            PageLine::Line(line) => line.text(),
        };
        self.lines.iter().map(text).collect()
    }

    fn asked(&self, walk: &ObjectHistory, model: &Model) -> Self::Asked {
        let row = row_of_page(model);
        let is_read = row.is_some_and(|row| row < walk.walked());
        (row, is_read, model.list.page.short, model.settings.config.look_back())
    }

    fn make(&mut self, walk: &mut ObjectHistory, model: &Model, cursor: &mut TableCursor) {
        let (row, is_read, short, look_back) = self.asked(walk, model);
        // A page that stands is not made again while rows come.
        let rows = &model.list.rows;
        self.incident = row.filter(|_| is_read).and_then(|row| walk.incident(rows, row, look_back, short));
        if let Some(incident) = &self.incident
            && self.about.replace(incident.at.row) != Some(incident.at.row)
        {
            *cursor = TableCursor::default();
        }
        self.lines.clear();
        let mut part = None;
        for line in self.incident.iter().flat_map(|incident| &incident.lines) {
            let head = heading(line.part);
            if part.replace(line.part) != Some(line.part) && !head.is_empty() {
                self.lines.extend([PageLine::Heading(""), PageLine::Heading(head)]);
            }
            self.lines.push(PageLine::Line(line.clone()));
        }
    }

    fn forget(&mut self) {
        (self.incident, self.lines) = (None, Vec::new());
    }

    fn act(&mut self, action: Action, line: usize, _walk: &mut ObjectHistory, model: &mut Model) {
        let at = |line: usize| match self.lines.get(line) {
            Some(PageLine::Line(line)) => line.at,
            _ => None,
        };
        let has_row = |line: &usize| at(*line).is_some();
        let line = match action {
            Action::OfPane(_, NEXT) => (line + 1..self.lines.len()).find(has_row),
            Action::OfPane(_, PREVIOUS) => (0..line).rev().find(has_row),
            _ => Some(line),
        };
        let Some((line, at)) = line.and_then(|line| Some((line, at(line)?))) else { return };
        if action == Action::Open && model.screen.layout.list_area.is_empty() {
            model.panes.show(RECORDS);
        }
        self.visited = Some(line);
        jump::to_row(model, at.row);
    }

    fn moved(&mut self) -> Option<usize> {
        self.visited.take()
    }

    fn body(&self, _model: &Model, pane: u16) -> Body {
        let rows: Vec<Vec<(String, Role)>> = self.lines.iter().map(cells).collect();
        let widest = |at: usize| {
            let rows = rows.iter().filter(|row| !row[1].0.is_empty());
            rows.map(|row| width(&row[at].0)).max().unwrap_or(0)
        };
        // Without reasons, lines take all the width.
        let words = Some(widest(0)).filter(|widest| *widest > 0).unwrap_or(usize::from(pane));
        let words = words.min(usize::from(pane).saturating_sub(if widest(1) > 0 { REASON } else { 2 }));
        let columns = vec![
            ("", Role::Plain, ColumnFit { cuts_end: true, ..ColumnFit::new(words, words) }),
            ("", Role::Help, ColumnFit { cuts_end: true, rank: 1, roomy: usize::MAX, ..ColumnFit::new(0, usize::MAX) }),
        ];
        Body { columns, widest: vec![words, widest(1)], rows, ..Body::default() }
    }

    fn why_empty(&self, walk: &ObjectHistory, model: &Model) -> String {
        match (row_of_page(model), walk.failure()) {
            (None, _) => "no failure yet".to_owned(),
            (_, Some(failure)) => format!("what led to it can't be found: {failure}"),
            (Some(row), _) if row >= walk.walked() => {
                format!("reading the records before this one: {} %", walk.walked() * 100 / (row + 1))
            }
            _ => "what led to it can't be found: the bytes before it are gone".to_owned(),
        }
    }

    fn title(&self, _walk: &ObjectHistory, model: &Model, width: u16) -> (String, String) {
        let Some(incident) = &self.incident else { return ("Incident".to_owned(), String::new()) };
        let room = usize::from(width).saturating_sub(46);
        let what = end_marked(&incident.what, room, model.screen.look.glyphs.ellipsis());
        let time = if incident.time.is_empty() { String::new() } else { format!(" at {}", incident.time) };
        (format!("Incident · {what}{time}"), incident.number(model.list.rows.sources() > 1))
    }
}

/// The text of a line and its reason.
fn cells(line: &PageLine) -> Vec<(String, Role)> {
    let line = match line {
        PageLine::Heading(text) => return vec![((*text).to_owned(), Role::Title), (String::new(), Role::Help)],
        PageLine::Line(line) => line,
    };
    let role = match line.part {
        IncidentPart::Missing => Role::Warning,
        _ if line.is_unsure => Role::Warning,
        IncidentPart::Verdict => Role::Error,
        IncidentPart::Wait | IncidentPart::Event => Role::Plain,
        IncidentPart::Level => Role::Object,
        IncidentPart::Ran | IncidentPart::Object => Role::Signal,
    };
    let reason = if line.part == IncidentPart::Level { Role::Warning } else { Role::Help };
    vec![(line.words(), role), (sign(line) + &line.because, reason)]
}
