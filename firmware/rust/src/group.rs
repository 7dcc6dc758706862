//! Groups of records, for filters on the target.

use crate::UserRecord;

/// Records that are switched together, see [`crate::Tracer::filter`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group(pub(crate) u128);

impl Group {
    /// All records.
    pub const ALL: Self = Group(u128::MAX);
    /// State machines.
    pub const SM: Self = Group(bits(1, 9) | bits(55, 57));
    /// Active objects and their queues.
    pub const AO: Self = Group(bits(10, 18) | bits(45, 45) | bits(81, 81));
    /// Raw queues.
    pub const EQ: Self = Group(bits(19, 22) | bits(46, 46));
    /// Memory pools.
    pub const MP: Self = Group(bits(24, 25) | bits(47, 47));
    /// Events, ticks, critical sections, interrupts.
    pub const QF: Self = Group(bits(23, 23) | bits(26, 31) | bits(38, 44));
    /// Time events.
    pub const TE: Self = Group(bits(32, 37));
    /// The scheduler.
    pub const SC: Self = Group(bits(48, 53));
    /// Semaphores.
    pub const SEM: Self = Group(bits(71, 74));
    /// Mutexes.
    pub const MTX: Self = Group(bits(75, 80));
    /// All user records.
    pub const UA: Self = Group(bits(100, 124));

    /// One user record.
    pub const fn of(record: UserRecord) -> Self {
        Group(bits(record.0, record.0))
    }

    /// Both groups.
    pub const fn and(self, other: Self) -> Self {
        Group(self.0 | other.0)
    }
}

/// The bits from `first` to `last`.
const fn bits(first: u8, last: u8) -> u128 {
    (u128::MAX >> (127 - (last - first))) << first
}
