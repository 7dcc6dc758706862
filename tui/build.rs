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

/// Paths and texts of the plugin API's files, as Rust source.
fn api_source(root: &Path) -> io::Result<String> {
    let api = root.join("plugin-api");
    println!("cargo::rerun-if-changed={}", api.display());
    println!("cargo::rerun-if-changed={}", root.join("Cargo.toml").display());
    let manifest = alone(&fs::read_to_string(api.join("Cargo.toml"))?, &fs::read_to_string(root.join("Cargo.toml"))?);
    let mut list = format!("[(\"Cargo.toml\", {manifest:?}),\n");
    let mut folders = vec![api.join("src")];
    while let Some(folder) = folders.pop() {
        let mut paths: Vec<PathBuf> =
            fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
        paths.sort();
        for path in paths {
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(name) = path.strip_prefix(&api) {
                let _ = writeln!(
                    list,
                    "({:?}, include_str!({:?})),",
                    name.display().to_string(),
                    path.display().to_string()
                );
            }
        }
    }
    Ok(list + "]")
}

/// The manifest of a crate outside this workspace: inherited values are written out.
fn alone(manifest: &str, workspace: &str) -> String {
    let inherited = |name: &str| {
        let line = |line: &&str| line.split_once('=').is_some_and(|(key, _)| key.trim() == name);
        workspace.lines().find(line).unwrap_or_default()
    };
    let lines = manifest.lines().map(|line| match line.split_once(".workspace") {
        // The file does not exist there.
        Some(("readme", _)) => "",
        Some((name, _)) => inherited(name),
        None => line,
    });
    let lines = lines.filter(|line| !matches!(*line, "[lints]" | "workspace = true"));
    lines.map(|line| format!("{line}\n")).collect::<String>() + "\n[workspace]\n"
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
