//! The fuzz targets on their committed corpus, with a fixed number of mutations of each file.

#![allow(clippy::unwrap_used)]

mod fuzzing;

use spytui_plugin_api::kit::Random;

/// Files longer than this are mutated a few times only.
const LONG: usize = 4096;

fn replay(target: &str, mutations: u64, run: fn(&[u8])) {
    let folder = format!("{}/fuzz/corpus/{target}", env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 8, "{target}: {} files", files.len());
    for (i, file) in files.iter().enumerate() {
        let seed = std::fs::read(file).unwrap();
        run(&seed);
        let mut random = Random::new(i as u64);
        for edits in 0..if seed.len() > LONG { 2 } else { mutations } {
            run(&random.damage(&seed, 1 + edits as usize % 8));
        }
    }
}

#[test]
fn frame() {
    replay("frame", 60, fuzzing::frame);
}

#[test]
fn record() {
    replay("record", 60, fuzzing::record);
}

#[test]
fn render() {
    replay("render", 60, fuzzing::render);
}

#[test]
fn probe() {
    replay("probe", 4, fuzzing::probe);
}
