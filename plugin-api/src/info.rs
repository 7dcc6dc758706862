//! What a decoder tells about itself, once after loading. Every specification carries `more` pairs: the free path
//! of growth, ignored by hosts that do not know a key.

use abi_stable::{
    StableAbi,
    std_types::{RStr, RString, RVec},
};

use crate::row::NONE;

/// A pair that grows a specification without changing its layout.
#[repr(C)]
#[derive(StableAbi, Clone, Debug, PartialEq, Eq)]
pub struct More {
    /// Key.
    pub key: RString,
    /// Value.
    pub value: RString,
}

/// The value of `key` among `more`.
#[must_use]
pub fn more<'a>(pairs: &'a [More], key: &str) -> Option<&'a str> {
    pairs.iter().find(|p| p.key == key).map(|p| p.value.as_str())
}

/// Pairs from a list of literals.
#[must_use]
pub fn pairs(list: &[(&str, &str)]) -> RVec<More> {
    list.iter().map(|(key, value)| More { key: (*key).into(), value: (*value).into() }).collect()
}

/// Everything that a host needs to know of a decoder without decoding.
#[repr(C)]
#[derive(StableAbi, Clone, Debug, Default)]
pub struct Info {
    /// Name on the command line, as `qs`.
    pub id: RString,
    /// Name for people.
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
    /// Attributes from 64 up.
    pub attrs: RVec<AttrInfo>,
    /// Extras from 64 up.
    pub extras: RVec<ExtraInfo>,
    /// Counters from 64 up.
    pub counters: RVec<CounterInfo>,
    /// Options.
    pub options: RVec<OptSpec>,
    /// Commands to the target.
    pub commands: RVec<CmdSpec>,
    /// Tree of what can be filtered.
    pub filters: RVec<FilterItem>,
    /// Styles of option `reference`; the first is the default of `--format reference`.
    pub references: RVec<RefInfo>,
    /// 0 = rows of a stream are in order of time, 1 = of a lane.
    pub order: u8,
    /// 0 = a stream, 1 = datagrams.
    pub framing: u8,
    /// Most bytes that may be pending; 0 = 1 MiB.
    pub max_pending: u64,
    /// Growth.
    pub more: RVec<More>,
}

impl Info {
    /// The specification of a kind.
    #[must_use]
    pub fn kind(&self, kind: u16) -> Option<&KindInfo> {
        self.kinds.iter().find(|k| k.first <= kind && kind <= k.last)
    }

    /// The specification of a space.
    #[must_use]
    pub fn space(&self, id: u16) -> Option<&SpaceInfo> {
        self.spaces.iter().find(|s| s.id == id)
    }

    /// The specification of a group.
    #[must_use]
    pub fn group(&self, id: u8) -> Option<&GroupInfo> {
        self.groups.iter().find(|g| g.id == id)
    }

    /// The specification of an option.
    #[must_use]
    pub fn option(&self, key: &str) -> Option<&OptSpec> {
        self.options.iter().find(|o| o.key == key)
    }
}

/// A kind of rows, or a range of kinds.
///
/// Known `more` keys: `tag` = the short kind word of the list.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct KindInfo {
    /// First kind.
    pub first: u16,
    /// Last kind.
    pub last: u16,
    /// Name as the protocol writes it.
    pub name: RString,
    /// Id of the group.
    pub group: u8,
    /// Usual severity.
    pub severity: u8,
    /// Space of [`crate::Row::obj`]; [`NONE`] = the kind has no object.
    pub obj_space: u16,
    /// Space of [`crate::Row::aux`].
    pub aux_space: u16,
    /// Reserved, 0.
    pub flags: u16,
    /// Names of its fields in wire order.
    pub fields: RVec<RString>,
    /// Growth.
    pub more: RVec<More>,
}

impl KindInfo {
    /// One kind without keys.
    #[must_use]
    pub fn new(kind: u16, name: &str, group: u8) -> KindInfo {
        KindInfo {
            first: kind,
            last: kind,
            name: name.into(),
            group,
            severity: 0,
            obj_space: NONE,
            aux_space: NONE,
            flags: 0,
            fields: RVec::new(),
            more: RVec::new(),
        }
    }

    /// The short kind word of the list: `more` key `tag`, else the name.
    #[must_use]
    pub fn tag(&self) -> &str {
        more(&self.more, "tag").unwrap_or(&self.name)
    }
}

/// A group of kinds.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct GroupInfo {
    /// Id, as in [`crate::Row::group`].
    pub id: u8,
    /// Short name of the list.
    pub name: RString,
    /// Name for people.
    pub title: RString,
    /// Growth.
    pub more: RVec<More>,
}

/// A dictionary space.
///
/// Known `more` keys: `short` = pattern with one `*`; a name that fits it is shown as its star in lists, where
/// that is unique.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct SpaceInfo {
    /// [`space`], or 16 and up.
    pub id: u16,
    /// Word in filters and commands.
    pub name: RString,
    /// Name for people.
    pub title: RString,
    /// One of [`class`].
    pub class: u16,
    /// 0 hexadecimal, 1 decimal, 2 text.
    pub key_format: u8,
    /// Bytes of a key, for panes; 0 = as needed.
    pub key_bytes: u8,
    /// Space of the scope; [`NONE`] = none.
    pub scope_space: u16,
    /// One of [`matching`].
    pub matching: u8,
    /// Growth.
    pub more: RVec<More>,
}

/// Ids of spaces that every decoder has.
pub mod space {
    /// Properties of the target.
    pub const PROPS: u16 = 0;
    /// Kinds named at run time.
    pub const KINDS: u16 = 1;
    /// Lanes.
    pub const LANES: u16 = 2;
    /// First of the decoder's own.
    pub const OWN: u16 = 16;
}

/// Keys of space [`space::PROPS`].
pub mod prop {
    /// 1 = big-endian.
    pub const BYTE_ORDER: u64 = 1;
    /// Bytes of an object pointer.
    pub const OBJ_PTR: u64 = 2;
    /// Bytes of a function pointer.
    pub const FUN_PTR: u64 = 3;
    /// Bytes of a signal.
    pub const SIGNAL: u64 = 4;
    /// Bytes of an event size.
    pub const EVENT_SIZE: u64 = 5;
    /// Bytes of a time stamp.
    pub const STAMP: u64 = 6;
    /// Version of the framework.
    pub const VERSION: u64 = 7;
    /// Build id: key of the name cache.
    pub const BUILD_ID: u64 = 8;
    /// Build time.
    pub const BUILD_TIME: u64 = 9;
    /// Operating system.
    pub const SYSTEM: u64 = 10;
    /// Machine.
    pub const MACHINE: u64 = 11;
    /// Number of lanes.
    pub const LANES: u64 = 12;
    /// Bytes of an integer.
    pub const INT: u64 = 13;
    /// First free key: label in NAME, value in VALUE.
    pub const OWN: u64 = 256;
}

/// What an entity of a space is, for the views.
pub mod class {
    /// Anything else.
    pub const OTHER: u16 = 0;
    /// Object.
    pub const OBJECT: u16 = 1;
    /// State.
    pub const STATE: u16 = 2;
    /// Signal.
    pub const SIGNAL: u16 = 3;
    /// Function.
    pub const FUNCTION: u16 = 4;
    /// Task or thread.
    pub const TASK: u16 = 5;
    /// Process.
    pub const PROCESS: u16 = 6;
    /// Interrupt.
    pub const ISR: u16 = 7;
    /// Queue.
    pub const QUEUE: u16 = 8;
    /// Pool.
    pub const POOL: u16 = 9;
    /// Timer.
    pub const TIMER: u16 = 10;
    /// Lock.
    pub const LOCK: u16 = 11;
    /// Marker.
    pub const MARKER: u16 = 12;
    /// Value.
    pub const VALUE: u16 = 13;
    /// Kernel call.
    pub const CALL: u16 = 14;
    /// Partition.
    pub const PARTITION: u16 = 15;
    /// Enumeration.
    pub const ENUM: u16 = 16;
    /// Channel.
    pub const CHANNEL: u16 = 17;
}

/// How a scoped look-up falls back.
pub mod matching {
    /// The exact scope only.
    pub const EXACT: u8 = 0;
    /// Exact, then scope 0.
    pub const OR_GLOBAL: u8 = 1;
    /// Exact, then scope 0; asked with scope 0: any entry of the key.
    pub const OR_ANY: u8 = 2;
}

/// An attribute from 64 up.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct AttrInfo {
    /// Id.
    pub id: u8,
    /// Name.
    pub name: RString,
    /// Growth.
    pub more: RVec<More>,
}

/// An extra from 64 up; the host shows it as a field of its row.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct ExtraInfo {
    /// Id.
    pub id: u16,
    /// Name of the field.
    pub name: RString,
    /// Unit.
    pub unit: RString,
    /// Space of `a` where it is a key; [`NONE`] = a number.
    pub space: u16,
    /// Growth.
    pub more: RVec<More>,
}

/// A counter from 64 up.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct CounterInfo {
    /// Id.
    pub id: u16,
    /// Name.
    pub name: RString,
    /// Unit.
    pub unit: RString,
    /// 0 none, 1 target, 2 line, 3 host.
    pub cause: u8,
    /// Growth.
    pub more: RVec<More>,
}

/// An option of the decoder. Every change is a new instance and a re-decode.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct OptSpec {
    /// Key on the command line.
    pub key: RString,
    /// One line of help.
    pub help: RString,
    /// One of [`opt_type`].
    pub ty: u8,
    /// Least value of an int.
    pub min: i64,
    /// Greatest value of an int.
    pub max: i64,
    /// Legal values; empty = any within the range. An int may have them too.
    pub choices: RVec<RString>,
    /// Default, as text; empty = unset.
    pub default: RString,
    /// Growth.
    pub more: RVec<More>,
}

/// Types of [`OptSpec`].
pub mod opt_type {
    /// `0 1 yes no on off true false`.
    pub const BOOL: u8 = 0;
    /// Integer, decimal or 0x.
    pub const INT: u8 = 1;
    /// One of the choices.
    pub const CHOICE: u8 = 2;
    /// Text.
    pub const TEXT: u8 = 3;
    /// A file: the user gives a path, the decoder gets the content.
    pub const FILE: u8 = 4;
}

/// A style of option `reference`.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct RefInfo {
    /// Value of the option, as `qspy-7.3.4`.
    pub id: RString,
    /// Name for people.
    pub title: RString,
    /// Growth.
    pub more: RVec<More>,
}

/// A command to the target.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct CmdSpec {
    /// Id: [`crate::tx::cmd`], or 16 and up.
    pub id: u16,
    /// Word.
    pub name: RString,
    /// One line of help.
    pub help: RString,
    /// Arguments.
    pub args: RVec<ArgSpec>,
    /// Ask first.
    pub danger: bool,
    /// Growth.
    pub more: RVec<More>,
}

/// An argument of a command.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct ArgSpec {
    /// Word.
    pub name: RString,
    /// One line of help.
    pub help: RString,
    /// One of [`arg_type`].
    pub ty: u8,
    /// Least value.
    pub min: i64,
    /// Greatest value.
    pub max: i64,
    /// Legal words.
    pub choices: RVec<RString>,
    /// Space of a key.
    pub space: u16,
    /// May be left out.
    pub optional: bool,
    /// May come more than once.
    pub repeat: bool,
    /// Growth.
    pub more: RVec<More>,
}

/// Types of [`ArgSpec`].
pub mod arg_type {
    /// Integer.
    pub const INT: u8 = 0;
    /// Truth value.
    pub const BOOL: u8 = 1;
    /// One of the choices.
    pub const CHOICE: u8 = 2;
    /// Key of a space, resolved by the host.
    pub const KEY: u8 = 3;
    /// Text.
    pub const TEXT: u8 = 4;
    /// Bytes, in hexadecimal.
    pub const BYTES: u8 = 5;
    /// Filter specification.
    pub const FILTER: u8 = 6;
}

/// An item of the filter tree; its path joined by `:`.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct FilterItem {
    /// Id, from 1.
    pub id: u32,
    /// Word.
    pub name: RString,
    /// Other words.
    pub aliases: RVec<RString>,
    /// One line of help.
    pub help: RString,
    /// Id of the parent; 0 = root.
    pub parent: u32,
    /// 0 switch, 1 dictionary space, 2 range.
    pub form: u8,
    /// Kinds it stands for.
    pub kinds: RVec<KindRange>,
    /// Space, for form 1.
    pub space: u16,
    /// Growth.
    pub more: RVec<More>,
}

/// A range of kinds.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, PartialEq, Eq)]
pub struct KindRange {
    /// First.
    pub first: u16,
    /// Last.
    pub last: u16,
}

/// A guess at what a sample of a stream is.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct Guess {
    /// Bits that had to match and did.
    pub evidence_bits: u32,
    /// Per mille of the sample's bytes that the guess explains.
    pub explained: u16,
    /// Options of the guess, `k=v` lines.
    pub options: RString,
    /// Why, for people.
    pub why: RString,
}

/// One option with its value, as handed to a decoder.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct OptVal<'a> {
    /// Key.
    pub key: RStr<'a>,
    /// Value; the content of a file.
    pub value: abi_stable::std_types::RSlice<'a, u8>,
}
