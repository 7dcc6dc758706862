//! `spytui record`: a link to NAME.bin and NAME.meta, until it ends or a signal comes.

use std::{io::Write, sync::atomic::Ordering, time::Duration};

use spytui_engine::{
    link::{Link, LinkEvent, LinkOptions},
    log::{MetaHead, RecordPhase, Recorder},
};

use super::{args::RecordArgs, failure::Failure, links, stop::Stop};

const LOOK: Duration = Duration::from_millis(100);

/// Runs the command.
///
/// # Errors
/// Usage (2), link or disk (3).
pub fn run(args: &RecordArgs) -> Result<u8, Failure> {
    let spec = links::one(&args.link)?;
    let head =
        MetaHead { link: spec.to_string(), decoder: args.proto.clone().unwrap_or_default(), ..MetaHead::default() };
    // Nothing decodes here, so nothing is ahead of a decoder.
    let options = LinkOptions { throttle: None, ..links::options(&args.link) };
    let link = Link::open(spec, options).map_err(Failure::input)?;
    let stop = Stop::install().map_err(Failure::input)?;
    let log = link.sources().remove(0).log;
    let mut recorder = Recorder::start(log.clone(), &args.out, head).map_err(Failure::input)?;
    say(&format!("recording {} to {}", link.spec(), recorder.state().path.display()));
    while !stop.flag.load(Ordering::Relaxed) && !matches!(recorder.state().phase, RecordPhase::Stopped) {
        for event in link.events().try_iter() {
            if let LinkEvent::Note(text) = event {
                say(&text);
            }
        }
        if let RecordPhase::Failed(text) = recorder.state().phase {
            return Err(Failure::input(text));
        }
        if link.state().is_over() && log.ended() && recorder.state().bytes + recorder.state().missed >= log.len() {
            break;
        }
        std::thread::sleep(LOOK);
    }
    let state = recorder.stop();
    links::verdict(&link, stop.code() != 0)?;
    say(&format!("{} bytes in {}", state.bytes, state.path.display()));
    Ok(stop.code())
}

fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "spytui: {text}");
}
