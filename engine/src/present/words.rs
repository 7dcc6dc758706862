//! Words for kinds, keys and names; the columns of a row and their widths.

use std::sync::OnceLock;

use rustc_hash::FxHashSet;
use spytui_plugin_api::{
    KeyFormat, NONE, Row,
    info::{Info, KindInfo, SpaceInfo, space},
    render::Lookup,
    row::{RowFlags, RowKind, Severity},
    text::grouped,
};

use super::{
    Clock,
    sanitise::{is_plain, sanitise_text},
};

/// A key without a name: `0x4110E0` if the space is hexadecimal, otherwise `sig 18`.
pub fn key_word(space: Option<&SpaceInfo>, key: u64) -> String {
    match space {
        Some(s) if s.key_format != KeyFormat::HEX => format!("{} {}", sanitise_text(&s.name), key_number(space, key)),
        _ => key_number(space, key),
    }
}

pub fn key_number(space: Option<&SpaceInfo>, key: u64) -> String {
    match space.map(|space| space.key_format) {
        Some(KeyFormat::HEX) => format!("0x{key:X}"),
        Some(KeyFormat::LARGE_HEX) if key > u64::from(u16::MAX) => format!("0x{key:X}"),
        _ => key.to_string(),
    }
}

/// Full name of a kind as in the protocol; the contract's word for notes; `kind 42` for unknown ones.
pub fn kind_name(info: &Info, kind: RowKind) -> String {
    if let Some(word) = kind.word() {
        return word.to_owned();
    }
    info.kind(kind).map_or_else(|| format!("kind {}", kind.0), |described| name_of(described, kind))
}

fn name_of(described: &KindInfo, kind: RowKind) -> String {
    let name = &described.name;
    if described.first == described.last { name.to_string() } else { in_range(name, number_in(described, kind)) }
}

/// A kind of a range: `USER+7`, or its number if the range has no name.
fn in_range(name: &str, number: u16) -> String {
    if name.is_empty() { number.to_string() } else { format!("{name}+{number}") }
}

/// Number of a kind within its range, relative to [`KindInfo::base`].
fn number_in(described: &KindInfo, kind: RowKind) -> u16 {
    kind.0.saturating_sub(described.base.0)
}

/// The target's number of a kind: versions may use one number for different records.
pub fn wire_id(info: &Info, kind: RowKind) -> u16 {
    if kind.0 <= 0xFF {
        return kind.0;
    }
    info.kind(kind).map_or(kind.0, |k| k.wire_id.saturating_add(kind.0 - k.first.0))
}

/// A number with its unit: `1 record`, `2 257 losses`.
pub fn counted(count: u64, word: &str) -> String {
    let ending = match (count, word.ends_with('s')) {
        (1, _) => "",
        (_, true) => "es",
        _ => "s",
    };
    format!("{} {word}{ending}", grouped(count))
}

/// A name as typed in a command to the target.
pub fn quoted(name: String) -> String {
    if name.contains(char::is_whitespace) { format!("\"{name}\"") } else { name }
}

/// Each kind with all its words: full name, tag, and the last part of its name unless that is the tag of another kind:
/// with a kind `Tran`, `QS_QEP_INTERN_TRAN` is not `TRAN`.
pub fn kind_words(info: &Info) -> impl Iterator<Item = (&KindInfo, [String; 3])> {
    let tags: FxHashSet<String> = info.kinds.iter().map(|kind| kind.tag().to_ascii_lowercase()).collect();
    info.kinds.iter().map(move |kind| {
        let full = name_of(kind, kind.first);
        let last = last_unless(&full, |last| tags.contains(&last.to_ascii_lowercase())).to_owned();
        (kind, [full, kind.tag().to_owned(), last])
    })
}

fn last_unless(full: &str, is_tag: impl FnOnce(&str) -> bool) -> &str {
    let last = full.rsplit('_').next().unwrap_or_default();
    if is_tag(last) { "" } else { last }
}

/// The short form of a name, unique or not: the part that matches the `*` of the space's pattern.
pub fn short_form<'a>(space: &SpaceInfo, name: &'a [u8]) -> Option<&'a [u8]> {
    let (before, behind) = space.short.split_once('*')?;
    name.strip_prefix(before.as_bytes())?.strip_suffix(behind.as_bytes()).filter(|short| !short.is_empty())
}

/// The object's name in the source, if written like the space's short pattern: `l_motor` in `AO(l_motor)`.
pub fn source_form<'a>(space: &SpaceInfo, name: &'a [u8]) -> Option<&'a [u8]> {
    let (before, _) = space.short.split_once('(')?;
    let inner = name.strip_prefix(before.as_bytes())?.strip_prefix(b"(")?.strip_suffix(b")")?;
    Some(inner).filter(|inner| !inner.is_empty())
}

/// Kind word of the list: the name given by the target, otherwise the decoder's tag.
pub fn kind_tag(info: &Info, row: &Row, names: &impl Lookup, at: u32) -> String {
    given_name(row, names, at).map_or_else(|| tag_of(info, row.kind), super::sanitise)
}

/// The name given to a row's kind by the target.
pub fn given_name<'a>(row: &Row, names: &'a (impl Lookup + ?Sized), at: u32) -> Option<&'a [u8]> {
    if !row.kind.is_note() { names.get(at, space::KINDS, row.kind.0.into(), 0) } else { None }
}

pub fn tag_of(info: &Info, kind: RowKind) -> String {
    match info.kind(kind) {
        Some(k) if k.first == k.last => k.tag().to_owned(),
        Some(k) => in_range(k.tag(), number_in(k, kind)),
        None => kind.word().map_or_else(|| kind.0.to_string(), str::to_owned),
    }
}

pub fn group_tag(info: &Info, group: u8) -> &str {
    info.group(group).map_or("", |g| g.tag.as_str())
}

pub fn group_name(info: &Info, group: u8) -> &str {
    info.group(group).map_or("", |g| g.name.as_str())
}

/// Kinds per page.
const PAGE: u16 = 256;

/// Labels of the kinds with a common high byte, each computed on first use.
type Page = Box<[OnceLock<KindWords>]>;

#[derive(Debug, Clone)]
pub struct Labels {
    /// By high byte of the kind, then low byte: kinds may be any numbers, but rows have few of them.
    pages: Box<[OnceLock<Page>]>,
    groups: Vec<Box<str>>,
    pub group_width: usize,
    pub kind_width: usize,
    /// Width of the longest kind word known to the decoder, at most 18; at least `kind_width`.
    pub longest_kind: usize,
    pub object_width: usize,
}

#[derive(Debug, Clone)]
pub struct KindWords {
    pub name: Box<str>,
    /// Kind word of the list, unless the target gave a name.
    pub tag: Box<str>,
    /// Kind word of its range of kinds; empty if not declared.
    pub family: Box<str>,
    /// The last part of its name, if that is a word for it.
    pub last: Box<str>,
    /// The target's number; see [`KindWords::id_of`].
    pub id: u16,
    /// Not declared by the decoder: only this stream has it.
    pub own: bool,
    /// The decoder declares no name for it.
    pub nameless: bool,
    pub object: u16,
    /// Space of its second entities.
    pub item: u16,
    /// Names of its objects are per core.
    pub per_core: bool,
    /// Records of it have a kind word of their own.
    pub own_word: bool,
    /// Number and name as members of a JSON object; empty if rows differ.
    pub json: Box<str>,
}

/// Maximum width of the kind column.
const LONGEST: usize = 18;

impl KindWords {
    fn new(info: &Info, kind: RowKind) -> KindWords {
        let name = kind_name(info, kind);
        let spec = info.kind(kind);
        let object = spec.map_or(NONE, |spec| spec.obj_space);
        let (id, nameless) = (wire_id(info, kind), spec.is_none_or(|spec| spec.name.is_empty()));
        let is_fixed = !nameless && is_plain(name.as_bytes(), *b"\"\\");
        KindWords {
            own: spec.is_none() && !kind.is_note(),
            nameless,
            json: if is_fixed { format!(",\"id\":{id},\"kind\":\"{name}\"") } else { String::new() }.into(),
            last: last_unless(&name, |last| info.kinds.iter().any(|kind| kind.tag().eq_ignore_ascii_case(last))).into(),
            name: name.into(),
            tag: sanitise_text(&tag_of(info, kind)).into(),
            family: spec.map_or("", |spec| spec.tag()).into(),
            id,
            object,
            item: spec.map_or(NONE, |spec| spec.item_space),
            per_core: info.space(object).is_some_and(|s| s.scope_space == space::CORES),
            own_word: spec.is_some_and(|spec| spec.own_word),
        }
    }

    /// The target's number of a row's kind; for a kind that only this stream has, the row contains it.
    #[inline]
    pub fn id_of(&self, row: &Row) -> u64 {
        if self.own && row.has(RowFlags::HAS_ITEM) { row.item } else { self.id.into() }
    }
}

impl Labels {
    pub fn new(info: &Info) -> Labels {
        let longest = info.kinds.iter().map(|kind| kind.tag().chars().count()).max().unwrap_or(0);
        let or_usual = |own: u8, usual: usize| if own == 0 { usual } else { own.into() };
        Labels {
            pages: empty(),
            groups: (0..=u8::MAX).map(|group| sanitise_text(group_tag(info, group)).into()).collect(),
            group_width: info.groups.iter().map(|g| g.tag.chars().count()).max().unwrap_or(2),
            kind_width: or_usual(info.kind_width, 8),
            longest_kind: longest.clamp(or_usual(info.kind_width, 8), LONGEST),
            object_width: or_usual(info.object_width, 9),
        }
    }

    #[inline]
    pub fn kind(&self, info: &Info, kind: RowKind) -> &KindWords {
        let page = self.pages[usize::from(kind.0 / PAGE)].get_or_init(empty);
        page[usize::from(kind.0 % PAGE)].get_or_init(|| KindWords::new(info, kind))
    }

    pub fn group(&self, group: u8) -> &str {
        self.groups.get(usize::from(group)).map_or("", |name| name)
    }
}

fn empty<T>() -> Box<[OnceLock<T>]> {
    (0..PAGE).map(|_| OnceLock::new()).collect()
}

/// Role of a row, which decides its style.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RowRole {
    #[default]
    Record,
    /// Missing or damaged data.
    Loss,
    /// Reset, link, command.
    Event,
    /// Console output of the target.
    Console,
    Note,
}

impl RowRole {
    pub fn of(row: &Row) -> RowRole {
        match row.kind {
            RowKind::CONSOLE => RowRole::Console,
            kind if kind.is_loss() => RowRole::Loss,
            RowKind::LINK
            | RowKind::COMMAND
            | RowKind::RESULT
            | RowKind::FRONT_END
            | RowKind::RESET
            | RowKind::RESTART => RowRole::Event,
            _ if row.has(RowFlags::EPOCH) => RowRole::Event,
            kind if kind.is_note() => RowRole::Note,
            _ => RowRole::Record,
        }
    }

    /// Whether a row of this role and severity is marked: warnings, errors, unusual records.
    pub fn warns(self, severity: Severity) -> bool {
        let least = if self == RowRole::Record { Severity::INFO } else { Severity::WARNING };
        severity >= least
    }
}

/// A row in columns; all text is safe for a terminal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowLine {
    pub role: RowRole,
    pub severity: Severity,
    /// Empty if the row has no time stamp of its own.
    pub time: String,
    /// Delta to the previous row with a time stamp.
    pub delta: String,
    /// Empty if the protocol has no cores.
    pub core: String,
    pub group: String,
    pub kind: String,
    pub object: String,
    pub what: String,
}

impl RowLine {
    /// Whether the first column shows a warning.
    pub fn warns(&self) -> bool {
        self.role.warns(self.severity)
    }
}

/// Column widths; constant while scrolling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Widths {
    /// Time; 0 hides a column.
    pub time: usize,
    pub delta: usize,
    pub core: usize,
    pub group: usize,
    /// Span gutter, 0 or 1.
    pub gutter: usize,
    pub kind: usize,
    pub object: usize,
}

impl Widths {
    /// For a list of `columns` columns, with or without a core column.
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
    use spytui_plugin_api::Class;

    use super::*;

    #[test]
    fn keys_have_the_form_of_their_space() {
        let word = |format, key| key_word(Some(&SpaceInfo::new(16, "irq", "", Class::ISR, format)), key);
        assert_eq!(
            (word(KeyFormat::HEX, 0x4110E0), word(KeyFormat::DECIMAL, 1 << 31)),
            ("0x4110E0".into(), "irq 2147483648".into())
        );
        assert_eq!(
            [27, 65_535, 1 << 31].map(|key| word(KeyFormat::LARGE_HEX, key)),
            ["irq 27", "irq 65535", "irq 0x80000000"]
        );
        assert_eq!(key_word(None, 18), "18");
    }

    #[test]
    fn words_of_a_decoder_are_safe_for_a_terminal() {
        let kind = KindInfo { tag: "\x1b[2J".into(), ..KindInfo::new(RowKind(1), "X", 1) };
        let groups = vec![spytui_plugin_api::info::GroupInfo::new(1, "a\nb", "")].into();
        let info = Info { kinds: vec![kind].into(), groups, ..Info::default() };
        let labels = Labels::new(&info);
        assert_eq!((labels.group(1), &*labels.kind(&info, RowKind(1)).tag), ("a\\nb", "\\x1b[2J"));
        let space = SpaceInfo::new(16, "i\rq", "", Class::ISR, KeyFormat::DECIMAL);
        assert_eq!(key_word(Some(&space), 5), "i\\rq 5");
    }

    #[test]
    fn every_kind_is_called_as_the_decoder_says() {
        let described = |first: u16, last: u16, name: &str| KindInfo {
            last: RowKind(last),
            ..KindInfo::new(RowKind(first), name, 1)
        };
        let mut kinds = vec![described(6, 6, "TRAN"), described(100, 3000, "USER"), described(150, 160, "HIDDEN")];
        kinds[1] = KindInfo { tag: "user".into(), base: RowKind(120), wire_id: 7, ..kinds[1].clone() };
        let info = Info { kinds: kinds.into(), ..Info::default() };
        let labels = Labels::new(&info);
        let notes = [0xFF00, RowKind::RESYNC.0, RowKind::LINK.0, u16::MAX];
        for kind in [0, 6, 7, 100, 155, 1023, 1024, 2999, 4000, 60_000].into_iter().chain(notes).map(RowKind) {
            let called = labels.kind(&info, kind);
            assert_eq!(*called.name, *kind_name(&info, kind));
            assert_eq!(*called.tag, *tag_of(&info, kind));
            assert_eq!(called.id, wire_id(&info, kind));
        }
        assert_eq!(&*labels.kind(&info, RowKind(155)).tag, "user+35");
    }

    #[test]
    fn labels_of_any_kind_are_computed_once() {
        let kinds = [KindInfo::new(RowKind(50_000), "HIGH", 1)];
        let info = Info { kinds: kinds.into_iter().collect(), ..Info::default() };
        let labels = Labels::new(&info);
        for kind in [0, 4095, 4096, 50_000, 60_000, RowKind::LINK.0, u16::MAX].map(RowKind) {
            let first: *const KindWords = labels.kind(&info, kind);
            assert!(std::ptr::eq(first, labels.kind(&info, kind)), "{}", kind.0);
        }
    }

    #[test]
    fn losses_are_no_records() {
        assert_eq!(RowRole::of(&Row { kind: RowKind::GAP, ..Row::default() }), RowRole::Loss);
        assert_eq!(RowRole::of(&Row { kind: RowKind(64), flags: RowFlags::EPOCH, ..Row::default() }), RowRole::Event);
    }
}
