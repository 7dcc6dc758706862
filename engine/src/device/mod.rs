//! Commands to a target, and what is known of its filter.
//!
//! | module | what is in it |
//! |---|---|
//! | [`command`] | command lines, by what a decoder declares |
//! | [`switches`] | the switches of a target's filter, and what is known of them |
//! | [`filter_word`] | the words of a filter for switches and rows |
//! | [`filter_state`] | what the filter keeps back, in a few words |
//! | [`mod@line`] | what a line asks for |
//! | [`control`] | sends commands and follows them to their answers |
//! | [`advise`] | which records a target should leave out when its link is too slow |

pub mod advise;
pub mod command;
pub mod control;
pub mod filter_state;
pub mod filter_word;
pub mod line;
pub mod switches;
