//! Speed on RKH traces beside `md5sum` of the same file, as CPU time on one thread:
//! `cargo bench -p spytui --bench rkh`. The file is a capture again and again.

#![allow(clippy::print_stdout)] // its output is its purpose

use std::{fs, process::Command, time::Duration};

mod measure;

use measure::{Answer, best, child_cpu};

/// Bytes of the file: 3.1 million frames.
const SIZE: usize = 52_000_000;

fn main() -> Answer<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("load.bin");
    let capture =
        fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../decoders/rkh-trazer/tests/captures/gh340-default.bin"))?;
    fs::write(&path, capture.repeat(SIZE.div_ceil(capture.len())))?;
    let mut md5 = Command::new("md5sum");
    md5.arg(&path);
    let yardstick = best(|| child_cpu(&mut md5))?;
    let show = |what: &str, time: Duration| {
        let ratio = time.as_secs_f64() / yardstick.as_secs_f64().max(0.001);
        println!("{what:<16} {:>7.3} s  {ratio:>6.2}", time.as_secs_f64());
    };
    show("md5sum", yardstick);
    for format in ["reference", "native", "jsonl"] {
        let mut decode = Command::new(env!("CARGO_BIN_EXE_spytui"));
        decode.args(["decode", "--proto", "rkh", "--format", format]).arg(&path);
        show(format, best(|| child_cpu(&mut decode))?);
    }
    Ok(())
}
