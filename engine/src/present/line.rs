//! The columns of a row, as in the list and native text.

use spytui_plugin_api::{
    NONE, RenderedRow, Row,
    info::Info,
    render::Lookup,
    row::{RowFlags, RowKind, Severity},
};

use std::io::Write as _;

use super::{
    clock::Clock,
    failure,
    labels::Labels,
    sanitise::{sanitise_into, text_of},
    words::{given_name, key_word},
};
use crate::store::Span;

/// Role of a row, which decides its style.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Role {
    /// A record.
    #[default]
    Record,
    /// Something is missing or damaged.
    Loss,
    /// Reset, link, command.
    Event,
    /// Console output of the target.
    Console,
    /// Any other note.
    Note,
}

impl Role {
    /// The role of a row.
    #[must_use]
    pub fn of(row: &Row) -> Role {
        match row.kind {
            RowKind::CONSOLE => Role::Console,
            kind if kind.is_loss() => Role::Loss,
            RowKind::LINK | RowKind::COMMAND | RowKind::RESULT | RowKind::RESET | RowKind::RESTART => Role::Event,
            _ if row.has(RowFlags::EPOCH) => Role::Event,
            kind if kind.is_note() => Role::Note,
            _ => Role::Record,
        }
    }

    /// Whether a row of this role and severity is marked as one to look at: warnings, errors, unusual records.
    #[must_use]
    pub fn warns(self, severity: Severity) -> bool {
        let least = if self == Role::Record { Severity::INFO } else { Severity::WARNING };
        severity >= least
    }
}

/// A row in columns; all text is safe for a terminal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    /// Role of the row.
    pub role: Role,
    /// Its severity.
    pub severity: Severity,
    /// Target time; empty if the row has no time stamp of its own.
    pub time: String,
    /// Delta to the previous row with a time stamp.
    pub delta: String,
    /// Core, if the protocol has cores.
    pub core: String,
    /// Group.
    pub group: String,
    /// Kind word.
    pub kind: String,
    /// Object.
    pub object: String,
    /// Text.
    pub what: String,
}

/// Context of a line.
#[derive(Debug, Clone, Copy)]
pub struct LineContext<'a> {
    /// The decoder.
    pub info: &'a Info,
    /// Its labels.
    pub labels: &'a Labels,
    /// The clock.
    pub clock: Clock,
    /// Time of the previous row with a time stamp.
    pub before: Option<u64>,
    /// Place in a span, and whether it is uncertain.
    pub span: (Span, bool),
    /// Rows have different cores.
    pub cores: bool,
    /// The source, if the core alone is ambiguous.
    pub source: Option<u16>,
    /// The epoch, if it starts with the row.
    pub epoch: Option<NewEpoch<'a>>,
}

/// An epoch that starts with a row.
#[derive(Debug, Clone, Copy)]
pub struct NewEpoch<'a> {
    /// Its number, from 0.
    pub number: u32,
    /// What starts, in the decoder's words; otherwise the target was reset.
    pub what: Option<&'a [u8]>,
}

/// The columns of a row, written on demand; all text is safe for a terminal.
#[derive(Debug)]
pub struct LineColumns<'a, L: ?Sized> {
    around: LineContext<'a>,
    row: &'a Row,
    rendered: RenderedRow<'a>,
    names: &'a L,
    at: u32,
}

impl<'a, L: Lookup + ?Sized> LineColumns<'a, L> {
    /// The columns of a rendered row; `at` = its index in the block that `names` looks up.
    #[must_use]
    #[inline]
    pub fn new(
        around: LineContext<'a>,
        row: &'a Row,
        rendered: RenderedRow<'a>,
        names: &'a L,
        at: u32,
    ) -> LineColumns<'a, L> {
        LineColumns { around, row, rendered, names, at }
    }

    /// Role of the row.
    #[must_use]
    pub fn role(&self) -> Role {
        Role::of(self.row)
    }

    /// Whether the first column shows a warning.
    #[must_use]
    pub fn warns(&self) -> bool {
        Role::of(self.row).warns(self.severity())
    }

    /// Severity of the row; it warns if it could not be rendered or formatted.
    fn severity(&self) -> Severity {
        let least = if failure::is_marked(self.rendered.text) { Severity::WARNING } else { Severity::default() };
        self.row.severity.max(least)
    }

    /// Place in a span, and whether it is uncertain.
    #[must_use]
    pub fn span(&self) -> (Span, bool) {
        self.around.span
    }

    fn stamped(&self) -> bool {
        self.row.has(RowFlags::TIME_OWN)
    }

    /// Appends the target time, if the row has a time stamp of its own.
    pub fn push_time(&self, out: &mut Vec<u8>) {
        if self.stamped() {
            self.around.clock.push_time(self.row.time, out);
        }
    }

    /// Appends the delta to the previous row with a time stamp.
    pub fn push_delta(&self, out: &mut Vec<u8>) {
        if let (true, Some(before)) = (self.stamped(), self.around.before) {
            self.around.clock.push_delta(before, self.row.time, out);
        }
    }

    /// Appends the core, if the protocol has cores.
    pub fn push_core(&self, out: &mut Vec<u8>) {
        if !self.around.cores || self.row.core == NONE {
            return;
        }
        let _ = match self.around.source {
            Some(source) => write!(out, "{source}:{}", self.row.core),
            None => write!(out, "{}", self.row.core),
        };
    }

    /// Group.
    #[must_use]
    pub fn group(&self) -> &'a str {
        self.around.labels.group(self.row.group)
    }

    /// The kind word that the row or the target brings.
    pub fn own_kind(&self) -> Option<&'a [u8]> {
        self.rendered.kind_word.or_else(|| given_name(self.row, self.names, self.at))
    }

    /// Appends the kind word.
    pub fn push_kind(&self, out: &mut Vec<u8>) {
        match self.own_kind() {
            Some(word) => sanitise_into(word, out),
            None => out.extend_from_slice(self.around.labels.kind(self.around.info, self.row.kind).tag.as_bytes()),
        }
    }

    /// Space and scope of the row's object, if it has one.
    #[must_use]
    pub fn object_place(&self) -> Option<(u16, u64)> {
        let kind = self.around.labels.kind(self.around.info, self.row.kind);
        let has_object = kind.object != NONE && self.row.has(RowFlags::HAS_OBJECT);
        has_object.then(|| (kind.object, if kind.per_core { self.row.core.into() } else { 0 }))
    }

    /// Appends the name of the row's object, or its key, if it has one.
    pub fn push_object(&self, out: &mut Vec<u8>) {
        let Some((space, scope)) = self.object_place() else { return };
        match self.names.get(self.at, space, self.row.obj, scope) {
            Some(name) => sanitise_into(name, out),
            None => out.extend_from_slice(key_word(self.around.info.space(space), self.row.obj).as_bytes()),
        }
    }

    /// Appends the text.
    pub fn push_what(&self, out: &mut Vec<u8>) {
        if let Some(epoch) = self.around.epoch.filter(|epoch| epoch.number > 0) {
            sanitise_into(epoch.what.unwrap_or(b"target reset"), out);
            let _ = write!(out, ", epoch {} · ", epoch.number + 1);
        }
        sanitise_into(self.rendered.text, out);
    }

    /// Appends kind, object and text, separated by spaces: the subject of a search.
    pub fn push_text(&self, out: &mut Vec<u8>) {
        if self.role() != Role::Record {
            return self.push_what(out);
        }
        out.extend_from_slice(self.group().as_bytes());
        spaced(out, |out| self.push_kind(out));
        spaced(out, |out| self.push_object(out));
        spaced(out, |out| self.push_what(out));
    }
}

/// Appends a part, separated by a space unless one of both is empty.
fn spaced(out: &mut Vec<u8>, push: impl FnOnce(&mut Vec<u8>)) {
    let before = out.len();
    if before > 0 {
        out.push(b' ');
    }
    let start = out.len();
    push(out);
    if out.len() == start {
        out.truncate(before);
    }
}

impl Line {
    /// The columns as a line.
    #[must_use]
    pub fn new(cells: &LineColumns<'_, impl Lookup + ?Sized>) -> Line {
        let text = |push: &dyn Fn(&mut Vec<u8>)| {
            let mut out = Vec::new();
            push(&mut out);
            text_of(out)
        };
        Line {
            role: cells.role(),
            severity: cells.severity(),
            time: text(&|out| cells.push_time(out)),
            delta: text(&|out| cells.push_delta(out)),
            core: text(&|out| cells.push_core(out)),
            group: cells.group().to_owned(),
            kind: text(&|out| cells.push_kind(out)),
            object: text(&|out| cells.push_object(out)),
            what: text(&|out| cells.push_what(out)),
        }
    }

    /// Whether the first column shows a warning.
    #[must_use]
    pub fn warns(&self) -> bool {
        self.role.warns(self.severity)
    }
}

/// Column widths; constant while scrolling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Widths {
    /// Time; 0 hides a column.
    pub time: usize,
    /// Delta.
    pub delta: usize,
    /// Core.
    pub core: usize,
    /// Group.
    pub group: usize,
    /// Span gutter, 0 or 1.
    pub gutter: usize,
    /// Kind.
    pub kind: usize,
    /// Object.
    pub object: usize,
}

impl Widths {
    /// For a list of `columns` columns, with or without a core column.
    #[must_use]
    pub fn new(labels: &Labels, clock: Clock, columns: usize, cores: bool) -> Widths {
        let object = labels.object_width;
        let shown = |from: usize, width: usize| if columns >= from { width } else { 0 };
        Widths {
            time: clock.width(),
            delta: shown(72, 7),
            core: if cores { shown(50, 2) } else { 0 },
            group: shown(64, labels.group_width.clamp(2, 4)),
            gutter: shown(56, 1),
            kind: labels.kind_width,
            object: if columns >= 120 { object + 8 } else { object + columns.saturating_sub(100).min(8) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spytui_plugin_api::info::{GroupInfo, KindInfo, SpaceInfo, space as host_space};

    fn info() -> Info {
        let mut tran = KindInfo::new(RowKind(6), "QS_QEP_TRAN", 1);
        tran.tag = "Tran".into();
        Info { kinds: vec![tran].into(), ..Info::default() }
    }

    fn around<'a>(info: &'a Info, labels: &'a Labels) -> LineContext<'a> {
        let (clock, span) = (Clock::default(), (Span::None, false));
        LineContext { info, labels, clock, before: None, span, cores: false, source: None, epoch: None }
    }

    fn text_alone(text: &[u8]) -> RenderedRow<'_> {
        RenderedRow { text, ..RenderedRow::default() }
    }

    fn line(row: &Row, rendered: RenderedRow<'_>, before: Option<u64>) -> Line {
        let info = info();
        let labels = Labels::new(&info);
        let around = LineContext { before, ..around(&info, &labels) };
        Line::new(&LineColumns::new(around, row, rendered, &(), 0))
    }

    #[test]
    fn a_record_without_a_stamp_has_a_blank_time() {
        let line = line(
            &Row { kind: RowKind(6), time: 77, flags: RowFlags::TIME_INHERITED, ..Row::default() },
            text_alone(b"A \x1b B"),
            Some(7),
        );
        assert_eq!((line.time.as_str(), line.delta.as_str(), line.kind.as_str()), ("", "", "Tran"));
        assert_eq!(line.what, "A \\x1b B");
    }

    #[test]
    fn the_record_may_choose_its_kind_word() {
        let row = Row { kind: RowKind(6), time: 77, flags: RowFlags::TIME_OWN, ..Row::default() };
        let rendered = RenderedRow { kind_word: Some(b"TE0-Arm"), ..text_alone(b"door in 3") };
        let line = line(&row, rendered, Some(70));
        assert_eq!((line.kind.as_str(), line.what.as_str(), line.delta.as_str()), ("TE0-Arm", "door in 3", "+7"));
    }

    #[test]
    fn an_object_of_a_lane_has_the_name_of_its_lane() {
        struct OfLanes;
        impl Lookup for OfLanes {
            fn get(&self, _: u32, _: u16, _: u64, scope: u64) -> Option<&[u8]> {
                [&b"adc of core 0"[..], b"adc of core 1"].get(scope as usize).copied()
            }
        }
        let mut irq = KindInfo::new(RowKind(4), "isr_enter", 0);
        irq.obj_space = 16;
        let class = spytui_plugin_api::Class::OTHER;
        let space = |scope_space: u16| SpaceInfo { scope_space, ..SpaceInfo::new(16, "isr", "", class, 1) };
        let row = Row { kind: RowKind(4), obj: 7, core: 1, flags: RowFlags::HAS_OBJECT, ..Row::default() };
        for (scope_space, name) in [(host_space::CORES, "adc of core 1"), (NONE, "adc of core 0")] {
            let info =
                Info { kinds: vec![irq.clone()].into(), spaces: vec![space(scope_space)].into(), ..Info::default() };
            let labels = Labels::new(&info);
            let line = Line::new(&LineColumns::new(around(&info, &labels), &row, text_alone(b""), &OfLanes, 0));
            assert_eq!(line.object, name);
        }
    }

    #[test]
    fn what_is_empty_leaves_no_blank_in_the_text() {
        let mut info = info();
        info.groups = vec![GroupInfo::new(1, "SM", "")].into();
        let labels = Labels::new(&info);
        let text = |group: u8, rendered: RenderedRow<'_>, kind: RowKind| {
            let row = Row { group, kind, ..Row::default() };
            let mut out = Vec::new();
            LineColumns::new(around(&info, &labels), &row, rendered, &(), 0).push_text(&mut out);
            text_of(out)
        };
        let plain = text_alone(b"A to B");
        assert_eq!(
            (text(1, plain, RowKind(6)), text(0, plain, RowKind(6))),
            ("SM Tran A to B".into(), "Tran A to B".into())
        );
        let no_word = |text| RenderedRow { kind_word: Some(b""), ..text_alone(text) };
        assert_eq!(
            (text(1, no_word(b"A"), RowKind(6)), text(1, no_word(b""), RowKind(6))),
            ("SM A".into(), "SM".into())
        );
        assert_eq!(text(1, text_alone(b"1 lost"), RowKind::GAP), "1 lost");
    }

    #[test]
    fn a_tab_in_the_text_is_text() {
        let line = line(&Row { kind: RowKind(6), ..Row::default() }, text_alone(b"a\tb"), None);
        assert_eq!((line.kind.as_str(), line.what.as_str()), ("Tran", "a\\tb"));
    }

    #[test]
    fn losses_are_no_records() {
        assert_eq!(Role::of(&Row { kind: RowKind::GAP, ..Row::default() }), Role::Loss);
        assert_eq!(Role::of(&Row { kind: RowKind(64), flags: RowFlags::EPOCH, ..Row::default() }), Role::Event);
    }
}
