//! The layout of every record: a single table (`table`), from which frame checks, values, both texts, fields,
//! activities and the description are derived.

mod table;

pub(crate) use spytui_decoder_kit::{ActivityMeaning, pattern::NO_FIELD};
pub(crate) use table::{OLD, QUERY, QUERY_810, TABLE};

use spytui_decoder_kit::pattern::{equal, find, named, split};
use spytui_plugin_api::Severity;

use crate::config::{Sizes, Style};
use table::QUERY_OTHER;

pub(crate) const PAYLOAD: usize = 2;

pub(crate) const MAX_FIELDS: usize = 9;
/// The values of a record, in the order of its layout.
pub(crate) type Values<'a> = spytui_decoder_kit::Values<'a, MAX_FIELDS>;
/// First id that is not a predefined record in any version.
pub(crate) const USER_BASE: u8 = 100;
pub(crate) mod id {
    pub(crate) const EMPTY: u8 = 0;
    pub(crate) const TRAN: u8 = 6;
    pub(crate) const DEFER: u8 = 10;
    pub(crate) const RECALL: u8 = 11;
    pub(crate) const POST: u8 = 14;
    pub(crate) const POST_LIFO: u8 = 15;
    pub(crate) const GET: u8 = 16;
    pub(crate) const GET_LAST: u8 = 17;
    pub(crate) const RECALL_ATTEMPT: u8 = 18;
    pub(crate) const PUBLISH: u8 = 26;
    pub(crate) const TICK: u8 = 31;
    pub(crate) const REARM: u8 = 36;
    pub(crate) const TIMER_POST: u8 = 37;
    pub(crate) const POST_ATTEMPT: u8 = 45;
    pub(crate) const PREEMPT: u8 = 48;
    pub(crate) const RESTORE: u8 = 49;
    pub(crate) const IDLE: u8 = 53;
    pub(crate) const ENUM_DICT: u8 = 54;
    pub(crate) const TRAN_HIST: u8 = 55;
    pub(crate) const TRAN_XP: u8 = 57;
    pub(crate) const PAUSED: u8 = 58;
    pub(crate) const PROBE: u8 = 59;
    pub(crate) const SIG_DICT: u8 = 60;
    pub(crate) const OBJ_DICT: u8 = 61;
    pub(crate) const FUN_DICT: u8 = 62;
    pub(crate) const USR_DICT: u8 = 63;
    pub(crate) const INFO: u8 = 64;
    pub(crate) const DONE: u8 = 65;
    pub(crate) const STATUS: u8 = 66;
    pub(crate) const QUERY: u8 = 67;
    pub(crate) const PEEK: u8 = 68;
    pub(crate) const RUN: u8 = 70;
    pub(crate) const SEM_TAKE: u8 = 71;
    pub(crate) const MTX_UNLOCK_ATTEMPT: u8 = 80;
    pub(crate) const DEFER_ATTEMPT: u8 = 81;

    /// Whether this is a post to an active object, or a get from its queue.
    #[inline]
    pub(crate) const fn is_post_or_get(id: u8) -> bool {
        matches!(id, POST..=GET_LAST)
    }
}

/// Type of a field; its size may depend on the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ty {
    Time,
    Obj,
    Fun,
    Sig,
    Evt,
    Que,
    Ctr,
    Tev,
    U8,
    U16,
    U32,
    Text,
    /// Items; the two preceding fields are their size and number.
    Items,
}

impl Ty {
    /// Size of a field in bytes; `None` = variable.
    #[inline]
    pub(crate) fn size(self, sizes: &Sizes) -> Option<u8> {
        Some(match self {
            Ty::Time => sizes.time,
            Ty::Obj => sizes.obj,
            Ty::Fun => sizes.fun,
            Ty::Sig => sizes.sig,
            Ty::Evt => sizes.evt,
            Ty::Que => sizes.que,
            Ty::Ctr => sizes.ctr,
            Ty::Tev => sizes.tev,
            Ty::U8 => 1,
            Ty::U16 => 2,
            Ty::U32 => 4,
            Ty::Text | Ty::Items => return None,
        })
    }

    pub(crate) fn space(self) -> Option<u16> {
        match self {
            Ty::Obj => Some(space::OBJECTS),
            Ty::Fun => Some(space::FUNCTIONS),
            Ty::Sig => Some(space::SIGNALS),
            _ => None,
        }
    }
}

pub(crate) type Field = spytui_decoder_kit::pattern::Field<Ty>;

/// Groups of records: the target's filter groups, and four more for the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Group {
    Other = 0,
    Sm = 1,
    Ao = 2,
    Eq = 3,
    Mp = 4,
    Qf = 5,
    Te = 6,
    Sc = 7,
    Sem = 8,
    Mtx = 9,
    Info = 10,
    Dict = 11,
    Answer = 12,
    Test = 13,
    /// The first of the groups U0 to U4, numbered consecutively.
    User = 16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecordSubject {
    None,
    Object,
    Task,
    Isr,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub(crate) id: u8,
    /// Name in the protocol.
    pub(crate) name: &'static str,
    /// Kind word in lists, at most 8 columns.
    pub(crate) tag: &'static str,
    pub(crate) group: Group,
    pub(crate) fields: &'static [Field],
    /// Line of the reference host, starting at the tag.
    pub(crate) line: Pattern,
    pub(crate) what: Pattern,
    /// The form of each field in the native text, where it first appears.
    pub(crate) forms: [FieldForm; MAX_FIELDS],
    pub(crate) obj: u8,
    pub(crate) subject: RecordSubject,
    pub(crate) sig: u8,
    /// Index of the object that is the signal's scope.
    pub(crate) scope: u8,
    /// Its activities, in order.
    pub(crate) meanings: [Option<ActivityMeaning<u8>>; 2],
    /// Severity; raised for failures.
    pub(crate) severity: Severity,
    /// All fields have sizes that follow from the configuration.
    pub(crate) fixed: bool,
}

impl Layout {
    pub(crate) const fn new(
        id: u8,
        name: &'static str,
        tag: &'static str,
        group: Group,
        fields: &'static [Field],
        line: &'static str,
        what: &'static str,
    ) -> Layout {
        let (obj, subject) = subject(group, fields);
        let ao = named(fields, "ao");
        let what = parse(what, fields);
        Layout {
            id,
            name,
            tag,
            group,
            fields,
            line: parse(line, fields),
            forms: what.forms(FieldForm::Nothing),
            what,
            obj,
            subject,
            sig: named(fields, "sig"),
            scope: if ao == NO_FIELD { named(fields, "obj") } else { ao },
            meanings: [None; 2],
            severity: Severity::NORMAL,
            fixed: !matches!(fields.last(), Some(Field { ty: Ty::Text | Ty::Items, .. })),
        }
    }

    pub(crate) const fn means(mut self, meaning: ActivityMeaning<&'static str>) -> Layout {
        self.meanings[0] = Some(meaning.resolve_all(self.fields));
        self
    }

    pub(crate) const fn then(mut self, meaning: ActivityMeaning<&'static str>) -> Layout {
        self.meanings[1] = Some(meaning.resolve_all(self.fields));
        self
    }

    pub(crate) const fn severity(mut self, severity: Severity) -> Layout {
        self.severity = severity;
        self
    }

    pub(crate) fn stamped(&self) -> bool {
        matches!(self.fields.first(), Some(Field { ty: Ty::Time, .. }))
    }

    /// Index of the field with a name, or [`NO_FIELD`].
    pub(crate) fn place(&self, name: &str) -> u8 {
        named(self.fields, name)
    }
}

const fn subject(group: Group, fields: &[Field]) -> (u8, RecordSubject) {
    let pri = named(fields, "pri");
    match group {
        Group::Qf if pri != NO_FIELD => (pri, RecordSubject::Isr),
        Group::Sc if pri != NO_FIELD && named(fields, "prev") != NO_FIELD => (pri, RecordSubject::Task),
        _ => {
            let obj = named(fields, "obj");
            let obj = if obj == NO_FIELD { named(fields, "sdr") } else { obj };
            (obj, if obj == NO_FIELD { RecordSubject::None } else { RecordSubject::Object })
        }
    }
}

/// A layout for old versions, or only for certain styles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variant {
    pub(crate) below: u16,
    pub(crate) styles: u8,
    /// `None` = unknown record.
    pub(crate) layout: Option<Layout>,
    pub(crate) id: u8,
}

#[inline]
pub(crate) fn user_base(version: u16, style: Style) -> u8 {
    if version < 660 && style != Style::Qspy813 { 70 } else { USER_BASE }
}

pub(crate) fn alike(a: u16, b: u16) -> bool {
    const CHANGES: [u16; 10] = [550, 580, 620, 660, 690, 710, 712, 720, 800, 810];
    let era = |version: u16| CHANGES.partition_point(|c| *c <= version);
    era(a) == era(b)
}

/// The layout of a predefined record; `None` if unknown to this version or host.
pub(crate) fn layout(id: u8, version: u16, style: Style) -> Option<&'static Layout> {
    match variant(id, version, style) {
        Some(old) => old.layout.as_ref(),
        None => present(id),
    }
}

/// The layout of an id since 7.2. The table is sorted by id.
fn present(id: u8) -> Option<&'static Layout> {
    TABLE.binary_search_by_key(&id, |layout| layout.id).ok().map(|at| &TABLE[at])
}

fn variant(id: u8, version: u16, style: Style) -> Option<&'static Variant> {
    OLD.iter().find(|v| v.id == id && version < v.below && v.styles & style.bit() != 0)
}

/// Offset of the kinds of application records before 6.6: half of their ids are predefined records in newer versions.
pub(crate) const OLD_USER: u16 = 0x0100;
/// Offset of the kinds of predefined records whose ids changed or vanished in newer versions.
pub(crate) const OLD_KIND: u16 = 0x0300;

/// The kind of rows with an id; the id itself in the reference styles.
pub(crate) fn kind_of(id: u8, version: u16, style: Style) -> u16 {
    let base = user_base(version, style);
    let renamed = |old: &Variant| old.layout.is_none_or(|l| l.name != name(id, style));
    let moved = match style {
        Style::Native if id >= base && base != USER_BASE => OLD_USER,
        Style::Native if id < base && variant(id, version, style).is_some_and(renamed) => OLD_KIND,
        _ => 0,
    };
    moved + u16::from(id)
}

/// The layout of QS_QUERY_DATA for a kind of object.
pub(crate) fn query(kind: u8, version: u16, style: Style) -> Option<&'static Layout> {
    let kind = usize::from(kind);
    match style {
        Style::Qspy734 | Style::Native if kind == 1 && version < 690 => QUERY.get(8),
        Style::Native | Style::Qspy813 if version >= 810 => QUERY_810.iter().find(|l| usize::from(l.id) == kind),
        Style::Qspy813 => QUERY.get(..8)?.get(kind),
        _ => QUERY.get(..7)?.get(kind),
    }
}

/// The layout of QS_QUERY_DATA for kinds of objects without a specific one.
pub(crate) fn other_query(version: u16, style: Style) -> &'static Layout {
    let [before, now] = &QUERY_OTHER;
    if version >= 810 && style != Style::Qspy734 { now } else { before }
}

/// The name of an id below the user base in error lines.
pub(crate) fn name(id: u8, style: Style) -> &'static str {
    match id {
        43 => "QS_QF_INT_DISABLE",
        44 => "QS_QF_INT_ENABLE",
        81 if style == Style::Qspy734 => "QS_RESERVED",
        _ => present(id).map_or("QS_RESERVED", |layout| layout.name),
    }
}

/// Names of commands to the target, by id.
pub(crate) const COMMANDS: [&str; 17] = [
    "QS_RX_INFO",
    "QS_RX_COMMAND",
    "QS_RX_RESET",
    "QS_RX_TICK",
    "QS_RX_PEEK",
    "QS_RX_POKE",
    "QS_RX_FILL",
    "QS_RX_TEST_SETUP",
    "QS_RX_TEST_TEARDOWN",
    "QS_RX_TEST_PROBE",
    "QS_RX_GLB_FILTER",
    "QS_RX_LOC_FILTER",
    "QS_RX_AO_FILTER",
    "QS_RX_CURR_OBJ",
    "QS_RX_TEST_CONTINUE",
    "QS_RX_QUERY_CURR",
    "QS_RX_EVENT",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum FieldForm {
    /// Nothing: end of the pattern.
    Nothing,
    /// Nothing: end of the kind word.
    KindWord,
    /// Default: decimal number.
    Number,
    /// Default: name of an object.
    Object,
    /// Like `Object`, for `que`, which shares the reference host's text buffer with `obj`.
    SecondObject,
    /// Default: name of a function.
    Function,
    /// Default: name of a signal.
    Signal,
    /// Default: text.
    Text,
    /// `:3`, `:8`, `:10` zero-filled decimal.
    Zero3,
    Zero8,
    Zero10,
    /// `:n` signed 32-bit decimal, zero-filled to 8 digits.
    SignalNumber,
    /// `:i` signed 32-bit decimal.
    Signed,
    /// `:x` address of an object or function, with all digits of its current size.
    ObjectAddress,
    FunctionAddress,
    /// `:h` high nibble as two hexadecimal digits.
    High,
    /// `:l` low nibble.
    Low,
    /// `:g` low three bits: enumeration group.
    Group,
    /// `:r` name of a command to the target.
    Command,
    /// `:k` answer to a command, in the host's words.
    HostStatus,
    /// `:K` answer to a command, in spytui's words.
    Status,
    /// `:d` decimal key.
    Key,
    /// `:a` address without leading zeros.
    ShortAddress,
    /// `:P` memory.
    Items,
    /// `:s` sender with an arrow; empty without a sender.
    Sender,
    /// `:e` interval; empty for 0.
    Every,
}

pub(crate) type Pattern = spytui_decoder_kit::pattern::Pattern<FieldForm, { MAX_FIELDS + 3 }>;

/// Parses a pattern. An unknown field name fails the build.
pub(crate) const fn parse(text: &'static str, fields: &[Field]) -> Pattern {
    let mut pattern = Pattern::new(FieldForm::Nothing);
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        let part = split(rest, fields);
        let (word, behind) = part.literal.split_at(find(part.literal, b'|'));
        pattern = match behind {
            [] => pattern.literal(word),
            [_, behind @ ..] => pattern.literal(word).field(NO_FIELD, FieldForm::KindWord).literal(behind),
        };
        if part.field != NO_FIELD {
            pattern = pattern.field(part.field, form_of(part.form, &fields[part.field as usize]));
        }
        rest = part.rest;
    }
    pattern
}

const fn form_of(text: &[u8], field: &Field) -> FieldForm {
    match (text, field.ty) {
        ([], Ty::Obj) if equal(field.name.as_bytes(), b"que") => FieldForm::SecondObject,
        ([], Ty::Obj) => FieldForm::Object,
        ([], Ty::Fun) => FieldForm::Function,
        ([], Ty::Sig) => FieldForm::Signal,
        ([], Ty::Text) => FieldForm::Text,
        ([], _) => FieldForm::Number,
        ([b':', b'1', b'0'], _) => FieldForm::Zero10,
        ([b':', b'3'], _) => FieldForm::Zero3,
        ([b':', b'8'], _) => FieldForm::Zero8,
        ([b':', b'n'], _) => FieldForm::SignalNumber,
        ([b':', b'i'], _) => FieldForm::Signed,
        ([b':', b'x'], Ty::Fun) => FieldForm::FunctionAddress,
        ([b':', b'x'], _) => FieldForm::ObjectAddress,
        ([b':', b'h'], _) => FieldForm::High,
        ([b':', b'l'], _) => FieldForm::Low,
        ([b':', b'g'], _) => FieldForm::Group,
        ([b':', b'r'], _) => FieldForm::Command,
        ([b':', b'k'], _) => FieldForm::HostStatus,
        ([b':', b'K'], _) => FieldForm::Status,
        ([b':', b'd'], _) => FieldForm::Key,
        ([b':', b'a'], _) => FieldForm::ShortAddress,
        ([b':', b'P'], _) => FieldForm::Items,
        ([b':', b's'], _) => FieldForm::Sender,
        ([b':', b'e'], _) => FieldForm::Every,
        _ => panic!("unknown form"),
    }
}

pub(crate) mod space {
    use spytui_plugin_api::info::space::OWN;

    pub(crate) const OBJECTS: u16 = OWN;
    pub(crate) const FUNCTIONS: u16 = OWN + 1;
    /// Scoped by object; scope 0 = global.
    pub(crate) const SIGNALS: u16 = OWN + 2;
    /// Key = enumeration value; scope = group.
    pub(crate) const ENUMS: u16 = OWN + 3;
    /// Enumeration group with the names of commands to the target.
    pub(crate) const COMMAND_GROUP: u64 = 7;
    /// First version with such a group; before, commands share the names of application records.
    pub(crate) const COMMAND_GROUP_FROM: u16 = 714;
    /// Key = priority.
    pub(crate) const TASKS: u16 = OWN + 4;
    /// Key = priority.
    pub(crate) const ISRS: u16 = OWN + 5;
    /// Key = number.
    pub(crate) const POOLS: u16 = OWN + 6;
    /// Key = number of the tick rate.
    pub(crate) const RATES: u16 = OWN + 7;
}

pub(crate) mod private_attachment {
    use spytui_plugin_api::AttachmentId;

    /// What the reference host prints for a bad frame: last sequence number (bit 8: the last byte was escaped), byte in
    /// place of the record id.
    pub(crate) const SHOWN: AttachmentId = AttachmentId(66);
    /// Response time in ticks, from post to get.
    pub(crate) const RT: AttachmentId = AttachmentId(67);
    /// Stale bytes in the reference host's buffer.
    pub(crate) const STALE: AttachmentId = AttachmentId(68);
    /// The lanes of a line of a sequence file; see `reference`.
    pub(crate) const LANES: AttachmentId = AttachmentId(69);
}

pub(crate) mod private_flag {
    use spytui_plugin_api::RowFlags;

    /// The frame contains escapes.
    pub(crate) const ESCAPED: RowFlags = RowFlags::own(0);
}
