//! `:help`, `:stats`, `:q`: the program itself.

use spytui_engine::{
    export::stats::{SourceStats, text},
    present::clock::grouped,
};

use crate::{
    app_log::Level,
    input::{Arg, ArgKind, Given},
    model::{Model, prompt::Help, settings::Command},
};

pub(super) const HELP: Command = Command::new(
    &["help"],
    &[Arg::may("WORD", ArgKind::Topic)],
    "help, about a command, a key or an action",
    |given, model| model.prompt.help = Some(Help { top: 0, filter: given.must(0) }),
)
.alias(&["h"]);

pub(super) const STATS: Command =
    Command::new(&["stats"], &[], "the program's own figures: bytes drawn, frames, memory", stats);

fn stats(_given: &Given, model: &mut Model) {
    let f = model.screen.figures;
    let rows = &model.list.rows;
    let memory: usize = rows.read_all().iter().map(|state| state.rows.memory()).sum();
    let log: u64 = model.links.shown().map(|source| source.log().memory()).sum();
    let said = format!(
        "drew {} frames, {} B, skipped {} · rows {} kB, log {} kB in memory",
        grouped(f.frames),
        grouped(f.bytes),
        grouped(f.skipped),
        grouped(memory as u64 / 1024),
        grouped(log / 1024)
    );
    let shown = SourceStats { counters: rows.counters(), ..SourceStats::default() };
    let text = text(&model.list.decoding().decoder.info, &shown);
    for line in text.lines() {
        model.log(Level::Info, "stats", line);
    }
    model.say(said);
}

pub(super) const QUIT: Command =
    Command::new(&["q"], &[], "quit at once, without asking", |_, model| model.quit = Some(0)).alias(&["quit"]);
