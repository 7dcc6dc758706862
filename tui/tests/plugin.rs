//! A decoder as a plugin file behaves like the built-in one, on every capture.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// Protocols with their folders and libraries.
const PROTOCOLS: [(&str, &str); 4] = [("qs", "qs"), ("rkh", "rkh-trazer"), ("tband", "tband"), ("qnx", "qnx")];

/// The plugin, built by the test run next to this test program.
fn plugin(proto: &str) -> PathBuf {
    let name = format!("{}spytui_{proto}{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let path = std::env::current_exe().unwrap().parent().unwrap().join(name);
    assert!(path.is_file(), "{} was not built", path.display());
    path
}

fn captures(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../decoders/{folder}/tests/captures"));
    let mut list: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
    list.retain(|p| p.extension().is_some_and(|e| e == "bin" || e == "kev"));
    list.sort();
    assert!(list.len() >= if folder.ends_with("qnx/tests/captures") { 4 } else { 10 }, "captures are missing");
    list
}

/// Runs the program without any configuration of this user.
fn spytui(args: &[&str]) -> Output {
    let home = tempfile::tempdir().unwrap();
    Command::new(env!("CARGO_BIN_EXE_spytui"))
        .args(args)
        .env_clear()
        .env("HOME", home.path())
        .output()
        .expect("the program runs")
}

/// Everything that a decoder renders of every capture of a protocol: reference text, and native text with fields. The
/// host processes these in the same way.
fn same_as_built_in((proto, folder): (&str, &str)) {
    let file = plugin(proto).display().to_string();
    for (number, capture) in captures(folder).into_iter().enumerate() {
        let name = capture.display().to_string();
        let of_host: &[&str] = if number == 0 { &["native", "csv"] } else { &[] };
        for format in ["reference", "jsonl"].iter().chain(of_host) {
            let plain = ["decode", "--proto", proto, "--format", format, "--stats=json", &name];
            let built_in = spytui(&plain);
            assert!(built_in.status.success(), "{name}");
            let loaded = spytui(&[&plain[..], &["--plugin", &file]].concat());
            assert!(built_in.stdout == loaded.stdout, "{name} as {format}: the rows differ");
            assert_eq!(built_in.stderr, loaded.stderr, "{name} as {format}");
        }
    }
}

#[test]
fn the_qs_plugin_decodes_like_the_built_in() {
    same_as_built_in(PROTOCOLS[0]);
}

#[test]
fn the_rkh_plugin_decodes_like_the_built_in() {
    same_as_built_in(PROTOCOLS[1]);
}

#[test]
fn the_tband_plugin_decodes_like_the_built_in() {
    same_as_built_in(PROTOCOLS[2]);
}

#[test]
fn the_qnx_plugin_decodes_like_the_built_in() {
    same_as_built_in(PROTOCOLS[3]);
}

#[test]
fn a_plugin_replaces_the_built_in_and_that_is_reported() {
    let file = plugin("qs").display().to_string();
    let listed = spytui(&["plugins", "--plugin", &file]);
    let text = String::from_utf8(listed.stdout).unwrap();
    assert!(text.contains(&format!("({file})")), "{text}");
    assert!(text.contains("replaces built in"), "{text}");
}

#[test]
fn a_file_that_is_no_plugin_is_refused_with_4() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml").display().to_string();
    let refused = spytui(&["plugins", "--plugin", &file]);
    assert_eq!(refused.status.code(), Some(4));
    let text = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.contains(&file), "{text}");
}

/// Contract §4, "Learned options": late reports apply to the whole epoch, even in a non-seekable input.
#[test]
fn what_the_target_reports_late_holds_from_the_beginning() {
    use spytui_testing_decoder::stream::Writer;
    let toy = std::env::current_exe().unwrap().parent().unwrap().join("libspytui_testing_plugin.so");
    let mut stream = Writer::new(1);
    stream.frame(0, "S 10 7 1").frame(0, "O width=6").frame(0, "S 12 7 1");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("late.toy");
    std::fs::write(&file, &stream.bytes).unwrap();
    let (toy, file) = (toy.to_str().unwrap(), file.to_str().unwrap());
    let out = spytui(&["decode", "--plugin", toy, "--proto", "toy", file]);
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(text.lines().next().unwrap().contains("000007"), "{text}");
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(said.ends_with("spytui: the target reported width=6: taken for all of its epoch, from @0x0\n"), "{said}");
    let set = spytui(&["decode", "--plugin", toy, "--proto", "toy", "-o", "width=4", file]);
    assert!(!String::from_utf8(set.stdout).unwrap().contains("000007"));
}
