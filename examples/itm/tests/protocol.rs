//! `PROTOCOL.md` names tests that exist.

#[test]
fn tests_that_are_named_exist() {
    spytui_decoder_harness::named_tests_exist(env!("CARGO_MANIFEST_DIR"), 10);
}
