//! Elements of application records: values in the order in which the target's program wrote them, each after a byte with
//! its type and format.

use spytui_plugin_api::{
    Field, TextWriter,
    render::{FieldFlags, Tag},
};

use crate::{number, value::Res};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    Signed(i64),
    Unsigned(u64),
    Float(f32),
    Double(f64),
    Text(&'a [u8]),
    Memory(&'a [u8]),
    /// `obj` = scope of its name; 0 = none.
    Signal {
        sig: u64,
        obj: u64,
    },
    Object(u64),
    Function(u64),
    Enum {
        group: u8,
        value: u8,
    },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Element<'a> {
    pub ty: u8,
    /// High nibble of the format byte.
    pub width: u8,
    pub value: Value<'a>,
}

/// The form of a protocol's elements.
pub trait ElementFormat {
    /// Parses an element including its format byte.
    ///
    /// # Errors
    /// Bytes are missing, or the type is unknown.
    fn element<'a>(&self, input: &'a [u8]) -> Res<'a, Element<'a>>;
}

/// Iterates over the elements of an application record, up to the first incomplete one.
#[derive(Clone, Copy, Debug)]
pub struct Elements<'a, 'f, F> {
    format: &'f F,
    /// The bytes after the elements so far.
    pub rest: &'a [u8],
}

impl<'a, F: ElementFormat> Iterator for Elements<'a, '_, F> {
    type Item = Element<'a>;

    #[inline]
    fn next(&mut self) -> Option<Element<'a>> {
        let (rest, found) = self.format.element(self.rest).ok()?;
        self.rest = rest;
        Some(found)
    }
}

/// Spaces of the keys in elements.
#[derive(Clone, Copy, Debug)]
pub struct ElementSpaces {
    pub objects: u16,
    pub functions: u16,
    pub signals: u16,
    pub enums: u16,
}

impl<'a, 'f, F: ElementFormat> Elements<'a, 'f, F> {
    pub fn new(bytes: &'a [u8], format: &'f F) -> Elements<'a, 'f, F> {
        Elements { format, rest: bytes }
    }

    /// Whether all elements are complete.
    pub fn are_whole(mut self) -> bool {
        self.by_ref().for_each(drop);
        self.rest.is_empty()
    }

    /// The total in the element with this index, of one of these types, or in the only one, of the first of them. Fewer
    /// than 32 bits would wrap unnoticed; more are cut to the low 32.
    pub fn total(mut self, element: Option<usize>, types: &[u8]) -> Option<u32> {
        let found = self.nth(element.unwrap_or(0))?;
        let may_be = match element {
            None => types.first() == Some(&found.ty) && self.rest.is_empty(),
            Some(_) => types.contains(&found.ty),
        };
        match found.value {
            Value::Unsigned(number) if may_be => Some(number as u32),
            _ => None,
        }
    }

    /// Writes the elements with `put`, separated by spaces, and the bytes of an incomplete one.
    pub fn text(mut self, line: &mut TextWriter<'_>, put: impl Fn(&Element<'a>, &mut TextWriter<'_>)) {
        let mut first = true;
        for found in self.by_ref() {
            if !std::mem::take(&mut first) {
                line.byte(b' ');
            }
            put(&found, line);
        }
        if !self.rest.is_empty() {
            line.put(if first { "cut short: " } else { " … cut short: " }.as_bytes());
            number::hex_bytes(self.rest, line);
        }
    }

    /// Adds a field for each element, named by its number, and one for the bytes of an incomplete one; `at` = offset of
    /// the first element in the frame.
    pub fn fields(mut self, at: usize, spaces: &ElementSpaces, out: &mut TextWriter<'_>) {
        let end = at + self.rest.len();
        let (mut begin, mut count) = (at, 0usize);
        while let Some(Element { ty, width, value }) = self.next() {
            let next = end - self.rest.len();
            let place = Field { byte_off: begin as u32, byte_len: (next - begin) as u32, ..Field::default() };
            let field = Field { flags: FieldFlags::ELEMENT, element: ty, width, ..place };
            value_field(itoa::Buffer::new().format(count), value, field, spaces, out);
            (begin, count) = (next, count + 1);
        }
        if !self.rest.is_empty() {
            out.field_text("rest", bytes_at(begin, self.rest), self.rest);
        }
    }
}

/// A field of bytes at an offset.
pub fn bytes_at(off: usize, bytes: &[u8]) -> Field {
    Field { byte_off: off as u32, byte_len: bytes.len() as u32, tag: Tag::BYTES, ..Field::default() }
}

fn value_field(name: &str, value: Value<'_>, field: Field, spaces: &ElementSpaces, out: &mut TextWriter<'_>) {
    let key = |space: u16, num: u64, scope: u64, tag: Tag| Field { space, num, scope, tag, ..field };
    match value {
        Value::Signed(n) => out.field(name, Field { num: n as u64, tag: Tag::SIGNED, ..field }),
        Value::Unsigned(num) => out.field(name, Field { num, tag: Tag::UNSIGNED, ..field }),
        Value::Float(n) => out.field(name, Field { num: f64::from(n).to_bits(), tag: Tag::F64, ..field }),
        Value::Double(n) => out.field(name, Field { num: n.to_bits(), tag: Tag::F64, ..field }),
        Value::Text(text) => out.field_text(name, Field { tag: Tag::TEXT, ..field }, text),
        Value::Memory(bytes) => out.field_text(name, Field { tag: Tag::BYTES, ..field }, bytes),
        Value::Signal { sig, obj } => out.field(name, key(spaces.signals, sig, obj, Tag::KEY)),
        Value::Object(num) => out.field(name, key(spaces.objects, num, 0, Tag::KEY)),
        Value::Function(num) => out.field(name, key(spaces.functions, num, 0, Tag::KEY)),
        Value::Enum { group, value } => out.field(name, key(spaces.enums, value.into(), group.into(), Tag::ENUM)),
    }
}
