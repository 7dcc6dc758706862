//! Activities: the meaning of a record, in verbs that all views understand. The host rebuilds states from them.

use abi_stable::StableAbi;

use crate::{
    NONE,
    number::{named_flags, named_numbers},
};

/// An activity of row `at`; pushed before the row.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Activity {
    /// Index of the row in the batch.
    pub at: u32,
    /// One of [`Verb`].
    pub verb: Verb,
    /// [`ActivityFlags`].
    pub flags: ActivityFlags,
    /// Core.
    pub core: u16,
    /// Space of `sub`; [`NONE`] = no subject.
    pub sub_space: u16,
    /// Space of `obj`.
    pub obj_space: u16,
    /// Space of `item`.
    pub item_space: u16,
    /// Space of `second`; [`NONE`] = `second` is a number.
    pub second_space: u16,
    /// Subject: who acts.
    pub sub: u64,
    /// Object: what it acts on.
    pub obj: u64,
    /// Item: signal, state, reason.
    pub item: u64,
    /// Value: level, count, ticks.
    pub val: u64,
    /// Second value or key.
    pub second: u64,
}

impl Activity {
    /// An activity on core 0 without operands.
    pub const fn new(verb: Verb) -> Activity {
        Activity {
            at: 0,
            verb,
            flags: ActivityFlags::empty(),
            core: 0,
            sub_space: NONE,
            obj_space: NONE,
            item_space: NONE,
            second_space: NONE,
            sub: 0,
            obj: 0,
            item: 0,
            val: 0,
            second: 0,
        }
    }

    /// With a subject.
    pub const fn sub(self, space: u16, key: u64) -> Activity {
        Activity { sub_space: space, sub: key, ..self }
    }

    /// With an object.
    pub const fn obj(self, space: u16, key: u64) -> Activity {
        Activity { obj_space: space, obj: key, ..self }
    }

    /// With an item.
    pub const fn item(self, space: u16, key: u64) -> Activity {
        Activity { item_space: space, item: key, ..self }
    }

    /// With a value.
    pub const fn val(self, val: u64) -> Activity {
        Activity { val, ..self }
    }

    /// With a second value.
    pub const fn second(self, second: u64) -> Activity {
        Activity { second, ..self }
    }

    /// With a second key.
    pub const fn second_key(self, space: u16, key: u64) -> Activity {
        Activity { second_space: space, second: key, ..self }
    }

    /// With further flags.
    pub const fn with(self, flags: ActivityFlags) -> Activity {
        Activity { flags: self.flags.union(flags), ..self }
    }
}

named_flags! {
    /// Flags of [`Activity::flags`].
    pub struct ActivityFlags(u16) {
        /// Put in front of the queue.
        LIFO = 1,
        /// The action failed.
        FAILED = 2,
        /// `val` is the number of free entries.
        FREE = 8,
        /// If `sub` is running, the change takes effect when it is switched out.
        WHEN_OUT = 32,
        /// No effect if `sub` is running.
        UNLESS_RUNNING = 64,
        /// `val` is signed.
        SIGNED = 512,
        /// `val` holds the bits of an `f64`.
        FLOAT = 4,
        /// `sub` is the task running on the core.
        CURRENT = 1024,
        /// The span belongs to `sub` alone: activities between begin and end need not be part of it, for example the
        /// calls of one thread among many. The gutter of lists marks only its ends.
        APART = 2048,
        /// Lower numbers are higher priorities.
        LOWER_FIRST = 4096,
        /// The priority may be temporary, for example inherited.
        FOR_NOW = 8192,
    }
}

named_numbers! {
    /// An action. Unknown verbs are shown as numbers.
    pub struct Verb(u16) {
        /// Initial transition: `sub` machine, `obj` source, `item` state.
        INIT = 0x0101,
        /// State entered.
        ENTER = 0x0102,
        /// State left.
        EXIT = 0x0103,
        /// The machine has settled in state `item`.
        REST = 0x0104,
        /// A run-to-completion step begins: `sub` machine, `obj` state, `item` signal.
        DISPATCH = 0x0105,
        /// Transition: `obj` source, `second` target state with its space.
        TRAN = 0x0106,
        /// Internal transition.
        INTERNAL = 0x0107,
        /// Event ignored.
        IGNORED = 0x0108,
        /// Event not handled by this state.
        UNHANDLED = 0x0109,
        /// The step ends.
        DONE = 0x010A,
        /// An action ran: `item` function.
        ACTION = 0x010B,
        /// Event posted: `sub` sender, `obj` receiver, `item` signal.
        POST = 0x0201,
        /// Event taken from the queue: `sub` receiver.
        GET = 0x0202,
        /// Event published.
        PUBLISH = 0x0203,
        /// Event deferred.
        DEFER = 0x0204,
        /// Event recalled.
        RECALL = 0x0205,
        /// Subscribed.
        SUBSCRIBE = 0x0206,
        /// Unsubscribed.
        UNSUBSCRIBE = 0x0207,
        /// Message sent, with flow.
        SEND = 0x0211,
        /// Message received.
        RECEIVE = 0x0212,
        /// Pulse sent.
        PULSE = 0x0214,
        /// Signal sent.
        SIGNAL = 0x0215,
        /// Level of a queue or pool: `obj`, `val`; `second` is the low watermark, or the requested margin if `FAILED`.
        LEVEL = 0x0301,
        /// Full.
        FULL = 0x0302,
        /// Empty.
        EMPTY = 0x0303,
        /// Cleared.
        CLEARED = 0x0304,
        /// Event or block allocated.
        ALLOC = 0x0401,
        /// Reference added.
        REF = 0x0403,
        /// Reference dropped.
        UNREF = 0x0404,
        /// Garbage collected.
        COLLECT = 0x0405,
        /// Timer armed: `val` ticks until it expires, `second` its period in ticks; 0 = one-shot.
        ARM = 0x0501,
        /// Timer disarmed.
        DISARM = 0x0502,
        /// Timer fired.
        FIRE = 0x0503,
        /// Clock tick: `val` counter, `item` rate.
        TICK = 0x0504,
        /// A task starts running on the core.
        RUN = 0x0601,
        /// Task state: `val` is a [`TaskState`].
        STATE = 0x0602,
        /// Created.
        CREATE = 0x0603,
        /// Deleted.
        DELETE = 0x0604,
        /// `sub` has priority `val`; higher numbers run first unless `LOWER_FIRST` is set.
        PRIO = 0x0605,
        /// Scheduler locked.
        SCHED_LOCK = 0x0606,
        /// Scheduler unlocked.
        SCHED_UNLOCK = 0x0607,
        /// Idle.
        IDLE = 0x0608,
        /// Lock taken.
        TAKE = 0x0701,
        /// Lock given.
        GIVE = 0x0702,
        /// Blocked on a lock.
        BLOCK = 0x0703,
        /// Interrupt entered.
        ISR_IN = 0x0801,
        /// Interrupt left.
        ISR_OUT = 0x0802,
        /// Critical section entered.
        CRIT_IN = 0x0803,
        /// Critical section left.
        CRIT_OUT = 0x0804,
        /// Span begins.
        BEGIN = 0x0901,
        /// Span ends.
        END = 0x0902,
        /// A single point in time.
        INSTANT = 0x0903,
        /// Value of a track.
        VALUE = 0x0904,
        /// All states are unknown from here on.
        RESET = 0x0A01,
        /// Assertion failed.
        ASSERT = 0x0A02,
        /// Records lost: `val`.
        LOST = 0x0A03,
        /// Information; with `FAILED`, `val` = number of frames of this row without a valid event.
        INFO = 0x0A04,
    }
}

named_numbers! {
    /// What a task does, in `val` of [`Verb::STATE`].
    pub struct TaskState(u64) {
        /// It runs on a core.
        RUNNING = 1,
        /// It is ready to run.
        READY = 2,
        /// It waits for something.
        BLOCKED = 3,
        /// It was suspended.
        SUSPENDED = 4,
        /// It was stopped, for example by a debugger.
        STOPPED = 5,
        /// It was deleted.
        DEAD = 6,
    }
}

impl Verb {
    /// Whether this verb is a step of a state machine.
    pub const fn is_of_machine(self) -> bool {
        self.0 >> 8 == 0x01
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn activity_is_64_bytes() {
        assert_eq!(size_of::<super::Activity>(), 64);
    }
}
