//! The trait `Decoder`: options, instances, rendering.

use std::sync::Arc;

use spytui_decoder_kit::{DROPS, DropField};
use spytui_hdlc::{Room, body, frame};
use spytui_plugin_api::{
    Activity, Clock, Decoder, DecoderOptions, Dict, Info, NONE, Output, RowIn, Source, StreamEvent, TextWriter,
    batch::AttachmentId, clock::COUNTER_BITS, guard::Fault, info::Guess, render::Want,
};

use crate::{
    config::{Config, KeyWidths, RATE, REFERENCE, SIZES, Style, VERSION},
    describe,
    fast::{BlockPlans, Plan},
    layout::private_flag,
    names::{DIC, DictionaryFile},
    probe,
    receive::{self, Base, Native, TargetConfig},
    reference::{self, Block, Reference},
    text::{self, Context, fields},
};

/// The QS decoder. An instance either receives natively or reproduces the reference host.
#[derive(Clone, Debug)]
pub struct Qs(Reading);

#[derive(Clone, Debug)]
enum Reading {
    Native(Box<Native>),
    Reference(Box<Reference>),
}

/// Options of an instance.
struct Options {
    config: Config,
    target: TargetConfig,
    clock: Clock,
    dic: Option<DictionaryFile>,
    drops: DropField,
}

impl Options {
    fn read(opts: &DecoderOptions<'_>) -> Result<Options, Fault> {
        let mut config = Config::of_style(REFERENCE.get(opts)?);
        let dic = DIC.given(opts)?;
        if let Some(dic) = dic.as_ref().filter(|_| config.style == Style::Native) {
            if dic.is_empty() {
                return Err(Fault::new(format!("{}: the file has neither names nor sizes", DIC.key)));
            }
            config.sizes = dic.sizes(config.sizes);
            config.version = dic.version.unwrap_or(config.version);
            config.is_version_known = dic.version.is_some();
        }
        let version = VERSION.given(opts)?;
        config.version = version.unwrap_or(config.version);
        config.is_version_known |= version.is_some();
        let mut set = Vec::new();
        for (place, spec) in SIZES.iter().enumerate() {
            if let Some(bytes) = spec.option.given(opts)? {
                *(spec.field)(&mut config.sizes) = bytes;
                set.push(place);
            }
        }
        let sizes = config.sizes;
        config.key_widths = KeyWidths { obj: sizes.obj, fun: sizes.fun, sig: sizes.obj };
        let target = TargetConfig::new(set, version.is_some());
        Ok(Options {
            config,
            target,
            clock: Clock::new(RATE.get(opts)?).with_counter(COUNTER_BITS.given(opts)?),
            dic,
            drops: DROPS.get(opts)?,
        })
    }
}

impl Decoder for Qs {
    fn info() -> Info {
        describe::info()
    }

    fn probe(sample: &[u8], opts: &DecoderOptions<'_>, out: &mut Vec<Guess>) {
        if let Ok(options) = Options::read(opts) {
            probe::guess(sample, options.config, options.target.given(), out);
        }
    }

    fn open(opts: &DecoderOptions<'_>, source: &Source) -> Result<Qs, Fault> {
        let options = Options::read(opts)?;
        let core = if source.core == NONE { 0 } else { source.core };
        let base = Base::new(options.config, core, options.clock);
        let dic = options.dic.map(Arc::new);
        Ok(Qs(match options.config.style {
            Style::Native => Reading::Native(Box::new(receive::begin(base, options.target, dic, options.drops))),
            _ => Reading::Reference(Box::new(Reference::new(base, dic))),
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
            Reading::Reference(reference) => reference.event(event, out),
        }
    }

    fn render(cfg: &[u8], row: &RowIn<'_>, dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
        let ctx = Context { config: Config::from_blob(cfg), row, names: *dict };
        let mut block = Block::new(BlockPlans::new(&ctx.config, None));
        out.limit_lines(ctx.config.style.line_limit());
        any(&ctx, want, &mut block, &mut Room::default(), out);
    }

    fn render_rows(cfg: &[u8], rows: &[RowIn<'_>], dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
        let config = Config::from_blob(cfg);
        out.limit_lines(config.style.line_limit());
        let (mut block, mut room) = (Block::new(BlockPlans::new(&config, Some(Plan::new))), Room::default());
        let Some(first) = rows.first() else { return };
        let mut ctx = Context { config, row: first, names: *dict };
        for (i, row) in (0..).zip(rows) {
            ctx.row = row;
            ctx.names = dict.at(i);
            any(&ctx, want, &mut block, &mut room, out);
            out.end_row();
        }
    }

    fn label(cfg: &[u8], row: &RowIn<'_>, activity: &Activity, dict: &Dict<'_>, out: &mut TextWriter<'_>) {
        let ctx = Context { config: Config::from_blob(cfg), row, names: *dict };
        describe::label(&ctx, activity, out);
    }
}

/// Renders what is wanted of a row.
#[inline(always)]
fn any(ctx: &Context<'_, '_>, want: Want, block: &mut Block, room: &mut Room, out: &mut TextWriter<'_>) {
    if want.contains(Want::TEXT) {
        text(ctx, block, room, out);
    }
    if want != Want::TEXT {
        details(ctx, want, &mut block.plans, room, out);
    }
}

/// Writes the text of a row.
#[inline(always)]
fn text(ctx: &Context<'_, '_>, block: &mut Block, room: &mut Room, line: &mut TextWriter<'_>) {
    let row = ctx.row;
    let usual = row.row.is_record() && row.attachments.is_empty() && !row.row.has(private_flag::ESCAPED);
    if usual && !ctx.native() {
        // The most common case when rendering in bulk.
        return reference::record(ctx, block, body(row.raw.as_slice()), &[], line);
    }
    odd_text(ctx, block, room, line);
}

/// Writes the text of any row.
#[inline(never)]
fn odd_text(ctx: &Context<'_, '_>, block: &mut Block, room: &mut Room, line: &mut TextWriter<'_>) {
    let row = ctx.row;
    match (!row.row.is_record(), ctx.native()) {
        (true, true) => text::note(row, line),
        (true, false) => reference::note(ctx, line),
        (false, true) => text::record(ctx, &mut block.plans, frame_of(row, room), line),
        (false, false) => {
            let stale = row.attachment_bytes(AttachmentId::STALE).unwrap_or(&[]);
            reference::record(ctx, block, frame_of(row, room), stale, line);
            if let Some(said) = row.attachment_bytes(AttachmentId::TEXT) {
                line.put(said);
            }
        }
    }
}

/// The un-stuffed frame of a record.
fn frame_of<'a>(row: &'a RowIn<'_>, room: &'a mut Room) -> &'a [u8] {
    frame(row.raw.as_slice(), row.row.flags.intersects(private_flag::ESCAPED), room)
}

/// Renders what is wanted of a row besides its text.
#[inline(never)]
fn details(ctx: &Context<'_, '_>, want: Want, plans: &mut BlockPlans, room: &mut Room, out: &mut TextWriter<'_>) {
    if !ctx.row.row.is_record() {
        return;
    }
    let frame = frame_of(ctx.row, room);
    if want.contains(Want::FIELDS) {
        fields::record(ctx, plans, frame, out);
    }
    if want.contains(Want::PAYLOAD) {
        let end = frame.len().saturating_sub(1);
        out.payload(frame.get(2 + usize::from(ctx.config.sizes.time)..end).unwrap_or(&[]));
    }
}
