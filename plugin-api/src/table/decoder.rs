//! The function table of a decoder, implementation and callers.

use abi_stable::{
    StableAbi,
    std_types::{ROption, RResult, RSlice, RVec},
};

use super::{
    Guarded,
    encoder::{EncoderInstance, OpenEncoder, no_encoder, open_encoder},
    instance::{Instance, Lengths, instance_of},
};
use crate::{
    activity::Activity,
    chunk::Source,
    decoder::Decoder,
    encoder::Encoder,
    guard::{Fault, guard},
    info::{DecoderOptions, Guess, Info, OptVal},
    render::{Dict, Rendered, Request, RowIn, Want},
    running::{Entry, Table, enter},
    text::TextWriter,
};

/// Entries of a decoder.
#[repr(C)]
#[derive(StableAbi)]
pub struct DecoderTable {
    info: extern "C" fn() -> RResult<Info, Fault>,
    probe: extern "C" fn(RSlice<'_, u8>, RSlice<'_, OptVal<'_>>) -> RResult<RVec<Guess>, Fault>,
    open: extern "C" fn(RSlice<'_, OptVal<'_>>, &Source) -> RResult<Instance, Fault>,
    render: extern "C" fn(
        RSlice<'_, u8>,
        RSlice<'_, RowIn<'_>>,
        &Dict<'_>,
        &Request<'_>,
        &mut Rendered,
    ) -> RResult<(), Fault>,
    label: extern "C" fn(RSlice<'_, u8>, &RowIn<'_>, &Activity, &Dict<'_>, &mut Rendered) -> RResult<(), Fault>,
    encoder: extern "C" fn(RSlice<'_, OptVal<'_>>) -> RResult<ROption<EncoderInstance>, Fault>,
}

/// A decoder's function table. Libraries are never unloaded, so it lives forever.
#[repr(transparent)]
#[derive(StableAbi, Clone, Copy)]
pub struct DecoderRef(&'static DecoderTable);

/// The function table of a decoder without an encoder.
pub const fn decoder<D: Decoder>() -> DecoderRef {
    DecoderRef(const { &table::<D>(no_encoder) })
}

/// The function table of a decoder with an encoder.
pub const fn decoder_and_encoder<D: Decoder, E: Encoder>() -> DecoderRef {
    DecoderRef(const { &table::<D>(open_encoder::<E>) })
}

const fn table<D: Decoder>(encoder: OpenEncoder) -> DecoderTable {
    DecoderTable {
        info: info::<D>,
        probe: probe::<D>,
        open: open::<D>,
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
        D::probe(sample.as_slice(), &DecoderOptions(opts.as_slice()), &mut out);
        Ok(out.into())
    })
}

extern "C" fn open<D: Decoder>(opts: RSlice<'_, OptVal<'_>>, source: &Source) -> Guarded<Instance> {
    guard(|| D::open(&DecoderOptions(opts.as_slice()), source).map(instance_of))
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

impl DecoderRef {
    /// Its function table, for messages.
    #[must_use]
    pub fn table(self) -> Table {
        Table::of(self.0)
    }

    /// The decoder's description.
    ///
    /// # Errors
    /// The plugin's fault.
    pub fn info(self) -> Result<Info, Fault> {
        let _running = enter(self.table(), Entry::Info, 0);
        (self.0.info)().into_result()
    }

    /// Guesses from a sample.
    ///
    /// # Errors
    /// The plugin's fault.
    pub fn probe(self, sample: &[u8], opts: &[OptVal<'_>]) -> Result<RVec<Guess>, Fault> {
        let _running = enter(self.table(), Entry::Probe, 0);
        (self.0.probe)(RSlice::from_slice(sample), RSlice::from_slice(opts)).into_result()
    }

    /// Opens an instance.
    ///
    /// # Errors
    /// Contradictory options.
    pub fn open(self, opts: &[OptVal<'_>], source: &Source) -> Result<Instance, Fault> {
        let _running = enter(self.table(), Entry::Open, 0);
        let instance = (self.0.open)(RSlice::from_slice(opts), source).into_result()?;
        instance.table().set_name_of(self.table());
        Ok(instance)
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
        let _running = enter(self.table(), Entry::Render, rows.first().map_or(0, |row| row.row.pos));
        (self.0.render)(RSlice::from_slice(cfg), RSlice::from_slice(rows), dict, &request.into(), out).into_result()
    }

    /// Name of the slice or instant drawn for an activity.
    ///
    /// # Errors
    /// The plugin's fault.
    pub fn label(
        self,
        cfg: &[u8],
        row: &RowIn<'_>,
        activity: &Activity,
        dict: &Dict<'_>,
        out: &mut Rendered,
    ) -> Result<(), Fault> {
        let _running = enter(self.table(), Entry::Label, row.row.pos);
        (self.0.label)(RSlice::from_slice(cfg), row, activity, dict, out).into_result()
    }

    /// An encoder for a link; `None` if the protocol has no way back.
    ///
    /// # Errors
    /// Contradictory options.
    pub fn open_encoder(self, opts: &[OptVal<'_>]) -> Result<Option<EncoderInstance>, Fault> {
        let _running = enter(self.table(), Entry::Encoder, 0);
        let encoder = (self.0.encoder)(RSlice::from_slice(opts)).into_result().map(ROption::into_option)?;
        encoder.iter().for_each(|encoder| encoder.table().set_name_of(self.table()));
        Ok(encoder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Output, row::Row};

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
