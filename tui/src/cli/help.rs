//! What `-h` prints, and what `--help` and the manual page say beside the arguments.

use std::ffi::OsString;

use clap::CommandFactory;

use super::{args::Args, failure::EXIT_CODES};

/// The whole text of `-h`: the arguments of the program by what one wants to do, on one screen.
pub const SHORT: &str = include_str!("short_help.txt");

/// The definition of the arguments for these words. `-h` prints its own text; that of `--help` is made from the arguments.
pub(super) fn command_for(words: &[OsString]) -> clap::Command {
    let is_help = |word: &&OsString| *word == "-h" || *word == "--help";
    let command =
        Args::command().after_long_help(format!("Examples:\n{}\nExit status:\n{}", examples(), exit_status()));
    match words.iter().find(is_help) {
        Some(word) if word == "-h" => command.override_help(SHORT),
        _ => command,
    }
}

/// The examples of `-h`.
pub(super) fn examples() -> String {
    let lines = SHORT.lines().skip_while(|line| *line != "Examples:").skip(1);
    lines.take_while(|line| !line.is_empty()).map(|line| format!("{line}\n")).collect()
}

/// The exit codes, as a list.
fn exit_status() -> String {
    EXIT_CODES.iter().map(|(code, text)| format!("  {code:<7} {text}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(words: &[&str]) -> String {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        command_for(&words).try_get_matches_from(&words).expect_err("help").to_string()
    }

    /// Words of a line, without punctuation.
    fn words(text: &str) -> impl Iterator<Item = &str> {
        text.split(|c: char| c.is_whitespace() || ",;|=:`'".contains(c)).filter(|word| !word.is_empty())
    }

    #[test]
    fn the_short_help_fits_a_terminal() {
        let text = printed(&["spytui", "-h"]);
        assert_eq!(text.trim_end(), SHORT.trim_end());
        assert!(text.lines().count() <= 40, "{} lines", text.lines().count());
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
        for heading in ["Open:", "Show:", "Send:", "Write:"] {
            assert_eq!(text.lines().filter(|line| *line == heading).count(), 1, "{heading}");
        }
        assert_eq!(examples().lines().count(), 4);
    }

    #[test]
    fn the_short_help_names_every_command_and_option_and_no_other() {
        let command = Args::command();
        for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
            assert!(words(SHORT).any(|word| word == sub.get_name()), "{}", sub.get_name());
        }
        let options: Vec<String> =
            command.get_arguments().filter_map(|arg| Some(format!("--{}", arg.get_long()?))).collect();
        for option in &options {
            assert!(words(SHORT).any(|word| word == option), "{option}");
        }
        let of_program = SHORT.replace(&examples(), "");
        for word in words(&of_program).filter(|word| word.starts_with("--") && *word != "--help") {
            assert!(options.iter().any(|option| option == word), "{word}");
        }
    }

    #[test]
    fn its_examples_are_command_lines() {
        for line in examples().lines() {
            let typed = line.trim().split("  ").next().expect("a command");
            let words = typed.split(' ').map(|word| word.trim_matches('\''));
            assert!(Args::command().try_get_matches_from(words).is_ok(), "{typed}");
        }
    }

    #[test]
    fn the_long_help_has_everything() {
        let text = printed(&["spytui", "--help"]);
        for argument in Args::command().get_arguments().filter(|argument| !argument.is_hide_set()) {
            let name = argument.get_long().map_or("[LINK]".to_owned(), |long| format!("--{long}"));
            assert!(text.contains(&name), "{name}");
        }
        assert!(text.contains(&examples()) && text.contains("128+N   ended by signal N"), "{text}");
        // Commands have the help that clap makes.
        assert!(printed(&["spytui", "decode", "-h"]).contains("Usage: spytui decode"));
    }

    #[test]
    fn the_manual_says_the_same_of_exit_codes() {
        let manual = include_str!("../../../docs/manual.md");
        for (code, text) in EXIT_CODES {
            assert!(manual.contains(&format!("| {} | {text} |", code.replace('+', " + "))), "{code}");
        }
    }
}
