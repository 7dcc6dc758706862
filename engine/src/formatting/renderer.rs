//! Renders rows, then asks the formatters of the decoder about application records.

use std::{slice, sync::Arc};

use spytui_formats::{Data, Endian};
use spytui_plugin_api::{
    AppRecord, ByteRange, DictView, Fault, Field, Rendered, Request, RowIn, Want, host,
    render::{RowEnd, field_flag},
    row::RowFlags,
};

use super::{
    in_force::{Formatters, Formatting},
    record::Record,
};
use crate::present::failure::formatter_failed;

/// Renders the rows of a decoder.
#[derive(Debug, Clone)]
pub struct Renderer {
    plain: host::Renderer,
    /// Reference text is never formatted.
    formatting: Option<Arc<Formatting>>,
}

/// What holds for all rows that a renderer renders.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RowTraits {
    /// Records have the fields that their kinds declare: not in the style of a reference host.
    pub is_native: bool,
    /// Formatters may give application records words and text.
    pub is_formatted: bool,
}

/// What came of asking the formatters about a record.
enum Answer {
    /// Word, text and fields in the only row.
    Formatted(Box<Rendered>),
    /// The formatter of this name failed.
    Failed(String),
}

impl Renderer {
    /// A renderer that asks these formatters.
    #[must_use]
    pub fn new(plain: host::Renderer, formatting: Option<Arc<Formatting>>) -> Renderer {
        Renderer { plain, formatting }
    }

    /// What holds for all rows that it renders.
    #[must_use]
    pub fn traits(&self) -> RowTraits {
        let is_formatted = self.formatting.as_ref().is_some_and(|formatting| formatting.get().is_some());
        RowTraits { is_native: !self.plain.is_reference(), is_formatted }
    }

    /// Renders rows that share one configuration and names.
    ///
    /// # Errors
    /// The decoder's fault; `out` contains the rows before [`Fault::row`].
    pub fn render(
        &self,
        cfg: &[u8],
        rows: &[RowIn<'_>],
        names: &DictView<'_>,
        request: Request<'_>,
        out: &mut Rendered,
    ) -> Result<(), Fault> {
        let (first, want) = (out.rows.len(), request.want);
        let answer = self.plain.render(cfg, rows, names, request, out);
        if want.intersects(Want::TEXT | Want::FIELDS)
            && let Some(formatting) = &self.formatting
            && let Some(formatters) = formatting.get()
        {
            let done = rows.get(..out.rows.len() - first).unwrap_or(rows);
            let is_application = |row: &RowIn<'_>| row.row.has(RowFlags::APPLICATION);
            let ask = |row| is_application(row).then(|| self.ask(&formatters, formatting, cfg, row, names)).flatten();
            if done.iter().any(is_application) {
                let answers: Vec<Option<Answer>> = done.iter().map(ask).collect();
                replace(first, &answers, want, out);
            }
        }
        answer
    }

    /// Word, text and fields that formatters give an application record, in the only row; `None` if none of them knows it.
    #[must_use]
    pub fn given(&self, cfg: &[u8], row: &RowIn<'_>, names: &DictView<'_>) -> Option<Box<Rendered>> {
        let formatting = self.formatting.as_ref()?;
        match self.ask(&*formatting.get()?, formatting, cfg, row, names)? {
            Answer::Formatted(given) => Some(given),
            Answer::Failed(_) => None,
        }
    }

    /// Asks the formatters in order; `None` if none of them knows the row.
    fn ask(
        &self,
        formatters: &Formatters,
        formatting: &Formatting,
        cfg: &[u8],
        row: &RowIn<'_>,
        names: &DictView<'_>,
    ) -> Option<Answer> {
        let mut decoded = Rendered::default();
        let want = Want::FIELDS | Want::PAYLOAD;
        self.plain.render(cfg, slice::from_ref(row), names, want, &mut decoded).ok()?;
        let record = Record { row: row.row, rendered: decoded.row(0), names, info: &formatters.info };
        let called = record.called(formatters);
        let payload = record.payload();
        let mut out = Rendered::default();
        let app = AppRecord {
            row: row.row,
            id: called.ids.first().map_or(&b""[..], |id| id.as_bytes()).into(),
            name: called.names.first().map_or(&b""[..], Vec::as_slice).into(),
            payload: payload.as_slice().into(),
            fields: record.rendered.fields.into(),
            blob: record.rendered.blob.into(),
        };
        for plugin in &formatters.plugins {
            match plugin.table.format(&app, names, &mut out) {
                Ok(true) => return Some(Answer::Formatted(Box::new(out))),
                Ok(false) => {}
                Err(fault) => {
                    formatting.failed(&plugin.info.id, &fault);
                    return Some(Answer::Failed(plugin.info.id.to_string()));
                }
            }
        }
        let by_id = called.ids.iter().find_map(|id| formatters.line(id));
        let by_name = || called.names.iter().find_map(|name| formatters.line(&String::from_utf8_lossy(name)));
        let endian = if row.row.has(RowFlags::BIG_ENDIAN) { Endian::Big } else { Endian::Little };
        let mut text = Vec::new();
        let (template, total) = by_id.or_else(by_name)?;
        template.render(&Data { endian, ..Data::new(&payload) }, &record, &mut text);
        if let Some(element) = total.filter(|element| !record.has_total(*element)) {
            let why = format!("drops({element}): that is no unsigned integer of 4 or 8 bytes");
            text.extend_from_slice(format!(" [{why}]").as_bytes());
            let name = called.names.first().map(|name| String::from_utf8_lossy(name));
            let name = name.as_deref().or(called.ids.first().map(String::as_str)).unwrap_or_default();
            formatting.wrong_lines(vec![format!("record {} {name}: {why} in a record", formatters.info.id)]);
        }
        out.push_text_row(&text);
        Some(Answer::Formatted(Box::new(out)))
    }
}

/// Replaces what formatters gave of the rows from `first` on.
fn replace(first: usize, answers: &[Option<Answer>], want: Want, out: &mut Rendered) {
    if answers.iter().all(Option::is_none) {
        return;
    }
    let mut decoded = std::mem::take(out);
    out.blob = std::mem::take(&mut decoded.blob);
    out.payload = std::mem::take(&mut decoded.payload);
    for index in 0..decoded.rows.len() {
        let row = decoded.row(index);
        let answer = index.checked_sub(first).and_then(|index| answers.get(index)?.as_ref());
        let formatted = match answer {
            Some(Answer::Formatted(formatted)) => formatted.row(0),
            _ => Default::default(),
        };
        let word = formatted.kind_word.or(row.kind_word).filter(|_| want.contains(Want::TEXT));
        let kind_word = word.map_or(RowEnd::NO_WORD, |word| {
            out.text.extend_from_copy_slice(word);
            out.text.len() as u32
        });
        if want.contains(Want::TEXT) {
            let is_given = !formatted.text.is_empty();
            out.text.extend_from_copy_slice(if is_given { formatted.text } else { row.text });
            if let Some(Answer::Failed(id)) = answer {
                out.text.extend_from_copy_slice(formatter_failed(id).as_bytes());
            }
        }
        // What a formatter gives tells more than the elements, so it stands before them.
        if want.contains(Want::FIELDS) {
            add_fields(formatted.fields, formatted.blob, out);
        }
        out.fields.extend_from_copy_slice(row.fields);
        let payload = decoded.rows.get(index).map_or(0, |end| end.payload);
        let (text, fields) = (out.text.len() as u32, out.fields.len() as u32);
        out.rows.push(RowEnd { kind_word, text, fields, payload });
    }
}

/// Adds fields of a formatter. They are no elements: these are what the target sent.
fn add_fields(fields: &[Field], blob: &[u8], out: &mut Rendered) {
    for field in fields {
        let mut keep = |range: ByteRange| {
            let off = out.blob.len() as u32;
            out.blob.extend_from_copy_slice(range.of(blob));
            ByteRange { off, len: out.blob.len() as u32 - off }
        };
        let (name, text) = (keep(field.name), keep(field.text));
        out.fields.push(Field { name, text, flags: field.flags & !field_flag::ELEMENT, ..*field });
    }
}
