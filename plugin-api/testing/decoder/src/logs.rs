//! The formatter of application records: code 1 is a temperature.

use spytui_plugin_api::{
    AppRecord, Dict, Fault, Field, Formatter, FormatterInfo, Text,
    render::{tag, want},
};

use crate::info::kind;

/// Code of a temperature: two bytes, little-endian, in tenths of a degree.
pub const TEMPERATURE: u64 = 1;

/// The formatter.
#[derive(Debug)]
pub struct Logs;

impl Formatter for Logs {
    fn info() -> FormatterInfo {
        FormatterInfo {
            id: "toy-logs".into(),
            title: "Temperatures of the test protocol".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            protocols: ["toy".into()].into_iter().collect(),
            kinds: [kind::LOG].into_iter().collect(),
            ..FormatterInfo::default()
        }
    }

    fn format(record: &AppRecord<'_>, _: &Dict<'_>, want: u32, out: &mut Text<'_>) -> Result<bool, Fault> {
        let (TEMPERATURE, &[low, high]) = (record.code, record.payload.as_slice()) else { return Ok(false) };
        let tenths = i16::from_le_bytes([low, high]);
        if want & want::TEXT != 0 {
            out.push(format!("temperature {:.1} °C", f64::from(tenths) / 10.0).as_bytes());
        }
        if want & want::FIELDS != 0 {
            let num = i64::from(tenths) as u64;
            out.field("temperature", Field { num, tag: tag::SIGNED, space: u16::MAX, ..Field::default() });
        }
        Ok(true)
    }
}
