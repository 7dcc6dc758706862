//! A new build of the same file is the new code; running instances of the old one continue.

use spytui_engine::open::{Registry, load::load};
use spytui_plugin_host::kit::Host;
use spytui_testing_decoder::stream::mixed;

use super::common::{file, first};

#[test]
fn a_new_build_of_the_same_file_is_the_new_code() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("libspytui_mine.so");
    std::fs::copy(file("plugin"), &path).unwrap();
    let old = load(&path).unwrap().library;
    let stream = mixed(1, 200);
    let whole = Host::open(first(old), &[]).unwrap().stream(&stream, 4096).unwrap();
    let mut running = Host::open(first(old), &[]).unwrap();
    running.feed(b"", &[spytui_plugin_host::kit::start_event()]).unwrap();
    running.feed(&stream[..1000], &[]).unwrap();

    // Overwritten in place, as by a linker or `cp`: the old code must not notice.
    std::fs::write(&path, std::fs::read(file("plugin-two")).unwrap()).unwrap();
    let new = load(&path).unwrap().library;
    assert_eq!(first(old).info().unwrap().id, "toy");
    assert_eq!(first(new).info().unwrap().id, "bytes");
    let new = Host::open(first(new), &[]).unwrap().stream(b"abc", 64).unwrap();
    assert_eq!(new.run.rows.len(), 3);

    running.feed(&stream[1000..], &[]).unwrap();
    running.feed(b"", &[spytui_plugin_host::kit::end_event(stream.len())]).unwrap();
    assert!(running.run == whole.run, "the old decoder goes on undisturbed");
}

#[test]
fn the_same_build_is_opened_once() {
    let (a, b) = (load(&file("plugin")).unwrap().library, load(&file("plugin")).unwrap().library);
    assert_eq!(a.decoders().as_ptr(), b.decoders().as_ptr());
}

#[test]
fn a_loaded_decoder_replaces_the_one_with_its_name() {
    let mut registry = Registry::new();
    registry.add(spytui_testing_decoder::plugin(), &spytui_engine::open::Origin::BuiltIn).unwrap();
    registry.load(&file("plugin")).unwrap();
    assert_eq!(registry.decoders.len(), 1);
    assert!(registry.find("toy-lines").unwrap().origin.to_string().ends_with(".so"));
    assert!(registry.notes[0].contains("replaces built in"), "{:?}", &registry.notes);
}

const NO_TEMP: &str = "SPYTUI_TEST_NO_TEMP";

/// The temporary folder affects the whole process, so this runs in its own.
#[test]
fn a_temporary_folder_that_cannot_be_used_is_no_obstacle() {
    if std::env::var_os(NO_TEMP).is_some() {
        load(&file("plugin")).unwrap_or_else(|error| panic!("{error}"));
        return;
    }
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["plugins::reload::a_temporary_folder_that_cannot_be_used_is_no_obstacle", "--exact", "--nocapture"])
        .env(NO_TEMP, "1")
        .env("TMPDIR", "/nowhere/at/all")
        .output()
        .unwrap();
    assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stderr));
}
