//! `spytui record`: a link to NAME.bin and NAME.meta, until it ends or a signal comes.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use spytui_engine::{
    link::{Link, LinkEvent, LinkOptions, LinkSource, LinkState},
    log::MetaHead,
};

use super::{
    args::{AUTO, DecoderArgs, Format, RecordArgs},
    decoders,
    failure::{self, Failure},
    links,
    recordings::{Recordings, Subject},
    settings::Settings,
    stop::Stop,
};
use crate::recording::{self, Plan, SourceName};

const LOOK: Duration = Duration::from_millis(100);

/// Runs the command. Each further sender of a link that has several streams is recorded to a file of its own.
///
/// # Errors
/// Usage (2), link or disk (3).
pub fn run(args: &RecordArgs, settings: &Settings) -> Result<u8, Failure> {
    let spec = links::one(&args.link)?;
    let mut head = MetaHead { link: spec.to_string(), ..MetaHead::default() };
    // Nothing decodes here, so nothing is ahead of a decoder.
    let mut options = LinkOptions { throttle: None, ..settings.link_options(&args.link) };
    // Whoever opens the recording finds out what it is for, if that is not told; all that is received is kept for them.
    if args.proto.as_ref().is_some_and(|proto| proto != AUTO) {
        let registry = decoders::registry(&[], settings)?;
        let wanted = DecoderArgs { proto: args.proto.clone(), ..DecoderArgs::default() };
        let wanted = settings.decoder(&wanted, None, std::slice::from_ref(&spec))?;
        let chosen = decoders::chosen(&registry, &wanted, Format::Native)?;
        head = recording::head(spec.to_string(), Some(&chosen));
        options.frames = Some(decoders::frame_test(&registry, Some(&chosen)));
    }
    let name = SourceName::of_link(&spec);
    let link = Link::open(spec, options).map_err(Failure::input)?;
    let stop = Stop::install().map_err(Failure::input)?;
    let first = link.sources().remove(0);
    let subject = Subject { name, log: first.log.clone(), head: head.clone() };
    let plan = Plan::new(&settings.config, args.out.clone());
    let mut recorded = Recorded { recordings: Recordings::start(plan, vec![subject])?, head, sources: 1 };
    recorded.say_newest(&first);
    while !stop.flag.load(Ordering::Relaxed) && !recorded.recordings.are_over() {
        recorded.join(&link);
        for event in link.events().try_iter() {
            if let LinkEvent::Note(text) | LinkEvent::State(LinkState::Waiting(text)) = event {
                failure::say(&text);
            }
        }
        std::thread::sleep(LOOK);
    }
    // Who came a moment before the end is recorded, too.
    recorded.join(&link);
    let states = recorded.recordings.finish();
    links::verdict(&link, stop.code() != 0)?;
    states.iter().for_each(|state| failure::say(&format!("{} bytes in {}", state.bytes, state.names())));
    Ok(recorded.recordings.code(stop.code()))
}

/// The recordings, and how many sources they are of.
struct Recorded {
    recordings: Recordings,
    head: MetaHead,
    sources: usize,
}

impl Recorded {
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
