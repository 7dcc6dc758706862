//! Details of notes that only the decoder knows; they follow the host's words.

use spytui_plugin_api::{TextWriter, console, row::RowKind};

use super::{Context, cause, number};
use crate::{frame::END, layout::private_flag, record::Cause};

/// Writes the detail of a note.
pub(crate) fn detail(ctx: &Context<'_, '_>, line: &mut TextWriter<'_>) {
    if ctx.row.row.kind == RowKind::CONSOLE {
        let text = ctx.row.raw.as_slice();
        line.put(&console::shown(text.strip_suffix(&[END]).unwrap_or(text)));
    }
    if ctx.row.row.kind != RowKind::BAD_FRAME {
        return;
    }
    if ctx.row.row.has(private_flag::FIRST) {
        line.put(b"or the stream begins in the middle of one: ");
    }
    why(ctx, cause::cause, line);
}

pub(crate) fn empty_frames_text(frames: u64) -> Vec<u8> {
    TextWriter::text_of(|line| {
        number::grouped(line, frames);
        line.put(if frames == 1 { b" empty frame" } else { b" empty frames" });
    })
}

/// Frame ends in a row that this row stands for.
pub(super) fn empty_frames(ctx: &Context<'_, '_>) -> u64 {
    let only_ends = ctx.row.raw.as_slice().first() == Some(&END);
    if only_ends { ctx.row.row.len.into() } else { 0 }
}

/// Why a row's frame holds no event, in some words.
pub(super) fn why(ctx: &Context<'_, '_>, words: fn(&Cause, &mut TextWriter<'_>), line: &mut TextWriter<'_>) {
    if let Err(cause) = ctx.read(&mut Vec::new()) {
        words(&cause, line);
    }
}
