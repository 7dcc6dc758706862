//! The same tracks, slices, instants and counters as the reference converter, except for its fixed defects: each of
//! those is listed in `differences.json` with its reason, and nothing else may differ.

use std::path::Path;

use serde_json::{Map, Value};

use super::trace;

type Summary = Map<String, Value>;

fn read(name: &str) -> Vec<Summary> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/perfetto").join(name);
    serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap()
}

/// The expected summary of a capture: the reference's tracks with the allowed differences.
fn expected(capture: &str) -> Vec<Summary> {
    let mut tracks = read(&format!("expected/{capture}.json"));
    for difference in read("differences.json").iter().filter(|d| d["capture"] == capture) {
        assert!(difference["why"].as_str().is_some_and(|why| why.len() > 20), "{difference:?}");
        let now = difference["now"].as_object();
        let empty = |t: &Summary| !(t.contains_key("first_ts"));
        // Tracks of a core share a name.
        let was = difference.get("was").and_then(Value::as_object);
        let is_it = |t: &Summary| was.is_none_or(|was| was.iter().all(|(key, value)| t.get(key) == Some(value)));
        let of_path = |t: &&Summary| t["path"] == difference["path"] && is_it(t);
        // A removed track must be one without events.
        let found = tracks.iter().position(|t| of_path(&t) && (now.is_some() || empty(t)));
        match (found, now) {
            (Some(at), Some(now)) => tracks[at].extend(now.clone()),
            (Some(at), None) => drop(tracks.remove(at)),
            (None, Some(now)) if difference["path"].is_null() => tracks.push(now.clone()),
            _ => panic!("{difference:?} is no difference"),
        }
    }
    tracks
}

fn sorted(mut tracks: Vec<Summary>) -> Vec<Summary> {
    let key = |t: &Summary| (t["path"].to_string(), Value::Object(t.clone()).to_string());
    tracks.sort_by_cached_key(key);
    tracks
}

fn agrees(capture: &str, mode: &str, files: &[&str]) {
    let tracks = trace("tband", &[&format!("mode={mode}")], files);
    let got = sorted(tracks.iter().map(super::summary::Track::summary).collect());
    let expected = sorted(expected(capture));
    for (got, expected) in got.iter().zip(&expected) {
        assert_eq!(got, expected, "{capture}");
    }
    assert_eq!(got.len(), expected.len(), "{capture}");
}

macro_rules! captures {
    ($($name:ident $mode:literal,)*) => {
        $(#[test]
        fn $name() {
            agrees(stringify!($name), $mode, &[concat!(stringify!($name), ".bin")]);
        })*
    };
}

captures! {
    boiler_basic "bare-metal",
    boiler_drops "bare-metal",
    boiler_long_text "bare-metal",
    brew_stream "free-rtos",
    brew_snapshot "free-rtos",
    brew_late "free-rtos",
    edge_frames_freertos "free-rtos",
    edge_frames_baremetal "bare-metal",
    damaged_brew_gaps "free-rtos",
    damaged_boiler_noise "bare-metal",
}

#[test]
fn boiler_two_core() {
    agrees("boiler_two_core", "bare-metal", &["boiler_two_core.c0.bin@0", "boiler_two_core.c1.bin@1"]);
}

/// Time goes back where bits are flipped: the reference gives up, but here each epoch continues after the previous one.
#[test]
fn time_that_goes_back_is_no_end() {
    let tracks = trace("tband", &["mode=bare-metal"], &["damaged_boiler_flips.bin"]);
    let of = |name: &str| tracks.iter().find(|t| t.path.ends_with(name)).unwrap_or_else(|| panic!("no {name}"));
    let events = of("Trace Events");
    assert!(events.events.len() >= 299, "{}", events.events.len());
    let times: Vec<u64> = events.events.iter().map(|e| e.0).collect();
    // The resolution is reported once, and applies to everything.
    assert!(times.iter().all(|t| t % 25 == 0), "{times:?}");
    assert!(*times.last().unwrap() > times[0] + 20_000, "{times:?}");
    assert_eq!(of("Marker burner (#0)").summary()["kind"], "event");
}
