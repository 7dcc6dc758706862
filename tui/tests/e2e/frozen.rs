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

/// Unpacks an archive to a folder of this name, always at the same place, so that what was built stays built.
fn unpack(archive: &Path, to: &str) -> PathBuf {
    let to = target().join(to);
    fs::create_dir_all(&to).unwrap();
    let tar = Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(&to).output().unwrap();
    assert!(tar.status.success(), "{}", String::from_utf8_lossy(&tar.stderr));
    to.join(archive.file_name().unwrap().to_str().unwrap().strip_suffix(".tar.gz").unwrap())
}

/// Builds the plugins of an unpacked archive.
fn build(archive: &Path) {
    let output = builder().args(["build", "--quiet", "--locked"]).current_dir(archive).output().unwrap();
    assert!(output.status.success(), "{}: {}", archive.display(), String::from_utf8_lossy(&output.stderr));
}

/// What a program of the next API prints of these plugins.
const LOADED: &str = "decoder a5: 6 kinds, 0 hints\ndecoder itm: 16 kinds, 0 hints\nformatter USER+5\n\
                      decoder bytes: 1 kinds, 0 hints\nencoder: way\n";

/// Makes the next API of an unpacked one, in which `KindInfo` has a field more, and a program with it that loads libraries.
/// Returns what that prints.
fn with_a_field_more(api: &Path, libraries: &[PathBuf]) -> String {
    let change = |file: &str, from: &str, to: &str| {
        let path = api.join("plugin-api/src").join(file);
        let text = fs::read_to_string(&path).unwrap();
        let at = text.find("pub struct KindInfo").unwrap_or(0);
        assert!(text[at..].contains(from), "{file} has {from}");
        fs::write(&path, format!("{}{}", &text[..at], text[at..].replacen(from, to, 1))).unwrap();
    };
    change("export.rs", "API_MINOR: u16 = 0", "API_MINOR: u16 = 1");
    change("info/mod.rs", "pub reserved_text: RString", "#[sabi(rename = reserved_text)]\n    pub hint: RString");
    change("info/mod.rs", "reserved_text: RString::new()", "hint: RString::new()");
    let workspace = fs::read_to_string(api.join("Cargo.toml")).unwrap();
    fs::write(api.join("Cargo.toml"), workspace.replacen("members = [", "members = [\"next\", ", 1)).unwrap();
    let host = api.join("next");
    fs::create_dir_all(&host).unwrap();
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e/next/main.rs"), host.join("main.rs")).unwrap();
    fs::write(host.join("Cargo.toml"), NEXT).unwrap();
    let output =
        builder().args(["run", "--quiet", "--offline", "--"]).args(libraries).current_dir(&host).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

const NEXT: &str = r#"
[package]
name = "next"
edition = "2024"

[[bin]]
name = "next"
path = "main.rs"

[dependencies]
spytui-plugin-api = { path = "../plugin-api" }
abi_stable = "0.11"
libloading = "0.7"
"#;

#[test]
fn plugins_of_a_published_api_load_and_decode_the_same() {
    let entries = fs::read_dir(frozen()).unwrap().map(|entry| entry.unwrap().path());
    let archives: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "gz")).collect();
    assert!(!archives.is_empty());
    for archive in archives {
        build(&unpack(&archive, "frozen"));
        for (plugin, protocol) in [("a5", "a5"), ("itm", "itm"), ("motor", "qs"), ("plugin_two", "bytes")] {
            let library = library(plugin).display().to_string();
            let capture = frozen().join(format!("{plugin}.bin")).display().to_string();
            let output = run(["decode", "--plugin", &library, "--proto", protocol, &capture]);
            let (rows, said) = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).into();
            assert_eq!((output.status.code(), &*said), (Some(0), ""), "{plugin}");
            let expected = fs::read_to_string(frozen().join(format!("{plugin}.txt"))).unwrap();
            assert_eq!(rows, expected, "{plugin} of {}", archive.display());
        }
        let libraries = ["a5", "itm", "motor", "plugin_two"].map(library);
        assert_eq!(with_a_field_more(&unpack(&archive, "next"), &libraries), LOADED);
    }
}
