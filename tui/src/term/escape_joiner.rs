//! Joins escape sequences that a slow line has split: an Esc followed at once by `[` or `O` is one key.

use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// Longest escape sequence.
const LONGEST: usize = 32;
/// Longest paste.
const LONGEST_PASTE: usize = 1 << 20;

/// Holds an Esc until its meaning is clear.
#[derive(Debug)]
pub(super) struct EscapeJoiner {
    wait: Duration,
    /// The keys of a sequence that began, Esc included.
    held: Vec<KeyEvent>,
    last: Option<Instant>,
    paste: Option<String>,
}

impl EscapeJoiner {
    pub(super) fn new(wait: Duration) -> EscapeJoiner {
        EscapeJoiner { wait, held: Vec::new(), last: None, paste: None }
    }

    /// Longest wait for the next key before [`EscapeJoiner::expire`].
    pub(super) fn patience(&self, now: Instant) -> Option<Duration> {
        let until = self.last.filter(|_| !self.held.is_empty())? + self.wait;
        Some(until.saturating_duration_since(now))
    }

    /// Releases keys that were held for too long.
    pub(super) fn expire(&mut self, now: Instant) -> Vec<Event> {
        if self.patience(now).is_some_and(|left| left.is_zero()) { self.let_go() } else { Vec::new() }
    }

    /// Takes an event; returns the completed ones.
    pub(super) fn push(&mut self, event: Event, now: Instant) -> Vec<Event> {
        let mut done = self.expire(now);
        match event {
            Event::Key(key) if key.kind == KeyEventKind::Release => {}
            Event::Key(key) => done.extend(self.key(key, now)),
            other => {
                done.extend(self.let_go());
                done.push(other);
            }
        }
        done
    }

    fn let_go(&mut self) -> Vec<Event> {
        let held = std::mem::take(&mut self.held);
        match &mut self.paste {
            Some(text) => {
                held.iter().for_each(|key| text.extend(character(key)));
                Vec::new()
            }
            None => held.into_iter().map(Event::Key).collect(),
        }
    }

    fn key(&mut self, key: KeyEvent, now: Instant) -> Vec<Event> {
        let mut done = Vec::new();
        if key.code == KeyCode::Esc && key.modifiers.is_empty() {
            done = self.let_go();
            self.hold(key, now);
        } else if self.held.is_empty() {
            done.extend(self.plain(key));
        } else {
            self.hold(key, now);
            match self.judge() {
                Verdict::Open => {}
                Verdict::Nothing => done = self.let_go(),
                Verdict::Key(key) => {
                    self.held.clear();
                    done.extend(self.plain(key));
                }
                Verdict::Paste(begins) => {
                    self.held.clear();
                    done.extend(self.turn_paste(begins));
                }
                Verdict::Unknown => self.held.clear(),
            }
        }
        done
    }

    fn hold(&mut self, key: KeyEvent, now: Instant) {
        self.held.push(key);
        self.last = Some(now);
    }

    fn plain(&mut self, key: KeyEvent) -> Option<Event> {
        let Some(text) = &mut self.paste else { return Some(Event::Key(key)) };
        text.extend(character(&key));
        let endless = text.len() > LONGEST_PASTE;
        endless.then(|| self.turn_paste(false)).flatten()
    }

    fn turn_paste(&mut self, begins: bool) -> Option<Event> {
        let before = self.paste.take();
        self.paste = begins.then(String::new);
        before.map(Event::Paste)
    }

    fn judge(&self) -> Verdict {
        let mut letters = self.held.iter().skip(1).map(|key| match (key.code, key.modifiers) {
            (KeyCode::Char(c), m) if (m - KeyModifiers::SHIFT).is_empty() => c,
            _ => '\0',
        });
        let intro = letters.next();
        let body: String = letters.collect();
        match intro {
            Some('O') => match body.chars().next() {
                None => Verdict::Open,
                Some(last) => key(last, "").map_or(Verdict::Nothing, Verdict::Key),
            },
            Some('[') => sequence(&body),
            _ => Verdict::Nothing,
        }
    }
}

enum Verdict {
    Open,
    Nothing,
    Unknown,
    Key(KeyEvent),
    Paste(bool),
}

/// Classifies what follows `Esc [`.
fn sequence(body: &str) -> Verdict {
    let end = body.find(|c: char| !(c.is_ascii_digit() || matches!(c, ';' | '?' | '<' | '$')));
    match end.and_then(|at| body[at..].chars().next()) {
        None if body.len() > LONGEST => Verdict::Unknown,
        None => Verdict::Open,
        Some(last) if last.is_ascii_alphabetic() || last == '~' => match body.trim_end_matches(last) {
            "200" if last == '~' => Verdict::Paste(true),
            "201" if last == '~' => Verdict::Paste(false),
            parameters => key(last, parameters).map_or(Verdict::Unknown, Verdict::Key),
        },
        Some(_) => Verdict::Nothing,
    }
}

/// The key of a sequence: its last letter, and its parameters.
fn key(last: char, parameters: &str) -> Option<KeyEvent> {
    let mut numbers = parameters.split(';').map(|n| n.parse::<u8>().unwrap_or(1));
    let first = numbers.next().unwrap_or(1);
    let code = match last {
        'A' => KeyCode::Up,
        'B' => KeyCode::Down,
        'C' => KeyCode::Right,
        'D' => KeyCode::Left,
        'H' => KeyCode::Home,
        'F' => KeyCode::End,
        'Z' => KeyCode::BackTab,
        'P'..='S' => KeyCode::F(last as u8 - b'P' + 1),
        '~' => match first {
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
    Some(KeyEvent::new(code, modifiers))
}

/// The character of a key inside a paste.
fn character(key: &KeyEvent) -> Option<char> {
    match key.code {
        KeyCode::Char(c) if !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => Some(c),
        KeyCode::Enter => Some('\n'),
        KeyCode::Tab => Some('\t'),
        KeyCode::Char('j') => Some('\n'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WAIT: Duration = Duration::from_millis(50);

    fn press(code: KeyCode) -> Event {
        Event::Key(KeyEvent::new(code, KeyModifiers::NONE))
    }

    /// Types the keys with the given pause before each and gives what comes out.
    fn typed(keys: &[(u64, KeyCode)]) -> Vec<Event> {
        let mut joiner = EscapeJoiner::new(WAIT);
        let mut now = Instant::now();
        let mut out = Vec::new();
        for (pause, code) in keys {
            now += Duration::from_millis(*pause);
            out.extend(joiner.push(press(*code), now));
        }
        out.extend(joiner.expire(now + WAIT));
        out
    }

    fn letters(text: &str) -> Vec<(u64, KeyCode)> {
        text.chars().map(|c| (1, if c == '^' { KeyCode::Esc } else { KeyCode::Char(c) })).collect()
    }

    #[test]
    fn split_sequences_become_one_key() {
        assert_eq!(typed(&letters("^[A")), [press(KeyCode::Up)]);
        assert_eq!(typed(&letters("^OD")), [press(KeyCode::Left)]);
        assert_eq!(typed(&letters("^[3~x")), [press(KeyCode::Delete), press(KeyCode::Char('x'))]);
        assert_eq!(typed(&letters("^[1;5C")), [Event::Key(KeyEvent::new(KeyCode::Right, KeyModifiers::CONTROL))]);
        assert_eq!(typed(&letters("^[Z")), [press(KeyCode::BackTab)]);
        assert_eq!(typed(&letters("^[?62;22c")), []);
    }

    #[test]
    fn an_esc_alone_stays_one() {
        let esc = press(KeyCode::Esc);
        assert_eq!(typed(&letters("^")), std::slice::from_ref(&esc));
        assert_eq!(typed(&[(0, KeyCode::Esc), (60, KeyCode::Char('['))]), [esc.clone(), press(KeyCode::Char('['))]);
        assert_eq!(typed(&letters("^x")), [esc.clone(), press(KeyCode::Char('x'))]);
        assert_eq!(typed(&letters("^^")), [esc.clone(), esc]);
    }

    #[test]
    fn held_keys_have_patience() {
        let mut joiner = EscapeJoiner::new(WAIT);
        let now = Instant::now();
        assert_eq!(joiner.patience(now), None);
        assert!(joiner.push(press(KeyCode::Esc), now).is_empty());
        assert_eq!(joiner.patience(now), Some(WAIT));
        assert!(joiner.expire(now + WAIT / 2).is_empty());
        assert_eq!(joiner.expire(now + WAIT), [press(KeyCode::Esc)]);
    }

    #[test]
    fn a_split_paste_never_runs() {
        let mut keys = letters("^[200~:q");
        keys.push((1, KeyCode::Enter));
        keys.extend(letters("^x^[201~k"));
        assert_eq!(typed(&keys), [Event::Paste(":q\nx".into()), press(KeyCode::Char('k'))]);
    }

    #[test]
    fn endless_sequences_end() {
        let long = format!("^[{}", "1;".repeat(100));
        assert!(typed(&letters(&long)).len() < 200);
    }
}
