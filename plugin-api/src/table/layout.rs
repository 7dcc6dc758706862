//! The tables. Their signatures are spelled out: the derive reads lifetimes from the syntax.

use abi_stable::{
    StableAbi,
    std_types::{RResult, RSlice, RVec},
};

use super::handle::Instance;
use crate::{
    act::Act,
    batch::Batch,
    chunk::{Chunk, Source},
    guard::Fault,
    info::{Guess, Info, OptVal},
    render::{DictView, Rendered, RowIn},
};

/// Entries of a decoder.
#[repr(C)]
#[derive(StableAbi)]
#[sabi(kind(Prefix(prefix_ref = DecoderRef, prefix_fields = DecoderPrefix)))]
#[sabi(missing_field(panic))]
pub struct DecoderTable {
    pub(crate) info: extern "C" fn() -> RResult<Info, Fault>,
    pub(crate) probe: extern "C" fn(RSlice<'_, u8>, RSlice<'_, OptVal<'_>>) -> RResult<RVec<Guess>, Fault>,
    pub(crate) open: extern "C" fn(RSlice<'_, OptVal<'_>>, &Source<'_>) -> RResult<Instance, Fault>,
    pub(crate) render:
        extern "C" fn(RSlice<'_, u8>, RSlice<'_, RowIn<'_>>, &DictView<'_>, u32, &mut Rendered) -> RResult<(), Fault>,
    #[sabi(last_prefix_field)]
    pub(crate) label:
        extern "C" fn(RSlice<'_, u8>, &RowIn<'_>, &Act, u16, &DictView<'_>, &mut Rendered) -> RResult<(), Fault>,
}

/// Entries of an instance.
#[repr(C)]
#[derive(StableAbi)]
#[sabi(kind(Prefix(prefix_ref = InstanceRef, prefix_fields = InstancePrefix)))]
#[sabi(missing_field(panic))]
pub struct InstanceTable {
    pub(crate) feed: unsafe extern "C" fn(*mut (), &Chunk<'_>, &mut Batch) -> RResult<(), Fault>,
    pub(crate) fork: unsafe extern "C" fn(*const ()) -> RResult<Instance, Fault>,
    #[sabi(last_prefix_field)]
    pub(crate) drop: unsafe extern "C" fn(*mut ()) -> RResult<(), Fault>,
}
