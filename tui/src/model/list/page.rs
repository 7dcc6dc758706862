//! The page of the list: the rows on the screen, the cursor, following or held; and the folding of records that repeat others.
//!
//! The cursor is a row that keeps its line on the screen on resize, filter change and while rows arrive. The page is
//! found by walking from the cursor over the rows that the filter shows; neighbouring losses are one entry.

use std::time::Instant;

use spytui_engine::{
    present::{RowLine, RowRole, clock::grouped, words::counted},
    store::{Shape, View},
    trace::list::{Filter, RenderRequest, RowList, RowRenderer, row_list::number_text},
};
use spytui_plugin_api::{Attachment, AttachmentId, Info, RowKind, Severity, batch::lost, render::Want, row::RowFlags};

use super::{Extra, ListEntry, gutter, words};
use crate::model::loss_words::{counts_drops, loss_unit};

/// Maximum number of rows folded into one entry.
const FOLD: u64 = 20_000;
/// Minimum number of naming records that share a line.
const NAMES: usize = 4;
/// Lines kept above and below the row that a jump goes to.
pub const CONTEXT: usize = 5;
/// Rows searched backwards for the last time stamp before the page.
const BACK: usize = 64;
/// Maximum number of rows examined for a page, which is then drawn as far as filled.
const LOOKS: u64 = 2_000_000;
/// Cost of a row not decided by the filter yet, in rows, as many rows are decided together.
const UNDECIDED: u64 = 200_000;

#[derive(Debug)]
pub struct Page {
    pub cursor: u64,
    /// Its line on the screen, from the top of the list.
    line: usize,
    /// The newest row stays visible.
    pub follow: bool,
    pub filter: Filter,
    /// Its lines after the last [`Page::fill`].
    pub entries: Vec<ListEntry>,
    /// Number of rows when the list was held.
    pub held_at: u64,
    pub unfinished: bool,
    /// Use short names where unique.
    pub short: bool,
    /// Nevertheless not in the text of rows, so that matches of a search can be seen there.
    pub whole_texts: bool,
    /// Maximum number of gutter columns so far: it does not shrink while scrolling.
    pub gutter: usize,
    pub collapse: Collapse,
    /// Naming records share a line while there is no filter.
    pub folds_names: bool,
    /// Collapse mode and filtering before all rows were requested.
    pub(in crate::model) before_all: Option<(Collapse, bool)>,
    /// There are records without news, as of the last page.
    quiet: bool,
    /// Rest of [`LOOKS`].
    looks: u64,
    renderer: RowRenderer,
}

impl Page {
    /// Starts at the beginning, or following.
    pub fn new(follow: bool, filter: Filter) -> Page {
        Page {
            cursor: 0,
            line: 0,
            follow,
            filter,
            entries: Vec::new(),
            held_at: 0,
            unfinished: false,
            short: true,
            whole_texts: false,
            gutter: 1,
            collapse: Collapse::default(),
            // A file begins with what happened; live rows are shown as they arrive.
            folds_names: !follow,
            before_all: None,
            quiet: false,
            looks: LOOKS,
            renderer: RowRenderer::default(),
        }
    }

    /// State of the cursor for [`Page::put_back`]: row, line, following.
    pub fn place(&self) -> (u64, usize, bool) {
        (self.cursor, self.line, self.follow)
    }

    pub fn put_back(&mut self, place: (u64, usize, bool)) {
        (self.cursor, self.line, self.follow) = place;
    }

    /// Index of the cursor's entry on the page.
    pub fn cursor_entry(&self) -> Option<usize> {
        self.entries.iter().position(|e| e.first <= self.cursor && self.cursor <= e.last)
    }

    pub fn hold(&mut self, rows: &RowList) {
        if self.follow {
            self.follow = false;
            self.held_at = rows.len();
        }
    }

    /// Goes to a row; holds the list, and scrolls only to a row that has no rows around it on the screen.
    pub fn go_to(&mut self, rows: &RowList, row: u64, height: usize) {
        self.hold(rows);
        let last = height.saturating_sub(1);
        let context = CONTEXT.min(last / 2);
        let line = self.entries.iter().position(|e| e.first <= row && row <= e.last);
        self.line = line.map_or(context, |line| line.clamp(context, last - context));
        self.cursor = row;
    }

    pub fn step(&mut self, rows: &RowList, by: i64, height: usize) {
        self.looks = LOOKS;
        let mut at = self.cursor;
        let mut moved = 0_i64;
        while moved != by {
            let next = self.neighbour(rows, at, by > 0);
            let Some((first, _)) = next else { break };
            at = first;
            moved += by.signum();
        }
        if by > 0 && moved < by && moved == 0 {
            // Already at the end: keep holding or following.
            return;
        }
        self.hold(rows);
        self.cursor = at;
        let line = self.line as i64 + moved;
        self.line = usize::try_from(line.max(0)).unwrap_or(0).min(height.saturating_sub(1));
    }

    pub fn home(&mut self, rows: &RowList) {
        self.hold(rows);
        (self.cursor, self.line) = (rows.first_kept(), 0);
    }

    /// `true` if the row passes filter and collapsing.
    fn shown(&mut self, rows: &RowList, row: u64) -> bool {
        self.filter.shows(rows, row) && !(self.quiet && self.collapse.hides(rows, row))
    }

    /// The key by which a row is folded with its neighbours; `None` if it is not folded.
    fn folds_with(&self, rows: &RowList, row: u64) -> Option<Alike> {
        if !rows.ensure_loaded(row) {
            return None;
        }
        let shape = rows.shape(row)?;
        // Losses by the host differ from damage in transit.
        if shape.row.kind.is_loss() && shape.row.kind != RowKind::HOST_LOSS {
            return Some(Alike::Loss);
        }
        let is_names = || shape.row.is_record() && shape.row.flags.contains(RowFlags::NAMING);
        if self.folds_names && self.collapse != Collapse::Nothing && self.filter.is_everything() && is_names() {
            return Some(Alike::Names);
        }
        if self.collapse != Collapse::Equal || !shape.row.is_record() {
            return None;
        }
        let row = rows.row(row)?;
        Some(Alike::Record(row.kind, row.core, row.obj, row.item))
    }

    /// The next shown row from `row` on.
    fn seek(&mut self, rows: &RowList, row: u64, forward: bool) -> Option<u64> {
        let mut at = row;
        while let Some(candidate) = self.filter.next_candidate(rows, at, forward) {
            let cost = if self.filter.is_decided(candidate) { 1 } else { UNDECIDED };
            if self.shown(rows, candidate) {
                return Some(candidate);
            }
            self.looks = self.looks.saturating_sub(cost);
            if self.looks == 0 {
                self.unfinished = true;
                return None;
            }
            at = step_from(candidate, forward)?;
        }
        None
    }

    /// Last row of the entry that begins at a shown row; backwards, the first row of the entry that ends there.
    fn far_end(&mut self, rows: &RowList, row: u64, forward: bool) -> u64 {
        let Some(alike) = self.folds_with(rows, row) else { return row };
        let count = |page: &mut Page, forward, most| page.alike(rows, row, alike, forward, most);
        if alike == Alike::Names {
            let most = NAMES as u64;
            let neighbours = count(self, true, most).0 + count(self, false, most).0;
            if neighbours + 1 < most {
                return row;
            }
        }
        count(self, forward, FOLD).1
    }

    /// Number of shown neighbours that are alike, at most `most`, and the last one.
    fn alike(&mut self, rows: &RowList, row: u64, alike: Alike, forward: bool, most: u64) -> (u64, u64) {
        let (mut count, mut end) = (0, row);
        while count < most && end.abs_diff(row) < FOLD {
            let Some(next) = step_from(end, forward) else { break };
            match self.seek(rows, next, forward) {
                Some(next) if self.folds_with(rows, next) == Some(alike) => (count, end) = (count + 1, next),
                _ => break,
            }
        }
        (count, end)
    }

    /// First and last row of the entry after or before the one that contains `row`.
    fn neighbour(&mut self, rows: &RowList, row: u64, forward: bool) -> Option<(u64, u64)> {
        let edge = if self.shown(rows, row) { self.far_end(rows, row, forward) } else { row };
        let near = self.seek(rows, step_from(edge, forward)?, forward)?;
        let far = self.far_end(rows, near, forward);
        Some((near.min(far), near.max(far)))
    }

    /// Collects and renders the page of `height` lines around the cursor.
    pub fn fill(&mut self, rows: &RowList, height: usize, now: Instant) {
        self.unfinished = self.filter.follow_names(rows, now);
        self.quiet = rows.rows_of(is_redundant) > 0;
        self.looks = LOOKS;
        let len = rows.len();
        if len == 0 || height == 0 {
            self.entries.clear();
            self.cursor = 0;
            return;
        }
        if self.follow {
            (self.cursor, self.line) = (len - 1, height - 1);
        }
        self.cursor = self.cursor.max(rows.first_kept()).min(len - 1);
        self.settle_on_a_shown_row(rows);
        let spans = self.around(rows, height);
        self.line = spans.iter().position(|s| s.0 <= self.cursor && self.cursor <= s.1).unwrap_or(0);
        self.render(rows, &spans);
    }

    /// If a filter hides the row under the cursor, the next shown one replaces it.
    fn settle_on_a_shown_row(&mut self, rows: &RowList) {
        if self.shown(rows, self.cursor) {
            return;
        }
        let at = self.cursor;
        let near = if self.follow { None } else { self.seek(rows, at, true) };
        if let Some(row) = near.or_else(|| self.seek(rows, at, false)) {
            self.cursor = row;
        }
    }

    /// First and last rows of the entries of a page, with the cursor at its line if possible.
    fn around(&mut self, rows: &RowList, height: usize) -> Vec<(u64, u64)> {
        if !self.shown(rows, self.cursor) {
            return Vec::new();
        }
        let own = (self.far_end(rows, self.cursor, false), self.far_end(rows, self.cursor, true));
        let mut above = Vec::new();
        let mut at = own.0;
        while above.len() < self.line.min(height - 1) {
            let Some(entry) = self.neighbour(rows, at, false) else { break };
            above.push(entry);
            at = entry.0;
        }
        let mut spans: Vec<(u64, u64)> = above.into_iter().rev().chain([own]).collect();
        let mut at = own.1;
        while spans.len() < height {
            let Some(entry) = self.neighbour(rows, at, true) else { break };
            spans.push(entry);
            at = entry.1;
        }
        // Not enough rows below: show more above.
        while spans.len() < height {
            let Some(entry) = self.neighbour(rows, spans[0].0, false) else { break };
            spans.insert(0, entry);
        }
        spans
    }

    fn render(&mut self, rows: &RowList, spans: &[(u64, u64)]) {
        self.entries.clear();
        let Some(&(first, _)) = spans.first() else { return };
        for span in [Some(&(first, first)), spans.last()].into_iter().flatten() {
            rows.ensure_spans(span.0);
        }
        let before = self.stamp_before(rows, first);
        // The fields determine the roles of words in the text.
        let want = Want::TEXT | Want::FIELDS;
        let ask = RenderRequest { want, view: View::Effective, short: self.short, before };
        let is_loss = |s: &(u64, u64)| s.0 != s.1 && self.folds_with(rows, s.0) == Some(Alike::Loss);
        let losses: Vec<(u64, u64)> = spans.iter().copied().filter(is_loss).collect();
        let (entries, shortens) = (&mut self.entries, self.short && !self.whole_texts);
        let shown = spans.iter().filter(|s| !losses.contains(s)).map(|s| s.0);
        let in_micros = rows.measures_seconds();
        self.renderer.views(rows, shown, ask, |row, item| {
            let mut line = item.line();
            if let Some(before) = item.before.filter(|_| in_micros && !line.delta.is_empty()) {
                line.delta = item.clock.micros_text(before, item.row.time);
            }
            if shortens {
                words::shorten(item, &mut line);
            }
            entries.push(ListEntry {
                first: row,
                last: row,
                n: item.n,
                source: item.source.map_or(0, usize::from),
                pos: item.pos(),
                time: item.row.has(RowFlags::TIME_OWN).then_some(item.row.time),
                extra: Extra { seq: item.seq(), bytes: item.wire_len(), epoch: item.epoch, before: item.before },
                gutter: String::new(),
                parts: words::parts(item, &line),
                changes_state: words::changes_state(item),
                line,
            });
            true
        });
        for &(first, last) in spans.iter().filter(|s| s.0 != s.1) {
            let at = self.entries.partition_point(|e| e.first < first);
            if losses.contains(&(first, last)) {
                let entry = self.folded(rows, first, last);
                self.entries.insert(at, entry);
            } else {
                let folded = (first..=last).filter(|&row| self.shown(rows, row)).count();
                if self.folds_with(rows, first) == Some(Alike::Names)
                    && let Some(entry) = self.entries.get_mut(at)
                {
                    let what = format!("{} records of names and sizes · Enter", grouped(folded as u64));
                    entry.line =
                        RowLine { role: RowRole::Note, severity: Severity::NORMAL, what, ..RowLine::default() };
                    (entry.last, entry.n, entry.parts) = (last, None, Vec::new());
                    continue;
                }
                if let Some(entry) = self.entries.get_mut(at).filter(|e| e.first == first) {
                    entry.last = last;
                    entry.line.what.push_str(&format!("  ×{}", grouped(folded as u64)));
                }
            }
        }
        self.gutter = gutter::fill(rows, &mut self.entries).max(self.gutter);
    }

    /// Time of the previous shown row with a time stamp in the same epoch.
    fn stamp_before(&mut self, rows: &RowList, row: u64) -> Option<u64> {
        let epoch = rows.epoch_of(row)?;
        let mut at = row;
        for _ in 0..BACK {
            at = at.checked_sub(1)?;
            if rows.epoch_of(at)? != epoch {
                return None;
            }
            if !self.shown(rows, at) || !rows.ensure_loaded(at) {
                continue;
            }
            let row = rows.row(at)?;
            if row.has(RowFlags::TIME_OWN) {
                return Some(row.time);
            }
        }
        None
    }

    /// One line for neighbouring losses: the text of the gap if there is one, otherwise their totals.
    fn folded(&mut self, rows: &RowList, first: u64, last: u64) -> ListEntry {
        let ask = RenderRequest { want: Want::TEXT, view: View::Effective, short: self.short, before: None };
        let mut losses = FoldedLosses::default();
        let mut unit = String::new();
        let (mut gap, mut bad) = (None, None);
        let (mut source, mut pos) = (0, 0);
        self.renderer.views(rows, first..=last, ask, |row, item| {
            if !item.row.kind.is_loss() {
                return true;
            }
            if row == first {
                (source, pos) = (item.source.map_or(0, usize::from), item.pos());
                unit = loss_unit(item.info).to_owned();
            }
            losses.bytes += item.wire_len();
            let kind = item.row.kind;
            let in_units = kind != RowKind::DROP || counts_drops(item.info);
            if let Some(lost_here) = item.attachments.iter().find(|e| e.id == AttachmentId::LOST && in_units) {
                losses.gaps += 1;
                losses.lost += lost_here.a;
                losses.at_least |= matches!(lost_here.b, lost::AT_LEAST | lost::PART_OF_SUM);
                gap = gap.take().or_else(|| Some(item.line()));
            } else if kind == RowKind::DROP || kind >= RowKind::FIRST_OWN_LOSS && !kind.is_of_host() {
                // Only the decoder can describe it.
                losses.add_own(item.info, kind, item.attachments);
                bad = bad.take().or_else(|| Some(item.line()));
            } else {
                losses.bad += 1;
                losses.parts += u64::from(kind == RowKind::ORPHANS);
                bad = bad.take().or_else(|| Some(item.line()));
            }
            true
        });
        let unknown = "data lost here".to_owned();
        let unknown = RowLine { role: RowRole::Loss, severity: Severity::ERROR, what: unknown, ..RowLine::default() };
        let mut line = gap.or(bad).unwrap_or(unknown);
        if !losses.own.is_empty() || losses.gaps > 1 || (losses.gaps == 0 && losses.bad > 1) {
            line.what = losses.words(&unit) + &between(rows, first, last);
        }
        let (extra, gutter, parts) = (Extra::default(), String::new(), Vec::new());
        ListEntry { first, last, n: None, source, pos, time: None, extra, line, gutter, parts, changes_state: false }
    }
}

fn step_from(row: u64, forward: bool) -> Option<u64> {
    if forward { row.checked_add(1) } else { row.checked_sub(1) }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Collapse {
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

    pub fn hides(self, rows: &RowList, row: u64) -> bool {
        self != Collapse::Nothing
            && rows.ensure_loaded(row)
            && rows.shape(row).is_some_and(|shape| is_redundant(&shape))
    }
}

/// `true` if rows of this shape are redundant, or disabled.
pub fn is_redundant(shape: &Shape) -> bool {
    shape.row.flags.intersects(RowFlags::REDUNDANT | RowFlags::MASKED)
}

/// Key shared by neighbours that are folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alike {
    Loss,
    /// Records that only name things, or report the target's configuration.
    Names,
    /// Kind, core, object, second key.
    Record(RowKind, u16, u64, u64),
}

#[derive(Debug, Clone, Default)]
pub(super) struct FoldedLosses {
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
            Some(unit) => format!(", {up_to}{}", counted(self.lost, unit)),
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

impl FoldedLosses {
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
            (gaps, 0) => format!("{gaps} losses, {at_least}{}", counted(self.lost, unit)),
            (gaps, bad) => {
                format!("{gaps} losses, {at_least}{}, {} damaged", counted(self.lost, unit), counted(bad, "frame"))
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
            all.push(format!("{at_least}{}", counted(self.lost, unit)));
        }
        all.extend(self.own.iter().map(OwnLoss::words));
        if self.parts > 0 {
            all.push(format!("{} without begin or end", counted(self.parts, "part")));
        }
        if self.bad > self.parts {
            all.push(format!("{} damaged", counted(self.bad - self.parts, "place")));
        }
        format!("{} losses: {}", grouped(self.gaps + self.bad + own), all.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folded_losses_have_the_unit_of_the_decoder() {
        let losses = FoldedLosses { gaps: 2, lost: 3, ..FoldedLosses::default() };
        assert_eq!([losses.words("buffer"), losses.words("record")], ["2 losses, 3 buffers", "2 losses, 3 records"]);
        let parts = FoldedLosses { bad: 2, parts: 2, bytes: 32, ..FoldedLosses::default() };
        let (kind, name) = (RowKind::FIRST_OWN_LOSS, "short buffer".to_owned());
        let own = vec![OwnLoss { kind, name, rows: 2, lost: 9, at_most: false, unit: "events".to_owned() }];
        let with_own = FoldedLosses { own, bad: 1, parts: 1, ..losses.clone() };
        assert_eq!(
            with_own.words("buffer"),
            "5 losses: 3 buffers; 2 times short buffer, 9 events; 1 part without begin or end"
        );
        let bound = FoldedLosses { own: vec![OwnLoss { at_most: true, ..with_own.own[0].clone() }], ..parts.clone() };
        assert_eq!(
            bound.words("buffer"),
            "4 losses: 2 times short buffer, up to 9 events; 2 parts without begin or end"
        );
        assert_eq!(parts.words("buffer"), "parts without begin or end in 2 places, 32 bytes");
        let losses = FoldedLosses { lost: 1, at_least: true, bad: 1, ..losses };
        assert_eq!(losses.words("event"), "2 losses, ≥1 event, 1 frame damaged");
    }
}
