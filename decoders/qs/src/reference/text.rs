//! The reference host's text of records and notes, byte for byte.

use spytui_plugin_api::{Attachment, RowIn, TextWriter, batch::AttachmentId, row::RowKind};

use super::{
    application::{self, ERROR, FormatKind, Misread},
    names::pin,
};
use crate::{
    config::Style,
    layout::{self, COMMANDS, FieldForm, Group, Layout, Values, id, private_attachment, space},
    record::{self, BlockPlans, Record, TargetInfo},
    text::{self, Context, command, number},
};

/// Writes the lines of a record; `stale` = stale bytes after the frame in the host's buffer.
#[inline]
pub(super) fn record(
    ctx: &Context<'_, '_>,
    plans: &mut BlockPlans,
    frame: &[u8],
    stale: &[u8],
    line: &mut TextWriter<'_>,
) {
    let [_, id, payload @ .., check] = frame else { return };
    let misread = Misread::new(payload, *check);
    match (Record::read(&ctx.config, plans.of(*id), frame, (*id, payload)), *id) {
        (Record::Application, id) => application::record(ctx, id, payload, *check, line),
        (_, id::EMPTY) => empty(ctx, payload, line),
        (Record::Predefined(_, values) | Record::Misfit { values, .. }, id::PEEK) => {
            peek(ctx, &values, misread, (*check, stale), line);
        }
        // The 7.3.4 host ignores this record of the oldest targets.
        (_, id::DEFER) if ctx.config.style == Style::Qspy734 && ctx.config.version < 620 => {}
        (Record::Predefined(layout, values), _) => pattern(ctx, layout, &values, line),
        (Record::Misfit { .. } | Record::Unknown, id::QUERY) => query(ctx, payload, misread, line),
        (Record::Misfit { layout, .. }, _) => {
            let left = misread_fields(ctx, layout, misread, line);
            if left != 0 {
                wrong_length(ctx, layout.id, left, line);
            }
        }
        (Record::Info(Some(found)), _) => info(&found, payload, line),
        (Record::Info(None), _) => misfit_info(ctx, payload, misread, line),
        (Record::Unknown, id) => unknown(b"           Unknown Rec=", id, payload.len(), line),
    }
}

fn empty(ctx: &Context<'_, '_>, payload: &[u8], line: &mut TextWriter<'_>) {
    if ctx.config.style == Style::Qspy734 && ctx.config.version < 550 {
        if !payload.is_empty() {
            return wrong_length(ctx, id::EMPTY, payload.len() as i64, line);
        }
        number::labelled(line, b"           Trg-RST  ", ctx.config.version.into());
        line.end_line();
    }
}

fn unknown(label: &[u8], number: u8, len: usize, line: &mut TextWriter<'_>) {
    number::labelled(line, label, number.into());
    number::labelled(line, b",Len=", len as u64);
    line.end_line();
}

/// Writes the host's error lines for a record's fields; returns the number of bytes left as the host counts.
fn misread_fields(ctx: &Context<'_, '_>, layout: &Layout, mut misread: Misread<'_>, line: &mut TextWriter<'_>) -> i64 {
    for field in layout.fields {
        misread.field(field.ty.size(&ctx.config.sizes).map_or(FormatKind::Text, FormatKind::Unsigned), line);
    }
    misread.left
}

fn wrong_length(ctx: &Context<'_, '_>, id: u8, left: i64, line: &mut TextWriter<'_>) {
    line.put(ERROR);
    number::decimal(line, left.unsigned_abs());
    line.put(if left > 0 { b" bytes unused in Rec=" } else { b" bytes needed in Rec=" });
    line.put(layout::name(id, ctx.config.style).as_bytes());
    line.end_line();
}

fn pattern(ctx: &Context<'_, '_>, layout: &Layout, values: &Values<'_>, line: &mut TextWriter<'_>) {
    match layout.group {
        // The time stamp in answers of old targets is not printed.
        _ if layout.stamped() && layout.id != id::STATUS => number::stamp(line, values.number(0)),
        Group::Sm if !layout.stamped() => line.put(b"===RTC===> "),
        _ => line.put(b"           "),
    }
    for piece in layout.line.pieces() {
        line.put_block(&piece.literal, piece.len.into());
        let number = values.number(piece.field);
        match piece.form {
            FieldForm::Number | FieldForm::Key => number::decimal(line, number),
            FieldForm::Object => ctx.object(line, number),
            FieldForm::Function => ctx.function(line, number),
            FieldForm::Signal => ctx.signal(line, number, values.number(layout.scope), 0),
            FieldForm::SecondObject => ctx.second_object(line, number, values.number(layout.obj)),
            FieldForm::Text => text(ctx, layout, values.bytes, line),
            FieldForm::Zero10 => number::zero_filled(line, number, 10),
            FieldForm::Nothing => {}
            form => formed(ctx, number, form, line),
        }
    }
    line.end_line();
}

fn text(ctx: &Context<'_, '_>, layout: &Layout, text: &[u8], line: &mut TextWriter<'_>) {
    if text.is_empty() {
        return line.put(b"''");
    }
    if layout.id == id::OBJ_DICT && ctx.config.version < 690 {
        return text.iter().for_each(|&b| line.byte(super::names::without_brackets(b)));
    }
    line.put(text);
}

#[inline(never)]
fn formed(ctx: &Context<'_, '_>, number: u64, form: FieldForm, line: &mut TextWriter<'_>) {
    match form {
        FieldForm::Zero3 => number::zero_filled(line, number, 3),
        FieldForm::Zero8 => number::zero_filled(line, number, 8),
        FieldForm::SignalNumber => signal_number(line, number),
        FieldForm::ObjectAddress => address(line, number, ctx.config.sizes.obj),
        FieldForm::FunctionAddress => address(line, number, ctx.config.sizes.fun),
        FieldForm::HostStatus => status(line, number as u8),
        form => text::formed(ctx, number, form, line),
    }
}

fn status(line: &mut TextWriter<'_>, status: u8) {
    let code = status & 0x7F;
    match (status < 0x80, COMMANDS.get(usize::from(code))) {
        (true, _) => {
            line.put(b"Ack  ");
            command(line, code.into());
        }
        (false, Some(name)) => {
            line.put(b"ERR  ");
            line.put(name.as_bytes());
        }
        (false, None) => {
            line.put(b"ERR  0x");
            number::byte(line, code);
        }
    }
}

/// Writes an answer of a different length, or about an unknown kind of object.
fn query(ctx: &Context<'_, '_>, payload: &[u8], misread: Misread<'_>, line: &mut TextWriter<'_>) {
    // A missing kind reads as 0.
    let kind = record::query_kind(&ctx.config, payload).unwrap_or(0);
    let (version, style) = (ctx.config.version, ctx.config.style);
    let known = layout::query(kind, version, style);
    let layout = known.unwrap_or_else(|| layout::other_query(version, style));
    if known.is_none() && record::exact(layout, &ctx.config.sizes, payload).is_some() {
        // The host reads past its table of kinds, so what it prints is meaningless.
        return unknown(b"           Unknown Query-Kind=", kind, payload.len(), line);
    }
    let left = misread_fields(ctx, layout, misread, line);
    let times = if ctx.config.style == Style::Qspy813 { 2 } else { 1 };
    for _ in 0..if left == 0 { 0 } else { times } {
        wrong_length(ctx, id::QUERY, left, line);
    }
}

/// Writes an answer with memory; checksum and stale bytes follow the payload in the host's buffer.
fn peek(
    ctx: &Context<'_, '_>,
    values: &Values<'_>,
    mut misread: Misread<'_>,
    (check, stale): (u8, &[u8]),
    line: &mut TextWriter<'_>,
) {
    let [time, offs, size, count, ..] = values.numbers;
    for kind in [
        FormatKind::Unsigned(ctx.config.sizes.time),
        FormatKind::Unsigned(2),
        FormatKind::Unsigned(1),
        FormatKind::Memory(size as u8),
    ] {
        misread.field(kind, line);
    }
    if misread.left != 0 {
        return wrong_length(ctx, id::PEEK, misread.left, line);
    }
    number::stamp(line, time);
    number::labelled(line, b"Trg-Peek Offs=", offs);
    number::labelled(line, b",Size=", size);
    number::labelled(line, b",Num=", count);
    line.put(b",Data=<");
    if matches!(size, 1 | 2 | 4) {
        // The host prints the first item before checking the count.
        let memory = [values.bytes, &[check], stale, &[0; 4]].concat();
        for (i, item) in memory.chunks(size as usize).take(count.max(1) as usize).enumerate() {
            if i > 0 {
                line.byte(b',');
            }
            item.iter().rev().for_each(|&b| number::byte(line, b));
        }
        line.byte(b'>');
    }
    line.end_line();
}

/// Length of a target info in the layout before 8.
const OLD_INFO: usize = 16;

fn info(info: &TargetInfo, payload: &[u8], line: &mut TextWriter<'_>) {
    line.put(if info.reset { b"           Trg-RST  QP-Ver=" } else { b"           Trg-Info QP-Ver=" });
    // In the old layout, the host takes the big-endian bit for part of the version.
    let big_endian = payload.len() == OLD_INFO && info.big_endian;
    number::decimal(line, u64::from(info.version) | if big_endian { 0x8000 } else { 0 });
    line.put(b",Build=");
    line.put(info.build_id().as_bytes());
    line.end_line();
}

#[cold]
fn misfit_info(ctx: &Context<'_, '_>, payload: &[u8], mut misread: Misread<'_>, line: &mut TextWriter<'_>) {
    let new = ctx.config.style == Style::Qspy813 && payload.first().is_some_and(|flags| flags & 3 == 2);
    let sizes = [1, if new { 4 } else { 2 }].into_iter().chain([1; 13]);
    sizes.for_each(|size| misread.field(FormatKind::Unsigned(size), line));
    wrong_length(ctx, id::INFO, misread.left, line);
}

impl Context<'_, '_> {
    /// Writes an object's name as the host does, or its number.
    #[inline]
    pub(crate) fn object(&self, line: &mut TextWriter<'_>, key: u64) {
        self.host_key(line, space::OBJECTS, key, self.config.key_widths.obj);
    }

    /// Writes a function's name as the host does, or its number.
    #[inline]
    pub(crate) fn function(&self, line: &mut TextWriter<'_>, key: u64) {
        self.host_key(line, space::FUNCTIONS, key, self.config.key_widths.fun);
    }

    #[inline]
    fn host_key(&self, line: &mut TextWriter<'_>, space: u16, key: u64, size: u8) {
        if key == 0 && size >= 4 {
            return line.put(b"NULL");
        }
        match self.names.name(space, key, 0) {
            Some(name) => line.put(name),
            None => miss(line, key, size),
        }
    }

    /// Writes the object `key`, which shares the host's text buffer with `first`: if both are unnamed, both show the
    /// number of `first`.
    pub(crate) fn second_object(&self, line: &mut TextWriter<'_>, key: u64, first: u64) {
        let is_null = |k: u64| k == 0 && self.config.key_widths.obj >= 4;
        let nameless = |k: u64| !is_null(k) && self.names.name(space::OBJECTS, k, 0).is_none();
        self.object(line, if nameless(key) && nameless(first) { first } else { key });
    }

    /// Writes a signal as the host does; `nth` = its index in the record.
    #[inline]
    pub(crate) fn signal(&self, line: &mut TextWriter<'_>, sig: u64, obj: u64, nth: u16) {
        if sig == 0 {
            return line.put(b"NULL");
        }
        match self.names.name(space::SIGNALS, sig, self.pin(nth).unwrap_or(obj)) {
            Some(name) => line.put(name),
            None => {
                signal_number(line, sig);
                line.put(b",Obj=");
                address(line, obj, self.config.key_widths.sig);
            }
        }
    }

    /// Scope of the entry that the host picks, if not the obvious one.
    fn pin(&self, nth: u16) -> Option<u64> {
        let pinned = |e: &&Attachment| e.id == AttachmentId::NAME_HINT && e.a == pin(nth);
        self.row.attachments.as_slice().iter().find(pinned).map(|e| e.b)
    }
}

/// Writes the host's text for an unnamed key; `size` = the dictionary's key size at start-up. For size 1, this is a
/// 32-bit `%03d`.
fn miss(line: &mut TextWriter<'_>, key: u64, size: u8) {
    match size {
        1 => number::signed_filled(line, (key as u32 as i32).into(), 3),
        _ => address(line, key, size),
    }
}

/// Writes an address with all digits of a pointer of `size` bytes.
pub(crate) fn address(line: &mut TextWriter<'_>, key: u64, size: u8) {
    line.put(b"0x");
    if size > 4 {
        number::hex(line, key, 16);
    } else {
        number::hex(line, key & 0xFFFF_FFFF, 8);
    }
}

/// Signed 32-bit decimal in the C format `%08d`.
pub(super) fn signal_number(line: &mut TextWriter<'_>, number: u64) {
    number::signed_filled(line, (number as u32 as i32).into(), 8);
}

/// Writes the reference host's line for a bad frame or a gap; nothing for other notes.
pub(crate) fn note(ctx: &Context<'_, '_>, line: &mut TextWriter<'_>) {
    let kind = ctx.row.row.kind;
    match kind {
        RowKind::GAP => discontinuity(ctx.row, line),
        RowKind::BAD_CHECK | RowKind::TOO_SHORT | RowKind::TOO_LONG => broken(ctx, kind, line),
        RowKind::PROLOG => line.put(ctx.row.attachment_bytes(AttachmentId::TEXT).unwrap_or(&[])),
        _ => {}
    }
}

fn discontinuity(row: &RowIn<'_>, line: &mut TextWriter<'_>) {
    let Some(numbers) = row.attachment(AttachmentId::EXPECTED) else { return };
    line.put(ERROR);
    line.put(b"Discontinuity Seq=");
    // The host subtracts in 32 bits.
    number::decimal(line, (numbers.a as u32).wrapping_sub(1).into());
    number::labelled(line, b"->", numbers.b);
    line.end_line();
}

fn broken(ctx: &Context<'_, '_>, kind: RowKind, line: &mut TextWriter<'_>) {
    let Some(shown) = ctx.row.attachment(private_attachment::SHOWN) else { return };
    let (last, escaped, id) = (shown.a & 0xFF, shown.a >> 8 & 1 == 1, shown.b as u8);
    line.put(ERROR);
    match kind {
        RowKind::BAD_CHECK => {
            line.put(b"Bad checksum in Rec=");
            record_name(ctx, id, 0, line);
            number::labelled(line, b"(?),Seq=", last);
        }
        RowKind::TOO_SHORT => {
            number::labelled(line, b"Record too short at Seq=", last);
            line.put(b"(?),Rec=");
            let user = record_name(ctx, id, 0, line);
            line.put(if user { b"(?)" } else { b"" });
        }
        _ => {
            line.put(b"Record too long at Seq=");
            number::unsigned(line, last, if escaped { 0 } else { 3 });
            line.put(if escaped { b"(?),Rec=" } else { b",Rec=" });
            record_name(ctx, id, if escaped { 0 } else { 3 }, line);
            line.put(if escaped { b"(?)" } else { b"" });
        }
    }
    line.end_line();
}

/// Writes a record's name in an error line; returns whether it is an application record.
fn record_name(ctx: &Context<'_, '_>, id: u8, width: usize, line: &mut TextWriter<'_>) -> bool {
    let base = layout::user_base(ctx.config.version, ctx.config.style);
    if id < base {
        line.put(layout::name(id, ctx.config.style).as_bytes());
        return false;
    }
    line.put(b"USER+");
    number::unsigned(line, (id - base).into(), width);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_are_those_of_c() {
        for n in [0, 7, 65_535, u64::from(u32::MAX)] {
            let out = TextWriter::text_of(|line| signal_number(line, n));
            assert_eq!(String::from_utf8(out).unwrap(), format!("{:08}", n as i32));
        }
    }
}
