//! Renders rows: records by the decoder and formatters, notes by the host.

use std::{mem, ops::Range};

use spytui_plugin_api::{
    Attachment, AttachmentId, ByteRange, DecoderRef, Dict, Fault, Field, Info, Rendered, RenderedRow, Request, RowIn,
    RowKind, TextWriter, Want,
    batch::AttrId,
    render::{FieldFlags, Lookup, RowEnd, Tag},
    running::Table,
};

use super::notes::{NoteWords, changes, numbers, push_changes};

#[derive(Clone, Debug)]
pub struct Renderer {
    decoder: DecoderRef,
    words: NoteWords,
    /// Reference style: the decoder renders all text.
    pub is_reference: bool,
}

impl Renderer {
    /// A renderer for a decoder opened with or without option `reference`.
    pub fn new(decoder: DecoderRef, info: &Info, is_reference: bool) -> Renderer {
        Renderer { decoder, words: NoteWords::new(info), is_reference }
    }

    /// The decoder's function table, for messages.
    pub fn table(&self) -> Table {
        self.decoder.table()
    }

    /// Like [`spytui_plugin_api::table::DecoderTable::render`], with the host's text for notes and the results of
    /// formatters.
    pub fn render<'a>(
        &self,
        cfg: &[u8],
        rows: &[RowIn<'_>],
        names: &Dict<'_>,
        request: impl Into<Request<'a>>,
        formatted: FormattedFrom<'_>,
        out: &mut Rendered,
    ) -> Result<(), Fault> {
        let request = request.into();
        let want = request.want;
        let has_words = want.contains(Want::TEXT) && !self.is_reference || want.contains(Want::FIELDS);
        if formatted.said.is_empty() && !(has_words && rows.iter().any(has_host_words)) {
            return self.decoder.render(cfg, rows, names, request, out);
        }
        // Application bytes and the arena of fields are shared, so only the rest is copied.
        let (payload, blob) = (mem::take(&mut out.payload), mem::take(&mut out.blob));
        let mut decoded = Rendered { payload, blob, ..Rendered::default() };
        let answer = self.decoder.render(cfg, rows, names, request, &mut decoded);
        (out.payload, out.blob) = (mem::take(&mut decoded.payload), mem::take(&mut decoded.blob));
        self.complete(rows, &decoded, want, formatted, out);
        answer
    }

    /// Merges the decoder's rows with text of the host and formatters.
    fn complete(
        &self,
        rows: &[RowIn<'_>],
        decoded: &Rendered,
        want: Want,
        formatted: FormattedFrom<'_>,
        out: &mut Rendered,
    ) {
        // Decoded rows from `unchanged` on are copied in one piece, because nothing is added to them.
        let mut unchanged = 0;
        for (i, (row, end)) in rows.iter().zip(&decoded.rows).enumerate() {
            let said = formatted.of(i);
            if said.is_none() && !has_host_words(row) {
                continue;
            }
            copy_rows(decoded, unchanged..i, want, out);
            unchanged = i + 1;
            let (own, (said, given)) = (decoded.row(i), said.unzip());
            let given = given.unwrap_or_default();
            let kind_word =
                if want.contains(Want::TEXT) { self.put_text(row, (own, given), said, out) } else { RowEnd::NO_WORD };
            // A formatter's fields say more than raw elements, so they come first.
            add_fields_of(given, want, out);
            out.fields.extend_from_copy_slice(own.fields);
            if want.contains(Want::FIELDS) {
                add_fields(row, out);
            }
            let (text, fields) = (out.text.len() as u32, out.fields.len() as u32);
            out.rows.push(RowEnd { kind_word, text, fields, payload: end.payload });
        }
        copy_rows(decoded, unchanged..decoded.rows.len(), want, out);
    }

    /// Appends kind word and text of a row from decoder and formatter; returns the end of the kind word.
    fn put_text(
        &self,
        row: &RowIn<'_>,
        (decoded, given): (RenderedRow<'_>, RenderedRow<'_>),
        said: Option<&Formatted>,
        out: &mut Rendered,
    ) -> u32 {
        let mut kind_word = RowEnd::NO_WORD;
        if let Some(word) = given.kind_word.or(decoded.kind_word) {
            out.text.extend_from_copy_slice(word);
            kind_word = out.text.len() as u32;
        }
        let text = if given.text.is_empty() { decoded.text } else { given.text };
        if self.is_reference || !has_host_words(row) {
            out.text.extend_from_copy_slice(text);
        } else if row.row.kind.is_note() {
            self.words.push_text(row, text, &mut out.text);
        } else {
            out.text.extend_from_copy_slice(text);
            push_changes(changes(row), &mut out.text);
        }
        if let Some(Formatted::Failed(mark)) = said {
            out.text.extend_from_copy_slice(mark.as_bytes());
        }
        kind_word
    }
}

/// Whether the host adds words to a row: notes, and records that settle an earlier gap.
#[inline]
fn has_host_words(row: &RowIn<'_>) -> bool {
    let is_about_loss = |a: &Attachment| matches!(a.id, AttachmentId::SETTLED | AttachmentId::DROPPED);
    row.row.kind.is_note() || row.attachments.iter().any(is_about_loss)
}

fn copy_rows(decoded: &Rendered, rows: Range<usize>, want: Want, out: &mut Rendered) {
    let before = rows.start.checked_sub(1).and_then(|before| decoded.rows.get(before));
    let (text, fields) = before.map_or((0, 0), |end| (end.text, end.fields));
    let ends = decoded.rows.get(rows.clone()).unwrap_or_default();
    let Some(last) = ends.last() else { return };
    let (to_text, to_fields) = (out.text.len() as u32, out.fields.len() as u32);
    let texts = decoded.text.get(text as usize..last.text as usize);
    let all_fields = decoded.fields.get(fields as usize..last.fields as usize);
    if ends.len() > 1 && (texts.is_none() || all_fields.is_none()) {
        // A plugin may return any offsets: bad ones in a row must not spoil the others.
        return rows.for_each(|row| copy_rows(decoded, row..row + 1, want, out));
    }
    out.text.extend_from_copy_slice(texts.unwrap_or_default());
    out.fields.extend_from_copy_slice(all_fields.unwrap_or_default());
    let most = (out.text.len() as u32, out.fields.len() as u32);
    let has_words = want.contains(Want::TEXT);
    out.rows.extend(ends.iter().map(|end| {
        let moved = |at: u32, from: u32, to: u32, most: u32| at.saturating_sub(from).saturating_add(to).min(most);
        let has_word = has_words && end.kind_word != RowEnd::NO_WORD;
        RowEnd {
            kind_word: if has_word { moved(end.kind_word, text, to_text, most.0) } else { RowEnd::NO_WORD },
            text: moved(end.text, text, to_text, most.0),
            fields: moved(end.fields, fields, to_fields, most.1),
            payload: end.payload,
        }
    }));
}

/// Appends fields of a formatter. They are not elements, which only the target sends.
fn add_fields_of(given: RenderedRow<'_>, want: Want, out: &mut Rendered) {
    for field in given.fields.iter().filter(|_| want.contains(Want::FIELDS)) {
        let mut keep = |range: ByteRange| {
            let off = out.blob.len() as u32;
            out.blob.extend_from_copy_slice(range.of(given.blob));
            ByteRange { off, len: out.blob.len() as u32 - off }
        };
        let (name, text) = (keep(field.name), keep(field.text));
        out.fields.push(Field { name, text, flags: field.flags & !FieldFlags::ELEMENT, ..*field });
    }
}

fn add_fields(row: &RowIn<'_>, out: &mut Rendered) {
    if !has_host_words(row) {
        return;
    }
    let number = |num| Field { num, ..Field::default() };
    let mut out = TextWriter::new(out);
    if let Some(text) = row.attachment_bytes(AttachmentId::TEXT) {
        out.field_text("text", Field { tag: Tag::TEXT, ..Field::default() }, text);
    }
    let (more, fewer) = changes(row);
    for (name, count) in [("more_lost", more), ("never_missing", fewer)].iter().filter(|field| field.1 > 0) {
        out.field(name, number(*count));
    }
    if let Some((dropped, _)) = numbers(row, AttachmentId::DROPPED) {
        out.field("dropped", number(dropped));
    }
    if row.row.is_record() {
        return;
    }
    if let Some((gap, missing)) = numbers(row, AttachmentId::FILLS) {
        out.field("gap", number(gap));
        out.field("missing", number(missing));
    }
    if let Some((total, _)) = numbers(row, AttachmentId::TOTAL) {
        out.field("total", number(total));
    }
    // The text of a gap contains its span.
    if let Some((from, to)) = numbers(row, AttachmentId::SPAN).filter(|_| row.row.kind != RowKind::GAP) {
        out.field("from", number(from));
        out.field("to", number(to));
    }
}

/// Formatter results for application records among consecutive rows, in order. Records unknown to all formatters are
/// left out.
#[derive(Debug, Default)]
pub struct FormattedRows {
    /// Results by row, up to the last one.
    said: Vec<Option<Formatted>>,
    given: Rendered,
}

#[derive(Debug)]
enum Formatted {
    /// Kind word, text and fields are in this row of `given`. Empty parts stay as the decoder wrote them.
    Row(usize),
    /// The formatter failed; this mark follows the decoder's text.
    Failed(String),
}

/// Typical maximum text length in bytes.
const MOST_TEXT: usize = 64;

impl FormattedRows {
    /// Creates an empty list with capacity for the given number of records.
    pub fn of(records: usize) -> FormattedRows {
        let mut given = Rendered::default();
        given.rows.reserve(records);
        given.text.reserve(MOST_TEXT * records);
        FormattedRows { said: Vec::new(), given }
    }

    /// Adds the result of `ask` for the row `index`: `ask` appends a row to its output, or returns a mark if a
    /// formatter failed, or `None` if no formatter knows the record.
    pub fn add(&mut self, index: usize, ask: impl FnOnce(&mut Rendered) -> Option<Result<(), String>>) {
        let at = self.given.rows.len();
        let Some(said) = ask(&mut self.given) else { return };
        self.said.resize_with(index, || None);
        self.said.push(Some(said.map_or_else(Formatted::Failed, |()| Formatted::Row(at))));
    }

    /// The formatted row, if there is exactly one result.
    pub fn into_only(self) -> Option<Rendered> {
        matches!(self.said.as_slice(), [Some(Formatted::Row(_))]).then_some(self.given)
    }

    /// Results for rows from `first` on.
    pub fn from(&self, first: usize) -> FormattedFrom<'_> {
        FormattedFrom { said: self.said.get(first..).unwrap_or_default(), given: &self.given }
    }
}

/// A part of [`FormattedRows`], starting at a row.
#[derive(Clone, Copy, Debug)]
pub struct FormattedFrom<'f> {
    said: &'f [Option<Formatted>],
    given: &'f Rendered,
}

impl<'f> FormattedFrom<'f> {
    /// The result for a row.
    fn of(&self, row: usize) -> Option<(&'f Formatted, RenderedRow<'f>)> {
        let said = self.said.get(row)?.as_ref()?;
        let given = match said {
            Formatted::Row(at) => self.given.row(*at),
            Formatted::Failed(_) => RenderedRow::default(),
        };
        Some((said, given))
    }
}

/// Names for rows of a block, each with its index in the block.
#[derive(Debug)]
pub struct NamesOf<'n, I> {
    names: Dict<'n>,
    index: I,
}

impl<'n, I: Fn(u32) -> u32> NamesOf<'n, I> {
    /// The names that the block sees; `index` returns a row's index in it.
    pub fn new(names: Dict<'n>, index: I) -> Self {
        NamesOf { names, index }
    }
}

impl<I: Fn(u32) -> u32> Lookup for NamesOf<'_, I> {
    fn get(&self, row: u32, space: u16, key: u64, scope: u64) -> Option<&[u8]> {
        self.names.at((self.index)(row)).name(space, key, scope)
    }

    fn attr(&self, row: u32, space: u16, key: u64, scope: u64, attr: AttrId) -> Option<(u64, &[u8])> {
        self.names.at((self.index)(row)).attr(space, key, scope, attr)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FormattedRows;
    use spytui_plugin_api::{
        DecoderOptions, Output, Row, chunk::Source, decoder::Decoder, render::Lookup, table::decoder,
    };

    /// Renders each row as its name in the dictionary, which equals its bytes; fails on `!`.
    #[derive(Clone)]
    struct Named;

    impl Decoder for Named {
        fn info() -> Info {
            Info::default()
        }

        fn open(_: &DecoderOptions<'_>, _: &Source) -> Result<Named, Fault> {
            Ok(Named)
        }

        fn bytes(&mut self, _: u64, _: &[u8], _: &mut Output<'_>) {}

        fn render(_: &[u8], row: &RowIn<'_>, dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
            assert_ne!(row.raw.as_slice(), b"!");
            assert_eq!(dict.name(7, 0, 0), Some(row.raw.as_slice()));
            if want.contains(Want::TEXT) {
                out.put(row.raw.as_slice());
            }
            out.unsigned("len", row.raw.len() as u64, 0, 0);
        }
    }

    /// The name visible at each row.
    struct Names<'a>(&'a [&'a [u8]]);

    impl Lookup for Names<'_> {
        fn get(&self, row: u32, _: u16, _: u64, _: u64) -> Option<&[u8]> {
            self.0.get(row as usize).copied()
        }
    }

    fn given(text: &[u8], given: &mut Rendered) -> Option<Result<(), String>> {
        let mut out = TextWriter::new(given);
        out.put(text);
        out.unsigned("given", 1, 0, 0);
        out.end_row();
        out.finish();
        Some(Ok(()))
    }

    /// Texts and fields of rows: formatters provide text for one, only fields for another, and fail on a third.
    fn rendered(raws: &[&[u8]], want: Want) -> (Vec<String>, Vec<String>, Option<u32>) {
        let mut formatted = FormattedRows::default();
        formatted.add(0, |_| None);
        formatted.add(1, |out| given(b"given", out));
        formatted.add(2, |out| given(b"", out));
        formatted.add(4, |_| Some(Err(" (failed)".to_owned())));
        rendered_with(raws, want, &formatted)
    }

    /// Renders rows with these formatter results.
    fn rendered_with(raws: &[&[u8]], want: Want, formatted: &FormattedRows) -> (Vec<String>, Vec<String>, Option<u32>) {
        let row = Row::default();
        let rows: Vec<RowIn<'_>> = raws
            .iter()
            .map(|raw| RowIn { row: &row, raw: (*raw).into(), attachments: [][..].into(), blob: [][..].into() })
            .collect();
        let (mut out, renderer) = (Rendered::default(), Renderer::new(decoder::<Named>(), &Info::default(), false));
        let names = Names(raws);
        let answer = renderer.render(b"", &rows, &Dict::new(&names), want, formatted.from(0), &mut out);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let texts = (0..out.rows.len()).map(|at| text(out.row(at).text)).collect();
        let names =
            |at: usize| out.row(at).fields.iter().map(|field| text(field.name.of(&out.blob))).collect::<Vec<_>>();
        let fields = (0..out.rows.len()).map(|at| names(at).join(" ")).collect();
        (texts, fields, answer.err().map(|fault| fault.row))
    }

    #[test]
    fn the_decoder_renders_what_formatters_leave_out() {
        let raws: [&[u8]; 6] = [b"a", b"b", b"c", b"d", b"e", b"f"];
        let texts = ["a", "given", "c", "d", "e (failed)", "f"].map(str::to_owned).to_vec();
        assert_eq!(rendered(&raws, Want::TEXT).0, texts);
        let (also, fields, fault) = rendered(&raws, Want::all());
        assert_eq!((also, fault), (texts, None));
        assert_eq!(fields, ["len", "given len", "given len", "len", "len", "len"]);
    }

    #[test]
    fn every_row_of_a_long_block_has_its_name_and_its_text() {
        const MANY: usize = 1024;
        let raws: Vec<String> = (0..2 * MANY + 10).map(|number| number.to_string()).collect();
        let raws: Vec<&[u8]> = raws.iter().map(String::as_bytes).collect();
        let is_given = |at: usize| at % 10 == 3 || at == MANY - 1 || at == MANY;
        let mut formatted = FormattedRows::default();
        (0..raws.len()).filter(|at| is_given(*at)).for_each(|at| formatted.add(at, |out| given(b"given", out)));
        let (texts, _, fault) = rendered_with(&raws, Want::TEXT, &formatted);
        assert_eq!((texts.len(), fault), (raws.len(), None));
        for (at, text) in texts.iter().enumerate() {
            assert_eq!(text.as_bytes(), if is_given(at) { b"given" } else { raws[at] });
        }
        spytui_plugin_api::guard::install_hook();
        let (mut failing, at) = (raws.clone(), MANY + 5);
        failing[at] = b"!";
        let (texts, _, fault) = rendered_with(&failing, Want::TEXT, &formatted);
        assert_eq!((texts.len(), fault), (at, Some(at as u32)));
    }

    #[test]
    fn rows_before_one_that_fails_are_there() {
        spytui_plugin_api::guard::install_hook();
        for failing in 0..6 {
            let mut raws: [&[u8]; 6] = [b"a", b"b", b"c", b"d", b"e", b"f"];
            raws[failing] = b"!";
            let (texts, _, fault) = rendered(&raws, Want::all());
            assert_eq!((texts.len(), fault), (failing, Some(failing as u32)));
            let (texts, _, fault) = rendered(&raws, Want::TEXT);
            assert_eq!((texts.len(), fault), (failing, Some(failing as u32)));
        }
    }
}
