//! Commands to the target: typed calls in, frames out, answers matched by token and stage.

use abi_stable::{
    StableAbi,
    std_types::{RSlice, RVec},
};

use crate::batch::Cut;

/// Well-known ids of commands; 16 up are the decoder's.
pub mod cmd {
    /// Change the target's filter.
    pub const FILTER: u16 = 1;
    /// Change the local (object) filter.
    pub const LOCAL: u16 = 2;
    /// Ask what the target is.
    pub const INFO: u16 = 3;
    /// Reset the target.
    pub const RESET: u16 = 4;
    /// Send the names again.
    pub const NAMES: u16 = 5;
    /// Is it there?
    pub const PING: u16 = 6;
}

/// A command with its arguments, parsed and resolved by the host.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct Call<'a> {
    /// Id of the command.
    pub cmd: u16,
    /// Arguments.
    pub args: RSlice<'a, ArgVal>,
    /// Filter changes, for [`cmd::FILTER`] and [`cmd::LOCAL`].
    pub filters: RSlice<'a, FilterOp>,
    /// Arena of the arguments' texts.
    pub texts: RSlice<'a, u8>,
}

/// The value of one argument.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArgVal {
    /// Index of the argument in its specification.
    pub arg: u16,
    /// One of [`crate::info::arg_type`].
    pub ty: u8,
    /// Number, truth value, index of the choice, or key.
    pub num: u64,
    /// Scope of a key.
    pub scope: u64,
    /// Text or bytes, in [`Call::texts`].
    pub text: Cut,
    /// Column in the command line, for errors.
    pub column: u32,
}

/// One change of a filter.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FilterOp {
    /// 0 add, 1 take away, 2 set to just this.
    pub op: u8,
    /// Item of the filter tree.
    pub item: u32,
    /// Least value of a range or key.
    pub lo: u64,
    /// Greatest value.
    pub hi: u64,
}

/// State of an item of the filter tree, as far as the host of the commands knows.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FilterState {
    /// Item.
    pub item: u32,
    /// Least value.
    pub lo: u64,
    /// Greatest value.
    pub hi: u64,
    /// 0 off, 1 on, 2 unknown, 3 assumed on.
    pub state: u8,
}

/// What an encoded command sends.
#[repr(C)]
#[derive(StableAbi, Debug, Default)]
pub struct TxOut {
    /// Arena of the frames.
    pub bytes: RVec<u8>,
    /// The frames in order.
    pub frames: RVec<TxFrame>,
    /// The command in words, for the record of it.
    pub echo: RVec<u8>,
}

/// One frame to the target.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TxFrame {
    /// Its bytes, in [`TxOut::bytes`].
    pub bytes: Cut,
    /// Token that its answer carries.
    pub token: u64,
    /// Bits of the stages that must come for "done".
    pub stages: u16,
    /// 0 = the stream's own link, 1 = companion link.
    pub channel: u8,
    /// Sends of identical bytes after the first.
    pub retries: u8,
    /// Time to wait for the answer, ms.
    pub timeout_ms: u32,
    /// Pause before the frame, ms.
    pub gap_ms: u16,
}

/// Events told to a [`crate::author::Transmit`].
pub mod event {
    /// The link came up.
    pub const LINK_UP: u32 = 1;
    /// The link went down.
    pub const LINK_DOWN: u32 = 2;
    /// The target started a new epoch.
    pub const EPOCH: u32 = 3;
    /// An answer came: token, status.
    pub const ANSWER: u32 = 4;
    /// The configuration changed.
    pub const CONFIG: u32 = 5;
}
