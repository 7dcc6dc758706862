//! The app: state, what changes it, and the loop around it. Views only read it.
//!
//! | module | what is in it |
//! |---|---|
//! | [`state`] | everything there is |
//! | [`source`] | a link with its session, recording and rates |
//! | [`sources`] | several of them: opening, showing all of a target or one |
//! | [`places`] | places of rows that outlast their numbers |
//! | [`list`] | the list of rows: page, cursor, following or held |
//! | [`folds`] | what is left out of it, and neighbours that are one line |
//! | [`guess`] | sizes that nobody told, and which decoder bytes look like |
//! | [`details`] | one row in all its fields |
//! | [`shown`] | what is drawn beside the list: [`header`], [`dictionary`], [`counters`], [`trouble`] |
//! | [`layout`] | which part of the screen gets which lines |
//! | [`acts`] | what keys do |
//! | [`marks`] | bookmarks |
//! | [`narrow`] | hiding rows like this one, or showing only them |
//! | [`typing`] | the line commands, searches and filters are typed in |
//! | [`known`] | the live names that completion offers |
//! | [`commands`] | what commands do; [`names`], [`mod@write`], [`export`], [`auto_baud`] belong to it |
//! | [`finding`] | a search on a thread of its own |
//! | [`effect`] | what is carried out at the edge; [`copy`] is one |
//! | [`update`] | events and the work beside the screen |
//! | [`mod@run`] | the main loop |

pub mod acts;
pub mod auto_baud;
pub mod commands;
pub mod copy;
pub mod counters;
pub mod details;
pub mod dictionary;
pub mod effect;
pub mod export;
pub mod finding;
pub mod folds;
pub mod guess;
pub mod header;
pub mod known;
pub mod layout;
pub mod list;
pub mod marks;
pub mod names;
pub mod narrow;
pub mod places;
pub mod plugins;
pub mod run;
pub mod shown;
pub mod source;
pub mod sources;
pub mod state;
pub mod trouble;
pub mod typing;
pub mod update;
pub mod write;

pub use list::Entry;
pub use run::run;
pub use state::{App, Look, Pane, TimeStyle};
