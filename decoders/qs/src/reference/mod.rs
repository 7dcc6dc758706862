//! Reproduces the reference host byte for byte: its framing and receiver (`receiver`), its dictionaries (`names`) and
//! its output: `text` and `application` for records, `colour` for its lines in colour, and its files: `matlab`, `sequence`,
//! `dictionary`. `decoder` and `front_end` import it.

mod application;
mod colour;
mod dictionary;
mod matlab;
mod names;
mod receiver;
mod sequence;
mod text;

pub(crate) use names::HostNames;
pub(crate) use receiver::Reference;

use spytui_plugin_api::{RowKind, TextWriter, batch::AttachmentId};

use crate::{config::ReferenceForm, layout::private_attachment, record::BlockPlans, text::Context};

/// The row at the end of the stream whose text is a dictionary file.
pub(crate) const DICTIONARY: RowKind = RowKind(0xFF41);

/// Writes any row in the form of the configuration.
pub(crate) fn row(ctx: &Context<'_, '_>, plans: &mut BlockPlans, frame: &[u8], out: &mut TextWriter<'_>) {
    let said = ctx.row.attachment_bytes(AttachmentId::TEXT).unwrap_or(&[]);
    match ctx.config.form {
        ReferenceForm::Text => lines(ctx, plans, frame, out),
        ReferenceForm::Dark | ReferenceForm::Light => {
            let text = TextWriter::text_of(|text| {
                text.limit_lines(ctx.config.style.line_limit());
                lines(ctx, plans, frame, text);
            });
            colour::lines(ctx, frame, &text, out);
        }
        ReferenceForm::Matlab => matlab::record(ctx, frame, out),
        ReferenceForm::Sequence => {
            out.put(said);
            sequence::record(ctx, frame, out);
        }
        ReferenceForm::Dictionary => out.put(said),
    }
}

/// Writes the host's lines for any row.
fn lines(ctx: &Context<'_, '_>, plans: &mut BlockPlans, frame: &[u8], line: &mut TextWriter<'_>) {
    if !ctx.row.row.is_record() {
        return text::note(ctx, line);
    }
    let stale = ctx.row.attachment_bytes(private_attachment::STALE).unwrap_or(&[]);
    text::record(ctx, plans, frame, stale, line);
    if let Some(said) = ctx.row.attachment_bytes(AttachmentId::TEXT) {
        line.put(said);
    }
}
