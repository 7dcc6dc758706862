//! What a companion on the target says: answers, and how much was dropped.

use spytui_plugin_api::{AttachmentId, Output, info::AnswerStage};

/// Marks the next row as an answer: the id of a command and its result. Whether a command with that id waits only the
/// host knows.
#[cold]
pub(super) fn answer([id, result]: [u32; 2], out: &mut Output<'_>) {
    out.attachment(AttachmentId::ANSWER, id.into(), AnswerStage::ACCEPTED.0.into());
    out.attachment(AttachmentId::ANSWER_DATA, 0, result.into());
}

/// What was dropped between two totals. One that falls is that of a companion that was started again.
pub(super) fn new_drops(before: u32, total: u32) -> u32 {
    if total < before { total } else { total - before }
}

/// The text of the note of it.
pub(super) fn drop_text(new: u32, unit: &str, total: u32) -> String {
    let s = if new == 1 { "" } else { "s" };
    format!("{new} {unit}{s} dropped by the target, {total} in all")
}
