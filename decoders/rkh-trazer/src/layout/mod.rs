//! The layout of every event in every version: a single table (`table`), from which lengths, values, texts, fields,
//! activities and the description are derived.

mod table;

pub(crate) use spytui_decoder_kit::{ActivityMeaning, pattern::NO_FIELD};
pub(crate) use table::{Event, NamedEntity, OLD, Property, Role, TABLE};

use std::sync::LazyLock;

use spytui_decoder_kit::pattern::{named, split};
use spytui_plugin_api::{NONE, RowKind, row::Severity};

pub(crate) const MAX_FIELDS: usize = 7;
/// The values of a record, in the order of its layout.
pub(crate) type Values<'a> = spytui_decoder_kit::Values<'a, MAX_FIELDS>;
pub(crate) const USER: u8 = 192;
/// Id of the user event used for answers to commands.
pub(crate) const ACK: u8 = USER + 31;
pub(crate) const UNIT_TEST: u8 = 224;

/// Type of a field; its size may depend on the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Ty {
    Sym,
    Fun,
    Sig,
    Ne,
    Nblk,
    Bsize,
    Es,
    Tick,
    U8,
    U16,
    U32,
    /// Object pointer, only sent by targets with the sender option.
    Sndr,
    /// Low watermark of a queue, if enabled in the target.
    Qmin,
    /// Low watermark of a pool, if enabled in the target.
    Mpmin,
    Str,
    /// The remaining bytes.
    Rest,
}

pub(crate) type Field = spytui_decoder_kit::pattern::Field<Ty>;

/// Groups of events: the upper three bits of the id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Group {
    Mp = 0,
    Rq = 1,
    Sma = 2,
    Sm = 3,
    Tim = 4,
    Fwk = 5,
    Usr = 6,
    Ut = 7,
}

/// All groups, with their names as the reference host prints them: for queues and timers, older ones than in lists.
const GROUPS: [(Group, &str); 8] = [
    (Group::Mp, "MP"),
    (Group::Rq, "RQ"),
    (Group::Sma, "SMA"),
    (Group::Sm, "SM"),
    (Group::Tim, "TIM"),
    (Group::Fwk, "FWK"),
    (Group::Usr, "USR"),
    (Group::Ut, "UT"),
];

/// Versions with the same ids and arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Era {
    /// 2.3 and 2.4.
    R23 = 0,
    /// 2.4.3.
    R243 = 1,
    /// 2.4.4.
    R244 = 2,
    /// 2.4.5, 2.4.6.
    R245 = 3,
    /// 3.0 to 3.4.
    #[default]
    R3 = 4,
}

impl Era {
    /// The era of a version code, `0x2406` = 2.4.06.
    pub(crate) fn of(version: u16) -> Era {
        match version {
            0..=0x2402 => Era::R23,
            0x2403 => Era::R243,
            0x2404 => Era::R244,
            0x2405..=0x2FFF => Era::R245,
            _ => Era::R3,
        }
    }

    pub(crate) fn from_number(number: u8) -> Era {
        [Era::R23, Era::R243, Era::R244, Era::R245].get(usize::from(number)).copied().unwrap_or(Era::R3)
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }

    pub(crate) fn tcfg(self) -> u8 {
        match self {
            Era::R3 => 0xAC,
            Era::R245 => 0xAE,
            _ => 0xAD,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub(crate) id: u8,
    /// Kind of its rows: the id, or a separate number for events whose id has changed.
    pub(crate) kind: RowKind,
    pub(crate) group: Group,
    /// Name as the reference host prints it.
    pub(crate) name: &'static str,
    pub(crate) severity: Severity,
    pub(crate) role: Role,
    pub(crate) properties: &'static [Property],
    /// Its activities, in order.
    pub(crate) meanings: [Option<ActivityMeaning<u8>>; 2],
    pub(crate) fields: &'static [Field],
    /// Arguments as the reference host prints them.
    pub(crate) line: Pattern,
    pub(crate) what: Pattern,
    pub(crate) obj: u8,
    pub(crate) sig: u8,
    /// ` RQ  | GET_LAST   : `, padded so that it can be copied as one block.
    pub(crate) head: [u8; HEAD_ROOM],
    /// All fields have sizes that follow from the configuration.
    pub(crate) fixed: bool,
}

pub(crate) const HEAD_ROOM: usize = 32;
pub(crate) const HEAD: usize = 20;

impl Layout {
    /// The same event under another id, whose group is another one, too.
    const fn with_id(self, id: u8) -> Layout {
        let (group, host_group) = GROUPS[(id >> 5) as usize];
        Layout { id, kind: RowKind(id as u16), group, head: head(host_group, self.name), ..self }
    }

    /// Index of the field with a name, or [`NO_FIELD`].
    pub(crate) fn place(&self, name: &str) -> u8 {
        self.fields.iter().position(|f| f.name == name).map_or(NO_FIELD, |i| i as u8)
    }

    /// Space of the keys in a field, or [`NONE`].
    pub(crate) fn key_space(&self, index: u8) -> u16 {
        let form = self.what.pieces().iter().find(|piece| piece.field == index).map(|piece| piece.form.0);
        match self.fields.get(usize::from(index)).map(|field| field.ty) {
            Some(Ty::Sig) => space::SIGNALS,
            Some(Ty::Fun) => space::FUNCTIONS,
            Some(Ty::Sym) if self.role == Role::Name(NamedEntity::Function) => space::FUNCTIONS,
            Some(Ty::Sym) if self.role == Role::Name(NamedEntity::State) && index == 1 => space::STATES,
            Some(Ty::Sym) if matches!(form, Some(Form::State | Form::Target)) => space::STATES,
            Some(Ty::Sym | Ty::Sndr) => space::OBJECTS,
            _ => NONE,
        }
    }

    /// Name with group, `SMA.FIFO`.
    pub(crate) fn full_name(&self) -> String {
        format!("{}.{}", GROUPS[self.group as usize].1, self.name)
    }
}

/// An event with its id since 3.0.
const fn e(id: u8, event: Event, fields: &'static [Field], line: &'static str, what: &'static str) -> Layout {
    let (group, host_group) = GROUPS[(id >> 5) as usize];
    Layout {
        id,
        kind: RowKind(id as u16),
        group,
        name: event.name,
        severity: event.severity,
        role: event.role,
        properties: event.properties,
        meanings: [
            match event.meaning {
                Some(meaning) => Some(meaning.resolve(fields)),
                None => None,
            },
            match event.level {
                Some(level) => level.resolve_with_val(fields),
                None => None,
            },
        ],
        fields,
        line: parse(line, fields),
        what: parse(what, fields),
        obj: subject(fields),
        sig: named(fields, "sig"),
        head: head(host_group, event.name),
        fixed: !has_text(fields),
    }
}

const fn head(group: &str, event: &str) -> [u8; HEAD_ROOM] {
    let mut head = *b"     |            :             ";
    put(&mut head, 1, group);
    put(&mut head, 7, event);
    head
}

const fn put(head: &mut [u8; HEAD_ROOM], at: usize, text: &str) {
    head.split_at_mut(at).1.split_at_mut(text.len()).0.copy_from_slice(text.as_bytes());
}

/// Whether one of the fields has a text or the remaining bytes: the first or the last.
const fn has_text(fields: &[Field]) -> bool {
    matches!(fields, [Field { ty: Ty::Str | Ty::Rest, .. }, ..] | [.., Field { ty: Ty::Str | Ty::Rest, .. }])
}

const fn subject(fields: &[Field]) -> u8 {
    const NAMES: [&str; 7] = ["ao", "mp", "q", "t", "obj", "actor", "snr"];
    let mut i = 0;
    while i < NAMES.len() {
        let place = named(fields, NAMES[i]);
        // Events of timers and queues are about these, not about their owners.
        if place != NO_FIELD && !(i == 0 && (named(fields, "t") == 0 || named(fields, "q") == 0)) {
            return place;
        }
        i += 1;
    }
    NO_FIELD
}

/// The layout of an id in some old eras; `None` = no such event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OldEvent {
    pub(crate) id: u8,
    eras: u8,
    pub(crate) layout: Option<Layout>,
}

/// The layouts of all ids, by era.
static LAYOUTS: LazyLock<[[Option<&'static Layout>; 256]; 5]> =
    LazyLock::new(|| std::array::from_fn(|era| std::array::from_fn(|id| find(id as u8, Era::from_number(era as u8)))));

/// The layout of an event other than a user event; `None` = not in this era.
pub(crate) fn layout(id: u8, era: Era) -> Option<&'static Layout> {
    LAYOUTS[era as usize][usize::from(id)]
}

/// Finds the layout of an event. The table is sorted by id.
fn find(id: u8, era: Era) -> Option<&'static Layout> {
    match OLD.iter().find(|old| old.id == id && old.eras & era.bit() != 0) {
        Some(old) => old.layout.as_ref(),
        None => TABLE.binary_search_by_key(&id, |layout| layout.id).ok().map(|at| &TABLE[at]),
    }
}

pub(crate) const ACTIONS: [&str; 6] = ["Effect", "Entry", "Exit", "Init", "Prepro", "Guard"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Form {
    /// Nothing: end of the pattern.
    Nothing,
    /// Default, or `:d`: decimal number.
    Number,
    /// Default: name of an object.
    Object,
    /// Default: name of a function.
    Function,
    /// Default: name of a signal.
    Signal,
    /// Default: text.
    Text,
    /// `:s` name of a state of the record's object.
    State,
    /// `:t` like `:s`, for the target of a transition; 0 for an internal one.
    Target,
    /// `:p` name of a pool, one-based; 0 = static event.
    Pool,
    /// `:z` name of a pool, zero-based.
    PoolFromZero,
    /// `:x` `0x` and eight hexadecimal digits.
    Address,
    /// `:k` kind of an action.
    Action,
    /// `:n` sender with an arrow; empty for 0.
    Sender,
    /// `:e` interval; empty for 0.
    Every,
    /// `:q` pool, after a space; empty for a static event.
    FromPool,
    /// `:o` owner; empty for 0.
    Owner,
    /// `:r` reference count of an event, last in its text.
    References,
    /// `:b` remaining bytes, after a space, if any.
    Bytes,
}

/// A parsed pattern: the form of each field, and its type, which determines whether the target sends it.
pub(crate) type Pattern = spytui_decoder_kit::pattern::Pattern<(Form, Ty), { MAX_FIELDS + 2 }>;

/// Parses a pattern. An unknown field name fails the build.
pub(crate) const fn parse(text: &'static str, fields: &[Field]) -> Pattern {
    let mut pattern = Pattern::new((Form::Nothing, Ty::U8));
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        let part = split(rest, fields);
        pattern = pattern.literal(part.literal);
        if part.field != NO_FIELD {
            let ty = fields[part.field as usize].ty;
            pattern = pattern.field(part.field, (form_of(part.form, ty), ty));
        }
        rest = part.rest;
    }
    pattern
}

const fn form_of(text: &[u8], ty: Ty) -> Form {
    match (text, ty) {
        ([], Ty::Sym | Ty::Sndr) => Form::Object,
        ([], Ty::Fun) => Form::Function,
        ([], Ty::Sig) => Form::Signal,
        ([], Ty::Str) => Form::Text,
        ([], _) => Form::Number,
        ([b':', b'd'], _) => Form::Number,
        ([b':', b's'], _) => Form::State,
        ([b':', b't'], _) => Form::Target,
        ([b':', b'p'], _) => Form::Pool,
        ([b':', b'z'], _) => Form::PoolFromZero,
        ([b':', b'x'], _) => Form::Address,
        ([b':', b'k'], _) => Form::Action,
        ([b':', b'n'], _) => Form::Sender,
        ([b':', b'e'], _) => Form::Every,
        ([b':', b'q'], _) => Form::FromPool,
        ([b':', b'o'], _) => Form::Owner,
        ([b':', b'r'], _) => Form::References,
        ([b':', b'b'], _) => Form::Bytes,
        _ => panic!("no such form"),
    }
}

pub(crate) mod space {
    use spytui_plugin_api::info::space::OWN;

    /// Everything with an address except states and functions.
    pub(crate) const OBJECTS: u16 = OWN;
    /// Scoped by the object.
    pub(crate) const STATES: u16 = OWN + 1;
    pub(crate) const FUNCTIONS: u16 = OWN + 2;
    pub(crate) const SIGNALS: u16 = OWN + 3;
    /// Event pools by one-based number.
    pub(crate) const POOLS: u16 = OWN + 4;
}

pub(crate) mod private_attachment {
    use spytui_plugin_api::AttachmentId;

    /// Response time in ticks, from post to get.
    pub(crate) const RT: AttachmentId = AttachmentId(66);
    /// Number of a post, counted per object; reference style only.
    pub(crate) const POST: AttachmentId = AttachmentId(67);
    /// Signed ticks since the post, and its number, as the reference host prints them for a get; reference style only.
    pub(crate) const HOST_RT: AttachmentId = AttachmentId(68);
}

pub(crate) mod private_kind {
    use spytui_plugin_api::RowKind;

    /// The host joined a running stream.
    pub(crate) const JOINED: RowKind = RowKind(0xFF41);
}

pub(crate) mod private_flag {
    use spytui_plugin_api::RowFlags;

    /// The frame contains escapes.
    pub(crate) const ESCAPED: RowFlags = RowFlags::own(0);
    /// The flag after the frame arrived as 0 or is missing.
    pub(crate) const FUSED: RowFlags = RowFlags::own(2);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_those_of_the_reference_host() {
        let head = |id| layout(id, Era::R3).map(|l| String::from_utf8_lossy(&l.head[..HEAD]).into_owned());
        assert_eq!(head(35).as_deref(), Some(" RQ  | LIFO       : "));
        assert_eq!(head(106).as_deref(), Some(" SM  | EVT_NFOUND : "));
        assert_eq!(head(0).as_deref(), Some(" MP  | INIT       : "));
    }

    #[test]
    fn numberings_of_the_eras() {
        let name = |id, era| layout(id, era).map(Layout::full_name);
        for (id, names) in [
            (71, [None, None, Some("SMA.DCH"), Some("SMA.DCH"), Some("SMA.DEFER")]),
            (98, [Some("SM.DCH"), Some("SM.DCH"), Some("SM.TRN"), Some("SM.TRN"), Some("SM.TRN")]),
            (
                105,
                [Some("SM.CSTATE"), Some("SM.TS_STATE"), Some("SM.EVT_PROC"), Some("SM.EVT_PROC"), Some("SM.EVT_PROC")],
            ),
            (112, [Some("SM.EX_TSEG"), Some("SM.EX_TSEG"), None, Some("SM.EXE_ACT"), Some("SM.EXE_ACT")]),
            (166, [Some("FWK.DEFER"), Some("FWK.DEFER"), Some("FWK.DEFER"), Some("FWK.DEFER"), Some("FWK.OBJ")]),
            (172, [Some("FWK.TUSR"), Some("FWK.TUSR"), Some("FWK.TUSR"), Some("FWK.SYNC_EVT"), Some("FWK.TCFG")]),
            (175, [None, Some("FWK.AO"), Some("FWK.AO"), Some("FWK.ASSERT"), Some("FWK.STATE")]),
            (181, [None, None, None, Some("FWK.QUEUE"), None]),
            (224, [None, None, None, Some("UT.INIT"), Some("UT.INIT")]),
        ] {
            for (era, expected) in [Era::R23, Era::R243, Era::R244, Era::R245, Era::R3].into_iter().zip(names) {
                assert_eq!(name(id, era).as_deref(), expected, "{id} in {era:?}");
            }
        }
    }

    #[test]
    fn timers_of_the_first_versions_say_little() {
        let fields = |id| layout(id, Era::R23).map(|l| l.fields.iter().map(|f| f.name).collect::<Vec<_>>());
        assert_eq!(fields(128), Some(vec!["t", "sig"]));
        assert_eq!(fields(129), Some(vec!["t", "ao", "nt"]));
        assert_eq!(fields(130), Some(vec!["t"]));
        assert_eq!(fields(131), Some(vec!["t"]));
    }

    #[test]
    fn a_kind_stands_for_one_event() {
        let all = || TABLE.iter().chain(OLD.iter().filter_map(|o| o.layout.as_ref()));
        for layout in all() {
            let of_kind = all().find(|l| l.kind == layout.kind).map(|l| (l.group, l.name));
            assert_eq!(of_kind, Some((layout.group, layout.name)), "{:?}", layout.kind);
        }
    }
}
