//! Native text of rows; time, group and object have separate columns. The fields of a row: names, values, spaces, and
//! positions in the unstuffed frame.

pub(crate) use spytui_decoder_kit::number;

use std::fmt::{Display, LowerExp};

use spytui_decoder_kit::{Element, ElementSpaces, Value, bytes_at};
use spytui_hdlc::{ESCAPE, FLAG, body};
use spytui_plugin_api::{Dict, Field, RowIn, TextWriter, console, render::Tag, row::RowKind};

use crate::{
    config::{Config, SIZES, Style, dotted},
    layout::{self, COMMANDS, FieldForm, Layout, Ty, Values, id, private_attachment, space},
    names::{self, record_key},
    record::{self, BlockPlans, PAYLOAD, Record, TargetInfo},
};

/// Everything besides its frame that affects a row's text.
pub(crate) struct Context<'a, 'd> {
    pub(crate) config: Config,
    pub(crate) row: &'a RowIn<'a>,
    pub(crate) names: Dict<'d>,
}

impl Context<'_, '_> {
    /// Name of an application record by id, in both styles.
    pub(crate) fn record_name(&self, id: u8) -> Option<&[u8]> {
        self.names.name(spytui_plugin_api::info::space::KINDS, record_key(&self.config, id), 0)
    }

    pub(crate) fn enumeration(&self, group: u8, value: u8) -> Option<&[u8]> {
        self.names.name(space::ENUMS, value.into(), group.into())
    }

    pub(crate) fn native(&self) -> bool {
        self.config.style == Style::Native
    }
}

pub(crate) fn record(ctx: &Context<'_, '_>, plans: &mut BlockPlans, frame: &[u8], line: &mut TextWriter<'_>) {
    let [_, id, payload @ .., _] = frame else { return };
    match Record::read(&ctx.config, plans.of(*id), frame, (*id, payload)) {
        Record::Predefined(layout, values) => pattern(ctx, layout, &values, line),
        Record::Misfit { layout, .. } => misfit(ctx, layout, payload, line),
        Record::Info(found) => info(found.as_ref(), payload, line),
        Record::Application => application(ctx, *id, payload, line),
        Record::Unknown => unknown(ctx, *id, payload, line),
    }
}

fn pattern(ctx: &Context<'_, '_>, layout: &Layout, values: &Values<'_>, line: &mut TextWriter<'_>) {
    for piece in layout.what.pieces() {
        line.put_block(&piece.literal, piece.len.into());
        let number = values.number(piece.field);
        match piece.form {
            FieldForm::Number | FieldForm::Key => number::decimal(line, number),
            FieldForm::Object | FieldForm::SecondObject => key(ctx, space::OBJECTS, number, line),
            FieldForm::Function => key(ctx, space::FUNCTIONS, number, line),
            FieldForm::Signal => {
                signal(ctx, number, values.number(layout.scope), line);
                if matches!(layout.id, id::GET | id::GET_LAST) {
                    waited(ctx, line);
                }
            }
            FieldForm::Text => line.put(values.bytes),
            FieldForm::Items => number::hex_items(values.number(piece.field.wrapping_sub(2)), values.bytes, line),
            FieldForm::KindWord => line.end_kind_word(),
            FieldForm::Nothing => {}
            form => formed(ctx, number, form, line),
        }
    }
}

/// Writes how long an event was queued, directly after its signal, to be visible on narrow screens.
fn waited(ctx: &Context<'_, '_>, line: &mut TextWriter<'_>) {
    if let Some(waited) = ctx.row.attachment(private_attachment::RT) {
        number::labelled(line, b" waited ", waited.a);
    }
}

#[inline(never)]
pub(crate) fn formed(ctx: &Context<'_, '_>, number: u64, form: FieldForm, line: &mut TextWriter<'_>) {
    match form {
        FieldForm::Signed => number::signed(line, (number as u32 as i32).into(), 0),
        FieldForm::ShortAddress => number::prefixed_hex(line, number, 1),
        FieldForm::High => number::byte(line, number as u8 & 0xF0),
        FieldForm::Low => number::decimal(line, number & 15),
        FieldForm::Group => number::decimal(line, number & 7),
        FieldForm::Command => command(line, number),
        FieldForm::Status => status(line, number as u8),
        FieldForm::Sender if number != 0 => {
            line.put(" ← ".as_bytes());
            key(ctx, space::OBJECTS, number, line);
        }
        FieldForm::Every if number != 0 => number::labelled(line, b" every ", number),
        _ => {}
    }
}

/// Name of an object or function, or its address.
fn key(ctx: &Context<'_, '_>, space: u16, key: u64, line: &mut TextWriter<'_>) {
    number::name_or_address(line, ctx.names.name(space, key, 0), key);
}

fn signal(ctx: &Context<'_, '_>, sig: u64, obj: u64, line: &mut TextWriter<'_>) {
    number::name_or(line, ctx.names.name(space::SIGNALS, sig, obj), b"sig ", sig);
}

fn status(line: &mut TextWriter<'_>, status: u8) {
    line.put(if status < REFUSED { b"Ack" } else { b"ERR" });
    line.end_kind_word();
    status_words(line, status);
}

/// Status bytes from here on are refusals; below, they acknowledge a command.
pub(crate) const REFUSED: u8 = 0x80;

/// Describes a status: a command, or why a frame was refused.
pub(crate) fn status_words(line: &mut TextWriter<'_>, status: u8) {
    let command = COMMANDS.get(usize::from(status & !REFUSED));
    match (command, status) {
        (Some(name), _) => line.put(name.as_bytes()),
        (None, 0xC1) => line.put(b"bad checksum"),
        (None, 0xC2) => line.put(b"sequence jumped, frame executed"),
        (None, 0xC3) => line.put(b"unknown record"),
        (None, 0xC5 | 0xC7) => line.put(b"bad state"),
        (None, 0xD0) => line.put(b"bad frame"),
        (None, _) => {
            line.put(b"status 0x");
            number::byte(line, status & !REFUSED);
        }
    }
}

fn unknown(ctx: &Context<'_, '_>, id: u8, payload: &[u8], line: &mut TextWriter<'_>) {
    match record::query_kind(&ctx.config, payload).filter(|_| id == id::QUERY) {
        Some(kind) => number::labelled(line, b"kind ", kind.into()),
        None => number::labelled(line, b"record ", id.into()),
    }
    line.put(b" is not known, ");
    number::payload(payload, line);
}

/// Writes a payload that is too short or too long for its layout.
fn misfit(ctx: &Context<'_, '_>, layout: &Layout, payload: &[u8], line: &mut TextWriter<'_>) {
    let sizes = layout.fields.iter().filter_map(|f| f.ty.size(&ctx.config.sizes));
    let needed: u64 = sizes.map(u64::from).sum();
    line.put(b"payload does not fit");
    if layout.fixed {
        number::labelled(line, b", ", needed);
        line.put(b" B needed");
    }
    line.put(b": ");
    number::payload(payload, line);
}

fn info(info: Option<&TargetInfo>, payload: &[u8], line: &mut TextWriter<'_>) {
    let Some(info) = info else {
        line.put(b"payload does not fit: ");
        return number::payload(payload, line);
    };
    line.put(if info.reset { b"Trg-RST" } else { b"Trg-Info" });
    line.end_kind_word();
    line.put(format!("QP {} build {}", dotted(info.version), info.build_id()).as_bytes());
    if info.date != 0 {
        line.put(format!(" framework {:06}", info.date).as_bytes());
    }
    line.put(if info.big_endian { b", big-endian" } else { b"," });
    let most = [("objects", info.max_active), ("pools", info.max_pools), ("rates", info.max_rates)];
    for (name, number) in SIZES.iter().map(|spec| (spec.option.key, spec.get(info.sizes))).chain(most) {
        line.put(format!(" {name} {number}").as_bytes());
    }
}

fn application(ctx: &Context<'_, '_>, id: u8, payload: &[u8], line: &mut TextWriter<'_>) {
    match ctx.record_name(id) {
        Some(name) => line.put(name),
        None if id == names::ON_POST => line.put(names::ON_POST_NAME),
        None => {
            let base = layout::user_base(ctx.config.version, Style::Native);
            number::labelled(line, b"USER+", id.saturating_sub(base).into());
        }
    }
    line.end_kind_word();
    match record::elements(payload, &ctx.config) {
        Some((_, elements)) => elements.text(line, |found, line| element(ctx, found, line)),
        None => {
            line.put(b"payload does not fit: ");
            number::payload(payload, line);
        }
    }
}

fn element(ctx: &Context<'_, '_>, element: &Element<'_>, line: &mut TextWriter<'_>) {
    match element.value {
        Value::Signed(n) => number::signed(line, n, 0),
        Value::Unsigned(n) if element.ty == 15 || element.width == 15 => number::prefixed_hex(line, n, 1),
        Value::Unsigned(n) => number::decimal(line, n),
        Value::Float(n) => plain_float(line, n),
        Value::Double(n) => plain(line, n),
        Value::Text(b"") => line.put(b"''"),
        Value::Text(text) => line.put(text),
        Value::Memory(memory) => number::hex_bytes(memory, line),
        Value::Signal { sig, obj } => {
            signal(ctx, sig, obj, line);
            if obj != 0 {
                line.put(b" of ");
                key(ctx, space::OBJECTS, obj, line);
            }
        }
        Value::Object(k) => key(ctx, space::OBJECTS, k, line),
        Value::Function(k) => key(ctx, space::FUNCTIONS, k, line),
        Value::Enum { group, value } => number::name_or(line, ctx.enumeration(group, value), b"", value.into()),
    }
}

/// Name of a command to the target, or its number.
pub(crate) fn command(line: &mut TextWriter<'_>, number: u64) {
    number::name_or(line, COMMANDS.get(number as usize).map(|name| name.as_bytes()), b"", number);
}

pub(crate) fn note(row: &RowIn<'_>, line: &mut TextWriter<'_>) {
    let raw = row.raw.as_slice();
    match row.row.kind {
        RowKind::CONSOLE => line.put(&console::shown(body(raw))),
        RowKind::DUPLICATE => sequence_number(raw, line),
        RowKind::BAD_FRAME if raw.ends_with(&[ESCAPE, FLAG]) => line.put(b"ends with an escape"),
        RowKind::BAD_FRAME => line.put(b"neither number nor payload fit"),
        _ => {}
    }
}

fn sequence_number(raw: &[u8], line: &mut TextWriter<'_>) {
    let seq = match body(raw) {
        [ESCAPE, seq, ..] => seq ^ 0x20,
        [seq, ..] => *seq,
        [] => return,
    };
    number::labelled(line, b"seq ", seq.into());
}

pub(crate) fn plain(line: &mut TextWriter<'_>, number: f64) {
    let is_usual = !number.is_finite() || number == 0.0 || (1e-4..1e15).contains(&number.abs());
    shortest(line, number, is_usual);
}

pub(crate) fn plain_float(line: &mut TextWriter<'_>, number: f32) {
    let is_usual = !number.is_finite() || number == 0.0 || (1e-4..1e9).contains(&number.abs());
    shortest(line, number, is_usual);
}

/// Writes a number, with an exponent if it is very large or small.
fn shortest(line: &mut TextWriter<'_>, number: impl Display + LowerExp, is_usual: bool) {
    let text = if is_usual { format!("{number}") } else { format!("{number:e}") };
    line.put(text.as_bytes());
}

/// Field names of the target info, except for sizes, which are named like their options.
pub(crate) const INFO: [&str; 8] =
    ["reset", "version", "date", "big_endian", "max_active", "max_pools", "max_rates", "build"];

pub(crate) fn record_fields(ctx: &Context<'_, '_>, plans: &mut BlockPlans, frame: &[u8], out: &mut TextWriter<'_>) {
    let [seq, id, payload @ .., _] = frame else { return };
    out.unsigned("seq", (*seq).into(), 0, 1);
    let (layout, values, rest) = match Record::read(&ctx.config, plans.of(*id), frame, (*id, payload)) {
        Record::Predefined(layout, values) => return predefined_fields(layout, &values, out),
        Record::Misfit { layout, values, rest } => (layout, values, rest),
        Record::Info(Some(found)) => return info_fields(&found, payload, out),
        Record::Info(None) => return out.field_text("payload", bytes_at(PAYLOAD, payload), payload),
        Record::Application => return application_fields(ctx, payload, out),
        Record::Unknown if *id == id::QUERY => {
            let layout = layout::other_query(ctx.config.version, ctx.config.style);
            let (rest, values) = record::fields(layout, &ctx.config.sizes, payload);
            (layout, values, rest)
        }
        Record::Unknown => return,
    };
    // The length of an answer may vary; its beginning is the same.
    if values.are_short(layout.fields.len()) || !(rest.is_empty() || *id == id::QUERY) {
        return out.field_text("payload", bytes_at(PAYLOAD, payload), payload);
    }
    predefined_fields(layout, &values, out);
    if !rest.is_empty() {
        out.field_text("rest", bytes_at(PAYLOAD + payload.len() - rest.len(), rest), rest);
    }
}

fn predefined_fields(layout: &Layout, values: &Values<'_>, out: &mut TextWriter<'_>) {
    let mut off = PAYLOAD as u32;
    for (((i, field), form), end) in (0..).zip(layout.fields).zip(&layout.forms).zip(&values.ends) {
        let begin = std::mem::replace(&mut off, *end);
        let plain = Field { num: values.number(i), byte_off: begin, byte_len: end - begin, ..Field::default() };
        let key = |space: u16, scope: u64| Field { tag: Tag::KEY, space, scope, ..plain };
        match field.ty {
            Ty::Time => {}
            Ty::Obj => out.field(field.name, key(space::OBJECTS, 0)),
            Ty::Fun => out.field(field.name, key(space::FUNCTIONS, 0)),
            Ty::Sig => out.field(field.name, key(space::SIGNALS, values.number(layout.scope))),
            Ty::Text => out.field_text(field.name, Field { tag: Tag::TEXT, ..plain }, values.bytes),
            Ty::Items => out.field_text(field.name, Field { tag: Tag::BYTES, ..plain }, values.bytes),
            _ => number_field(field.name, *form, plain, out),
        }
    }
}

/// Adds a number, with text if it is a command or signed.
fn number_field(name: &str, form: FieldForm, plain: Field, out: &mut TextWriter<'_>) {
    match form {
        FieldForm::Signed => {
            let num = plain.num as u32 as i32 as i64 as u64;
            out.field(name, Field { num, tag: Tag::SIGNED, ..plain });
        }
        FieldForm::Command => out.field_text(name, plain, &TextWriter::text_of(|words| command(words, plain.num))),
        FieldForm::Status => {
            let words = TextWriter::text_of(|words| status_words(words, plain.num as u8));
            out.field_text(name, plain, &words);
        }
        _ => out.field(name, plain),
    }
}

const SPACES: ElementSpaces = ElementSpaces {
    objects: space::OBJECTS,
    functions: space::FUNCTIONS,
    signals: space::SIGNALS,
    enums: space::ENUMS,
};

fn application_fields(ctx: &Context<'_, '_>, payload: &[u8], out: &mut TextWriter<'_>) {
    if let Some((_, elements)) = record::elements(payload, &ctx.config) {
        elements.fields(PAYLOAD + payload.len() - elements.rest.len(), &SPACES, out);
    }
}

fn info_fields(info: &TargetInfo, payload: &[u8], out: &mut TextWriter<'_>) {
    // After flags and version (3 or 5 bytes), both layouts are the same.
    let tail = (PAYLOAD + payload.len().saturating_sub(13)) as u32;
    let put = |out: &mut TextWriter<'_>, name: &str, num: u64, off: u32, len: u32| out.unsigned(name, num, off, len);
    out.field("reset", Field { num: info.reset.into(), byte_off: 2, byte_len: 1, tag: Tag::BOOL, ..Field::default() });
    put(out, "version", info.version.into(), 3, tail - 3);
    if info.date != 0 {
        put(out, "date", info.date.into(), 3, tail - 3);
    }
    let big = Field { num: info.big_endian.into(), tag: Tag::BOOL, ..Field::default() };
    out.field("big_endian", Field { byte_off: 2, byte_len: 3, ..big });
    for spec in &SIZES {
        put(out, spec.option.key, spec.get(info.sizes).into(), tail, 5);
    }
    put(out, "max_active", info.max_active.into(), tail + 5, 1);
    put(out, "max_pools", info.max_pools.into(), tail + 6, 1);
    put(out, "max_rates", info.max_rates.into(), tail + 6, 1);
    let build = Field { byte_off: tail + 7, byte_len: 6, tag: Tag::TEXT, ..Field::default() };
    out.field_text("build", build, info.build_id().as_bytes());
}
