//! The timeline of captures of ten million records: the walk over all of them, and a frame of the pane in windows of
//! all widths, in CPU time of this thread: `cargo bench -p spytui --bench timeline`, with `-- tband --percent 10` for
//! one protocol and shorter captures.

#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used, missing_docs, dead_code)]

#[path = "speed/cpu.rs"]
mod cpu;
#[path = "speed/input.rs"]
mod input;
#[path = "speed/rows.rs"]
mod rows;

use cpu::thread_cpu;
use rows::{each, show, times};
use spytui_engine::{
    analysis::timeline::TimeWindow,
    trace::list::{ObjectHistory, RowList, TimelineHistory, Walking},
};
use spytui_plugin_host::kit::Random;

/// Columns and lanes of a large screen.
const COLUMNS: usize = 180;
const LANES: usize = 45;
const WINDOWS: usize = 20;

fn main() {
    each(|list, _| measure(list));
}

fn measure(list: &RowList) {
    let rows = list.len();
    let mut history = TimelineHistory::new(list);
    let mut pieces = Vec::new();
    let start = thread_cpu();
    loop {
        let piece = thread_cpu();
        let more = history.work(list);
        pieces.push(thread_cpu() - piece);
        if !more {
            break;
        }
    }
    let walk = thread_cpu() - start;
    assert_eq!(history.failure(), None);
    let mut objects = ObjectHistory::new(list);
    let start = thread_cpu();
    while objects.work(list) {}
    let others = thread_cpu() - start;
    let recorder = history.recorder();
    println!(
        "  walk: {rows} rows in {:.1} s, {:.0} ns a row (objects {:.0}), {:.1} MB a million rows, {} lanes",
        walk.as_secs_f64(),
        walk.as_nanos() as f64 / rows as f64,
        others.as_nanos() as f64 / rows as f64,
        recorder.memory() as f64 / 1e6 / (rows as f64 / 1e6),
        recorder.lanes().count()
    );
    show("  a piece of the walk", pieces);
    let (begin, end) = recorder.span();
    let lanes: Vec<u32> = (0..recorder.lanes().count().min(LANES) as u32).collect();
    let mut random = Random::new(5);
    for part in [1, 10, 100, 1_000, 10_000, 1_000_000] {
        let ticks = (end - begin) / part / COLUMNS as u64 + 1;
        let place =
            |random: &mut Random| if part == 1 { begin } else { begin + random.below((end - begin) as usize) as u64 };
        let places: Vec<u64> = (0..WINDOWS).map(|_| place(&mut random)).collect();
        let paint = |begin| _ = recorder.paint(TimeWindow { begin, ticks, columns: COLUMNS }, &lanes);
        show(&format!("  a frame of 1/{part} of the time"), times(&places, paint));
    }
    let places: Vec<u64> = (0..WINDOWS).map(|_| random.below(rows as usize) as u64).collect();
    show("  from a row to its column", times(&places, |row| _ = history.place(list, row)));
    let places: Vec<u64> = (0..WINDOWS).map(|_| begin + random.below((end - begin) as usize + 1) as u64).collect();
    show("  from a column to its row", times(&places, |at| _ = history.row_at(list, at)));
    show("  a lane's next change", times(&places, |at| _ = recorder.change_after(lanes[0], at)));
    show("  a lane's previous change", times(&places, |at| _ = recorder.change_before(lanes[0], at)));
}
