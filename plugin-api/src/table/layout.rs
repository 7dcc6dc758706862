//! The tables. Their signatures are written out because the derive macro reads lifetimes from the syntax.

use abi_stable::{
    StableAbi,
    std_types::{ROption, RResult, RSlice, RVec},
};

use super::encoder::EncoderInstance;
use crate::{
    activity::Activity,
    batch::Batch,
    chunk::{Chunk, Source},
    guard::Fault,
    info::{Guess, Info, OptVal},
    render::{Dict, Rendered, Request, RowIn},
};

/// Entries of a decoder.
#[repr(C)]
#[derive(StableAbi)]
pub struct DecoderTable {
    pub(super) info: extern "C" fn() -> RResult<Info, Fault>,
    pub(super) probe: extern "C" fn(RSlice<'_, u8>, RSlice<'_, OptVal<'_>>) -> RResult<RVec<Guess>, Fault>,
    pub(super) open: extern "C" fn(RSlice<'_, OptVal<'_>>, &Source<'_>) -> RResult<Instance, Fault>,
    pub(super) render: extern "C" fn(
        RSlice<'_, u8>,
        RSlice<'_, RowIn<'_>>,
        &Dict<'_>,
        &Request<'_>,
        &mut Rendered,
    ) -> RResult<(), Fault>,
    pub(super) label:
        extern "C" fn(RSlice<'_, u8>, &RowIn<'_>, &Activity, u16, &Dict<'_>, &mut Rendered) -> RResult<(), Fault>,
    pub(super) encoder: extern "C" fn(RSlice<'_, OptVal<'_>>) -> RResult<ROption<EncoderInstance>, Fault>,
}

/// A decoder's table. Libraries are never unloaded, so it lives forever.
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

/// An instance of a decoder, for one stream. After a panic, it always returns that fault; copies made before are not
/// affected.
#[repr(C)]
#[derive(StableAbi)]
pub struct Instance {
    pub(super) state: *mut (),
    pub(super) table: &'static InstanceTable,
}
