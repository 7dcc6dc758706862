//! Lets the types of this crate appear as the contract's own, as they would from a changed copy of it.

fn main() {
    println!("cargo::rustc-env=CARGO_PKG_NAME=spytui-plugin-api");
    println!("cargo::rerun-if-changed=build.rs");
}
