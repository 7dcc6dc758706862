//! Answers: their marks in rows, their text.

use spytui_decoder_kit::number;
use spytui_plugin_api::{AttachmentId, Output, TextWriter, info::AnswerStage};

use crate::op::{OPS, state, status};

/// An answer of a companion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack {
    /// Command that it answers.
    pub op: u8,
    /// Number of its frame.
    pub seq: u8,
    pub status: u8,
    /// A state, or how many states follow.
    pub value: u32,
}

/// Token of a frame.
pub(crate) fn token(op: u8, seq: u8) -> u64 {
    u64::from(op) << 8 | u64::from(seq)
}

impl Ack {
    /// The name that targets give to the record with their answers.
    pub const NAME: &'static [u8] = b"STY_ACK";

    /// Marks the next row as an answer.
    pub fn mark(&self, out: &mut Output<'_>) {
        let stage = match self.status {
            status::DONE => AnswerStage::ACCEPTED,
            other if status::state(other).is_some() => AnswerStage::PROGRESS,
            _ => AnswerStage::REFUSED,
        };
        out.attachment(AttachmentId::ANSWER, token(self.op, self.seq), stage.0.into());
        out.attachment(AttachmentId::ANSWER_DATA, self.status.into(), self.value.into());
    }

    /// Writes it in words: of the commands, and of the protocol's own states from number 3 on.
    pub fn text(&self, ops: &[&str; OPS], states: &[&str], line: &mut TextWriter<'_>) {
        match ops.get(usize::from(self.op)) {
            Some(word) => line.put(word.as_bytes()),
            None => numbered("command ", self.op.into(), line),
        }
        numbered(" seq ", self.seq.into(), line);
        line.put(b": ");
        match status::state(self.status) {
            Some(n) => put_state(n, self.value.into(), states, line),
            None if self.status != status::DONE => line.put(status::reason(self.status).as_bytes()),
            None if self.value == 0 => line.put(b"done"),
            None if self.value == 1 => line.put(b"1 state follows"),
            None => {
                number::decimal(line, self.value.into());
                line.put(b" states follow");
            }
        }
    }
}

fn numbered(word: &str, number: u64, line: &mut TextWriter<'_>) {
    line.put(word.as_bytes());
    number::decimal(line, number);
}

fn put_state(n: u8, value: u64, states: &[&str], line: &mut TextWriter<'_>) {
    match (n, usize::from(n).checked_sub(3).and_then(|own| states.get(own))) {
        (state::VERSION, _) => numbered("version ", value, line),
        (state::DROPPED, _) => numbered("dropped ", value, line),
        (state::PEAK, _) => numbered("ring peak ", value, line),
        (_, Some(word)) => {
            line.put(word.as_bytes());
            line.put(b" 0x");
            number::hex(line, value, 1);
        }
        (_, None) => {
            numbered("state ", n.into(), line);
            numbered(" = ", value, line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_said_in_words() {
        let text = |op, status, value| {
            let words = ["ping", "group", "event", "object", "signal", "all", "dict", "reset", "user", "info"];
            let ack = Ack { op, seq: 3, status, value };
            String::from_utf8(TextWriter::text_of(|line| ack.text(&words, &["groups"], line))).unwrap_or_default()
        };
        assert_eq!(text(1, 0, 0), "group seq 3: done");
        assert_eq!(text(9, 0, 9), "info seq 3: 9 states follow");
        assert_eq!(text(0, 0, 1), "ping seq 3: 1 state follows");
        assert_eq!(text(9, 128, 1), "info seq 3: version 1");
        assert_eq!(text(9, 131, 0xFB), "info seq 3: groups 0xFB");
        assert_eq!(text(9, 150, 7), "info seq 3: state 22 = 7");
        assert_eq!(text(1, 4, 0), "group seq 3: no such id");
        assert_eq!(text(30, 2, 0), "command 30 seq 3: unknown command");
        assert_eq!(text(0, 255, 0), "ping seq 3: other version of the companion");
    }
}
