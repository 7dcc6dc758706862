//! Text and fields of an application record with a layout. Numbers, words and units are written by the same code as those
//! of an author's own formatter.

use spytui_formats::{Data, Endian, FieldRef, Fields, Template, layout::FieldType};
use spytui_plugin_api::{Rendered, TextWriter, Want, simple::show_record};

use super::{
    record::Record,
    typed::{Typed, with_name, without_zeros},
};
use crate::present::failure::does_not_fit;

impl Typed<'_> {
    /// Adds the row with text and fields, those that are wanted; `false` if the record is shorter than its fields.
    pub(super) fn put_row(
        self,
        template: &Template,
        record: &Record<'_, '_>,
        wanted: Want,
        out: &mut Rendered,
    ) -> bool {
        let mut writer = TextWriter::new(out);
        let want = if self.layout.has_text { wanted & Want::FIELDS } else { wanted };
        let left = show_record((self.bytes, self.is_big_endian), &record.names, want, &mut writer, |reading| {
            self.read(reading)
        });
        if self.layout.has_text {
            let mut text = Vec::new();
            let endian = if self.is_big_endian { Endian::Big } else { Endian::Little };
            template.render(&Data { endian, ..Data::new(self.bytes) }, &Shown { typed: self, record }, &mut text);
            writer.put(&text);
        } else if let Some(left @ 1..) = left {
            writer.put(format!(" [+{left}]").as_bytes());
        }
        if left.is_none() {
            writer.put(does_not_fit(self.bytes.len()).as_bytes());
        }
        writer.end_row();
        writer.finish();
        left.is_some()
    }
}

/// The fields that a template shows: those of the layout, then those of the decoder.
struct Shown<'a, 'r, 'n> {
    typed: Typed<'a>,
    record: &'r Record<'r, 'n>,
}

impl Fields for Shown<'_, '_, '_> {
    fn put(&self, wanted: &FieldRef, out: &mut Vec<u8>) -> bool {
        let own = match wanted {
            FieldRef::Name(name) => self.typed.layout.position(name),
            FieldRef::Index(_) => None,
        };
        let Some(index) = own else { return self.record.put(wanted, out) };
        let Some((field, piece)) = self.typed.pieces().nth(index) else { return false };
        match (self.typed.number(field, piece), field.ty) {
            (Some(value), _) => with_name(field, value, |name| name.put(value, out)),
            (None, FieldType::Text(_)) => out.extend_from_slice(without_zeros(piece)),
            (None, _) => {
                let hex: Vec<String> = piece.iter().map(|byte| format!("{byte:02x}")).collect();
                out.extend_from_slice(hex.join(" ").as_bytes());
            }
        }
        true
    }
}
