//! The tables. Their signatures are spelled out: the derive reads lifetimes from the syntax.

use abi_stable::{
    StableAbi,
    std_types::{RResult, RSlice, RVec},
};

use crate::{
    activity::Activity,
    batch::Batch,
    chunk::{Chunk, Source},
    guard::Fault,
    info::{Guess, Info, OptVal},
    render::{DictView, Rendered, RowIn, Want},
};

/// Entries of a decoder.
#[repr(C)]
#[derive(StableAbi)]
pub struct DecoderTable {
    pub(super) info: extern "C" fn() -> RResult<Info, Fault>,
    pub(super) probe: extern "C" fn(RSlice<'_, u8>, RSlice<'_, OptVal<'_>>) -> RResult<RVec<Guess>, Fault>,
    pub(super) open: extern "C" fn(RSlice<'_, OptVal<'_>>, &Source<'_>) -> RResult<Instance, Fault>,
    pub(super) render:
        extern "C" fn(RSlice<'_, u8>, RSlice<'_, RowIn<'_>>, &DictView<'_>, Want, &mut Rendered) -> RResult<(), Fault>,
    pub(super) label:
        extern "C" fn(RSlice<'_, u8>, &RowIn<'_>, &Activity, u16, &DictView<'_>, &mut Rendered) -> RResult<(), Fault>,
}

/// A decoder's table, which lives as long as its library: for good.
#[repr(transparent)]
#[derive(StableAbi, Clone, Copy)]
pub struct DecoderRef(pub(super) &'static DecoderTable);

/// Entries of an instance.
#[repr(C)]
#[derive(StableAbi)]
pub struct InstanceTable {
    pub(super) feed: unsafe extern "C" fn(*mut (), &Chunk<'_>, &mut Batch) -> RResult<(), Fault>,
    pub(super) fork: unsafe extern "C" fn(*const ()) -> RResult<Instance, Fault>,
    pub(super) drop: unsafe extern "C" fn(*mut ()) -> RResult<(), Fault>,
}

/// A decoder at work on one stream. After a panic it answers with the first fault; a fork taken before is good.
#[repr(C)]
#[derive(StableAbi)]
pub struct Instance {
    pub(super) state: *mut (),
    pub(super) table: &'static InstanceTable,
}
