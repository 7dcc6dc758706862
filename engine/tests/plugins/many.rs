//! Many reloads in a row.

#![cfg(target_os = "linux")]

use spytui_engine::open::{Registry, load::too_many};

use super::common::file;

/// A text in the library.
const TITLE: &str = "Test protocol";

/// The same text in another build: a linker would change more, but that does not affect the cost of a build.
fn title(build: usize) -> String {
    let title = format!("Test b {build:06}");
    assert_eq!(title.len(), TITLE.len());
    title
}

/// Memory of the process in KiB: total, and without file mappings.
fn resident() -> (usize, usize) {
    (memory("VmRSS:"), memory("RssAnon:"))
}

fn memory(name: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Runs in a separate process, because it fills memory.
#[test]
fn reloads_stay_small_and_new_builds_are_warned_about() {
    const CHILD: &str = "SPYTUI_TEST_RELOADS";
    const NAME: &str = "plugins::many::reloads_stay_small_and_new_builds_are_warned_about";
    if std::env::var_os(CHILD).is_none() {
        let exe = std::env::current_exe().unwrap();
        let child = std::process::Command::new(exe).args([NAME, "--exact"]).env(CHILD, "1").output().unwrap();
        return assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stdout));
    }
    let (mut registry, folder) = (Registry::new(), tempfile::tempdir().unwrap());
    let mut library = std::fs::read(file("plugin")).unwrap();
    let path = folder.path().join("libtoy.so");
    std::fs::write(&path, &library).unwrap();
    registry.load(&path).unwrap();
    // The allocator keeps memory that was used once.
    (0..10).for_each(|_| registry.reload("toy").unwrap());
    let (before, _) = resident();
    (0..100).for_each(|_| registry.reload("toy").unwrap());
    let (after, own) = resident();
    assert!(after - before < 10_000, "{before} KiB, then {after} KiB");
    assert_eq!(too_many(), None);
    // Each build is another library, which stays loaded.
    let text = memchr::memmem::find(&library, TITLE.as_bytes()).unwrap();
    let mut builds = 1;
    while too_many().is_none() {
        builds += 1;
        library[text..][..TITLE.len()].copy_from_slice(title(builds).as_bytes());
        std::fs::write(&path, &library).unwrap();
        registry.reload("toy").unwrap();
        assert_eq!(registry.find("toy").unwrap().info.title, title(builds));
    }
    let (all, now) = resident();
    let each = (all - after) / builds;
    assert!(each < 2_000, "{each} KiB for each of {builds} builds");
    // Memory that the kernel can't reclaim; whole files are never read into it.
    assert!(now - own < 400 * builds, "{own} KiB, then {now} KiB after {builds} builds");
    assert!(builds > 10, "{builds}");
    let warning = format!("{builds} builds of plugins stay loaded (");
    assert!(too_many().unwrap().starts_with(&warning), "{:?}", too_many());
}
