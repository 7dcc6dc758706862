//! Senseless lines and names are refused in one line with a column, and nothing breaks.

use spytui_engine::device::command::{CommandError, complete, parse};
use spytui_plugin_host::kit::Random;

use super::target::{PROTOCOLS, Target};

const ALPHABET: [&str; 34] = [
    " ",
    "  ",
    "\t",
    "\"",
    "\"\"",
    ":",
    "..",
    "=",
    "+",
    "-",
    "!",
    "0x",
    "0",
    "7",
    "255",
    "4294967296",
    "18446744073709551616",
    "-1",
    "1.5",
    "hex:",
    "hex:7e",
    "u16:",
    "f32:nan",
    "obj:",
    "ALL",
    "é",
    "漢",
    "\u{202e}",
    "\0",
    "\u{1b}[2J",
    "\n",
    "x",
    "1..0",
    "0..18446744073709551615",
];

/// A line of words known to the protocol, and of others.
fn line(words: &[String], random: &mut Random) -> String {
    let mut line = String::new();
    if random.below(4) > 0 {
        line.push_str(&words[random.below(words.len())]);
        line.push(' ');
    }
    for _ in 0..random.below(12) {
        match random.below(3) {
            0 => line.push_str(&words[random.below(words.len())]),
            _ => line.push_str(ALPHABET[random.below(ALPHABET.len())]),
        }
        if random.below(2) == 0 {
            line.push(' ');
        }
    }
    line
}

/// Whether an error can be shown: one line, at a column of the line or at its end.
fn is_shown(error: &CommandError, line: &str) -> bool {
    error.column <= line.chars().count() && !error.message.is_empty()
}

#[test]
fn random_lines_are_refused_with_a_column_or_encoded() {
    for proto in PROTOCOLS {
        let mut target = Target::of(proto, &[]);
        let info = target.decoding.decoder.info.clone();
        let mut words: Vec<String> = info.commands.iter().map(|command| command.name.to_string()).collect();
        let args = info.commands.iter().flat_map(|command| &command.args);
        words.extend(args.flat_map(|arg| &arg.choices).map(ToString::to_string));
        words.extend(info.filters.iter().flat_map(|table| &table.groups).map(|group| group.name.to_string()));
        let mut random = Random::new(3);
        for _ in 0..4_000 {
            let line = line(&words, &mut random);
            let parsed = {
                let state = target.decoding.read();
                let (from, _) = complete(&line, &info, &state.dictionary);
                assert!(from <= line.chars().count(), "{proto}: {line:?}");
                parse(&line, &info, &state.dictionary)
            };
            match parsed {
                Err(error) => assert!(is_shown(&error, &line), "{proto}: {line:?}: {error:?}"),
                Ok(_) => {
                    if let Err(error) = target.send(&line) {
                        let (column, message) = error.split_once(": ").unwrap();
                        let column: usize = column.parse().unwrap();
                        assert!(column <= line.chars().count() && !message.is_empty(), "{proto}: {line:?}: {error}");
                    }
                }
            }
        }
    }
}

/// A target with hostile names for its objects.
fn hostile(names: &[&[u8]]) -> Target {
    let record = |id: u8, payload: &[u8]| {
        let mut plain = vec![1, id];
        plain.extend_from_slice(payload);
        plain.push(!plain.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte)));
        plain.push(0x7E);
        plain
    };
    let mut stream = record(0, &[]);
    for (index, name) in (1_u8..).zip(names) {
        stream.extend(record(61, &[&[index, 0, 0, 0x20], *name, &[0]].concat()));
    }
    Target::of("qs", &stream)
}

#[test]
fn hostile_names_are_completed_and_reported_in_one_line() {
    let long = vec![b'n'; 60_000];
    let names: [&[u8]; 7] = [b"door", b"\x1b[2Jdoor", b"two words", b"a\"quote", b"line\nend", b"\xff\xfe", &long];
    let mut target = hostile(&names);
    let is_plain = |text: &str| !text.chars().any(char::is_control);
    let items = {
        let state = target.decoding.read();
        complete("current ao ", &target.decoding.decoder.info, &state.dictionary).1
    };
    assert!(items.iter().any(|item| item.text == "\"two words\""), "{items:?}");
    for item in &items {
        assert!(is_plain(&item.text), "{:?}", item.text);
        // Offered completions are accepted.
        let sent = target.send(&format!("current ao {}", item.text));
        assert!(sent.is_ok(), "{:?}: {sent:?}", item.text);
    }
    for wrong in ["dor", "\u{1b}[2Jdor", "line\nen", "twoword", "n\u{7f}", &"n".repeat(50_000)] {
        let error = target.send(&format!("current ao {wrong}")).unwrap_err();
        assert!(is_plain(&error) && error.len() < wrong.len() + 500, "{error:?}");
    }
}
