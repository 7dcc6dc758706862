//! Ids of commands, as the host passes them.

pub(super) const FILTER: u16 = 0;
pub(super) const INFO: u16 = 1;
pub(super) const DICT: u16 = 2;
pub(super) const RESET: u16 = 3;
pub(super) const START: u16 = 4;
pub(super) const STOP: u16 = 5;
pub(super) const FLUSH: u16 = 6;
pub(super) const MODE: u16 = 7;
pub(super) const FAST: u16 = 8;
pub(super) const WIDE: u16 = 9;
pub(super) const MARK: u16 = 10;
pub(super) const TEV: u16 = 11;
pub(super) const KPROF: u16 = 12;
pub(super) const FAULT: u16 = 13;
