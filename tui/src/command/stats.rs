//! `:stats`: the program's own figures.

use spytui_engine::{
    export::stats::{self, SourceStats},
    list::RowSource,
    present::clock::grouped,
};

use crate::{
    action::Given,
    app_log::Level,
    model::{Model, settings::Command},
};

pub(super) const STATS: Command =
    Command::new(&["stats"], &[], "the program's own figures: bytes drawn, frames, memory", run);

fn run(_given: &Given, model: &mut Model) {
    let f = model.screen.figures;
    let rows = &model.list.rows;
    let memory: usize = rows.read_all().iter().map(|state| state.rows.memory()).sum();
    let log: u64 = model.links.shown().map(|source| source.log().memory()).sum();
    let said = format!(
        "drawn {} frames, {} B, {} left out · rows {} kB, log {} kB in memory",
        grouped(f.frames),
        grouped(f.bytes),
        grouped(f.skipped),
        grouped(memory as u64 / 1024),
        grouped(log / 1024)
    );
    let shown = SourceStats { counters: rows.counters(), ..SourceStats::default() };
    let text = stats::text(&model.list.decoding().decoder.info, &shown);
    for line in text.lines() {
        model.log(Level::Info, "stats", line);
    }
    model.say(said);
}
