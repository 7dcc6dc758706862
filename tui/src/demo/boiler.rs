//! The boiler of `firmware/` in real time.

use spytui_demo_target::{AVAILABLE, FaultError, Faults, Proto, QNX_FORMATS, STEP, Target};
use spytui_engine::io::link::{self, InProcessTarget};

use crate::hint::did_you_mean;

const _: () = assert!(STEP.as_nanos() == link::STEP.as_nanos(), "it runs in real time");
/// Seed of its scenario and default seed of its faults: every run is the same.
const SEED: u32 = 1;

/// Runs the boiler instead of a capture.
pub(super) const IS_LIVE: bool = AVAILABLE;

pub(super) fn check(faults: Option<&str>) -> Result<(), String> {
    faults.map_or(Ok(()), |list| parse(list).map(|_| ()))
}

fn parse(list: &str) -> Result<Faults, String> {
    let mut faults = Faults::parse(list).map_err(|error| text_of(&error))?;
    if faults.seed == 0 {
        faults.seed = SEED;
    }
    Ok(faults)
}

fn text_of(error: &FaultError) -> String {
    match error {
        FaultError::Unknown { text, known } => {
            let name = text.split('=').next().unwrap_or_default();
            let hint = match did_you_mean(name, known.iter().copied()) {
                hint if hint.is_empty() => format!("; the faults are {}", known.join(" ")),
                hint => hint,
            };
            format!("--faults {error}{hint}")
        }
        FaultError::Number { .. } => format!("--faults {error}"),
        FaultError::NoTarget => "--faults: this build had no C compiler, so it replays captures as they are".to_owned(),
    }
}

/// Starts it; `None` if this build has none.
pub(super) fn start(proto: &str, faults: Option<&str>) -> Result<Option<Box<dyn InProcessTarget>>, String> {
    let Some(proto) = Proto::named(proto).filter(|_| AVAILABLE) else { return Ok(None) };
    let list = faults.unwrap_or_default();
    let target = Target::new(proto, &parse(list)?, SEED);
    let target = target.ok_or_else(|| "--demo: no memory for the target".to_owned())?;
    Ok(Some(Box::new(Boiler { target, faults: list.to_owned() })))
}

/// Format file with texts of its user events; other protocols have them in the stream.
pub(super) fn formats(proto: &str) -> Option<(&'static str, &'static str)> {
    (AVAILABLE && Proto::named(proto) == Some(Proto::Qnx)).then_some(("boiler.fmt", QNX_FORMATS))
}

struct Boiler {
    target: Target,
    faults: String,
}

impl InProcessTarget for Boiler {
    fn up_text(&self) -> String {
        match self.faults.as_str() {
            "" => "demo: a boiler".to_owned(),
            faults => format!("demo: a boiler, faults {faults}"),
        }
    }

    fn step(&mut self) {
        self.target.step();
    }

    fn read(&mut self, to: &mut Vec<u8>) {
        self.target.read(to);
    }

    fn can_feed(&self) -> bool {
        true
    }

    fn feed(&mut self, bytes: &[u8]) {
        self.target.feed(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_faults_is_said() {
        if !AVAILABLE {
            return;
        }
        for (list, text) in [
            ("flip=200,flp=1", "--faults flp=1: no such fault; did you mean \"flip\"?"),
            ("x=1", "x=1: no such fault; the faults are flip loss noise dup burst link-rate reset-every garbage seed"),
            ("flip=1,loss=1000001", "--faults loss=1000001: loss must be a number from 0 to 1000000"),
            ("burst", "--faults burst: burst must be a number from 0 to 1000000"),
        ] {
            let error = check(Some(list)).unwrap_err();
            assert!(error.contains(text), "{error}");
        }
        assert_eq!(check(Some("flip=200,loss=0,link-rate=2000")), Ok(()));
        assert_eq!(check(None), Ok(()));
    }
}
