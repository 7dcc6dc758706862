//! The program with a screen: opens decoders, links, sessions and the model, then runs the main loop: receives
//! messages, updates the model, carries out effects, draws frames.
//!
//! ```text
//! key, signal ─▶ Message ─▶ update(&mut Model) ─▶ Effects ─▶ Edge ─▶ Messages …
//! links, jobs ─▶ Edge::poll ─▶ Message                       view::draw(&Model) ─▶ Screen
//! ```

use std::{
    collections::VecDeque,
    io,
    sync::Arc,
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, Sender, bounded, never, select};
use crossterm::event::Event;
use spytui_engine::{
    decode::{Chosen, Opener},
    io::{
        link::{Link, LinkKind, LinkOptions, LinkSpec},
        text::text_hint,
    },
    open::{Options, survive},
    query::Vocabulary,
    trace::list::Filter,
};

use crate::{
    app_log::{self, LogLevel},
    cli::{
        args::{Args, FRONT_END_NEEDS_PROTO, RowFormat},
        decoders, exec,
        failure::{self, Failure},
        filter, formats, links, play,
        settings::Settings,
    },
    commands::COMMANDS,
    config::state_file,
    demo,
    effects::{Edge, LinkPort},
    input::{History, KeyPress},
    model::{
        DecodeRequest, Message, Model, ModelSettings, console,
        links::{Autodetect, Links},
        list::List,
    },
    pane,
    sys::ScreenSignal,
    term::{
        Capability, Depth, Drawn, Glyphs, SLOW_BUDGET, SSH_BUDGET, Screen, ScreenOutput, TermEvent, Terminal,
        TerminalUse, Theme, Urgency, install_panic_hook, is_held, listen_to_keys, listen_to_signals, start_guard,
    },
    update::{sleep, update},
    view,
    widget::Look,
};

/// Time for background work per turn of the main loop.
const SLICE: Duration = Duration::from_millis(8);
/// Pause between turns with background work, as decoding threads also need the rows.
const PAUSE: Duration = Duration::from_millis(1);

/// Maximum time that input waits for the next frame.
const REST: Duration = Duration::from_millis(50);

/// Interval for checking sources without a terminal.
const LOOK: Duration = Duration::from_millis(500);
/// Exit code if the terminal is gone.
const TERMINAL_GONE: u8 = 129;

/// Opens everything and runs the screen; returns the exit code. Errors: usage (2), link (3), decoder (4).
pub fn run(args: &Args, settings: Settings) -> Result<u8, Failure> {
    start_guard();
    // Keys and recordings keep working without a decoder that does not return.
    survive();
    let (wake, woken) = bounded(1);
    let capability = Capability::of_process();
    let config = settings.config.clone();
    let esc_wait = Duration::from_millis(config.integer("ui.esc-wait").unwrap_or(50).unsigned_abs());
    let plan = settings.recording(args);
    let mut app = open(args, settings, &capability, wake)?;
    install_panic_hook();
    if let Some(plan) = plan {
        let failures = app.edge.record_all(&plan).map_err(Failure::input)?;
        failures.into_iter().for_each(|text| app.model.fail(text));
    }
    app.edge.write_at_start(&args.write.files, args.console.len()).map_err(Failure::input)?;
    app.edge.is_fresh = args.fresh;
    let scope = app.model.links.scope.clone();
    if let Some(resumed) = app.edge.resume(&scope, &app.model) {
        app.send(resumed, None).map_err(Failure::input)?;
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
    let mut output = ScreenOutput::new(terminal, screen, budget, fps);
    let result = app.run(&mut output, &happened, &woken);
    drop(output);
    app.model.last_words.iter().for_each(|words| failure::say_words(words));
    let is_gone = matches!(result, Ok(TERMINAL_GONE) | Err(_));
    if args.keep_recording && is_gone && app.edge.is_recording() {
        let code = app.record_on(&happened, &woken);
        return Ok(if app.end() { code } else { 3 });
    }
    app.end();
    result.map_err(|e| Failure { code: TERMINAL_GONE, text: format!("terminal: {e}") })
}

pub struct App {
    pub model: Model,
    pub edge: Edge,
}

impl App {
    /// Handles a message and all messages that result from it. Without `output`, the terminal is not touched.
    pub fn send(&mut self, message: Message, mut output: Option<&mut ScreenOutput>) -> io::Result<()> {
        let mut inbox = VecDeque::from([message]);
        while let Some(message) = inbox.pop_front() {
            for effect in update(&mut self.model, message) {
                inbox.extend(self.edge.carry_out(effect, &self.model, output.as_deref_mut())?);
            }
        }
        Ok(())
    }

    /// Handles outside events and continues background work.
    pub fn turn(&mut self, now: Instant, mut output: Option<&mut ScreenOutput>) -> io::Result<()> {
        for message in self.edge.poll(&self.model) {
            self.send(message, output.as_deref_mut())?;
        }
        self.send(Message::Tick(now), output.as_deref_mut())?;
        while self.model.jobs.unfinished && now.elapsed() < SLICE {
            self.send(Message::Work, output.as_deref_mut())?;
        }
        Ok(())
    }

    /// Receives and records without a terminal until the inputs end or a signal arrives; returns the exit code.
    fn record_on(&mut self, happened: &Receiver<TermEvent>, woken: &Receiver<()>) -> u8 {
        while self.edge.is_recording() {
            // Only output to a terminal can fail.
            let _ = self.turn(Instant::now(), None);
            select! {
                recv(happened) -> event => match event {
                    Ok(TermEvent::Signal(ScreenSignal::Terminate(signal))) => return 128 + signal as u8,
                    Ok(_) => {}
                    Err(_) => std::thread::sleep(LOOK),
                },
                recv(woken) -> _ => {}
                default(LOOK) => {}
            }
        }
        0
    }

    /// Completes the recordings, including those of senders that have just joined, and remembers what the user left.
    /// Reports on standard error what failed; returns `false` if it was a recording.
    fn end(&mut self) -> bool {
        // Only output to a terminal can fail.
        let _ = self.turn(Instant::now(), None);
        let failures = self.edge.finish_recordings(&self.model);
        failures.iter().chain(&self.edge.remember(&self.model)).for_each(failure::say);
        failures.is_empty()
    }

    /// Runs until the program must end; returns its exit code.
    fn run(
        &mut self,
        output: &mut ScreenOutput,
        happened: &Receiver<TermEvent>,
        woken: &Receiver<()>,
    ) -> io::Result<u8> {
        let (mut urgency, nothing) = (Urgency::Key, never());
        loop {
            self.turn(Instant::now(), Some(output))?;
            self.send(Message::Drawn(output.figures), Some(output))?;
            if let Some(code) = self.model.quit {
                return Ok(code);
            }
            let drawn = self.draw(output, urgency)?;
            urgency = if self.model.panes.is_list_in_front() { Urgency::Data } else { Urgency::Figures };
            if !is_held() {
                // A plugin has finally returned.
                output.resume()?;
                continue;
            }
            let (sleep, woken) = match drawn {
                _ if self.model.jobs.unfinished || self.model.list.page.unfinished => (PAUSE, woken),
                // Input before the next frame is batched.
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
            // Keys that arrived together are handled together.
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

    fn draw(&mut self, output: &mut ScreenOutput, urgency: Urgency) -> io::Result<Drawn> {
        let area = output.screen.area();
        let model = &mut self.model;
        output.draw(urgency, |screen| {
            // A frame requests no effects: it only prepares what is drawn.
            let _ = update(model, Message::Frame((area.width, area.height)));
            view::draw(model, screen);
        })
    }

    /// Handles events of the terminal itself; passes others to the model.
    fn take(&mut self, event: TermEvent, output: &mut ScreenOutput) -> io::Result<Urgency> {
        match event {
            TermEvent::Signal(ScreenSignal::Resized) => drop(output.resize()),
            TermEvent::Signal(ScreenSignal::Suspend) => output.suspend()?,
            TermEvent::Signal(ScreenSignal::Continued) => output.resume()?,
            TermEvent::Synchronises => output.synchronise(),
            TermEvent::Input(Event::Mouse(event)) => self.send(Message::Mouse(event), Some(output))?,
            TermEvent::Input(Event::Key(key)) => {
                self.send(Message::Key(KeyPress::of(key), Instant::now()), Some(output))?;
            }
            TermEvent::Input(Event::Paste(text)) => self.send(Message::Paste(text), Some(output))?,
            TermEvent::Input(_) => return Ok(Urgency::Data),
            TermEvent::Signal(ScreenSignal::HungUp | ScreenSignal::Terminate(_)) | TermEvent::Gone => {
                let code = if let TermEvent::Signal(end) = event { end.exit_code() as u8 } else { TERMINAL_GONE };
                self.send(Message::Quit(code), Some(output))?;
                return Ok(Urgency::Data);
            }
        }
        Ok(Urgency::Key)
    }
}

/// Opens decoder, links and sessions.
/// Errors: usage (2), link (3), decoder (4).
fn open(args: &Args, settings: Settings, capability: &Capability, wake: Sender<()>) -> Result<App, Failure> {
    let (registry, format_files) = formats::read(&args.decoder, &settings)?;
    let specs = links::specs(&args.link)?;
    let opener = decoders::opener(&registry, &settings, &args.decoder, RowFormat::Native);
    let mut link_options = LinkOptions { watch: true, ..settings.link_options(&args.link) };
    let first = FirstDecoder::of(&opener, &link_options, &specs)?;
    let (decoder, options) = &first.chosen;
    let words = if first.is_open { Vocabulary::open() } else { filter::vocabulary(decoder, &registry) };
    let triggers = filter::of_triggers(settings.triggers(args), &words)?;
    let filter = filter::read(args.filter.as_deref(), words, &settings)?;
    open_log();
    app_log::wake(wake.clone());
    registry.notes.iter().for_each(|note| app_log::note(LogLevel::Info, "plugin", note));
    let memory = settings.row_memory();
    let decode = |target, source| {
        let (decoder, options) = (decoder.clone(), options.clone());
        DecodeRequest { decoder, options, target, source, memory }
    };
    let (mut ports, mut sources, mut remarks) = (Vec::new(), Vec::new(), Vec::new());
    if let Some(proto) = &args.demo.proto {
        let link = demo::open(proto, args.demo.faults.as_deref(), &registry, settings.link_options(&args.link));
        let port =
            LinkPort::of_link(link.map_err(Failure::usage)?, decode(0, 0), wake.clone()).map_err(Failure::options)?;
        sources.push(port.source(0));
        ports.push(port);
    }
    let demos = sources.len();
    let chosen = Some(&first.chosen).filter(|_| !first.is_open);
    link_options.frames = Some(decoders::frame_test(&registry, chosen));
    // A demo's decoder is only for the demo.
    let is_of_demo = args.demo.proto.is_some() && args.decoder.proto == args.demo.proto;
    let finds_decoders = first.is_open || first.said.is_some() || is_of_demo;
    for (target, specs) in (demos..).zip(links::by_target(specs)) {
        let own = match &first.said {
            Some(_) if target > demos => of_further(&opener, &link_options, &specs)?,
            _ => None,
        };
        for (source, spec) in (0..).zip(specs) {
            let link = match &args.play {
                Some(plan) => {
                    let chosen = Some(first.chosen.clone()).filter(|_| !first.is_open);
                    let (link, remark) = play::open(&spec, plan, chosen, link_options.clone())?;
                    remarks.extend(remark);
                    link
                }
                None => Link::open(spec, link_options.clone()).map_err(Failure::input)?,
            };
            let decode = match own.clone() {
                Some((decoder, options)) => DecodeRequest { decoder, options, ..decode(target, source) },
                None => decode(target, source),
            };
            let mut port = LinkPort::of_link(link, decode, wake.clone()).map_err(Failure::options)?;
            port.decoder_is_open = first.is_open;
            let mut source = port.source(target);
            if first.is_open {
                source.autodetect = Autodetect::to_choose(args.decoder.options.clone());
            }
            sources.push(source);
            ports.push(port);
        }
    }
    if let Some(address) = args.front_end {
        if first.is_open {
            return Err(Failure::usage(FRONT_END_NEEDS_PROTO));
        }
        ports.first_mut().map_or(Ok(address), |port| port.serve(address)).map_err(Failure::input)?;
    }
    let refused = filter_target(args, &settings, &ports, first.is_open)?;
    for text in &args.console {
        let target = sources.len();
        let decode = console::request(&registry, target, memory).map_err(Failure::usage)?;
        let spec = console::link(text).map_err(Failure::usage)?;
        let port = LinkPort::console(spec, &link_options, decode, wake.clone()).map_err(Failure::input)?;
        sources.push(port.source(target));
        ports.push(port);
    }
    drop(opener);
    let links = Links::new(Arc::new(registry), sources);
    let mut model = model_of(args, links, Filter::new(filter), settings, capability)?;
    let steps = args.play.as_ref().and_then(|plan| plan.steps.clone());
    let how = steps.is_some().then(|| "record by record: s sends the next one".to_owned());
    for said in first.said.into_iter().chain(remarks).chain(how) {
        model.say(said);
    }
    if let Some(refused) = refused {
        model.fail(refused);
    }
    if !model.links.registry.formats.is_empty() {
        crate::model::decoder::report_formats(&mut model);
    }
    for refused in model.settings.config.refused.clone() {
        model.fail(refused);
    }
    let mut edge = Edge::new(ports, wake);
    (edge.links, edge.finds_decoders, edge.steps) = (link_options, finds_decoders, steps);
    edge.watch(format_files);
    let mut app = App { model, edge };
    for (rule, expr) in triggers {
        // Only output to a terminal can fail.
        let _ = app.send(Message::SetTrigger(rule, expr), None);
    }
    Ok(app)
}

/// Sends the target filter of the arguments when the link comes up; returns why that is impossible, if so.
fn filter_target(
    args: &Args,
    settings: &Settings,
    ports: &[LinkPort],
    is_decoder_open: bool,
) -> Result<Option<String>, Failure> {
    let Some(spec) = settings.target_filter(args)? else { return Ok(None) };
    if is_decoder_open {
        return Err(Failure::usage("--target-filter: what is sent depends on the decoder: --proto NAME names it"));
    }
    let [port] = ports else { return Err(Failure::usage(exec::ONE_LINK)) };
    let sent = port.control.send_when_up(&format!("filter {spec}"));
    Ok(sent.err().map(|error| format!("--target-filter: {error}")))
}

struct FirstDecoder {
    chosen: Chosen,
    /// It is only used until the bytes show the right decoder.
    is_open: bool,
    /// Why it was chosen.
    said: Option<String>,
}

impl FirstDecoder {
    fn of(opener: &Opener<'_>, options: &LinkOptions, specs: &[LinkSpec]) -> Result<FirstDecoder, Failure> {
        if let Some(chosen) = opener.named().map_err(Failure::usage)? {
            let hint = |spec: &LinkSpec| match &spec.kind {
                LinkKind::Path(path) if options.input.is_none() => text_hint(path),
                _ => None,
            };
            let said = specs.iter().find_map(hint);
            return Ok(FirstDecoder { chosen, is_open: false, said });
        }
        // A growing file may not have shown it yet.
        let specs = if options.follow { &[] } else { specs };
        let found = opener.of_file(specs, options, false);
        if let Some(found) = found.map_err(Failure::usage)? {
            let said = Some(found.to_string());
            let chosen = opener.of_found(&found).map_err(Failure::usage)?;
            return Ok(FirstDecoder { chosen, is_open: false, said });
        }
        let any = opener.registry.decoders.first().cloned();
        let any = any.ok_or_else(|| Failure::decoder("there is no decoder: --plugin FILE loads one"))?;
        Ok(FirstDecoder { chosen: (any, Options::default()), is_open: true, said: None })
    }
}

/// The decoder of a further target, if its bytes show it; may differ from that of the first one.
fn of_further(opener: &Opener<'_>, options: &LinkOptions, specs: &[LinkSpec]) -> Result<Option<Chosen>, Failure> {
    let found = opener.of_file(specs, options, true);
    let found = found.map_err(|text| Failure::usage(format!("{text}. --proto forces one.")))?;
    found.map(|found| opener.of_found(&found)).transpose().map_err(Failure::usage)
}

fn model_of(
    args: &Args,
    mut links: Links,
    filter: Filter,
    settings: Settings,
    capability: &Capability,
) -> Result<Model, Failure> {
    let look = look(args, &settings, capability)?;
    let history = state_file("history").and_then(|path| History::load(&path).ok()).unwrap_or_default();
    links.memory = settings.row_memory();
    let Settings { config, keymap, .. } = settings;
    let live = links.sources.iter().any(|source| !source.status.state.is_over());
    let list = List::new(links.rows(), live, filter);
    let settings = ModelSettings::new(config, keymap, COMMANDS);
    let mut model = Model::new(links, list, pane::panes(), history, look, settings, Instant::now());
    model.screen.few_colours = !capability.many_colours;
    Ok(model)
}

/// Theme and glyphs: as configured, otherwise as the terminal suggests.
fn look(args: &Args, settings: &Settings, capability: &Capability) -> Result<Look, Failure> {
    let theme = match (capability.depth, settings.config.text("ui.theme")) {
        (Depth::Mono, _) | (_, "auto") => capability.theme(),
        (_, name) => name,
    };
    let theme = Theme::named(theme, &|name| settings.folders.theme(name)).map_err(Failure::usage)?;
    let theme = if capability.many_colours { theme } else { theme.with_few_colours() };
    let configured = Glyphs::named(settings.config.text("ui.glyphs"));
    let glyphs = if args.ascii { Glyphs::Ascii } else { configured.unwrap_or(capability.glyphs) };
    Ok(Look { theme, glyphs })
}

fn open_log() {
    let level = std::env::var("SPYTUI_LOG").ok().and_then(|word| LogLevel::named(&word)).unwrap_or(LogLevel::Info);
    if let Some(path) = state_file("log") {
        // Without a log file, the Log pane is all there is.
        if let Some(folder) = path.parent() {
            let _ = std::fs::create_dir_all(folder);
        }
        let _ = app_log::open(&path, level);
    }
}
