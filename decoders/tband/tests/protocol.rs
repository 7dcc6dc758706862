//! Checks that the tests named in PROTOCOL.md exist.

#[test]
fn the_tests_that_rules_name_exist() {
    spytui_decoder_harness::named_tests_exist(env!("CARGO_MANIFEST_DIR"), 60);
}
