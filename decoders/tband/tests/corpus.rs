//! The fuzz targets on their committed corpus, with a fixed number of mutations of each file.

#![allow(clippy::unwrap_used)]

mod fuzzing;

use spytui_plugin_api::kit::Random;

const MUTATIONS: u64 = 60;

fn replay(target: &str, run: fn(&[u8])) {
    let folder = format!("{}/fuzz/corpus/{target}", env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 8, "{target}: {} files", files.len());
    for (i, file) in files.iter().enumerate() {
        let seed = std::fs::read(file).unwrap();
        run(&seed);
        let mut random = Random::new(i as u64);
        for edits in 0..MUTATIONS {
            run(&random.damage(&seed, 1 + edits as usize % 8));
        }
    }
}

#[test]
fn frame() {
    replay("frame", fuzzing::frame);
}

#[test]
fn event() {
    replay("event", fuzzing::event);
}

#[test]
fn render() {
    replay("render", fuzzing::render);
}
