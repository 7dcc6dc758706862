//! The program as its users meet it: the real binary in a pseudo-terminal, with links that come and go.
//!
//! | module | what is tried |
//! |---|---|
//! | [`attach`] | attaching late, over every link, and again after it went away |
//! | [`trust`] | files that somebody else may have written |
//! | [`bad_input`] | noise, silence, wrong files, plugins that fail |
//! | [`losses`] | losses in their places, sums that add up |
//! | [`misbehave`] | plugins that do what no plugin may |
//! | [`demo`] | the target inside the program, with and without faults |
//! | [`drops`] | drops of the target, and counts that are no news |
//! | [`journeys`] | what somebody asks of a trace, one key after the other |
//! | [`keys`] | keys and commands, right and wrong ones |
//! | [`random_keys`] | random keys, pastes, clicks and sizes, after which keys are still answered |
//! | [`find_filter`] | filters and searches, and what they say |
//! | [`appearance`] | sizes, colours, glyphs; what must never reach the terminal |
//! | [`leaving`] | whatever ends or stops the program, the terminal is given back |
//! | [`record`] | recordings are what was received |
//! | [`changing_files`] | files that change while they are read, without a screen |
//! | [`cores`] | several sources of one target |
//! | [`qnx`] | QNX: dates, classes, several runs |
//! | [`itm`] | the example decoder of ARM's ITM, as a plugin |
//! | [`rkh`] | RKH: a first error, sizes that nobody gave |
//! | [`sizes`] | sizes that nobody gave, the same in every command |
//! | [`frozen`] | plugins of an API that was published |
//! | [`own_decoder`] | every view of a decoder of one's own, on a page
//! | [`plugin_new`] | a plugin begun, built, loaded, changed |
//! | [`switch`] | another decoder in a running session |
//! | [`advise`] | the filter that is proposed for a line that is too small |
//! | [`commands`] | commands to a target, obeyed, refused and not answered |
//! | [`target_pane`] | what the target sends: its pane, its words in the header, keys that fill a line |
//! | [`lines`] | without a terminal: formats, exit codes, pipes |
//! | [`exec`] | without a terminal: command lines of a script |
//! | [`headless`] | without a terminal: senders at a UDP port, recordings |
//! | [`qs_records`] | without a terminal: streams made by hand |
//! | [`setup`] | `config init`, `doctor`, `man`, `completions` |
//! | [`signals`] | without a terminal: what a signal leaves |
//! | [`load`] | many records a second, and none |
//!
//! [`rig`] holds the program, [`port`] a serial port without hardware, [`target`] a target that takes commands.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, unreachable_pub, missing_docs)]

mod advise;
mod appearance;
mod attach;
mod bad_input;
mod causes;
mod changing_files;
mod commands;
mod cores;
#[cfg(feature = "demo-target")]
mod demo;
mod drops;
#[cfg(feature = "demo-target")]
mod exec;
mod export;
mod find_filter;
mod findings;
mod formats;
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
mod plugin_new;
mod port;
mod qnx;
mod qs_records;
mod random_keys;
mod record;
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
mod timeline;
mod trust;
