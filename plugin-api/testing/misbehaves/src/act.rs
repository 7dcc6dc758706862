//! The misbehaviour.

use std::{hint::black_box, sync::OnceLock, time::Duration};

use spytui_plugin_api::{CounterId, Output, Row};

/// The requested misbehaviour and the entry for it.
pub(crate) fn asked() -> Option<&'static (String, String)> {
    static ASKED: OnceLock<Option<(String, String)>> = OnceLock::new();
    let read = || {
        let asked = std::env::var("MISBEHAVE").ok()?;
        asked.split_once('@').map(|(what, entry)| (what.to_owned(), entry.to_owned()))
    };
    ASKED.get_or_init(read).as_ref()
}

pub(crate) fn is_asked(what: &str, entry: &str) -> bool {
    asked().is_some_and(|asked| asked.0 == what && asked.1 == entry)
}

/// Misbehaves as requested for this entry, unless it concerns the output.
#[allow(clippy::print_stdout)] // so that its end is seen
pub(crate) fn misbehave(entry: &str) {
    let Some((what, _)) = asked().filter(|asked| asked.1 == entry) else { return };
    match what.as_str() {
        "panic" => panic!("asked to panic in {entry}"),
        "exit" => std::process::exit(0),
        "abort" => std::process::abort(),
        "overflow" => drop(black_box(deep(0))),
        "segv" => read_nothing(),
        // A busy loop would take what the tests beside it need.
        "loop" => loop {
            std::thread::sleep(Duration::from_secs(1));
        },
        "spin" => loop {
            black_box(());
        },
        "sleep" => {
            std::thread::sleep(Duration::from_secs(6));
            println!("slept in {entry}");
        }
        "print" => print(entry),
        _ => {}
    }
}

#[allow(clippy::print_stdout, clippy::print_stderr)] // what it is asked for
fn print(entry: &str) {
    println!("printed in {entry}");
    eprintln!("complained in {entry}");
}

/// Overflows the stack.
fn deep(level: u64) -> u64 {
    let frame = black_box([level; 64]);
    if black_box(true) { deep(level + 1) + frame[0] } else { 0 }
}

fn read_nothing() {
    // SAFETY: none; the access is meant to fail.
    unsafe { black_box(std::ptr::null::<u8>()).read_volatile() };
}

/// Misbehaves as requested in the output for the byte at `pos`; returns `false` if that byte gets no row.
pub(crate) fn emit(pos: u64, out: &mut Output<'_>) -> bool {
    // Small entries, as a busy machine must make a million of them in the time that a call has.
    if is_asked("rows", "bytes") {
        loop {
            out.row(Row { pos, ..Row::default() });
        }
    }
    if is_asked("counts", "bytes") {
        loop {
            out.count(CounterId(7), pos);
        }
    }
    if is_asked("twice", "bytes") {
        out.row(Row { pos, len: 1, ..Row::default() });
    }
    !is_asked("none", "bytes")
}
