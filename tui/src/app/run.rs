//! The main loop: events in, state changed, frames out.

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, Sender, bounded, select};
use spytui_engine::{
    link::{Link, LinkSpec},
    plugin::Registry,
    session::{Filter, Session, SessionOptions},
    store::rows::BUDGET,
};

use super::{
    effect::Effect,
    list::List,
    source::{Feed, Source},
    state::{App, Look},
};
use crate::{
    action::{History, Keymap},
    cli::{
        args::{Args, Format},
        decoders,
        failure::Failure,
        links, output,
    },
    demo::Demo,
    journal::{self, Level},
    term::{
        Capability, Claim, Drawn, Glyphs, Output, SLOW_BUDGET, Screen, TermEvent, Terminal, Theme, Urgency,
        install_panic_hook, listen_to_keys, listen_to_signals,
    },
    view,
};

/// An Esc followed so soon by `[` or `O` is the beginning of a key.
const ESC_WAIT: Duration = Duration::from_millis(50);
/// Most frames a second.
const FPS: u32 = 30;

/// Opens everything and runs the screen; the exit code.
///
/// # Errors
/// Usage (2), link (3), decoder (4).
pub fn run(args: &Args) -> Result<u8, Failure> {
    let (wake, woken) = bounded(1);
    let mut app = open(args, wake)?;
    install_panic_hook();
    if let Some(path) = &args.record {
        app.source_mut().record(path).map_err(Failure::input)?;
    }
    let capability = Capability::of_process();
    let claim = Claim { ask: capability.answers, mouse: false };
    let (events, happened) = bounded(256);
    listen_to_signals(events.clone()).map_err(Failure::input)?;
    let terminal = Terminal::claim(claim).map_err(|e| Failure::input(format!("terminal: {e}")))?;
    listen_to_keys(events, capability.answers, ESC_WAIT).map_err(Failure::input)?;
    let ascii = app.look.glyphs == Glyphs::Ascii;
    let (width, height) = terminal.size();
    let screen = Screen::new(width, height, capability.depth, ascii);
    let budget = if args.slow { SLOW_BUDGET } else { capability.budget() };
    let mut output = Output::new(terminal, screen, budget, FPS);
    let result = turn(&mut app, &mut output, &happened, &woken);
    drop(output);
    result.map_err(|e| Failure { code: 129, text: format!("terminal: {e}") })
}

/// Turns until it is to end.
fn turn(
    app: &mut App,
    output: &mut Output,
    happened: &Receiver<TermEvent>,
    woken: &Receiver<()>,
) -> std::io::Result<u8> {
    let mut urgency = Urgency::Key;
    loop {
        let more = app.turn(Instant::now());
        carry_out(app, output)?;
        app.figures = output.figures();
        app.sample();
        let size = (output.screen().area().width, output.screen().area().height);
        let drawn = output.draw(urgency, |screen| {
            app.prepare(size);
            view::draw(app, screen);
        })?;
        if let Some(code) = app.quit {
            return Ok(code);
        }
        urgency = Urgency::Data;
        let sleep = match drawn {
            Drawn::Later(wait) => wait,
            Drawn::Now(_) if more || app.list.unfinished => Duration::from_millis(5),
            Drawn::Now(_) => app.sleep(),
        };
        select! {
            recv(happened) -> event => match event {
                Ok(event) => urgency = took(app, output, event)?,
                Err(_) => app.quit = Some(129),
            },
            recv(woken) -> _ => {}
            default(sleep) => {}
        }
        // Keys that came together are answered together.
        while let Ok(event) = happened.try_recv() {
            let urgent = took(app, output, event)?;
            if urgent == Urgency::Key {
                urgency = urgent;
            }
            if app.quit.is_some() {
                break;
            }
        }
    }
}

/// Events of the terminal itself are dealt with here, all others by the state.
fn took(app: &mut App, output: &mut Output, event: TermEvent) -> std::io::Result<Urgency> {
    match event {
        TermEvent::Resize => {
            output.resize();
        }
        TermEvent::Synchronises => output.synchronise(),
        TermEvent::Suspend => output.suspend()?,
        TermEvent::Continued => output.resume()?,
        other => {
            let key = app.event(other);
            return Ok(if key { Urgency::Key } else { Urgency::Data });
        }
    }
    Ok(Urgency::Key)
}

fn carry_out(app: &mut App, output: &mut Output) -> std::io::Result<()> {
    for effect in std::mem::take(&mut app.effects) {
        match effect {
            Effect::Redraw => {
                output.resize();
                output.screen().redraw();
            }
            Effect::Suspend => output.suspend()?,
            Effect::Mouse(on) => output.terminal().set_mouse(on)?,
            Effect::Copy(text) => super::copy::copy(app, output.terminal(), &text)?,
        }
    }
    Ok(())
}

/// Opens decoder, links and sessions.
fn open(args: &Args, wake: Sender<()>) -> Result<App, Failure> {
    let registry = decoders::registry(&args.decoder.plugins.plugins)?;
    let chosen = match &args.demo {
        Some(proto) => crate::cli::args::DecoderArgs { proto: Some(proto.clone()), ..args.decoder.clone() },
        None => args.decoder.clone(),
    };
    let (decoder, options) = decoders::chosen(&registry, &chosen, Format::Native)?;
    let filter = output::filter(args.filter.as_deref())?;
    open_log();
    journal::wake(wake.clone());
    registry.notes().iter().for_each(|note| journal::note(Level::Info, "plugin", note));
    let mut sources = Vec::new();
    if let Some(proto) = &args.demo {
        let demo = Demo::start(proto, &registry).map_err(Failure::usage)?;
        let log = demo.log().clone();
        sources.push((Feed::Demo(demo), log, "demo".to_owned()));
    }
    for spec in links_of(args)? {
        let link = Link::open(spec, links::options(&args.link)).map_err(Failure::input)?;
        let (log, name) = (link.sources().remove(0).log, link.spec().short());
        sources.push((Feed::Link(Box::new(link)), log, name));
    }
    let sources = sources.into_iter().enumerate().map(|(i, (feed, log, name))| {
        let settings = SessionOptions { source: i as u16, name, memory: BUDGET };
        let session = Session::start(log, decoder.clone(), options.clone(), settings, wake.clone());
        session.map(|session| Source::new(feed, session)).map_err(Failure::usage)
    });
    let sources = sources.collect::<Result<Vec<_>, _>>()?;
    Ok(app_of(args, registry, sources, Filter::new(filter), wake))
}

fn links_of(args: &Args) -> Result<Vec<LinkSpec>, Failure> {
    let specs = links::specs(&args.link)?;
    if specs.is_empty() && args.demo.is_none() {
        return Err(Failure::usage(
            "which link? --port DEVICE, --tcp HOST:PORT, --listen PORT, --udp PORT, a file, or - for stdin; \
             --demo qs needs no hardware",
        ));
    }
    Ok(specs)
}

fn app_of(args: &Args, registry: Registry, sources: Vec<Source>, filter: Filter, wake: Sender<()>) -> App {
    let capability = Capability::of_process();
    let theme = match capability.depth {
        crate::term::Depth::Mono => "mono",
        _ if capability.light => "light",
        _ => "dark",
    };
    let glyphs = if args.ascii { Glyphs::Ascii } else { capability.glyphs };
    let look = Look { theme: Theme::named(theme, &|_| None).unwrap_or_default(), glyphs };
    let decoded = sources[0].decoded();
    let live = !sources[0].state().is_over();
    let history = state_file("history").and_then(|path| History::load(&path).ok()).unwrap_or_default();
    App::new(Arc::new(registry), sources, decoded, List::new(live, filter), look, Keymap::built_in(), history, wake)
}

/// A file in the state directory.
#[must_use]
pub fn state_file(name: &str) -> Option<PathBuf> {
    let dirs = directories::ProjectDirs::from("", "", "spytui")?;
    Some(dirs.state_dir().unwrap_or_else(|| dirs.data_local_dir()).join(name))
}

fn open_log() {
    let level = std::env::var("SPYTUI_LOG").ok().and_then(|word| Level::named(&word)).unwrap_or(Level::Info);
    if let Some(path) = state_file("log") {
        // Without a log file the Log pane is all there is.
        if let Some(folder) = path.parent() {
            let _ = std::fs::create_dir_all(folder);
        }
        let _ = journal::open(&path, level);
    }
}
