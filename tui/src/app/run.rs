//! The main loop: events in, state changed, frames out.

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, Sender, bounded, select};
use spytui_engine::{
    link::{Link, LinkSpec},
    list::Filter,
    plugin::Registry,
    session::{Session, SessionOptions},
};

use super::{
    effect::Effect,
    list::List,
    source::{Feed, Source},
    state::{App, Look},
};
use crate::{
    action::History,
    app_log::{self, Level},
    cli::{
        args::{Args, Format},
        decoders,
        failure::Failure,
        links, output,
        settings::Settings,
    },
    demo::Demo,
    term::{
        Capability, Drawn, Glyphs, Output, SLOW_BUDGET, Screen, TermEvent, Terminal, TerminalUse, Theme, Urgency,
        install_panic_hook, listen_to_keys, listen_to_signals,
    },
    view,
};

/// Opens everything and runs the screen; the exit code.
///
/// # Errors
/// Usage (2), link (3), decoder (4).
pub fn run(args: &Args, settings: Settings) -> Result<u8, Failure> {
    let (wake, woken) = bounded(1);
    let capability = Capability::of_process();
    let mouse = settings.config.on("ui.mouse");
    let esc_wait = Duration::from_millis(settings.config.integer("ui.esc-wait").unwrap_or(50).unsigned_abs());
    let mut app = open(args, settings, &capability, wake)?;
    install_panic_hook();
    if let Some(path) = &args.record {
        app.record_all(path).map_err(Failure::input)?;
    }
    let claim = TerminalUse { ask: capability.answers, mouse };
    let (events, happened) = bounded(256);
    listen_to_signals(events.clone()).map_err(Failure::input)?;
    let terminal = Terminal::claim(claim).map_err(|e| Failure::input(format!("terminal: {e}")))?;
    listen_to_keys(events, capability.answers, esc_wait).map_err(Failure::input)?;
    let ascii = app.look.glyphs == Glyphs::Ascii;
    let (width, height) = terminal.size();
    let screen = Screen::new(width, height, capability.depth, ascii);
    let budget = app.config.integer("ui.budget").and_then(|b| u32::try_from(b).ok());
    let budget = if args.slow { SLOW_BUDGET } else { budget.unwrap_or_else(|| capability.budget()) };
    let fps = app.config.integer("ui.fps").and_then(|f| u32::try_from(f).ok()).unwrap_or(30);
    let mut output = Output::new(terminal, screen, budget, fps);
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
fn open(args: &Args, settings: Settings, capability: &Capability, wake: Sender<()>) -> Result<App, Failure> {
    let registry = decoders::registry(&args.decoder.plugins.plugins, &settings)?;
    let (decoder, options) = decoders::chosen(&registry, &args.decoder, Format::Native)?;
    let filter = output::filter(args.filter.as_deref(), &decoder.info)?;
    open_log();
    app_log::wake(wake.clone());
    registry.notes().iter().for_each(|note| app_log::note(Level::Info, "plugin", note));
    let start = |feed, log, (name, core), (target, source): (usize, usize)| {
        let session = SessionOptions { source: source as u16, core, name, memory: settings.row_memory() };
        let session = Session::start(log, decoder.clone(), options.clone(), session, wake.clone());
        session.map(|session| Source::new(feed, session).of_target(target)).map_err(Failure::usage)
    };
    let mut sources = Vec::new();
    if let Some(proto) = &args.demo {
        let demo = Demo::start(proto, &registry).map_err(Failure::usage)?;
        let log = demo.log().clone();
        sources.push(start(Feed::Demo(demo), log, ("demo".to_owned(), None), (0, 0))?);
    }
    let demos = sources.len();
    for (target, specs) in links::by_target(links_of(args)?).into_iter().enumerate() {
        for (source, spec) in specs.into_iter().enumerate() {
            let link = Link::open(spec, settings.link_options(&args.link)).map_err(Failure::input)?;
            let (log, name, core) = (link.sources().remove(0).log, link.spec().short(), link.spec().core);
            sources.push(start(Feed::Link(Box::new(link)), log, (name, core), (demos + target, source))?);
        }
    }
    app_of(args, registry, sources, Filter::new(filter), settings, capability, wake)
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

fn app_of(
    args: &Args,
    registry: Registry,
    sources: Vec<Source>,
    filter: Filter,
    settings: Settings,
    capability: &Capability,
    wake: Sender<()>,
) -> Result<App, Failure> {
    let look = look(args, &settings, capability)?;
    let decoded = sources[0].decoded();
    let live = sources.iter().any(|source| !source.state().is_over());
    let history = state_file("history").and_then(|path| History::load(&path).ok()).unwrap_or_default();
    let Settings { config, keymap, .. } = settings;
    let list = List::new(live, filter);
    let mut app = App::new(Arc::new(registry), sources, decoded, list, look, keymap, history, wake);
    app.take_config(config);
    Ok(app)
}

/// Theme and glyphs: as configured, else as the terminal says.
fn look(args: &Args, settings: &Settings, capability: &Capability) -> Result<Look, Failure> {
    let theme = match (capability.depth, settings.config.text("ui.theme")) {
        (crate::term::Depth::Mono, _) => "mono",
        (_, "auto") if capability.light => "light",
        (_, "auto") => "dark",
        (_, name) => name,
    };
    let theme = Theme::named(theme, &|name| settings.folders.theme(name)).map_err(Failure::usage)?;
    let configured = Glyphs::named(settings.config.text("ui.glyphs"));
    let glyphs = if args.ascii { Glyphs::Ascii } else { configured.unwrap_or(capability.glyphs) };
    Ok(Look { theme, glyphs })
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
        let _ = app_log::open(&path, level);
    }
}
