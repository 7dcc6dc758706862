//! The entries of the way back to the target, each behind the panic guard.

use abi_stable::std_types::{RResult, RSlice, RVec};

use super::{Answer, boxed::Boxed, handle::Tx, make::tx_of};
use crate::{
    author::{Decoder, Dict, Opts, Transmit},
    guard::guard,
    info::OptVal,
    render::DictView,
    tx::{Call, FilterState, TxOut},
};

pub(super) extern "C" fn tx_open<D: Decoder>(opts: RSlice<'_, OptVal<'_>>) -> Answer<Tx> {
    guard(|| D::Tx::open(&Opts(opts.as_slice())).map(tx_of))
}

pub(super) unsafe extern "C" fn encode<T: Transmit>(
    state: *mut (),
    cfg: RSlice<'_, u8>,
    call: &Call<'_>,
    dict: &DictView<'_>,
    out: &mut TxOut,
) -> Answer<()> {
    // SAFETY: the table is only ever paired with a pointer made by `Boxed::<T>::raw`.
    let boxed = unsafe { &mut *state.cast::<Boxed<T>>() };
    let (bytes, frames, echo) = (out.bytes.len(), out.frames.len(), out.echo.len());
    let answer = boxed.run(|tx| tx.encode(cfg.as_slice(), call, &Dict(*dict), out));
    if answer.is_err() {
        // Half a command must not be sent.
        out.bytes.truncate(bytes);
        out.frames.truncate(frames);
        out.echo.truncate(echo);
    }
    answer
}

pub(super) unsafe extern "C" fn event<T: Transmit>(state: *mut (), what: u32, a: u64, b: u64) -> Answer<()> {
    // SAFETY: as in `encode`.
    let boxed = unsafe { &mut *state.cast::<Boxed<T>>() };
    boxed.run(|tx| {
        tx.event(what, a, b);
        Ok(())
    })
}

pub(super) unsafe extern "C" fn filters<T: Transmit>(state: *const (), out: &mut RVec<FilterState>) -> Answer<()> {
    // SAFETY: as in `encode`; only read.
    let boxed = unsafe { &*state.cast::<Boxed<T>>() };
    if let Some(fault) = &boxed.dead {
        return RResult::RErr(fault.clone());
    }
    let before = out.len();
    let answer = guard(|| {
        boxed.value.filters(out);
        Ok(())
    });
    if answer.is_err() {
        out.truncate(before);
    }
    answer
}

pub(super) unsafe extern "C" fn fork_tx<T: Transmit>(state: *const ()) -> Answer<Tx> {
    // SAFETY: as in `encode`; only read.
    let boxed = unsafe { &*state.cast::<Boxed<T>>() };
    match &boxed.dead {
        Some(fault) => RResult::RErr(fault.clone()),
        None => guard(|| Ok(tx_of(boxed.value.clone()))),
    }
}
