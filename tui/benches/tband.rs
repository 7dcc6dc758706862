//! Speed on Tonbandgerät traces beside `md5sum` of the same file, as CPU time on one thread:
//! `cargo bench -p spytui --bench tband`. The streams are made by the decoder's own encoder.

#![allow(clippy::print_stdout)] // its output is its purpose

use std::{fs, process::Command, time::Duration};

mod measure;

use measure::{Answer, best, child_cpu};
use spytui_decoder_tband::encode::load;

/// Events of the two streams: 20 MB and 89 MB.
const EVENTS: [usize; 2] = [2_060_000, 8_900_000];

fn main() -> Answer<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("load.bin");
    for events in EVENTS {
        let bytes = load(events);
        fs::write(&path, &bytes)?;
        println!("{:.1} MB, {events} events", bytes.len() as f64 / 1e6);
        let show = |what: &str, time: Duration| {
            let seconds = time.as_secs_f64().max(0.001);
            println!("  {what:<16} {seconds:>7.3} s  {:>6.1} M events/s", events as f64 / seconds / 1e6);
        };
        let mut md5 = Command::new("md5sum");
        md5.arg(&path);
        show("md5sum", best(|| child_cpu(&mut md5))?);
        for format in ["reference", "native", "jsonl"] {
            let mut decode = Command::new(env!("CARGO_BIN_EXE_spytui"));
            decode.args(["decode", "--proto", "tband", "--format", format]).arg(&path);
            show(format, best(|| child_cpu(&mut decode))?);
        }
    }
    Ok(())
}
