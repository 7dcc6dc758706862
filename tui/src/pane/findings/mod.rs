//! The Findings pane: what an expert would spot in the rows, with the rows that show it.
//!
//! | module | what is in it |
//! |---|---|
//! | `evidence` | the rows that show a finding, in words |
//! | `draw` | the lines, and more of the one under the cursor below them |

mod draw;
mod evidence;

use std::time::Instant;

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};
use spytui_engine::{
    analysis::{
        Key,
        findings::{Finding, Findings, Rule},
    },
    trace::list::FindingWalk,
};

use super::{pace, table::TableCursor};
use crate::{
    input::{Action, Hint, PaneAction, PaneId, PaneKeys, RECORDS},
    model::{Model, jump, panes::Pane},
};
use evidence::{EvidenceLine, evidence_lines};

const ID: PaneId = PaneId("findings");

const KEYS: PaneKeys = PaneKeys {
    id: ID,
    title: "findings",
    tab: Some("Find"),
    actions: &[
        PaneAction { name: NEXT, doc: "the next row that shows it", valid: ID, listed_after: "object-previous" },
        PaneAction { name: PREVIOUS, doc: "the previous one", valid: ID, listed_after: "object-previous" },
    ],
    hints: &[
        Hint(&[Action::Open], "to the row that shows it"),
        Hint(&[Action::OfPane(ID, NEXT), Action::OfPane(ID, PREVIOUS)], "next, previous"),
        Hint(&[Action::Search], "find"),
    ],
};

const NEXT: &str = "evidence-next";
const PREVIOUS: &str = "evidence-previous";

/// Which finding: it stays under the cursor when others come.
type Which = (Rule, Option<Key>, Option<Key>, String);

/// Its lines, and the cursor.
#[derive(Debug, Default)]
pub(super) struct FindingsPane {
    /// `None` until the pane is shown.
    walk: Option<FindingWalk>,
    findings: Findings,
    cursor: TableCursor,
    chosen: Option<Which>,
    /// Which of its rows was gone to last; `None` = none yet.
    step: Option<usize>,
    /// The list was on the screen with it, when it was in front last.
    has_list: bool,
    /// The rows that show the one under the cursor.
    evidence: Vec<EvidenceLine>,
    /// What the lines were made from, and when.
    made: Option<(Made, Instant)>,
}

/// What lines were made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Made {
    /// Rows that were looked at.
    walked: u64,
    /// Changes of the names.
    names: u64,
    /// Names are short.
    short: bool,
}

impl Pane for FindingsPane {
    fn keys(&self) -> &'static PaneKeys {
        &KEYS
    }

    fn handle(&mut self, action: Action, model: &mut Model) {
        match action {
            Action::Open => self.open(model),
            Action::OfPane(_, NEXT) => self.turn(model, true),
            Action::OfPane(_, PREVIOUS) => self.turn(model, false),
            other => {
                if self.cursor.handle(other, model.screen.front_height()) {
                    self.choose();
                }
            }
        }
    }

    fn work(&mut self, model: &Model) -> bool {
        let is_recent = self.is_recent(model);
        let walk = self.walk(model);
        !pace::may_wait(model, walk.walked(), is_recent) && walk.work(&model.list.rows)
    }

    fn line(&self) -> Option<usize> {
        Some(self.cursor.at)
    }

    fn line_texts(&self, _model: &Model) -> Vec<String> {
        self.findings.list.iter().map(Finding::headline).collect()
    }

    fn go_to_line(&mut self, line: usize) {
        self.cursor.at = line;
        self.choose();
    }

    fn forget_rows(&mut self) {
        self.walk = None;
        self.made = None;
        self.findings = Findings::default();
        self.evidence.clear();
    }

    fn click(&mut self, at: Position, model: &mut Model) {
        self.cursor.click(at, 0, model);
        self.choose();
    }

    fn prepare(&mut self, model: &Model, width: u16, height: u16) {
        self.refresh(model);
        if model.panes.front() == ID {
            self.has_list = !model.screen.layout.list_area.is_empty();
        }
        let chosen =
            self.chosen.as_ref().and_then(|chosen| self.findings.list.iter().position(|f| which(f) == *chosen));
        self.cursor.at = chosen.unwrap_or(self.cursor.at);
        let below = draw::below(self, width, height);
        self.cursor.fit(self.findings.list.len(), usize::from(height.saturating_sub(below)));
        self.choose();
        self.evidence = self.here().map_or_else(Vec::new, |finding| evidence_lines(&model.list.rows, finding));
    }

    fn draw(&self, model: &Model, area: Rect, buffer: &mut Buffer) {
        draw::draw(self, model, area, buffer);
    }
}

fn which(finding: &Finding) -> Which {
    // Of the rules without an object only the words differ. How many more there are is no difference.
    let differs = finding.key.is_none() && finding.more == 0;
    let detail = if differs { finding.detail.clone() } else { String::new() };
    (finding.rule, finding.key, finding.item, detail)
}

impl FindingsPane {
    fn walk(&mut self, model: &Model) -> &mut FindingWalk {
        let rows = &model.list.rows;
        if self.walk.as_ref().is_some_and(|walk| !walk.is_of(rows)) {
            self.forget_rows();
        }
        self.walk.get_or_insert_with(|| FindingWalk::new(rows))
    }

    /// Whether the lines were made just now.
    fn is_recent(&self, model: &Model) -> bool {
        pace::is_recent(model, self.made.map(|(_, at)| at), self.findings.list.len())
    }

    /// Makes the lines again if they are outdated.
    fn refresh(&mut self, model: &Model) {
        let rows = &model.list.rows;
        let walked = self.walk(model).walked();
        let made = Made { walked, names: rows.name_changes(), short: model.list.page.short };
        let is_paused = self.is_recent(model) && (walked < rows.len() || !model.links.is_over());
        if !self.made.is_some_and(|(last, _)| last == made || is_paused) {
            self.findings = self.walk(model).findings(rows, made.short);
            self.made = Some((made, model.now));
        }
    }

    /// The finding under the cursor.
    fn here(&self) -> Option<&Finding> {
        // Beyond the end until the next frame.
        self.findings.list.get(self.cursor.at).or(self.findings.list.last())
    }

    fn choose(&mut self) {
        let chosen = self.here().map(which);
        if chosen.is_some() && chosen != self.chosen {
            (self.chosen, self.step) = (chosen, None);
        }
    }

    /// Goes to the row that shows the finding; from there to the next one.
    fn open(&mut self, model: &mut Model) {
        if self.here().is_none_or(|finding| finding.evidence.is_empty()) {
            return;
        }
        // Where the list is on the screen, too, the next key goes on to the next row.
        if !self.has_list {
            model.panes.show(RECORDS);
        }
        self.turn(model, true);
    }

    /// Moves the cursor of the list to the next row that shows the finding, or to the previous one.
    fn turn(&mut self, model: &mut Model, forward: bool) {
        let Some(finding) = self.here() else { return };
        let (all, words) = (finding.evidence.len(), finding.headline());
        let step = match (self.step, forward) {
            (None, true) => 0,
            (None, false) => all.saturating_sub(1),
            (Some(step), true) => (step + 1) % all.max(1),
            (Some(step), false) => step.checked_sub(1).unwrap_or(all.saturating_sub(1)),
        };
        let Some((word, at)) = finding.evidence.get(step).copied() else { return };
        self.step = Some(step);
        if jump::to_row(model, at.row) {
            model.say(format!("{word}, {} of {all}: {words}", step + 1));
        }
    }
}
