//! The fuzz targets on their committed corpus, with a fixed number of mutations of each file.

fn replay(target: &str, mutations: u64, run: fn(&[u8])) {
    spytui_decoder_harness::replay(env!("CARGO_MANIFEST_DIR"), target, mutations, run);
}

#[test]
fn frame() {
    replay("frame", 60, crate::fuzzing::frame);
}

#[test]
fn record() {
    replay("record", 60, crate::fuzzing::record);
}

#[test]
fn render() {
    replay("render", 60, crate::fuzzing::render);
}

#[test]
fn probe() {
    replay("probe", 4, crate::fuzzing::probe);
}
