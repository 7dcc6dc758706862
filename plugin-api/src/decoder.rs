//! The safe trait that authors implement.
//!
//! No entry prints, sleeps, spawns threads, opens files or sockets, reads clocks or environment, uses mutable
//! globals or random hash order, or keeps a reference after it returned. What a decoder emits is a function of
//! options, source, bytes and stream events alone: not of chunking; activities are left out where nobody wants them.

use crate::{
    activity::Activity,
    chunk::{Source, StreamEvent},
    guard::Fault,
    info::{DecoderOptions, Guess, Info},
    output::{Dict, Output},
    render::{RowIn, Want},
    text::TextWriter,
};

/// One protocol's decoder. `Clone` is the fork: keep big state behind `Arc`.
pub trait Decoder: Clone + Send + 'static {
    /// About the decoder.
    fn info() -> Info;

    /// Guesses whether, and with which options, `sample` is this protocol. At most 50 ms for 256 KiB.
    fn probe(sample: &[u8], opts: &DecoderOptions<'_>, out: &mut Vec<Guess>) {
        let _ = (sample, opts, out);
    }

    /// Opens an instance.
    ///
    /// # Errors
    /// Options that contradict each other; the host has checked each for itself.
    fn open(opts: &DecoderOptions<'_>, source: &Source<'_>) -> Result<Self, Fault>;

    /// Bytes between two stream events; `pos` = absolute position of the first.
    fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Output<'_>);

    /// A stream event; its `pos` is where the stream stands.
    fn event(&mut self, event: &StreamEvent, text: &[u8], out: &mut Output<'_>) {
        let _ = (event, text, out);
    }

    /// Renders one row.
    fn render(cfg: &[u8], row: &RowIn<'_>, dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>);

    /// Renders a block of rows with what [`Decoder::render`] makes of each; the default calls it. Worth writing where
    /// work can be done once for all of them. Row `i` sees the names of [`Dict::at`] `i` and is ended with
    /// [`TextWriter::end_row`]. If this panics or ends another number of rows, the block is rendered row by row instead.
    fn render_rows(cfg: &[u8], rows: &[RowIn<'_>], dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
        render_each::<Self>(cfg, rows, dict, want, out);
    }

    /// Name of a slice or track of an activity; empty = the host's default.
    fn label(cfg: &[u8], row: &RowIn<'_>, activity: &Activity, what: u16, dict: &Dict<'_>, out: &mut TextWriter<'_>) {
        let _ = (cfg, row, activity, what, dict, out);
    }
}

/// Renders a block of rows with [`Decoder::render`].
pub fn render_each<D: Decoder>(cfg: &[u8], rows: &[RowIn<'_>], dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
    for (i, row) in (0..).zip(rows) {
        D::render(cfg, row, &dict.at(i), want, out);
        out.end_row();
    }
}
