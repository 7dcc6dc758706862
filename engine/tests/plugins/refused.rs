//! A file that is not a plugin for this program is refused with one line that names the file and both versions.

use std::path::{Path, PathBuf};

use spytui_engine::open::{
    LoadError, Registry,
    load::{LoadRefusal, load},
};
use spytui_plugin_api::{API_MAJOR, API_MINOR};

use super::common::{file, refusal};

fn mine() -> String {
    format!("{API_MAJOR}.{API_MINOR}")
}

fn written(name: &str, bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    (dir, path)
}

#[test]
fn a_text_file() {
    let (_dir, path) = written("notes.so", b"shopping list\n");
    let text = refusal(&path);
    assert!(text.contains("not a library") && text.contains(&mine()), "{text}");
    assert!(!text.contains("spytui-plugin-"), "our copy is nobody's business: {text}");
}

#[test]
fn an_empty_file_a_folder_and_a_device() {
    let (dir, path) = written("empty.so", b"");
    assert!(refusal(&path).contains("not a library"));
    assert!(refusal(dir.path()).contains("not a file"));
    assert!(refusal(Path::new("/dev/zero")).contains("not a file"));
}

#[test]
fn a_library_cut_short() {
    let whole = std::fs::read(file("plugin")).unwrap();
    for keep in [10, 100, 1000, whole.len() / 4, whole.len() / 2, whole.len() - 1000] {
        let (_dir, path) = written("short.so", &whole[..keep]);
        let text = refusal(&path);
        assert!(text.contains("not a library"), "{keep} bytes: {text}");
    }
}

/// A system library that is not a plugin.
fn foreign() -> Option<PathBuf> {
    let folders = ["/lib/x86_64-linux-gnu", "/usr/lib64", "/lib64", "/usr/lib/aarch64-linux-gnu", "/lib", "/usr/lib"];
    let names = ["libm.so.6", "libz.so.1", "libdl.so.2"];
    folders.iter().flat_map(|f| names.map(|n| Path::new(f).join(n))).find(|p| p.is_file())
}

#[test]
fn a_foreign_library() {
    let Some(path) = foreign() else {
        println!("skipped: no foreign library in the usual places");
        return;
    };
    let text = refusal(&path);
    assert!(text.contains("not a spytui plugin") && text.contains("stamp") && text.contains(&mine()), "{text}");
}

#[test]
fn another_api_number() {
    let path = file("other-api");
    let text = refusal(&path);
    let theirs = format!("{API_MAJOR}.{}", API_MINOR + 1);
    assert!(text.contains(&format!("plugin API {theirs}")) && text.contains(&mine()), "{text}");
    assert!(text.contains("rebuild"), "{text}");
    assert!(
        matches!(load(&path), Err(LoadError::Refused { why: LoadRefusal::Api { minor, .. }, .. }) if minor == API_MINOR + 1)
    );
}

#[test]
fn other_types_at_the_same_api_number() {
    let text = refusal(&file("other-layout"));
    assert!(text.contains("its types differ") && text.contains("rebuild"), "{text}");
    assert_eq!(text.matches(&mine()).count(), 2, "both versions: {text}");
    assert!(text.contains("DecoderTable"), "it names the type: {text}");
    let Err(LoadError::Refused { why: LoadRefusal::Layout { report, .. }, .. }) = load(&file("other-layout")) else {
        panic!("not its layout")
    };
    assert!(report.lines().count() > 20, "the whole report is for the log");
}

#[test]
fn a_plugin_that_panics_when_it_is_made() {
    let text = refusal(&file("panics-at-start"));
    assert!(text.contains("failed to start") && text.contains("asked to panic at start"), "{text}");
}

#[test]
fn what_a_folder_holds_and_is_refused_becomes_a_note_and_costs_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let named = |name: &str| {
        let (prefix, suffix) = (std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
        dir.path().join(format!("{prefix}spytui_{name}{suffix}"))
    };
    std::fs::copy(file("other-api"), named("a")).unwrap();
    std::fs::copy(file("plugin"), named("b")).unwrap();
    std::fs::write(named("c"), "text").unwrap();
    std::fs::write(dir.path().join("libother.so"), "not even looked at").unwrap();
    let mut registry = Registry::new();
    registry.load_folder(dir.path());
    assert_eq!(registry.notes.len(), 2, "{:?}", &registry.notes);
    assert_eq!(registry.find("toy").unwrap().origin.to_string(), named("b").display().to_string());
}
