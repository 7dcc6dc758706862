//! Finds the commit being built, embeds the source of the plugin API for new plugins, and reports what a build without
//! the demo target lacks.

#![allow(clippy::print_stdout, reason = "this is how a build script talks to cargo")]

use std::{
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    // Not named like a setting, because `cargo run` also sets it for the program.
    println!("cargo::rustc-env=BUILD_COMMIT={}", commit().unwrap_or_else(|| "unknown".to_owned()));
    if std::env::var_os("CARGO_FEATURE_DEMO_TARGET").is_none() {
        println!("cargo::warning=without the feature demo-target, --demo replays captures");
    }
    let out = std::env::var_os("OUT_DIR").map(PathBuf::from).unwrap_or_default();
    fs::write(out.join("api_source.rs"), api_source(Path::new("..").canonicalize()?.as_path())?)
}

/// The crates that plugins are built against.
const CRATES: [&str; 3] = ["plugin-api", "plugin-host", "plugin-layer"];

/// Paths and texts of the plugin API's files, as Rust source.
fn api_source(root: &Path) -> io::Result<String> {
    println!("cargo::rerun-if-changed={}", root.join("Cargo.toml").display());
    let mut list = format!("[(\"Cargo.toml\", {:?}),\n", alone(&fs::read_to_string(root.join("Cargo.toml"))?));
    let mut paths: Vec<PathBuf> =
        CRATES.iter().flat_map(|name| ["Cargo.toml", "src"].map(|of| root.join(name).join(of))).collect();
    while let Some(path) = paths.pop() {
        println!("cargo::rerun-if-changed={}", path.display());
        if path.is_dir() {
            let mut inner: Vec<PathBuf> =
                fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
            inner.sort();
            paths.append(&mut inner);
        } else {
            let name = path.strip_prefix(root).unwrap_or(&path);
            let _ = writeln!(list, "({name:?}, include_str!({path:?})),");
        }
    }
    Ok(list + "]")
}

/// The manifest of a workspace of these crates alone. The dependencies of other crates stay in it, unused.
fn alone(workspace: &str) -> String {
    let shared = workspace.find("[workspace.package]").map_or("", |at| &workspace[at..]);
    let shared = shared.split("\n[profile").next().unwrap_or_default();
    format!("[workspace]\nresolver = \"3\"\nmembers = {CRATES:?}\n\n{shared}")
}

/// The commit of this crate's clone; `None` outside one, as in an unpacked archive. Determined again when another
/// commit is checked out.
fn commit() -> Option<String> {
    let root = Path::new("..").canonicalize().ok()?;
    // An archive may have been unpacked within another clone.
    let clone = PathBuf::from(git(&["rev-parse", "--show-toplevel"])?).canonicalize().ok()?;
    if clone != root {
        return None;
    }
    // A commit changes the file of its branch, and the log of HEAD if it exists.
    let branch = git(&["symbolic-ref", "--quiet", "HEAD"]);
    for name in ["HEAD", "logs/HEAD", "packed-refs"].into_iter().chain(branch.as_deref()) {
        let path = git(&["rev-parse", "--git-path", name]).filter(|path| Path::new(path).exists());
        path.iter().for_each(|path| println!("cargo::rerun-if-changed={path}"));
    }
    git(&["rev-parse", "--short=12", "HEAD"])
}

/// Output of git.
fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}
