//! Dictionary spaces: the meaning of keys, and the lookup of names.

use abi_stable::{StableAbi, std_types::RString};

use crate::number::named_numbers;

/// A dictionary space.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct SpaceInfo {
    /// [`space`], or 16 and up.
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
    /// Pattern with one `*`: lists show the part at the star of a matching name, if that is unique; empty = none.
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
        /// Decimal up to 65 535, above hexadecimal: small numbers, or words of bits.
        LARGE_HEX = 3,
        /// Decimal: keys are priorities, and the higher number runs first.
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
    /// First space of the decoder's own.
    pub const OWN: u16 = 16;
}

/// Keys of space [`space::PROPS`].
pub mod prop {
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
    /// Operating system.
    pub const SYSTEM: u64 = 10;
    /// What the decoder would guess from a sample can no longer change: a pipe need not be awaited for it.
    pub const CERTAIN: u64 = 11;
}

named_numbers! {
    /// Class of an entity, for views.
    pub struct Class(u16) {
        /// Anything else.
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
        /// Partition.
        PARTITION = 15,
        /// Enumeration.
        ENUM = 16,
        /// Channel.
        CHANNEL = 17,
    }
}

named_numbers! {
    /// Fallback of a scoped lookup.
    pub struct Matching(u8) {
        /// The exact scope only.
        EXACT = 0,
        /// Exact, then scope 0.
        OR_GLOBAL = 1,
        /// Exact, then scope 0; a lookup with scope 0 finds any entry of the key.
        OR_ANY = 2,
    }
}
