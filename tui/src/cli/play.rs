//! `spytui play`: a recording that is played again, on the screen, as lines, or for readers of a TCP port.

use std::{
    io::{self, Write},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use spytui_engine::{
    decode::{Chosen, Opener},
    io::{
        link::{InProcessTarget, Link, LinkKind, LinkOptions, LinkSpec, LinkState, Readers, STEP},
        log::{RawLog, open_recorded},
    },
    trace::playback::{PaceSource, PlayPlan, Playback},
    unreadable,
};

use super::{
    args::{Args, PlayArgs, RowFormat},
    decoders,
    failure::{self, Failure, Stop},
    formats,
    settings::Settings,
};

/// The arguments of a run in which the recording is the link.
pub fn as_link(args: &Args, play: &PlayArgs) -> Args {
    let mut args = args.clone();
    (args.command, args.play) = (None, Some(plan(play)));
    args.decoder = play.decoder.clone();
    args.link.input = vec![play.file.clone()];
    args
}

fn plan(args: &PlayArgs) -> PlayPlan {
    let steps = args.step.then(|| Arc::new(AtomicU64::new(0)));
    PlayPlan { speed: args.speed, looped: args.looped, rate: args.rate, steps, ..PlayPlan::default() }
}

/// The decoder of a recording that is played, if it is named or its bytes show it. Errors: they may be of several (2).
pub fn decoder_of(opener: &Opener<'_>, specs: &[LinkSpec]) -> Result<Option<Chosen>, Failure> {
    if let Some(chosen) = opener.named().map_err(Failure::usage)? {
        return Ok(Some(chosen));
    }
    let found = opener.of_file(specs, &LinkOptions::default(), false).map_err(Failure::usage)?;
    found.map(|found| opener.of_found(&found)).transpose().map_err(Failure::usage)
}

/// Opens a recording as a link on which it is played; also returns a remark about its pace, if any. Errors: it can't be
/// read (3), or its records aren't known (2).
pub fn open(
    spec: &LinkSpec,
    plan: &PlayPlan,
    chosen: Option<Chosen>,
    options: LinkOptions,
) -> Result<(Link, Option<String>), Failure> {
    let playback = Playback::new(recorded(spec)?, chosen, plan.clone()).map_err(Failure::usage)?;
    let remark = remark(&playback, plan);
    let link = Link::run(&spec.short(), Box::new(playback), LinkOptions { input: None, ..options });
    Ok((link.map_err(Failure::input)?, remark))
}

fn remark(playback: &Playback, plan: &PlayPlan) -> Option<String> {
    let pace = playback.source;
    let is_guess = plan.rate.is_none() && matches!(pace, PaceSource::Rate(_));
    is_guess.then(|| format!("nothing says when these bytes came: {pace}; --rate sets another"))
}

/// Sends a record for each line of standard input; at its end, all that is left.
pub fn step_by_lines(plan: &PlayPlan) {
    let Some(steps) = plan.steps.clone() else { return };
    let read = move || {
        for _ in io::stdin().lines().map_while(Result::ok) {
            steps.fetch_add(1, Ordering::Relaxed);
        }
        steps.store(u64::MAX, Ordering::Relaxed);
    };
    if let Err(error) = thread::Builder::new().name("steps".into()).spawn(read) {
        failure::say(&format!("standard input is not read: {error}"));
    }
}

fn recorded(spec: &LinkSpec) -> Result<Arc<RawLog>, Failure> {
    let LinkKind::Path(path) = &spec.kind else {
        return Err(Failure::usage(format!("{spec}: play takes a recording or another file")));
    };
    if !path.is_file() {
        let error = path.metadata().err().unwrap_or_else(|| io::Error::other("only a file can be played"));
        return Err(Failure::input(unreadable(path, &error)));
    }
    let log = open_recorded(path).map_err(|error| Failure::input(unreadable(path, &error)))?.log;
    log.end(0);
    Ok(log)
}

/// Interval of looks for readers and signals.
const LOOK: Duration = Duration::from_millis(20);
/// After a longer pause, what was due meanwhile is not caught up with.
const CATCH_UP: Duration = Duration::from_secs(1);

/// Serves the recording at a TCP port: each reader gets it from its beginning. Ends when those that came have all of it.
/// Errors: usage (2), file or port (3).
pub fn serve(args: &PlayArgs, address: &str, settings: &Settings) -> Result<u8, Failure> {
    let spec = LinkSpec::parse(&args.file).map_err(Failure::usage)?;
    let at = LinkSpec::of_scheme("listen", address).map_err(Failure::usage)?;
    let named = settings.decoder(&args.decoder, None, std::slice::from_ref(&spec))?;
    let registry = formats::registry(&named, settings)?;
    let opener = decoders::opener(&registry, settings, &named, RowFormat::Native);
    let log = recorded(&spec)?;
    let chosen = decoder_of(&opener, std::slice::from_ref(&spec))?;
    let plan = plan(args);
    let each = plan.clone();
    let new = Arc::new(move || Playback::new(log.clone(), chosen.clone(), each.clone()));
    let first = new().map_err(Failure::usage)?;
    let stop = Stop::install().map_err(Failure::input)?;
    let readers = Readers::listen(&at, "serve-tcp").map_err(Failure::input)?;
    remark(&first, &plan).iter().for_each(failure::say);
    let name = &readers.name;
    failure::say(&format!("{spec} at {name}, {}; spytui --{name} reads it", first.source));
    step_by_lines(&plan);
    // Set once a reader has everything.
    let served = Arc::new(AtomicBool::new(false));
    let are_done = || served.load(Ordering::Relaxed) && readers.present() == 0;
    while !stop.flag.load(Ordering::Relaxed) && !are_done() {
        let (new, served) = (new.clone(), served.clone());
        let play = move |reader: &mut dyn Write, peer: &str| match new()
            .map_err(io::Error::other)
            .and_then(|playback| play_to(playback, reader))
        {
            Ok(()) => served.store(true, Ordering::Relaxed),
            Err(error) => failure::say(&format!("{peer}: {error}")),
        };
        if !readers.accept(None, play).map_err(|error| Failure::input(format!("{name}: {error}")))? {
            thread::sleep(LOOK);
        }
    }
    Ok(stop.code())
}

/// Plays to a reader, who may be slower.
fn play_to(mut playback: Playback, stream: &mut dyn Write) -> io::Result<()> {
    let (mut bytes, mut due) = (Vec::new(), Instant::now());
    loop {
        playback.read(&mut bytes);
        stream.write_all(&bytes)?;
        bytes.clear();
        // TCP carries bytes alone.
        if playback.event().is_some() {
            continue;
        }
        match playback.end() {
            Some(LinkState::Failed(why)) => return Err(io::Error::other(why)),
            Some(_) => return Ok(()),
            None => {}
        }
        due += STEP;
        if due.elapsed() > CATCH_UP {
            due = Instant::now();
        }
        thread::sleep(due.saturating_duration_since(Instant::now()));
        playback.step();
    }
}
