//! The columns of a row, written on demand; all text is safe for a terminal.

use std::io::Write as _;

use spytui_plugin_api::{AttachmentId, NONE, RowFlags, Severity};

use super::RowView;
use crate::present::{
    Line, Role, failure,
    sanitise::text_of,
    sanitise_into,
    words::{given_name, key_word},
};

impl RowView<'_> {
    /// Role of the row.
    pub fn role(&self) -> Role {
        Role::of(self.row)
    }

    /// Whether the first column shows a warning.
    pub fn warns(&self) -> bool {
        self.role().warns(self.severity_shown())
    }

    /// Severity of the row; it warns if it could not be rendered or formatted.
    fn severity_shown(&self) -> Severity {
        let least = if failure::is_marked(self.rendered.text) { Severity::WARNING } else { Severity::default() };
        self.severity.max(least)
    }

    /// Appends the target time, if the row has a time stamp of its own.
    pub fn push_time(&self, out: &mut Vec<u8>) {
        if self.row.has(RowFlags::TIME_OWN) {
            self.clock.push_time(self.row.time, out);
        }
    }

    /// Appends the delta to the previous row with a time stamp.
    pub fn push_delta(&self, out: &mut Vec<u8>) {
        if let (true, Some(before)) = (self.row.has(RowFlags::TIME_OWN), self.before) {
            self.clock.push_delta(before, self.row.time, out);
        }
    }

    /// Appends the core, if the protocol has cores, and before it the source if the core alone is ambiguous.
    pub fn push_core(&self, out: &mut Vec<u8>) {
        let Some(core) = self.core() else { return };
        let _ = match self.source.filter(|_| self.cores_apart()) {
            Some(source) => write!(out, "{source}:{core}"),
            None => write!(out, "{core}"),
        };
    }

    pub fn group(&self) -> &str {
        self.labels.group(self.row.group)
    }

    /// The kind word that the row or the target brings.
    pub fn own_kind(&self) -> Option<&[u8]> {
        self.rendered.kind_word.or_else(|| given_name(self.row, self.names, 0))
    }

    /// Appends the kind word.
    pub fn push_kind(&self, out: &mut Vec<u8>) {
        match self.own_kind() {
            Some(word) => sanitise_into(word, out),
            None => out.extend_from_slice(self.kind.tag.as_bytes()),
        }
    }

    /// Space and scope of the row's object, if it has one.
    pub fn object_place(&self) -> Option<(u16, u64)> {
        let kind = self.kind;
        let has_object = kind.object != NONE && self.row.has(RowFlags::HAS_OBJECT);
        has_object.then(|| (kind.object, if kind.per_core { self.row.core.into() } else { 0 }))
    }

    /// Appends the name of the row's object, or its key, if it has one.
    pub fn push_object(&self, out: &mut Vec<u8>) {
        let Some((space, scope)) = self.object_place() else { return };
        match self.names.get(0, space, self.row.obj, scope) {
            Some(name) => sanitise_into(name, out),
            None => out.extend_from_slice(key_word(self.info.space(space), self.row.obj).as_bytes()),
        }
    }

    /// Appends the text, behind the number of the epoch that starts with the row and what starts, in the decoder's words.
    pub fn push_what(&self, out: &mut Vec<u8>) {
        if self.row.has(RowFlags::EPOCH) && self.epoch > 0 {
            let words = self.attachments.iter().find(|words| words.id == AttachmentId::NEW_EPOCH);
            sanitise_into(words.map_or(&b"target reset"[..], |words| words.bytes(self.blob)), out);
            let _ = write!(out, ", epoch {} · ", self.epoch + 1);
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

    /// Its columns.
    pub fn line(&self) -> Line {
        let text = |push: &dyn Fn(&mut Vec<u8>)| {
            let mut out = Vec::new();
            push(&mut out);
            text_of(out)
        };
        Line {
            role: self.role(),
            severity: self.severity_shown(),
            time: text(&|out| self.push_time(out)),
            delta: text(&|out| self.push_delta(out)),
            core: text(&|out| self.push_core(out)),
            group: self.group().to_owned(),
            kind: text(&|out| self.push_kind(out)),
            object: text(&|out| self.push_object(out)),
            what: text(&|out| self.push_what(out)),
        }
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

#[cfg(test)]
mod tests {
    use spytui_plugin_api::{
        Info, RenderedRow, Row, RowIn, RowKind,
        info::{GroupInfo, KindInfo, SpaceInfo, space as host_space},
    };

    use super::*;
    use crate::{
        present::Labels,
        store::{Dictionary, Names, View, dictionary::NameOrigin},
    };

    fn info() -> Info {
        let mut tran = KindInfo::new(RowKind(6), "QS_QEP_TRAN", 1);
        tran.tag = "Tran".into();
        Info { kinds: vec![tran].into(), ..Info::default() }
    }

    /// Passes a row with these parts, seen with these names.
    fn seen<T>(
        (info, names): (&Info, &Dictionary),
        row: &Row,
        rendered: RenderedRow<'_>,
        see: impl FnOnce(RowView<'_>) -> T,
    ) -> T {
        let names = Names { dictionary: names, others: &[], row: 0, rows: &[], view: View::Effective, short: false };
        let input = RowIn { row, raw: Default::default(), attachments: Default::default(), blob: Default::default() };
        see(RowView::new(info, &Labels::new(info), input, &names, rendered))
    }

    fn text_alone(text: &[u8]) -> RenderedRow<'_> {
        RenderedRow { text, ..RenderedRow::default() }
    }

    fn line(row: &Row, rendered: RenderedRow<'_>, before: Option<u64>) -> Line {
        let nameless = Dictionary::default();
        seen((&info(), &nameless), row, rendered, |view| RowView { before, ..view }.line())
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
        let mut irq = KindInfo::new(RowKind(4), "isr_enter", 0);
        irq.obj_space = 16;
        let space = |scope_space: u16| SpaceInfo {
            scope_space,
            ..SpaceInfo::new(
                16,
                "isr",
                "",
                spytui_plugin_api::Class::OTHER,
                spytui_plugin_api::info::KeyFormat::DECIMAL,
            )
        };
        let row = Row { kind: RowKind(4), obj: 7, core: 1, flags: RowFlags::HAS_OBJECT, ..Row::default() };
        for (scope_space, name) in [(host_space::CORES, "adc of core 1"), (NONE, "adc of core 0")] {
            let info =
                Info { kinds: vec![irq.clone()].into(), spaces: vec![space(scope_space)].into(), ..Info::default() };
            let mut names = Dictionary::new(&info, true);
            for core in 0..2 {
                let name = format!("adc of core {core}");
                names.set(16, 7, core, Some(name.as_bytes()), 0, 0, NameOrigin::User);
            }
            assert_eq!(seen((&info, &names), &row, text_alone(b""), |view| view.line().object), name);
        }
    }

    #[test]
    fn what_is_empty_leaves_no_blank_in_the_text() {
        let mut info = info();
        info.groups = vec![GroupInfo::new(1, "SM", "")].into();
        let nameless = Dictionary::default();
        let text = |group: u8, rendered: RenderedRow<'_>, kind: RowKind| {
            let row = Row { group, kind, ..Row::default() };
            let mut out = Vec::new();
            seen((&info, &nameless), &row, rendered, |view| view.push_text(&mut out));
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
}
