//! The decoder as the plugin contract has it: options, instances, rendering.

use spytui_plugin_api::{
    Activity, Decoder, DecoderOptions, Dict, Info, NONE, Output, RowIn, Source, StreamEvent, TextWriter, guard::Fault,
    info::Guess, render::Want,
};

use crate::{
    cobs::{self, END, Room},
    config::{Config, Options},
    describe,
    event::Event,
    layout::Ty,
    probe,
    receive::Tracer,
    text::{Context, event_of, fields, label, line::Line, native, notes, reference},
};

/// The Tonbandgerät decoder. One instance reads as the reference tool does or in our own way.
#[derive(Clone, Debug)]
pub struct Tband(Box<Tracer>);

impl Decoder for Tband {
    fn info() -> Info {
        describe::info()
    }

    fn probe(sample: &[u8], opts: &DecoderOptions<'_>, out: &mut Vec<Guess>) {
        if Options::read(opts).is_ok() {
            probe::guess(sample, out);
        }
    }

    fn open(opts: &DecoderOptions<'_>, source: &Source<'_>) -> Result<Tband, Fault> {
        let options = Options::read(opts)?;
        let core = if source.core == NONE { 0 } else { source.core };
        Ok(Tband(Box::new(Tracer::new(&options, core))))
    }

    #[inline]
    fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Output<'_>) {
        self.0.bytes(pos, bytes, out);
    }

    fn event(&mut self, event: &StreamEvent, _: &[u8], out: &mut Output<'_>) {
        self.0.event(event, out);
    }

    #[inline]
    fn render(cfg: &[u8], row: &RowIn<'_>, dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
        let ctx = Context { config: Config::from_blob(cfg), row, names: dict };
        if want == Want::TEXT && ctx.config.reference && row.row.is_record() {
            // Most of what is rendered in bulk.
            let mut line = Line::new(out);
            reference::record(&ctx, &mut line);
            return line.finish();
        }
        any(&ctx, want, out);
    }

    fn label(cfg: &[u8], row: &RowIn<'_>, activity: &Activity, what: u16, dict: &Dict<'_>, out: &mut TextWriter<'_>) {
        let ctx = Context { config: Config::from_blob(cfg), row, names: dict };
        let mut line = Line::new(out);
        label::label(&ctx, activity, what, &mut line);
        line.finish();
    }
}

/// Renders any row.
#[inline(never)]
fn any(ctx: &Context<'_, '_>, want: Want, out: &mut TextWriter<'_>) {
    if !ctx.row.row.is_record() {
        return note(ctx, want, out);
    }
    let raw = ctx.row.raw.as_slice();
    let mut room = Room::new();
    let Ok(event) = event_of(raw, ctx.config.rtos, &mut room) else { return };
    if want.contains(Want::TEXT) {
        let mut line = Line::new(out);
        if ctx.config.reference {
            reference::record(ctx, &mut line);
        } else {
            native::record(ctx, &event, &mut line);
        }
        line.finish();
    }
    if want.contains(Want::FIELDS) {
        let mut room = Room::new();
        fields::record(ctx, &event, bytes_of(raw, &mut room), out);
    }
    if want.contains(Want::PAYLOAD) && event.layout.is_application() {
        payload(&event, out);
    }
    if want.contains(Want::FRAME) {
        let mut room = Room::new();
        out.payload(bytes_of(raw, &mut room));
    }
}

/// The event's bytes; those of the frame where it holds none.
fn bytes_of<'a>(raw: &'a [u8], room: &'a mut Room) -> &'a [u8] {
    let body = raw.strip_suffix(&[END]).unwrap_or(raw);
    cobs::decode(body, room).unwrap_or(raw)
}

/// Text of a marker, or its value.
fn payload(event: &Event<'_>, out: &mut TextWriter<'_>) {
    if event.layout.fields.last().is_some_and(|f| f.ty == Ty::S64) {
        out.payload(&event.numbers[1].to_le_bytes());
    } else {
        out.payload(event.text);
    }
}

fn note(ctx: &Context<'_, '_>, want: Want, out: &mut TextWriter<'_>) {
    if want.contains(Want::TEXT) {
        let mut line = Line::new(out);
        if ctx.config.reference {
            reference::note(ctx, &mut line);
        } else {
            notes::native(ctx, &mut line);
        }
        line.finish();
    }
    if want.contains(Want::FIELDS) {
        fields::note(ctx, out);
    }
    if want.contains(Want::FRAME) {
        let mut room = Room::new();
        out.payload(bytes_of(ctx.row.raw.as_slice(), &mut room));
    }
}
