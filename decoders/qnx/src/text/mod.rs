//! Native text and fields of rows. `classic` is for records of the classic trace logs.

pub(crate) mod classic;

pub(crate) use spytui_decoder_kit::number;

use spytui_plugin_api::{
    Activity, AttachmentId, Dict, Field, RowFlags, RowIn, RowKind, TextWriter, Verb,
    render::{FieldFlags, Tag},
    text::grouped,
};

use crate::{
    config::Format,
    layout::{Field as Spec, Group, Role, Ty, attached, note, space},
    record::{Classic, EventCode, EventContent, FieldValue, Value, Whole, attributes, text_of_message},
};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a, 'd> {
    pub(crate) names: &'a Dict<'d>,
    pub(crate) row: &'a RowIn<'a>,
    pub(crate) whole: Whole<'a>,
}

/// Separates values.
const GAP: &[u8] = b"  ";

pub(crate) fn record(ctx: &Context<'_, '_>, line: &mut TextWriter<'_>) {
    if let Some(text) = ctx.row.attachment_bytes(attached::TEXT) {
        return line.put(text);
    }
    if ctx.whole.layout.group == Group::Interrupted {
        line.put(b"interrupted  ");
    }
    match ctx.whole.content() {
        EventContent::Failure(error) => {
            line.put(b"failed, ");
            put_errno(line, error);
            took(ctx, GAP, line);
        }
        EventContent::User(_) if ctx.row.attachment(AttachmentId::ANSWER).is_some() => {
            answer_words(ctx.whole.event.words, line);
        }
        EventContent::User(Some(text)) => line.put(text),
        EventContent::User(None) => hexadecimal(ctx.whole.words(), 8, line),
        EventContent::Words => {
            let gap = if took(ctx, b"", line) { GAP } else { b"" };
            line.put(gap);
            hexadecimal(ctx.whole.words(), 8, line);
        }
        EventContent::Fields => fields(ctx, line),
    }
}

/// Writes `gap` and the duration of a call; returns whether that is known.
fn took(ctx: &Context<'_, '_>, gap: &[u8], line: &mut TextWriter<'_>) -> bool {
    let Some(took) = ctx.row.attachment(attached::TOOK) else { return false };
    line.put(gap);
    line.put(b"took ");
    duration(took.a, line);
    true
}

impl Context<'_, '_> {
    /// Whether the text shows a field: not if it is in another column or part of the name.
    fn shows(&self, field: &Spec) -> bool {
        let elsewhere: &[&str] = match self.whole.layout.group {
            Group::Thread | Group::VThread => &["pid", "tid"],
            Group::Process if self.whole.layout.role == Role::ThreadName => &["pid", "tid"],
            Group::Process => &["pid"],
            Group::Comm => &["pid", "tid"],
            Group::HandlerEnter => &["pid", "intr"],
            Group::IntEnter | Group::IntExit | Group::HandlerExit => &["intr"],
            _ => &[],
        };
        field.is_shown() && !elsewhere.contains(&field.name)
    }
}

fn fields(ctx: &Context<'_, '_>, line: &mut TextWriter<'_>) {
    let mut gap = partner(ctx, line);
    // The duration matters more than what a call returns, so it comes first, or right after `ok`.
    let mut is_timed = false;
    for FieldValue { field, value, .. } in ctx.whole.fields().filter(|shown| ctx.shows(shown.field)) {
        let is_success = !gap && says_ok(ctx, field, value);
        if !is_timed && !is_success {
            is_timed = true;
            gap |= took(ctx, if gap { GAP } else { b"" }, line);
        }
        line.put(if gap { GAP } else { b"" });
        if is_success {
            line.put(b"ok");
        } else {
            put(line, field.name);
            line.byte(b' ');
            one(ctx, field, value, line);
        }
        gap = true;
    }
    if !is_timed {
        took(ctx, if gap { GAP } else { b"" }, line);
    }
}

/// Writes the second entity of an event: the receiver of a message, the process of an interrupt handler. Returns
/// whether there is one.
fn partner(ctx: &Context<'_, '_>, line: &mut TextWriter<'_>) -> bool {
    let [first, second] = ctx.whole.event.words;
    match ctx.whole.layout.role {
        Role::Send | Role::Pulse => {
            line.put("→ ".as_bytes());
            process(ctx, second, line);
        }
        Role::Reply => {
            line.put("→ ".as_bytes());
            match ctx.names.name(space::THREADS, space::thread(second, first), 0) {
                Some(name) => line.put(name),
                None => {
                    process(ctx, second, line);
                    number::labelled(line, b":", first.into());
                }
            }
        }
        Role::HandlerIn => {
            line.put(b"in ");
            process(ctx, first, line);
        }
        _ => return false,
    }
    true
}

/// Writes the name of a process, or its number.
fn process(ctx: &Context<'_, '_>, pid: u32, line: &mut TextWriter<'_>) {
    match ctx.names.name(space::PROCESSES, pid.into(), 0) {
        Some(name) => line.put(name),
        None if pid == u32::MAX => line.byte(b'?'),
        None => number::decimal(line, pid.into()),
    }
}

fn says_ok(ctx: &Context<'_, '_>, field: &Spec, value: Value<'_>) -> bool {
    let is_result = matches!(field.name, "ret_val" | "status");
    ctx.whole.layout.group == Group::Exit && is_result && value == Value::Number(0)
}

fn one(ctx: &Context<'_, '_>, field: &Spec, value: Value<'_>, line: &mut TextWriter<'_>) {
    match (value, field.ty) {
        (Value::Number(n), _) if field.name == "intr" => interrupt(n as u32, line),
        (Value::Number(n), Ty::D32 | Ty::Long) => number::signed(line, n as i64, 0),
        (Value::Number(n), Ty::Pid) => number::signed(line, i64::from(n as i32), 0),
        (Value::Number(n), Ty::U32) => number::decimal(line, n),
        (Value::Number(n), _) => {
            line.put(b"0x");
            number::hex_lower(line, n, 1);
        }
        (Value::Message(words), _) => message(ctx, words, line),
        (Value::Text(text), _) => line.put(text),
    }
}

/// Writes the number of an interrupt: its vector, or bits with a meaning.
fn interrupt(number: u32, line: &mut TextWriter<'_>) {
    if number <= u16::MAX.into() {
        return number::decimal(line, number.into());
    }
    number::prefixed_hex(line, number.into(), 1);
}

/// Writes the first bytes of a message: as text if they look like it, otherwise as words.
fn message(ctx: &Context<'_, '_>, words: &[u8], line: &mut TextWriter<'_>) {
    match text_of_message(words) {
        [] => hexadecimal(ctx.whole.words_of(words), 1, line),
        text => {
            line.byte(b'"');
            line.put(text);
            line.byte(b'"');
        }
    }
}

/// Writes `725ns`, `1.23us` or `13.4ms`.
fn duration(ns: u64, line: &mut TextWriter<'_>) {
    const UNITS: [(u64, &str); 3] = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us")];
    let Some((unit, name)) = UNITS.into_iter().find(|unit| ns >= unit.0) else {
        number::decimal(line, ns);
        return line.put(b"ns");
    };
    let (whole, rest) = (ns / unit, ns % unit);
    let digits = match whole {
        0..10 => 2,
        10..100 => 1,
        _ => 0,
    };
    number::decimal(line, whole);
    if digits > 0 {
        line.byte(b'.');
        number::zero_filled(line, rest * 10_u64.pow(digits) / unit, digits as usize);
    }
    put(line, name);
}

/// Maximum number of events in a 16 KiB buffer.
const MOST_EVENTS: u64 = 1024;

pub(crate) fn note(row: &RowIn<'_>, line: &mut TextWriter<'_>) {
    match row.row.kind {
        RowKind::PROLOG => header(row.raw.as_slice(), line),
        note::SHORT_BUFFER => {
            let cut = row.attachment(attached::AT_MOST);
            let Some(missing) = cut.or(row.attachment(attached::MISSING)) else { return };
            line.put(if cut.is_some() { b"up to " } else { b"" });
            line.put(grouped(missing.a).as_bytes());
            line.put(if missing.a == 1 { b" event" } else { b" events" });
            number::labelled(line, b" missing in buffer ", missing.b & ((1 << attached::LOST_HERE) - 1));
            match cut {
                Some(cut) if cut.b >> attached::LOST_HERE > 0 => line.put(b": cut off by the loss on this side"),
                Some(_) => line.put(b": cut off as the link went down"),
                None => {}
            }
            if missing.a > MOST_EVENTS {
                line.put(b", more than it holds: its size may be damaged");
            }
        }
        _ => {}
    }
}

/// Writes the content of a header, in the order of its attributes.
fn header(raw: &[u8], line: &mut TextWriter<'_>) {
    let attributes = attributes(raw);
    line.put(b"trace of QNX ");
    line.put(attributes.get("SYS_RELEASE").unwrap_or(b"?"));
    let more =
        [("MACHINE", "", ""), ("CPU_NUM", "", " CPU"), ("CYCLES_PER_SEC", "", " cycles/s"), ("DATE", "from ", "")];
    for (key, before, behind) in more {
        if let Some(value) = attributes.get(key).filter(|value| !value.is_empty()) {
            line.put(b", ");
            line.put(before.as_bytes());
            line.put(value);
            line.put(behind.as_bytes());
        }
    }
}

/// Writes the name of an activity's slice, or nothing to use the host's default.
pub(crate) fn label(ctx: &Context<'_, '_>, activity: &Activity, line: &mut TextWriter<'_>) {
    match activity.verb {
        Verb::BEGIN | Verb::END => call_name(&ctx.whole, line),
        Verb::STATE => {
            put(line, "Blocked (");
            put(line, ctx.whole.layout.name.trim_start_matches("TH"));
            line.byte(b')');
        }
        Verb::INSTANT => {
            number::labelled(line, b"User event ", ctx.whole.number().into());
            if let EventContent::User(Some(text @ [_, ..])) = ctx.whole.content() {
                line.put(b": ");
                line.put(text);
            }
        }
        _ if ctx.whole.layout.group == Group::Comm => put(line, ctx.whole.layout.name),
        _ => {}
    }
}

pub(crate) fn put(line: &mut TextWriter<'_>, text: &str) {
    line.put(text.as_bytes());
}

/// Writes the name of a kernel call, or its number.
pub(crate) fn call_name(whole: &Whole<'_>, line: &mut TextWriter<'_>) {
    match whole.layout.name {
        "" => number::labelled(line, b"?", whole.call().into()),
        name => put(line, name),
    }
}

#[cold]
pub(crate) fn answer_words([id, result]: [u32; 2], line: &mut TextWriter<'_>) {
    number::labelled(line, b"answer to command ", id.into());
    number::labelled(line, b": ", result.into());
}

/// Writes words as `0x…` with at least `digits` digits, separated by blanks.
pub(crate) fn hexadecimal(words: impl Iterator<Item = u32>, digits: usize, line: &mut TextWriter<'_>) {
    for (i, word) in words.enumerate() {
        line.put(if i > 0 { b" 0x" } else { b"0x" });
        number::hex_lower(line, word.into(), digits);
    }
}

/// Names of the error numbers common to all Unix systems, from 1.
const NAMES: [&str; 34] = [
    "EPERM", "ENOENT", "ESRCH", "EINTR", "EIO", "ENXIO", "E2BIG", "ENOEXEC", "EBADF", "ECHILD", "EAGAIN", "ENOMEM",
    "EACCES", "EFAULT", "ENOTBLK", "EBUSY", "EEXIST", "EXDEV", "ENODEV", "ENOTDIR", "EISDIR", "EINVAL", "ENFILE",
    "EMFILE", "ENOTTY", "ETXTBSY", "EFBIG", "ENOSPC", "ESPIPE", "EROFS", "EMLINK", "EPIPE", "EDOM", "ERANGE",
];

pub(crate) fn errno_name(errno: u32) -> Option<&'static str> {
    let at = usize::try_from(errno).ok()?.checked_sub(1)?;
    NAMES.get(at).copied()
}

/// Writes the name of an error number, or `errno 260`.
fn put_errno(line: &mut TextWriter<'_>, errno: u32) {
    number::name_or(line, errno_name(errno).map(str::as_bytes), b"errno ", errno.into());
}

/// Adds the fields of an event, then the running thread.
pub(crate) fn record_fields(ctx: &Context<'_, '_>, out: &mut TextWriter<'_>) {
    match ctx.whole.content() {
        EventContent::Failure(error) => {
            out.field("ret_val", Field { num: -1i64 as u64, tag: Tag::SIGNED, ..Field::default() });
            let number = Field { num: i64::from(error as i32) as u64, tag: Tag::SIGNED, ..Field::default() };
            out.field_text("errno", number, errno_name(error).unwrap_or_default().as_bytes());
        }
        EventContent::User(Some(bytes @ [_, ..])) => out.field_text("text", text_field(), bytes),
        EventContent::User(_) | EventContent::Words => {
            let all: Vec<String> = ctx.whole.words().map(|word| format!("{word:08x}")).collect();
            out.field_text("w", text_field(), all.join(" ").as_bytes());
        }
        EventContent::Fields => value_fields(ctx, out),
    }
    if let Some(thread) = owner(ctx).filter(|_| ctx.whole.layout.group.is_of_running()) {
        let of_owner = Field { flags: FieldFlags::OWNER, ..Field::default() };
        out.field("pid", Field { num: thread >> 32, tag: Tag::KEY, space: space::PROCESSES, ..of_owner });
        out.field("tid", Field { num: thread & u64::from(u32::MAX), ..of_owner });
    }
}

fn owner(ctx: &Context<'_, '_>) -> Option<u64> {
    let row = ctx.row.row;
    row.has(RowFlags::HAS_OBJECT).then_some(row.obj)
}

fn value_fields(ctx: &Context<'_, '_>, out: &mut TextWriter<'_>) {
    let mut shown = ctx.whole.fields().filter(|shown| shown.field.is_shown()).peekable();
    while let Some(this) = shown.next() {
        // Of several fields with the same name, the last one counts.
        if shown.peek().is_none_or(|next| next.field.name != this.field.name) {
            field(ctx, &this, out);
        }
    }
}

fn field(ctx: &Context<'_, '_>, FieldValue { field, value, bytes }: &FieldValue<'_>, out: &mut TextWriter<'_>) {
    let plain = Field { byte_off: bytes.start as u32, byte_len: bytes.len() as u32, ..Field::default() };
    let key = |space, scope| Field { tag: Tag::KEY, space, scope, ..plain };
    let kind = match field.ty {
        Ty::D32 | Ty::Long => Field { tag: Tag::SIGNED, ..plain },
        Ty::Pid => key(space::PROCESSES, 0),
        _ if field.name == "intr" => key(space::INTERRUPTS, 0),
        _ => match channel_owner(ctx, field) {
            Some(pid) => key(space::CHANNELS, pid.into()),
            None if field.ty == Ty::U32 => plain,
            None => Field { flags: FieldFlags::HEX, ..plain },
        },
    };
    match *value {
        Value::Number(num) => out.field(field.name, Field { num, ..kind }),
        Value::Message(words) => message_field(ctx, field.name, words, plain, out),
        Value::Text(text) => out.field_text(field.name, Field { tag: Tag::TEXT, ..plain }, text),
    }
}

/// The first words of a message; the first one also gets the text at the start of the message.
fn message_field(ctx: &Context<'_, '_>, name: &str, words: &[u8], plain: Field, out: &mut TextWriter<'_>) {
    let mut text = text_of_message(words);
    for num in ctx.whole.words_of(words) {
        let word = Field { num: num.into(), flags: FieldFlags::LIST | FieldFlags::HEX, ..plain };
        out.field_text(name, word, std::mem::take(&mut text));
    }
}

fn channel_owner(ctx: &Context<'_, '_>, field: &Spec) -> Option<u32> {
    let is_call = matches!(ctx.whole.layout.group, Group::Call | Group::Exit) && field.name == "chid";
    let [_, pid] = ctx.whole.event.words;
    let named = Some(pid).filter(|&pid| ctx.whole.layout.name == "CONNECT_ATTACH" && pid != 0);
    named.or_else(|| owner(ctx).map(|thread| (thread >> 32) as u32)).filter(|_| is_call)
}

fn text_field() -> Field {
    Field { tag: Tag::TEXT, ..Field::default() }
}

/// Adds the fields of a record of a classic trace log.
pub(crate) fn classic_fields(format: Format, record: &Classic<'_>, out: &mut TextWriter<'_>) {
    let mut unsigned = |name: &str, num: u32| out.field(name, Field { num: num.into(), ..Field::default() });
    if let EventCode::Code { code, severity } = record.what {
        let (major, minor) = format.split(code);
        unsigned("code", code);
        unsigned("major", major);
        unsigned("minor", minor.into());
        unsigned("level", severity.into());
    }
    if let Some((opcode, dat20)) = record.opcode {
        unsigned("opcode", opcode.into());
        unsigned("dat20", dat20);
    }
    out.field_text("data", Field { tag: Tag::BYTES, ..text_field() }, &record.data());
}

/// Adds the fields of a note: the attributes of a header, the events missing in a buffer.
pub(crate) fn note_fields(row: &RowIn<'_>, out: &mut TextWriter<'_>) {
    match row.row.kind {
        RowKind::PROLOG => {
            for (key, value) in attributes(row.raw.as_slice()).0 {
                out.field_text(&String::from_utf8_lossy(key), text_field(), value);
            }
        }
        note::SHORT_BUFFER => {
            for (name, id) in [("missing", attached::MISSING), ("at_most", attached::AT_MOST)] {
                if let Some(missing) = row.attachment(id) {
                    out.field(name, Field { num: missing.a, ..Field::default() });
                    let num = missing.b & ((1 << attached::LOST_HERE) - 1);
                    out.field("buffer", Field { num, ..Field::default() });
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_three_digits() {
        let text = |ns| String::from_utf8(TextWriter::text_of(|line| duration(ns, line))).unwrap();
        let all = [0, 725, 1_000, 1_239, 13_400, 135_000, 13_450_000, 2_500_000_000, u64::MAX].map(text);
        let expected = ["0ns", "725ns", "1.00us", "1.23us", "13.4us", "135us", "13.4ms", "2.50s", "18446744073s"];
        assert_eq!(all, expected);
    }

    #[test]
    fn numbers_have_names() {
        let text = |errno| String::from_utf8(TextWriter::text_of(|line| put_errno(line, errno))).unwrap();
        assert_eq!(
            [0, 2, 4, 22, 34, 35, u32::MAX].map(text),
            ["errno 0", "ENOENT", "EINTR", "EINVAL", "ERANGE", "errno 35", "errno 4294967295",]
        );
    }
}
