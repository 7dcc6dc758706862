//! Marks records that answer frames of the receive channel (fact: `PROTOCOL.md` §8).

use spytui_plugin_api::{AttachmentId, Output, info::AnswerStage};

use crate::{command::rx, layout::id};

/// Statuses from here on are errors; the lower bits say the frame that failed, or what is wrong with it.
const ERROR: u8 = 0x80;
/// The frame has a sequence number that was not expected; it is executed nevertheless.
const OUT_OF_SEQUENCE: u8 = ERROR | 0x42;

/// Marks a record that may be an answer, before its row.
pub(super) fn record(id: u8, frame: &[u8], out: &mut Output<'_>) {
    let (Some(&last), stage) = (frame.iter().rev().nth(1), AnswerStage::DATA) else { return };
    match id {
        id::STATUS => status(last, out),
        id::DONE => answer(last, AnswerStage::DONE, out),
        id::QUERY => answer(rx::QUERY, stage, out),
        id::PEEK => answer(rx::PEEK, stage, out),
        _ => {}
    }
}

/// Marks a target info: the answer to a reset, or to the question for it.
pub(super) fn target_info(is_reset: bool, out: &mut Output<'_>) {
    answer(if is_reset { rx::RESET } else { rx::INFO }, AnswerStage::DATA, out);
}

fn answer(id: u8, stage: AnswerStage, out: &mut Output<'_>) {
    out.attachment(AttachmentId::ANSWER, id.into(), stage.0.into());
}

fn status(status: u8, out: &mut Output<'_>) {
    let of_frame = status & !ERROR;
    match status {
        ..ERROR => answer(status, AnswerStage::ACCEPTED, out),
        _ if of_frame <= rx::EVENT => answer(of_frame, AnswerStage::REFUSED, out),
        _ => {
            let stage = if status == OUT_OF_SEQUENCE { AnswerStage::PROGRESS } else { AnswerStage::REFUSED };
            out.attachment(AttachmentId::ANSWER_TO_ANY, 0, stage.0.into());
        }
    }
    out.attachment(AttachmentId::ANSWER_DATA, 0, status.into());
}
