//! Hints for a link that receives nothing.

use std::time::Duration;

use super::{
    spec::{LinkKind, LinkSpec},
    state::{LinkCounters, LinkState},
};

/// A connected link that is silent for this long gets a hint.
const SILENT: Duration = Duration::from_secs(5);

/// A hint for the user in one sentence, if there is one.
pub(super) fn hint(spec: &LinkSpec, state: &LinkState, counters: &LinkCounters) -> Option<String> {
    if let Some(text) = state.text() {
        return Some(text.to_string());
    }
    let LinkState::Quiet(time) = state else { return None };
    if *time < SILENT || counters.bytes > 0 {
        return None;
    }
    let seconds = time.as_secs();
    match &spec.kind {
        LinkKind::Serial(serial) => {
            let is_on = |line| line != Some(false);
            let lines = match (is_on(serial.dtr), is_on(serial.rts)) {
                (true, true) => "DTR and RTS are on: :set dtr off. ",
                (true, false) => "DTR is on: :set dtr off. ",
                (false, _) => "DTR is off: :set dtr on. ",
            };
            let path = serial.path.display();
            Some(format!(
                "No byte for {seconds} s on {path}. Cable, TX/RX, rate? {lines}A target that streams only after reset: \
                 :target reset."
            ))
        }
        _ => Some(format!("No byte for {seconds} s on {}. Does the target send?", spec.short())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silent_port_gets_advice_until_its_first_byte() {
        let spec = LinkSpec::of_scheme("serial", "/dev/ttyUSB0").unwrap();
        let quiet = LinkState::Quiet(Duration::from_secs(5));
        let none = LinkCounters::default();
        assert_eq!(
            hint(&spec, &quiet, &none).unwrap(),
            "No byte for 5 s on /dev/ttyUSB0. Cable, TX/RX, rate? DTR and RTS are on: :set dtr off. \
             A target that streams only after reset: :target reset."
        );
        assert_eq!(hint(&spec, &quiet, &LinkCounters { bytes: 1, ..none }), None);
        assert_eq!(hint(&spec, &LinkState::Quiet(Duration::from_secs(3)), &none), None);
        assert_eq!(hint(&spec, &LinkState::Failed("why".into()), &none).as_deref(), Some("why"));
    }
}
