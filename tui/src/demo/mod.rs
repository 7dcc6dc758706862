//! `--demo PROTO`: a target inside this program, no hardware needed. It is the boiler of `firmware/`, with the faults of
//! `--faults`. A build without it replays a bundled capture instead.
//!
//! | module | what is in it |
//! |---|---|
//! | `boiler` | the boiler |
//! | `replay` | a bundled capture in a loop, with a little damage |

#[cfg_attr(not(feature = "demo-target"), path = "no_boiler.rs")]
mod boiler;
mod replay;

use spytui_engine::{
    link::{InProcessTarget, Link, LinkOptions},
    plugin::Registry,
};

use replay::Replay;

/// Name of the link to the demo.
const NAME: &str = "demo";

/// Whether there is such a demo, and whether its faults can be understood.
///
/// # Errors
/// What is wrong, in a sentence.
pub fn check(proto: &str, faults: Option<&str>) -> Result<(), String> {
    replay::capture_of(proto)?;
    boiler::check(faults)
}

/// Starts the demo of a protocol.
///
/// # Errors
/// As for [`check`], or the link can't be made.
pub fn open(proto: &str, faults: Option<&str>, registry: &Registry, mut options: LinkOptions) -> Result<Link, String> {
    check(proto, faults)?;
    // What arguments say of inputs is not about the demo.
    options.input = None;
    let target: Box<dyn InProcessTarget> = match boiler::start(proto, faults)? {
        Some(boiler) => boiler,
        None => Box::new(Replay::start(proto, registry)?),
    };
    Link::run(NAME, target, options).map_err(|error| error.to_string())
}

/// Format file that belongs to a demo, with its name.
pub fn formats(proto: &str) -> Option<(&'static str, &'static str)> {
    boiler::formats(proto)
}
