//! Floating point in its shortest form.

use std::fmt::{Display, LowerExp};

use spytui_plugin_api::TextWriter;

/// A double in its shortest plain form.
pub(crate) fn plain(line: &mut TextWriter<'_>, number: f64) {
    let is_usual = !number.is_finite() || number == 0.0 || (1e-4..1e15).contains(&number.abs());
    shortest(line, number, is_usual);
}

/// A float in its shortest plain form.
pub(crate) fn plain_float(line: &mut TextWriter<'_>, number: f32) {
    let is_usual = !number.is_finite() || number == 0.0 || (1e-4..1e9).contains(&number.abs());
    shortest(line, number, is_usual);
}

/// Writes a number; with an exponent unless it is of a usual size.
fn shortest(line: &mut TextWriter<'_>, number: impl Display + LowerExp, is_usual: bool) {
    let text = if is_usual { format!("{number}") } else { format!("{number:e}") };
    line.put(text.as_bytes());
}
