//! Makes the types of this crate look like those of the plugin API, as in a changed copy of it.

fn main() {
    println!("cargo::rustc-env=CARGO_PKG_NAME=spytui-plugin-api");
    println!("cargo::rerun-if-changed=build.rs");
}
