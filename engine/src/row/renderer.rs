//! Renders rows: the decoder, its formatters and the host, each its part.

use std::{slice, sync::Arc};

use spytui_formats::{Data, Endian};
use spytui_plugin_api::{
    AppRecord, AttachmentId, Dict, Rendered, Request, RowIn, Want,
    host::{self as host, Format, Formatted},
    row::RowFlags,
};

use super::{
    in_force::{Formatters, Formatting, OpenedFormatter},
    record::Record,
};
use crate::present::failure::{formatter_failed, not_rendered};

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

    /// Renders rows that share one configuration: everything asked for, in one call. A row of the host has the text that
    /// was made with it. A row that makes the decoder fail shows the fault; the others are rendered.
    pub fn render<'a>(
        &self,
        cfg: &[u8],
        rows: &[RowIn<'_>],
        names: &Dict<'_>,
        request: impl Into<Request<'a>>,
        out: &mut Rendered,
    ) {
        let request = request.into();
        let formatting = self.formatting.as_deref().and_then(|formatting| Some((formatting, formatting.get()?)));
        let ask = formatting
            .as_ref()
            .map(|(formatting, formatters)| move |row: &RowIn<'_>| self.ask(formatters, formatting, cfg, row, names));
        let format = ask.as_ref().map(|ask| ask as Format<'_>);
        out.clear();
        out.rows.reserve(rows.len());
        while let Some(rest) = rows.get(out.rows.len()..)
            && let Some(first) = rest.first()
        {
            if first.row.kind.is_of_host() {
                out.push_text_row(first.attachment_bytes(AttachmentId::TEXT).unwrap_or_default());
            } else if let Err(fault) = self.plain.render(cfg, rest, names, request, format, out) {
                out.push_text_row(not_rendered(&fault.to_string()).as_bytes());
            } else {
                return;
            }
        }
    }

    /// Word, text and fields that formatters give an application record, in the only row; `None` if none of them knows it.
    #[must_use]
    pub fn given(&self, cfg: &[u8], row: &RowIn<'_>, names: &Dict<'_>) -> Option<Box<Rendered>> {
        let formatting = self.formatting.as_ref()?;
        match self.ask(&*formatting.get()?, formatting, cfg, row, names)? {
            Formatted::Row(given) => Some(given),
            Formatted::Failed(_) => None,
        }
    }

    /// Asks the formatters in order; `None` if none of them knows the row.
    fn ask(
        &self,
        formatters: &Formatters,
        formatting: &Formatting,
        cfg: &[u8],
        row: &RowIn<'_>,
        names: &Dict<'_>,
    ) -> Option<Formatted> {
        let mut decoded = Rendered::default();
        let want = Want::FIELDS | Want::PAYLOAD;
        self.plain.render(cfg, slice::from_ref(row), names, want, None, &mut decoded).ok()?;
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
        for OpenedFormatter { plugin, opened } in &formatters.plugins {
            let Some(opened) = opened else { continue };
            match opened.format(&app, names, &mut out) {
                Ok(true) => return Some(Formatted::Row(Box::new(out))),
                Ok(false) => {}
                Err(fault) => {
                    formatting.failed(&plugin.info.id, &fault);
                    return Some(Formatted::Failed(formatter_failed(&plugin.info.id)));
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
        Some(Formatted::Row(Box::new(out)))
    }
}
