//! The host's side of the tables.

use abi_stable::std_types::{ROption, RResult, RSlice, RVec};

use super::{
    encoder::EncoderInstance,
    layout::{DecoderRef, Instance},
};
use crate::{
    activity::Activity,
    batch::Batch,
    chunk::{Chunk, Source},
    guard::{Fault, keep_late},
    info::{Guess, Info, OptVal},
    render::{Dict, Rendered, Request, RowIn},
};

// SAFETY: the state is a `State<D>` with `D: Send`, reached by one thread at a time through `&mut self`; `fork`
// clones through `&self`, which `Instance` (not `Sync`) cannot share.
unsafe impl Send for Instance {}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: `state` came from the same table's constructor and is dropped once, here.
        if let RResult::RErr(fault) = unsafe { (self.table.drop)(self.state) } {
            keep_late(fault);
        }
    }
}

impl std::fmt::Debug for Instance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Instance")
    }
}

impl Instance {
    /// Decodes a chunk of at most [`crate::chunk::MAX_CHUNK`] bytes and adds to `batch`.
    ///
    /// # Errors
    /// The plugin's fault; after a panic, every call returns it again.
    pub fn feed(&mut self, chunk: &Chunk<'_>, batch: &mut Batch) -> Result<(), Fault> {
        // SAFETY: `state` belongs to this table, and access is exclusive.
        unsafe { (self.table.feed)(self.state, chunk, batch) }.into_result()
    }

    /// A copy of the state, taken between feeds.
    ///
    /// # Errors
    /// The plugin's fault.
    pub fn fork(&self) -> Result<Instance, Fault> {
        // SAFETY: as in `feed`; the entry only reads.
        unsafe { (self.table.fork)(self.state) }.into_result()
    }
}

impl std::fmt::Debug for DecoderRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("DecoderRef")
    }
}

impl DecoderRef {
    /// The description of the decoder.
    ///
    /// # Errors
    /// The plugin's fault.
    pub fn info(self) -> Result<Info, Fault> {
        (self.0.info)().into_result()
    }

    /// Guesses about a sample.
    ///
    /// # Errors
    /// The plugin's fault.
    pub fn probe(self, sample: &[u8], opts: &[OptVal<'_>]) -> Result<RVec<Guess>, Fault> {
        (self.0.probe)(RSlice::from_slice(sample), RSlice::from_slice(opts)).into_result()
    }

    /// Opens an instance.
    ///
    /// # Errors
    /// Options that contradict each other.
    pub fn open(self, opts: &[OptVal<'_>], source: &Source<'_>) -> Result<Instance, Fault> {
        (self.0.open)(RSlice::from_slice(opts), source).into_result()
    }

    /// Renders a block of rows that share one configuration.
    ///
    /// # Errors
    /// The plugin's fault; `out` contains the rows before [`Fault::row`].
    pub fn render<'a>(
        self,
        cfg: &[u8],
        rows: &[RowIn<'_>],
        dict: &Dict<'_>,
        request: impl Into<Request<'a>>,
        out: &mut Rendered,
    ) -> Result<(), Fault> {
        (self.0.render)(RSlice::from_slice(cfg), RSlice::from_slice(rows), dict, &request.into(), out).into_result()
    }

    /// Name of a slice or track.
    ///
    /// # Errors
    /// The plugin's fault.
    pub fn label(
        self,
        cfg: &[u8],
        row: &RowIn<'_>,
        activity: &Activity,
        what: u16,
        dict: &Dict<'_>,
        out: &mut Rendered,
    ) -> Result<(), Fault> {
        (self.0.label)(RSlice::from_slice(cfg), row, activity, what, dict, out).into_result()
    }

    /// An encoder for a link; `None` if the protocol has no way back.
    ///
    /// # Errors
    /// Options that contradict each other.
    pub fn open_encoder(self, opts: &[OptVal<'_>]) -> Result<Option<EncoderInstance>, Fault> {
        (self.0.encoder)(RSlice::from_slice(opts)).into_result().map(ROption::into_option)
    }
}
