//! `spytui completions` and `spytui man`, from the definition of the arguments.

use std::io::{self, Write};

use clap::CommandFactory;
use clap_complete::Shell;

use super::{args::Args, failure::Failure, output};

/// Writes the completions for a shell.
pub fn completions(shell: Shell) -> Result<u8, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "spytui", &mut text);
    output::print_as_is(&text)?;
    Ok(0)
}

/// Writes the manual page: the program, then each of its commands.
pub fn man() -> Result<u8, Failure> {
    output::print_as_is(&page().map_err(Failure::input)?)?;
    Ok(0)
}

fn page() -> io::Result<Vec<u8>> {
    let mut command = Args::command().disable_help_subcommand(true);
    command.build();
    let mut text = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut text)?;
    of_commands(&command, &mut text)?;
    Ok(text)
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
    fn the_page_tells_every_command_and_option() {
        let text = String::from_utf8(page().expect("a page")).expect("text");
        for part in ["SPYTUI EXPORT PERFETTO", "SPYTUI DECODE", "\\-\\-force", "\\-\\-follow", ".TH spytui"] {
            assert!(text.contains(part), "{part} is missing");
        }
    }
}
