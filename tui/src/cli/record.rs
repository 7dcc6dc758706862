//! `spytui record`: a link to NAME.bin and NAME.meta, until it ends or a signal comes.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use spytui_engine::{
    io::link::{Link, LinkEvent, LinkOptions, LinkSource, LinkSpec, LinkState},
    io::log::MetaHead,
    open::{Chosen, Opener, Registry},
    present::clock::grouped,
};

use super::{
    args::{AUTO, DecoderArgs, DemoArgs, Format, RecordArgs},
    auto, decoders,
    failure::{self, Failure},
    formats, links,
    recordings::{Recordings, Subject},
    settings::Settings,
    stop::Stop,
};
use crate::{
    demo,
    recording::{self, Plan, SourceName},
};

const LOOK: Duration = Duration::from_millis(100);

/// Runs the command. Each further sender of a link that has several streams is recorded to a file of its own.
///
/// # Errors
/// Usage (2), link or disk (3).
pub fn run(args: &RecordArgs, settings: &Settings) -> Result<u8, Failure> {
    args.demo.check()?;
    let spec = args.demo.proto.is_none().then(|| links::one(&args.link)).transpose()?;
    // Nothing decodes here, so nothing is ahead of a decoder.
    let mut options = LinkOptions { throttle: None, ..settings.link_options(&args.link) };
    let wanted = DecoderArgs { proto: args.proto.clone(), demo: args.demo.proto.clone(), ..DecoderArgs::default() };
    let registry = formats::registry(&wanted, settings);
    let wanted = settings.decoder(&wanted, args.demo.proto.as_deref(), spec.as_slice())?;
    let named = args.proto.as_ref().is_some_and(|proto| proto != AUTO);
    // Decoders that can't be loaded are no reason not to record.
    let registry = match registry {
        Err(failure) if named => return Err(failure),
        registry => registry.unwrap_or_else(|_| Registry::new()),
    };
    let opener = auto::opener(&registry, settings, &wanted, Format::Native);
    let mut chosen = match opener.named() {
        Err(text) if named => return Err(Failure::usage(text)),
        known => known.unwrap_or(None),
    };
    // All that is received is kept if nobody said what it is.
    options.frames = chosen.as_ref().map(|chosen| decoders::frame_test(&registry, Some(chosen)));
    let link = open(spec, &args.demo, &registry, options)?;
    let head = recording::head(link.spec().to_string(), registry.formats().text(), chosen.as_ref());
    let stop = Stop::install().map_err(Failure::input)?;
    let first = link.sources().remove(0);
    let subject = Subject { name: SourceName::of_link(link.spec()), log: first.log.clone(), head: head.clone() };
    let plan = Plan::new(&settings.config, args.out.as_ref().or(args.named.as_ref()).cloned());
    let recordings = Recordings::start(plan, vec![subject])?;
    let mut recorded = Recorded { recordings, head, sources: 1, opener, looked: 0 };
    if let Some(chosen) = &chosen {
        recorded.recordings.read_with(chosen);
    }
    recorded.say_newest(&first);
    while !stop.flag.load(Ordering::Relaxed) && !recorded.recordings.are_over() {
        recorded.join(&link);
        if chosen.is_none() {
            chosen = recorded.find_decoder(&link);
        }
        for event in link.events().try_iter() {
            if let LinkEvent::Note(text) | LinkEvent::State(LinkState::Waiting(text)) = event {
                failure::say(&text);
            }
        }
        std::thread::sleep(LOOK);
    }
    // Who came a moment before the end is recorded, too.
    recorded.join(&link);
    if chosen.is_none() {
        recorded.find_decoder(&link);
    }
    let states = recorded.recordings.finish();
    links::verdict(&link, stop.code() != 0)?;
    states.iter().for_each(|state| failure::say(&format!("{} bytes in {}", grouped(state.bytes), state.names())));
    Ok(recorded.recordings.code(stop.code()))
}

/// Opens the link, or the demo if there is none.
fn open(spec: Option<LinkSpec>, demo: &DemoArgs, registry: &Registry, options: LinkOptions) -> Result<Link, Failure> {
    let Some(spec) = spec else {
        let proto = demo.proto.as_deref().unwrap_or_default();
        return demo::open(proto, demo.faults.as_deref(), registry, options).map_err(Failure::usage);
    };
    Link::open(spec, options).map_err(Failure::input)
}

/// The recordings, and how many sources they are of.
struct Recorded<'a> {
    recordings: Recordings,
    head: MetaHead,
    sources: usize,
    opener: Opener<'a>,
    /// Bytes that there were when the decoder was last looked for.
    looked: u64,
}

impl Recorded<'_> {
    /// The decoder that the bytes of the first source are for, if that is certain. What was looked at is looked at again
    /// when there is twice as much, and at the end.
    fn find_decoder(&mut self, link: &Link) -> Option<Chosen> {
        let log = link.sources().into_iter().next()?.log;
        let len = log.len();
        if len <= self.looked || len < self.looked.saturating_mul(2) && !log.ended() {
            return None;
        }
        self.looked = len;
        let found = self.opener.of_found(&self.opener.sure(&log)?).ok()?;
        self.recordings.read_with(&found);
        Some(found)
    }

    /// Starts a recording of each source that has none, and says what failed.
    fn join(&mut self, link: &Link) {
        self.recordings.look();
        for source in link.sources().into_iter().skip(self.sources) {
            self.sources += 1;
            let number = u16::try_from(source.index).unwrap_or(u16::MAX);
            let name = SourceName::of_word(&source.name);
            let subject = Subject { name, log: Arc::clone(&source.log), head: self.head.clone() };
            if self.recordings.join(number, subject) {
                self.say_newest(&source);
            }
        }
    }

    fn say_newest(&self, source: &LinkSource) {
        if let Some(path) = self.recordings.newest() {
            failure::say(&format!("recording {} to {}", source.name, path.display()));
        }
    }
}
