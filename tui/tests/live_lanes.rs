//! Lanes of a followed stream: names and bars are from the same moment.

use std::time::Duration;

use spytui::term::Glyphs;

use crate::target_pane::{Bench, CAPTURE};

/// Shorter than the lifetime of a stream's pictures.
const SOON: Duration = Duration::from_millis(2);

/// The lane lines below the timeline's title, up to the end of the picture.
fn lanes(bench: &Bench) -> Vec<String> {
    let screen = bench.screen();
    let below = screen.lines().skip_while(|line| !line.starts_with("─ Timeline")).skip(1);
    below.take_while(|line| !line.starts_with('─')).map(|line| line.trim_end_matches(['·', ' ']).to_owned()).collect()
}

#[test]
fn names_of_lanes_stay_with_their_bars() {
    // The strip, and the pane.
    for keys in ["T", "4"] {
        let mut bench = Bench::silent((80, 24), Glyphs::Unicode);
        let mut pieces = CAPTURE.chunks(CAPTURE.len() / 40);
        bench.receives_within(Duration::from_secs(1), pieces.next().unwrap());
        bench.types(keys);
        bench.receives_within(Duration::from_secs(1), pieces.next().unwrap());
        let before = lanes(&bench);
        assert!(before.len() > 2, "{}", bench.screen());
        for piece in pieces {
            bench.receives_within(SOON, piece);
        }
        assert_eq!(lanes(&bench), before);
        bench.receives_within(Duration::from_secs(1), b"");
        assert_ne!(lanes(&bench), before);
    }
}
