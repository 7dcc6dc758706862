//! Export to Perfetto against `md5sum` of the same file, as CPU time, and its memory:
//! `cargo bench -p spytui --bench export`.
//!
//! The inputs are Tonbandgerät streams of the project's own encoder. Machines are noisy: the ratios of one run count.

#![allow(clippy::print_stdout)] // its output is its purpose

mod measure;

use std::{path::Path, process::Command};

use measure::{Answer, best, child_cpu, child_memory};

/// Events of the streams: 20 MB and 89 MB.
const STREAMS: [usize; 2] = [2_000_000, 8_900_000];

fn main() -> Answer<()> {
    STREAMS.into_iter().try_for_each(measured)
}

fn measured(events: usize) -> Answer<()> {
    let folder = tempfile::tempdir()?;
    let (input, out) = (folder.path().join("load.bin"), folder.path().join("load.pftrace"));
    std::fs::write(&input, spytui_decoder_tband::encode::load(events))?;
    let size = std::fs::metadata(&input)?.len();
    println!("{:.1} M events, {:.0} MB", events as f64 / 1e6, size as f64 / 1e6);
    let mut md5 = Command::new("md5sum");
    md5.arg(&input);
    let yardstick = best(|| child_cpu(&mut md5))?.as_secs_f64();
    println!("  md5sum            {yardstick:>7.3} s    1.00");
    let export = || export(&input, &out);
    let time = best(|| child_cpu(&mut export()))?.as_secs_f64();
    let rate = events as f64 / time / 1e6;
    println!("  export perfetto   {time:>7.3} s  {:>6.2}   {rate:.1} M events/s", time / yardstick);
    let (memory, trace) = (child_memory(&mut export())?, std::fs::metadata(&out)?.len());
    println!("  memory {:.0} MB, trace {:.0} MB", memory as f64 / 1e6, trace as f64 / 1e6);
    Ok(())
}

fn export(input: &Path, out: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_spytui"));
    command.args(["export", "perfetto", "--proto", "tband", "--force", "-o"]).arg(out).arg(input);
    command
}
