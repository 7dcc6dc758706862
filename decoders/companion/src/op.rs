//! Numbers of commands and states, status of an answer.

/// Number of a command on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Op(pub u8);

impl Op {
    /// Answered with the version.
    pub const PING: Op = Op(0);
    /// Switches a group of records.
    pub const GROUP: Op = Op(1);
    /// Switches one kind of record.
    pub const EVENT: Op = Op(2);
    /// Switches the records of an object.
    pub const OBJECT: Op = Op(3);
    /// Switches the records with a signal.
    pub const SIGNAL: Op = Op(4);
    /// Switches all groups and kinds off, or all switches on.
    pub const ALL: Op = Op(5);
    /// Sends names and configuration once more.
    pub const NAMES: Op = Op(6);
    /// Resets the target.
    pub const RESET: Op = Op(7);
    /// A command of the application.
    pub const USER: Op = Op(8);
    /// Answered with all states.
    pub const READ: Op = Op(9);

    /// Whether it is answered with states, and executed again when it is repeated.
    pub const fn is_question(self) -> bool {
        matches!(self, Op::PING | Op::READ)
    }
}

/// Number of commands that have a word.
pub const OPS: usize = 10;

/// Numbers of states that all targets have.
pub mod state {
    /// Version of the companion.
    pub const VERSION: u8 = 0;
    /// Records that the target dropped so far.
    pub const DROPPED: u8 = 1;
    /// Most bytes that its buffer held.
    pub const PEAK: u8 = 2;
    /// Groups that are sent.
    pub const GROUPS: u8 = 3;
}

/// Status of an answer.
pub(crate) mod status {
    pub(crate) const DONE: u8 = 0;
    pub(crate) const NO_SUCH_ID: u8 = 4;
    /// A state has this plus its number.
    pub(crate) const STATE: u8 = 128;
    pub(crate) const OTHER_VERSION: u8 = 255;

    pub(crate) fn state(status: u8) -> Option<u8> {
        status.checked_sub(STATE).filter(|_| status != OTHER_VERSION)
    }

    /// Why a command was not executed.
    pub(crate) fn reason(status: u8) -> &'static str {
        match status {
            1 => "bad length",
            2 => "unknown command",
            3 => "refused by the program",
            NO_SUCH_ID => "no such id",
            OTHER_VERSION => "other version of the companion",
            _ => "unknown status",
        }
    }
}
