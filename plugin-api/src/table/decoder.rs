//! The function table of a decoder, implementation and callers.

use abi_stable::{
    StableAbi,
    std_types::{RResult, RSlice, RVec},
};

use super::{
    Guarded, Lengths, State, drop_boxed,
    encoder::{EncoderInstance, EncoderTable, encoder_table},
};
use crate::{
    activity::Activity,
    batch::Batch,
    chunk::{Chunk, Source},
    decoder::Decoder,
    encoder::Encoder,
    guard::{Fault, guard, keep_late},
    info::{Guess, Info, OptVal},
    output::Output,
    render::{Dict, Rendered, Request, RowIn, Want},
    running::{Entry, Table, enter},
    text::TextWriter,
};

/// Entries of a decoder and of its instances. Libraries are never unloaded, so a table lives forever.
#[repr(C)]
#[derive(StableAbi)]
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
    guard(|| Ok(D::info()))
}

extern "C" fn probe<D: Decoder>(sample: RSlice<'_, u8>, opts: RSlice<'_, OptVal<'_>>) -> Guarded<RVec<Guess>> {
    guard(|| {
        let mut out = Vec::new();
        D::probe(sample.as_slice(), opts.as_slice(), &mut out);
        Ok(out.into())
    })
}

extern "C" fn open<D: Decoder>(opts: RSlice<'_, OptVal<'_>>, source: &Source) -> Guarded<*mut ()> {
    guard(|| D::open(opts.as_slice(), source).map(State::raw))
}

unsafe extern "C" fn feed<D: Decoder>(state: *mut (), chunk: &Chunk<'_>, batch: &mut Batch) -> Guarded<()> {
    // SAFETY: the table is only ever paired with a pointer made by `State::<D>::raw`.
    unsafe {
        State::run(state, |decoder: &mut D| {
            feed_parts(decoder, chunk, batch);
            Ok(())
        })
    }
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
    let before = Lengths::of(out);
    let answer = write(out, request, |text| D::render_rows(cfg, rows, dict, request.want, text));
    if answer.is_ok() && before.plus_rows(rows.len(), out) {
        return answer;
    }
    // Rendering is pure, so it can be repeated row by row to find the failing row and keep those before it.
    before.restore(out);
    one_by_one::<D>(cfg, rows, dict, request, out)
}

/// Runs a function that appends to an output, inside the guard.
fn write(out: &mut Rendered, request: &Request<'_>, write: impl FnOnce(&mut TextWriter<'_>)) -> Guarded<()> {
    guard(|| {
        let mut text = TextWriter::for_request(out, request);
        write(&mut text);
        text.finish();
        Ok(())
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
    let mut before = Lengths::of(out);
    for (i, row) in (0..).zip(rows) {
        let answer = write(out, request, |text| {
            D::render(cfg, row, &dict.at(i), request.want, text);
            text.end_row();
        });
        if let RResult::RErr(fault) = answer {
            before.restore(out);
            return RResult::RErr(Fault { row: i, ..fault });
        }
        before = Lengths::of(out);
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
    let before = Lengths::of(out);
    let answer = write(out, &Want::TEXT.into(), |text| D::label(cfg.as_slice(), row, activity, dict, text));
    if answer.is_err() {
        before.restore(out);
    }
    answer
}

impl DecoderTable {
    /// Its function table, for messages.
    pub fn table(&'static self) -> Table {
        Table::of(self)
    }

    /// The decoder's description.
    ///
    /// # Errors
    /// The plugin's fault.
    pub fn info(&'static self) -> Result<Info, Fault> {
        let _running = enter(self.table(), Entry::Info, 0);
        (self.info)().into_result()
    }

    /// Guesses from a sample.
    ///
    /// # Errors
    /// The plugin's fault.
    pub fn probe(&'static self, sample: &[u8], opts: &[OptVal<'_>]) -> Result<RVec<Guess>, Fault> {
        let _running = enter(self.table(), Entry::Probe, 0);
        (self.probe)(RSlice::from_slice(sample), RSlice::from_slice(opts)).into_result()
    }

    /// Opens an instance.
    ///
    /// # Errors
    /// Contradictory options.
    pub fn open(&'static self, opts: &[OptVal<'_>], source: &Source) -> Result<Instance, Fault> {
        let _running = enter(self.table(), Entry::Open, 0);
        let state = (self.open)(RSlice::from_slice(opts), source).into_result()?;
        Ok(Instance { state, table: self })
    }

    /// Renders a block of rows that share one configuration.
    ///
    /// # Errors
    /// The plugin's fault; `out` contains the rows before [`Fault::row`].
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
    ///
    /// # Errors
    /// The plugin's fault.
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
    ///
    /// # Errors
    /// Contradictory options.
    pub fn open_encoder(&'static self, opts: &[OptVal<'_>]) -> Result<Option<EncoderInstance>, Fault> {
        let _running = enter(self.table(), Entry::Encoder, 0);
        self.encoder.map(|table| EncoderInstance::open(table, opts, self.table())).transpose()
    }
}

/// A decoder instance for one stream. After a panic, every call returns the same fault; copies made before still work.
pub struct Instance {
    state: *mut (),
    table: DecoderRef,
}

// SAFETY: the state is a `State<D>` with `D: Send`, reached by one thread at a time through `&mut self`; `fork`
// clones through `&self`, which `Instance` (not `Sync`) cannot share.
unsafe impl Send for Instance {}

impl Drop for Instance {
    fn drop(&mut self) {
        let _running = enter(self.table.table(), Entry::Drop, 0);
        // SAFETY: `state` came from the same table's constructor and is dropped once, here.
        if let RResult::RErr(fault) = unsafe { (self.table.drop)(self.state) } {
            keep_late(fault);
        }
    }
}

impl Instance {
    /// Decodes a chunk of at most [`crate::chunk::MAX_CHUNK`] bytes and appends to `batch`.
    ///
    /// # Errors
    /// The plugin's fault; after a panic, every call returns it again.
    pub fn feed(&mut self, chunk: &Chunk<'_>, batch: &mut Batch) -> Result<(), Fault> {
        let _running = enter(self.table.table(), Entry::Feed, chunk.pos);
        // SAFETY: `state` belongs to this table, and access is exclusive.
        unsafe { (self.table.feed)(self.state, chunk, batch) }.into_result()
    }

    /// A copy of the state, taken between feeds.
    ///
    /// # Errors
    /// The plugin's fault.
    pub fn fork(&self) -> Result<Instance, Fault> {
        let _running = enter(self.table.table(), Entry::Fork, 0);
        // SAFETY: as in `feed`; the entry only reads.
        let state = unsafe { (self.table.fork)(self.state) }.into_result()?;
        Ok(Instance { state, table: self.table })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DecoderOptions, Output, row::Row};

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
                b"ends too few" => out.put(b"half"),
                b"goes on" => {
                    crate::decoder::render_each::<Blocks>(cfg, rows, dict, want, out);
                    out.put(b"more");
                }
                _ => crate::decoder::render_each::<Blocks>(cfg, rows, dict, want, out),
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
}
