//! The function table of an encoder, implementation and callers.

use abi_stable::{
    StableAbi,
    std_types::{ROption, RResult, RSlice, RVec},
};

use super::{Guarded, State, drop_boxed};
use crate::{
    encoder::{Answer, Command, Encoder, EncoderEventKind, FilterState, Frames, Refusal, Verdict},
    guard::{Fault, guard, keep_late},
    info::OptVal,
    render::Dict,
    running::{Entry, Running, Table, enter},
};

/// Entries of an encoder.
#[repr(C)]
#[derive(StableAbi)]
pub struct EncoderTable {
    open: extern "C" fn(RSlice<'_, OptVal<'_>>) -> RResult<*mut (), Fault>,
    set_options: unsafe extern "C" fn(*mut (), RSlice<'_, OptVal<'_>>) -> RResult<(), Fault>,
    encode: unsafe extern "C" fn(*mut (), &Command<'_>, &Dict<'_>, &mut Frames) -> RResult<ROption<Refusal>, Fault>,
    event: unsafe extern "C" fn(*mut (), EncoderEventKind, u64) -> RResult<(), Fault>,
    answer: unsafe extern "C" fn(*mut (), &Answer) -> RResult<Verdict, Fault>,
    filter: unsafe extern "C" fn(*mut ()) -> RResult<RVec<FilterState>, Fault>,
    fork: unsafe extern "C" fn(*const ()) -> RResult<*mut (), Fault>,
    drop: unsafe extern "C" fn(*mut ()) -> RResult<(), Fault>,
}

/// The table of an encoder.
pub(super) const fn encoder_table<E: Encoder>() -> &'static EncoderTable {
    const {
        &EncoderTable {
            open: open::<E>,
            set_options: set_options::<E>,
            encode: encode::<E>,
            event: event::<E>,
            answer: answer::<E>,
            filter: filter::<E>,
            fork: State::<E>::fork,
            drop: drop_boxed::<State<E>>,
        }
    }
}

extern "C" fn open<E: Encoder>(opts: RSlice<'_, OptVal<'_>>) -> Guarded<*mut ()> {
    guard(|| E::open(opts.as_slice()).map(State::raw))
}

unsafe extern "C" fn set_options<E: Encoder>(state: *mut (), opts: RSlice<'_, OptVal<'_>>) -> Guarded<()> {
    // SAFETY: the table is only ever paired with a pointer made by `State::<E>::raw`.
    unsafe { State::run(state, |encoder: &mut E| encoder.set_options(opts.as_slice())) }
}

unsafe extern "C" fn encode<E: Encoder>(
    state: *mut (),
    command: &Command<'_>,
    dict: &Dict<'_>,
    out: &mut Frames,
) -> Guarded<ROption<Refusal>> {
    // SAFETY: as in `set_options`.
    unsafe { State::run(state, |encoder: &mut E| Ok(encoder.encode(command, dict, out).err().into())) }
}

unsafe extern "C" fn event<E: Encoder>(state: *mut (), kind: EncoderEventKind, token: u64) -> Guarded<()> {
    // SAFETY: as in `set_options`.
    unsafe {
        State::run(state, |encoder: &mut E| {
            encoder.event(kind, token);
            Ok(())
        })
    }
}

unsafe extern "C" fn answer<E: Encoder>(state: *mut (), answer: &Answer) -> Guarded<Verdict> {
    // SAFETY: as in `set_options`.
    unsafe { State::run(state, |encoder: &mut E| Ok(encoder.answer(answer))) }
}

unsafe extern "C" fn filter<E: Encoder>(state: *mut ()) -> Guarded<RVec<FilterState>> {
    // SAFETY: as in `set_options`.
    unsafe {
        State::run(state, |encoder: &mut E| {
            let mut out = Vec::new();
            encoder.filter(&mut out);
            Ok(out.into())
        })
    }
}

/// An encoder of a link. After a panic, it always returns that fault; copies made before are not affected.
pub struct EncoderInstance {
    state: *mut (),
    table: &'static EncoderTable,
    /// The table of its decoder, for messages.
    decoder: Table,
}

// SAFETY: the state is a `State<E>` with `E: Send`, reached by one thread at a time through `&mut self`; `fork` clones
// through `&self`, which `EncoderInstance` (not `Sync`) cannot share.
unsafe impl Send for EncoderInstance {}

impl Drop for EncoderInstance {
    fn drop(&mut self) {
        let _running = self.running();
        // SAFETY: `state` came from the same table's constructor and is dropped once, here.
        if let RResult::RErr(fault) = unsafe { (self.table.drop)(self.state) } {
            keep_late(fault);
        }
    }
}

/// Why a command was not encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EncodeError {
    /// An argument is wrong.
    Refused(Refusal),
    /// The plugin's fault.
    Fault(Fault),
}

impl EncoderInstance {
    pub(super) fn open(
        table: &'static EncoderTable,
        opts: &[OptVal<'_>],
        decoder: Table,
    ) -> Result<EncoderInstance, Fault> {
        let state = (table.open)(opts.into()).into_result()?;
        Ok(EncoderInstance { state, table, decoder })
    }

    fn running(&self) -> Running {
        enter(self.decoder, Entry::Encoder, 0)
    }

    /// Changes options.
    ///
    /// # Errors
    /// Contradictory options, or the plugin's fault.
    pub fn set_options(&mut self, opts: &[OptVal<'_>]) -> Result<(), Fault> {
        let _running = self.running();
        // SAFETY: as in `encode`.
        unsafe { (self.table.set_options)(self.state, opts.into()) }.into_result()
    }

    /// Encodes a command and adds its frames to `out`.
    ///
    /// # Errors
    /// A wrong argument, or the plugin's fault; then nothing is added.
    pub fn encode(&mut self, command: &Command<'_>, dict: &Dict<'_>, out: &mut Frames) -> Result<(), EncodeError> {
        let (frames, bytes, remarks) = (out.frames.len(), out.bytes.len(), out.remarks.len());
        let _running = self.running();
        // SAFETY: `state` belongs to this table, and access is exclusive.
        let answer = match unsafe { (self.table.encode)(self.state, command, dict, out) } {
            RResult::ROk(ROption::RNone) => return Ok(()),
            RResult::ROk(ROption::RSome(refusal)) => EncodeError::Refused(refusal),
            RResult::RErr(fault) => EncodeError::Fault(fault),
        };
        out.frames.truncate(frames);
        out.bytes.truncate(bytes);
        out.remarks.truncate(remarks);
        Err(answer)
    }

    /// Passes an event to the encoder.
    ///
    /// # Errors
    /// The plugin's fault; after a panic, every call returns it again.
    pub fn event(&mut self, kind: EncoderEventKind, token: u64) -> Result<(), Fault> {
        let _running = self.running();
        // SAFETY: as in `encode`.
        unsafe { (self.table.event)(self.state, kind, token) }.into_result()
    }

    /// Interprets an answer to one of its frames.
    ///
    /// # Errors
    /// The plugin's fault.
    pub fn answer(&mut self, answer: &Answer) -> Result<Verdict, Fault> {
        let _running = self.running();
        // SAFETY: as in `encode`.
        unsafe { (self.table.answer)(self.state, answer) }.into_result()
    }

    /// Known state of the target's switches.
    ///
    /// # Errors
    /// The plugin's fault.
    pub fn filter(&mut self) -> Result<RVec<FilterState>, Fault> {
        let _running = self.running();
        // SAFETY: as in `encode`.
        unsafe { (self.table.filter)(self.state) }.into_result()
    }

    /// A copy, for a preview or for undoing.
    ///
    /// # Errors
    /// The plugin's fault.
    pub fn fork(&self) -> Result<EncoderInstance, Fault> {
        let _running = self.running();
        // SAFETY: as in `encode`; the entry only reads.
        let state = unsafe { (self.table.fork)(self.state) }.into_result()?;
        Ok(EncoderInstance { state, ..*self })
    }
}
