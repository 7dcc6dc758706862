//! `spytui completions` and `spytui man`, from the definition of the arguments.

use std::io::{self, Write};

use clap::CommandFactory;
use clap_complete::Shell;

use super::{
    args::Args,
    failure::{self, EXIT_CODES, Failure},
    help, output,
    places::{COMPLETIONS_GO, MAN_GOES},
};
use crate::sys;

/// On a terminal, where nobody wants to read it: says where the output goes.
fn say_where(lines: &str, word: &str) {
    let line = lines.lines().map(str::trim).find(|line| line.starts_with(word) && line.contains('>'));
    if let Some(line) = line.filter(|_| sys::is_stdout_terminal()) {
        failure::say(&format!("this goes to a file, for example: {line}"));
    }
}

/// Writes the completions for a shell.
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
    of_exit_codes(&mut text)?;
    of_examples(&mut text)?;
    Ok(text)
}

fn of_exit_codes(text: &mut Vec<u8>) -> io::Result<()> {
    writeln!(text, ".SH \"EXIT STATUS\"")?;
    EXIT_CODES.iter().try_for_each(|(code, meaning)| writeln!(text, ".TP\n{}\n{}", escaped(code), escaped(meaning)))
}

fn of_examples(text: &mut Vec<u8>) -> io::Result<()> {
    writeln!(text, ".SH EXAMPLES")?;
    let (lines, escaped) = (help::examples(), |part: &str| escaped(part.trim()));
    let mut pairs = lines.lines().filter_map(|line| line.trim().split_once("  "));
    pairs.try_for_each(|(command, meaning)| writeln!(text, ".TP\n.B {}\n{}", escaped(command), escaped(meaning)))
}

/// Text that roff takes as it is.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq")
}

/// One section for each command, with what it takes.
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
}
