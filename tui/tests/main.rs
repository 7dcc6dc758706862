//! All tests of the program except those at a pseudo-terminal, in one program, because each program is linked
//! separately.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)]

mod accounting;
mod advise;
mod check;
mod commands;
mod commands_qnx;
mod companion;
mod compare;
mod control;
mod corpus;
mod fields;
mod findings;
mod fuzzing;
mod growing_gaps;
mod guess;
mod incident;
mod live_lanes;
mod live_pace;
mod model;
mod objects;
mod output;
mod packaging;
mod parquet;
mod perfetto;
#[path = "../../engine/tests/pipeline.rs"]
mod pipeline;
mod plugin;
mod screens;
mod sequence;
mod statistics;
mod store;
mod target_pane;
mod terminal;
mod timeline;
mod typed;
mod uncertain;
mod viewers;
