//! The function tables that cross the library boundary: implementation and callers.
//!
//! The fields of the tables are private, so that only [`decoder()`], [`decoder_and_encoder()`] and [`formatter()`] can
//! make a table, and every entry is guarded. Signatures are written out because the derive macro reads lifetimes from
//! the syntax.

use abi_stable::{
    StableAbi,
    std_types::{ROption, RResult, RSlice, RVec},
};

use crate::{
    Activity, Answer, AppRecord, Batch, Chunk, Command, Decoder, Dict, Encoder, EncoderEventKind, Fault, FilterState,
    Formatter, FormatterInfo, Frames, Info, Output, Refusal, Rendered, Request, RowIn, Source, TextWriter, Verdict,
    Want,
    guard::{guard, keep_late},
    info::{Guess, OptVal},
    running::{Entry, Table, enter},
};

type Guarded<T> = RResult<T, Fault>;

/// The state behind an instance pointer.
struct State<T> {
    value: T,
    dead: Option<Fault>,
}

impl<T> State<T> {
    fn raw(value: T) -> *mut () {
        Box::into_raw(Box::new(State { value, dead: None })).cast()
    }

    /// Runs `f` unless the instance has panicked; remembers a panic.
    ///
    /// # Safety
    /// `state` was made by `State::<T>::raw`, and nothing else accesses it meanwhile.
    unsafe fn run<R>(state: *mut (), f: impl FnOnce(&mut T) -> R) -> Guarded<R> {
        // SAFETY: as the caller says.
        let State { value, dead } = unsafe { &mut *state.cast::<State<T>>() };
        if let Some(fault) = dead {
            return RResult::RErr(fault.clone());
        }
        let answer = guarded(|| f(value));
        if let RResult::RErr(fault) = &answer {
            *dead = Some(fault.clone());
        }
        answer
    }

    /// A clone of the state, unless the instance has panicked.
    ///
    /// # Safety
    /// `state` was made by `State::<T>::raw`, and nothing modifies it meanwhile.
    unsafe extern "C" fn fork(state: *const ()) -> Guarded<*mut ()>
    where
        T: Clone,
    {
        // SAFETY: as the caller says.
        let State { value, dead } = unsafe { &*state.cast::<State<T>>() };
        match dead {
            Some(fault) => RResult::RErr(fault.clone()),
            None => guard(|| Ok(State::raw(value.clone()))),
        }
    }
}

/// Runs `f`, which can fail only by a panic.
fn guarded<R>(f: impl FnOnce() -> R) -> Guarded<R> {
    guard(|| Ok(f()))
}

/// Drops the state of an instance.
unsafe extern "C" fn drop_boxed<T>(state: *mut ()) -> Guarded<()> {
    // SAFETY: it was boxed by the constructor of the same table and is dropped once, by `Handle`.
    let boxed = unsafe { Box::from_raw(state.cast::<T>()) };
    // If its `drop` panics, only what was not yet freed leaks.
    guarded(|| drop(boxed))
}

/// The state of an instance, dropped by the table that made it.
#[derive(Debug)]
struct Handle {
    state: *mut (),
    drop: unsafe extern "C" fn(*mut ()) -> RResult<(), Fault>,
    /// Table and entry, for messages.
    table: Table,
    dropping: Entry,
}

// SAFETY: the state belongs to a type that is `Send`, and is reached by one thread at a time through `&mut self`; forks
// are cloned through `&self`, which `Handle` (not `Sync`) cannot share.
unsafe impl Send for Handle {}

impl Handle {
    /// Calls an entry of the table with the state; `pos` = position of the bytes or rows, for messages.
    fn call<R>(&self, entry: Entry, pos: u64, call: impl FnOnce(*mut ()) -> Guarded<R>) -> Result<R, Fault> {
        let _running = enter(self.table, entry, pos);
        call(self.state).into_result()
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: `state` came from the same table's constructor and is dropped once, here.
        if let Err(fault) = self.call(self.dropping, 0, |state| unsafe { (self.drop)(state) }) {
            keep_late(fault);
        }
    }
}

/// Whether exactly this many rows were completed since an output had these lengths.
fn has_rows_since([text, before, fields, payload, _]: [usize; 5], rows: usize, out: &Rendered) -> bool {
    let ends = [out.text.len(), out.fields.len(), out.payload.len()];
    out.rows.len() == before + rows
        && match out.rows.last().filter(|_| rows > 0) {
            Some(last) => [last.text, last.fields, last.payload].map(|end| end as usize) == ends,
            None => [text, fields, payload] == ends,
        }
}

/// Entries of a decoder and of its instances. Libraries are never unloaded, so a table lives forever.
#[repr(C)]
#[derive(StableAbi, Debug)]
pub struct DecoderTable {
    info: extern "C" fn() -> RResult<Info, Fault>,
    probe: extern "C" fn(RSlice<'_, u8>, RSlice<'_, OptVal<'_>>) -> RResult<RVec<Guess>, Fault>,
    open: extern "C" fn(RSlice<'_, OptVal<'_>>, &Source) -> RResult<*mut (), Fault>,
    feed: unsafe extern "C" fn(*mut (), &Chunk<'_>, &mut Batch) -> RResult<(), Fault>,
    fork: unsafe extern "C" fn(*const ()) -> RResult<*mut (), Fault>,
    drop: unsafe extern "C" fn(*mut ()) -> RResult<(), Fault>,
    render: extern "C" fn(
        RSlice<'_, u8>,
        RSlice<'_, RowIn<'_>>,
        &Dict<'_>,
        &Request<'_>,
        &mut Rendered,
    ) -> RResult<(), Fault>,
    label: extern "C" fn(RSlice<'_, u8>, &RowIn<'_>, &Activity, &Dict<'_>, &mut Rendered) -> RResult<(), Fault>,
    encoder: Option<&'static EncoderTable>,
}

/// A decoder, by its table.
pub type DecoderRef = &'static DecoderTable;

/// The function table of a decoder without an encoder.
pub const fn decoder<D: Decoder>() -> DecoderRef {
    const { &table::<D>(None) }
}

/// The function table of a decoder with an encoder.
pub const fn decoder_and_encoder<D: Decoder, E: Encoder>() -> DecoderRef {
    const { &table::<D>(Some(encoder_table::<E>())) }
}

const fn table<D: Decoder>(encoder: Option<&'static EncoderTable>) -> DecoderTable {
    DecoderTable {
        info: info::<D>,
        probe: probe::<D>,
        open: open::<D>,
        feed: feed::<D>,
        fork: State::<D>::fork,
        drop: drop_boxed::<State<D>>,
        render: render::<D>,
        label: label::<D>,
        encoder,
    }
}

extern "C" fn info<D: Decoder>() -> Guarded<Info> {
    guarded(D::info)
}

extern "C" fn probe<D: Decoder>(sample: RSlice<'_, u8>, opts: RSlice<'_, OptVal<'_>>) -> Guarded<RVec<Guess>> {
    guarded(|| {
        let mut out = Vec::new();
        D::probe(sample.as_slice(), opts.as_slice(), &mut out);
        out.into()
    })
}

extern "C" fn open<D: Decoder>(opts: RSlice<'_, OptVal<'_>>, source: &Source) -> Guarded<*mut ()> {
    guard(|| D::open(opts.as_slice(), source).map(State::raw))
}

unsafe extern "C" fn feed<D: Decoder>(state: *mut (), chunk: &Chunk<'_>, batch: &mut Batch) -> Guarded<()> {
    // SAFETY: the table is only ever paired with a pointer made by `State::<D>::raw`.
    unsafe { State::run(state, |decoder: &mut D| feed_parts(decoder, chunk, batch)) }
}

/// Splits a chunk at its stream events.
fn feed_parts<D: Decoder>(decoder: &mut D, chunk: &Chunk<'_>, batch: &mut Batch) {
    let bytes = chunk.bytes.as_slice();
    let mut done = 0_usize;
    let mut out = Output::for_feed(batch, chunk.wants_activities, bytes.len() + chunk.events.len());
    for event in chunk.events.as_slice() {
        let upto = usize::try_from(event.pos.saturating_sub(chunk.pos)).unwrap_or(usize::MAX).clamp(done, bytes.len());
        if upto > done {
            decoder.bytes(chunk.pos + done as u64, &bytes[done..upto], &mut out);
            done = upto;
        }
        decoder.event(event, event.text.of(chunk.texts.as_slice()), &mut out);
    }
    if done < bytes.len() {
        decoder.bytes(chunk.pos + done as u64, &bytes[done..], &mut out);
    }
}

extern "C" fn render<D: Decoder>(
    cfg: RSlice<'_, u8>,
    rows: RSlice<'_, RowIn<'_>>,
    dict: &Dict<'_>,
    request: &Request<'_>,
    out: &mut Rendered,
) -> Guarded<()> {
    let (cfg, rows) = (cfg.as_slice(), rows.as_slice());
    let before = out.lengths();
    let answer = write(out, request, |text| D::render_rows(cfg, rows, dict, request.want, text));
    if answer.is_ok() && has_rows_since(before, rows.len(), out) {
        return answer;
    }
    // Rendering is pure, so it can be repeated row by row to find the failing row and keep those before it.
    out.truncate(before);
    one_by_one::<D>(cfg, rows, dict, request, out)
}

/// Runs a function that appends to an output, inside the guard.
fn write(out: &mut Rendered, request: &Request<'_>, write: impl FnOnce(&mut TextWriter<'_>)) -> Guarded<()> {
    guarded(|| {
        let mut text = TextWriter::for_request(out, request);
        write(&mut text);
        text.finish();
    })
}

#[cold]
fn one_by_one<D: Decoder>(
    cfg: &[u8],
    rows: &[RowIn<'_>],
    dict: &Dict<'_>,
    request: &Request<'_>,
    out: &mut Rendered,
) -> Guarded<()> {
    let mut before = out.lengths();
    for (i, row) in (0..).zip(rows) {
        let answer = write(out, request, |text| {
            D::render(cfg, row, &dict.at(i), request.want, text);
            text.end_row();
        });
        if let RResult::RErr(fault) = answer {
            out.truncate(before);
            return RResult::RErr(Fault { row: i, ..fault });
        }
        before = out.lengths();
    }
    RResult::ROk(())
}

extern "C" fn label<D: Decoder>(
    cfg: RSlice<'_, u8>,
    row: &RowIn<'_>,
    activity: &Activity,
    dict: &Dict<'_>,
    out: &mut Rendered,
) -> Guarded<()> {
    let before = out.lengths();
    let answer = write(out, &Want::TEXT.into(), |text| D::label(cfg.as_slice(), row, activity, dict, text));
    if answer.is_err() {
        out.truncate(before);
    }
    answer
}

impl DecoderTable {
    /// Its function table, for messages.
    pub fn table(&'static self) -> Table {
        Table::of(self)
    }

    /// The decoder's description.
    pub fn info(&'static self) -> Result<Info, Fault> {
        let _running = enter(self.table(), Entry::Info, 0);
        (self.info)().into_result()
    }

    /// Guesses from a sample.
    pub fn probe(&'static self, sample: &[u8], opts: &[OptVal<'_>]) -> Result<RVec<Guess>, Fault> {
        let _running = enter(self.table(), Entry::Probe, 0);
        (self.probe)(RSlice::from_slice(sample), RSlice::from_slice(opts)).into_result()
    }

    /// Opens an instance.
    pub fn open(&'static self, opts: &[OptVal<'_>], source: &Source) -> Result<Instance, Fault> {
        let _running = enter(self.table(), Entry::Open, 0);
        let state = (self.open)(RSlice::from_slice(opts), source).into_result()?;
        let handle = Handle { state, drop: self.drop, table: self.table(), dropping: Entry::Drop };
        Ok(Instance { handle, table: self })
    }

    /// Renders a block of rows that share one configuration. After a fault, `out` has the rows before [`Fault::row`].
    pub fn render<'a>(
        &'static self,
        cfg: &[u8],
        rows: &[RowIn<'_>],
        dict: &Dict<'_>,
        request: impl Into<Request<'a>>,
        out: &mut Rendered,
    ) -> Result<(), Fault> {
        let _running = enter(self.table(), Entry::Render, rows.first().map_or(0, |row| row.row.pos));
        (self.render)(RSlice::from_slice(cfg), RSlice::from_slice(rows), dict, &request.into(), out).into_result()
    }

    /// Name of the slice or instant drawn for an activity.
    pub fn label(
        &'static self,
        cfg: &[u8],
        row: &RowIn<'_>,
        activity: &Activity,
        dict: &Dict<'_>,
        out: &mut Rendered,
    ) -> Result<(), Fault> {
        let _running = enter(self.table(), Entry::Label, row.row.pos);
        (self.label)(RSlice::from_slice(cfg), row, activity, dict, out).into_result()
    }

    /// An encoder for a link; `None` if the protocol has no way back.
    pub fn open_encoder(&'static self, opts: &[OptVal<'_>]) -> Result<Option<EncoderInstance>, Fault> {
        let _running = enter(self.table(), Entry::Encoder, 0);
        let Some(table) = self.encoder else { return Ok(None) };
        let state = (table.open)(opts.into()).into_result()?;
        let handle = Handle { state, drop: table.drop, table: self.table(), dropping: Entry::Encoder };
        Ok(Some(EncoderInstance { handle, table }))
    }
}

/// A decoder instance for one stream. After a panic, every call returns the same fault; copies made before still work.
#[derive(Debug)]
pub struct Instance {
    handle: Handle,
    table: DecoderRef,
}

impl Instance {
    /// Decodes a chunk of at most [`crate::chunk::MAX_CHUNK`] bytes and appends to `batch`.
    pub fn feed(&mut self, chunk: &Chunk<'_>, batch: &mut Batch) -> Result<(), Fault> {
        // SAFETY: the state belongs to this table, and access is exclusive.
        self.handle.call(Entry::Feed, chunk.pos, |state| unsafe { (self.table.feed)(state, chunk, batch) })
    }

    /// A copy of the state, taken between feeds.
    pub fn fork(&self) -> Result<Instance, Fault> {
        // SAFETY: as in `feed`; the entry only reads.
        let state = self.handle.call(Entry::Fork, 0, |state| unsafe { (self.table.fork)(state) })?;
        Ok(Instance { handle: Handle { state, ..self.handle }, ..*self })
    }
}

/// Entries of an encoder.
#[repr(C)]
#[derive(StableAbi, Debug)]
pub(crate) struct EncoderTable {
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
const fn encoder_table<E: Encoder>() -> &'static EncoderTable {
    const {
        &EncoderTable {
            open: open_encoder::<E>,
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

extern "C" fn open_encoder<E: Encoder>(opts: RSlice<'_, OptVal<'_>>) -> Guarded<*mut ()> {
    guard(|| E::open(opts.as_slice()).map(State::raw))
}

unsafe extern "C" fn set_options<E: Encoder>(state: *mut (), opts: RSlice<'_, OptVal<'_>>) -> Guarded<()> {
    // SAFETY: the table is only ever paired with a pointer made by `State::<E>::raw`.
    unsafe { State::run(state, |encoder: &mut E| encoder.set_options(opts.as_slice())) }.and_then(RResult::from)
}

unsafe extern "C" fn encode<E: Encoder>(
    state: *mut (),
    command: &Command<'_>,
    dict: &Dict<'_>,
    out: &mut Frames,
) -> Guarded<ROption<Refusal>> {
    // SAFETY: as in `set_options`.
    unsafe { State::run(state, |encoder: &mut E| encoder.encode(command, dict, out).err().into()) }
}

unsafe extern "C" fn event<E: Encoder>(state: *mut (), kind: EncoderEventKind, token: u64) -> Guarded<()> {
    // SAFETY: as in `set_options`.
    unsafe { State::run(state, |encoder: &mut E| encoder.event(kind, token)) }
}

unsafe extern "C" fn answer<E: Encoder>(state: *mut (), answer: &Answer) -> Guarded<Verdict> {
    // SAFETY: as in `set_options`.
    unsafe { State::run(state, |encoder: &mut E| encoder.answer(answer)) }
}

unsafe extern "C" fn filter<E: Encoder>(state: *mut ()) -> Guarded<RVec<FilterState>> {
    // SAFETY: as in `set_options`.
    unsafe {
        State::run(state, |encoder: &mut E| {
            let mut out = Vec::new();
            encoder.filter(&mut out);
            out.into()
        })
    }
}

/// An encoder of a link. After a panic, it always returns that fault; copies made before are not affected.
#[derive(Debug)]
pub struct EncoderInstance {
    handle: Handle,
    table: &'static EncoderTable,
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
    /// Calls an entry with the state.
    fn call<R>(&self, entry: impl FnOnce(&EncoderTable, *mut ()) -> Guarded<R>) -> Result<R, Fault> {
        self.handle.call(Entry::Encoder, 0, |state| entry(self.table, state))
    }

    /// Changes options.
    pub fn set_options(&mut self, opts: &[OptVal<'_>]) -> Result<(), Fault> {
        // SAFETY: the state belongs to this table, and access is exclusive.
        self.call(|table, state| unsafe { (table.set_options)(state, opts.into()) })
    }

    /// Encodes a command and adds its frames to `out`; nothing after an error.
    pub fn encode(&mut self, command: &Command<'_>, dict: &Dict<'_>, out: &mut Frames) -> Result<(), EncodeError> {
        let (frames, bytes, remarks) = (out.frames.len(), out.bytes.len(), out.remarks.len());
        // SAFETY: as in `set_options`.
        let answer = match self.call(|table, state| unsafe { (table.encode)(state, command, dict, out) }) {
            Ok(ROption::RNone) => return Ok(()),
            Ok(ROption::RSome(refusal)) => EncodeError::Refused(refusal),
            Err(fault) => EncodeError::Fault(fault),
        };
        out.frames.truncate(frames);
        out.bytes.truncate(bytes);
        out.remarks.truncate(remarks);
        Err(answer)
    }

    /// Passes an event to the encoder.
    pub fn event(&mut self, kind: EncoderEventKind, token: u64) -> Result<(), Fault> {
        // SAFETY: as in `set_options`.
        self.call(|table, state| unsafe { (table.event)(state, kind, token) })
    }

    /// Interprets an answer to one of its frames.
    pub fn answer(&mut self, answer: &Answer) -> Result<Verdict, Fault> {
        // SAFETY: as in `set_options`.
        self.call(|table, state| unsafe { (table.answer)(state, answer) })
    }

    /// Known state of the target's switches.
    pub fn filter(&mut self) -> Result<RVec<FilterState>, Fault> {
        // SAFETY: as in `set_options`.
        self.call(|table, state| unsafe { (table.filter)(state) })
    }

    /// A copy, for a preview or for undoing.
    pub fn fork(&self) -> Result<EncoderInstance, Fault> {
        // SAFETY: as in `set_options`; the entry only reads.
        let state = self.call(|table, state| unsafe { (table.fork)(state) })?;
        Ok(EncoderInstance { handle: Handle { state, ..self.handle }, ..*self })
    }
}

/// Entries of a formatter. Libraries are never unloaded, so a table lives forever.
#[repr(C)]
#[derive(StableAbi, Debug)]
pub struct FormatterTable {
    info: extern "C" fn() -> RResult<FormatterInfo, Fault>,
    open: extern "C" fn(RSlice<'_, OptVal<'_>>) -> RResult<*mut (), Fault>,
    format: unsafe extern "C" fn(*const (), &AppRecord<'_>, &Dict<'_>, Want, &mut Rendered) -> RResult<bool, Fault>,
    drop: unsafe extern "C" fn(*mut ()) -> RResult<(), Fault>,
}

/// A formatter, by its table.
pub type FormatterRef = &'static FormatterTable;

/// The function table of a formatter.
pub const fn formatter<F: Formatter>() -> FormatterRef {
    const {
        &FormatterTable {
            info: formatter_info::<F>,
            open: open_formatter::<F>,
            format: format::<F>,
            drop: drop_boxed::<F>,
        }
    }
}

impl FormatterTable {
    /// Its function table, for messages.
    pub fn table(&'static self) -> Table {
        Table::of(self)
    }

    /// The formatter's description.
    pub fn info(&'static self) -> Result<FormatterInfo, Fault> {
        let _running = enter(self.table(), Entry::Info, 0);
        (self.info)().into_result()
    }

    /// Opens the formatter with options under their own keys.
    pub fn open(&'static self, options: &[OptVal<'_>]) -> Result<FormatterInstance, Fault> {
        let _running = enter(self.table(), Entry::OpenFormatter, 0);
        let state = (self.open)(options.into()).into_result()?;
        let handle = Handle { state, drop: self.drop, table: self.table(), dropping: Entry::Drop };
        Ok(FormatterInstance { handle, table: self })
    }
}

/// An opened formatter.
#[derive(Debug)]
pub struct FormatterInstance {
    handle: Handle,
    table: FormatterRef,
}

// SAFETY: the state is an `F: Formatter`, which is `Sync`; the table is called with shared references only.
unsafe impl Sync for FormatterInstance {}

impl FormatterInstance {
    /// Its function table, for messages.
    pub fn table(&self) -> Table {
        self.handle.table
    }

    /// Formats a record: appends a row with the wanted parts to `out` if the formatter knows the record;
    /// nothing after a fault.
    pub fn format(
        &self,
        record: &AppRecord<'_>,
        dict: &Dict<'_>,
        want: Want,
        out: &mut Rendered,
    ) -> Result<bool, Fault> {
        let before = out.lengths();
        // SAFETY: the state belongs to this table.
        let format = |state: *mut ()| unsafe { (self.table.format)(state, record, dict, want, out) };
        let answer = match self.handle.call(Entry::Format, record.row.pos, format) {
            Ok(true) if !has_rows_since(before, 1, out) => Err(Fault::new("it wrote more or less than one row")),
            answer => answer,
        };
        if !matches!(answer, Ok(true)) {
            out.truncate(before);
        }
        answer
    }
}

extern "C" fn formatter_info<F: Formatter>() -> Guarded<FormatterInfo> {
    guarded(F::info)
}

extern "C" fn open_formatter<F: Formatter>(options: RSlice<'_, OptVal<'_>>) -> Guarded<*mut ()> {
    guard(|| F::open(options.as_slice()).map(|formatter| Box::into_raw(Box::new(formatter)).cast()))
}

unsafe extern "C" fn format<F: Formatter>(
    state: *const (),
    record: &AppRecord<'_>,
    dict: &Dict<'_>,
    want: Want,
    out: &mut Rendered,
) -> Guarded<bool> {
    // SAFETY: the table is only ever paired with a pointer made by `open_formatter::<F>`, and `F` is `Sync`.
    let formatter = unsafe { &*state.cast::<F>() };
    guard(|| {
        let mut text = TextWriter::for_request(out, &want.into());
        let is_known = formatter.format(record, dict, &mut text)?;
        text.end_row();
        text.finish();
        Ok(is_known)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DecoderOptions, row::Row};

    /// Renders each row as its bytes in brackets; `!` fails. The configuration selects how a block is rendered.
    #[derive(Clone)]
    struct Blocks;

    impl Decoder for Blocks {
        fn info() -> Info {
            Info::default()
        }

        fn open(_: &DecoderOptions<'_>, _: &Source) -> Result<Blocks, Fault> {
            Ok(Blocks)
        }

        fn bytes(&mut self, _: u64, _: &[u8], _: &mut Output<'_>) {}

        fn render(_: &[u8], row: &RowIn<'_>, _: &Dict<'_>, _: Want, out: &mut TextWriter<'_>) {
            out.put(b"[");
            assert_ne!(row.raw.as_slice(), b"!");
            out.put(row.raw.as_slice());
            out.put(b"]");
        }

        fn render_rows(cfg: &[u8], rows: &[RowIn<'_>], dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
            match cfg {
                b"panics" => panic!("as asked"),
                b"ends too few" => return out.put(b"half"),
                _ => {}
            }
            for (i, row) in (0..).zip(rows) {
                Self::render(cfg, row, &dict.at(i), want, out);
                out.end_row();
            }
            if cfg == b"goes on" {
                out.put(b"more");
            }
        }
    }

    fn rendered(cfg: &[u8], raws: &[&[u8]]) -> (String, Vec<u32>, Option<u32>) {
        let row = Row::default();
        let rows: Vec<RowIn<'_>> = raws
            .iter()
            .map(|raw| RowIn { row: &row, raw: (*raw).into(), attachments: RSlice::EMPTY, blob: RSlice::EMPTY })
            .collect();
        let mut out = Rendered { text: b"before".to_vec().into(), ..Rendered::default() };
        let answer =
            render::<Blocks>(cfg.into(), rows.as_slice().into(), &Dict::new(&()), &Want::TEXT.into(), &mut out);
        let (text, ends) = (String::from_utf8_lossy(&out.text), out.rows.iter().map(|row| row.text));
        (text.into_owned(), ends.collect(), answer.into_result().err().map(|fault| fault.row))
    }

    #[test]
    fn a_block_that_goes_wrong_is_rendered_row_by_row() {
        for cfg in [&b"goes well"[..], b"panics", b"ends too few", b"goes on"] {
            let good = rendered(cfg, &[b"a", b"", b"b"]);
            assert_eq!(good, ("before[a][][b]".to_owned(), vec![9, 11, 14], None));
            let bad = rendered(cfg, &[b"a", b"!", b"b"]);
            assert_eq!(bad, ("before[a]".to_owned(), vec![9], Some(1)));
        }
    }

    struct Echo;

    impl Formatter for Echo {
        fn info() -> FormatterInfo {
            FormatterInfo::new("echo", "bytes")
        }

        fn open(_: &DecoderOptions<'_>) -> Result<Echo, Fault> {
            Ok(Echo)
        }

        fn format(&self, record: &AppRecord<'_>, _: &Dict<'_>, out: &mut TextWriter<'_>) -> Result<bool, Fault> {
            out.put(b"half ");
            match record.id.as_slice() {
                b"panics" => panic!("as asked"),
                b"fails" => Err(Fault::new("no")),
                b"unknown" => Ok(false),
                b"two" => {
                    out.end_row();
                    Ok(true)
                }
                id => {
                    out.put(id);
                    Ok(true)
                }
            }
        }
    }

    fn formatted(id: &str) -> (Result<bool, bool>, String, usize) {
        crate::guard::install_hook();
        let row = Row::default();
        let (none, id) = (RSlice::EMPTY, RSlice::from_slice(id.as_bytes()));
        let record = AppRecord { row: &row, id, name: none, payload: none, fields: RSlice::EMPTY, blob: none };
        let mut out = Rendered::default();
        out.push_text_row(b"before ");
        let answer = formatter::<Echo>().open(&[]).unwrap().format(&record, &Dict::new(&()), Want::all(), &mut out);
        let text = String::from_utf8_lossy(&out.text).into_owned();
        (answer.map_err(|fault| fault.panicked), text, out.rows.len())
    }

    #[test]
    fn only_a_known_record_leaves_something() {
        assert_eq!(formatted("it"), (Ok(true), "before half it".to_owned(), 2));
        assert_eq!(formatted("unknown"), (Ok(false), "before ".to_owned(), 1));
        assert_eq!(formatted("fails"), (Err(false), "before ".to_owned(), 1));
        assert_eq!(formatted("panics"), (Err(true), "before ".to_owned(), 1));
        assert_eq!(formatted("two"), (Err(false), "before ".to_owned(), 1));
    }
}
