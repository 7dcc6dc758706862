//! Opens decoders, links and sessions, and the model around them.

use std::{
    sync::Arc,
    time::{Instant, SystemTime},
};

use crossbeam_channel::Sender;
use spytui_engine::{
    link::{Link, LinkOptions, LinkSpec},
    list::{Filter, RowList},
};

use super::App;
use crate::{
    action::History,
    app_log::{self, Level},
    cli::{
        args::{Args, Format},
        decoders,
        failure::Failure,
        filter, links,
        settings::Settings,
    },
    command::COMMANDS,
    demo::Demo,
    effects::{Edge, Port, state_file},
    model::{DecodeRequest, Model, links::Links, list::List, settings::ModelSettings},
    pane,
    term::{Capability, Depth, Glyphs, Theme},
    widget::Look,
};

/// Opens decoder, links and sessions.
///
/// # Errors
/// Usage (2), link (3), decoder (4).
pub(super) fn open(args: &Args, settings: Settings, capability: &Capability, wake: Sender<()>) -> Result<App, Failure> {
    let registry = decoders::registry(&args.decoder.plugins.plugins, &settings)?;
    let (decoder, options) = decoders::chosen(&registry, &args.decoder, Format::Native)?;
    let filter = filter::filter(args.filter.as_deref(), &decoder.info, &settings)?;
    open_log();
    app_log::wake(wake.clone());
    registry.notes().iter().for_each(|note| app_log::note(Level::Info, "plugin", note));
    let memory = settings.row_memory();
    let decode = |target, source| {
        let (decoder, options) = (decoder.clone(), options.clone());
        DecodeRequest { decoder, options, target, source, memory }
    };
    let (mut ports, mut sources) = (Vec::new(), Vec::new());
    if let Some(proto) = &args.demo {
        let demo = Demo::start(proto, &registry).map_err(Failure::usage)?;
        ports.push(Port::of_demo(demo, decode(0, 0), wake.clone()).map_err(Failure::usage)?);
        sources.push(ports[0].source(0));
    }
    let demos = sources.len();
    for (target, specs) in (demos..).zip(links::by_target(links_of(args)?)) {
        for (source, spec) in (0..).zip(specs) {
            let options = LinkOptions { watch: true, ..settings.link_options(&args.link) };
            let link = Link::open(spec, options).map_err(Failure::input)?;
            let port = Port::of_link(link, decode(target, source), wake.clone()).map_err(Failure::usage)?;
            sources.push(port.source(target));
            ports.push(port);
        }
    }
    let links = Links::new(Arc::new(registry), sources, SystemTime::now());
    let model = model_of(args, links, Filter::new(filter), settings, capability)?;
    Ok(App { model, edge: Edge::new(ports, wake) })
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
    let list = List::new(RowList::new(links.decodings()), live, filter);
    let settings = ModelSettings::new(config, keymap, COMMANDS);
    Ok(Model::new(links, list, pane::panes(), history, look, settings, Instant::now()))
}

/// Theme and glyphs: as configured, else as the terminal says.
fn look(args: &Args, settings: &Settings, capability: &Capability) -> Result<Look, Failure> {
    let theme = match (capability.depth, settings.config.text("ui.theme")) {
        (Depth::Mono, _) | (_, "auto") => capability.theme(),
        (_, name) => name,
    };
    let theme = Theme::named(theme, &|name| settings.folders.theme(name)).map_err(Failure::usage)?;
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
