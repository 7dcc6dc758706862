//! The function table of a formatter, implementation and callers.

use abi_stable::{
    StableAbi,
    std_types::{RResult, RSlice},
};

use super::{Guarded, Lengths, drop_boxed};
use crate::{
    formatter::{AppRecord, Formatter, FormatterInfo},
    guard::{Fault, guard, keep_late},
    info::OptVal,
    render::{Dict, Rendered, Want},
    running::{Entry, Table, enter},
    text::TextWriter,
};

/// Entries of a formatter. Libraries are never unloaded, so a table lives forever.
#[repr(C)]
#[derive(StableAbi)]
pub struct FormatterTable {
    info: extern "C" fn() -> RResult<FormatterInfo, Fault>,
    open: extern "C" fn(RSlice<'_, OptVal<'_>>) -> RResult<*mut (), Fault>,
    format: unsafe extern "C" fn(*const (), &AppRecord<'_>, &Dict<'_>, Want, &mut Rendered) -> RResult<bool, Fault>,
    drop: unsafe extern "C" fn(*mut ()) -> RResult<(), Fault>,
}

/// A formatter, by its table.
pub type FormatterRef = &'static FormatterTable;

/// The function table of a formatter.
pub const fn formatter<F: Formatter>() -> FormatterRef {
    const { &FormatterTable { info: info::<F>, open: open::<F>, format: format::<F>, drop: drop_boxed::<F> } }
}

impl FormatterTable {
    /// Its function table, for messages.
    pub fn table(&'static self) -> Table {
        Table::of(self)
    }

    /// The formatter's description.
    ///
    /// # Errors
    /// The plugin's fault.
    pub fn info(&'static self) -> Result<FormatterInfo, Fault> {
        let _running = enter(self.table(), Entry::Info, 0);
        (self.info)().into_result()
    }

    /// Opens the formatter with options under their own keys.
    ///
    /// # Errors
    /// The plugin's fault.
    pub fn open(&'static self, options: &[OptVal<'_>]) -> Result<FormatterInstance, Fault> {
        let _running = enter(self.table(), Entry::OpenFormatter, 0);
        let state = (self.open)(options.into()).into_result()?;
        Ok(FormatterInstance { state, table: self })
    }
}

/// An opened formatter.
pub struct FormatterInstance {
    state: *mut (),
    table: FormatterRef,
}

// SAFETY: the state is an `F: Formatter`, which is `Send`.
unsafe impl Send for FormatterInstance {}
// SAFETY: it is reached by shared references only, and `F` is `Sync`.
unsafe impl Sync for FormatterInstance {}

impl Drop for FormatterInstance {
    fn drop(&mut self) {
        let _running = enter(self.table(), Entry::Drop, 0);
        // SAFETY: `state` came from the same table's constructor and is dropped once, here.
        if let RResult::RErr(fault) = unsafe { (self.table.drop)(self.state) } {
            keep_late(fault);
        }
    }
}

impl FormatterInstance {
    /// Its function table, for messages.
    pub fn table(&self) -> Table {
        self.table.table()
    }

    /// Formats a record: appends a row with the wanted parts to `out` if the formatter knows the record.
    ///
    /// # Errors
    /// The plugin's fault; then nothing is added.
    pub fn format(
        &self,
        record: &AppRecord<'_>,
        dict: &Dict<'_>,
        want: Want,
        out: &mut Rendered,
    ) -> Result<bool, Fault> {
        let _running = enter(self.table(), Entry::Format, record.row.pos);
        let before = Lengths::of(out);
        // SAFETY: `state` belongs to this table.
        let answer = unsafe { (self.table.format)(self.state, record, dict, want, out) }.into_result();
        let answer = match answer {
            Ok(true) if !before.plus_rows(1, out) => Err(Fault::new("it wrote more or less than one row")),
            answer => answer,
        };
        if !matches!(answer, Ok(true)) {
            before.restore(out);
        }
        answer
    }
}

extern "C" fn info<F: Formatter>() -> Guarded<FormatterInfo> {
    guard(|| Ok(F::info()))
}

extern "C" fn open<F: Formatter>(options: RSlice<'_, OptVal<'_>>) -> Guarded<*mut ()> {
    guard(|| F::open(options.as_slice()).map(|formatter| Box::into_raw(Box::new(formatter)).cast()))
}

unsafe extern "C" fn format<F: Formatter>(
    state: *const (),
    record: &AppRecord<'_>,
    dict: &Dict<'_>,
    want: Want,
    out: &mut Rendered,
) -> Guarded<bool> {
    // SAFETY: the table is only ever paired with a pointer made by `open::<F>`, and `F` is `Sync`.
    let formatter = unsafe { &*state.cast::<F>() };
    guard(|| {
        let mut text = TextWriter::for_want(out, want);
        let is_known = formatter.format(record, dict, &mut text)?;
        text.end_row();
        text.flush();
        Ok(is_known)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DecoderOptions, Row};

    struct Echo;

    impl Formatter for Echo {
        fn info() -> FormatterInfo {
            FormatterInfo::new("echo", "bytes")
        }

        fn open(_: &DecoderOptions<'_>) -> Result<Echo, Fault> {
            Ok(Echo)
        }

        fn format(&self, record: &AppRecord<'_>, _: &Dict<'_>, out: &mut TextWriter<'_>) -> Result<bool, Fault> {
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
        let answer = formatter::<Echo>().open(&[]).unwrap().format(&record, &Dict::new(&()), Want::all(), &mut out);
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
