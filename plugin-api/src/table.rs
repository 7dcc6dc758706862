//! The function tables that cross the library boundary, and the host's side of them.
//!
//! The fields are private to this crate: [`decoder`] and [`formatter`] are the only way to make a table, and they
//! put every entry behind the panic guard.

use abi_stable::{
    StableAbi,
    prefix_type::WithMetadata,
    std_types::{RResult, RSlice, RVec},
};

use crate::{
    act::Act,
    app_record::{AppRecord, Formatter, FormatterInfo},
    author::{Decoder, Dict, Opts, Out, Text, Transmit},
    batch::Batch,
    chunk::{Chunk, Source},
    guard::{Fault, guard, keep_late},
    info::{Guess, Info, OptVal},
    render::{DictView, Rendered, RowIn},
    tx::{Call, FilterState, TxOut},
};

// The tables spell their signatures out: the derive reads lifetimes from the syntax.
type Answer<T> = RResult<T, Fault>;

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

/// The table of a decoder.
#[must_use]
pub const fn decoder<D: Decoder>() -> DecoderRef {
    DecoderRef(
        const {
            &WithMetadata::new(DecoderTable {
                info: info::<D>,
                probe: probe::<D>,
                open: open::<D>,
                render: render::<D>,
                label: label::<D>,
                tx_open: tx_open::<D>,
            })
        }
        .static_as_prefix(),
    )
}

/// The table of a formatter.
#[must_use]
pub const fn formatter<F: Formatter>() -> FormatterRef {
    FormatterRef(
        const { &WithMetadata::new(FormatterTable { info: format_info::<F>, format: format::<F> }) }.static_as_prefix(),
    )
}

/// A decoder at work on one stream. After a panic it answers with the first fault; a fork taken before is good.
#[repr(C)]
#[derive(StableAbi)]
pub struct Instance {
    state: *mut (),
    table: InstanceRef,
}

// SAFETY: the state is a `Boxed<D>` with `D: Send`, reached by one thread at a time through `&mut self`; `fork`
// clones through `&self`, which `Instance` (not `Sync`) cannot share.
unsafe impl Send for Instance {}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: `state` came from the same table's constructor and is dropped once, here.
        if let RResult::RErr(fault) = unsafe { self.table.drop()(self.state) } {
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
    /// The plugin's fault; after a panic the instance is dead and repeats it.
    pub fn feed(&mut self, chunk: &Chunk<'_>, batch: &mut Batch) -> Result<(), Fault> {
        // SAFETY: `state` belongs to this table and nobody else reaches it.
        unsafe { self.table.feed()(self.state, chunk, batch) }.into_result()
    }

    /// A copy of the state, taken between feeds.
    ///
    /// # Errors
    /// The plugin's fault.
    pub fn fork(&self) -> Result<Instance, Fault> {
        // SAFETY: as in `feed`; the entry only reads.
        unsafe { self.table.fork()(self.state) }.into_result()
    }
}

/// The way back to the target, with its state.
#[repr(C)]
#[derive(StableAbi)]
pub struct Tx {
    state: *mut (),
    table: TxRef,
}

// SAFETY: as for `Instance`.
unsafe impl Send for Tx {}

impl Drop for Tx {
    fn drop(&mut self) {
        // SAFETY: `state` came from the same table's constructor and is dropped once, here.
        if let RResult::RErr(fault) = unsafe { self.table.drop()(self.state) } {
            keep_late(fault);
        }
    }
}

impl std::fmt::Debug for Tx {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tx")
    }
}

impl Tx {
    /// Encodes a command.
    ///
    /// # Errors
    /// What can't be sent.
    pub fn encode(&mut self, cfg: &[u8], call: &Call<'_>, dict: &DictView<'_>, out: &mut TxOut) -> Result<(), Fault> {
        // SAFETY: `state` belongs to this table and nobody else reaches it.
        unsafe { self.table.encode()(self.state, RSlice::from_slice(cfg), call, dict, out) }.into_result()
    }

    /// Tells an event of [`crate::tx::event`].
    ///
    /// # Errors
    /// The plugin's fault.
    pub fn event(&mut self, what: u32, a: u64, b: u64) -> Result<(), Fault> {
        // SAFETY: as in `encode`.
        unsafe { self.table.event()(self.state, what, a, b) }.into_result()
    }

    /// The target's filter, as far as known.
    ///
    /// # Errors
    /// The plugin's fault.
    pub fn filters(&self, out: &mut RVec<FilterState>) -> Result<(), Fault> {
        // SAFETY: as in `encode`; the entry only reads.
        unsafe { self.table.filters()(self.state, out) }.into_result()
    }

    /// A copy of the state: a preview encodes on a copy and drops it.
    ///
    /// # Errors
    /// The plugin's fault.
    pub fn fork(&self) -> Result<Tx, Fault> {
        // SAFETY: as in `encode`; the entry only reads.
        unsafe { self.table.fork()(self.state) }.into_result()
    }
}

impl std::fmt::Debug for DecoderRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("DecoderRef")
    }
}

impl std::fmt::Debug for FormatterRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FormatterRef")
    }
}

impl DecoderRef {
    /// About the decoder.
    ///
    /// # Errors
    /// The plugin's fault.
    pub fn about(self) -> Result<Info, Fault> {
        self.info()().into_result()
    }

    /// Guesses about a sample.
    ///
    /// # Errors
    /// The plugin's fault.
    pub fn guess(self, sample: &[u8], opts: &[OptVal<'_>]) -> Result<RVec<Guess>, Fault> {
        self.probe()(RSlice::from_slice(sample), RSlice::from_slice(opts)).into_result()
    }

    /// Opens an instance.
    ///
    /// # Errors
    /// What is wrong with the options.
    pub fn start(self, opts: &[OptVal<'_>], source: &Source<'_>) -> Result<Instance, Fault> {
        self.open()(RSlice::from_slice(opts), source).into_result()
    }

    /// Renders a block of rows that share one configuration.
    ///
    /// # Errors
    /// The plugin's fault; the rows before [`Fault::row`] stand in `out`.
    pub fn rows(
        self,
        cfg: &[u8],
        rows: &[RowIn<'_>],
        dict: &DictView<'_>,
        want: u32,
        out: &mut Rendered,
    ) -> Result<(), Fault> {
        self.render()(RSlice::from_slice(cfg), RSlice::from_slice(rows), dict, want, out).into_result()
    }

    /// Name of a slice or track.
    ///
    /// # Errors
    /// The plugin's fault.
    pub fn name_of(
        self,
        cfg: &[u8],
        row: &RowIn<'_>,
        act: &Act,
        what: u16,
        dict: &DictView<'_>,
        out: &mut Rendered,
    ) -> Result<(), Fault> {
        self.label()(RSlice::from_slice(cfg), row, act, what, dict, out).into_result()
    }

    /// Opens the way back to the target.
    ///
    /// # Errors
    /// What is wrong with the options, or that there is no way back.
    pub fn transmit(self, opts: &[OptVal<'_>]) -> Result<Tx, Fault> {
        self.tx_open()(RSlice::from_slice(opts)).into_result()
    }
}

impl FormatterRef {
    /// About the formatter.
    ///
    /// # Errors
    /// The plugin's fault.
    pub fn about(self) -> Result<FormatterInfo, Fault> {
        self.info()().into_result()
    }

    /// Formats a record; `false` = not mine.
    ///
    /// # Errors
    /// The plugin's fault.
    pub fn text(
        self,
        record: &AppRecord<'_>,
        dict: &DictView<'_>,
        want: u32,
        out: &mut Rendered,
    ) -> Result<bool, Fault> {
        self.format()(record, dict, want, out).into_result()
    }
}

/// What is behind an instance's or way back's pointer.
struct Boxed<T> {
    value: T,
    dead: Option<Fault>,
}

impl<T> Boxed<T> {
    fn raw(value: T) -> *mut () {
        Box::into_raw(Box::new(Boxed { value, dead: None })).cast()
    }

    /// Runs `f` unless dead; a panic is remembered.
    fn run<R>(&mut self, f: impl FnOnce(&mut T) -> Result<R, Fault>) -> Answer<R> {
        if let Some(fault) = &self.dead {
            return RResult::RErr(fault.clone());
        }
        let value = &mut self.value;
        let answer = guard(|| f(value));
        if let RResult::RErr(fault) = &answer
            && fault.panicked
        {
            self.dead = Some(fault.clone());
        }
        answer
    }
}

const fn instance_table<D: Decoder>() -> InstanceRef {
    InstanceRef(
        const {
            &WithMetadata::new(InstanceTable { feed: feed::<D>, fork: fork_instance::<D>, drop: drop_boxed::<D> })
        }
        .static_as_prefix(),
    )
}

const fn tx_table<T: Transmit>() -> TxRef {
    TxRef(
        const {
            &WithMetadata::new(TxTable {
                encode: encode::<T>,
                event: event::<T>,
                filters: filters::<T>,
                fork: fork_tx::<T>,
                drop: drop_boxed::<T>,
            })
        }
        .static_as_prefix(),
    )
}

fn instance_of<D: Decoder>(decoder: D) -> Instance {
    Instance { state: Boxed::raw(decoder), table: instance_table::<D>() }
}

fn tx_of<T: Transmit>(tx: T) -> Tx {
    Tx { state: Boxed::raw(tx), table: tx_table::<T>() }
}

extern "C" fn info<D: Decoder>() -> Answer<Info> {
    guard(|| Ok(D::info()))
}

extern "C" fn probe<D: Decoder>(sample: RSlice<'_, u8>, opts: RSlice<'_, OptVal<'_>>) -> Answer<RVec<Guess>> {
    guard(|| {
        let mut out = Vec::new();
        D::probe(sample.as_slice(), &Opts(opts.as_slice()), &mut out);
        Ok(out.into())
    })
}

extern "C" fn open<D: Decoder>(opts: RSlice<'_, OptVal<'_>>, source: &Source<'_>) -> Answer<Instance> {
    guard(|| D::open(&Opts(opts.as_slice()), source).map(instance_of))
}

unsafe extern "C" fn feed<D: Decoder>(state: *mut (), chunk: &Chunk<'_>, batch: &mut Batch) -> Answer<()> {
    // SAFETY: the table is only ever paired with a pointer made by `Boxed::<D>::raw`.
    let boxed = unsafe { &mut *state.cast::<Boxed<D>>() };
    boxed.run(|decoder| {
        feed_parts(decoder, chunk, batch);
        Ok(())
    })
}

/// Cuts a chunk at its marks.
fn feed_parts<D: Decoder>(decoder: &mut D, chunk: &Chunk<'_>, batch: &mut Batch) {
    let bytes = chunk.bytes.as_slice();
    let mut done = 0_usize;
    {
        let mut out = Out::new(batch, chunk.want);
        for mark in chunk.marks.as_slice() {
            let upto =
                usize::try_from(mark.pos.saturating_sub(chunk.pos)).unwrap_or(usize::MAX).clamp(done, bytes.len());
            if upto > done {
                decoder.bytes(chunk.pos + done as u64, &bytes[done..upto], &mut out);
                done = upto;
            }
            decoder.mark(mark, mark.text.of(chunk.texts.as_slice()), &mut out);
        }
        if done < bytes.len() {
            decoder.bytes(chunk.pos + done as u64, &bytes[done..], &mut out);
        }
    }
    batch.pending = decoder.pending();
}

unsafe extern "C" fn fork_instance<D: Decoder>(state: *const ()) -> Answer<Instance> {
    // SAFETY: as in `feed`; only read.
    let boxed = unsafe { &*state.cast::<Boxed<D>>() };
    match &boxed.dead {
        Some(fault) => RResult::RErr(fault.clone()),
        None => guard(|| Ok(instance_of(boxed.value.clone()))),
    }
}

unsafe extern "C" fn drop_boxed<T>(state: *mut ()) -> Answer<()> {
    // SAFETY: made by `Boxed::<T>::raw` and dropped once, by the owner's `Drop`.
    let boxed = unsafe { Box::from_raw(state.cast::<Boxed<T>>()) };
    // A panic in the author's `drop` costs what it had not yet freed, nothing more.
    guard(|| {
        drop(boxed);
        Ok(())
    })
}

/// How much of an answer was there: half a row must not stay behind.
#[derive(Clone, Copy)]
struct Lengths {
    text: usize,
    fields: usize,
    payload: usize,
    blob: usize,
}

impl Lengths {
    fn of(out: &Rendered) -> Lengths {
        Lengths { text: out.text.len(), fields: out.fields.len(), payload: out.payload.len(), blob: out.blob.len() }
    }

    fn restore(self, out: &mut Rendered) {
        out.text.truncate(self.text);
        out.fields.truncate(self.fields);
        out.payload.truncate(self.payload);
        out.blob.truncate(self.blob);
    }
}

extern "C" fn render<D: Decoder>(
    cfg: RSlice<'_, u8>,
    rows: RSlice<'_, RowIn<'_>>,
    dict: &DictView<'_>,
    want: u32,
    out: &mut Rendered,
) -> Answer<()> {
    let first = out.ends.len();
    let mut before = Lengths::of(out);
    let answer = guard(|| {
        for (i, row) in rows.as_slice().iter().enumerate() {
            before = Lengths::of(out);
            let dict = Dict(dict.at(i as u32));
            D::render(cfg.as_slice(), row, &dict, want, &mut Text::new(out));
            let end = out.text.len() as u32;
            out.ends.push(end);
        }
        Ok(())
    });
    match answer {
        RResult::ROk(()) => RResult::ROk(()),
        RResult::RErr(fault) => {
            let row = (out.ends.len() - first) as u32;
            before.restore(out);
            RResult::RErr(Fault { row, ..fault })
        }
    }
}

extern "C" fn label<D: Decoder>(
    cfg: RSlice<'_, u8>,
    row: &RowIn<'_>,
    act: &Act,
    what: u16,
    dict: &DictView<'_>,
    out: &mut Rendered,
) -> Answer<()> {
    let before = Lengths::of(out);
    let answer = guard(|| {
        D::label(cfg.as_slice(), row, act, what, &Dict(*dict), &mut Text::new(out));
        Ok(())
    });
    if answer.is_err() {
        before.restore(out);
    }
    answer
}

extern "C" fn tx_open<D: Decoder>(opts: RSlice<'_, OptVal<'_>>) -> Answer<Tx> {
    guard(|| D::Tx::open(&Opts(opts.as_slice())).map(tx_of))
}

unsafe extern "C" fn encode<T: Transmit>(
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

unsafe extern "C" fn event<T: Transmit>(state: *mut (), what: u32, a: u64, b: u64) -> Answer<()> {
    // SAFETY: as in `encode`.
    let boxed = unsafe { &mut *state.cast::<Boxed<T>>() };
    boxed.run(|tx| {
        tx.event(what, a, b);
        Ok(())
    })
}

unsafe extern "C" fn filters<T: Transmit>(state: *const (), out: &mut RVec<FilterState>) -> Answer<()> {
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

unsafe extern "C" fn fork_tx<T: Transmit>(state: *const ()) -> Answer<Tx> {
    // SAFETY: as in `encode`; only read.
    let boxed = unsafe { &*state.cast::<Boxed<T>>() };
    match &boxed.dead {
        Some(fault) => RResult::RErr(fault.clone()),
        None => guard(|| Ok(tx_of(boxed.value.clone()))),
    }
}

extern "C" fn format_info<F: Formatter>() -> Answer<FormatterInfo> {
    guard(|| Ok(F::info()))
}

extern "C" fn format<F: Formatter>(
    record: &AppRecord<'_>,
    dict: &DictView<'_>,
    want: u32,
    out: &mut Rendered,
) -> Answer<bool> {
    let before = Lengths::of(out);
    let answer = guard(|| F::format(record, &Dict(*dict), want, &mut Text::new(out)));
    if !matches!(answer, RResult::ROk(true)) {
        before.restore(out);
    }
    answer
}
