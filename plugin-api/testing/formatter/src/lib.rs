//! Formatters as a plugin library: one adds names and units to a record's numbers, one panics.
//!
//! A formatter is a type with the trait [`Formatter`], in a crate of type `cdylib`. It needs no decoder:
//!
//! ```sh
//! cargo build -p spytui-testing-formatter
//! spytui --plugin target/debug/libspytui_testing_formatter.so trace.bin
//! ```

use std::collections::HashMap;

use spytui_plugin_api::{
    AppRecord, DecoderOptions, Dict, Fault, Field, Formatter, FormatterInfo, LibraryRef, TextWriter, formatter,
    info::Opt, render::Tag,
};

spytui_plugin_api::export_plugin!(plugin);

fn plugin() -> LibraryRef {
    spytui_plugin_api::library!("oven", decoders: [], formatters: [formatter::<Axis>(), formatter::<Panics>()])
}

/// The record `USER+2` of a QS target: position and load of an axis. A file names the axes, one per line: `3 left arm`.
struct Axis {
    names: Names,
}

type Names = HashMap<i64, String>;

const NAMES: Opt<Names> = Opt::file("names", read_names, "names of axes, a line each: number, name");

fn read_names(file: &[u8]) -> Result<Names, String> {
    let named = |line: &str| {
        let (number, name) = line.split_once(' ')?;
        Some((number.parse().ok()?, name.to_owned()))
    };
    let text = String::from_utf8_lossy(file);
    text.lines().map(|line| named(line).ok_or_else(|| format!("{line}: write a number and a name"))).collect()
}

impl Formatter for Axis {
    fn info() -> FormatterInfo {
        let info = FormatterInfo::new("axis", "qs")
            .with_records(["USER+2"])
            .with_fields(["axis", "position", "load"])
            .with_options([NAMES.spec()]);
        FormatterInfo { kind_words: ["Axis".into()].into_iter().collect(), ..info }
    }

    fn open(options: &DecoderOptions<'_>) -> Result<Axis, Fault> {
        Ok(Axis { names: NAMES.given(options)?.unwrap_or_default() })
    }

    fn format(&self, record: &AppRecord<'_>, _: &Dict<'_>, out: &mut TextWriter<'_>) -> Result<bool, Fault> {
        let (Some(axis), Some(load), Some(position)) = (record.element(0), record.element(1), record.element(2)) else {
            return Err(Fault::new("an axis has three numbers"));
        };
        out.put(b"Axis");
        out.end_kind_word();
        let millimetres = position.num as i64 as f64 / 1000.0;
        let number = axis.num as i64;
        let name = self.names.get(&number).cloned().unwrap_or_else(|| format!("axis {number}"));
        out.put(format!("{name} at {millimetres:.3} mm, load {} %", load.num).as_bytes());
        out.field("axis", Field { num: axis.num, tag: Tag::SIGNED, ..Field::default() });
        out.field("position", Field { num: millimetres.to_bits(), tag: Tag::F64, ..Field::default() });
        out.unsigned("load", load.num, 0, 0);
        Ok(true)
    }
}

/// Panics on the record `USER+1`.
struct Panics;

impl Formatter for Panics {
    fn info() -> FormatterInfo {
        FormatterInfo::new("panics", "qs")
    }

    fn open(_: &DecoderOptions<'_>) -> Result<Panics, Fault> {
        Ok(Panics)
    }

    fn format(&self, record: &AppRecord<'_>, _: &Dict<'_>, _: &mut TextWriter<'_>) -> Result<bool, Fault> {
        assert_ne!(record.id.as_slice(), b"USER+1", "as asked");
        Ok(false)
    }
}
