//! For property tests: damage, and checks that hold for any damage.

use proptest::{
    prelude::*,
    sample::Index,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use spytui_plugin_host::kit::Host;

/// A deterministic test runner.
pub fn runner(cases: u32) -> TestRunner {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]))
}

/// An edit: overwrite (0), remove (1) or insert (2); its position; the bytes, whose number is the length to remove.
pub type Edit = (u8, Index, Vec<u8>);

/// Generates random edits.
pub fn edits() -> impl Strategy<Value = Vec<Edit>> {
    prop::collection::vec((0u8..3, any::<Index>(), prop::collection::vec(any::<u8>(), 1..40)), 1..20)
}

/// Applies edits in order.
pub fn damage(bytes: &mut Vec<u8>, edits: &[Edit]) {
    for (kind, at, with) in edits {
        let at = at.index(bytes.len());
        let end = (at + with.len()).min(bytes.len());
        match kind {
            0 => bytes[at..end].copy_from_slice(&with[..end - at]),
            1 => drop(bytes.drain(at..end)),
            _ => drop(bytes.splice(at..at, with.iter().copied())),
        }
    }
}

/// Checks that every byte is in a row or skipped, and that no byte is pending.
pub fn adds_up(host: &Host, bytes: &[u8]) {
    assert_eq!((host.run.counters().bytes(), host.run.pending), (bytes.len() as u64, 0));
}
