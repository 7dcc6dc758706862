//! Application records of other protocols, read the same way.

use std::marker::PhantomData;

use crate::{
    AppRecord, DecoderOptions, Dict, Fault, Formatter, FormatterInfo, FormatterRef, RowFlags, TextWriter, Want,
    simple::{
        Means,
        record::{Record, Show, Shown},
        render::Shower,
    },
};

/// The text of an application record. [`crate::simple::formatter`] makes a formatter of it.
pub trait RecordText: 'static {
    /// Id of the decoder, and the record as the list names it, with its name or without a dictionary: `USER+5`.
    const OF: (&'static str, &'static str);

    /// Names of fields that can't be found by reading a payload of zeros.
    const FIELDS: &'static [&'static str] = &[];

    /// Reads what the program put into the record. `None` = it does not fit.
    fn read(payload: &[u8], record: &mut Record<'_>) -> Option<()>;
}

/// The table of a formatter.
#[must_use]
pub const fn formatter<T: RecordText>() -> FormatterRef {
    crate::formatter::<Text<T>>()
}

struct Text<T>(PhantomData<fn() -> T>);

/// Names of the fields that are read.
struct Names(Vec<&'static str>);

impl Show for Names {
    fn field(&mut self, field: Shown<'_>) {
        if !self.0.contains(&field.named.name) {
            self.0.push(field.named.name);
        }
    }
}

impl<T: RecordText> Formatter for Text<T> {
    fn info() -> FormatterInfo {
        let mut names = Names(T::FIELDS.to_vec());
        let zeros = [0; 64];
        let _ = T::read(&zeros, &mut Record::new(&zeros, 0, Some(&mut names)));
        FormatterInfo::new(T::OF.1, T::OF.0).with_fields(names.0)
    }

    fn open(_: &DecoderOptions<'_>) -> Result<Self, Fault> {
        Ok(Text(PhantomData))
    }

    fn format(&self, record: &AppRecord<'_>, dict: &Dict<'_>, out: &mut TextWriter<'_>) -> Result<bool, Fault> {
        let is_own = [record.id(), record.name()].contains(&T::OF.1.as_bytes());
        if !is_own {
            return Ok(false);
        }
        let payload = record.payload.as_slice();
        let want = Want::TEXT | Want::FIELDS;
        let means = Means::Nothing;
        let mut shower =
            Shower { out, dict, want, means, spaces: &[], wrote: false, line: Vec::new(), is_silent: false };
        let mut reading = Record::new(payload, 0, Some(&mut shower));
        if record.row.has(RowFlags::BIG_ENDIAN) {
            reading.big_endian();
        }
        match T::read(payload, &mut reading) {
            Some(()) => Ok(true),
            None => Err(Fault::new(format!("the {} bytes of {} do not fit", payload.len(), T::OF.1))),
        }
    }
}
