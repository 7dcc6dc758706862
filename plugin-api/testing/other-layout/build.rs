//! Makes the types of this crate look like the plugin API's, as in a modified copy of it.

fn main() {
    println!("cargo::rustc-env=CARGO_PKG_NAME=spytui-plugin-api");
    println!("cargo::rerun-if-changed=build.rs");
}
