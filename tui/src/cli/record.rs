//! `spytui record`: a link to NAME.bin and NAME.meta, until it ends or a signal comes.

use std::{
    path::Path,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use spytui_engine::{
    link::{Link, LinkEvent, LinkOptions, LinkSource},
    log::{MetaHead, RawLog, RecordPhase, RecordState, Recorder},
};

use super::{
    args::{AUTO, RecordArgs},
    failure::{self, Failure},
    links,
    stop::Stop,
};

const LOOK: Duration = Duration::from_millis(100);

/// Runs the command. Each further sender of a link that has several streams is recorded to a file of its own.
///
/// # Errors
/// Usage (2), link or disk (3).
pub fn run(args: &RecordArgs) -> Result<u8, Failure> {
    let spec = links::one(&args.link)?;
    // Who opens the recording finds out what it is for.
    let decoder = args.proto.clone().filter(|proto| proto != AUTO).unwrap_or_default();
    let head = MetaHead { link: spec.to_string(), decoder, ..MetaHead::default() };
    // Nothing decodes here, so nothing is ahead of a decoder.
    let options = LinkOptions { throttle: None, ..links::options(&args.link) };
    let link = Link::open(spec, options).map_err(Failure::input)?;
    let stop = Stop::install().map_err(Failure::input)?;
    let mut streams: Vec<Stream> = Vec::new();
    while !stop.flag.load(Ordering::Relaxed) && !streams.first().is_some_and(Stream::is_stopped) {
        join(&link, &mut streams, &args.out, &head)?;
        for event in link.events().try_iter() {
            if let LinkEvent::Note(text) = event {
                failure::say(&text);
            }
        }
        streams.iter().try_for_each(Stream::goes_on)?;
        if link.state().is_over() && streams.iter().all(Stream::is_complete) {
            break;
        }
        std::thread::sleep(LOOK);
    }
    // Who came a moment before the end is recorded, too.
    join(&link, &mut streams, &args.out, &head)?;
    let states: Vec<RecordState> = streams.iter_mut().map(|stream| stream.recorder.stop()).collect();
    links::verdict(&link, stop.code() != 0)?;
    states.iter().for_each(|state| failure::say(&format!("{} bytes in {}", state.bytes, state.path.display())));
    Ok(stop.code())
}

/// Starts a recording of each stream that has none.
fn join(link: &Link, streams: &mut Vec<Stream>, out: &Path, head: &MetaHead) -> Result<(), Failure> {
    for source in link.sources().into_iter().skip(streams.len()) {
        streams.push(Stream::start(&source, out, head.clone())?);
    }
    Ok(())
}

/// A stream being recorded.
struct Stream {
    log: Arc<RawLog>,
    recorder: Recorder,
}

impl Stream {
    /// The first goes to `out` itself.
    fn start(source: &LinkSource, out: &Path, head: MetaHead) -> Result<Stream, Failure> {
        let path = match u16::try_from(source.index) {
            Ok(0) => out.to_owned(),
            index => links::recording_of(out, index.unwrap_or(u16::MAX)),
        };
        let recorder = Recorder::start(source.log.clone(), &path, head).map_err(Failure::input)?;
        failure::say(&format!("recording {} to {}", source.name, recorder.state().path.display()));
        Ok(Stream { log: source.log.clone(), recorder })
    }

    fn is_stopped(&self) -> bool {
        matches!(self.recorder.state().phase, RecordPhase::Stopped)
    }

    fn goes_on(&self) -> Result<(), Failure> {
        match self.recorder.state().phase {
            RecordPhase::Failed(text) => Err(Failure::input(text)),
            _ => Ok(()),
        }
    }

    /// `true` if everything received is written or lost.
    fn is_complete(&self) -> bool {
        let state = self.recorder.state();
        self.log.ended() && state.bytes + state.missed >= self.log.len()
    }
}
