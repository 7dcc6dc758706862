//! The main loop: messages in, the model updated, effects carried out, frames drawn.
//!
//! ```text
//! key, signal ─▶ Message ─▶ update(&mut Model) ─▶ Effects ─▶ Edge ─▶ Messages …
//! links, jobs ─▶ Edge::poll ─▶ Message                       view::draw(&Model) ─▶ Screen
//! ```

mod open;

use std::{
    collections::VecDeque,
    io,
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, bounded, never, select};
use crossterm::event::Event;
use spytui_engine::open::survive;

use crate::{
    cli::{
        args::Args,
        failure::{self, Failure},
        settings::Settings,
    },
    effects::Edge,
    input::Key,
    model::{Message, Model},
    term::{
        Capability, Drawn, Glyphs, Output, SLOW_BUDGET, SSH_BUDGET, Screen, TermEvent, Terminal, TerminalUse, Urgency,
        install_panic_hook, is_held, listen_to_keys, listen_to_signals, start_guard,
    },
    update::{sleep, update},
    view,
};

/// Time for background work in one turn of the main loop.
const SLICE: Duration = Duration::from_millis(8);
/// Time between two turns while there is background work: threads that decode want the rows, too.
const PAUSE: Duration = Duration::from_millis(1);

/// Longest time that what comes waits for the next frame.
const REST: Duration = Duration::from_millis(50);

/// Interval of looking at sources without a terminal.
const LOOK: Duration = Duration::from_millis(500);
/// Exit code when the terminal is gone.
const TERMINAL_GONE: u8 = 129;

/// Opens everything and runs the screen; the exit code.
/// Errors: usage (2), link (3), decoder (4).
pub fn run(args: &Args, settings: Settings) -> Result<u8, Failure> {
    start_guard();
    // Keys and recordings go on without a decoder that does not return.
    survive();
    let (wake, woken) = bounded(1);
    let capability = Capability::of_process();
    let config = settings.config.clone();
    let esc_wait = Duration::from_millis(config.integer("ui.esc-wait").unwrap_or(50).unsigned_abs());
    let plan = settings.recording(args);
    let mut app = open::open(args, settings, &capability, wake)?;
    install_panic_hook();
    if let Some(plan) = plan {
        let failures = app.edge.record_all(&plan).map_err(Failure::input)?;
        failures.into_iter().for_each(|text| app.model.fail(text));
    }
    let terminal_use = TerminalUse { ask: capability.answers, mouse: config.on("ui.mouse") };
    let (events, happened) = bounded(256);
    listen_to_signals(events.clone()).map_err(Failure::input)?;
    let terminal = Terminal::claim(terminal_use).map_err(|e| Failure::input(format!("terminal: {e}")))?;
    listen_to_keys(events, esc_wait).map_err(Failure::input)?;
    let ascii = app.model.screen.look.glyphs == Glyphs::Ascii;
    let (width, height) = terminal.size();
    let screen = Screen::new(width, height, capability.depth, ascii);
    let budget = config.integer("ui.budget").and_then(|b| u32::try_from(b).ok());
    let budget = if args.slow { SLOW_BUDGET } else { budget.unwrap_or_else(|| capability.budget()) };
    app.model.screen.slow_line = budget <= SSH_BUDGET;
    let fps = config.integer("ui.fps").and_then(|f| u32::try_from(f).ok()).unwrap_or(30);
    let mut output = Output::new(terminal, screen, budget, fps);
    let result = app.run(&mut output, &happened, &woken);
    drop(output);
    app.model.last_words.iter().for_each(|words| failure::say_words(words));
    let is_gone = matches!(result, Ok(TERMINAL_GONE) | Err(_));
    if args.keep_recording && is_gone && app.edge.is_recording() {
        let code = app.record_on(&happened, &woken);
        return Ok(if app.end_recordings() { code } else { 3 });
    }
    app.end_recordings();
    result.map_err(|e| Failure { code: TERMINAL_GONE, text: format!("terminal: {e}") })
}

/// The model and what is around it.
pub struct App {
    pub model: Model,
    pub edge: Edge,
}

impl App {
    /// Handles a message and all messages that follow from it. Without `output`, the terminal is not touched.
    pub fn send(&mut self, message: Message, mut output: Option<&mut Output>) -> io::Result<()> {
        let mut inbox = VecDeque::from([message]);
        while let Some(message) = inbox.pop_front() {
            for effect in update(&mut self.model, message) {
                inbox.extend(self.edge.carry_out(effect, &self.model, output.as_deref_mut())?);
            }
        }
        Ok(())
    }

    /// Handles outside events and continues background work.
    pub fn turn(&mut self, now: Instant, mut output: Option<&mut Output>) -> io::Result<()> {
        for message in self.edge.poll(&self.model) {
            self.send(message, output.as_deref_mut())?;
        }
        self.send(Message::Tick(now), output.as_deref_mut())?;
        while self.model.jobs.unfinished && now.elapsed() < SLICE {
            self.send(Message::Work, output.as_deref_mut())?;
        }
        Ok(())
    }

    /// Receives and records without a terminal until the inputs end or a signal comes; the exit code.
    fn record_on(&mut self, happened: &Receiver<TermEvent>, woken: &Receiver<()>) -> u8 {
        while self.edge.is_recording() {
            // Only output to a terminal can fail.
            let _ = self.turn(Instant::now(), None);
            select! {
                recv(happened) -> event => match event {
                    Ok(TermEvent::Terminate(signal)) => return 128 + signal as u8,
                    Ok(_) => {}
                    Err(_) => std::thread::sleep(LOOK),
                },
                recv(woken) -> _ => {}
                default(LOOK) => {}
            }
        }
        0
    }

    /// Completes the recordings, also of senders that came a moment ago. `false` if one failed; says it on standard
    /// error.
    fn end_recordings(&mut self) -> bool {
        // Only output to a terminal can fail.
        let _ = self.turn(Instant::now(), None);
        let failures = self.edge.finish_recordings();
        failures.iter().for_each(failure::say);
        failures.is_empty()
    }

    /// Turns until the program is to end; its exit code.
    fn run(&mut self, output: &mut Output, happened: &Receiver<TermEvent>, woken: &Receiver<()>) -> io::Result<u8> {
        let (mut urgency, nothing) = (Urgency::Key, never());
        loop {
            self.turn(Instant::now(), Some(output))?;
            self.send(Message::Drawn(output.figures()), Some(output))?;
            if let Some(code) = self.model.quit {
                return Ok(code);
            }
            let drawn = self.draw(output, urgency)?;
            urgency = if self.model.panes.is_list_in_front() { Urgency::Data } else { Urgency::Figures };
            if !is_held() {
                // A plugin has returned at last.
                output.resume()?;
                continue;
            }
            let (sleep, woken) = match drawn {
                _ if self.model.is_unfinished() => (PAUSE, woken),
                // What comes before the next frame is not seen before that: all of it is dealt with together.
                Drawn::Later(wait) => (wait.min(REST), &nothing),
                Drawn::Now(_) => (sleep(&self.model), woken),
            };
            select! {
                recv(happened) -> event => match event {
                    Ok(event) => urgency = self.take(event, output)?,
                    Err(_) => self.model.quit = Some(TERMINAL_GONE),
                },
                recv(woken) -> _ => {}
                default(sleep) => {}
            }
            // Keys that came together are answered together.
            while let Ok(event) = happened.try_recv() {
                if self.take(event, output)? == Urgency::Key {
                    urgency = Urgency::Key;
                }
                if self.model.quit.is_some() {
                    break;
                }
            }
        }
    }

    fn draw(&mut self, output: &mut Output, urgency: Urgency) -> io::Result<Drawn> {
        let area = output.screen().area();
        let model = &mut self.model;
        output.draw(urgency, |screen| {
            // A frame asks for nothing: it only makes what is drawn.
            let _ = update(model, Message::Frame((area.width, area.height)));
            view::draw(model, screen);
        })
    }

    /// Events of the terminal itself are dealt with here, all others by the model.
    fn take(&mut self, event: TermEvent, output: &mut Output) -> io::Result<Urgency> {
        let message = match event {
            TermEvent::Resize => {
                output.resize();
                return Ok(Urgency::Key);
            }
            TermEvent::Synchronises => {
                output.synchronise();
                return Ok(Urgency::Key);
            }
            TermEvent::Suspend => {
                output.suspend()?;
                return Ok(Urgency::Key);
            }
            TermEvent::Continued => {
                output.resume()?;
                return Ok(Urgency::Key);
            }
            TermEvent::Input(Event::Mouse(event)) => Message::Mouse(event),
            TermEvent::Input(Event::Key(key)) => Message::Key(Key::of(key), Instant::now()),
            TermEvent::Input(Event::Paste(text)) => Message::Paste(text),
            TermEvent::Input(_) => return Ok(Urgency::Data),
            TermEvent::Terminate(signal) => Message::Quit(128 + signal as u8),
            TermEvent::Hangup | TermEvent::Gone => Message::Quit(TERMINAL_GONE),
        };
        let urgency = if matches!(message, Message::Quit(_)) { Urgency::Data } else { Urgency::Key };
        self.send(message, Some(output))?;
        Ok(urgency)
    }
}
