//! Native text of rows; time, group and object have separate columns. The fields of a row: names, values, spaces, and
//! offsets in the unstuffed frame.

pub(crate) use spytui_decoder_kit::number;

use spytui_companion::Ack;
use spytui_decoder_kit::{Element, ElementSpaces, Elements, Value, bytes_at};
use spytui_hdlc::{ESCAPE, FLAG, body};
use spytui_plugin_api::{
    Dict, Field, NONE, RowIn, TextWriter, console, info::space as host_space, render::Tag, row::RowKind,
};

use crate::{
    command,
    config::{Config, Key, SPECS, Tcfg, TextStyle},
    layout::{ACK, ACTIONS, Era, Form, Layout, NamedEntity, Role, Ty, USER, Values, private_attachment, space},
    record::{Record, RecordFrame, X32},
};

/// Everything besides its frame that affects a row's text.
pub(crate) struct Context<'a, 'd> {
    pub(crate) config: Config,
    pub(crate) row: &'a RowIn<'a>,
    pub(crate) names: &'a Dict<'d>,
}

impl Context<'_, '_> {
    pub(crate) fn native(&self) -> bool {
        self.config.style == TextStyle::Native
    }

    /// Writes the name of an object, or its address.
    pub(crate) fn object(&self, line: &mut TextWriter<'_>, key: u64) {
        number::name_or_address(line, self.names.name(space::OBJECTS, key, 0), key);
    }

    /// Writes the name of an object's state. Old targets name states like objects.
    pub(crate) fn state(&self, line: &mut TextWriter<'_>, key: u64, object: u64) {
        let name = self.names.name(space::STATES, key, object);
        number::name_or_address(line, name.or_else(|| self.names.name(space::OBJECTS, key, 0)), key);
    }

    pub(crate) fn function(&self, line: &mut TextWriter<'_>, key: u64) {
        let name = self.names.name(space::FUNCTIONS, key, 0);
        number::name_or_address(line, name.or_else(|| self.names.name(space::OBJECTS, key, 0)), key);
    }

    /// Writes the name of a signal; the two highest numbers have fixed names.
    pub(crate) fn signal(&self, line: &mut TextWriter<'_>, signal: u64, size: u8) {
        let most = u64::MAX >> (64 - 8 * u32::from(size.clamp(1, 8)));
        match self.names.name(space::SIGNALS, signal, 0) {
            Some(name) => line.put(name),
            None if signal == most => line.put(b"any"),
            None if signal == most - 1 => line.put(b"completion"),
            None => number::labelled(line, b"sig ", signal),
        }
    }

    /// Writes the name of an event pool by one-based number.
    pub(crate) fn pool(&self, line: &mut TextWriter<'_>, pool: u64) {
        match self.names.name(space::POOLS, pool, 0) {
            Some(name) => line.put(name),
            None if pool == 0 => line.put(b"static"),
            None => number::labelled(line, b"pool ", pool),
        }
    }

    /// Name of a user event, in both styles.
    pub(crate) fn user(&self, id: u8) -> Option<&[u8]> {
        self.names.name(host_space::KINDS, id.into(), 0)
    }
}

pub(crate) fn user_number(id: u8) -> u64 {
    id.wrapping_sub(USER).into()
}

pub(crate) fn record(ctx: &Context<'_, '_>, frame: &RecordFrame<'_>, line: &mut TextWriter<'_>) {
    match &frame.record {
        Record::Event(layout, values) => event(ctx, layout, values, line),
        Record::Misfit { layout, values, .. } if values.are_short(layout.fields.len()) => {
            line.put(b"arguments cut short, ");
            number::payload(frame.args(&ctx.config), line);
        }
        Record::Misfit { layout, values, rest } => {
            event(ctx, layout, values, line);
            line.put(" · surplus ".as_bytes());
            number::payload(rest, line);
        }
        Record::Tcfg(_) => tcfg(ctx.config.era, frame.bytes, line),
        Record::User => user(ctx, frame.id(), frame.args(&ctx.config), line),
        Record::Unknown => unknown(frame.id(), frame.args(&ctx.config), line),
    }
}

fn event(ctx: &Context<'_, '_>, layout: &Layout, values: &Values<'_>, line: &mut TextWriter<'_>) {
    let mut waited = ctx.row.attachment(private_attachment::RT);
    for piece in layout.what.pieces() {
        let (form, ty) = piece.form;
        let sized = !matches!(form, Form::Nothing | Form::Text | Form::Bytes);
        if sized && ctx.config.size(ty) == 0 {
            continue;
        }
        line.put_block(&piece.literal, piece.len.into());
        formed(ctx, form, values.number(piece.field), values, line);
        // Directly after the signal, to be visible on narrow screens.
        if let Some(waited) = waited.take() {
            number::labelled(line, b" waited ", waited.a);
        }
    }
}

fn formed(ctx: &Context<'_, '_>, form: Form, number: u64, values: &Values<'_>, line: &mut TextWriter<'_>) {
    // The scope of a state is the first field, or the one after the kind of an action.
    let object = if form == Form::State { ctx.row.row.obj } else { values.number(0) };
    match form {
        Form::Nothing => {}
        Form::Number => number::decimal(line, number),
        Form::Object => ctx.object(line, number),
        Form::Function => ctx.function(line, number),
        Form::Signal => ctx.signal(line, number, ctx.config.size(Ty::Sig)),
        Form::Text => line.put(values.bytes),
        Form::State => ctx.state(line, number, object),
        Form::Target if number == 0 => line.put(b" internal"),
        Form::Target => {
            line.put(" → ".as_bytes());
            ctx.state(line, number, object);
        }
        Form::References => number::labelled(line, b" rc ", number),
        Form::Bytes if values.bytes.is_empty() => {}
        Form::Bytes => {
            line.byte(b' ');
            number::hex_bytes(values.bytes, line);
        }
        Form::Pool => ctx.pool(line, number),
        Form::PoolFromZero => ctx.pool(line, number + 1),
        Form::Address => number::prefixed_hex(line, number, 1),
        Form::Action => {
            let kind = ACTIONS.get(number as usize).map(|kind| kind.as_bytes());
            number::name_or(line, kind, b"kind ", number);
        }
        Form::Sender | Form::Every | Form::FromPool | Form::Owner if number == 0 => {}
        form => optional(ctx, form, number, line),
    }
}

/// Writes a form that is empty for 0.
fn optional(ctx: &Context<'_, '_>, form: Form, number: u64, line: &mut TextWriter<'_>) {
    match form {
        Form::Sender => {
            line.put(" ← ".as_bytes());
            ctx.object(line, number);
        }
        Form::Every => number::labelled(line, b" every ", number),
        Form::FromPool => {
            line.put(b" from ");
            ctx.pool(line, number);
        }
        Form::Owner => {
            line.put(b" of ");
            ctx.object(line, number);
        }
        _ => {}
    }
}

fn unknown(id: u8, args: &[u8], line: &mut TextWriter<'_>) {
    number::labelled(line, b"event ", id.into());
    line.put(b" is not known, ");
    number::payload(args, line);
}

fn tcfg(era: Era, frame: &[u8], line: &mut TextWriter<'_>) {
    let Some(tcfg) = Tcfg::find(frame, None) else {
        let is_short = era >= Era::R244 && Tcfg::surplus(frame) < 0;
        line.put(if is_short { b"configuration cut short, " } else { b"configuration that contradicts itself, " });
        return number::payload(frame, line);
    };
    line.put(format!("RKH {},", tcfg.dotted()).as_bytes());
    for spec in SPECS.iter().filter(|s| !s.is_switch() && !matches!(s.key, Key::Version | Key::Function)) {
        line.put(format!(" {} {}", spec.option.key, tcfg.settings.get(spec.key)).as_bytes());
    }
    line.byte(b' ');
    switches(&tcfg, line);
    if tcfg.hz > 0 {
        line.put(format!(" {} Hz", tcfg.hz).as_bytes());
    }
    number::labelled(line, b" maxpool ", tcfg.max_pools.into());
}

/// Writes which parts of the record format are on, and which groups and filters are built in.
pub(crate) fn switches(tcfg: &Tcfg, line: &mut TextWriter<'_>) {
    let settings = SPECS.iter().filter(|spec| spec.is_switch());
    let settings = settings.map(|spec| (spec.option.key, tcfg.settings.on(spec.key)));
    for (place, (name, on)) in settings.chain(tcfg.traced()).enumerate() {
        if place > 0 {
            line.byte(b' ');
        }
        line.byte(if on { b'+' } else { b'-' });
        line.put(name.as_bytes());
    }
}

fn user(ctx: &Context<'_, '_>, id: u8, args: &[u8], line: &mut TextWriter<'_>) {
    number::name_or(line, ctx.user(id), b"USR+", user_number(id));
    line.end_kind_word();
    if id == ACK && ctx.user(id) == Some(Ack::NAME) && command::text(args, &ctx.config, line) {
        return;
    }
    Elements::new(args, &ctx.config).text(line, |found, line| element(ctx, found, line));
}

fn element(ctx: &Context<'_, '_>, element: &Element<'_>, line: &mut TextWriter<'_>) {
    match element.value {
        Value::Signed(n) => number::signed(line, n, 0),
        Value::Unsigned(n) if element.ty == X32 => number::prefixed_hex(line, n, element.width.into()),
        Value::Unsigned(n) => number::decimal(line, n),
        Value::Text(b"") => line.put(b"''"),
        Value::Text(text) => line.put(text),
        Value::Memory(memory) => number::hex_bytes(memory, line),
        Value::Object(key) => ctx.object(line, key),
        Value::Function(key) => ctx.function(line, key),
        Value::Signal { sig, .. } => ctx.signal(line, sig, ctx.config.size(Ty::Sig)),
        Value::Float(_) | Value::Double(_) | Value::Enum { .. } => {}
    }
}

pub(crate) fn note(row: &RowIn<'_>, line: &mut TextWriter<'_>) {
    if row.row.kind == RowKind::CONSOLE {
        line.put(&console::shown(body(row.raw.as_slice())));
    }
    if row.row.kind == RowKind::BAD_FRAME && row.raw.as_slice().ends_with(&[ESCAPE, FLAG]) {
        line.put(b"abandoned by the target");
    }
}

pub(crate) fn record_fields(ctx: &Context<'_, '_>, frame: &RecordFrame<'_>, out: &mut TextWriter<'_>) {
    if let Record::Tcfg(_) = frame.record {
        return tcfg_fields(frame.bytes, out);
    }
    if let Some(seq) = frame.nseq(&ctx.config) {
        out.unsigned("seq", seq.into(), 1, 1);
    }
    let (off, args) = (ctx.config.header(), frame.args(&ctx.config));
    match &frame.record {
        Record::Event(layout, values) => {
            event_fields(ctx, layout, values, off as u32, out);
        }
        Record::Misfit { layout, values, rest } => {
            let end = event_fields(ctx, layout, values, off as u32, out);
            let name = if values.are_short(layout.fields.len()) { "rest" } else { "extra" };
            out.field_text(name, bytes_at(end as usize, rest), rest);
        }
        Record::User => Elements::new(args, &ctx.config).fields(off, &SPACES, out),
        Record::Unknown => out.field_text("args", bytes_at(off, args), args),
        Record::Tcfg(_) => {}
    }
}

/// Adds the fields of an event, starting at `off`; returns the offset after the last one.
fn event_fields(
    ctx: &Context<'_, '_>,
    layout: &Layout,
    values: &Values<'_>,
    mut off: u32,
    out: &mut TextWriter<'_>,
) -> u32 {
    let fields = layout.fields.iter().zip(values.ends).take(values.count.into());
    for (i, (field, end)) in (0..).zip(fields) {
        let place = Field { byte_off: off, byte_len: end - off, ..Field::default() };
        off = end;
        match field.ty {
            Ty::Str => out.field_text(field.name, Field { tag: Tag::TEXT, ..place }, values.bytes),
            Ty::Rest if values.bytes.is_empty() => {}
            Ty::Rest => out.field_text(field.name, Field { tag: Tag::BYTES, ..place }, values.bytes),
            // The target does not send it.
            _ if place.byte_len == 0 => {}
            _ => {
                let (space, scope) = key_of(ctx, layout, i, values.number(0));
                let tag = if space == NONE { Tag::UNSIGNED } else { Tag::KEY };
                out.field(field.name, Field { num: values.number(i), space, scope, tag, ..place });
            }
        }
    }
    off
}

/// Space and scope of a key field. The reference host treats states as objects.
fn key_of(ctx: &Context<'_, '_>, layout: &Layout, index: u8, first: u64) -> (u16, u64) {
    match layout.key_space(index) {
        space::STATES if !ctx.native() => (space::OBJECTS, 0),
        space::STATES if layout.role == Role::Name(NamedEntity::State) => (space::STATES, first),
        space::STATES => (space::STATES, ctx.row.row.obj),
        space => (space, 0),
    }
}

const SPACES: ElementSpaces =
    ElementSpaces { objects: space::OBJECTS, functions: space::FUNCTIONS, signals: space::SIGNALS, enums: NONE };

pub(crate) const CONFIG: [&str; 13] =
    ["config", "version", "flags", "hz", "sig", "ts", "ptr", "ntimer", "nblock", "nelem", "esize", "bsize", "maxpool"];

fn tcfg_fields(frame: &[u8], out: &mut TextWriter<'_>) {
    let Some(tcfg) = Tcfg::find(frame, None) else {
        return out.field_text("config", bytes_at(0, frame), frame);
    };
    if tcfg.header > 1
        && tcfg.settings.on(Key::Nseq)
        && let Some(&seq) = frame.get(1)
    {
        out.unsigned("seq", seq.into(), 1, 1);
    }
    let at = tcfg.header as u32;
    let version = Field { byte_off: at, byte_len: 2, tag: Tag::TEXT, ..Field::default() };
    out.field_text("version", version, tcfg.dotted().as_bytes());
    let flags = Field { num: tcfg.flags.into(), byte_off: at + 2, byte_len: 4, tag: Tag::UNSIGNED, ..Field::default() };
    out.field_text("flags", flags, &TextWriter::text_of(|words| switches(&tcfg, words)));
    out.unsigned("hz", tcfg.hz.into(), at + 11, 2);
    for (name, key, place) in [
        ("sig", Key::Signal, 6),
        ("ts", Key::Timestamp, 6),
        ("ptr", Key::Pointer, 7),
        ("ntimer", Key::Ntimer, 7),
        ("nblock", Key::Nblock, 8),
        ("nelem", Key::Nelem, 8),
        ("esize", Key::Esize, 9),
        ("bsize", Key::Bsize, 10),
    ] {
        out.unsigned(name, tcfg.settings.get(key).into(), at + place, 1);
    }
    out.unsigned("maxpool", tcfg.max_pools.into(), at + 10, 1);
}
