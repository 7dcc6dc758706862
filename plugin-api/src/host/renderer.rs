//! Renders rows: records by the decoder and by formatters, notes by the host.

use super::notes::{NoteWords, more_lost, numbers, push_more_lost};
use crate::{
    batch::{AttachmentId, ByteRange},
    guard::Fault,
    info::Info,
    render::{Dict, Field, FieldFlags, Rendered, RenderedRow, Request, RowEnd, RowIn, Tag, Want},
    row::{RowFlags, RowKind},
    table::DecoderRef,
    text::TextWriter,
};

/// Renders the rows of a decoder.
#[derive(Clone, Debug)]
pub struct Renderer {
    decoder: DecoderRef,
    words: NoteWords,
    /// Reference style: the decoder renders all text.
    is_reference: bool,
}

/// What a formatter says of an application record.
#[derive(Debug)]
pub enum Formatted {
    /// Word, text and fields, in the only row. What is empty stays as the decoder has it.
    Row(Box<Rendered>),
    /// It failed: this stands behind the decoder's text.
    Failed(String),
}

/// Asks formatters about an application record; `None` if none of them knows it.
pub type Format<'f> = &'f dyn Fn(&RowIn<'_>) -> Option<Formatted>;

impl Renderer {
    /// A renderer for a decoder opened with or without option `reference`.
    #[must_use]
    pub fn new(decoder: DecoderRef, info: &Info, is_reference: bool) -> Renderer {
        Renderer { decoder, words: NoteWords::new(info), is_reference }
    }

    /// Whether it renders in the style of a reference host.
    #[must_use]
    pub fn is_reference(&self) -> bool {
        self.is_reference
    }

    /// Renders rows that share one configuration, like [`DecoderRef::render`], with the host's text for notes and what
    /// formatters say of application records.
    ///
    /// # Errors
    /// The plugin's fault; `out` contains the rows before [`Fault::row`].
    pub fn render<'a>(
        &self,
        cfg: &[u8],
        rows: &[RowIn<'_>],
        names: &Dict<'_>,
        request: impl Into<Request<'a>>,
        format: Option<Format<'_>>,
        out: &mut Rendered,
    ) -> Result<(), Fault> {
        let (first, request) = (out.rows.len(), request.into());
        let answer = self.decoder.render(cfg, rows, names, request, out);
        let has_words = request.want.contains(Want::TEXT) && !self.is_reference;
        if has_words || request.want.contains(Want::FIELDS) || format.is_some() {
            let is_formatted = |row: &RowIn<'_>| format.is_some() && row.row.has(RowFlags::APPLICATION);
            if let Some(changed) = rows.iter().position(|row| has_host_words(row) || is_formatted(row)) {
                let rows = rows.get(changed..).unwrap_or_default();
                self.complete(rows, first + changed, request.want, format, out);
            }
        }
        answer
    }

    /// Puts the host's and the formatters' part into the rows from `first` on.
    fn complete(&self, rows: &[RowIn<'_>], first: usize, want: Want, format: Option<Format<'_>>, out: &mut Rendered) {
        let decoded = out.split_off(first);
        let mut words = Vec::new();
        for (i, (row, end)) in rows.iter().zip(&decoded.rows).enumerate() {
            let format = format.filter(|_| row.row.has(RowFlags::APPLICATION));
            let formatted = format.and_then(|format| format(row));
            let decoded = decoded.row(i);
            let given = match &formatted {
                Some(Formatted::Row(given)) => given.row(0),
                _ => RenderedRow::default(),
            };
            let mut kind_word = RowEnd::NO_WORD;
            if want.contains(Want::TEXT) {
                if let Some(word) = given.kind_word.or(decoded.kind_word) {
                    out.text.extend_from_copy_slice(word);
                    kind_word = out.text.len() as u32;
                }
                let text = if given.text.is_empty() { decoded.text } else { given.text };
                if self.is_reference || !has_host_words(row) {
                    out.text.extend_from_copy_slice(text);
                } else {
                    words.clear();
                    self.push_text(row, text, &mut words);
                    out.text.extend_from_copy_slice(&words);
                }
                if let Some(Formatted::Failed(mark)) = &formatted {
                    out.text.extend_from_copy_slice(mark.as_bytes());
                }
            }
            // What a formatter gives says more than the elements, so it stands before them.
            add_fields_of(given, want, out);
            out.fields.extend_from_copy_slice(decoded.fields);
            if want.contains(Want::FIELDS) {
                add_fields(row, out);
            }
            let (text, fields) = (out.text.len() as u32, out.fields.len() as u32);
            out.rows.push(RowEnd { kind_word, text, fields, payload: end.payload });
        }
    }

    /// Adds the text of a row with the words of the host; `rendered` = the part of decoder and formatters.
    fn push_text(&self, row: &RowIn<'_>, rendered: &[u8], out: &mut Vec<u8>) {
        if row.row.kind.is_note() {
            return self.words.push_text(row, rendered, out);
        }
        out.extend_from_slice(rendered);
        if let Some(more) = more_lost(row) {
            push_more_lost(more, out);
        }
    }
}

/// Whether the host has words for a row: notes, and records that say how many were lost in an earlier gap.
#[inline]
fn has_host_words(row: &RowIn<'_>) -> bool {
    let is_about_loss = || more_lost(row).is_some() || row.attachment(AttachmentId::DROPPED).is_some();
    row.row.kind.is_note() || !row.attachments.is_empty() && is_about_loss()
}

/// Adds fields of a formatter. They are no elements: these are what the target sent.
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

/// Adds the attachments of a row as fields.
fn add_fields(row: &RowIn<'_>, out: &mut Rendered) {
    if !has_host_words(row) {
        return;
    }
    let number = |num| Field { num, ..Field::default() };
    let mut out = TextWriter::new(out);
    if let Some(text) = row.attachment_bytes(AttachmentId::TEXT) {
        out.field_text("text", Field { tag: Tag::TEXT, ..Field::default() }, text);
    }
    if let Some(more) = more_lost(row) {
        out.field("more_lost", number(more));
    }
    if let Some((dropped, _)) = numbers(row, AttachmentId::DROPPED) {
        out.field("dropped", number(dropped));
    }
    if row.row.is_record() {
        return;
    }
    if let Some((total, _)) = numbers(row, AttachmentId::TOTAL) {
        out.field("total", number(total));
    }
    // The span of a gap is in its text.
    if let Some((from, to)) = numbers(row, AttachmentId::SPAN).filter(|_| row.row.kind != RowKind::GAP) {
        out.field("from", number(from));
        out.field("to", number(to));
    }
}
