//! The table of a formatter, and both sides of it.

use abi_stable::{StableAbi, std_types::RResult};

use super::{Guarded, lengths::Lengths};
use crate::{
    formatter::{AppRecord, Formatter, FormatterInfo},
    guard::{Fault, guard},
    render::{Dict, Rendered},
    text::TextWriter,
};

/// Entries of a formatter.
#[repr(C)]
#[derive(StableAbi)]
pub struct FormatterTable {
    info: extern "C" fn() -> RResult<FormatterInfo, Fault>,
    format: extern "C" fn(&AppRecord<'_>, &Dict<'_>, &mut Rendered) -> RResult<bool, Fault>,
}

/// A formatter's table. Libraries are never unloaded, so it lives forever.
#[repr(transparent)]
#[derive(StableAbi, Clone, Copy)]
pub struct FormatterRef(&'static FormatterTable);

/// The table of a formatter.
#[must_use]
pub const fn formatter<F: Formatter>() -> FormatterRef {
    FormatterRef(const { &FormatterTable { info: info::<F>, format: format::<F> } })
}

impl std::fmt::Debug for FormatterRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FormatterRef")
    }
}

impl FormatterRef {
    /// The description of the formatter.
    ///
    /// # Errors
    /// The plugin's fault.
    pub fn info(self) -> Result<FormatterInfo, Fault> {
        (self.0.info)().into_result()
    }

    /// Formats a record: adds a row to `out` if the formatter knows it, else nothing.
    ///
    /// # Errors
    /// The plugin's fault; then nothing is added.
    pub fn format(self, record: &AppRecord<'_>, dict: &Dict<'_>, out: &mut Rendered) -> Result<bool, Fault> {
        (self.0.format)(record, dict, out).into_result()
    }
}

extern "C" fn info<F: Formatter>() -> Guarded<FormatterInfo> {
    guard(|| Ok(F::info()))
}

extern "C" fn format<F: Formatter>(record: &AppRecord<'_>, dict: &Dict<'_>, out: &mut Rendered) -> Guarded<bool> {
    let before = Lengths::of(out);
    let answer = guard(|| {
        let mut text = TextWriter::new(out);
        let is_known = F::format(record, dict, &mut text)?;
        text.end_row();
        text.finish();
        Ok(is_known)
    });
    let is_whole = before.plus_rows(1, out);
    match answer {
        RResult::ROk(true) if is_whole => answer,
        RResult::ROk(true) => {
            before.restore(out);
            RResult::RErr(Fault::new("it wrote more or less than one row"))
        }
        _ => {
            before.restore(out);
            answer
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RSlice, Row};

    struct Echo;

    impl Formatter for Echo {
        fn info() -> FormatterInfo {
            FormatterInfo::new("echo", "bytes")
        }

        fn format(record: &AppRecord<'_>, _: &Dict<'_>, out: &mut TextWriter<'_>) -> Result<bool, Fault> {
            out.put(b"half ");
            match record.id() {
                b"panics" => panic!("as asked"),
                b"fails" => Err(Fault::new("no")),
                b"unknown" => Ok(false),
                b"two" => {
                    out.end_row();
                    Ok(true)
                }
                id => {
                    out.put(id);
                    Ok(true)
                }
            }
        }
    }

    fn formatted(id: &str) -> (Result<bool, bool>, String, usize) {
        crate::guard::install_hook();
        let row = Row::default();
        let (none, id) = (RSlice::EMPTY, RSlice::from_slice(id.as_bytes()));
        let record = AppRecord { row: &row, id, name: none, payload: none, fields: RSlice::EMPTY, blob: none };
        let mut out = Rendered::default();
        out.push_text_row(b"before ");
        let answer = formatter::<Echo>().format(&record, &Dict::new(&()), &mut out);
        let text = String::from_utf8_lossy(&out.text).into_owned();
        (answer.map_err(|fault| fault.panicked), text, out.rows.len())
    }

    #[test]
    fn only_a_known_record_leaves_something() {
        assert_eq!(formatted("it"), (Ok(true), "before half it".to_owned(), 2));
        assert_eq!(formatted("unknown"), (Ok(false), "before ".to_owned(), 1));
        assert_eq!(formatted("fails"), (Err(false), "before ".to_owned(), 1));
        assert_eq!(formatted("panics"), (Err(true), "before ".to_owned(), 1));
        assert_eq!(formatted("two"), (Err(false), "before ".to_owned(), 1));
    }
}
