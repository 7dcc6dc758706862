//! The safe trait implemented by decoders.
//!
//! Functions must not print, sleep, spawn threads, open files or sockets, read clocks or the environment, use mutable
//! globals or random hash order, or keep references after they return. Output depends only on options, source, bytes
//! and stream events, not on how they are split into chunks. Activities are omitted unless wanted.

use crate::{
    Activity, DecoderOptions, Dict, Fault, Info, Output, RowIn, Source, StreamEvent, TextWriter, Want, info::Guess,
};

/// The decoder of a protocol. The host clones instances: keep large state behind `Arc`.
///
/// Every byte is a record here, and its text is the byte:
///
/// ```
/// use spytui_plugin_api::{
///     Decoder, DecoderOptions, Dict, Fault, Info, NO_GROUP, Output, Row, RowIn, RowKind, Source, TextWriter, Want,
///     info::KindInfo,
/// };
///
/// #[derive(Clone)]
/// struct Bytes;
///
/// impl Decoder for Bytes {
///     fn info() -> Info {
///         let kinds = [KindInfo::new(RowKind(0), "BYTE", NO_GROUP)];
///         Info { id: "bytes".into(), title: "Bytes".into(), kinds: kinds.into_iter().collect(), ..Info::default() }
///     }
///
///     fn open(_: &DecoderOptions<'_>, _: &Source) -> Result<Bytes, Fault> {
///         Ok(Bytes)
///     }
///
///     fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Output<'_>) {
///         for (pos, _) in (pos..).zip(bytes) {
///             out.row(Row { pos, len: 1, group: NO_GROUP, ..Row::default() });
///         }
///     }
///
///     fn render(_: &[u8], row: &RowIn<'_>, _: &Dict<'_>, _: Want, out: &mut TextWriter<'_>) {
///         out.put(format!("{:02x?}", row.raw.as_slice()).as_bytes());
///     }
/// }
///
/// // A plugin library is just this function, exported by `export_plugin!(plugin);` in a crate of type `cdylib`.
/// fn plugin() -> spytui_plugin_api::LibraryRef {
///     spytui_plugin_api::library!("bytes", decoders: [spytui_plugin_api::decoder::<Bytes>()])
/// }
/// assert_eq!(plugin().decoders()[0].info().unwrap().id, "bytes");
///
/// // A test that checks the rules of this API.
/// use spytui_plugin_host::kit::{Sample, conform};
/// conform(spytui_plugin_api::decoder::<Bytes>(), &[Sample { name: "bytes", opts: Vec::new(), bytes: b"\x01\x02" }]);
/// ```
pub trait Decoder: Clone + Send + 'static {
    /// The description of the decoder.
    fn info() -> Info;

    /// Guesses whether `sample` is this protocol, and with what options. At most 50 ms for 256 KiB.
    fn probe(sample: &[u8], opts: &DecoderOptions<'_>, out: &mut Vec<Guess>) {
        let _ = (sample, opts, out);
    }

    /// Opens an instance; fails if options contradict each other. The host has already checked each one.
    fn open(opts: &DecoderOptions<'_>, source: &Source) -> Result<Self, Fault>;

    /// Decodes bytes between two stream events; `pos` = absolute position of the first byte.
    fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Output<'_>);

    /// Handles a stream event; its `pos` is the current position in the stream.
    fn event(&mut self, event: &StreamEvent, text: &[u8], out: &mut Output<'_>) {
        let _ = (event, text, out);
    }

    /// Renders one row. The host words notes; the decoder may only add a short detail that follows
    /// those words. With option `reference`, all text comes from the decoder.
    fn render(cfg: &[u8], row: &RowIn<'_>, dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>);

    /// Renders a block of rows as [`Decoder::render`] would; the default calls it. Worth overriding if rows can share
    /// work. Row `i` sees the names of [`Dict::at`] `i` and is ended with [`TextWriter::end_row`]. If this panics or
    /// ends a different number of rows, the host renders the block row by row.
    fn render_rows(cfg: &[u8], rows: &[RowIn<'_>], dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
        for (i, row) in (0..).zip(rows) {
            Self::render(cfg, row, &dict.at(i), want, out);
            out.end_row();
        }
    }

    /// Name of the slice or instant drawn for an activity; empty = the host's default.
    fn label(cfg: &[u8], row: &RowIn<'_>, activity: &Activity, dict: &Dict<'_>, out: &mut TextWriter<'_>) {
        let _ = (cfg, row, activity, dict, out);
    }
}
