//! The trait `Decoder`: options, instances, rendering.

use std::sync::Arc;

use spytui_decoder_kit::{DROPS, DropField};
use spytui_hdlc::{Room, body, frame};
use spytui_plugin_api::{
    Activity, Clock, Decoder, DecoderOptions, Dict, Info, NONE, Output, RowIn, Source, StreamEvent, TextWriter,
    clock::COUNTER_BITS, guard::Fault, info::Guess, render::Want,
};

use crate::{
    config::{CFG, CfgFile, Config, RATE, REFERENCE, SPECS, SYMBOLS, Settings, Style, bit},
    describe,
    fast::{BlockPlans, Plan},
    layout::private_flag,
    names::Symbols,
    probe,
    receive::{self, Base, Native, TargetConfig, read_symbols},
    record::Frame,
    reference::{self, Reference},
    text::{self, Context, fields},
};

/// The RKH decoder. An instance either receives natively or reproduces the reference host.
#[derive(Clone, Debug)]
pub struct Rkh(Reading);

#[derive(Clone, Debug)]
enum Reading {
    Native(Box<Native>),
    Reference(Box<Reference>),
}

/// Options of an instance.
struct Options {
    style: Style,
    settings: Settings,
    /// Settings given by options or the configuration file, as bits.
    given: u16,
    rate: Option<u64>,
    symbols: Option<Arc<Symbols>>,
    counter_bits: Option<u32>,
    drops: DropField,
}

impl Options {
    fn read(opts: &DecoderOptions<'_>) -> Result<Options, Fault> {
        let style = REFERENCE.get(opts)?;
        let CfgFile { mut settings, mut given } = CFG.get(opts)?;
        for spec in &SPECS {
            if let Some(value) = spec.option.given(opts)? {
                settings.set(spec.key, value);
                given |= bit(spec.key);
            }
        }
        let rate = RATE.given(opts)?.filter(|rate| *rate > 0);
        let symbols = SYMBOLS.given(opts)?.map(|stream| Arc::new(read_symbols(&stream, settings, given)));
        let counter_bits = COUNTER_BITS.given(opts)?;
        Ok(Options { style, settings, given, rate, symbols, counter_bits, drops: DROPS.get(opts)? })
    }
}

impl Decoder for Rkh {
    fn info() -> Info {
        describe::info()
    }

    fn probe(sample: &[u8], opts: &DecoderOptions<'_>, out: &mut Vec<Guess>) {
        if let Ok(options) = Options::read(opts) {
            probe::guess(sample, options.settings, options.given, out);
        }
    }

    fn open(opts: &DecoderOptions<'_>, source: &Source) -> Result<Rkh, Fault> {
        let options = Options::read(opts)?;
        let core = if source.core == NONE { 0 } else { source.core };
        let clock = Clock::new(options.rate.unwrap_or(0)).with_counter(options.counter_bits);
        let base = Base::new(options.settings, options.style, core, clock);
        let rate = options.rate.is_some();
        Ok(Rkh(match options.style {
            Style::Native => {
                let target = TargetConfig::new(options.given, rate);
                Reading::Native(Box::new(receive::begin(base, target, options.symbols, options.drops)))
            }
            Style::Trazer32 => {
                Reading::Reference(Box::new(reference::begin(base, options.given, rate, options.symbols)))
            }
        }))
    }

    fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Output<'_>) {
        match &mut self.0 {
            Reading::Native(native) => native.bytes(pos, bytes, out),
            Reading::Reference(reference) => reference.bytes(pos, bytes, out),
        }
    }

    fn event(&mut self, event: &StreamEvent, text: &[u8], out: &mut Output<'_>) {
        match &mut self.0 {
            Reading::Native(native) => native.event(event, text, out),
            Reading::Reference(reference) => reference.event(event, text, out),
        }
    }

    fn render(cfg: &[u8], row: &RowIn<'_>, dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
        let ctx = Context { config: Config::from_blob(cfg), row, names: dict };
        any(&ctx, &mut BlockPlans::new(&ctx.config, None), want, &mut Room::default(), out);
    }

    fn render_rows(cfg: &[u8], rows: &[RowIn<'_>], dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
        let (config, mut room) = (Config::from_blob(cfg), Room::default());
        let mut plans = BlockPlans::new(&config, (rows.len() > 1).then_some(Plan::new));
        for (i, row) in (0..).zip(rows) {
            any(&Context { config, row, names: &dict.at(i) }, &mut plans, want, &mut room, out);
            out.end_row();
        }
    }

    fn label(cfg: &[u8], row: &RowIn<'_>, activity: &Activity, dict: &Dict<'_>, out: &mut TextWriter<'_>) {
        let ctx = Context { config: Config::from_blob(cfg), row, names: dict };
        describe::label(&ctx, activity, out);
    }
}

/// Renders what is wanted of a row.
#[inline]
fn any(ctx: &Context<'_, '_>, plans: &mut BlockPlans, want: Want, room: &mut Room, out: &mut TextWriter<'_>) {
    if !ctx.row.row.is_record() {
        return note(ctx, want, out);
    }
    let bytes = frame_of(ctx.row, room);
    let plan = bytes.first().and_then(|id| plans.of(*id));
    let frame = Frame::read(&ctx.config, plan, bytes);
    if let Some(frame) = frame.as_ref().filter(|_| want.contains(Want::TEXT)) {
        match ctx.native() {
            true => text::record(ctx, frame, out),
            false => reference::record(ctx, frame, out),
        }
    }
    if want != Want::TEXT {
        details(ctx, frame.as_ref(), want, out);
    }
}

/// Renders what is wanted of a row that is no record.
fn note(ctx: &Context<'_, '_>, want: Want, out: &mut TextWriter<'_>) {
    if want.contains(Want::TEXT) {
        match ctx.native() {
            true => text::note(ctx.row, out),
            false => reference::note(ctx.row, out),
        }
    }
}

/// Renders what is wanted of a record besides its text.
#[inline(never)]
fn details(ctx: &Context<'_, '_>, frame: Option<&Frame<'_>>, want: Want, out: &mut TextWriter<'_>) {
    if let Some(frame) = frame.filter(|_| want.contains(Want::FIELDS)) {
        fields::record(ctx, frame, out);
    }
    if want.contains(Want::PAYLOAD) {
        out.payload(frame.map_or(&[], |frame| frame.args(&ctx.config)));
    }
}

/// The un-stuffed frame of a record.
#[inline]
fn frame_of<'a>(row: &'a RowIn<'_>, room: &'a mut Room) -> &'a [u8] {
    let flags = row.row.flags;
    let mut raw = row.raw.as_slice();
    if flags.intersects(private_flag::FUSED) {
        // Its flag arrived as 0.
        raw = raw.strip_suffix(&[0]).unwrap_or(raw);
    }
    if flags.intersects(private_flag::ESCAPED) { frame(raw, true, room) } else { body(raw) }
}
