//! Rows that the list hides or folds into one line: redundant records, neighbouring losses, equal neighbours.

use spytui_engine::{
    present::{Line, Role, clock::grouped},
    store::Shape,
    trace::list::{RowList, row_list::number_text},
};
use spytui_plugin_api::{Attachment, AttachmentId, Info, RowKind, Severity, row::RowFlags};

use crate::model::loss_words::units;

/// Collapsing of rows in the list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Collapse {
    /// Redundant records are hidden.
    #[default]
    Redundant,
    /// Every record has its own line.
    Nothing,
    /// Redundant records are hidden, and equal neighbours share a line.
    Equal,
}

impl Collapse {
    /// From the configuration: `on` also folds equal neighbours.
    pub fn configured(on: bool) -> Collapse {
        if on { Collapse::Equal } else { Collapse::Redundant }
    }

    /// The next mode; without redundant records, skips modes that differ only in them.
    pub fn next(self, redundant: bool) -> Collapse {
        match (self, redundant) {
            (Collapse::Redundant, true) => Collapse::Nothing,
            (Collapse::Redundant, false) | (Collapse::Nothing, _) => Collapse::Equal,
            (Collapse::Equal, _) => Collapse::Redundant,
        }
    }

    /// `true` if the row is hidden.
    pub fn hides(self, rows: &RowList, row: u64) -> bool {
        self != Collapse::Nothing
            && rows.ensure_loaded(row)
            && rows.shape(row).is_some_and(|shape| is_redundant(&shape))
    }
}

/// `true` if rows of this shape are redundant, or disabled.
pub fn is_redundant(shape: &Shape) -> bool {
    shape.flags.intersects(RowFlags::REDUNDANT | RowFlags::MASKED)
}

/// Key shared by neighbours that are folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alike {
    Loss,
    /// They only name things, or report the target's configuration.
    Names,
    /// Kind, core, object, second key.
    Record(RowKind, u16, u64, u64),
}

/// Totals of folded losses.
#[derive(Debug, Clone, Default)]
pub(super) struct Losses {
    pub(super) gaps: u64,
    pub(super) lost: u64,
    pub(super) at_least: bool,
    pub(super) bad: u64,
    /// How many of the damaged frames are parts of records.
    pub(super) parts: u64,
    pub(super) bytes: u64,
    /// Losses of the decoder's own kinds, with number, amount and unit.
    pub(super) own: Vec<OwnLoss>,
}

/// Folded losses of one of the decoder's own kinds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OwnLoss {
    pub(super) kind: RowKind,
    pub(super) name: String,
    pub(super) rows: u64,
    pub(super) lost: u64,
    /// An upper limit.
    pub(super) at_most: bool,
    /// Unit of what is lost; empty = unknown.
    pub(super) unit: String,
}

impl OwnLoss {
    /// `short buffer, 1 event`, `3 times short buffer, up to 231 events`.
    fn words(&self) -> String {
        let times = if self.rows > 1 { format!("{} times ", grouped(self.rows)) } else { String::new() };
        let up_to = if self.at_most { "up to " } else { "" };
        let lost = match self.unit.strip_suffix('s') {
            _ if self.unit.is_empty() => String::new(),
            Some(unit) => format!(", {up_to}{}", units(self.lost, unit)),
            None => format!(", {up_to}{} {}", grouped(self.lost), self.unit),
        };
        format!("{times}{}{lost}", self.name)
    }
}

/// `, #187 to #2166`: the records around a fold; empty if there are none in between, or they are from different
/// sources.
pub(super) fn between(rows: &RowList, first: u64, last: u64) -> String {
    match (rows.records_before(first), rows.records_before(last)) {
        (Some((source, a)), Some((other, b))) if source == other && a != b => {
            format!(", {} to {}", number_text(source, a), number_text(source, b + 1))
        }
        _ => String::new(),
    }
}

impl Losses {
    /// `3 losses, ≥5 records`; `unit` = what is lost.
    pub(super) fn words(&self, unit: &str) -> String {
        if !self.own.is_empty() {
            return self.words_with_own(unit);
        }
        let at_least = if self.at_least { "≥" } else { "" };
        match (self.gaps, self.bad) {
            (0, bad) if bad == self.parts => {
                format!("parts without begin or end in {} places, {} bytes", grouped(bad), grouped(self.bytes))
            }
            (0, bad) => format!("{} damaged frames, {} bytes", grouped(bad), grouped(self.bytes)),
            (gaps, 0) => format!("{gaps} losses, {at_least}{}", units(self.lost, unit)),
            (gaps, bad) => {
                format!("{gaps} losses, {at_least}{}, {} damaged", units(self.lost, unit), units(bad, "frame"))
            }
        }
    }

    /// Adds a loss of one of the decoder's own kinds, in its unit.
    pub(super) fn add_own(&mut self, info: &Info, kind: RowKind, attachments: &[Attachment]) {
        let known = |a: &Attachment| info.attachments.iter().find(|own| own.id == a.id && !own.unit.is_empty());
        let lost = attachments.iter().find_map(|a| Some((a.a, known(a)?)));
        let dropped = attachments.iter().find(|a| a.id == AttachmentId::LOST).map(|a| a.a);
        let (more, at_most) = lost.map_or((dropped.unwrap_or(0), false), |(more, info)| (more, info.is_bound));
        match self.own.iter_mut().find(|own| own.kind == kind) {
            Some(own) => {
                own.rows += 1;
                own.lost += more;
                own.at_most |= at_most;
            }
            None => {
                let name = match kind {
                    RowKind::DROP => "dropped by the target".to_owned(),
                    kind => info.kind(kind).map(|kind| kind.name.to_string()).unwrap_or_default(),
                };
                let unit = lost.map(|(_, info)| info.unit.to_string());
                let unit = unit.or_else(|| dropped.map(|_| "records".to_owned())).unwrap_or_default();
                self.own.push(OwnLoss { kind, name, rows: 1, lost: more, at_most, unit });
            }
        }
    }

    /// `4 losses: 3 buffers, short buffer, 9 events; 1 part`
    fn words_with_own(&self, unit: &str) -> String {
        let own: u64 = self.own.iter().map(|own| own.rows).sum();
        let mut all = Vec::new();
        if self.gaps > 0 {
            let at_least = if self.at_least { "≥" } else { "" };
            all.push(format!("{at_least}{}", units(self.lost, unit)));
        }
        all.extend(self.own.iter().map(OwnLoss::words));
        if self.parts > 0 {
            all.push(format!("{} without begin or end", units(self.parts, "part")));
        }
        if self.bad > self.parts {
            all.push(format!("{} damaged", units(self.bad - self.parts, "place")));
        }
        format!("{} losses: {}", grouped(self.gaps + self.bad + own), all.join("; "))
    }
}

pub(super) fn unknown_loss() -> Line {
    Line { role: Role::Loss, severity: Severity::ERROR, what: "data lost here".to_owned(), ..Line::default() }
}

/// The line of `count` records that only name things.
pub(super) fn names_line(count: u64) -> Line {
    let what = format!("{} records of names and sizes · Enter", grouped(count));
    Line { role: Role::Note, severity: Severity::NORMAL, what, ..Line::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folded_losses_have_the_unit_of_the_decoder() {
        let losses = Losses { gaps: 2, lost: 3, ..Losses::default() };
        assert_eq!([losses.words("buffer"), losses.words("record")], ["2 losses, 3 buffers", "2 losses, 3 records"]);
        let parts = Losses { bad: 2, parts: 2, bytes: 32, ..Losses::default() };
        let (kind, name) = (RowKind::FIRST_OWN_LOSS, "short buffer".to_owned());
        let own = vec![OwnLoss { kind, name, rows: 2, lost: 9, at_most: false, unit: "events".to_owned() }];
        let with_own = Losses { own, bad: 1, parts: 1, ..losses.clone() };
        assert_eq!(
            with_own.words("buffer"),
            "5 losses: 3 buffers; 2 times short buffer, 9 events; 1 part without begin or end"
        );
        let bound = Losses { own: vec![OwnLoss { at_most: true, ..with_own.own[0].clone() }], ..parts.clone() };
        assert_eq!(
            bound.words("buffer"),
            "4 losses: 2 times short buffer, up to 9 events; 2 parts without begin or end"
        );
        assert_eq!(parts.words("buffer"), "parts without begin or end in 2 places, 32 bytes");
        let losses = Losses { lost: 1, at_least: true, bad: 1, ..losses };
        assert_eq!(losses.words("event"), "2 losses, ≥1 event, 1 frame damaged");
    }
}
