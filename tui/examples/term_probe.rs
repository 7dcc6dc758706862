//! Takes over the terminal and shows its input, so that tests can check that it is restored however the program ends.
//!
//! Keys: `q` quits, `A` aborts, `P` panics, `T` panics in another thread, `e` prints to standard error, `s` suspends,
//! `E` ends in another thread while the terminal is being claimed.

#![allow(clippy::print_stderr)]

use std::io::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use crossbeam_channel::{Sender, after, bounded, never, select};
use crossterm::event::{Event, KeyCode};
use ratatui::style::Style;
use spytui::app_log::{self, LogLine};
use spytui::sys::{self, ScreenSignal};
use spytui::term::{
    Capability, Drawn, Screen, ScreenOutput, TermEvent, Terminal, TerminalUse, Urgency, give_back_for_good,
    install_panic_hook, listen_to_keys, listen_to_signals, start_guard,
};

fn main() -> ExitCode {
    if sys::serve_as_guard() {
        return ExitCode::SUCCESS;
    }
    start_guard();
    install_panic_hook();
    match run() {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            // The terminal may be gone, and standard error with it.
            let _ = writeln!(std::io::stderr(), "{error}");
            ExitCode::from(3)
        }
    }
}

fn run() -> std::io::Result<u8> {
    let capability = Capability::of_process();
    let (sender, events) = bounded(64);
    let (waker, logged) = bounded(1);
    app_log::wake(waker);
    listen_to_signals(sender.clone())?;
    let terminal = Terminal::claim(TerminalUse { ask: capability.answers, mouse: false })?;
    listen_to_keys(sender, Duration::from_millis(50))?;
    let (width, height) = terminal.size();
    let screen = Screen::new(width, height, capability.depth, false);
    let mut output = ScreenOutput::new(terminal, screen, capability.budget(), 30);
    let mut last = "nothing".to_owned();
    let mut wait = Duration::ZERO;
    let mut log = Vec::new();
    loop {
        log.extend(app_log::take());
        if let Drawn::Later(time) = output.draw(Urgency::Key, |screen| paint(screen, &last, &log))? {
            wait = time;
        }
        let again = if wait.is_zero() { never() } else { after(wait) };
        wait = Duration::ZERO;
        let event = select! {
            recv(events) -> event => event.ok(),
            recv(logged) -> _ => None,
            recv(again) -> _ => None,
        };
        let Some(event) = event else { continue };
        if event == TermEvent::Synchronises {
            output.synchronise();
            continue;
        }
        last = format!("{event:?}");
        match event {
            TermEvent::Input(Event::Key(key)) => match key.code {
                KeyCode::Char('q') => return Ok(0),
                KeyCode::Char('A') => std::process::abort(),
                KeyCode::Char('P') => panic!("asked to"),
                KeyCode::Char('T') => drop(std::thread::spawn(|| panic!("in a thread")).join()),
                KeyCode::Char('e') => eprintln!("written to standard error"),
                KeyCode::Char('s') => output.suspend()?,
                KeyCode::Char('E') => {
                    let (given, back) = bounded(1);
                    std::thread::spawn(move || end(&given));
                    let _ = back.recv();
                    output.resume()?;
                }
                code => last = format!("key {code:?}"),
            },
            TermEvent::Signal(ScreenSignal::Resized) => drop(output.resize()),
            TermEvent::Signal(ScreenSignal::Suspend) => output.suspend()?,
            TermEvent::Signal(ScreenSignal::Continued) => output.resume()?,
            TermEvent::Signal(end) => return Ok(end.exit_code() as u8),
            TermEvent::Gone => return Ok(3),
            TermEvent::Synchronises | TermEvent::Input(_) => {}
        }
    }
}

fn end(given: &Sender<()>) {
    give_back_for_good();
    let _ = given.send(());
    // Time for a claim.
    std::thread::sleep(Duration::from_millis(100));
    eprintln!("ended by another thread");
    std::process::exit(4);
}

fn paint(screen: &mut Screen, last: &str, log: &[LogLine]) {
    let area = screen.area();
    let frame = screen.frame();
    frame.set_string(0, 0, format!("probe {}x{}", area.width, area.height), Style::new());
    frame.set_string(0, 1, format!("last {last}"), Style::new().bold());
    for (y, line) in (2..area.height).zip(log) {
        frame.set_string(0, y, format!("{}: {}", line.source, line.text), Style::new());
    }
}
