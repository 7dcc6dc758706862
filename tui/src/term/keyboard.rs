//! The input thread: turns bytes of the keyboard into keys, pastes, clicks and answers of the terminal, however the
//! line splits them.

use std::{
    io, thread,
    time::{Duration, Instant},
};

use crossbeam_channel::Sender;
use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use crate::sys::{self, Descriptor, Readable, ScreenSignal};

const ESC: u8 = 0x1b;
const PASTE_END: &[u8] = b"\x1b[201~";
/// Maximum length of a sequence; longer ones are not sequences.
const LONGEST: usize = 64;
/// Number of bytes of a paste that are kept: more than the longest command line.
const LONGEST_PASTE: usize = 64 * 1024;
/// An Esc in a paste followed by a pause this long was pressed, and the end of the paste was lost, as when a terminal
/// in canonical mode gets a paste that exceeds its limit.
const PASTE_WAIT: Duration = Duration::from_millis(100);

/// Processes byte by byte, so that it does not matter where a read ends. Only timing distinguishes a pressed Esc from
/// the first byte of a sequence.
#[derive(Debug)]
pub(super) struct Keyboard {
    esc_wait: Duration,
    /// The unfinished sequence or character; within a paste, a possible end mark.
    held: Vec<u8>,
    paste: Option<Vec<u8>>,
    last: Option<Instant>,
}

enum Sequence {
    Open,
    Paste,
    /// Complete; `None` = meaningless to this program.
    Event(Option<TermEvent>),
}

impl Keyboard {
    /// `esc_wait` = time for the rest of a sequence after an Esc.
    pub(super) fn new(esc_wait: Duration) -> Keyboard {
        Keyboard { esc_wait, held: Vec::new(), paste: None, last: None }
    }

    /// Processes bytes read at `now`.
    pub(super) fn feed(&mut self, bytes: &[u8], now: Instant) -> Vec<TermEvent> {
        self.last = Some(now);
        let mut events = Vec::new();
        for &byte in bytes {
            if self.paste.is_some() {
                self.take_pasted(byte, &mut events);
            } else {
                self.take(byte, &mut events);
            }
        }
        events
    }

    /// Time until [`Keyboard::expire`] may return something; `None` if only another byte matters.
    pub(super) fn patience(&self, now: Instant) -> Option<Duration> {
        let wait = match (&self.paste, self.held.as_slice()) {
            (Some(_), [ESC]) => self.esc_wait.max(PASTE_WAIT),
            (None, [ESC] | [ESC, b'[' | b'O'] | [ESC, b'[', b'[']) => self.esc_wait,
            _ => return None,
        };
        Some((self.last? + wait).saturating_duration_since(now))
    }

    /// No bytes arrived: an Esc that waited long enough for the rest of a sequence is a key.
    pub(super) fn expire(&mut self, now: Instant) -> Vec<TermEvent> {
        let mut events = Vec::new();
        if self.patience(now).is_some_and(|left| left.is_zero()) {
            match self.paste.take() {
                Some(text) => events.push(pasted(&text)),
                None => self.let_go(&mut events),
            }
            self.held.clear();
        }
        events
    }

    fn take(&mut self, byte: u8, events: &mut Vec<TermEvent>) {
        if !goes_on(&self.held, byte) {
            self.let_go(events);
        }
        self.held.push(byte);
        match sequence(&self.held) {
            Sequence::Open => return,
            Sequence::Paste => self.paste = Some(Vec::new()),
            Sequence::Event(event) => events.extend(event),
        }
        self.held.clear();
    }

    /// The held bytes are no sequence: an Esc, perhaps followed by a key. A broken sequence yields nothing.
    fn let_go(&mut self, events: &mut Vec<TermEvent>) {
        match self.held.as_slice() {
            [ESC] => events.push(press(KeyCode::Esc, KeyModifiers::NONE)),
            [ESC, c @ (b'[' | b'O'), more @ ..] if more.is_empty() || more == b"[" => {
                events.push(with_alt(character(char::from(*c))));
                events.extend(more.iter().map(|c| character(char::from(*c))));
            }
            _ => {}
        }
        self.held.clear();
    }

    fn take_pasted(&mut self, byte: u8, events: &mut Vec<TermEvent>) {
        let Some(text) = &mut self.paste else { return };
        let is_end = |held: &[u8]| PASTE_END.get(held.len()) == Some(&byte);
        if !is_end(&self.held) {
            text.append(&mut self.held);
        }
        if is_end(&self.held) {
            self.held.push(byte);
        } else {
            text.push(byte);
        }
        text.truncate(LONGEST_PASTE);
        if self.held == PASTE_END {
            events.push(pasted(text));
            self.held.clear();
            self.paste = None;
        }
    }
}

fn pasted(text: &[u8]) -> TermEvent {
    TermEvent::Input(Event::Paste(String::from_utf8_lossy(text).into_owned()))
}

/// `false` if a byte can't belong to the held sequence or character, so that it begins the next one.
fn goes_on(held: &[u8], byte: u8) -> bool {
    match held {
        [] => true,
        [ESC] => byte != ESC,
        [ESC, b'O'] => key(byte, "").is_some(),
        [ESC, b'[', b'['] => (b'A'..=b'E').contains(&byte),
        [ESC, b'[', b'M', ..] => byte >= b' ',
        [ESC, b'[', ..] => (b' '..=b'~').contains(&byte) && held.len() < LONGEST,
        // Part of a character.
        _ => (0x80..0xc0).contains(&byte),
    }
}

fn sequence(held: &[u8]) -> Sequence {
    match held {
        [ESC] | [ESC, b'[' | b'O'] | [ESC, b'[', b'['] => Sequence::Open,
        [ESC, b'[', b'[', last] => Sequence::Event(Some(press(KeyCode::F(last - b'A' + 1), KeyModifiers::NONE))),
        // The form of terminals that don't know the one with decimal numbers.
        [ESC, b'[', b'M', position @ ..] => match position {
            [button, x, y] => {
                Sequence::Event(mouse(button - b' ', x.saturating_sub(b' '), y.saturating_sub(b' '), true))
            }
            _ => Sequence::Open,
        },
        [ESC, b'[', parameters @ .., last @ b'@'..=b'~'] => control(&String::from_utf8_lossy(parameters), *last),
        [ESC, b'[', ..] => Sequence::Open,
        [ESC, b'O', last] => Sequence::Event(key(*last, "")),
        [ESC, letter @ ..] => match text(letter) {
            Sequence::Event(key) => Sequence::Event(key.map(with_alt)),
            open => open,
        },
        letter => text(letter),
    }
}

/// A sequence that begins with `Esc [`.
fn control(parameters: &str, last: u8) -> Sequence {
    if (parameters, last) == ("200", b'~') {
        return Sequence::Paste;
    }
    Sequence::Event(match last {
        b'M' | b'm' => click(parameters, last == b'M'),
        // 1 set, 2 reset, 3 always set; 0 unknown, 4 never.
        b'y' if ["?2026;1$", "?2026;2$", "?2026;3$"].contains(&parameters) => Some(TermEvent::Synchronises),
        _ => key(last, parameters),
    })
}

/// `<button;column;row`.
fn click(parameters: &str, pressed: bool) -> Option<TermEvent> {
    let mut numbers = parameters.strip_prefix('<')?.split(';').map(str::parse::<u16>);
    let (button, x, y) = (numbers.next()?.ok()?, numbers.next()?.ok()?, numbers.next()?.ok()?);
    mouse(u8::try_from(button).ok()?, x, y, pressed)
}

/// Columns and rows count from 1. Moves are not requested.
fn mouse(button: u8, x: impl Into<u16>, y: impl Into<u16>, pressed: bool) -> Option<TermEvent> {
    const MOVED: u8 = 32;
    let kind = match button & !(4 | 8 | 16) {
        moved if moved & MOVED != 0 => return None,
        3 => MouseEventKind::Up(MouseButton::Left),
        64 => MouseEventKind::ScrollUp,
        65 => MouseEventKind::ScrollDown,
        66 => MouseEventKind::ScrollLeft,
        67 => MouseEventKind::ScrollRight,
        number => {
            let button = *[MouseButton::Left, MouseButton::Middle, MouseButton::Right].get(usize::from(number))?;
            if pressed { MouseEventKind::Down(button) } else { MouseEventKind::Up(button) }
        }
    };
    let held = [(4, KeyModifiers::SHIFT), (8, KeyModifiers::ALT), (16, KeyModifiers::CONTROL)];
    let modifiers = held.into_iter().filter(|(bit, _)| button & bit != 0).map(|(_, modifier)| modifier).collect();
    let (column, row) = (x.into().checked_sub(1)?, y.into().checked_sub(1)?);
    Some(TermEvent::Input(Event::Mouse(MouseEvent { kind, column, row, modifiers })))
}

/// The key of a sequence, from its last letter and its parameters.
fn key(last: u8, parameters: &str) -> Option<TermEvent> {
    let mut numbers = parameters.split(';').map(|n| n.parse::<u8>().unwrap_or(1));
    let first = numbers.next().unwrap_or(1);
    let code = match last {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'H' => KeyCode::Home,
        b'F' => KeyCode::End,
        b'Z' => KeyCode::BackTab,
        b'P'..=b'S' => KeyCode::F(last - b'P' + 1),
        b'~' => match first {
            1 | 7 => KeyCode::Home,
            2 => KeyCode::Insert,
            3 => KeyCode::Delete,
            4 | 8 => KeyCode::End,
            5 => KeyCode::PageUp,
            6 => KeyCode::PageDown,
            11..=15 => KeyCode::F(first - 10),
            17..=21 => KeyCode::F(first - 11),
            23 | 24 => KeyCode::F(first - 12),
            _ => return None,
        },
        _ => return None,
    };
    let held = numbers.next().unwrap_or(1).saturating_sub(1);
    let modifiers = [(1, KeyModifiers::SHIFT), (2, KeyModifiers::ALT), (4, KeyModifiers::CONTROL)];
    let modifiers = modifiers.into_iter().filter(|(bit, _)| held & bit != 0).map(|(_, modifier)| modifier).collect();
    Some(press(code, modifiers))
}

/// A complete or incomplete character.
fn text(bytes: &[u8]) -> Sequence {
    match std::str::from_utf8(bytes) {
        Ok(text) => Sequence::Event(text.chars().next().map(character)),
        Err(error) if error.error_len().is_none() => Sequence::Open,
        Err(_) => Sequence::Event(None),
    }
}

fn character(c: char) -> TermEvent {
    let control = |first: u8| press(KeyCode::Char(char::from(first)), KeyModifiers::CONTROL);
    match c {
        '\r' => press(KeyCode::Enter, KeyModifiers::NONE),
        '\t' => press(KeyCode::Tab, KeyModifiers::NONE),
        '\x7f' => press(KeyCode::Backspace, KeyModifiers::NONE),
        '\0' => control(b' '),
        '\x01'..='\x1a' => control(c as u8 - 1 + b'a'),
        '\x1c'..='\x1f' => control(c as u8 - 0x1c + b'4'),
        c if c.is_uppercase() => press(KeyCode::Char(c), KeyModifiers::SHIFT),
        c => press(KeyCode::Char(c), KeyModifiers::NONE),
    }
}

fn press(code: KeyCode, modifiers: KeyModifiers) -> TermEvent {
    TermEvent::Input(Event::Key(KeyEvent::new(code, modifiers)))
}

/// A key with Alt, which terminals send as an Esc and the key.
fn with_alt(mut event: TermEvent) -> TermEvent {
    if let TermEvent::Input(Event::Key(key)) = &mut event {
        key.modifiers |= KeyModifiers::ALT;
    }
    event
}

/// Starts the thread. `esc_wait` = time for the rest of a sequence after an Esc.
pub fn listen_to_keys(events: Sender<TermEvent>, esc_wait: Duration) -> io::Result<()> {
    let descriptor = sys::keyboard()?;
    let listen = move || {
        // An error means that the receiver of the events is gone.
        let _ = listen(&descriptor, Keyboard::new(esc_wait), &events);
    };
    thread::Builder::new().name("input".into()).spawn(listen).map(drop)
}

/// Returns when the keyboard is gone, or nobody listens.
fn listen(descriptor: &Descriptor, mut keyboard: Keyboard, events: &Sender<TermEvent>) -> Result<(), ()> {
    let mut buffer = [0; 4096];
    loop {
        let heard = match sys::readable(descriptor, keyboard.patience(Instant::now())) {
            Readable::Nothing => keyboard.expire(Instant::now()),
            Readable::Bytes => match sys::read(descriptor, &mut buffer) {
                Ok(count) => keyboard.feed(buffer.get(..count).unwrap_or_default(), Instant::now()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => Vec::new(),
                Err(_) => vec![TermEvent::Gone],
            },
            Readable::Gone => vec![TermEvent::Gone],
        };
        for event in heard {
            let is_gone = event == TermEvent::Gone;
            events.send(event).map_err(drop)?;
            if is_gone {
                return Ok(());
            }
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum TermEvent {
    /// A key; pasted text, which never runs as keys; the mouse, if enabled.
    Input(Event),
    Signal(ScreenSignal),
    /// The terminal supports synchronised updates.
    Synchronises,
    Gone,
}
