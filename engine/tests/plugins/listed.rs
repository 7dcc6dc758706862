//! Decoders and formatters of libraries are listed, reloaded, disabled and ordered by name.

use spytui_engine::open::{Origin, Registry, decoder::Use};

use super::common::file;

fn uses(registry: &Registry, name: &str) -> Vec<Use> {
    registry.listed().into_iter().filter(|listed| listed.name == name).map(|listed| listed.use_of).collect()
}

#[test]
fn a_formatter_is_disabled_and_used_again_by_its_name() {
    let mut registry = Registry::new();
    registry.load(&file("formatter")).unwrap();
    assert_eq!(uses(&registry, "axis"), [Use::InUse]);
    assert_eq!(registry.set_enabled("axis", false), Ok("axis is disabled".to_owned()));
    assert_eq!(uses(&registry, "axis"), [Use::Disabled]);
    assert!(registry.set_enabled("axis", false).unwrap_err().contains("disabled already"));
    registry.set_enabled("axis", true).unwrap();
    assert_eq!(uses(&registry, "axis"), [Use::InUse]);
    registry.reload("axis").unwrap();
    let file_name = file("formatter").file_name().unwrap().to_str().unwrap().to_owned();
    registry.reload(&file_name).unwrap();
    assert_eq!(uses(&registry, "axis"), [Use::InUse], "the file again is no second formatter");
    assert!(registry.notes.is_empty(), "{:?}", &registry.notes);
}

#[test]
fn a_disabled_plugin_has_the_names_that_it_had_in_use() {
    let mut registry = Registry::new();
    registry.load(&file("formatter")).unwrap();
    let names = registry.file_names();
    assert!(names.len() >= 2, "{names:?}");
    for name in ["axis", "panics"] {
        registry.set_enabled(name, false).unwrap();
    }
    assert_eq!(registry.file_names(), names);
}

#[test]
fn two_files_with_one_name_are_listed_with_both_paths() {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("libmine.so");
    std::fs::copy(file("formatter"), &copy).unwrap();
    let mut registry = Registry::new();
    registry.load(&file("formatter")).unwrap();
    registry.load_folder(folder.path());
    let by = Use::Shadowed(copy.display().to_string());
    assert_eq!(uses(&registry, "axis"), [Use::InUse, by]);
    assert!(registry.files() == [copy]);
    registry.set_enabled("axis", false).unwrap();
    assert!(registry.files().contains(&file("formatter")), "the other one takes its place");
}

#[test]
fn any_library_with_the_stamp_is_taken_from_a_folder_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(file("plugin"), folder.path().join("libany-name.so")).unwrap();
    std::fs::write(folder.path().join("libother.so"), "no stamp").unwrap();
    let mut registry = Registry::new();
    registry.load_folder(folder.path());
    assert!(registry.find("toy").is_ok() && registry.notes.is_empty(), "{:?}", &registry.notes);
}

#[test]
fn formatters_are_asked_in_the_order_that_is_set() {
    let mut registry = Registry::new();
    registry.load(&file("formatter")).unwrap();
    let names = |registry: &Registry| registry.listed().into_iter().map(|listed| listed.name).collect::<Vec<_>>();
    assert_eq!(names(&registry), ["axis", "panics"]);
    registry.order_formatters(&["panics".to_owned()]);
    assert_eq!(names(&registry), ["panics", "axis"]);
}

/// Built-in ones have the version of this program.
#[test]
fn a_library_gives_its_version_to_what_it_brings() {
    let mut registry = Registry::new();
    registry.add(spytui_testing_decoder::plugin(), &Origin::BuiltIn).unwrap();
    registry.load(&file("formatter")).unwrap();
    let versions: Vec<String> = registry.listed().into_iter().map(|listed| listed.version).collect();
    assert!(versions.iter().all(|version| version.split('.').count() == 3), "{versions:?}");
}
