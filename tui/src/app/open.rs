//! Opens decoders, links and sessions, and the model around them.

use std::{sync::Arc, time::Instant};

use crossbeam_channel::Sender;
use spytui_engine::{
    io::link::{Link, LinkKind, LinkOptions, LinkSpec},
    io::text::text_hint,
    open::{Chosen, Opener, Options},
    query::Vocabulary,
    trace::list::Filter,
};

use super::App;
use crate::{
    app_log::{self, Level},
    cli::{
        args::{Args, Format},
        auto, decoders, exec,
        failure::Failure,
        filter, formats, links,
        settings::Settings,
    },
    commands::COMMANDS,
    config::state_file,
    demo,
    effects::{Edge, Port},
    input::History,
    model::{
        DecodeRequest, Model,
        links::{Autodetect, Links},
        list::List,
        settings::ModelSettings,
    },
    pane,
    term::{Capability, Depth, Glyphs, Theme},
    widget::Look,
};

/// Opens decoder, links and sessions.
/// Errors: usage (2), link (3), decoder (4).
pub(super) fn open(args: &Args, settings: Settings, capability: &Capability, wake: Sender<()>) -> Result<App, Failure> {
    let (registry, format_files) = formats::read(&args.decoder, &settings)?;
    let specs = links::specs(&args.link)?;
    let opener = auto::opener(&registry, &settings, &args.decoder, Format::Native);
    let first = FirstDecoder::of(&opener, args, &specs)?;
    let (decoder, options) = &first.chosen;
    let filter = match first.is_open {
        true => filter::read(args.filter.as_deref(), Vocabulary::open(), &settings)?,
        false => filter::filter(args.filter.as_deref(), decoder, &registry, &settings)?,
    };
    open_log();
    app_log::wake(wake.clone());
    registry.notes().iter().for_each(|note| app_log::note(Level::Info, "plugin", note));
    let memory = settings.row_memory();
    let decode = |target, source| {
        let (decoder, options) = (decoder.clone(), options.clone());
        DecodeRequest { decoder, options, target, source, memory }
    };
    let (mut ports, mut sources) = (Vec::new(), Vec::new());
    if let Some(proto) = &args.demo.proto {
        let link = demo::open(proto, args.demo.faults.as_deref(), &registry, settings.link_options(&args.link));
        let port =
            Port::of_link(link.map_err(Failure::usage)?, decode(0, 0), wake.clone()).map_err(Failure::options)?;
        sources.push(port.source(0));
        ports.push(port);
    }
    let demos = sources.len();
    let mut link_options = LinkOptions { watch: true, ..settings.link_options(&args.link) };
    let chosen = Some(&first.chosen).filter(|_| !first.is_open);
    link_options.frames = Some(decoders::frame_test(&registry, chosen));
    // The decoder of a demo is for the demo.
    let is_of_demo = args.demo.proto.is_some() && args.decoder.proto == args.demo.proto;
    let finds_decoders = first.is_open || first.said.is_some() || is_of_demo;
    for (target, specs) in (demos..).zip(links::by_target(specs)) {
        let own = match &first.said {
            Some(_) if target > demos => of_further(&opener, args, &specs)?,
            _ => None,
        };
        for (source, spec) in (0..).zip(specs) {
            let link = Link::open(spec, link_options.clone()).map_err(Failure::input)?;
            let decode = match own.clone() {
                Some((decoder, options)) => DecodeRequest { decoder, options, ..decode(target, source) },
                None => decode(target, source),
            };
            let mut port = Port::of_link(link, decode, wake.clone()).map_err(Failure::options)?;
            port.decoder_is_open = first.is_open;
            let mut source = port.source(target);
            if first.is_open {
                source.autodetect = Autodetect::to_choose(args.decoder.options.clone());
            }
            sources.push(source);
            ports.push(port);
        }
    }
    let refused = filter_target(args, &settings, &ports, first.is_open)?;
    drop(opener);
    let links = Links::new(Arc::new(registry), sources);
    let mut model = model_of(args, links, Filter::new(filter), settings, capability)?;
    if let Some(said) = first.said {
        model.say(said);
    }
    if let Some(refused) = refused {
        model.fail(refused);
    }
    if !model.links.registry.formats().is_empty() {
        crate::model::decoder::report_formats(&mut model);
    }
    for refused in model.settings.config.refused.clone() {
        model.fail(refused);
    }
    let mut edge = Edge::new(ports, wake);
    (edge.links, edge.finds_decoders) = (link_options, finds_decoders);
    edge.watch(format_files);
    Ok(App { model, edge })
}

/// Sends the target filter of the arguments when the link is up; returns why that is not possible.
fn filter_target(
    args: &Args,
    settings: &Settings,
    ports: &[Port],
    is_decoder_open: bool,
) -> Result<Option<String>, Failure> {
    let Some(spec) = settings.target_filter(args)? else { return Ok(None) };
    if is_decoder_open {
        return Err(Failure::usage("--target-filter: what is sent depends on the decoder: --proto NAME names it"));
    }
    let [port] = ports else { return Err(Failure::usage(exec::ONE_LINK)) };
    Ok(port.send_filter_at_start(&spec).err().map(|error| format!("--target-filter: {error}")))
}

struct FirstDecoder {
    chosen: Chosen,
    /// It is only used until the decoder is found by the bytes.
    is_open: bool,
    /// Why it was chosen.
    said: Option<String>,
}

impl FirstDecoder {
    fn of(opener: &Opener<'_>, args: &Args, specs: &[LinkSpec]) -> Result<FirstDecoder, Failure> {
        if let Some(chosen) = opener.named().map_err(Failure::usage)? {
            let hint = |spec: &LinkSpec| match &spec.kind {
                LinkKind::Path(path) if args.link.text.is_none() => text_hint(path),
                _ => None,
            };
            let said = specs.iter().find_map(hint);
            return Ok(FirstDecoder { chosen, is_open: false, said });
        }
        // A file that grows may not have shown it yet.
        let specs = if args.link.follow { &[] } else { specs };
        let found = opener.of_file(specs, args.link.text.map(Into::into), args.link.undo.map(Into::into), false);
        if let Some(found) = found.map_err(Failure::usage)? {
            let said = Some(found.to_string());
            let chosen = opener.of_found(&found).map_err(Failure::usage)?;
            return Ok(FirstDecoder { chosen, is_open: false, said });
        }
        let any = opener.registry.decoders().first().cloned();
        let any = any.ok_or_else(|| Failure::decoder("no decoder is there: --plugin FILE loads one"))?;
        Ok(FirstDecoder { chosen: (any, Options::default()), is_open: true, said: None })
    }
}

/// The decoder of a further target, if its bytes show it: it need not be that of the first one.
fn of_further(opener: &Opener<'_>, args: &Args, specs: &[LinkSpec]) -> Result<Option<Chosen>, Failure> {
    let found = opener.of_file(specs, args.link.text.map(Into::into), args.link.undo.map(Into::into), true);
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
    let Settings { config, keymap, .. } = settings;
    if let Some(memory) = config.size("store.memory").and_then(|bytes| usize::try_from(bytes).ok()) {
        links.memory = memory;
    }
    let live = links.sources.iter().any(|source| !source.status.state.is_over());
    let list = List::new(links.rows(), live, filter);
    let settings = ModelSettings::new(config, keymap, COMMANDS);
    let mut model = Model::new(links, list, pane::panes(), history, look, settings, Instant::now());
    model.screen.few_colours = !capability.many_colours;
    Ok(model)
}

/// Theme and glyphs: as configured, else as the terminal says.
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
    let level = std::env::var("SPYTUI_LOG").ok().and_then(|word| Level::named(&word)).unwrap_or(Level::Info);
    if let Some(path) = state_file("log") {
        // Without a log file the Log pane is all there is.
        if let Some(folder) = path.parent() {
            let _ = std::fs::create_dir_all(folder);
        }
        let _ = app_log::open(&path, level);
    }
}
