//! Renders rows, and application records of other protocols, from the same reading of the frame.

use std::{io::Write as _, marker::PhantomData};

use spytui_plugin_api::{
    AppRecord, DecoderOptions, Dict, Fault, Field, FieldInfo, Formatter, FormatterInfo, FormatterRef, RowFlags, RowIn,
    TextWriter, Want,
    render::{FieldFlags, Tag},
};

use super::{
    FieldName, Means, Named, Protocol, Space, Value,
    describe::{self, Learned, TRIED, UNKNOWN, space_id},
    number::product,
    record::{Content, Key, Record, Show, Shown},
    scaled,
};

pub(super) fn row<P: Protocol>(row: &RowIn<'_>, dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
    if !row.row.is_record() {
        return;
    }
    let mut room = Vec::new();
    let Some(frame) = P::FRAMING.content(row.raw.as_slice(), &mut room) else { return };
    let means = describe::kind::<P>(row.row.kind.0).map_or(Means::Nothing, |(kind, _)| kind.means);
    let mut shower = Shower { out, dict, want, means, spaces: P::SPACES, wrote: false };
    if row.row.kind == UNKNOWN {
        let mut record = Record::new(frame, P::FRAMING.head(), None);
        let _ = P::read(frame, &mut record);
        return shower.unknown(record.found.kind, frame);
    }
    let mut record = Record::new(frame, P::FRAMING.head(), Some(&mut shower));
    let fits = P::read(frame, &mut record).is_some();
    let rest = record.remaining().to_vec();
    if !fits || !rest.is_empty() {
        shower.rest(if fits { "more" } else { "does not fit" }, &rest);
    }
    debug_assert!(fits || row.row.has(RowFlags::MALFORMED));
}

struct Shower<'s, 'o, 'd> {
    out: &'s mut TextWriter<'o>,
    dict: &'s Dict<'d>,
    want: Want,
    means: Means,
    /// What its keys are keys of.
    spaces: &'static [Space],
    wrote: bool,
}

impl Show for Shower<'_, '_, '_> {
    fn field(&mut self, field: Shown<'_>) {
        if self.want.contains(Want::TEXT) {
            self.text(&field);
        }
        if self.want.contains(Want::FIELDS) {
            self.add(&field);
        }
    }
}

impl Shower<'_, '_, '_> {
    fn text(&mut self, field: &Shown<'_>) {
        match field.content {
            // It has its own column.
            Content::Object(_) => {}
            Content::Key(key) if self.means == Means::Transition => {
                self.apart(" → ".as_bytes());
                self.key(key);
            }
            Content::Text(text) => {
                self.apart(b"  ");
                self.escaped(text);
            }
            Content::Name(name) => {
                self.apart(b" = ");
                self.escaped(name);
            }
            Content::Key(key) => {
                self.label(field.named.name);
                self.key(key);
            }
            Content::NamedKey(key) => {
                self.label(self.spaces.get(key.space).map_or("key", |space| space.name));
                self.number(key.key);
            }
            Content::Number(value) => {
                self.label(field.named.name);
                let _ = field.named.write(value, self.out);
            }
            Content::Bytes(bytes) => {
                self.label(field.named.name);
                self.hex(bytes);
            }
        }
    }

    /// Separates a field from the one before it.
    fn apart(&mut self, between: &[u8]) {
        if std::mem::replace(&mut self.wrote, true) {
            self.out.put(between);
        }
    }

    fn label(&mut self, name: &str) {
        self.apart(b"  ");
        self.out.put(name.as_bytes());
        self.out.put(b" ");
    }

    fn key(&mut self, key: Key) {
        match self.dict.name(space_id(key.space), key.key, 0) {
            Some(name) => self.escaped(name),
            None => self.number(key.key),
        }
    }

    fn number(&mut self, number: u64) {
        // Writing to memory never fails.
        let _ = write!(self.out, "{number}");
    }

    /// Appends target text with control characters escaped.
    fn escaped(&mut self, text: &[u8]) {
        for part in text.split_inclusive(u8::is_ascii_control) {
            match part.split_last() {
                Some((control, before)) if control.is_ascii_control() => {
                    self.out.put(before);
                    let _ = write!(self.out, "{}", control.escape_ascii());
                }
                _ => self.out.put(part),
            }
        }
    }

    fn hex(&mut self, bytes: &[u8]) {
        for (i, byte) in bytes.iter().enumerate() {
            let _ = write!(self.out, "{}{byte:02x}", if i > 0 { " " } else { "" });
        }
    }

    /// Shows a record of an undeclared kind.
    fn unknown(&mut self, id: Option<u16>, frame: &[u8]) {
        if let Some(id) = id {
            let (named, content) = ("id".into(), Content::Number(Value::Unsigned(id.into())));
            self.field(Shown { named: &named, content, offset: 0, len: 0 });
        }
        let (named, content) = ("bytes".into(), Content::Bytes(frame));
        self.field(Shown { named: &named, content, offset: 0, len: frame.len() });
    }

    /// Shows bytes that belong to no field.
    fn rest(&mut self, words: &str, bytes: &[u8]) {
        if self.want.contains(Want::TEXT) {
            self.apart(" · ".as_bytes());
            self.out.put(words.as_bytes());
            self.out.put(if bytes.is_empty() { b"" } else { b" " });
            self.hex(bytes);
        }
    }

    fn add(&mut self, field: &Shown<'_>) {
        let named = field.named;
        let plain = Field { byte_off: field.offset as u32, byte_len: field.len as u32, ..Field::default() };
        let key = |key: Key| Field { num: key.key, tag: Tag::KEY, space: space_id(key.space), ..plain };
        match field.content {
            Content::Number(value) if !named.words.is_empty() || !named.bits.is_empty() => {
                let word = Field { tag: Tag::TEXT, num: value.bits(), ..plain };
                self.out.field_with(named.name, word, |out| drop(named.write_without_unit(value, out)));
                let number = number(named, value, plain);
                let number = Field { flags: number.flags | FieldFlags::VALUE, ..number };
                self.out.field_text(named.name, number, named.unit.as_bytes());
            }
            Content::Number(value) => {
                let exact = named.scale.map(|scale| product(value, scale)).filter(|product| product.is_beyond_double());
                let mut number = number(named, value, plain);
                if exact.is_none() && !named.unit.is_empty() {
                    number.flags |= FieldFlags::UNIT;
                }
                self.out.field_with(named.name, number, |out| match exact {
                    Some(exact) => drop(exact.write(out)),
                    None => out.extend_from_copy_slice(named.unit.as_bytes()),
                });
            }
            Content::Object(of) | Content::Key(of) | Content::NamedKey(of) => self.out.field(named.name, key(of)),
            Content::Text(text) | Content::Name(text) => {
                self.out.field_text(named.name, Field { tag: Tag::TEXT, ..plain }, text);
            }
            Content::Bytes(bytes) => self.out.field_text(named.name, Field { tag: Tag::BYTES, ..plain }, bytes),
        }
    }
}

/// Converts a number with its scale to a field.
fn number(named: &FieldName<'_>, value: Value, plain: Field) -> Field {
    let (tag, num) = match scaled(value, named.scale) {
        Value::Unsigned(n) => (Tag::UNSIGNED, n),
        Value::Signed(n) => (Tag::SIGNED, n as u64),
        value => (Tag::F64, value.as_float().to_bits()),
    };
    let flags = if named.is_hex { FieldFlags::HEX } else { FieldFlags::empty() };
    Field { tag, num, flags, ..plain }
}

/// The text of an application record. [`crate::formatter`] makes a formatter of it.
///
/// ```
/// use spytui_plugin_host::kit::{conform_formatter, format};
/// use spytui_plugin_layer::*;
///
/// struct Door;
///
/// impl RecordText for Door {
///     const OF: (&'static str, &'static str) = ("qs", "DOOR");
///
///     fn read(_: &[u8], r: &mut Record<'_>) -> Option<()> {
///         r.number::<u8>(named("door").words(&[(0, "closed"), (1, "open")]).state())
///     }
/// }
///
/// // A test that checks the rules of this API, and the text.
/// conform_formatter(formatter::<Door>(), "DOOR", &[1]);
/// assert_eq!(format(formatter::<Door>(), "DOOR", &[1]).unwrap().unwrap(), "door open");
/// ```
pub trait RecordText: 'static {
    /// Id of the decoder, and the record's name, or its id such as `USER+5`.
    const OF: (&'static str, &'static str);

    /// Fields that can't be found by reading a payload of zeros.
    const FIELDS: &'static [Named] = &[];

    /// Reads the program's data. `None` = it does not fit.
    fn read(payload: &[u8], record: &mut Record<'_>) -> Option<()>;
}

/// The function table of a formatter.
pub const fn formatter<T: RecordText>() -> FormatterRef {
    spytui_plugin_api::formatter::<Text<T>>()
}

struct Text<T>(PhantomData<fn() -> T>);

/// Writes the wanted text and fields of application bytes while they are read, for formatters only known at run time.
/// Returns the number of unread bytes; `None` = they do not fit, but fields read before are written.
pub fn show_record(
    (payload, is_big_endian): (&[u8], bool),
    dict: &Dict<'_>,
    want: Want,
    out: &mut TextWriter<'_>,
    read: impl FnOnce(&mut Record<'_>) -> Option<()>,
) -> Option<usize> {
    let means = Means::Nothing;
    let mut shower = Shower { out, dict, want, means, spaces: &[], wrote: false };
    let mut reading = Record::new(payload, 0, Some(&mut shower));
    if is_big_endian {
        reading.big_endian();
    }
    read(&mut reading).map(|()| reading.remaining().len())
}

impl<T: RecordText> Formatter for Text<T> {
    fn info() -> FormatterInfo {
        let mut learned = Learned::default();
        learned.fields.extend(T::FIELDS.iter().map(|named| FieldInfo::from(*named)));
        let zeros = [0; TRIED];
        let _ = T::read(&zeros, &mut Record::new(&zeros, 0, Some(&mut learned)));
        FormatterInfo::new(T::OF.1, T::OF.0).with_records([T::OF.1]).with_fields(learned.fields)
    }

    fn open(_: &DecoderOptions<'_>) -> Result<Self, Fault> {
        Ok(Text(PhantomData))
    }

    fn format(&self, record: &AppRecord<'_>, dict: &Dict<'_>, out: &mut TextWriter<'_>) -> Result<bool, Fault> {
        let payload = record.payload.as_slice();
        let bytes = (payload, record.row.has(RowFlags::BIG_ENDIAN));
        match show_record(bytes, dict, out.want(), out, |reading| T::read(payload, reading)) {
            Some(_) => Ok(true),
            None => Err(Fault::new(format!("the {} bytes of {} do not fit", payload.len(), T::OF.1))),
        }
    }
}
