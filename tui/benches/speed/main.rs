//! Speed of each protocol against `md5sum` of the same file, as CPU time of all threads: all formats, filters that match
//! nothing, an object, a number or no text, the store (one thread), and the export to Perfetto.
//!
//! Each protocol has two inputs: one capture repeated, and a generated stream in which no record repeats. All programs
//! run in turn, and the least time of several rounds counts. Machines are noisy, so compare ratios of one run.
//!
//! ```sh
//! cargo bench -p spytui --bench speed -- --help
//! ```

#![allow(clippy::print_stdout)] // its output is its purpose

mod cpu;
mod input;
mod store;

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use clap::Parser;
use cpu::{Answer, child_cpu, child_memory};
use input::{Input, PROTOCOLS, Protocol};

/// Measures decoding, export and store against `md5sum`.
#[derive(Parser)]
struct Args {
    /// Protocols to measure; all without any
    #[arg(value_parser = PROTOCOLS.map(|p| p.name))]
    protocols: Vec<String>,
    /// How often each program runs
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Size of the files, in percent of 160 MB (qs), 52 MB (rkh), 20 MB (tband), 200 MB (qnx)
    #[arg(long, default_value_t = 100)]
    percent: usize,
    /// Another program to measure, as an earlier build; the store is always the one linked in
    #[arg(long, default_value = env!("CARGO_BIN_EXE_spytui"))]
    program: PathBuf,
    /// Write the files into this folder, and measure nothing
    #[arg(long)]
    write: Option<PathBuf>,
    /// What `cargo bench` adds
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> Answer<()> {
    let args = Args::parse();
    let scratch = tempfile::tempdir()?;
    let folder = args.write.as_deref().unwrap_or(scratch.path());
    let wanted = |p: &&Protocol| args.protocols.is_empty() || args.protocols.iter().any(|name| name == p.name);
    for protocol in PROTOCOLS.iter().filter(wanted) {
        for input in protocol.inputs(folder, args.percent)? {
            if args.write.is_none() {
                measure(&args, protocol, &input)?;
            }
        }
    }
    Ok(())
}

/// A measured command, and its least time so far.
struct Measured<'a> {
    what: &'static str,
    run: Box<dyn FnMut() -> Answer<Duration> + 'a>,
    least: Duration,
}

fn measure(args: &Args, protocol: &Protocol, input: &Input) -> Answer<()> {
    let trace = input.file.with_extension("pftrace");
    let mut all = programs(args, protocol, input, &trace);
    all.push(measured("store", || store::fill(protocol, &input.file)));
    for _ in 0..args.rounds.max(1) {
        for one in &mut all {
            one.least = one.least.min((one.run)()?);
        }
    }
    println!("{}, {}: {:.1} MB, {} records", protocol.name, input.name, input.size as f64 / 1e6, input.records);
    let yardstick = all[0].least.as_secs_f64();
    for one in &all {
        let seconds = one.least.as_secs_f64();
        let rate = input.records as f64 / seconds / 1e6;
        println!("  {:<18} {seconds:>8.3} s {:>7.2} {rate:>7.1} M records/s", one.what, seconds / yardstick);
    }
    let perfetto = all.iter().find(|one| one.what == "perfetto").map_or(f64::NAN, |one| one.least.as_secs_f64());
    drop(all);
    let export = || export(&args.program, protocol, &input.file, &trace);
    let memory = child_memory(&mut export())?;
    println!(
        "  perfetto: {:.1} M events/s, {:.0} MB of memory, trace of {:.0} MB",
        events_of(&mut export())? as f64 / perfetto / 1e6,
        memory as f64 / 1e6,
        trace.metadata()?.len() as f64 / 1e6
    );
    std::fs::remove_file(trace)?;
    Ok(())
}

/// `md5sum` first, then the program in all its modes.
fn programs<'a>(args: &Args, protocol: &Protocol, input: &Input, trace: &Path) -> Vec<Measured<'a>> {
    let decode = |extra: &[&str]| {
        let mut command = Command::new(&args.program);
        command.args(["decode", "--proto", protocol.name]).args(extra).arg(&input.file);
        command
    };
    let mut md5 = Command::new("md5sum");
    md5.arg(&input.file);
    let mut all = vec![("md5sum", md5), ("reference", decode(&["--format", "reference"]))];
    if let Some(plugin) = protocol.plugin(&args.program) {
        all.push(("reference, plugin", decode(&["--format", "reference", "--plugin", &plugin.to_string_lossy()])));
    }
    all.extend([
        ("native", decode(&["--format", "native"])),
        ("csv", decode(&["--format", "csv"])),
        ("jsonl", decode(&["--format", "jsonl"])),
        ("filter, no match", decode(&["--filter", "obj:nobody"])),
        ("filter, object", decode(&["--filter", protocol.filters[0]])),
        ("filter, number", decode(&["--filter", protocol.filters[1]])),
        ("filter, text", decode(&["--filter", "text:nosuchword"])),
        ("perfetto", export(&args.program, protocol, &input.file, trace)),
    ]);
    all.into_iter().map(|(what, mut command)| measured(what, move || child_cpu(&mut command))).collect()
}

/// Number of trace events reported by an export: `12 tracks, 1 582 850 events in FILE`.
fn events_of(export: &mut Command) -> Answer<u64> {
    let output = export.output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let events = text.split_once(" tracks, ").and_then(|(_, rest)| rest.split_once(" events"));
    let (events, _) = events.ok_or_else(|| format!("no number of events in {text:?}"))?;
    Ok(events.chars().filter(char::is_ascii_digit).collect::<String>().parse()?)
}

fn measured<'a>(what: &'static str, run: impl FnMut() -> Answer<Duration> + 'a) -> Measured<'a> {
    Measured { what, run: Box::new(run), least: Duration::MAX }
}

fn export(program: &Path, protocol: &Protocol, input: &Path, trace: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(["export", "perfetto", "--proto", protocol.name, "--force", "-o"]).arg(trace).arg(input);
    command
}
