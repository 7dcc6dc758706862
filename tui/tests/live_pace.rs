//! Panes that follow a stream are updated at intervals, not with each piece of it; keys are answered at once.

use std::time::Duration;

use spytui::term::Glyphs;

use crate::target_pane::{Bench, CAPTURE};

const SOON: Duration = Duration::from_millis(2);
const LATER: Duration = Duration::from_secs(2);

/// The screen below the lines about the link, which always change, and above the list or the line of keys.
fn pane(bench: &Bench) -> String {
    bench.screen().lines().skip(3).take(18).collect::<Vec<_>>().join("\n")
}

#[test]
fn panes_are_made_again_from_time_to_time() {
    // Counters, statistics, findings.
    for keys in ["5", "8", "0"] {
        let mut bench = Bench::silent((80, 24), Glyphs::Unicode);
        let (first, rest) = CAPTURE.split_at(CAPTURE.len() / 2);
        bench.receives_within(LATER, first);
        bench.types(keys);
        bench.receives_within(LATER, b"");
        let before = pane(&bench);
        for piece in rest.chunks(rest.len() / 20) {
            bench.receives_within(SOON, piece);
        }
        assert_eq!(pane(&bench), before, "after {keys}");
        bench.receives_within(LATER, b"");
        let after = pane(&bench);
        assert_ne!(after, before, "after {keys}");
        // All rows were read: nothing is left.
        bench.receives_within(LATER, b"");
        assert_eq!(pane(&bench), after, "after {keys}");
    }
}
