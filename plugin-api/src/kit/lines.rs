//! Rows as lines, for tests.

use super::Host;
use crate::{DecoderRef, Fault, Info, Row, Want, render::Rendered};

/// The rows of a stream as lines: kind and text, with the names valid at that row.
///
/// # Errors
/// The decoder's fault.
pub fn lines(decoder: DecoderRef, opts: &[(&str, &[u8])], stream: &[u8]) -> Result<Vec<String>, Fault> {
    let host = Host::open(decoder, opts)?.stream(stream, usize::MAX)?;
    let mut lines = Vec::new();
    host.render(stream, Want::TEXT, |i, rendered| lines.push(line(&host.info, &host.run.rows[i], rendered)))?;
    Ok(lines)
}

fn line(info: &Info, row: &Row, rendered: &Rendered) -> String {
    let rendered = rendered.row(0);
    let own = rendered.kind_word.map(String::from_utf8_lossy);
    let kind = info.kind(row.kind).map(|kind| kind.tag());
    let word = own.as_deref().or(kind).unwrap_or_default();
    let parts = [word, &String::from_utf8_lossy(rendered.text)].map(str::to_owned);
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("  ")
}
