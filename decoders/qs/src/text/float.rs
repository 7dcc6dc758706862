//! Floating point in its shortest form.

use super::line::{Line, Sink};

/// A double in its shortest plain form.
pub(crate) fn plain<S: Sink>(line: &mut Line<'_, S>, number: f64) {
    let size = number.abs();
    let text = match size {
        _ if !number.is_finite() || number == 0.0 || (1e-4..1e15).contains(&size) => format!("{number}"),
        _ => format!("{number:e}"),
    };
    line.put(text.as_bytes());
}

/// A float in its shortest plain form.
pub(crate) fn plain_float<S: Sink>(line: &mut Line<'_, S>, number: f32) {
    let size = number.abs();
    let text = match size {
        _ if !number.is_finite() || number == 0.0 || (1e-4..1e9).contains(&size) => format!("{number}"),
        _ => format!("{number:e}"),
    };
    line.put(text.as_bytes());
}
