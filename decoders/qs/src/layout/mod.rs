//! The layout of every record: one table (`table`), from which frame checks, values, both texts, fields, activities and
//! the description are derived.

mod pattern;
mod private;
pub(crate) mod space;
mod table;

use pattern::parse;
pub(crate) use pattern::{Form, Pattern};
pub(crate) use private::{private_attachment, private_flag, private_kind};
pub(crate) use spytui_decoder_kit::{Meaning, pattern::NO_FIELD};
use table::QUERY_OTHER;
pub(crate) use table::{OLD, QUERY, QUERY_810, TABLE};

use spytui_decoder_kit::pattern::named;
use spytui_plugin_api::Severity;

use crate::config::{Sizes, Style};

/// First payload byte in a frame.
pub(crate) const PAYLOAD: usize = 2;

/// Maximum number of fields of a record.
pub(crate) const MAX_FIELDS: usize = 9;
/// The values of a record, in the order of its layout.
pub(crate) type Values<'a> = spytui_decoder_kit::Values<'a, MAX_FIELDS>;
/// First id that is not a predefined record in any version.
pub(crate) const USER_BASE: u8 = 100;
/// Ids of records with special treatment.
pub(crate) mod id {
    pub(crate) const EMPTY: u8 = 0;
    pub(crate) const DEFER: u8 = 10;
    pub(crate) const POST: u8 = 14;
    pub(crate) const POST_LIFO: u8 = 15;
    pub(crate) const GET: u8 = 16;
    pub(crate) const GET_LAST: u8 = 17;
    pub(crate) const TICK: u8 = 31;
    pub(crate) const ENUM_DICT: u8 = 54;
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

    /// Whether this is a post to an active object, or a get from its queue.
    #[inline]
    pub(crate) const fn is_post_or_get(id: u8) -> bool {
        matches!(id, POST..=GET_LAST)
    }
}

/// Type of a field; its size may depend on the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ty {
    /// Time stamp.
    Time,
    /// Object pointer.
    Obj,
    /// Function pointer.
    Fun,
    /// Signal.
    Sig,
    /// Event size.
    Evt,
    /// Queue counter.
    Que,
    /// Pool counter.
    Ctr,
    /// Time-event counter.
    Tev,
    U8,
    U16,
    U32,
    /// Zero-terminated text.
    Text,
    /// Items; the previous two fields give their size and number.
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

    /// The space of its keys.
    pub(crate) fn space(self) -> Option<u16> {
        match self {
            Ty::Obj => Some(space::OBJECTS),
            Ty::Fun => Some(space::FUNCTIONS),
            Ty::Sig => Some(space::SIGNALS),
            _ => None,
        }
    }
}

/// A field of a record.
pub(crate) type Field = spytui_decoder_kit::pattern::Field<Ty>;

/// Groups of records: those of the target's filter, and four of ours for the rest.
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
    /// The first of the groups U0 to U4, which are numbered consecutively.
    User = 16,
}

/// The object of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    None,
    Object,
    /// Priority of a task.
    Task,
    /// Priority of an interrupt.
    Isr,
}

/// One record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub(crate) id: u8,
    /// Name in the protocol.
    pub(crate) name: &'static str,
    /// Kind word of the list, at most 8 columns.
    pub(crate) tag: &'static str,
    pub(crate) group: Group,
    pub(crate) fields: &'static [Field],
    /// Line of the reference host, from the tag on.
    pub(crate) line: Pattern,
    /// Our text.
    pub(crate) what: Pattern,
    /// The form that each field has in our text, from the first place where it stands.
    pub(crate) forms: [Form; MAX_FIELDS],
    /// Field of the row's object.
    pub(crate) obj: u8,
    pub(crate) subject: Subject,
    /// Field of the signal.
    pub(crate) sig: u8,
    /// Field of the object that scopes the signal.
    pub(crate) scope: u8,
    /// Its activities, in order.
    pub(crate) meanings: [Option<Meaning<u8>>; 2],
    /// Severity: higher for something refused, ignored or broken.
    pub(crate) severity: Severity,
    fixed: bool,
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
            forms: what.forms(Form::Nothing),
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

    /// Sets the activity.
    pub(crate) const fn means(mut self, meaning: Meaning<&'static str>) -> Layout {
        self.meanings[0] = Some(meaning.resolve_all(self.fields));
        self
    }

    /// Sets a second activity.
    pub(crate) const fn then(mut self, meaning: Meaning<&'static str>) -> Layout {
        self.meanings[1] = Some(meaning.resolve_all(self.fields));
        self
    }

    pub(crate) const fn severity(mut self, severity: Severity) -> Layout {
        self.severity = severity;
        self
    }

    /// Whether it begins with a time stamp.
    pub(crate) fn stamped(&self) -> bool {
        matches!(self.fields.first(), Some(Field { ty: Ty::Time, .. }))
    }

    /// Whether all fields have a fixed size.
    pub(crate) fn fixed(&self) -> bool {
        self.fixed
    }

    /// Index of the field with a name; [`NO_FIELD`] if there is none.
    pub(crate) fn place(&self, name: &str) -> u8 {
        named(self.fields, name)
    }

    /// Whether its line begins with the mark of a run-to-completion step.
    pub(crate) fn in_step(&self) -> bool {
        self.group as u8 == Group::Sm as u8 && !self.stamped()
    }
}

const fn subject(group: Group, fields: &[Field]) -> (u8, Subject) {
    let pri = named(fields, "pri");
    match group {
        Group::Qf if pri != NO_FIELD => (pri, Subject::Isr),
        Group::Sc if pri != NO_FIELD && named(fields, "prev") != NO_FIELD => (pri, Subject::Task),
        _ => {
            let obj = named(fields, "obj");
            let obj = if obj == NO_FIELD { named(fields, "sdr") } else { obj };
            (obj, if obj == NO_FIELD { Subject::None } else { Subject::Object })
        }
    }
}

/// A layout for versions below a limit, or for certain styles only.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variant {
    /// Versions below this one.
    pub(crate) below: u16,
    /// Styles, as bits.
    pub(crate) styles: u8,
    /// `None` = unknown record.
    pub(crate) layout: Option<Layout>,
    pub(crate) id: u8,
}

const INDEX: [u8; 128] = {
    let mut index = [NO_FIELD; 128];
    let mut i = 0;
    while i < TABLE.len() {
        index[TABLE[i].id as usize] = i as u8;
        i += 1;
    }
    index
};

/// First version without a variant, by id; 0 = no variants.
const NO_VARIANT_FROM: [u16; 128] = {
    let (mut from, mut i) = ([0; 128], 0);
    while i < OLD.len() {
        let id = OLD[i].id as usize;
        from[id] = if OLD[i].below > from[id] { OLD[i].below } else { from[id] };
        i += 1;
    }
    from
};

/// First id of application records.
#[inline]
pub(crate) fn user_base(version: u16, style: Style) -> u8 {
    if version < 660 && style != Style::Qspy813 { 70 } else { USER_BASE }
}

/// Whether two versions have the same layouts.
pub(crate) fn alike(a: u16, b: u16) -> bool {
    const CHANGES: [u16; 10] = [550, 580, 620, 660, 690, 710, 712, 720, 800, 810];
    let era = |version: u16| CHANGES.partition_point(|c| *c <= version);
    era(a) == era(b)
}

/// The layout of a predefined record; `None` if unknown to this version or host.
#[inline]
pub(crate) fn layout(id: u8, version: u16, style: Style) -> Option<&'static Layout> {
    let place = *INDEX.get(usize::from(id))?;
    if version < *NO_VARIANT_FROM.get(usize::from(id))?
        && let Some(old) = variant(id, version, style)
    {
        return old.layout.as_ref();
    }
    TABLE.get(usize::from(place))
}

#[inline(never)]
fn variant(id: u8, version: u16, style: Style) -> Option<&'static Variant> {
    OLD.iter().find(|v| v.id == id && version < v.below && v.styles & style.bit() != 0)
}

/// Offset for the kinds of application records before 6.6: half of their ids are predefined records in newer versions.
pub(crate) const OLD_USER: u16 = 0x0100;
/// Offset for the kinds of predefined records whose ids are others, or none, in newer versions.
pub(crate) const OLD_KIND: u16 = 0x0300;

/// The kind of an id's rows; the id itself in the reference styles.
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

/// The layout of QS_QUERY_DATA for a kind of object; `None` if that has none.
pub(crate) fn query(kind: u8, version: u16, style: Style) -> Option<&'static Layout> {
    let kind = usize::from(kind);
    match style {
        Style::Qspy734 | Style::Native if kind == 1 && version < 690 => QUERY.get(8),
        Style::Native | Style::Qspy813 if version >= 810 => QUERY_810.iter().find(|l| usize::from(l.id) == kind),
        Style::Qspy813 => QUERY.get(..8)?.get(kind),
        _ => QUERY.get(..7)?.get(kind),
    }
}

/// The layout of QS_QUERY_DATA for a kind of object that has none of its own.
pub(crate) fn other_query(version: u16, style: Style) -> &'static Layout {
    let [before, now] = &QUERY_OTHER;
    if version >= 810 && style != Style::Qspy734 { now } else { before }
}

/// The name that error lines give an id below the user base.
pub(crate) fn name(id: u8, style: Style) -> &'static str {
    match id {
        43 => "QS_QF_INT_DISABLE",
        44 => "QS_QF_INT_ENABLE",
        81 if style == Style::Qspy734 => "QS_RESERVED",
        _ => TABLE.iter().find(|l| l.id == id).map_or("QS_RESERVED", |l| l.name),
    }
}

/// Names of the commands to the target, by their id.
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
