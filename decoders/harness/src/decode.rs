//! Decodes a whole stream and shows the result.

use spytui_plugin_api::{
    DecoderRef, Rendered, RenderedRow, Row, RowIn,
    activity::Activity,
    batch::AttachmentId,
    render::{Dict, Want},
};
use spytui_plugin_host::kit::{Host, Names};

/// Options as key-value pairs.
pub type Options<'a> = Vec<(&'a str, &'a [u8])>;

/// Decodes a stream in chunks of `size` bytes.
pub fn decode(decoder: DecoderRef, bytes: &[u8], opts: &[(&str, &[u8])], size: usize) -> Host {
    Host::open(decoder, opts).unwrap().stream(bytes, size).unwrap()
}

/// The text of each row, prefixed with its own kind word and a TAB if it has one.
pub fn lines(host: &Host, bytes: &[u8]) -> Vec<String> {
    let mut lines = Vec::new();
    host.render(bytes, Want::TEXT, |_, out| lines.push(line(out.row(0)))).unwrap();
    lines
}

/// The text of a row, like [`lines`].
fn line(row: RenderedRow<'_>) -> String {
    let text = String::from_utf8_lossy(row.text);
    match row.kind_word {
        Some(word) => format!("{}\t{text}", String::from_utf8_lossy(word)),
        None => text.into_owned(),
    }
}

/// The rows of a stream with their texts.
pub fn rows(decoder: DecoderRef, bytes: &[u8], opts: &[(&str, &[u8])]) -> Vec<(Row, String)> {
    let host = decode(decoder, bytes, opts, 4096);
    let lines = lines(&host, bytes);
    host.run.rows.iter().copied().zip(lines).collect()
}

/// Kind and text of the notes.
pub fn notes(decoder: DecoderRef, bytes: &[u8], opts: &[(&str, &[u8])]) -> Vec<(u16, String)> {
    let noted = |(row, text): (Row, String)| row.kind.is_note().then_some((row.kind.0, text));
    rows(decoder, bytes, opts).into_iter().filter_map(noted).collect()
}

/// An attachment of a row.
pub fn attachment_of(host: &Host, row: usize, id: AttachmentId) -> Option<(u64, u64)> {
    host.run.attachments_of(row).iter().find(|e| e.id == id).map(|e| (e.a, e.b))
}

/// Number of lost records of a gap, and whether it is exact.
pub fn lost(host: &Host, row: usize) -> Option<(u64, u64)> {
    attachment_of(host, row, AttachmentId::LOST)
}

/// The names at the end of the stream.
pub fn names(host: &Host) -> Names {
    let mut names = Names::new(&host.info);
    host.run.dict.iter().for_each(|e| names.apply(e, e.text.of(&host.run.bytes)));
    names
}

/// The label of an activity, with the names at the end of the stream.
pub fn name_of(host: &Host, bytes: &[u8], activity: &Activity) -> String {
    let row = &host.run.rows[activity.at as usize];
    let raw = host.run.raw(activity.at as usize, bytes);
    let input = RowIn { row, raw: raw.as_slice().into(), attachments: [][..].into(), blob: [][..].into() };
    let mut out = Rendered::default();
    let names = names(host);
    host.decoder.label(&host.run.cfgs[&row.cfg], &input, activity, &Dict::new(&names), &mut out).unwrap();
    String::from_utf8(out.text.to_vec()).unwrap()
}
