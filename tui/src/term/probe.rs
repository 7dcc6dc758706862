//! Separates the terminal's answers at startup from keys typed meanwhile.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

/// Splits the first bytes of the keyboard into answers and keys.
#[derive(Debug, Default)]
pub(super) struct Probe {
    waiting: Vec<u8>,
    /// The terminal knows synchronised updates.
    pub(super) synchronises: bool,
    /// The last answer came.
    pub(super) done: bool,
}

impl Probe {
    /// Takes bytes, gives the keys among them. Answers are `Esc [ ? … y` and `Esc [ ? … c`.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Vec<Event> {
        self.waiting.extend_from_slice(bytes);
        let mut keys = Vec::new();
        while !self.waiting.is_empty() {
            match answer(&self.waiting) {
                Part::Open => return keys,
                Part::Answer(length) => {
                    self.note(length);
                    self.waiting.drain(..length);
                }
                Part::Key => {
                    let length = character(&self.waiting);
                    let Some(length) = length else { return keys };
                    keys.extend(key(&self.waiting[..length]));
                    self.waiting.drain(..length);
                }
            }
        }
        keys
    }

    /// Gives what is left when nothing more is waited for.
    pub(super) fn finish(mut self) -> Vec<Event> {
        let rest = String::from_utf8_lossy(&std::mem::take(&mut self.waiting)).into_owned();
        rest.chars().filter_map(|c| key(c.encode_utf8(&mut [0; 4]).as_bytes())).collect()
    }

    /// `true` if an answer is incomplete.
    pub(super) fn is_open(&self) -> bool {
        !self.waiting.is_empty()
    }

    fn note(&mut self, length: usize) {
        let answer = &self.waiting[..length];
        self.done |= answer.ends_with(b"c");
        // 1 set, 2 reset, 3 always set; 0 unknown, 4 never.
        self.synchronises |= [b"2026;1$y", b"2026;2$y", b"2026;3$y"].iter().any(|known| answer.ends_with(*known));
    }
}

enum Part {
    Answer(usize),
    Key,
    Open,
}

fn answer(bytes: &[u8]) -> Part {
    let head = b"\x1b[?";
    let given = bytes.len().min(head.len());
    if bytes[..given] != head[..given] {
        return Part::Key;
    }
    // A lone Esc is a key; the joiner holds it back where that matters.
    if bytes.len() == 1 {
        return Part::Key;
    }
    let body = bytes.get(head.len()..).unwrap_or_default();
    match body.iter().position(|b| !(b.is_ascii_digit() || matches!(b, b';' | b'$'))) {
        None if body.len() < 64 => Part::Open,
        Some(at) if matches!(body.get(at), Some(b'y' | b'c')) => Part::Answer(head.len() + at + 1),
        _ => Part::Key,
    }
}

/// Length of the first character, `None` while it is incomplete.
fn character(bytes: &[u8]) -> Option<usize> {
    let length = match bytes.first()? {
        0xf0..=0xf7 => 4,
        0xe0..=0xef => 3,
        0xc0..=0xdf => 2,
        _ => 1,
    };
    (bytes.len() >= length).then_some(length)
}

fn key(bytes: &[u8]) -> Option<Event> {
    let c = std::str::from_utf8(bytes).ok()?.chars().next()?;
    let (code, modifiers) = match c {
        '\x1b' => (KeyCode::Esc, KeyModifiers::NONE),
        '\r' => (KeyCode::Enter, KeyModifiers::NONE),
        '\t' => (KeyCode::Tab, KeyModifiers::NONE),
        '\x7f' | '\x08' => (KeyCode::Backspace, KeyModifiers::NONE),
        '\x01'..='\x1a' => (KeyCode::Char(char::from(c as u8 - 1 + b'a')), KeyModifiers::CONTROL),
        c if c.is_control() => return None,
        c if c.is_uppercase() => (KeyCode::Char(c), KeyModifiers::SHIFT),
        c => (KeyCode::Char(c), KeyModifiers::NONE),
    };
    Some(Event::Key(KeyEvent::new(code, modifiers)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(events: Vec<Event>) -> Vec<KeyCode> {
        events.into_iter().filter_map(|event| event.as_key_event().map(|key| key.code)).collect()
    }

    #[test]
    fn answers_are_taken_and_keys_handed_on() {
        let mut probe = Probe::default();
        assert_eq!(codes(probe.feed(b"j\x1b[?2026")), [KeyCode::Char('j')]);
        assert!(!probe.synchronises && probe.is_open());
        assert_eq!(codes(probe.feed(b";2$yG\x1b[?62;22c:\xc3")), [KeyCode::Char('G'), KeyCode::Char(':')]);
        assert!(probe.synchronises && probe.done);
        assert_eq!(codes(probe.feed(b"\xa9\r")), [KeyCode::Char('é'), KeyCode::Enter]);
    }

    #[test]
    fn a_terminal_without_the_mode_says_so() {
        let mut probe = Probe::default();
        assert!(probe.feed(b"\x1b[?2026;0$y\x1b[?6c").is_empty());
        assert!(!probe.synchronises && probe.done);
    }

    #[test]
    fn arrows_are_keys_in_pieces() {
        let mut probe = Probe::default();
        let keys = codes(probe.feed(b"\x1b[A\x03"));
        assert_eq!(keys, [KeyCode::Esc, KeyCode::Char('['), KeyCode::Char('A'), KeyCode::Char('c')]);
        assert!(probe.feed(b"\x1b[?12").is_empty());
        assert_eq!(codes(probe.finish()).len(), 5);
    }

    #[test]
    fn noise_ends() {
        let mut probe = Probe::default();
        let noise: Vec<u8> = (0..=255).cycle().take(5_000).collect();
        noise.chunks(7).for_each(|bytes| drop(probe.feed(bytes)));
        probe.feed(&[b"\x1b[?".as_slice(), &[b'1'; 500]].concat());
        assert!(probe.finish().len() < 64);
    }
}
