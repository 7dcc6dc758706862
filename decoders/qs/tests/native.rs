//! Our own text and rows.

#![allow(clippy::unwrap_used)]

mod common;

use common::{decode, file};
use spytui_plugin_api::render::want;

#[test]
fn look() {
    for (name, opts) in [
        ("oven-734", vec![]),
        ("oven-734-drops", vec![("obj-ptr", &b"8"[..]), ("fun-ptr", b"8")]),
        ("oven-815-garbage", vec![]),
        ("oven-734-flips", vec![]),
        ("every-record-812", vec![]),
        ("formats-734", vec![]),
        ("oven-734-nodict", vec![]),
        ("oven-734-small-assert", vec![]),
    ] {
        let bytes = file(&format!("{name}.bin"));
        let host = decode(&bytes, &opts, 4096);
        let mut s = String::new();
        host.render(&bytes, want::TEXT, |i, out| {
            let r = &host.run.rows[i];
            s += &format!(
                "{i} @{}+{} t{} k{:x} f{:x} o{:x} a{:x} | {}\n",
                r.pos,
                r.len,
                r.time,
                r.kind,
                r.flags,
                r.obj,
                r.aux,
                String::from_utf8_lossy(&out.text)
            );
        })
        .unwrap();
        s += &format!("{:?}\n", host.run.counts);
        std::fs::write(format!("/tmp/qs-{name}.txt"), s).unwrap();
    }
}
