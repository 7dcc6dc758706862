//! The trait `Decoder`: options, instances, rendering.

use spytui_plugin_api::{
    Activity, Decoder, DecoderOptions, Dict, Info, NONE, Output, RowIn, Source, StreamEvent, TextWriter, guard::Fault,
    info::Guess, render::Want,
};

use crate::{
    config::{Config, Options},
    describe,
    layout::Ty,
    probe,
    receive::{self, Native},
    record::Record,
    reference::{self, Reference},
    text::{self, Context},
};

/// The Tonbandgerät decoder. An instance either receives natively or reproduces the reference tool.
#[derive(Clone, Debug)]
pub struct Tband(Reading);

#[derive(Clone, Debug)]
enum Reading {
    Native(Box<Native>),
    Reference(Box<Reference>),
}

impl Decoder for Tband {
    fn info() -> Info {
        describe::info()
    }

    fn probe(sample: &[u8], opts: &DecoderOptions<'_>, out: &mut Vec<Guess>) {
        if Options::read(opts).is_ok() {
            probe::guess(sample, out);
        }
    }

    fn open(opts: &DecoderOptions<'_>, source: &Source) -> Result<Tband, Fault> {
        let options = Options::read(opts)?;
        let core = if source.core == NONE { 0 } else { source.core };
        Ok(Tband(if options.config.reference {
            Reading::Reference(Box::new(reference::begin(&options, core)))
        } else {
            Reading::Native(Box::new(receive::begin(&options, core)))
        }))
    }

    #[inline]
    fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Output<'_>) {
        match &mut self.0 {
            Reading::Native(native) => native.bytes(pos, bytes, out),
            Reading::Reference(reference) => reference.bytes(pos, bytes, out),
        }
    }

    fn event(&mut self, event: &StreamEvent, _: &[u8], out: &mut Output<'_>) {
        match &mut self.0 {
            Reading::Native(native) => native.event(event, out),
            Reading::Reference(reference) => reference.event(event, out),
        }
    }

    fn render(cfg: &[u8], row: &RowIn<'_>, dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
        any(&Context { config: Config::from_blob(cfg), row, names: dict }, want, &mut Vec::new(), out);
    }

    fn render_rows(cfg: &[u8], rows: &[RowIn<'_>], dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
        let (config, mut room) = (Config::from_blob(cfg), Vec::new());
        for (i, row) in (0..).zip(rows) {
            any(&Context { config, row, names: &dict.at(i) }, want, &mut room, out);
            out.end_row();
        }
    }

    fn label(cfg: &[u8], row: &RowIn<'_>, activity: &Activity, dict: &Dict<'_>, out: &mut TextWriter<'_>) {
        let ctx = Context { config: Config::from_blob(cfg), row, names: dict };
        text::label(&ctx, activity, out);
    }
}

/// Renders what is wanted of a row; `room` is for the bytes of its event.
#[inline]
fn any(ctx: &Context<'_, '_>, want: Want, room: &mut Vec<u8>, out: &mut TextWriter<'_>) {
    match ctx.row.row.is_record() {
        true if want == Want::TEXT && ctx.config.reference && reference::short(ctx.row.row, out) => {}
        true => {
            if let Ok(record) = ctx.read(room) {
                event(ctx, &record, want, out);
            }
        }
        false => note(ctx, want, out),
    }
}

#[inline]
fn event(ctx: &Context<'_, '_>, record: &Record<'_>, want: Want, out: &mut TextWriter<'_>) {
    if want.contains(Want::TEXT) {
        match ctx.config.reference {
            true => reference::record(record, out),
            false => text::record_text(ctx, record, out),
        }
    }
    if want.contains(Want::FIELDS) {
        text::record_fields(ctx, record, out);
    }
    if want.contains(Want::PAYLOAD) && record.layout.is_application() {
        payload(record, out);
    }
}

/// Text of a marker, or its value.
fn payload(record: &Record<'_>, out: &mut TextWriter<'_>) {
    if record.layout.fields.last().is_some_and(|f| f.ty == Ty::S64) {
        out.payload(&record.numbers[1].to_le_bytes());
    } else {
        out.payload(record.text);
    }
}

#[inline(never)]
fn note(ctx: &Context<'_, '_>, want: Want, out: &mut TextWriter<'_>) {
    if want.contains(Want::TEXT) {
        match ctx.config.reference {
            true => reference::note(ctx, out),
            false => text::note_text(ctx, out),
        }
    }
    if want.contains(Want::FIELDS) {
        text::note_fields(ctx, reference::cause, out);
    }
}
