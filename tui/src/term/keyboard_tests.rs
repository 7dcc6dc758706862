//! However the keyboard's bytes are split, the same is typed.

use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::keyboard::{Keyboard, TermEvent};

const WAIT: Duration = Duration::from_millis(50);
const LONG: Duration = Duration::from_secs(2);
const NONE: KeyModifiers = KeyModifiers::NONE;

fn press(code: KeyCode, modifiers: KeyModifiers) -> TermEvent {
    TermEvent::Input(Event::Key(KeyEvent::new(code, modifiers)))
}

fn letter(c: char) -> TermEvent {
    press(KeyCode::Char(c), NONE)
}

fn paste(text: &str) -> TermEvent {
    TermEvent::Input(Event::Paste(text.to_owned()))
}

fn mouse(kind: MouseEventKind, column: u16, row: u16, modifiers: KeyModifiers) -> TermEvent {
    TermEvent::Input(Event::Mouse(MouseEvent { kind, column, row, modifiers }))
}

/// Events from pieces that arrive one after the other, with silence at the end.
fn typed<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<TermEvent> {
    let (mut keyboard, now) = (Keyboard::new(WAIT), Instant::now());
    let mut events: Vec<_> = pieces.into_iter().flat_map(|piece| keyboard.feed(piece, now)).collect();
    events.extend(keyboard.expire(now + LONG));
    events
}

/// Bytes with a meaning of their own, and the events.
fn everything() -> Vec<(Vec<u8>, Vec<TermEvent>)> {
    let (shift, alt, control) = (KeyModifiers::SHIFT, KeyModifiers::ALT, KeyModifiers::CONTROL);
    let mut all: Vec<(Vec<u8>, Vec<TermEvent>)> = Vec::new();
    let mut add = |bytes: &[u8], events: &[TermEvent]| all.push((bytes.to_vec(), events.to_vec()));
    for c in [':', 'q', '[', 'O', 'M', '~', '0', ';', '<', ' ', 'é', '→', '𝄞'] {
        let modifiers = if c.is_uppercase() { shift } else { NONE };
        add(c.to_string().as_bytes(), &[press(KeyCode::Char(c), modifiers)]);
        if !matches!(c, '[' | 'O') {
            add(format!("\x1b{c}").as_bytes(), &[press(KeyCode::Char(c), modifiers | alt)]);
        }
    }
    add(b"\r", &[press(KeyCode::Enter, NONE)]);
    add(b"\t", &[press(KeyCode::Tab, NONE)]);
    add(b"\x7f", &[press(KeyCode::Backspace, NONE)]);
    add(b"\x1b\x7f", &[press(KeyCode::Backspace, alt)]);
    add(b"\x03", &[press(KeyCode::Char('c'), control)]);
    add(b"\0", &[press(KeyCode::Char(' '), control)]);
    let arrows = [('A', KeyCode::Up), ('B', KeyCode::Down), ('C', KeyCode::Right), ('D', KeyCode::Left)];
    let ends = [('H', KeyCode::Home), ('F', KeyCode::End), ('P', KeyCode::F(1)), ('S', KeyCode::F(4))];
    for (last, code) in arrows.into_iter().chain(ends) {
        add(format!("\x1b[{last}").as_bytes(), &[press(code, NONE)]);
        add(format!("\x1bO{last}").as_bytes(), &[press(code, NONE)]);
        add(format!("\x1b[1;2{last}").as_bytes(), &[press(code, shift)]);
        add(format!("\x1b[1;7{last}").as_bytes(), &[press(code, alt | control)]);
    }
    add(b"\x1b[Z", &[press(KeyCode::BackTab, NONE)]);
    for (number, code) in [(2, KeyCode::Insert), (3, KeyCode::Delete), (5, KeyCode::PageUp), (24, KeyCode::F(12))] {
        add(format!("\x1b[{number}~").as_bytes(), &[press(code, NONE)]);
        add(format!("\x1b[{number};5~").as_bytes(), &[press(code, control)]);
    }
    add(b"\x1b[[A", &[press(KeyCode::F(1), NONE)]);
    let down = MouseEventKind::Down(MouseButton::Left);
    add(b"\x1b[<0;10;20M", &[mouse(down, 9, 19, NONE)]);
    add(b"\x1b[<0;10;20m", &[mouse(MouseEventKind::Up(MouseButton::Left), 9, 19, NONE)]);
    add(b"\x1b[<64;300;1M", &[mouse(MouseEventKind::ScrollUp, 299, 0, NONE)]);
    add(b"\x1b[<81;1;1M", &[mouse(MouseEventKind::ScrollDown, 0, 0, control)]);
    add(b"\x1b[M \x21\xff", &[mouse(down, 0, 222, NONE)]);
    for nowhere in ["\x1b[<0;0;0M", "\x1b[<0;99999;1M", "\x1b[<35;5;5M", "\x1b[I", "\x1b[?62;22c", "\x1b[?2026;0$y"] {
        add(nowhere.as_bytes(), &[]);
    }
    add(b"\x1b[?2026;2$y", &[TermEvent::Synchronises]);
    for text in ["", ":q\r", "é→𝄞", "\x1b[A", "\x1b\x1b[200~", "\x1b[201", "\x1b]52;c;AA\x07\0"] {
        add(format!("\x1b[200~{text}\x1b[201~").as_bytes(), &[paste(text)]);
    }
    add(b"\x1b[201~", &[]);
    all
}

fn holds_in_every_split(bytes: &[u8], events: &[TermEvent]) {
    let shown = String::from_utf8_lossy(bytes);
    for cut in 0..=bytes.len() {
        let (head, tail) = bytes.split_at(cut);
        assert_eq!(typed([head, tail]), events, "{shown:?} cut at {cut}");
    }
    assert_eq!(typed(bytes.chunks(1)), events, "{shown:?} byte by byte");
}

#[test]
fn every_sequence_is_the_same_in_every_split_and_packet() {
    let all = everything();
    for (first, events) in &all {
        holds_in_every_split(first, events);
        for (second, more) in &all {
            let together = [events.as_slice(), more].concat();
            holds_in_every_split(&[first.as_slice(), second].concat(), &together);
        }
    }
}

#[test]
fn an_esc_before_a_sequence_is_a_key_of_its_own() {
    let esc = press(KeyCode::Esc, NONE);
    for (bytes, events) in everything().into_iter().filter(|(bytes, _)| bytes.starts_with(b"\x1b")) {
        let together = [std::slice::from_ref(&esc), &events].concat();
        holds_in_every_split(&[b"\x1b", bytes.as_slice()].concat(), &together);
        let twice = [std::slice::from_ref(&esc), &together].concat();
        holds_in_every_split(&[b"\x1b\x1b", bytes.as_slice()].concat(), &twice);
    }
    for broken in [b"\x1b[1;".as_slice(), b"\x1b[?20", b"\xe2\x86"] {
        holds_in_every_split(&[broken, b"\x1b[A"].concat(), &[press(KeyCode::Up, NONE)]);
    }
}

#[test]
fn only_time_makes_a_key_of_an_esc_alone() {
    let (mut keyboard, now) = (Keyboard::new(WAIT), Instant::now());
    assert_eq!(keyboard.patience(now), None);
    assert_eq!(keyboard.feed(b"j\x1b", now), [letter('j')]);
    assert_eq!(keyboard.patience(now), Some(WAIT));
    assert_eq!(keyboard.expire(now + WAIT / 2), []);
    assert_eq!(keyboard.expire(now + WAIT), [press(KeyCode::Esc, NONE)]);
    assert_eq!(keyboard.feed(b"[", now + WAIT), [letter('[')]);
    for (bytes, behind) in [("\x1b[", '['), ("\x1bO", 'O')] {
        assert_eq!(keyboard.feed(bytes.as_bytes(), now), []);
        let key = press(KeyCode::Char(behind), KeyModifiers::ALT);
        let key = if behind == 'O' { press(KeyCode::Char('O'), KeyModifiers::ALT | KeyModifiers::SHIFT) } else { key };
        assert_eq!(keyboard.expire(now + WAIT), [key]);
    }
    // An unambiguous beginning waits for the rest on a slow line.
    assert_eq!(keyboard.feed(b"\x1b[2", now), []);
    assert_eq!((keyboard.patience(now), keyboard.expire(now + LONG)), (None, vec![]));
    assert_eq!(keyboard.feed(b"00~:q\r\x1b[201~", now + LONG), [paste(":q\r")]);
}

#[test]
fn a_paste_is_bounded_and_its_rest_never_runs() {
    let long = "q\r".repeat(1 << 20);
    let events = typed([b"\x1b[200~".as_slice(), long.as_bytes(), b"\x1b[201~:"]);
    assert_eq!(events, [paste(&long[..64 * 1024]), letter(':')]);
}

#[test]
fn an_esc_ends_a_paste_whose_end_was_lost() {
    let (mut keyboard, now) = (Keyboard::new(WAIT), Instant::now());
    assert_eq!(keyboard.feed(b"\x1b[200~some text", now), []);
    assert_eq!((keyboard.patience(now), keyboard.expire(now + LONG)), (None, vec![]));
    assert_eq!(keyboard.feed(b"q\x1b", now), []);
    assert_eq!(keyboard.expire(now + WAIT), []);
    assert_eq!(keyboard.expire(now + LONG), [paste("some textq")]);
    assert_eq!(keyboard.feed(b":", now), [letter(':')]);
}

/// After an Esc and a pause, the keyboard works again, whatever came before.
#[test]
fn no_noise_makes_it_deaf() {
    let mut random = 1_u64;
    let mut next = |most: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % most
    };
    let parts = b"\x1b\x1b\x1b[[O<M?;$0126~:mAzy\xe2\x86\x92\x00\x07\r\xff";
    let (mut keyboard, mut now) = (Keyboard::new(WAIT), Instant::now());
    for round in 0..20_000 {
        let noise: Vec<u8> = (0..next(40)).map(|_| parts[next(parts.len() as u64) as usize]).collect();
        let begins = if next(8) == 0 { b"\x1b[200~".as_slice() } else { b"" };
        keyboard.feed(begins, now);
        keyboard.feed(&noise, now);
        keyboard.feed(b"\x1b", now);
        now += LONG;
        keyboard.expire(now);
        assert_eq!(keyboard.feed(b":", now), [letter(':')], "round {round}: {:?}", String::from_utf8_lossy(&noise));
    }
}
