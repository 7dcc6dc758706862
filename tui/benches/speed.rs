//! Speed against `md5sum` of the same file, as CPU time on one thread: `cargo bench -p spytui --bench speed`.
//!
//! The input is a real capture repeated to 160 MB. Machines are noisy: the ratios of one run count.

#![allow(clippy::print_stdout, clippy::print_stderr)] // its output is its purpose

mod measure;

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    time::{Duration, Instant},
};

use measure::{Answer, best, child_cpu};
use spytui_engine::{
    log::open_recorded,
    plugin::{Options, Origin, Registry},
    session::{Decoding, decode_loop::DecodeLoop},
};

const SIZE: usize = 160_000_000;

fn main() -> Answer<()> {
    if let Some(file) = std::env::var_os("SPEED_STORE_ONLY") {
        println!("{:?}", into_the_store(Path::new(&file))?);
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let file = repeated(folder.path())?;
    let program = PathBuf::from(env!("CARGO_BIN_EXE_spytui"));
    let plugin = plugin_of(&program);
    let decode = |format: &str, extra: &[&str]| {
        let mut command = Command::new(&program);
        command.args(["decode", "--proto", "qs", "--format", format]).args(extra).arg(&file);
        command
    };
    let mut md5 = Command::new("md5sum");
    md5.arg(&file);
    let yardstick = best(|| child_cpu(&mut md5))?;
    println!("md5sum                      {:>7.3} s   1.00", yardstick.as_secs_f64());
    let show = |what: &str, time: Duration| {
        println!("{what:<27} {:>7.3} s   {:.2}", time.as_secs_f64(), time.as_secs_f64() / yardstick.as_secs_f64());
    };
    show("reference text, built in", best(|| child_cpu(&mut decode("reference", &[])))?);
    match plugin {
        Some(path) => {
            let path = path.display().to_string();
            show("reference text, plugin", best(|| child_cpu(&mut decode("reference", &["--plugin", &path])))?);
        }
        None => println!("reference text, plugin      not built: cargo build --release --workspace"),
    }
    show("native text", best(|| child_cpu(&mut decode("native", &[])))?);
    show("JSON lines", best(|| child_cpu(&mut decode("jsonl", &[])))?);
    show("into the store", best(|| into_the_store(&file))?);
    Ok(())
}

fn repeated(folder: &Path) -> Answer<PathBuf> {
    let capture = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/demo/qs.bin"))?;
    let path = folder.join("repeated.bin");
    let mut out = std::io::BufWriter::new(fs::File::create(&path)?);
    for _ in 0..SIZE.div_ceil(capture.len()) {
        out.write_all(&capture)?;
    }
    out.flush()?;
    Ok(path)
}

fn plugin_of(program: &Path) -> Option<PathBuf> {
    let name = format!("{}spytui_qs{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let folder = program.parent()?;
    [folder.join(&name), folder.join("deps").join(&name)].into_iter().find(|p| p.is_file())
}

/// Decodes the file into the store on this thread.
fn into_the_store(file: &Path) -> Answer<Duration> {
    let mut registry = Registry::new();
    registry.add(spytui_decoder_qs::plugin(), &Origin::BuiltIn)?;
    let log = open_recorded(file)?.log;
    log.end(0);
    let decoder = registry.find("qs")?;
    let decoded = Arc::new(Decoding::new(decoder, Options::default(), log, 0, 0, 512 << 20));
    let mut runner = DecodeLoop::open(decoded.clone(), "bench")?;
    let (start, cpu) = (Instant::now(), thread_cpu());
    while runner.step()? {}
    let spent = thread_cpu() - cpu;
    let rows = decoded.len();
    eprintln!(
        "    {rows} rows, {:.1} M rows/s of CPU time, {:.3} s on the wall",
        rows as f64 / spent.as_secs_f64() / 1e6,
        start.elapsed().as_secs_f64()
    );
    Ok(spent)
}

/// CPU time of this thread, from the kernel's account; it runs under valgrind too, where rustix has no clock.
fn thread_cpu() -> Duration {
    let stat = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(stat.split_whitespace().next().and_then(|ns| ns.parse().ok()).unwrap_or(0))
}
