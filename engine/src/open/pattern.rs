//! Damage with a pattern: what a terminal, a driver or an editor on the way does to each byte of a kind.

use std::fmt;

use crate::io::link::{Restorer, Undo};

/// Fewest changed bytes that are a pattern.
const CHANGED: usize = 2;

/// What was done to the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    /// It can be taken back exactly.
    Undoable(Undo),
    /// Each byte from 0x80 on became U+FFFD.
    Replaced,
    /// The top bit of each byte is gone.
    SevenBits,
    /// XON and XOFF are gone.
    FlowControl,
    /// Each CR became LF.
    CrToLf,
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Pattern::Undoable(Undo::CrLf) => {
                "each LF came as CR LF, as a terminal or a file in text mode writes it: --undo crlf restores the bytes"
            }
            Pattern::Undoable(Undo::Utf8) => {
                "bytes from 0x80 on came as UTF-8, as a program writes that takes them for text: --undo utf8 restores them"
            }
            Pattern::Replaced => {
                "bytes from 0x80 on came as U+FFFD: a program took them for UTF-8, and they are lost; let it copy bytes"
            }
            Pattern::SevenBits => {
                "no byte has its top bit: the line or its driver strips it, and it is lost; set 8 data bits (stty cs8 -istrip)"
            }
            Pattern::FlowControl => {
                "no 0x11 and no 0x13 came: software flow control (XON/XOFF) took them, and they are lost; switch it off \
                 (stty -ixon -ixoff)"
            }
            Pattern::CrToLf => {
                "no CR came, but LF where it belongs: a terminal driver turns CR into LF, and which was which is lost; \
                 switch it off (stty -icrnl)"
            }
        })
    }
}

/// The sample as it was before each change that all bytes of a kind look as if they went through.
pub fn restored(sample: &[u8]) -> Vec<(Undo, Vec<u8>)> {
    let restored = |undo: Undo| {
        let mut restored = Vec::new();
        Restorer::new(undo).feed(sample, &mut restored).ok()?;
        Some((undo, restored))
    };
    [Undo::Utf8, Undo::CrLf].into_iter().filter(|undo| may_have(*undo, sample)).filter_map(restored).collect()
}

fn may_have(undo: Undo, sample: &[u8]) -> bool {
    match undo {
        Undo::Utf8 => sample.iter().filter(|byte| matches!(byte, 0xC2 | 0xC3)).count() >= CHANGED,
        Undo::CrLf => {
            let is_behind_cr = |at: usize| at == 0 || sample.get(at - 1) == Some(&b'\r');
            memchr::memchr_iter(b'\n', sample).all(is_behind_cr)
                && memchr::memchr_iter(b'\n', sample).count() >= CHANGED
        }
    }
}
