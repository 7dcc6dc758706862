//! The fuzz targets on their committed corpus, with a fixed number of mutations of each file.

use crate::fuzzing;

fn replay(target: &str, mutations: u64, run: fn(&[u8])) {
    spytui_decoder_harness::replay(env!("CARGO_MANIFEST_DIR"), target, mutations, run);
}

#[test]
fn meta() {
    replay("meta", 20, fuzzing::meta);
}

#[test]
fn config() {
    replay("config", 20, fuzzing::config);
}

#[test]
fn query() {
    replay("query", 20, fuzzing::query);
}

#[test]
fn command() {
    replay("command", 20, fuzzing::command);
}

#[test]
fn script() {
    replay("script", 20, fuzzing::script);
}
