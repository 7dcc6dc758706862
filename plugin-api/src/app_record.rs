//! Application records: what the firmware's own code logs, and the formatters that give it a text.

use abi_stable::{
    StableAbi,
    std_types::{RSlice, RString, RVec},
};

use crate::{author::Dict, author::Text, guard::Fault, info::More, render::Field};

/// An application record as its protocol's decoder has taken it apart.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct AppRecord<'a> {
    /// Id of the protocol.
    pub protocol: RSlice<'a, u8>,
    /// Kind of the row.
    pub kind: u16,
    /// Application code: [`crate::Row::aux`].
    pub code: u64,
    /// Name of the record, where the target sent one.
    pub name: RSlice<'a, u8>,
    /// Ticks.
    pub time: u64,
    /// Time in ns; 0 where the rate is unknown.
    pub ns: u64,
    /// Bytes of an integer.
    pub int_width: u8,
    /// The target is big-endian.
    pub big_endian: bool,
    /// Bytes of an object pointer.
    pub obj_ptr: u8,
    /// Bytes of a function pointer.
    pub fun_ptr: u8,
    /// Bytes of a signal.
    pub sig: u8,
    /// Bytes of an event size.
    pub evt_size: u8,
    /// Bytes of a time stamp.
    pub stamp: u8,
    /// The application's bytes.
    pub payload: RSlice<'a, u8>,
    /// The fields that the decoder found.
    pub fields: RSlice<'a, Field>,
    /// Arena of the fields.
    pub blob: RSlice<'a, u8>,
}

/// What a formatter tells about itself.
#[repr(C)]
#[derive(StableAbi, Clone, Debug, Default)]
pub struct FormatterInfo {
    /// Short name.
    pub id: RString,
    /// Name for people.
    pub title: RString,
    /// Version.
    pub version: RString,
    /// Protocols it wants to be asked for.
    pub protocols: RVec<RString>,
    /// Kinds it wants to be asked for; empty = all application records.
    pub kinds: RVec<u16>,
    /// Growth.
    pub more: RVec<More>,
}

/// The trait of an application-record plugin. A formatter changes text and fields of its row, nothing else.
pub trait Formatter: Send + Sync + 'static {
    /// About the formatter.
    fn info() -> FormatterInfo;

    /// Formats a record; `Ok(false)` = not mine, ask the next one.
    ///
    /// # Errors
    /// A fault makes the host show the row in its built-in text.
    fn format(record: &AppRecord<'_>, dict: &Dict<'_>, want: u32, out: &mut Text<'_>) -> Result<bool, Fault>;
}
