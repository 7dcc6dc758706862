//! The fuzz targets on their committed corpus, with a fixed number of mutations per file.

fn replay(target: &str, mutations: u64, run: fn(&[u8])) {
    spytui_decoder_harness::replay(env!("CARGO_MANIFEST_DIR"), target, mutations, run);
}

#[test]
fn stream() {
    replay("stream", 60, crate::fuzzing::stream);
}

#[test]
fn event() {
    replay("event", 60, crate::fuzzing::event);
}

#[test]
fn render() {
    replay("render", 60, crate::fuzzing::render);
}
