//! Replaces the boiler in builds without the feature `demo-target`.

use spytui_engine::io::link::InProcessTarget;

pub(super) const IS_LIVE: bool = false;

pub(super) fn check(faults: Option<&str>) -> Result<(), String> {
    match faults {
        Some(_) => {
            Err("--faults: this build replays captures; its feature demo-target has a target with faults".into())
        }
        None => Ok(()),
    }
}

pub(super) fn start(_: &str, _: Option<&str>) -> Result<Option<Box<dyn InProcessTarget>>, String> {
    Ok(None)
}

pub(super) fn formats(_: &str) -> Option<(&'static str, &'static str)> {
    None
}
