//! Application records of other protocols, read the same way.

use std::marker::PhantomData;

use crate::{
    AppRecord, DecoderOptions, Dict, Fault, FieldInfo, Formatter, FormatterInfo, FormatterRef, RowFlags, TextWriter,
    Want,
    simple::{
        Means, Named,
        record::{Record, Show, Shown},
        render::Shower,
    },
};

/// The text of an application record. [`crate::simple::formatter`] makes a formatter of it.
///
/// ```
/// use spytui_plugin_api::{kit::{conform_formatter, format}, simple::*};
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
/// // Its test: the rules of this API hold, and the text is right.
/// conform_formatter(formatter::<Door>(), "DOOR", &[1]);
/// assert_eq!(format(formatter::<Door>(), "DOOR", &[1]).unwrap().unwrap(), "door open");
/// ```
pub trait RecordText: 'static {
    /// Id of the decoder, and the record as the list names it, with its name or without a dictionary: `USER+5`.
    const OF: (&'static str, &'static str);

    /// Fields that can't be found by reading a payload of zeros.
    const FIELDS: &'static [Named] = &[];

    /// Reads what the program put into the record. `None` = it does not fit.
    fn read(payload: &[u8], record: &mut Record<'_>) -> Option<()>;
}

/// The table of a formatter.
pub const fn formatter<T: RecordText>() -> FormatterRef {
    crate::formatter::<Text<T>>()
}

struct Text<T>(PhantomData<fn() -> T>);

/// The fields that are read.
struct Fields(Vec<FieldInfo>);

impl Show for Fields {
    fn field(&mut self, field: Shown<'_>) {
        if !self.0.iter().any(|known| known.name == field.named.name) {
            self.0.push((*field.named).into());
        }
    }
}

/// Writes text and fields of application bytes as they are read, those that are wanted: what a formatter does that is
/// known at run time only. Returns the number of bytes that were not read; `None` = they do not fit, and what was read
/// before is written.
pub fn show_record(
    (payload, is_big_endian): (&[u8], bool),
    dict: &Dict<'_>,
    want: Want,
    out: &mut TextWriter<'_>,
    read: impl FnOnce(&mut Record<'_>) -> Option<()>,
) -> Option<usize> {
    let means = Means::Nothing;
    let mut shower = Shower { out, dict, want, means, spaces: &[], wrote: false, line: Vec::new(), is_silent: false };
    let mut reading = Record::new(payload, 0, Some(&mut shower));
    if is_big_endian {
        reading.big_endian();
    }
    read(&mut reading).map(|()| reading.remaining().len())
}

impl<T: RecordText> Formatter for Text<T> {
    fn info() -> FormatterInfo {
        let mut fields = Fields(T::FIELDS.iter().map(|named| FieldInfo::from(*named)).collect());
        let zeros = [0; 64];
        let _ = T::read(&zeros, &mut Record::new(&zeros, 0, Some(&mut fields)));
        FormatterInfo::new(T::OF.1, T::OF.0).with_records([T::OF.1]).with_fields(fields.0)
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
