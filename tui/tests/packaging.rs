//! Content of packages: manifests, version, the pages next to the program.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

fn output(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn packages() -> Vec<Value> {
    let args = ["metadata", "--no-deps", "--offline", "--format-version=1"];
    let text = output(Command::new(env!("CARGO")).args(args).current_dir(root()));
    let metadata: Value = serde_json::from_str(&text).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

#[test]
fn manifests_say_what_a_package_needs_and_nothing_is_published() {
    let packages = packages();
    assert!(packages.len() > 20);
    for package in &packages {
        let name = &package["name"];
        let manifest = Path::new(package["manifest_path"].as_str().unwrap());
        let readme = manifest.parent().unwrap().join(package["readme"].as_str().unwrap_or("no readme"));
        assert_eq!(readme.canonicalize().unwrap(), root().join("README.md"), "{name}");
        for key in ["keywords", "categories"] {
            let words = package[key].as_array().unwrap();
            assert!(!words.is_empty() && words.len() <= 5, "{name}: {key}");
            assert!(words.iter().all(|word| word.as_str().unwrap().len() <= 30), "{name}: {key}");
        }
        assert_eq!(package["rust_version"], env!("CARGO_PKG_RUST_VERSION"), "{name}");
        assert_eq!(package["license"], "MIT OR Apache-2.0", "{name}");
        assert_ne!(package["description"], Value::Null, "{name}");
        // There is no address yet, so there is nothing to publish.
        for key in ["repository", "homepage"] {
            assert_eq!(package[key], Value::Null, "{name}: {key}");
        }
        assert_eq!(package["publish"], serde_json::json!([]), "{name}");
    }
}

#[test]
fn the_version_names_the_commit_the_plugin_api_and_the_features() {
    let version = |flag: &str| output(Command::new(env!("CARGO_BIN_EXE_spytui")).arg(flag));
    let first = format!("spytui {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(version("-V"), first);
    let long = version("--version");
    let lines: Vec<&str> = long.strip_prefix(&first).unwrap().lines().collect();
    let value = |at: usize, name: &str| lines[at].strip_prefix(name).unwrap().trim();
    let commit = value(0, "commit ");
    let git = Command::new("git").args(["rev-parse", "HEAD", "--show-toplevel"]).current_dir(root()).output();
    match git.map(|output| String::from_utf8(output.stdout).unwrap()) {
        Ok(text) if text.lines().nth(1).is_some_and(|top| Path::new(top) == root()) => {
            assert!(commit.len() >= 12 && text.starts_with(commit), "{long}");
        }
        _ => assert_eq!(commit, "unknown"),
    }
    let api = format!("{}.{}", spytui_plugin_api::API_MAJOR, spytui_plugin_api::API_MINOR);
    assert_eq!(value(1, "plugin API "), api);
    assert_eq!(value(2, "features ").contains("decoders"), cfg!(feature = "decoders"));
    assert_eq!(lines.len(), 3);
}

#[test]
fn there_is_a_page_about_security() {
    let text = fs::read_to_string(root().join("SECURITY.md")).unwrap();
    for part in
        ["## Reporting a problem", "privately to the maintainers of the copy", "`spytui doctor`", "## What is in scope"]
    {
        assert!(text.contains(part), "{part}");
    }
    for from in ["bytes of a link, a file, a recording", "plugin", "configuration", ".spytui.toml"] {
        assert!(text.contains(from), "{from}");
    }
    assert!(!text.contains('@'), "there is no address");
}

#[test]
fn the_changelog_begins_with_this_version() {
    let text = fs::read_to_string(root().join("CHANGELOG.md")).unwrap();
    let first = text.lines().find(|line| line.starts_with("## ")).unwrap();
    let version = first.strip_prefix("## ").unwrap().split_whitespace().next().unwrap();
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
}
