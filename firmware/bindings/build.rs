//! Compiles the C library and the demo. If that fails, prints a warning; the crate then has no target.

#![allow(clippy::print_stdout, reason = "this is how a build script talks to cargo")]

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Folders of the C files, next to this crate.
const SOURCES: [&str; 3] = ["../src", "../demo/emitters", "../demo"];
const HEADERS: [&str; 4] = ["../include", "../demo/emitters/include", "../demo", "../src"];

fn main() {
    println!("cargo::rustc-check-cfg=cfg(has_target)");
    for path in SOURCES.iter().chain(&HEADERS).chain(&["build.rs", "shim.c"]) {
        println!("cargo::rerun-if-changed={path}");
    }
    match compile() {
        Ok(()) => println!("cargo::rustc-cfg=has_target"),
        Err(why) => {
            let target = std::env::var("TARGET").unwrap_or_default();
            // Drops the compiler's command line.
            let why = why.lines().next().unwrap_or_default().split(": \"").next().unwrap_or_default();
            println!(
                "cargo::warning=no demo target: no C compiler works for {target}; captures stand in for it ({why})"
            );
        }
    }
}

fn compile() -> Result<(), String> {
    let mut build = cc::Build::new();
    build.std("c11").warnings(false).cargo_warnings(false).file("shim.c").includes(HEADERS);
    // As in ../demo/CMakeLists.txt: 4-byte addresses on every machine, room for all names.
    build.define("STY_QS_OBJ_SIZE", "4").define("STY_TBAND_NAMES", "512");
    for folder in SOURCES {
        let files = c_files(Path::new(folder)).map_err(|error| format!("firmware/bindings/{folder}: {error}"))?;
        build.files(files);
    }
    build.try_compile("spytui_demo").map_err(|error| error.to_string())
}

fn c_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "c") {
            files.push(path);
        }
    }
    // A fixed order makes the library reproducible.
    files.sort();
    Ok(files)
}
