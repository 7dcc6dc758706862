//! Plugins built for a published API keep loading, and decode the same.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    lines::run,
    plugin_new::{builder, library, target},
};

/// The folder of the archives.
fn frozen() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../plugin-api/frozen")
}

/// Unpacks an archive, always at the same place, so that what was built stays built, and builds its plugins.
fn build(archive: &Path) {
    let to = target().join("frozen");
    fs::create_dir_all(&to).unwrap();
    let tar = Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(&to).output().unwrap();
    assert!(tar.status.success(), "{}", String::from_utf8_lossy(&tar.stderr));
    let name = archive.file_name().unwrap().to_str().unwrap().strip_suffix(".tar.gz").unwrap();
    let output = builder().args(["build", "--quiet", "--locked"]).current_dir(to.join(name)).output().unwrap();
    assert!(output.status.success(), "{}: {}", archive.display(), String::from_utf8_lossy(&output.stderr));
}

#[test]
fn plugins_of_a_published_api_load_and_decode_the_same() {
    let entries = fs::read_dir(frozen()).unwrap().map(|entry| entry.unwrap().path());
    let archives: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "gz")).collect();
    assert!(!archives.is_empty());
    for archive in archives {
        build(&archive);
        for (plugin, protocol) in [("a5", "a5"), ("itm", "itm"), ("motor", "qs")] {
            let library = library(plugin).display().to_string();
            let capture = frozen().join(format!("{plugin}.bin")).display().to_string();
            let output = run(["decode", "--plugin", &library, "--proto", protocol, &capture]);
            let (rows, said) = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).into();
            assert_eq!((output.status.code(), &*said), (Some(0), ""), "{plugin}");
            let expected = fs::read_to_string(frozen().join(format!("{plugin}.txt"))).unwrap();
            assert_eq!(rows, expected, "{plugin} of {}", archive.display());
        }
    }
}
