//! Renders rows: records by the decoder, notes by the host.

use super::notes::{NoteWords, more_lost, numbers, push_more_lost};
use crate::{
    batch::AttachmentId,
    guard::Fault,
    info::Info,
    render::{DictView, Field, Rendered, Request, RowEnd, RowIn, Want, tag},
    row::RowKind,
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

    /// Renders rows that share one configuration, like [`DecoderRef::render`], with the host's text for notes.
    ///
    /// # Errors
    /// The plugin's fault; `out` contains the rows before [`Fault::row`].
    pub fn render<'a>(
        &self,
        cfg: &[u8],
        rows: &[RowIn<'_>],
        names: &DictView<'_>,
        request: impl Into<Request<'a>>,
        out: &mut Rendered,
    ) -> Result<(), Fault> {
        let (first, request) = (out.rows.len(), request.into());
        let want = request.want;
        let answer = self.decoder.render(cfg, rows, names, request, out);
        let words = want.contains(Want::TEXT) && !self.is_reference;
        if (words || want.contains(Want::FIELDS))
            && let Some(note) = rows.iter().position(has_host_words)
        {
            match rows {
                [row] if answer.is_ok() => self.add_to_note(row, want, out),
                _ => self.add_to_notes(rows.get(note..).unwrap_or_default(), first + note, want, out),
            }
        }
        answer
    }

    /// Adds the text of a row with words of the host; `rendered` = the decoder's part.
    fn push_text(&self, row: &RowIn<'_>, rendered: &[u8], out: &mut Vec<u8>) {
        if !row.row.is_record() {
            return self.words.push_text(row, rendered, out);
        }
        out.extend_from_slice(rendered);
        if let Some(more) = more_lost(row) {
            push_more_lost(more, out);
        }
    }

    /// Adds text and fields of a note, which is the last row in `out`.
    fn add_to_note(&self, row: &RowIn<'_>, want: Want, out: &mut Rendered) {
        let Some(index) = out.rows.len().checked_sub(1) else { return };
        if want.contains(Want::TEXT) && !self.is_reference {
            let detail = out.row(index).text;
            let (begin, mut text) = (out.text.len().saturating_sub(detail.len()), Vec::new());
            self.push_text(row, detail, &mut text);
            out.text.truncate(begin);
            out.text.extend_from_copy_slice(&text);
        }
        if want.contains(Want::FIELDS) {
            add_fields(row, out);
        }
        let (text, fields) = (out.text.len() as u32, out.fields.len() as u32);
        if let Some(end) = out.rows.get_mut(index) {
            (end.text, end.fields) = (text, fields);
        }
    }

    /// Adds text and fields of the notes among these rows. `first` = index of the first row in `out`.
    fn add_to_notes(&self, rows: &[RowIn<'_>], first: usize, want: Want, out: &mut Rendered) {
        // `out` keeps its memory for the next rows.
        let answer = Rendered {
            text: out.text.clone(),
            fields: out.fields.clone(),
            rows: out.rows.clone(),
            ..Rendered::default()
        };
        let begin = first.checked_sub(1).and_then(|before| answer.rows.get(before));
        let (text, fields) = begin.map_or((0, 0), |begin| (begin.text as usize, begin.fields as usize));
        out.text.truncate(text);
        out.fields.truncate(fields);
        out.rows.truncate(first);
        let mut words = Vec::new();
        for (row, (i, end)) in rows.iter().zip((first..).zip(answer.rows.iter().skip(first))) {
            let rendered = answer.row(i);
            let kind_word = rendered.kind_word.map_or(RowEnd::NO_WORD, |word| {
                out.text.extend_from_copy_slice(word);
                out.text.len() as u32
            });
            if has_host_words(row) && want.contains(Want::TEXT) && !self.is_reference {
                words.clear();
                self.push_text(row, rendered.text, &mut words);
                out.text.extend_from_copy_slice(&words);
            } else {
                out.text.extend_from_copy_slice(rendered.text);
            }
            out.fields.extend_from_copy_slice(rendered.fields);
            if has_host_words(row) && want.contains(Want::FIELDS) {
                add_fields(row, out);
            }
            let (text, fields) = (out.text.len() as u32, out.fields.len() as u32);
            out.rows.push(RowEnd { kind_word, text, fields, payload: end.payload });
        }
    }
}

/// Whether the host has words for a row: notes, and records that tell of an earlier gap.
fn has_host_words(row: &RowIn<'_>) -> bool {
    row.row.kind.is_note() || more_lost(row).is_some() || row.attachment(AttachmentId::DROPPED).is_some()
}

/// Adds the attachments of a row as fields.
fn add_fields(row: &RowIn<'_>, out: &mut Rendered) {
    let number = |num| Field { num, ..Field::default() };
    let mut out = TextWriter::new(out);
    if let Some(text) = row.attachment_bytes(AttachmentId::TEXT) {
        out.field_text("text", Field { tag: tag::TEXT, ..Field::default() }, text);
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
