//! The description of a decoder, read once after loading.
//!
//! `Info`, `KindInfo`, `FieldInfo` and `CommandInfo` have fields in reserve. A new field of a minor version takes the place of one
//! of its type, whose name it keeps for the check of layouts: `#[sabi(rename = reserved_text)] pub hint: RString`. In what
//! older plugins give, it is 0 or empty. So such structs are completed with `..Info::default()`.

mod command;
mod option;

pub use command::{
    AnswerStage, ArgForms, ArgInfo, CommandInfo, FilterGroup, FilterRange, FilterTable, Worth, filter_ranges,
};
pub use option::{DecoderOptions, Opt, OptKind, OptSpec, OptType, OptVal};

use abi_stable::{
    StableAbi,
    std_types::{RString, RVec},
};

use crate::{AttachmentId, CounterId, NONE, RowKind, Severity, number::named_numbers};

/// Everything that a host needs to know about a decoder before decoding.
#[repr(C)]
#[derive(StableAbi, Clone, Debug, Default)]
pub struct Info {
    /// Name on the command line, such as `qs`; see [`Info::is_id`].
    pub id: RString,
    /// Name for display.
    pub title: RString,
    /// Version of the decoder.
    pub version: RString,
    /// Other names on the command line.
    pub aliases: RVec<RString>,
    /// Kinds of rows.
    pub kinds: RVec<KindInfo>,
    /// Groups of kinds.
    pub groups: RVec<GroupInfo>,
    /// Dictionary spaces.
    pub spaces: RVec<SpaceInfo>,
    /// Attachments from 64 up.
    pub attachments: RVec<AttachmentInfo>,
    /// Counters from 64 up.
    pub counters: RVec<CounterInfo>,
    /// Options.
    pub options: RVec<OptSpec>,
    /// Scope within which rows are in order of time.
    pub order: Order,
    /// Maximum number of pending bytes; 0 = 1 MiB.
    pub max_pending: u64,
    /// Rows may belong to different cores.
    pub has_cores: bool,
    /// Frames have a checksum; without one, damage may go unnoticed.
    pub has_checksum: bool,
    /// Name of the records' sequence number in the protocol; empty = `seq`.
    pub sequence: RString,
    /// Its width in bits; 0 = no sequence numbers, so losses go unnoticed.
    pub sequence_bits: u8,
    /// Unit of losses, such as `event`; empty = `record`.
    pub loss_unit: RString,
    /// How the target reports dropped records.
    pub drop_totals: DropTotals,
    /// Name of the record that reports sizes and configuration, used in messages; empty = none.
    pub sizes_from: RString,
    /// Width of the kind word in lists, in columns; 0 = default.
    pub kind_width: u8,
    /// Width of the object in lists, in columns; 0 = default.
    pub object_width: u8,
    /// Names of the element types of application records, indexed by [`crate::Field::element`]. Numeric types have a
    /// display width.
    pub element_types: RVec<RString>,
    /// Commands to the target; empty = the protocol has no way back.
    pub commands: RVec<CommandInfo>,
    /// The target's filters.
    pub filters: RVec<FilterTable>,
    /// The target reports the end of a step with a separate record, [`crate::Verb::DONE`]: the record that handles the
    /// event does not end the step.
    pub reports_step_end: bool,
    /// Reserved for later minor versions, like the next one: see [`crate::info`].
    pub reserved_number: u64,
    #[doc(hidden)]
    pub reserved_text: RString,
    /// What kinds and their fields mean, for the help: `NAME = MEANING` for a kind by its [`KindInfo::name`], `.NAME =
    /// MEANING` for a field. Since 1.1.
    #[sabi(rename = reserved_list)]
    pub meanings: RVec<RString>,
}

named_numbers! {
    /// Scope within which rows are in order of time. The host merges the rest.
    pub struct Order(u8) {
        /// The whole stream.
        WITHIN_STREAM = 0,
        /// A core: a stream contains rows of several cores, buffer by buffer.
        WITHIN_CORE = 1,
    }
}

named_numbers! {
    /// Whether a target reports how many records it dropped, and the scope of the total.
    pub struct DropTotals(u8) {
        /// Not reported.
        NONE = 0,
        /// Each source has its own total.
        PER_SOURCE = 1,
        /// One total for all sources of the target; each may report it.
        PER_TARGET = 2,
    }
}

impl Info {
    /// Allowed ids, in words.
    pub const ID_GRAMMAR: &'static str = "small letters, digits, - and _, a letter first, at most 32, not auto";

    /// Whether a text is a valid id.
    pub fn is_id(text: &str) -> bool {
        let may_be = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_');
        let is_word = text.len() <= 32 && text.bytes().all(may_be);
        is_word && text.starts_with(|c: char| c.is_ascii_lowercase()) && text != "auto"
    }

    /// Its id and aliases.
    pub fn names(&self) -> impl DoubleEndedIterator<Item = &str> + Clone {
        std::iter::once(self.id.as_str()).chain(self.aliases.iter().map(|alias| alias.as_str()))
    }

    /// Whether records have a sequence number.
    pub fn has_sequence(&self) -> bool {
        self.sequence_bits > 0
    }

    /// The declaration of a kind.
    pub fn kind(&self, kind: RowKind) -> Option<&KindInfo> {
        self.kinds.iter().find(|k| k.first <= kind && kind <= k.last)
    }

    /// The declaration of a space.
    pub fn space(&self, id: u16) -> Option<&SpaceInfo> {
        // Most decoders declare them in order.
        let in_order = self.spaces.get(usize::from(id.wrapping_sub(space::OWN))).filter(|s| s.id == id);
        in_order.or_else(|| self.spaces.iter().find(|s| s.id == id && id != NONE))
    }

    /// The declaration of a group.
    pub fn group(&self, id: u8) -> Option<&GroupInfo> {
        self.groups.iter().find(|g| g.id == id)
    }

    /// What a kind means, by its name, or a field, by its name behind a point.
    pub fn meaning(&self, name: &str) -> Option<&str> {
        let mut lines = self.meanings.iter().filter_map(|line| line.as_str().split_once(" = "));
        lines.find(|(own, _)| *own == name).map(|(_, meaning)| meaning)
    }

    /// The declaration of an option.
    pub fn option(&self, key: &str) -> Option<&OptSpec> {
        self.options.iter().find(|o| o.key == key)
    }
}

/// A kind of rows, or a range of kinds.
#[repr(C)]
#[derive(StableAbi, Clone, Debug, Default)]
pub struct KindInfo {
    /// First kind.
    pub first: RowKind,
    /// Last kind.
    pub last: RowKind,
    /// Name in the protocol; may be empty for a range, whose kinds are then shown by number.
    pub name: RString,
    /// Id of its group.
    pub group: u8,
    /// Usual severity.
    pub severity: Severity,
    /// Space of [`crate::Row::obj`]; [`NONE`] = no object.
    pub obj_space: u16,
    /// Space of [`crate::Row::item`].
    pub item_space: u16,
    /// Short kind word in lists; empty = the name.
    pub tag: RString,
    /// The kind of a range that has number 0.
    pub base: RowKind,
    /// Wire id of the first kind.
    pub wire_id: u16,
    /// Rows have their own kind word, see [`crate::Rendered`], other than the tag or the name from the target.
    pub own_word: bool,
    /// Names of its fields in wire order. Well-formed native rows have no other fields except `seq` and elements.
    pub fields: RVec<RString>,
    /// Spaces of the keys among its fields and elements, and of the scopes of these keys, except the row's object. The
    /// row's item counts only if it has a scope.
    pub spaces: RVec<u16>,
    /// Reserved for later minor versions, like the next two: see [`crate::info`].
    pub reserved_number: u64,
    #[doc(hidden)]
    pub reserved_text: RString,
    #[doc(hidden)]
    pub reserved_list: RVec<RString>,
}

impl KindInfo {
    /// A single kind without object or item.
    pub fn new(kind: RowKind, name: &str, group: u8) -> KindInfo {
        KindInfo {
            first: kind,
            last: kind,
            name: name.into(),
            group,
            obj_space: NONE,
            item_space: NONE,
            base: kind,
            wire_id: kind.0,
            ..KindInfo::default()
        }
    }

    /// The short kind word in lists: the tag, or the name if there is no tag.
    pub fn tag(&self) -> &str {
        if self.tag.is_empty() { &self.name } else { &self.tag }
    }
}

/// A group of kinds.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct GroupInfo {
    /// Id, as in [`crate::Row::group`].
    pub id: u8,
    /// Short word in lists.
    pub tag: RString,
    /// Name in exports; filters accept tag and name.
    pub name: RString,
    /// Name for display.
    pub title: RString,
}

impl GroupInfo {
    /// A group whose tag is its name.
    pub fn new(id: u8, name: &str, title: &str) -> GroupInfo {
        GroupInfo { id, tag: name.into(), name: name.into(), title: title.into() }
    }
}

/// An attachment with an id from 64 up; the host shows it as a field of its row.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct AttachmentInfo {
    /// Id.
    pub id: AttachmentId,
    /// Name of the field.
    pub name: RString,
    /// Unit of the value. Filters also compare `ticks` and `ns` with times.
    pub unit: RString,
    /// Title of a table with the distribution of its values; empty = no table.
    pub distribution: RString,
    /// Its value is an upper bound, for example of a hidden loss.
    pub is_bound: bool,
}

impl AttachmentInfo {
    /// An attachment whose `a` is a number.
    pub fn new(id: AttachmentId, name: &str, unit: &str) -> AttachmentInfo {
        AttachmentInfo { id, name: name.into(), unit: unit.into(), distribution: RString::new(), is_bound: false }
    }
}

/// A counter with an id from 64 up.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct CounterInfo {
    /// Id.
    pub id: CounterId,
    /// Name.
    pub name: RString,
    /// What it counts, such as `records`, `events` or `bytes`.
    pub unit: RString,
    /// Word in the header under which a loss is shown; counters with the same word are added. Leave the counter unset
    /// if the stream can't reveal the loss: 0 means no loss. Empty = not in the header.
    pub header: RString,
    /// It counts drops of the target without totals; once it is reported, drops are known.
    pub counts_drops: bool,
}

impl CounterInfo {
    /// A counter of something other than a loss.
    pub fn new(id: CounterId, name: &str, unit: &str) -> CounterInfo {
        CounterInfo { id, name: name.into(), unit: unit.into(), header: RString::new(), counts_drops: false }
    }
}

/// A guess at the protocol of a sample.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct Guess {
    /// Bits of evidence that would not match by chance; hosts accept guesses from 64 on.
    pub evidence_bits: u32,
    /// Per mille of the sample's bytes that the guess explains, 0 to 1 000.
    pub explained: u16,
    /// Options that the guess implies, as `k=v` lines.
    pub options: RString,
    /// The reason, for display.
    pub why: RString,
}

/// A dictionary space.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct SpaceInfo {
    /// One of [`space`], or 16 and up.
    pub id: u16,
    /// Word in filters and commands.
    pub name: RString,
    /// Name for display.
    pub title: RString,
    /// Class of its entities.
    pub class: Class,
    /// How keys without a name are shown.
    pub key_format: KeyFormat,
    /// Space of the scope; [`crate::NONE`] = none.
    pub scope_space: u16,
    /// Fallback of a scoped lookup.
    pub matching: Matching,
    /// Pattern with one `*`: lists shorten a matching name to the part at the star if that is unique; empty = none.
    pub short: RString,
}

impl SpaceInfo {
    /// A space without scopes.
    pub fn new(id: u16, name: &str, title: &str, class: Class, key_format: KeyFormat) -> SpaceInfo {
        SpaceInfo {
            id,
            name: name.into(),
            title: title.into(),
            class,
            key_format,
            scope_space: crate::NONE,
            matching: Matching::EXACT,
            short: RString::new(),
        }
    }
}

named_numbers! {
    /// How a key without a name is shown.
    pub struct KeyFormat(u8) {
        /// Hexadecimal: addresses.
        HEX = 0,
        /// Decimal: small numbers.
        DECIMAL = 1,
        /// Decimal up to 65 535, hexadecimal above: small numbers or bit masks.
        LARGE_HEX = 3,
        /// Decimal: keys are priorities, and higher numbers run first.
        PRIORITY = 4,
    }
}

/// Ids of spaces common to all decoders.
pub mod space {
    /// Properties of the target.
    pub const PROPS: u16 = 0;
    /// Kinds named at run time.
    pub const KINDS: u16 = 1;
    /// Cores.
    pub const CORES: u16 = 2;
    /// First space that a decoder may declare.
    pub const OWN: u16 = 16;
}

/// Keys of space [`space::PROPS`].
pub mod prop {
    /// Size of an object pointer in bytes.
    pub const OBJ_PTR: u64 = 2;
    /// Size of a function pointer in bytes.
    pub const FUN_PTR: u64 = 3;
    /// Size of a signal in bytes.
    pub const SIGNAL: u64 = 4;
    /// Size of the event-size field in bytes.
    pub const EVENT_SIZE: u64 = 5;
    /// Size of a time stamp in bytes.
    pub const STAMP: u64 = 6;
    /// Version of the framework.
    pub const VERSION: u64 = 7;
    /// Build id: key of the name cache.
    pub const BUILD_ID: u64 = 8;
    /// Operating system.
    pub const SYSTEM: u64 = 10;
    /// More data can't change the decoder's guess, so there is no need to wait for more of a pipe.
    pub const CERTAIN: u64 = 11;
}

named_numbers! {
    /// Class of an entity, for views.
    pub struct Class(u16) {
        /// Any other entity.
        OTHER = 0,
        /// Object.
        OBJECT = 1,
        /// State.
        STATE = 2,
        /// Signal.
        SIGNAL = 3,
        /// Function.
        FUNCTION = 4,
        /// Task or thread.
        TASK = 5,
        /// Process.
        PROCESS = 6,
        /// Interrupt.
        ISR = 7,
        /// Queue.
        QUEUE = 8,
        /// Pool.
        POOL = 9,
        /// Timer.
        TIMER = 10,
        /// Lock.
        LOCK = 11,
        /// Marker.
        MARKER = 12,
        /// Value.
        VALUE = 13,
        /// Kernel call.
        CALL = 14,
        /// Enumeration.
        ENUM = 15,
        /// Channel.
        CHANNEL = 16,
    }
}

named_numbers! {
    /// Fallback of a scoped lookup.
    pub struct Matching(u8) {
        /// The exact scope only.
        EXACT = 0,
        /// Exact, then scope 0.
        OR_GLOBAL = 1,
        /// Exact, then scope 0; a lookup with scope 0 matches any scope.
        OR_ANY = 2,
    }
}
