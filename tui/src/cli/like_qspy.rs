//! `--like-qspy ARGS`: the command line of spytui that does what QSPY does with its own options. The table is also that of
//! `docs/commands.md`.

use super::failure::Failure;

/// What follows the letter of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HabitValue {
    None,
    /// Directly behind the letter, if at all; with what stands for none.
    Optional(&'static str),
    /// Directly behind the letter, or the next argument.
    Needed,
}

/// An option of QSPY.
#[derive(Debug, Clone, Copy)]
pub struct HabitOption {
    pub letter: char,
    pub value: HabitValue,
    /// What stands for it, with `{}` for the value; empty = nothing.
    pub here: &'static str,
    /// What it does, and what is different on purpose.
    pub about: &'static str,
}

const fn option(letter: char, value: HabitValue, here: &'static str, about: &'static str) -> HabitOption {
    HabitOption { letter, value, here, about }
}

use HabitValue::{Needed, None as NoValue, Optional};

/// Every option of QSPY.
pub const OPTIONS: &[HabitOption] = &[
    option('h', NoValue, "--help", "help"),
    option('c', Needed, "--port {}", "serial port"),
    option('b', Needed, "--baud {}", "its rate"),
    option('t', Optional("6601"), "--listen {}", "TCP port for the target; without a link, this one"),
    option('f', Needed, "--file {}", "file; it opens at its end only with `--follow`"),
    option('u', Optional("7701"), "--qspy 127.0.0.1:{}", "UDP port for front ends of this machine; 0 = none"),
    option('v', Needed, "-o version={}", "QP version until the target reports it"),
    option('T', Needed, "-o timestamp={}", "bytes of a time stamp; all sizes are guessed if nobody states them"),
    option('O', Needed, "-o obj-ptr={}", "bytes of an object pointer"),
    option('F', Needed, "-o fun-ptr={}", "bytes of a function pointer"),
    option('S', Needed, "-o signal={}", "bytes of a signal"),
    option('E', Needed, "-o event-size={}", "bytes of an event size"),
    option('Q', Needed, "-o queue-ctr={}", "bytes of a queue counter"),
    option('P', Needed, "-o pool-ctr={}", "bytes of a pool counter"),
    option('B', Needed, "-o pool-blk={}", "bytes of a pool block size"),
    option('C', Needed, "-o time-evt-ctr={}", "bytes of a time-event counter"),
    option('d', Optional("FILE.dic"), "-o dic={}", "dictionary file to read; `--write dictionary` writes one"),
    option('o', NoValue, "--write text", "text file"),
    option('s', NoValue, "--write binary", "binary file"),
    option('m', NoValue, "--write matlab", "Matlab file"),
    option('g', Needed, "--write sequence -o sequence-objects={}", "sequence file with these objects"),
    option('k', NoValue, "--headless --format reference", "no keyboard: only lines"),
    option('q', Optional(""), "", "quiet: the screen draws no more than it shows; without one, `> /dev/null`"),
    option('r', Needed, "", "colours c0, c1, c2: `ui.theme`; `--color qspy-dark`, `qspy-light` of `decode`"),
];

/// The command line for these options of QSPY. Errors: QSPY has no such option, or a value is missing (2).
pub fn line(args: &[String]) -> Result<String, Failure> {
    let mut words = vec!["spytui --proto qs".to_owned()];
    let mut args = args.iter();
    let mut given = String::new();
    while let Some(arg) = args.next() {
        let mut letters = arg.strip_prefix('-').unwrap_or_default().chars();
        let letter = letters.next().unwrap_or_default();
        let option = OPTIONS.iter().find(|option| option.letter == letter);
        let option = option.ok_or_else(|| Failure::usage(format!("{arg}: QSPY has no such option; -h lists them")))?;
        given.push(letter);
        let value = match (letters.as_str(), option.value) {
            (value, NoValue) if !value.is_empty() => {
                return Err(Failure::usage(format!("{arg}: -{letter} takes no value")));
            }
            ("", Needed) => {
                args.next().cloned().ok_or_else(|| Failure::usage(format!("{arg}: its value is missing")))?
            }
            ("", Optional(usual)) => usual.to_owned(),
            (value, _) => value.to_owned(),
        };
        if !(option.here.is_empty() || letter == 'u' && value == "0") {
            words.push(option.here.replace("{}", &quoted(&value)));
        }
    }
    let links: Vec<char> = given.chars().filter(|letter| "ctf".contains(*letter)).collect();
    match links.as_slice() {
        [] => words.push("--listen 6601".to_owned()),
        [_] => {}
        [first, second, ..] => return Err(Failure::usage(format!("-{first} and -{second} exclude each other"))),
    }
    if !given.contains('u') {
        words.push("--qspy".to_owned());
    }
    Ok(words.join(" "))
}

/// As one word of a shell.
pub(super) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./:=,".contains(c);
    if word.chars().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn of(args: &str) -> Result<String, String> {
        let args: Vec<String> = args.split_whitespace().map(str::to_owned).collect();
        line(&args).map_err(|failure| failure.text)
    }

    #[test]
    fn options_become_a_command_line() {
        for (there, here) in [
            ("", "--listen 6601 --qspy"),
            ("-t -u0", "--listen 6601"),
            ("-t6602 -u7702 -d", "--listen 6602 --qspy 127.0.0.1:7702 -o dic=FILE.dic"),
            (
                "-c /dev/ttyUSB0 -b115200 -T2 -O8",
                "--port /dev/ttyUSB0 --baud 115200 -o timestamp=2 -o obj-ptr=8 --qspy",
            ),
            (
                "-ftrace.bin -m -o -ga,?",
                "--file trace.bin --write matlab --write text --write sequence -o sequence-objects='a,?' --qspy",
            ),
            ("-k -q -rc1", "--headless --format reference --listen 6601 --qspy"),
        ] {
            assert_eq!(of(there).unwrap(), format!("spytui --proto qs {here}"), "{there}");
        }
        assert_eq!(of("-t -c x").unwrap_err(), "-t and -c exclude each other");
        assert_eq!(of("-z").unwrap_err(), "-z: QSPY has no such option; -h lists them");
        assert_eq!(of("trace.bin").unwrap_err(), "trace.bin: QSPY has no such option; -h lists them");
        assert_eq!(of("-c").unwrap_err(), "-c: its value is missing");
        assert_eq!(of("-o5").unwrap_err(), "-o5: -o takes no value");
    }
}
