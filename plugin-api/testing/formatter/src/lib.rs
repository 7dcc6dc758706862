//! Formatters as a plugin library: an example of names and units for the numbers of a record, and one that panics.
//!
//! A formatter is a type with the trait [`Formatter`], in a crate of type `cdylib`. It needs no decoder of its own:
//!
//! ```sh
//! cargo build -p spytui-testing-formatter
//! spytui --plugin target/debug/libspytui_testing_formatter.so trace.bin
//! ```

use spytui_plugin_api::{
    AppRecord, Dict, Fault, Field, Formatter, FormatterInfo, LibraryRef, TextWriter, formatter, render::Tag,
};

spytui_plugin_api::export_plugin!(plugin);

fn plugin() -> LibraryRef {
    spytui_plugin_api::library!("oven", decoders: [], formatters: [formatter::<Axis>(), formatter::<Panics>()])
}

/// The record `USER+2` of a QS target: position and load of an axis.
struct Axis;

impl Formatter for Axis {
    fn info() -> FormatterInfo {
        FormatterInfo::new("axis", "qs").with_kind_words(["Axis"]).with_fields(["axis", "position", "load"])
    }

    fn format(record: &AppRecord<'_>, _: &Dict<'_>, out: &mut TextWriter<'_>) -> Result<bool, Fault> {
        if record.id() != b"USER+2" {
            return Ok(false);
        }
        let (Some(axis), Some(load), Some(position)) = (record.element(0), record.element(1), record.element(2)) else {
            return Err(Fault::new("an axis has three numbers"));
        };
        out.put(b"Axis");
        out.end_kind_word();
        let millimetres = position.num as i64 as f64 / 1000.0;
        out.put(format!("axis {} at {millimetres:.3} mm, load {} %", axis.num as i64, load.num).as_bytes());
        out.field("axis", Field { num: axis.num, tag: Tag::SIGNED, ..Field::default() });
        out.field("position", Field { num: millimetres.to_bits(), tag: Tag::F64, ..Field::default() });
        out.unsigned("load", load.num, 0, 0);
        Ok(true)
    }
}

/// Panics at the record `USER+1`.
struct Panics;

impl Formatter for Panics {
    fn info() -> FormatterInfo {
        FormatterInfo::new("panics", "qs")
    }

    fn format(record: &AppRecord<'_>, _: &Dict<'_>, _: &mut TextWriter<'_>) -> Result<bool, Fault> {
        assert_ne!(record.id(), b"USER+1", "as asked");
        Ok(false)
    }
}
