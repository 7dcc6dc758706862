//! The tables. Their signatures are spelled out: the derive reads lifetimes from the syntax.

use abi_stable::{
    StableAbi,
    std_types::{RResult, RSlice, RVec},
};

use super::handle::{Instance, Tx};
use crate::{
    act::Act,
    app_record::{AppRecord, FormatterInfo},
    batch::Batch,
    chunk::{Chunk, Source},
    guard::Fault,
    info::{Guess, Info, OptVal},
    render::{DictView, Rendered, RowIn},
    tx::{Call, FilterState, TxOut},
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
    pub(crate) label:
        extern "C" fn(RSlice<'_, u8>, &RowIn<'_>, &Act, u16, &DictView<'_>, &mut Rendered) -> RResult<(), Fault>,
    #[sabi(last_prefix_field)]
    pub(crate) tx_open: extern "C" fn(RSlice<'_, OptVal<'_>>) -> RResult<Tx, Fault>,
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

/// Entries of a way back to the target.
#[repr(C)]
#[derive(StableAbi)]
#[sabi(kind(Prefix(prefix_ref = TxRef, prefix_fields = TxPrefix)))]
#[sabi(missing_field(panic))]
pub struct TxTable {
    pub(crate) encode:
        unsafe extern "C" fn(*mut (), RSlice<'_, u8>, &Call<'_>, &DictView<'_>, &mut TxOut) -> RResult<(), Fault>,
    pub(crate) event: unsafe extern "C" fn(*mut (), u32, u64, u64) -> RResult<(), Fault>,
    pub(crate) filters: unsafe extern "C" fn(*const (), &mut RVec<FilterState>) -> RResult<(), Fault>,
    pub(crate) fork: unsafe extern "C" fn(*const ()) -> RResult<Tx, Fault>,
    #[sabi(last_prefix_field)]
    pub(crate) drop: unsafe extern "C" fn(*mut ()) -> RResult<(), Fault>,
}

/// Entries of a formatter.
#[repr(C)]
#[derive(StableAbi)]
#[sabi(kind(Prefix(prefix_ref = FormatterRef, prefix_fields = FormatterPrefix)))]
#[sabi(missing_field(panic))]
pub struct FormatterTable {
    pub(crate) info: extern "C" fn() -> RResult<FormatterInfo, Fault>,
    #[sabi(last_prefix_field)]
    pub(crate) format: extern "C" fn(&AppRecord<'_>, &DictView<'_>, u32, &mut Rendered) -> RResult<bool, Fault>,
}
