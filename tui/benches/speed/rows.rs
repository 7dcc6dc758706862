//! Captures of ten million records as lists, and times of calls on them, in CPU time of this thread.

use std::{path::Path, sync::Arc, time::Duration};

use spytui_engine::{
    io::log::open_recorded,
    open::{Options, Origin, Registry},
    store::rows::BUDGET,
    trace::list::RowList,
    trace::session::{Decoding, thread::DecodeLoop},
};

use super::{
    cpu::thread_cpu,
    input::{PROTOCOLS, Protocol},
};

const RECORDS: usize = 10_000_000;

pub(super) struct Capture<'a> {
    pub(super) protocol: &'a str,
    pub(super) file: &'a Path,
}

/// Measures each capture, or those of the named protocols, with `--percent N` of its records.
pub(super) fn each(measure: impl Fn(&RowList, &Capture<'_>)) {
    let percent = std::env::args().skip_while(|arg| arg != "--percent").nth(1);
    let percent: usize = percent.map_or(100, |percent| percent.parse().expect("a number"));
    let folder = tempfile::tempdir().unwrap();
    let is_named = |protocol: &&Protocol| std::env::args().any(|arg| arg == protocol.name);
    let any_named = PROTOCOLS.iter().any(|protocol| is_named(&protocol));
    for protocol in PROTOCOLS.iter().filter(|protocol| !any_named || is_named(protocol)) {
        // The size of ten million records is estimated from few.
        let few = protocol.inputs(folder.path(), 10).unwrap();
        let scale = few.each_ref().map(|input| RECORDS * 10 / input.records.max(1));
        for (at, scale) in scale.into_iter().enumerate() {
            let input = &protocol.inputs(folder.path(), scale * percent / 100).unwrap()[at];
            println!("{} {}, {} MB", protocol.name, input.name, input.size / 1_000_000);
            measure(&list(protocol, &input.file), &Capture { protocol: protocol.name, file: &input.file });
        }
    }
}

/// The rows of a file, decoded as on the screen.
fn list(protocol: &Protocol, file: &Path) -> RowList {
    let mut registry = Registry::new();
    registry.add((protocol.plugin)(), &Origin::BuiltIn).unwrap();
    let log = open_recorded(file).unwrap().log;
    log.end(0);
    let decoder = registry.find(protocol.name).unwrap();
    let decoding = Arc::new(Decoding::new(decoder, Options::default(), log, 0, 0, BUDGET));
    let mut decode = DecodeLoop::open(decoding.clone()).unwrap();
    while decode.step().unwrap() {}
    RowList::new(vec![decoding])
}

/// Time of `work` for each value.
pub(super) fn times(values: &[u64], mut work: impl FnMut(u64)) -> Vec<Duration> {
    let each = values.iter().map(|&value| {
        let start = thread_cpu();
        work(value);
        thread_cpu() - start
    });
    each.collect()
}

pub(super) fn show(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    println!("{what}: median {:.3} p95 {:.3} max {:.3} ms", at(0.5), at(0.95), at(1.0));
}
