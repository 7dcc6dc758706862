//! Links from arguments, and messages about bytes without a valid frame.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use spytui_engine::{
    decode::{
        Quality, core_of,
        guess::{Likely, likely, sample_of},
        pattern,
        quality::{NoFrame, SourceFacts, Suspect},
    },
    export::stats::SourceStats,
    io::{
        link::{Link, LinkEvent, LinkKind, LinkOptions, LinkSpec, LinkState, OpenedFile},
        log::RawLog,
    },
    open::{Decoder, Options, Registry},
    store::{Counters, Dictionary},
    trace::stream::{Pipeline, TargetFlow, Targets},
};
use spytui_plugin_api::{Info, Source};

use super::{
    args::LinkArgs,
    failure::{self, Failure},
};

/// Maximum lead in bytes of a non-seekable input over its decoder.
pub(super) const WINDOW: u64 = 4_000_000;
/// Log memory; must exceed WINDOW.
pub(super) const MEMORY: u64 = 3 * WINDOW;

/// All links named by the arguments, in the order of the flags. Errors: one of them is invalid.
pub fn specs(args: &LinkArgs) -> Result<Vec<LinkSpec>, Failure> {
    let mut specs = Vec::new();
    if let Some(port) = &args.port {
        let mut spec = LinkSpec::of_scheme("serial", port).map_err(Failure::usage)?;
        if let (Some(baud), LinkKind::Serial(serial)) = (args.baud, &mut spec.kind) {
            serial.baud = baud;
        }
        specs.push(spec);
    }
    let mut add = |spec: Result<LinkSpec, String>| spec.map(|spec| specs.push(spec)).map_err(Failure::usage);
    args.file.iter().try_for_each(|text| add(LinkSpec::parse(text)))?;
    args.tcp.iter().try_for_each(|text| add(LinkSpec::of_scheme("tcp", text)))?;
    args.listen.iter().try_for_each(|text| add(LinkSpec::of_scheme("listen", text)))?;
    args.udp.iter().try_for_each(|text| add(LinkSpec::of_scheme("udp", text)))?;
    args.input.iter().try_for_each(|text| add(LinkSpec::parse(text)))?;
    Ok(specs)
}

pub fn options(args: &LinkArgs) -> LinkOptions {
    LinkOptions { once: args.once, follow: args.follow, input: args.text, undo: args.undo, ..LinkOptions::default() }
}

/// Groups inputs by target. If any input names a core (`FILE@N`), all inputs belong to one target. Otherwise each input
/// is a separate target.
pub fn by_target(specs: Vec<LinkSpec>) -> Vec<Vec<LinkSpec>> {
    match specs.iter().any(|spec| spec.core.is_some()) {
        true => vec![specs],
        false => specs.into_iter().map(|spec| vec![spec]).collect(),
    }
}

#[derive(Debug)]
pub struct LinkedTarget {
    first: u16,
    pub links: Vec<Link>,
    pub logs: Vec<Arc<RawLog>>,
    /// Names of the links as given by the user.
    pub names: Vec<String>,
    /// Files that are read once.
    files: Vec<OpenedFile>,
}

impl LinkedTarget {
    /// Opens all links.
    /// Errors: no link is given, or stdin twice (2); a link cannot be opened (3).
    pub fn open(specs: Vec<LinkSpec>, options: &LinkOptions) -> Result<LinkedTarget, Failure> {
        can_be_read(&specs)?;
        LinkedTarget::numbered(specs, options, 0)
    }

    pub fn of_link(link: Link) -> LinkedTarget {
        let log = link.sources().remove(0).log;
        let name = link.spec().to_string();
        LinkedTarget { first: 0, links: vec![link], logs: vec![log], names: vec![name], files: Vec::new() }
    }

    /// Opens all links of all targets.
    /// Errors: as for [`LinkedTarget::open`].
    pub fn open_each(specs: Vec<LinkSpec>, options: &LinkOptions) -> Result<Vec<LinkedTarget>, Failure> {
        can_be_read(&specs)?;
        let mut first = 0;
        let open = |specs: Vec<LinkSpec>| {
            let target = LinkedTarget::numbered(specs, options, first)?;
            first += target.links.len() as u16;
            Ok(target)
        };
        by_target(specs).into_iter().map(open).collect()
    }

    fn numbered(specs: Vec<LinkSpec>, options: &LinkOptions, first: u16) -> Result<LinkedTarget, Failure> {
        let names = specs.iter().map(LinkSpec::to_string).collect();
        let open = |spec| Link::open(spec, options.clone()).map_err(Failure::input);
        let links = specs.into_iter().map(open).collect::<Result<Vec<Link>, Failure>>()?;
        let logs: Vec<Arc<RawLog>> = links.iter().map(|link| link.sources().remove(0).log).collect();
        let once = logs.iter().filter(|_| !options.follow);
        let files = once.filter_map(|log| OpenedFile::of(log)).collect();
        Ok(LinkedTarget { first, links, logs, names, files })
    }

    pub fn sources(&self, info: &Info) -> Vec<Source> {
        let source = |(index, link): (u16, &Link)| Source { index, core: core_of(info, link.spec().core, index) };
        (self.first..).zip(&self.links).map(source).collect()
    }

    /// The target before its decoder is opened. With `ordered`, a first pass over files finds clocks reported late.
    /// Errors: the options conflict (2).
    pub fn start(&self, decoder: &Arc<Decoder>, options: &Options, ordered: bool) -> Result<TargetFlow, Failure> {
        let sources = self.sources(&decoder.info);
        let name = self.names.first().map_or("", String::as_str);
        let is_live = self.links.iter().any(Link::is_live);
        let target = TargetFlow::new(decoder, options, name, &sources, &self.logs, is_live);
        let mut target = target.map_err(Failure::options)?;
        target.has_prepass = ordered;
        Ok(target)
    }

    /// Messages about patterns of damage in the sources, or about another decoder that fits.
    pub fn damage(
        &self,
        registry: &Registry,
        (decoder, options): (&Decoder, &Options),
        flow: &Pipeline,
    ) -> Vec<String> {
        let words = |(index, (name, log)): (usize, (&String, &Arc<RawLog>))| {
            let counters = flow.counters(index).filter(|counters| counters.bad() > 0)?;
            let sample = sample_of(log)?;
            if let Some(pattern) = pattern(decoder, options, &sample) {
                return Some(format!("{name}: {pattern}"));
            }
            if counters.bad() < counters.rows.records {
                return None;
            }
            let id = &decoder.info.id;
            let is_other = |found: &Likely| found.sure && found.decoder.info.id != *id;
            let found = likely(&registry.decoders, &sample).filter(is_other)?;
            Some(format!("{name}: read as {id}, but it looks like {found}"))
        };
        self.names.iter().zip(&self.logs).enumerate().filter_map(words).collect()
    }

    pub fn stats(&self, pipeline: &Pipeline) -> Vec<SourceStats> {
        self.names.iter().enumerate().map(|(index, name)| source_stats(pipeline, index, name)).collect()
    }

    /// The first failure of a link, as an error.
    pub fn verdict(&self, stopped: bool) -> Result<(), Failure> {
        self.links.iter().try_for_each(|link| verdict(link, stopped))?;
        self.files.iter().try_for_each(same)
    }
}

/// Whether a file still contains the bytes read. Errors: it does not (3).
pub fn same(file: &OpenedFile) -> Result<(), Failure> {
    file.verdict().map_err(Failure::input)?.iter().for_each(failure::say);
    Ok(())
}

/// Reports what damaged the streams of targets, if that is known. All targets are decoded.
pub fn say_damage(targets: &[LinkedTarget], registry: &Registry, chosen: (&Decoder, &Options), flows: &Targets) {
    let damage = targets.iter().zip(flows.iter()).flat_map(|(target, flow)| target.damage(registry, chosen, flow));
    damage.for_each(|text| failure::say(&text));
}

/// Message about names that did not fit, if any.
pub fn refused_names<'a>(pipelines: impl IntoIterator<Item = &'a Pipeline>) -> Option<String> {
    let refused = pipelines.into_iter().map(|pipeline| pipeline.dictionary().refused).sum();
    Dictionary::refusal(refused)
}

pub fn source_stats(pipeline: &Pipeline, source: usize, name: &str) -> SourceStats {
    let counters = pipeline.counters(source).cloned().unwrap_or_default();
    let (kinds, distributions) = (pipeline.kinds(source), pipeline.distributions(source));
    SourceStats { name: name.to_owned(), counters, kinds, distributions }
}

fn can_be_read(specs: &[LinkSpec]) -> Result<(), Failure> {
    if specs.is_empty() {
        return Err(Failure::usage("which link? A path, - for stdin, --port, --tcp, --listen, --udp or --demo"));
    }
    if specs.iter().filter(|spec| spec.kind == LinkKind::Stdin).count() > 1 {
        return Err(Failure::usage("- is given twice: stdin can be read only once"));
    }
    Ok(())
}

/// The only link given.
/// Errors: no link or several links are given.
pub fn one(args: &LinkArgs) -> Result<LinkSpec, Failure> {
    let specs = specs(args)?;
    can_be_read(&specs)?;
    match specs.as_slice() {
        [one] => Ok(one.clone()),
        _ => Err(Failure::usage("one link at a time here; record each with its own command")),
    }
}

/// How long to wait for the final state of a link after its log has ended.
const LAST_WORD: Duration = Duration::from_secs(1);

/// The failure of a link, as an error. Its log ends shortly before its state changes.
pub fn verdict(link: &Link, stopped: bool) -> Result<(), Failure> {
    let patience = Instant::now() + LAST_WORD;
    while !stopped && !link.state().is_over() && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(5));
    }
    say_notes(link);
    match link.state() {
        LinkState::Failed(text) => Err(Failure::input(text)),
        _ => Ok(()),
    }
}

/// Prints the link's messages not printed yet.
pub fn say_notes(link: &Link) {
    for event in link.events.try_iter() {
        let state = link.state();
        let text = match &event {
            LinkEvent::Note(text) => Some(text.as_str()),
            // Problems are also reported as notes, and a failure at the end.
            LinkEvent::State(LinkState::Waiting(text)) => Some(text.as_str()),
            _ => None,
        };
        if let Some(text) = text.filter(|&text| state.text() != Some(text) || !state.is_over()) {
            failure::say(text);
        }
    }
}

/// A watched source: a problem is reported once, until records arrive again.
#[derive(Debug, Default)]
pub(super) struct Watched {
    quality: Quality,
    is_said: bool,
}

impl Watched {
    pub(super) fn look<'a>(&mut self, counters: &Counters, line: impl FnOnce() -> SourceFacts<'a>) {
        self.quality.sample(counters);
        let is_noise = self.quality.bytes_without_record(counters.fed).is_some();
        if is_noise && !self.is_said {
            self.quality.no_frame(counters, &line()).iter().for_each(say);
        }
        self.is_said = is_noise;
    }
}

/// A source; `link` is `None` for further senders of a link, `decoder` while unknown.
pub(super) fn line<'a>(
    link: Option<&Link>,
    log: &'a RawLog,
    name: &'a str,
    decoder: Option<&'a str>,
) -> SourceFacts<'a> {
    let (facts, link) = link.map(|link| (link.facts(), link.counters())).unwrap_or_default();
    SourceFacts { name, decoder, log, facts, link }
}

/// Prints the finding with the next step.
pub(super) fn say(found: &NoFrame) {
    let advice = match found.suspect {
        Suspect::Rate => "--baud RATE sets another one; :baud auto on the screen tries them.",
        Suspect::Decoder => "--proto auto finds out.",
    };
    failure::say(&format!("{} {advice}", found.text));
}
