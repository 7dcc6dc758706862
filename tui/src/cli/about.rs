//! The output of `-h`, `spytui completions` and `spytui man`, from the definition of the arguments.

use std::{
    ffi::OsString,
    io::{self, Write},
};

use clap::CommandFactory;
use clap_complete::Shell;

use super::{
    args::{Args, COMPLETIONS_GO, MAN_GOES},
    failure::{self, EXIT_CODES, Failure},
    output,
};
use crate::sys;

/// On a terminal, where nobody would read the output, explains where to put it.
fn say_where(lines: &str, word: &str) {
    let line = lines.lines().map(str::trim).find(|line| line.starts_with(word) && line.contains('>'));
    if let Some(line) = line.filter(|_| sys::is_stdout_terminal()) {
        failure::say(&format!("this goes to a file, for example: {line}"));
    }
}

pub fn completions(shell: Shell) -> Result<u8, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "spytui", &mut text);
    output::print_as_is(&text)?;
    say_where(COMPLETIONS_GO, &format!("spytui completions {shell} "));
    Ok(0)
}

/// Writes the manual page: the program, then each of its commands.
pub fn man() -> Result<u8, Failure> {
    output::print_as_is(&page().map_err(Failure::input)?)?;
    say_where(MAN_GOES, "spytui man ");
    Ok(0)
}

fn page() -> io::Result<Vec<u8>> {
    let mut command = Args::command().disable_help_subcommand(true);
    command.build();
    let mut text = Vec::new();
    let man = clap_mangen::Man::new(command.clone());
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    man.render_options_section(&mut text)?;
    man.render_subcommands_section(&mut text)?;
    of_commands(&command, &mut text)?;
    writeln!(text, ".SH \"EXIT STATUS\"")?;
    for (code, meaning) in EXIT_CODES {
        writeln!(text, ".TP\n{}\n{}", escaped(code), escaped(meaning))?;
    }
    writeln!(text, ".SH EXAMPLES")?;
    for (command, meaning) in examples().lines().filter_map(|line| line.trim().split_once("  ")) {
        writeln!(text, ".TP\n.B {}\n{}", escaped(command.trim()), escaped(meaning.trim()))?;
    }
    Ok(text)
}

/// Text escaped for roff.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq")
}

/// A section for each command, with its arguments.
fn of_commands(command: &clap::Command, text: &mut Vec<u8>) -> io::Result<()> {
    for sub in command.get_subcommands() {
        let name = sub.get_bin_name().unwrap_or_else(|| sub.get_name()).to_owned();
        writeln!(text, ".SH \"{}\"", name.to_uppercase())?;
        let man = clap_mangen::Man::new(sub.clone());
        man.render_description_section(text)?;
        man.render_options_section(text)?;
        of_commands(sub, text)?;
    }
    Ok(())
}

/// The whole text of `-h`: the program's arguments by purpose, on one screen.
pub const SHORT: &str = include_str!("short_help.txt");

/// The definition of the arguments for these words. `-h` prints its own text; `--help` is generated from the arguments.
pub(super) fn command_for(words: &[OsString]) -> clap::Command {
    let is_help = |word: &&OsString| *word == "-h" || *word == "--help";
    let codes: String = EXIT_CODES.iter().map(|(code, text)| format!("  {code:<7} {text}\n")).collect();
    let command = Args::command().after_long_help(format!("Examples:\n{}\nExit status:\n{codes}", examples()));
    match words.iter().find(is_help) {
        Some(word) if word == "-h" => command.override_help(SHORT),
        _ => command,
    }
}

pub(super) fn examples() -> String {
    let lines = SHORT.lines().skip_while(|line| *line != "Examples:").skip(1);
    lines.take_while(|line| !line.is_empty()).map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_names_every_command_and_option() {
        let text = String::from_utf8(page().expect("a page")).expect("text");
        for part in ["SPYTUI EXPORT PERFETTO", "SPYTUI DECODE", "\\-\\-force", "\\-\\-follow", ".TH spytui"] {
            assert!(text.contains(part), "{part} is missing");
        }
    }

    #[test]
    fn for_each_shell_there_is_a_place() {
        for shell in clap::ValueEnum::value_variants() {
            let shell: &Shell = shell;
            assert!(COMPLETIONS_GO.contains(&format!("  spytui completions {shell} >")), "{shell}");
        }
    }

    #[test]
    fn the_page_has_examples_and_the_exit_status() {
        let text = String::from_utf8(page().expect("a page")).expect("text");
        let section = |name: &str| text.split(".SH ").find_map(|part| part.strip_prefix(name)).expect("the section");
        let (examples, status) = (section("EXAMPLES\n"), section("\"EXIT STATUS\"\n"));
        assert_eq!(examples.matches(".B spytui ").count(), 4, "{examples}");
        assert!(examples.contains("\n.B spytui \\-\\-demo qs\na target inside, no hardware\n"), "{examples}");
        for (code, text) in EXIT_CODES {
            assert!(status.contains(&format!(".TP\n{code}\n{}\n", escaped(text))), "{code}");
        }
    }

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
        // Commands have the help that clap generates.
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
