//! A rendered row with everything an export may use: columns, bytes, formatted text, and the shape of its record. All
//! text of columns is safe for a terminal.

use std::{borrow::Cow, io::Write as _};

use spytui_plugin_api::{
    Activity, Attachment, AttachmentId, Class, Dict, Field, NONE, RenderedRow, Row, RowFlags, RowIn, Severity,
    batch::wire_len,
    info::{Info, space},
    render::{FieldFlags, Tag},
};

use super::{
    PlannedRow, Renderer,
    record::RenderedRecord,
    typed::{STATES, TRACKS, without_zeros},
};
use crate::{
    present::{
        Clock, Labels, RowLine, RowRole,
        clock::push_number,
        sanitise::{self, text_of},
        sanitise_into,
        words::{KindWords, given_name, key_word},
    },
    query::Name,
    store::{BlockNames, RowNames, Span},
};

#[derive(Debug, Clone, Copy)]
pub struct RowView<'a> {
    pub info: &'a Info,
    pub labels: &'a Labels,
    /// Index of the source, from 0, if there are several.
    pub source: Option<u16>,
    /// Several targets are shown together.
    pub apart: bool,
    /// Number of the record, from 1; `None` for other rows.
    pub n: Option<u64>,
    pub row: &'a Row,
    /// May be higher than the decoder's, because of formatters.
    pub severity: Severity,
    /// Place in a span, and whether it is uncertain.
    pub span: (Span, bool),
    pub attachments: &'a [Attachment],
    /// Present only if the sink requests them.
    pub activities: &'a [Activity],
    /// Data of the attachments.
    pub blob: &'a [u8],
    pub cfg: &'a [u8],
    /// The bytes of the row, with all fragments concatenated.
    pub raw: &'a [u8],
    pub rendered: RenderedRow<'a>,
    /// Fields that are not among those rendered; only for lines that take them.
    pub planned: Option<PlannedRow<'a>>,
    pub names: &'a dyn RowNames,
    pub clock: Clock,
    /// Time of the previous row with a time stamp.
    pub before: Option<u64>,
    /// Host time of its bytes, Unix ns.
    pub host_ns: Option<u64>,
    /// Epoch of the target, from 0.
    pub epoch: u32,
    /// Names of its bookmarks.
    pub marks: &'a [&'a str],
}

impl<'a> RowView<'a> {
    /// A row without the context of its source and of earlier rows.
    #[inline]
    pub fn new(
        info: &'a Info,
        labels: &'a Labels,
        input: RowIn<'a>,
        names: &'a dyn RowNames,
        rendered: RenderedRow<'a>,
    ) -> RowView<'a> {
        RowView {
            info,
            labels,
            source: None,
            apart: false,
            n: None,
            row: input.row,
            severity: input.row.severity,
            span: Default::default(),
            attachments: input.attachments.as_slice(),
            activities: &[],
            blob: input.blob.as_slice(),
            cfg: &[],
            raw: input.raw.as_slice(),
            rendered,
            planned: None,
            names,
            clock: Clock::default(),
            before: None,
            host_ns: None,
            epoch: 0,
            marks: &[],
        }
    }

    pub fn kind(&self) -> &'a KindWords {
        self.labels.kind(self.info, self.row.kind)
    }
}

impl RowView<'_> {
    pub fn row_in(&self) -> RowIn<'_> {
        RowIn { row: self.row, raw: self.raw.into(), attachments: self.attachments.into(), blob: self.blob.into() }
    }

    /// The row's fields without the sequence number.
    pub fn fields(&self) -> impl Iterator<Item = (&[u8], &Field)> {
        let RenderedRow { fields, blob, .. } = self.rendered;
        let is_shown = |name: &[u8], field: &Field| name != b"seq" && !matches!(field.space, TRACKS | STATES);
        fields.iter().map(|f| (f.name.of(blob), f)).filter(move |(name, field)| is_shown(name, field))
    }

    /// Names and numbers of the tracks that formatters put it on, or of its states there.
    pub(crate) fn track_names(&self, name: Name) -> impl Iterator<Item = (Cow<'_, str>, u64)> {
        let space = match name {
            Name::Obj => TRACKS,
            Name::State => STATES,
            _ => NONE,
        };
        let RenderedRow { fields, blob, .. } = self.rendered;
        let own = fields.iter().filter(move |field| space != NONE && field.space == space);
        own.map(move |field| (String::from_utf8_lossy(field.text.of(blob)), u64::from(field.num as u32)))
    }

    /// Sequence number: the decoder's field `seq`.
    pub fn seq(&self) -> Option<u64> {
        if let Some(planned) = &self.planned {
            return planned.seq.map(u64::from);
        }
        let RenderedRow { fields, blob, .. } = self.rendered;
        fields.iter().find(|f| f.name.of(blob) == b"seq").map(|f| f.num)
    }

    /// Offset of its first byte in the stream.
    pub fn pos(&self) -> u64 {
        self.attachments.iter().find(|e| e.id == AttachmentId::FRAGMENT).map_or(self.row.pos, |e| e.a)
    }

    /// Length including framing, all fragments; 0 if its bytes belong to an earlier row.
    #[inline]
    pub fn wire_len(&self) -> u64 {
        wire_len(self.row, self.attachments)
    }

    /// Time in ns, if the row has one and the rate is known.
    pub fn ns(&self) -> Option<u64> {
        if self.row.has_time() { self.clock.ns(self.row.time) } else { None }
    }

    /// Core, if the row belongs to one.
    pub fn core(&self) -> Option<u16> {
        (self.cores() && self.row.core != NONE).then_some(self.row.core)
    }

    /// Whether cores vary: those of the protocol, or one per source.
    pub fn cores(&self) -> bool {
        self.source.is_some() || self.info.has_cores
    }

    /// Whether cores are ambiguous because other targets have the same ones.
    pub fn cores_apart(&self) -> bool {
        self.apart && self.info.has_cores
    }

    pub fn role(&self) -> RowRole {
        RowRole::of(self.row)
    }

    /// Whether the first column shows a warning.
    pub fn warns(&self) -> bool {
        self.role().warns(self.severity_shown())
    }

    /// Severity of the row; at least a warning if rendering or formatting failed.
    fn severity_shown(&self) -> Severity {
        let least = if sanitise::is_marked(self.rendered.text) { Severity::WARNING } else { Severity::default() };
        self.severity.max(least)
    }

    /// Appends the target time, if the row has its own time stamp.
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

    /// Appends the core, if the protocol has cores, preceded by the source if the core alone is ambiguous.
    pub fn push_core(&self, out: &mut Vec<u8>) {
        let Some(core) = self.core() else { return };
        if let Some(source) = self.source.filter(|_| self.cores_apart()) {
            push_number(source.into(), out);
            out.push(b':');
        }
        push_number(core.into(), out);
    }

    pub fn group(&self) -> &str {
        self.labels.group(self.row.group)
    }

    /// The kind word of the row itself or from the target.
    pub fn own_kind(&self) -> Option<&[u8]> {
        self.rendered.kind_word.or_else(|| given_name(self.row, self.names, 0))
    }

    pub fn push_kind(&self, out: &mut Vec<u8>) {
        match self.own_kind() {
            Some(word) => sanitise_into(word, out),
            None => out.extend_from_slice(self.kind().tag.as_bytes()),
        }
    }

    /// Space and scope of the row's object, if any.
    pub fn object_place(&self) -> Option<(u16, u64)> {
        let kind = self.kind();
        let has_object = kind.object != NONE && self.row.has(RowFlags::HAS_OBJECT);
        has_object.then(|| (kind.object, if kind.per_core { self.row.core.into() } else { 0 }))
    }

    pub fn push_object(&self, out: &mut Vec<u8>) {
        let Some((space, scope)) = self.object_place() else { return };
        match self.names.get(0, space, self.row.obj, scope) {
            Some(name) => sanitise_into(name, out),
            None => out.extend_from_slice(key_word(self.info.space(space), self.row.obj).as_bytes()),
        }
    }

    /// Appends the text; if an epoch starts here, preceded by its number and the decoder's word for it.
    pub fn push_what(&self, out: &mut Vec<u8>) {
        if self.row.has(RowFlags::EPOCH) && self.epoch > 0 {
            let words = self.attachments.iter().find(|words| words.id == AttachmentId::NEW_EPOCH);
            sanitise_into(words.map_or(&b"target reset"[..], |words| words.bytes(self.blob)), out);
            let _ = write!(out, ", epoch {} · ", self.epoch + 1);
        }
        sanitise_into(self.rendered.text, out);
    }

    /// Appends kind, object and text, separated by spaces, as searches see them.
    pub fn push_text(&self, out: &mut Vec<u8>) {
        if self.role() != RowRole::Record {
            return self.push_what(out);
        }
        out.extend_from_slice(self.group().as_bytes());
        spaced(out, |out| self.push_kind(out));
        spaced(out, |out| self.push_object(out));
        spaced(out, |out| self.push_what(out));
    }

    /// Appends kind, object and text, separated by spaces; only the text of what is no record.
    pub fn push_words(&self, out: &mut Vec<u8>) {
        if self.role() == RowRole::Record {
            self.push_kind(out);
            spaced(out, |out| self.push_object(out));
            spaced(out, |out| self.push_what(out));
        } else {
            self.push_what(out);
        }
    }

    pub fn line(&self) -> RowLine {
        let text = |push: &dyn Fn(&mut Vec<u8>)| {
            let mut out = Vec::new();
            push(&mut out);
            text_of(out)
        };
        RowLine {
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

/// Appends a part, separated by a space unless either is empty.
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

/// Word and text that formatting gave a record.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct GivenText {
    pub word: Option<Vec<u8>>,
    /// Empty if there is only a word.
    pub text: Vec<u8>,
}

impl GivenText {
    /// The text from formatters, or from format lines that the decoder reads itself; `None` if it has neither.
    pub fn of(view: &RowView<'_>, renderer: &Renderer, names: &BlockNames<'_>) -> Option<GivenText> {
        if !view.row.has(RowFlags::APPLICATION) {
            return None;
        }
        let name = given_name(view.row, names, 0);
        if let Some(given) = renderer.given(view.cfg, &view.row_in(), &Dict::new(names)) {
            let given = given.row(0);
            return Some(GivenText { word: given.kind_word.or(name).map(<[u8]>::to_vec), text: given.text.to_vec() });
        }
        // A decoder that reads format lines made the text when the record arrived, and stores it with the row.
        let mut kept = view.attachments.iter().filter(|kept| kept.id.is_own() && kept.is_bytes);
        let is_given = kept.any(|kept| kept.bytes(view.blob) == view.rendered.text);
        is_given.then(|| GivenText { word: name.map(<[u8]>::to_vec), text: view.rendered.text.to_vec() })
    }
}

/// Maximum fields; the rest becomes one field.
const MOST: usize = 64;
/// Type of the remaining bytes.
pub(crate) const REST: &str = "bytes";

/// The shape of a record, for writing a line about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecordShape {
    /// Its name in lines: from the dictionary, otherwise its id.
    pub(crate) called: String,
    /// The record's id, as in the list without a dictionary.
    pub(crate) id: String,
    /// Types of its fields, in the syntax of a line; `_:u8` is not shown.
    pub(crate) types: Vec<String>,
}

impl RecordShape {
    /// The shape of a row rendered with fields and application bytes; `None` if it is not an application record.
    pub(crate) fn of(view: &RowView<'_>) -> Option<RecordShape> {
        if !view.row.has(RowFlags::APPLICATION) || view.row.has(RowFlags::MALFORMED) {
            return None;
        }
        let (info, names) = (view.info, spytui_plugin_api::Dict::new(view.names.plain()));
        let record = RenderedRecord { row: view.row, rendered: view.rendered, names, info };
        let space = |id: &str| info.spaces.iter().find(|space| id.split(':').next() == Some(&*space.name));
        // A task as owner of the record.
        let is_own =
            |id: &Cow<'_, str>| !space(id).is_some_and(|space| matches!(space.class, Class::TASK | Class::PROCESS));
        let id = record.called(view.labels).ids().find(is_own).unwrap_or_default().into_owned();
        let name = match (space(&id), id.rsplit_once(':').and_then(|(_, key)| key.parse().ok())) {
            (Some(space), Some(key)) => names.name(space.id, key, 0),
            _ => names.name(space::KINDS, view.row.kind.0.into(), 0),
        };
        let name = name.map(|name| String::from_utf8_lossy(name).into_owned());
        let name = name.filter(|name| !name.is_empty() && !name.contains(char::is_control));
        Some(RecordShape { called: name.unwrap_or_else(|| id.clone()), id, types: types(view, &record.payload()) })
    }
}

fn types(view: &RowView<'_>, payload: &[u8]) -> Vec<String> {
    let elements = view.fields().filter(|(_, field)| field.flags.contains(FieldFlags::ELEMENT));
    let mut types: Vec<String> = elements.flat_map(|(_, field)| of_element(field)).collect();
    let is_text = |(_, field): (&[u8], &Field)| {
        field.tag == Tag::TEXT && field.text.of(view.rendered.blob) == without_zeros(payload)
    };
    let is_value = |(_, field): (&[u8], &Field)| field.tag == Tag::SIGNED && payload == field.num.to_le_bytes();
    if types.is_empty() {
        types = match payload.len() {
            _ if view.fields().any(is_text) => vec!["str".to_owned()],
            _ if view.fields().any(is_value) => vec!["i64".to_owned()],
            len if len % 4 == 0 => vec!["u32".to_owned(); len / 4],
            _ => vec![REST.to_owned()],
        };
    }
    if types.len() > MOST {
        types.truncate(MOST);
        types.push(REST.to_owned());
    }
    types
}

/// The fields of an element; a block of memory begins with its length.
fn of_element(field: &Field) -> Vec<String> {
    // Without the format byte.
    let size = field.byte_len.saturating_sub(1);
    let letter = match field.tag {
        Tag::SIGNED => "i",
        Tag::F64 => "f",
        Tag::UNSIGNED if !field.flags.contains(FieldFlags::HEX) => "u",
        Tag::BOOL => "u",
        Tag::TEXT => return vec!["str".to_owned()],
        Tag::BYTES => {
            let bytes = format!("bytes[{}]", size.saturating_sub(1));
            return if size > 1 { vec!["_:u8".to_owned(), bytes] } else { vec!["_:u8".to_owned()] };
        }
        _ => "x",
    };
    match size {
        1 | 2 | 4 | 8 => vec![format!("{letter}{}", 8 * size)],
        _ => vec![format!("bytes[{}]", size.max(1))],
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
        store::{BlockNames, Dictionary, View, dictionary::NameOrigin},
    };

    fn info() -> Info {
        let mut tran = KindInfo::new(RowKind(6), "QS_QEP_TRAN", 1);
        tran.tag = "Tran".into();
        Info { kinds: vec![tran].into(), ..Info::default() }
    }

    /// Passes a row with these parts and names.
    fn seen<T>(
        (info, names): (&Info, &Dictionary),
        row: &Row,
        rendered: RenderedRow<'_>,
        see: impl FnOnce(RowView<'_>) -> T,
    ) -> T {
        let names =
            BlockNames { dictionary: names, others: &[], row: 0, rows: &[], view: View::Effective, short: false };
        let input = RowIn { row, raw: Default::default(), attachments: Default::default(), blob: Default::default() };
        see(RowView::new(info, &Labels::new(info), input, &names, rendered))
    }

    fn text_alone(text: &[u8]) -> RenderedRow<'_> {
        RenderedRow { text, ..RenderedRow::default() }
    }

    fn line(row: &Row, rendered: RenderedRow<'_>, before: Option<u64>) -> RowLine {
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
