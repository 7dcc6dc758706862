//! Runs fuzz targets on their committed corpus, with a fixed number of mutations of each file.

use spytui_plugin_host::kit::Random;

/// Longer files get only a few mutations.
const LONG: usize = 4096;

/// Runs a fuzz target of the crate at `root` on each file of its corpus and on mutations of it.
pub fn replay(root: &str, target: &str, mutations: u64, run: fn(&[u8])) {
    let folder = format!("{root}/fuzz/corpus/{target}");
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
