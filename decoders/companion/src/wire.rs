//! Numbers of commands and states, command frames, marks and text of answers.

use spytui_decoder_kit::number;
use spytui_hdlc::{FLAG, stuff};
use spytui_plugin_api::{AttachmentId, Output, TextWriter, info::AnswerStage};
use spytui_plugin_layer::Check;

/// Number of a command on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Op(pub u8);

impl Op {
    /// Asks for the version.
    pub const PING: Op = Op(0);
    /// Switches a group of records.
    pub const GROUP: Op = Op(1);
    /// Switches one kind of record.
    pub const EVENT: Op = Op(2);
    /// Switches the records about an object.
    pub const OBJECT: Op = Op(3);
    /// Switches the records about a signal.
    pub const SIGNAL: Op = Op(4);
    /// Switches all groups and kinds off, or everything on.
    pub const ALL: Op = Op(5);
    /// Sends names and configuration again.
    pub const NAMES: Op = Op(6);
    pub const RESET: Op = Op(7);
    /// A command defined by the application.
    pub const USER: Op = Op(8);
    /// Asks for all states.
    pub const READ: Op = Op(9);

    /// Whether it is answered with states, and executed again if repeated.
    pub const fn is_question(self) -> bool {
        matches!(self, Op::PING | Op::READ)
    }
}

pub const OPS: usize = 10;

/// Numbers of states common to all targets.
pub mod state {
    pub const VERSION: u8 = 0;
    pub const DROPPED: u8 = 1;
    /// Maximum number of bytes in the buffer so far.
    pub const PEAK: u8 = 2;
    /// Groups that are switched on.
    pub const GROUPS: u8 = 3;
}

pub(crate) mod status {
    pub(crate) const DONE: u8 = 0;
    pub(crate) const NO_SUCH_ID: u8 = 4;
    pub(crate) const STATE: u8 = 128;
    pub(crate) const OTHER_VERSION: u8 = 255;

    pub(crate) fn state(status: u8) -> Option<u8> {
        status.checked_sub(STATE).filter(|_| status != OTHER_VERSION)
    }

    pub(crate) fn reason(status: u8) -> &'static str {
        match status {
            1 => "bad length",
            2 => "unknown command",
            3 => "refused by the program",
            NO_SUCH_ID => "no such id",
            OTHER_VERSION => "other version of the companion",
            _ => "unknown status",
        }
    }
}

/// Version of the command set.
pub(crate) const VERSION: u8 = 1;
/// Maximum payload length.
pub(crate) const LONGEST: usize = 64;
/// Payload of a reset, to distinguish it from noise.
pub(crate) const GUARD: &[u8] = b"RST!";

/// A frame between flags. The first flag clears noise from the target's receiver.
pub(crate) fn frame(op: Op, seq: u8, payload: &[u8]) -> Vec<u8> {
    let mut plain = vec![VERSION << 5 | op.0 & 31, seq];
    plain.extend_from_slice(payload);
    plain.extend_from_slice(&(Check::CRC16.of(&plain) as u16).to_le_bytes());
    let mut wire = vec![FLAG];
    stuff(&plain, &mut wire);
    wire
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack {
    pub op: u8,
    pub seq: u8,
    pub status: u8,
    /// The value of a state, or the number of states that follow.
    pub value: u32,
}

pub(crate) fn token(op: u8, seq: u8) -> u64 {
    u64::from(op) << 8 | u64::from(seq)
}

impl Ack {
    /// Name of the answer record on targets.
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

    /// Writes the answer as text; `ops` names commands, `states` names the protocol's states from number 3 on.
    pub fn text(&self, ops: &[&str; OPS], states: &[&str], line: &mut TextWriter<'_>) {
        let word = ops.get(usize::from(self.op)).map(|word| word.as_bytes());
        number::name_or(line, word, b"command ", self.op.into());
        number::labelled(line, b" seq ", self.seq.into());
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

fn put_state(n: u8, value: u64, states: &[&str], line: &mut TextWriter<'_>) {
    match (n, usize::from(n).checked_sub(3).and_then(|own| states.get(own))) {
        (state::VERSION, _) => number::labelled(line, b"version ", value),
        (state::DROPPED, _) => number::labelled(line, b"dropped ", value),
        (state::PEAK, _) => number::labelled(line, b"ring peak ", value),
        (_, Some(word)) => {
            line.put(word.as_bytes());
            line.byte(b' ');
            number::prefixed_hex(line, value, 1);
        }
        (_, None) => {
            number::labelled(line, b"state ", n.into());
            number::labelled(line, b" = ", value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_those_of_the_description() {
        assert_eq!(frame(Op::PING, 1, &[]), [0x7E, 0x20, 0x01, 0xC8, 0x0B, 0x7E]);
        assert_eq!(frame(Op::GROUP, 1, &[2, 0]), [0x7E, 0x21, 0x01, 0x02, 0x00, 0x68, 0x94, 0x7E]);
    }

    #[test]
    fn flags_and_escapes_are_replaced() {
        let bytes = frame(Op::USER, 0x7E, &[0x7D, 0x7E]);
        assert_eq!(bytes[..8], [0x7E, 0x28, 0x7D, 0x5E, 0x7D, 0x5D, 0x7D, 0x5E]);
        assert_eq!(bytes.iter().filter(|byte| **byte == FLAG).count(), 2);
    }

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
