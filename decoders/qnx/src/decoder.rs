//! The trait `Decoder`: options, instances, rendering.

use spytui_plugin_api::{
    Activity, Decoder, DecoderOptions, Dict, Info, Output, RowIn, Source, StreamEvent, TextWriter, guard::Fault,
    info::Guess, render::Want,
};

use crate::{
    config::{Config, Options},
    describe,
    layout::attached,
    probe,
    receive::Stream,
    record::{Format, Read},
    reference,
    text::{Context, fields, label, native, notes},
};

/// The QNX decoder.
#[derive(Clone, Debug)]
pub struct Qnx(Stream);

impl Decoder for Qnx {
    fn info() -> Info {
        describe::info()
    }

    fn probe(sample: &[u8], opts: &DecoderOptions<'_>, out: &mut Vec<Guess>) {
        if let Ok(options) = Options::read(opts) {
            probe::guess(sample, &options, out);
        }
    }

    fn open(opts: &DecoderOptions<'_>, _: &Source<'_>) -> Result<Qnx, Fault> {
        Ok(Qnx(Stream::new(Options::read(opts)?)))
    }

    fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Output<'_>) {
        self.0.bytes(pos, bytes, out);
    }

    fn event(&mut self, event: &StreamEvent, text: &[u8], out: &mut Output<'_>) {
        self.0.event(event, text, out);
    }

    fn render(cfg: &[u8], row: &RowIn<'_>, dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
        any(Config::from_blob(cfg), row, dict, want, out);
    }

    fn render_rows(cfg: &[u8], rows: &[RowIn<'_>], dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
        let config = Config::from_blob(cfg);
        for (i, row) in (0..).zip(rows) {
            any(config, row, &dict.at(i), want, out);
            out.end_row();
        }
    }

    fn label(cfg: &[u8], row: &RowIn<'_>, activity: &Activity, what: u16, dict: &Dict<'_>, out: &mut TextWriter<'_>) {
        if let Some(ctx) = Context::of(Config::from_blob(cfg), row, dict) {
            label::label(&ctx, activity, what, out);
        }
    }
}

/// Renders what is wanted of a row.
#[inline]
fn any(config: Config, row: &RowIn<'_>, names: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
    if !row.row.is_record() {
        return note(config, row, want, out);
    }
    if let Some(format) = config.classic() {
        return classic(config, format, row, want, out);
    }
    let Some(ctx) = Context::of(config, row, names) else { return };
    if want.contains(Want::TEXT) {
        match config.reference {
            true => reference::record(&ctx, out),
            false => native::record(&ctx, out),
        }
    }
    if want.contains(Want::FIELDS) {
        fields::record(&ctx, out);
    }
    if want.contains(Want::PAYLOAD) {
        let words = (0..ctx.words.len()).filter_map(|at| ctx.words.bytes(at));
        words.for_each(|word| out.payload(&word));
    }
    if want.contains(Want::FRAME) {
        out.payload(row.raw.as_slice());
    }
}

/// The same of a record of a classic trace log, whose text is attached.
fn classic(config: Config, format: Format, row: &RowIn<'_>, want: Want, out: &mut TextWriter<'_>) {
    if want.contains(Want::TEXT) {
        out.put(row.attachment_bytes(attached::TEXT).unwrap_or_default());
        out.put(if config.reference { b"\n" } else { b"" });
    }
    let Read::Record(record) = format.read(row.raw.as_slice()) else { return };
    if want.contains(Want::FIELDS) {
        fields::classic(format, &record, out);
    }
    if want.contains(Want::PAYLOAD) {
        out.payload(&record.data());
    }
    if want.contains(Want::FRAME) {
        out.payload(row.raw.as_slice());
    }
}

fn note(config: Config, row: &RowIn<'_>, want: Want, out: &mut TextWriter<'_>) {
    if want.contains(Want::TEXT) {
        match config.reference {
            true => reference::note(row, out),
            false => notes::detail(row, out),
        }
    }
    if want.contains(Want::FIELDS) {
        fields::note(row, out);
    }
    if want.contains(Want::FRAME) {
        out.payload(row.raw.as_slice());
    }
}
