//! Links from arguments.

use std::time::{Duration, Instant};

use spytui_engine::link::{Link, LinkKind, LinkOptions, LinkSpec, LinkState};

use super::{args::LinkArgs, failure::Failure};

/// All links that the arguments name, in the order of the flags.
///
/// # Errors
/// One of them can't be understood.
pub fn specs(args: &LinkArgs) -> Result<Vec<LinkSpec>, Failure> {
    let mut specs = Vec::new();
    if let Some(port) = &args.port {
        let mut spec = LinkSpec::serial(port).map_err(Failure::usage)?;
        if let (Some(baud), LinkKind::Serial(serial)) = (args.baud, &mut spec.kind) {
            if baud == 0 {
                return Err(Failure::usage("--baud 0: a rate is at least 1 bit per second"));
            }
            serial.baud = baud;
        }
        specs.push(spec);
    }
    let mut add = |texts: &[String], parse: &dyn Fn(&str) -> Result<LinkSpec, Failure>| {
        texts.iter().try_for_each(|text| parse(text).map(|spec| specs.push(spec)))
    };
    add(&args.file, &|t| LinkSpec::parse(t).map_err(Failure::usage))?;
    add(&args.tcp, &|t| LinkSpec::tcp(t).map_err(Failure::usage))?;
    add(&args.listen, &|t| LinkSpec::listen(t).map_err(Failure::usage))?;
    add(&args.udp, &|t| LinkSpec::udp(t).map_err(Failure::usage))?;
    add(&args.input, &|t| LinkSpec::parse(t).map_err(Failure::usage))?;
    Ok(specs)
}

/// Their settings.
#[must_use]
pub fn options(args: &LinkArgs) -> LinkOptions {
    LinkOptions { once: args.once, follow: args.follow, ..LinkOptions::default() }
}

/// Exactly one link.
///
/// # Errors
/// None or several are named.
pub fn one(args: &LinkArgs) -> Result<LinkSpec, Failure> {
    match specs(args)?.as_slice() {
        [one] => Ok(one.clone()),
        [] => Err(Failure::usage("which link? A path, - for stdin, --port, --tcp, --listen or --udp")),
        _ => Err(Failure::usage("one link at a time here; the screen takes several")),
    }
}

/// How long a link whose log has ended may take to say how it ended.
const LAST_WORD: Duration = Duration::from_secs(1);

/// How a link ended: a failure in its own words. Its log ends a moment before its state tells.
///
/// # Errors
/// The link failed (3).
pub fn verdict(link: &Link, stopped: bool) -> Result<(), Failure> {
    let patience = Instant::now() + LAST_WORD;
    while !stopped && !link.state().is_over() && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(5));
    }
    match link.state() {
        LinkState::Failed(text) => Err(Failure::input(text)),
        _ => Ok(()),
    }
}
