//! Says what a build without the demo target lacks.

#![allow(clippy::print_stdout, reason = "this is how a build script talks to cargo")]

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var_os("CARGO_FEATURE_DEMO_TARGET").is_none() {
        println!("cargo::warning=without the feature demo-target, --demo replays captures");
    }
}
