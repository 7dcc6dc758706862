//! The trait `Decoder`: options, instances, rendering.

use spytui_plugin_api::{
    Activity, Decoder, DecoderOptions, Dict, Info, Output, RowIn, Source, StreamEvent, TextWriter, guard::Fault,
    info::Guess, render::Want,
};

use crate::{
    config::{Config, Format, Options},
    describe,
    layout::attached,
    probe,
    receive::Stream,
    record::{self, Classic, Record},
    reference,
    text::{self, Context, fields},
};

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

    fn open(opts: &DecoderOptions<'_>, _: &Source) -> Result<Qnx, Fault> {
        Ok(Qnx(Stream::new(Options::read(opts)?)))
    }

    fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Output<'_>) {
        self.0.bytes(pos, bytes, out);
    }

    fn event(&mut self, event: &StreamEvent, text: &[u8], out: &mut Output<'_>) {
        self.0.event(event, text, out);
    }

    fn render(cfg: &[u8], row: &RowIn<'_>, dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
        any(Config::from_blob(cfg), row, dict, want, &mut Vec::new(), out);
    }

    fn render_rows(cfg: &[u8], rows: &[RowIn<'_>], dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
        let (config, mut room) = (Config::from_blob(cfg), Vec::new());
        for (i, row) in (0..).zip(rows) {
            any(config, row, &dict.at(i), want, &mut room, out);
            out.end_row();
        }
    }

    fn label(cfg: &[u8], row: &RowIn<'_>, activity: &Activity, dict: &Dict<'_>, out: &mut TextWriter<'_>) {
        if let Record::Event(whole) = record::read(&Config::from_blob(cfg), row, &mut Vec::new()) {
            text::label(&Context { names: dict, row, whole }, activity, out);
        }
    }
}

/// Renders what is wanted of a row; `room` is for what is read of it.
#[inline]
fn any(config: Config, row: &RowIn<'_>, names: &Dict<'_>, want: Want, room: &mut Vec<u8>, out: &mut TextWriter<'_>) {
    match record::read(&config, row, room) {
        Record::Event(whole) => event(config, &Context { names, row, whole }, want, out),
        Record::Classic(format, record) => classic(config, format, &record, row, want, out),
        Record::None if row.row.is_record() => {}
        Record::None => note(config, row, want, out),
    }
}

fn event(config: Config, ctx: &Context<'_, '_>, want: Want, out: &mut TextWriter<'_>) {
    if want.contains(Want::TEXT) {
        match config.reference {
            true => reference::record(ctx, out),
            false => text::record(ctx, out),
        }
    }
    if want.contains(Want::FIELDS) {
        fields::record(ctx, out);
    }
    if want.contains(Want::PAYLOAD) {
        out.payload(ctx.whole.payload);
    }
}

/// The same of a record of a classic trace log, whose text is attached.
fn classic(
    config: Config,
    format: Format,
    record: &Classic<'_>,
    row: &RowIn<'_>,
    want: Want,
    out: &mut TextWriter<'_>,
) {
    if want.contains(Want::TEXT) {
        out.put(row.attachment_bytes(attached::TEXT).unwrap_or_default());
        out.put(if config.reference { b"\n" } else { b"" });
    }
    if want.contains(Want::FIELDS) {
        fields::classic(format, record, out);
    }
    if want.contains(Want::PAYLOAD) {
        out.payload(&record.data());
    }
}

fn note(config: Config, row: &RowIn<'_>, want: Want, out: &mut TextWriter<'_>) {
    if want.contains(Want::TEXT) {
        match config.reference {
            true => reference::note(row, out),
            false => text::note(row, out),
        }
    }
    if want.contains(Want::FIELDS) {
        fields::note(row, out);
    }
}
