//! The fields of an application record, read as the layout of its line says.

use spytui_formats::{
    Endian, Layout,
    layout::{FieldType, LayoutField, Mark, Texts},
};
use spytui_plugin_api::{
    Severity,
    simple::{FieldName, Record as Reading, Value, named},
};

/// Bits of a number.
const BITS: usize = 64;

/// The application bytes of a record with their layout.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Typed<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) bytes: &'a [u8],
    pub(crate) is_big_endian: bool,
}

impl<'a> Typed<'a> {
    /// The bytes of each field, as far as they go.
    pub(super) fn pieces(self) -> impl Iterator<Item = (&'a LayoutField, &'a [u8])> {
        let mut rest = self.bytes;
        self.layout.fields.iter().map_while(move |field| {
            let piece;
            (piece, rest) = rest.split_at_checked(extent(field.ty, rest))?;
            Some((field, piece))
        })
    }

    pub(super) fn number(self, field: &LayoutField, piece: &[u8]) -> Option<Value> {
        let is_big_endian = field.endian.map_or(self.is_big_endian, |endian| endian == Endian::Big);
        let push = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        let number = if is_big_endian { piece.iter().fold(0, push) } else { piece.iter().rev().fold(0, push) };
        match field.ty {
            FieldType::Unsigned(_) | FieldType::Hex(_) => Some(Value::Unsigned(number)),
            FieldType::Signed(size) => {
                let unused = BITS.saturating_sub(8 * size);
                Some(Value::Signed((number << unused) as i64 >> unused))
            }
            FieldType::Float(4) => Some(Value::Single(f32::from_bits(number as u32))),
            FieldType::Float(_) => Some(Value::Float(f64::from_bits(number))),
            FieldType::Text(_) | FieldType::Bytes(_) => None,
        }
    }

    /// The number of the field with this index.
    pub(crate) fn number_at(self, index: usize) -> Option<Value> {
        let (field, piece) = self.pieces().nth(index)?;
        self.number(field, piece)
    }

    /// How severe the record is by its words.
    pub(crate) fn severity(self) -> Option<Severity> {
        let mark = |(field, piece): (&LayoutField, &[u8])| {
            let texts = field.texts.as_ref().filter(|texts| texts.has_marks())?;
            texts.mark(self.number(field, piece)?.bits())
        };
        self.pieces().filter_map(mark).max().map(|mark| match mark {
            Mark::Warning => Severity::WARNING,
            Mark::Error => Severity::ERROR,
        })
    }

    /// Reads the record field by field; `None` if it is shorter than its fields.
    pub(super) fn read(self, reading: &mut Reading<'_>) -> Option<()> {
        for field in &self.layout.fields {
            let size = extent(field.ty, reading.remaining());
            let Some(name) = field.name.as_deref() else {
                reading.take(size)?;
                continue;
            };
            match field.ty {
                FieldType::Text(_) => reading.text_of(name, size)?,
                FieldType::Bytes(_) => reading.bytes(name, size)?,
                _ => {
                    let piece = reading.take(size)?;
                    let value = self.number(field, piece)?;
                    with_name(field, value, |name| reading.number_of(name, value, size));
                }
            }
        }
        Some(())
    }
}

/// How many of the bytes that are left a field takes; more than there are if it does not fit.
fn extent(ty: FieldType, rest: &[u8]) -> usize {
    let to_zero = || rest.iter().position(|byte| *byte == 0).map_or(rest.len(), |zero| zero + 1);
    ty.size().unwrap_or_else(|| if ty == FieldType::Text(None) { to_zero() } else { rest.len() })
}

/// Passes the name of a field, with what makes this number readable.
pub(super) fn with_name<T>(field: &LayoutField, value: Value, pass: impl FnOnce(FieldName<'_>) -> T) -> T {
    let name = named(field.name.as_deref().unwrap_or_default()).unit(&field.unit);
    let name = field.scale.map_or(name, |scale| name.scale(scale));
    let name = if matches!(field.ty, FieldType::Hex(_)) { name.hex() } else { name };
    match field.texts.as_deref() {
        None => pass(name),
        Some(Texts::Words(words)) => {
            let number = value.bits();
            // A number without a word still is one of those that words stand for.
            let word = words.get(&number).map_or((!number, ""), |word| (number, word.text.as_str()));
            pass(name.words(&[word]))
        }
        Some(Texts::Bits(bits)) => {
            let mut words = [(0, ""); BITS];
            words.iter_mut().zip(bits).for_each(|(place, (bit, word))| *place = (*bit, word.text.as_str()));
            pass(name.bits(words.get(..bits.len()).unwrap_or(&words)))
        }
    }
}

/// A text without the zeros that fill it up.
pub(super) fn without_zeros(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    text.get(..end).unwrap_or_default()
}
