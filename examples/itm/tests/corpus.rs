//! The fuzz targets on their committed corpus, with a fixed number of mutations of each file.

mod fuzzing;

fn replay(target: &str, mutations: u64, run: fn(&[u8])) {
    spytui_decoder_harness::replay(env!("CARGO_MANIFEST_DIR"), target, mutations, run);
}

#[test]
fn stream() {
    replay("stream", 60, fuzzing::stream);
}

#[test]
fn render() {
    replay("render", 60, fuzzing::render);
}
