//! The program as users see it: the real binary in a pseudo-terminal, with links that come and go.
//!
//! | module | what is tested |
//! |---|---|
//! | [`attach`] | attaching late, over every link, and again after it disappeared |
//! | [`trust`] | files that somebody else may have written |
//! | [`bad_input`] | noise, silence, wrong files, plugins that fail |
//! | [`losses`] | losses in their places, with sums that add up |
//! | [`misbehave`] | misbehaving plugins |
//! | [`demo`] | the target inside the program, with and without faults |
//! | [`drops`] | drops of the target, and repeated counts |
//! | [`journeys`] | questions about a trace, key by key |
//! | [`keys`] | valid and invalid keys and commands |
//! | [`random_keys`] | random keys, pastes, clicks and sizes, after which keys are still answered |
//! | [`find_filter`] | filters and searches, and their messages |
//! | [`appearance`] | sizes, colours, glyphs; what must never reach the terminal |
//! | [`leaving`] | whatever ends or stops the program, the terminal is restored |
//! | [`resume`] | opened again as it was left |
//! | [`record`] | recordings contain exactly what was received |
//! | [`deliver`] | recordings are delivered whole and once |
//! | [`tee`] | the bytes of a link that is recorded, for other readers |
//! | [`triggers`] | what is done when a row matches
//! | [`play`] | a recording is played again at its pace
//! | [`cut`] | a part of a recording decodes alone to the same rows
//! | [`changing_files`] | files that change while they are read, without a screen |
//! | [`cores`] | several sources of one target |
//! | [`qnx`] | QNX: dates, classes, several runs |
//! | [`itm`] | the example decoder of ARM's ITM, as a plugin |
//! | [`rkh`] | RKH: a first error, unspecified sizes |
//! | [`sizes`] | unspecified sizes, the same in every command |
//! | [`frozen`] | plugins of an API that was published |
//! | [`own_decoder`] | every view of a user's decoder on a page |
//! | [`plugin_new`] | a plugin created, built, loaded, changed |
//! | [`switch`] | another decoder in a running session |
//! | [`advise`] | the filter proposed for a line that is too slow |
//! | [`console`] | lines of text beside the trace, and what is sent to them |
//! | [`commands`] | commands to a target: obeyed, refused, unanswered |
//! | [`target_pane`] | the Target pane, its part of the header, keys that fill a line |
//! | [`lines`] | without a terminal: formats, exit codes, pipes |
//! | [`exec`] | without a terminal: command lines of a script |
//! | [`headless`] | without a terminal: senders at a UDP port, recordings |
//! | [`reference_files`] | files in the formats of the QS host |
//! | [`qs_records`] | without a terminal: handmade streams |
//! | [`setup`] | `config init`, `doctor`, `man`, `completions` |
//! | [`signals`] | without a terminal: after a signal |
//! | [`front_end`] | without a terminal and with one: front ends of the QS reference host |
//! | [`load`] | many records per second, and none |
//!
//! [`rig`] holds the program, [`port`] a serial port without hardware, [`target`] a target that accepts commands.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, unreachable_pub, missing_docs)]

mod advise;
mod appearance;
mod attach;
mod bad_input;
mod causes;
mod changing_files;
mod commands;
mod console;
mod cores;
mod cut;
mod deliver;
#[cfg(feature = "demo-target")]
mod demo;
mod drops;
#[cfg(feature = "demo-target")]
mod exec;
mod export;
mod find_filter;
mod findings;
mod formats;
mod front_end;
mod frozen;
mod headless;
mod hostile;
mod itm;
mod journeys;
mod keys;
mod leaving;
mod lines;
mod load;
mod losses;
mod misbehave;
mod objects;
mod own_decoder;
mod play;
mod plugin_new;
mod port;
mod qnx;
mod qs_records;
mod random_keys;
mod record;
mod reference_files;
mod resume;
mod rig;
mod rkh;
mod sequence;
mod setup;
mod signals;
mod sizes;
mod statistics;
mod switch;
mod target;
#[cfg(feature = "demo-target")]
mod target_pane;
mod tee;
mod timeline;
mod triggers;
mod trust;
