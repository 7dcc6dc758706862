//! Floating point in its shortest form.

use spytui_plugin_api::TextWriter;

/// A double in its shortest plain form.
pub(crate) fn plain(line: &mut TextWriter<'_>, number: f64) {
    let size = number.abs();
    let text = match size {
        _ if !number.is_finite() || number == 0.0 || (1e-4..1e15).contains(&size) => format!("{number}"),
        _ => format!("{number:e}"),
    };
    line.put(text.as_bytes());
}

/// A float in its shortest plain form.
pub(crate) fn plain_float(line: &mut TextWriter<'_>, number: f32) {
    let size = number.abs();
    let text = match size {
        _ if !number.is_finite() || number == 0.0 || (1e-4..1e9).contains(&size) => format!("{number}"),
        _ => format!("{number:e}"),
    };
    line.put(text.as_bytes());
}
