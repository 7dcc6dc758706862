//! QSPY's options and keys: the table of options in `docs/commands.md`, made from that of `--like-qspy`, and whether what
//! stands for each option and key is taken.

use clap::Parser as _;
use spytui::{
    cli::{
        args::Args,
        like_qspy::{HabitValue, OPTIONS, line},
    },
    commands::COMMANDS,
};

const DOC: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/commands.md");
const BEGIN: &str = "<!-- habits: made by tui/tests/commands/habits.rs -->\n";
const END: &str = "<!-- end of habits -->\n";

fn code(text: &str) -> String {
    if text.is_empty() { "–".to_owned() } else { format!("`{text}`") }
}

fn table() -> String {
    let mut text = "| option there | here | |\n|---|---|---|\n".to_owned();
    for option in OPTIONS {
        let letter = option.letter;
        let there = match option.value {
            HabitValue::None => format!("-{letter}"),
            HabitValue::Optional(_) => format!("-{letter}[VALUE]"),
            HabitValue::Needed => format!("-{letter} VALUE"),
        };
        text += &format!("| `{there}` | {} | {} |\n", code(&option.here.replace("{}", "VALUE")), option.about);
    }
    text
}

/// With `SPYTUI_WRITE_DOCS` set, writes the table instead.
#[test]
fn the_table_of_habits_is_in_the_description() {
    let (text, table) = (std::fs::read_to_string(DOC).unwrap(), table());
    let (before, rest) = text.split_once(BEGIN).unwrap();
    let (now, after) = rest.split_once(END).unwrap();
    if std::env::var_os("SPYTUI_WRITE_DOCS").is_some() {
        std::fs::write(DOC, format!("{before}{BEGIN}{table}{END}{after}")).unwrap();
        return;
    }
    assert_eq!(now, table, "run the test again with SPYTUI_WRITE_DOCS=1");
}

/// A value that an option takes.
fn sample(letter: char) -> &'static str {
    match letter {
        'b' => "115200",
        'g' => "a,b",
        'u' => "7702",
        'v' => "7.3",
        't' => "6602",
        'T' | 'O' | 'F' | 'S' | 'E' | 'Q' | 'P' | 'B' | 'C' => "4",
        _ => "name",
    }
}

#[test]
fn what_stands_for_an_option_is_taken() {
    let qs = super::target::decoder("qs");
    for option in OPTIONS.iter().filter(|option| option.letter != 'h') {
        let value = if option.value == HabitValue::None { "" } else { sample(option.letter) };
        let mut there = vec![format!("-{}{value}", option.letter)];
        if option.letter == 'b' {
            there.insert(0, "-c/dev/ttyUSB0".to_owned());
        }
        let here = line(&there).unwrap_or_else(|failure| panic!("{there:?}: {}", failure.text));
        let words = here.split_whitespace().map(|word| word.trim_matches('\''));
        let args = Args::try_parse_from(words).unwrap_or_else(|error| panic!("{here}: {error}"));
        for text in args.decoder.options.iter().filter(|text| !text.starts_with("dic=")) {
            let set = spytui_engine::open::Options::parse(&qs.info, std::slice::from_ref(text));
            assert!(set.is_ok(), "{here}: {:?}", set.err());
        }
    }
}

#[test]
fn what_stands_for_a_key_is_a_command() {
    let text = std::fs::read_to_string(DOC).unwrap();
    let (_, keys) = text.split_once("| key there | here | |\n|---|---|---|\n").unwrap();
    let rows: Vec<&str> = keys.lines().take_while(|row| row.starts_with('|')).collect();
    assert_eq!(rows.len(), 13, "{rows:?}");
    for row in rows {
        let here = row.split(" | ").nth(1).unwrap();
        let Some(here) = here.strip_prefix("`:") else {
            assert_eq!(here, "–", "{row}");
            continue;
        };
        let first: Vec<&str> = here.trim_end_matches('`').split_whitespace().collect();
        let known = COMMANDS.iter().any(|command| first.starts_with(command.spec.words));
        assert!(known, "{row}");
    }
}
