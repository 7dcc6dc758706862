//! Statistics and findings of captures of ten million records: the walk over all of them, cold and repeated, and what
//! the panes show, in CPU time of this thread, and the memory of the commands: `cargo bench -p spytui --bench
//! statistics`, with `-- --percent 10` for shorter captures.

#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used, missing_docs, dead_code)]

#[path = "speed/cpu.rs"]
mod cpu;
#[path = "speed/input.rs"]
mod input;
#[path = "speed/rows.rs"]
mod rows;

use std::{process::Command, time::Duration};

use cpu::{child_memory, thread_cpu};
use rows::{Capture, each, show};
use spytui_engine::{
    analysis::statistics::{Measure, Sort, SubjectColumns},
    trace::list::{FindingWalk, ObjectHistory, RowList, StatisticsWalk, TimelineHistory, Walking},
};

fn main() {
    each(|list, capture| {
        statistics(list);
        findings(list);
        together(list);
        for (what, options) in [("statistics", ["--measure", "all"].as_slice()), ("findings", &["--findings"])] {
            let bytes = memory(capture, options);
            let each_million = bytes / 1e3 / (list.len() as f64 / 1e6);
            println!("  memory of {what}: {:.1} MB, {each_million:.0} kB a million rows", bytes / 1e6);
        }
    });
}

fn statistics(list: &RowList) {
    let walk = walked("statistics", list, StatisticsWalk::new, |walk| walk.work(list));
    assert_eq!((walk.failure(), walk.walked()), (None, list.len()));
    let tables: Vec<_> = Measure::all()
        .map(|measure| {
            let start = thread_cpu();
            let mut table = walk.tables(list, true, |all| all.table(measure, SubjectColumns::usual(measure)));
            table.sort(Sort::usual(measure), false);
            (thread_cpu() - start, table.rows.len())
        })
        .collect();
    println!("  most rows of a table: {}", tables.iter().map(|table| table.1).max().unwrap_or(0));
    show("  a table", tables.iter().map(|table| table.0).collect());
}

fn findings(list: &RowList) {
    let walk = walked("findings", list, FindingWalk::new, |walk| walk.work(list));
    assert_eq!((walk.failure(), walk.walked()), (None, list.len()));
    let mut found = 0;
    let worded = (0..5).map(|_| {
        let start = thread_cpu();
        found = walk.findings(list, true).list.len();
        thread_cpu() - start
    });
    show("  all in words", worded.collect());
    println!("  {found} findings");
}

/// The walks of four panes that are open at once.
fn together(list: &RowList) {
    let start = thread_cpu();
    let (mut objects, mut timeline) = (ObjectHistory::new(list), TimelineHistory::new(list));
    let (mut statistics, mut findings) = (StatisticsWalk::new(list), FindingWalk::new(list));
    while objects.work(list) | timeline.work(list) | statistics.work(list) | findings.work(list) {}
    let took = thread_cpu() - start;
    let ns = took.as_nanos() as f64 / list.len() as f64;
    println!("  four panes together: {} rows in {:.2} s ({ns:.0} ns a row)", list.len(), took.as_secs_f64());
}

/// Walks over all rows, and once more when all that they need has been read.
fn walked<W>(what: &str, list: &RowList, new: impl Fn(&RowList) -> W, work: impl Fn(&mut W) -> bool) -> W {
    let rows = list.len() as f64;
    let (walk, cold, pieces) = walk(list, &new, &work);
    let (_, warm, _) = self::walk(list, &new, &work);
    let ns = |time: Duration| time.as_nanos() as f64 / rows;
    println!(
        "  {what}: {rows} rows, cold {:.2} s ({:.0} ns a row), warm {:.2} s ({:.0} ns)",
        cold.as_secs_f64(),
        ns(cold),
        warm.as_secs_f64(),
        ns(warm)
    );
    show("  a piece of the walk", pieces);
    walk
}

/// A walk, with its time and those of its pieces.
fn walk<W>(list: &RowList, new: impl Fn(&RowList) -> W, work: impl Fn(&mut W) -> bool) -> (W, Duration, Vec<Duration>) {
    let start = thread_cpu();
    let mut walk = new(list);
    let mut pieces = Vec::new();
    loop {
        let piece = thread_cpu();
        let more = work(&mut walk);
        pieces.push(thread_cpu() - piece);
        if !more {
            return (walk, thread_cpu() - start, pieces);
        }
    }
}

/// Peak memory of a command on a capture, beyond that for the counters alone.
fn memory(capture: &Capture<'_>, options: &[&str]) -> f64 {
    let most = |options: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_spytui"));
        command.args(["stats", "--proto", capture.protocol]).args(options).arg(capture.file);
        child_memory(&mut command).unwrap() as f64
    };
    most(options) - most(&[])
}
