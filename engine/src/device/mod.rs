//! Commands to a target, and the known state of its filter.
//!
//! | module | what is in it |
//! |---|---|
//! | [`command`] | parses command lines as a decoder declares |
//! | [`switches`] | the switches of a target's filter: states and words |
//! | [`mod@line`] | the meaning of a line |
//! | [`control`] | sends commands and tracks their answers |
//! | [`front_end`] | serves a front end of another host over UDP |
//! | [`traffic`] | samples the traffic of a source |
//! | [`advise`] | which records a target should leave out when its link is too slow |

pub mod advise;
pub mod command;
pub mod control;
pub mod front_end;
pub mod line;
pub mod switches;
pub mod traffic;
