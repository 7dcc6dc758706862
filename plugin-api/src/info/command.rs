//! Commands to the target and the tree of what can be filtered.

use abi_stable::{
    StableAbi,
    std_types::{RString, RVec},
};

use super::More;

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
