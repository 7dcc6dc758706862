//! Commands to a target, and what is known of its filter.
//!
//! | module | what is in it |
//! |---|---|
//! | [`command`] | command lines, by what a decoder declares |
//! | [`switches`] | the switches of a target's filter, what is known of them, and their words |
//! | [`mod@line`] | what a line asks for |
//! | [`control`] | sends commands and follows them to their answers |
//! | [`advise`] | which records a target should leave out when its link is too slow |

pub mod advise;
pub mod command;
pub mod control;
pub mod line;
pub mod switches;
