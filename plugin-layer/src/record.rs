//! Reads a frame, one call per field.

use std::ops::Range;

use spytui_plugin_api::Severity;

use crate::{FieldName, Number, Value};

/// A frame being read. Fields go to decoding or to rendering, depending on the caller.
pub struct Record<'a> {
    frame: &'a [u8],
    rest: Range<usize>,
    /// Offset of the content in the unstuffed frame, for field positions.
    head: usize,
    is_big_endian: bool,
    pub(super) found: Found,
    show: Option<&'a mut (dyn Show + 'a)>,
}

/// What decoding needs from a record.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    pub(super) kind: Option<u16>,
    /// Sequence number and its width in bits.
    pub(super) sequence: Option<(u64, u32)>,
    pub(super) sender: u64,
    pub(super) stamp: Option<u64>,
    pub(super) object: Option<Key>,
    pub(super) keys: [Option<Key>; 2],
    /// The first number, its scale, and its wire width in bits.
    pub(super) value: Option<(Value, Option<f64>, u32)>,
    pub(super) severity: Option<Severity>,
    /// Keys with the words that their fields define for them.
    pub(super) words: Vec<(Key, Box<str>)>,
    /// A key and where its name is in the frame.
    pub(super) name: Option<(Key, Range<usize>)>,
}

/// A key, with its space's index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) space: usize,
    pub(super) key: u64,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Content<'a> {
    Number(Value),
    /// The object of the row.
    Object(Key),
    Key(Key),
    /// A key that the record names.
    NamedKey(Key),
    Text(&'a [u8]),
    Bytes(&'a [u8]),
    /// The name of the preceding key.
    Name(&'a [u8]),
}

/// A field with its place in the frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown<'a> {
    pub(super) named: &'a FieldName<'a>,
    pub(super) content: Content<'a>,
    pub(super) offset: usize,
    pub(super) len: usize,
}

pub(super) trait Show {
    fn field(&mut self, field: Shown<'_>);
}

impl<'a> Record<'a> {
    pub(super) fn new(frame: &'a [u8], head: usize, show: Option<&'a mut (dyn Show + 'a)>) -> Record<'a> {
        Record { frame, rest: 0..frame.len(), head, is_big_endian: false, found: Found::default(), show }
    }

    /// Its kind, by the number of one of [`crate::Protocol::KINDS`].
    pub fn kind(&mut self, id: u16) {
        self.found.kind = Some(id);
    }

    /// Sets its sender, if a line has several with separate sequence numbers. Up to 64 senders are tracked.
    pub fn sender(&mut self, sender: u64) {
        self.found.sender = sender;
    }

    /// Sets its sequence number of `bits` bits, which increases by one per record of a sender.
    pub fn sequence(&mut self, number: u64, bits: u32) {
        self.found.sequence = Some((number, bits.clamp(1, 64)));
    }

    /// Limits reading to this range of the frame. The calls below read from its start.
    pub fn payload(&mut self, range: Range<usize>) {
        let end = range.end.min(self.frame.len());
        self.rest = range.start.min(end)..end;
    }

    /// Reads numbers big-endian from here on.
    pub fn big_endian(&mut self) {
        self.is_big_endian = true;
    }

    /// Reads the time stamp, in ticks of [`crate::Protocol::CLOCK`].
    pub fn time<T: Number>(&mut self) -> Option<()> {
        let stamp = self.get::<T>()?;
        self.found.stamp = Some(stamp.value().bits());
        Some(())
    }

    /// Reads a number without making it a field.
    #[inline]
    pub fn get<T: Number>(&mut self) -> Option<T> {
        let number = T::read(self.frame.get(self.rest.clone())?, self.is_big_endian)?;
        self.rest.start += T::BYTES;
        Some(number)
    }

    /// Takes `len` bytes without making them a field.
    #[inline]
    pub fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let bytes = self.frame.get(self.rest.clone())?.get(..len)?;
        self.rest.start += len;
        Some(bytes)
    }

    pub fn remaining(&self) -> &'a [u8] {
        self.frame.get(self.rest.clone()).unwrap_or_default()
    }

    #[inline]
    pub fn number<'n, T: Number>(&mut self, name: impl Into<FieldName<'n>>) -> Option<()> {
        let value = self.get::<T>()?.value();
        self.number_of(name, value, T::BYTES);
        Some(())
    }

    /// Shows a number derived from the `len` bytes that were just taken.
    #[inline]
    pub fn number_of<'n>(&mut self, name: impl Into<FieldName<'n>>, value: Value, len: usize) {
        let named = name.into();
        if self.found.value.is_none() {
            self.found.value = Some((value, named.scale, 8 * len as u32));
        }
        self.found.severity = self.found.severity.max(named.severity_of(value.bits()));
        self.show(&named, Content::Number(value), len);
    }

    /// Reads the key of the record's object; `space` = index in [`crate::Protocol::SPACES`]. A word that the field defines
    /// for it is its name unless a record names it.
    pub fn object<'n, T: Number>(&mut self, name: impl Into<FieldName<'n>>, space: usize) -> Option<()> {
        let (key, named) = (self.read_key::<T>(space)?, name.into());
        self.found.object = Some(key);
        self.mean(key, &named);
        self.show(&named, Content::Object(key), T::BYTES);
        Some(())
    }

    /// Reads another key. A word that the field defines for it is its name unless a record names it.
    pub fn key<'n, T: Number>(&mut self, name: impl Into<FieldName<'n>>, space: usize) -> Option<()> {
        let (key, named) = (self.read_key::<T>(space)?, name.into());
        if let Some(free) = self.found.keys.iter_mut().find(|kept| kept.is_none()) {
            *free = Some(key);
        }
        self.mean(key, &named);
        self.show(&named, Content::Key(key), T::BYTES);
        Some(())
    }

    /// Applies the word and the severity that a field defines for a key.
    fn mean(&mut self, key: Key, named: &FieldName<'_>) {
        self.found.severity = self.found.severity.max(named.severity_of(key.key));
        let word = named.words.iter().find(|(number, word)| *number == key.key && !word.is_empty());
        self.found.words.extend(word.map(|(_, word)| (key, Box::from(*word))));
    }

    fn read_key<T: Number>(&mut self, space: usize) -> Option<Key> {
        Some(Key { space, key: self.get::<T>()?.value().bits() })
    }

    /// Reads a text up to the end.
    pub fn text<'n>(&mut self, name: impl Into<FieldName<'n>>) -> Option<()> {
        self.text_of(name, self.rest.len())
    }

    /// Reads a text of `len` bytes; trailing zeros are fill.
    pub fn text_of<'n>(&mut self, name: impl Into<FieldName<'n>>, len: usize) -> Option<()> {
        let text = self.take(len)?;
        let end = text.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        self.show(&name.into(), Content::Text(&text[..end]), len);
        Some(())
    }

    /// Reads `len` bytes, shown unchanged.
    pub fn bytes<'n>(&mut self, name: impl Into<FieldName<'n>>, len: usize) -> Option<()> {
        let bytes = self.take(len)?;
        self.show(&name.into(), Content::Bytes(bytes), len);
        Some(())
    }

    /// Reads a key of a space and its name, the rest of the frame; the name applies from here on.
    pub fn names<T: Number>(&mut self, space: usize) -> Option<()> {
        let key = self.read_key::<T>(space)?;
        self.show(&"key".into(), Content::NamedKey(key), T::BYTES);
        let place = self.rest.clone();
        let name = self.take(place.len())?;
        self.found.name = Some((key, place));
        self.show(&"name".into(), Content::Name(name), name.len());
        Some(())
    }

    fn show(&mut self, named: &FieldName<'_>, content: Content<'_>, len: usize) {
        if let Some(show) = &mut self.show {
            let offset = (self.head + self.rest.start).saturating_sub(len);
            show.field(Shown { named, content, offset, len });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_read_beyond_the_payload() {
        let mut record = Record::new(&[1, 2, 3, 4, 5], 0, None);
        record.payload(1..4);
        assert_eq!((record.get::<u16>(), record.get::<u16>(), record.get::<u8>()), (Some(0x0302), None, Some(4)));
        record.payload(3..99);
        record.big_endian();
        assert_eq!(record.get::<u16>(), Some(0x0405));
        record.payload(99..100);
        assert_eq!((record.get::<u8>(), record.text("t"), record.take(1)), (None, Some(()), None));
    }
}
