//! Objects at a record, in captures of ten million records: the walk over all of them, jumps to random records, steps
//! to the next and previous one, and to state changes, in CPU time of this thread: `cargo bench -p spytui --bench
//! objects`, with `-- --percent 10` for shorter captures.

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
    analysis::Key,
    trace::list::{Direction, ObjectHistory, RowList, Walking},
};
use spytui_plugin_host::kit::Random;

const JUMPS: usize = 300;

fn main() {
    each(|list, _| measure(list));
}

fn measure(list: &RowList) {
    let start = thread_cpu();
    let mut history = ObjectHistory::new(list);
    let mut pieces = Vec::new();
    loop {
        let piece = thread_cpu();
        let more = history.work(list);
        pieces.push(thread_cpu() - piece);
        if !more {
            break;
        }
    }
    let walk = thread_cpu() - start;
    let rows = list.len();
    assert_eq!(history.failure(), None);
    println!(
        "  walk: {rows} rows in {:.1} s, {:.0} ns a row, {:.0} kB of tables a million rows",
        walk.as_secs_f64(),
        walk.as_nanos() as f64 / rows as f64,
        history.memory() as f64 / 1e3 / (rows as f64 / 1e6)
    );
    show("  a piece of the walk", pieces);
    let mut random = Random::new(5);
    let places: Vec<u64> = (0..JUMPS).map(|_| random.below(rows as usize) as u64).collect();
    show("  jump", times(&places, |row| _ = history.at(list, row).unwrap()));
    let last = places[JUMPS - 1].clamp(1000, rows - 1000);
    history.at(list, last);
    let steps: Vec<u64> = (last..last + 500).chain((last - 500..last + 500).rev()).collect();
    show("  step", times(&steps, |row| _ = history.at(list, row).unwrap()));
    show("  lines of the pane", times(&places[..50], |row| drop(history.lines(list, row, true))));
    let key: Vec<Key> = history.newest().objects().map(|(key, _)| key).take(40).collect();
    let change = |direction| {
        let mut at = 0;
        let mut history = ObjectHistory::new(list);
        while history.work(list) {}
        times(&places[..100], |row| {
            at += 1;
            history.change(list, row, key[at % key.len()], direction);
        })
    };
    show("  next change", change(Direction::Forward));
    show("  previous change", change(Direction::Backward));
}
