//! A stream decoded in one go, and what came of it.

use spytui_plugin_api::{
    DecoderRef, Rendered, Row, RowIn,
    act::Act,
    batch::extra,
    kit::{Host, Names},
    render::{DictView, want},
    row::flag,
};

/// Options as pairs of key and value.
pub type Opts<'a> = Vec<(&'a str, &'a [u8])>;

/// Decodes a stream in chunks of `size` bytes.
#[must_use]
pub fn decode(decoder: DecoderRef, bytes: &[u8], opts: &[(&str, &[u8])], size: usize) -> Host {
    Host::open(decoder, opts).unwrap().stream(bytes, size).unwrap()
}

/// The text of each row.
#[must_use]
pub fn lines(host: &Host, bytes: &[u8]) -> Vec<String> {
    let mut lines = Vec::new();
    host.render(bytes, want::TEXT, |_, out| lines.push(String::from_utf8_lossy(&out.text).into_owned())).unwrap();
    lines
}

/// The rows of a stream with their texts.
#[must_use]
pub fn rows(decoder: DecoderRef, bytes: &[u8], opts: &[(&str, &[u8])]) -> Vec<(Row, String)> {
    let host = decode(decoder, bytes, opts, 4096);
    let lines = lines(&host, bytes);
    host.run.rows.iter().copied().zip(lines).collect()
}

/// The rows that are no records: kind and text.
#[must_use]
pub fn notes(decoder: DecoderRef, bytes: &[u8], opts: &[(&str, &[u8])]) -> Vec<(u16, String)> {
    let noted = |(row, text): (Row, String)| (row.flags & flag::NOTE != 0).then_some((row.kind, text));
    rows(decoder, bytes, opts).into_iter().filter_map(noted).collect()
}

/// An extra of a row.
#[must_use]
pub fn extra_of(host: &Host, row: usize, id: u16) -> Option<(u64, u64)> {
    host.run.extras_of(row).iter().find(|e| e.id == id).map(|e| (e.a, e.b))
}

/// Numbers of a gap: lost, exact.
#[must_use]
pub fn lost(host: &Host, row: usize) -> Option<(u64, u64)> {
    extra_of(host, row, extra::LOST)
}

/// The names as they are at the end of the stream.
#[must_use]
pub fn names(host: &Host) -> Names {
    let mut names = Names::new(&host.info);
    host.run.dict.iter().for_each(|e| names.apply(e, e.text.of(&host.run.bytes)));
    names
}

/// The label of an activity's slice (`what` = 0) or another one, with the names at the end of the stream.
#[must_use]
pub fn name_of(host: &Host, bytes: &[u8], act: &Act, what: u16) -> String {
    let row = &host.run.rows[act.at as usize];
    let raw = host.run.raw(act.at as usize, bytes);
    let input = RowIn { row, raw: raw.as_slice().into(), extras: [][..].into(), blob: [][..].into() };
    let mut out = Rendered::default();
    let names = names(host);
    host.decoder.name_of(&host.run.cfgs[&row.cfg], &input, act, what, &DictView::new(&names), &mut out).unwrap();
    String::from_utf8(out.text.to_vec()).unwrap()
}
