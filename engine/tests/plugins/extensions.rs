//! Extensions beyond the contract: found by name, checked when asked for.

use spytui_testing_decoder::extension::{MISFIT, PANIC, TIDES, Tides};

use super::common::{first, library};

#[test]
fn an_extension_that_fits_is_called() {
    let tides = library("newer").extension::<Tides>(TIDES).unwrap().expect("it has it");
    assert_eq!((tides.double)(21), 42);
}

#[test]
fn a_plugin_without_a_newer_extension_loads_and_has_none() {
    let old = library("plugin");
    assert!(old.extension::<Tides>(TIDES).unwrap().is_none());
    assert_eq!(first(old).about().unwrap().id, "toy");
}

#[test]
fn an_extension_that_does_not_fit_costs_only_itself() {
    let newer = library("newer");
    let fault = newer.extension::<Tides>(MISFIT).expect_err("another layout").to_string();
    assert!(fault.contains(MISFIT) && fault.contains("newer") && !fault.contains('\n'), "{fault}");
    assert!(newer.extension::<Tides>(TIDES).unwrap().is_some());
    assert_eq!(first(newer).about().unwrap().id, "toy");
}

#[test]
fn a_question_that_panics_costs_only_itself() {
    let newer = library("newer");
    let fault = newer.extension::<Tides>(PANIC).expect_err("a panic");
    assert!(fault.panicked && fault.text.contains("asked to panic in query"), "{fault}");
    assert!(newer.extension::<Tides>(TIDES).unwrap().is_some());
}
