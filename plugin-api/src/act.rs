//! Activities: what a record means, in verbs that every view understands. The rules of the reducer, which rebuilds
//! states from them, are the host's.

use abi_stable::StableAbi;

use crate::row::NONE;

/// One activity, belonging to row `at` and pushed before it.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Act {
    /// Index of the row in the batch.
    pub at: u32,
    /// One of [`Verb`].
    pub verb: u16,
    /// [`ActFlags`].
    pub flags: u16,
    /// Lane.
    pub lane: u16,
    /// Space of `sub`, [`NONE`] = absent.
    pub sub_space: u16,
    /// Space of `obj`.
    pub obj_space: u16,
    /// Space of `item`.
    pub item_space: u16,
    /// Who does it.
    pub sub: u64,
    /// To what.
    pub obj: u64,
    /// With what: signal, state, reason.
    pub item: u64,
    /// Value: level, count, ticks.
    pub val: u64,
    /// Second value or key.
    pub aux: u64,
}

impl Act {
    /// An activity without operands in lane 0.
    #[must_use]
    pub const fn new(verb: u16) -> Act {
        Act {
            at: 0,
            verb,
            flags: 0,
            lane: 0,
            sub_space: NONE,
            obj_space: NONE,
            item_space: NONE,
            sub: 0,
            obj: 0,
            item: 0,
            val: 0,
            aux: 0,
        }
    }

    /// With the entity that acts.
    #[must_use]
    pub const fn sub(mut self, space: u16, key: u64) -> Act {
        self.sub_space = space;
        self.sub = key;
        self
    }

    /// With the entity acted upon.
    #[must_use]
    pub const fn obj(mut self, space: u16, key: u64) -> Act {
        self.obj_space = space;
        self.obj = key;
        self
    }

    /// With the signal, state or reason.
    #[must_use]
    pub const fn item(mut self, space: u16, key: u64) -> Act {
        self.item_space = space;
        self.item = key;
        self
    }

    /// With a value.
    #[must_use]
    pub const fn val(mut self, val: u64) -> Act {
        self.val = val;
        self
    }

    /// With a second value.
    #[must_use]
    pub const fn aux(mut self, aux: u64) -> Act {
        self.aux = aux;
        self
    }

    /// With further flags.
    #[must_use]
    pub const fn with(mut self, flags: u16) -> Act {
        self.flags |= flags;
        self
    }
}

/// Bits of [`Act::flags`].
#[allow(non_snake_case)]
pub mod ActFlags {
    /// Put in front of the queue.
    pub const LIFO: u16 = 1;
    /// It did not work.
    pub const FAILED: u16 = 2;
    /// Done by an interrupt.
    pub const FROM_ISR: u16 = 4;
    /// `val` counts what is free.
    pub const FREE: u16 = 8;
    /// `aux` is the low-water mark, or the margin asked for when `FAILED`.
    pub const MARKED: u16 = 16;
    /// If `sub` is running, takes effect when it is switched out.
    pub const WHEN_OUT: u16 = 32;
    /// Nothing if `sub` is running.
    pub const UNLESS_RUNNING: u16 = 64;
    /// Uncertain.
    pub const UNSURE: u16 = 128;
    /// `val` is the bits of a double.
    pub const FLOAT: u16 = 256;
    /// `val` is signed.
    pub const SIGNED: u16 = 512;
    /// `sub` = who runs on the lane.
    pub const CURRENT: u16 = 1024;
    /// An answer exists.
    pub const ANSWERED: u16 = 2048;
}

/// The verbs. Operands and rules: see the plugin author's guide; unknown numbers are ignored.
#[allow(non_snake_case)]
pub mod Verb {
    /// Initial transition: `sub` machine, `obj` source, `item` state.
    pub const INIT: u16 = 0x0101;
    /// State entered.
    pub const ENTER: u16 = 0x0102;
    /// State left.
    pub const EXIT: u16 = 0x0103;
    /// The machine rests in `item`.
    pub const REST: u16 = 0x0104;
    /// A run-to-completion step begins: `sub` machine, `obj` state, `item` signal.
    pub const DISPATCH: u16 = 0x0105;
    /// Transition: `obj` source, `aux` target state.
    pub const TRAN: u16 = 0x0106;
    /// Internal transition.
    pub const INTERNAL: u16 = 0x0107;
    /// Event ignored.
    pub const IGNORED: u16 = 0x0108;
    /// Event not handled by this state.
    pub const UNHANDLED: u16 = 0x0109;
    /// The step ends.
    pub const DONE: u16 = 0x010A;
    /// An action ran: `item` function.
    pub const ACTION: u16 = 0x010B;
    /// Event posted: `sub` sender, `obj` receiver, `item` signal.
    pub const POST: u16 = 0x0201;
    /// Event taken from the queue: `sub` receiver.
    pub const GET: u16 = 0x0202;
    /// Event published.
    pub const PUBLISH: u16 = 0x0203;
    /// Event deferred.
    pub const DEFER: u16 = 0x0204;
    /// Event recalled.
    pub const RECALL: u16 = 0x0205;
    /// Subscribed.
    pub const SUBSCRIBE: u16 = 0x0206;
    /// Unsubscribed.
    pub const UNSUBSCRIBE: u16 = 0x0207;
    /// Message sent, with flow.
    pub const SEND: u16 = 0x0211;
    /// Message received.
    pub const RECEIVE: u16 = 0x0212;
    /// Message replied.
    pub const REPLY: u16 = 0x0213;
    /// Pulse.
    pub const PULSE: u16 = 0x0214;
    /// Signal.
    pub const SIGNAL: u16 = 0x0215;
    /// Level of a queue or pool: `obj`, `val`, `aux` mark.
    pub const LEVEL: u16 = 0x0301;
    /// Full.
    pub const FULL: u16 = 0x0302;
    /// Empty.
    pub const EMPTY: u16 = 0x0303;
    /// Cleared.
    pub const CLEARED: u16 = 0x0304;
    /// Event or block allocated.
    pub const ALLOC: u16 = 0x0401;
    /// Freed.
    pub const FREE: u16 = 0x0402;
    /// Reference added.
    pub const REF: u16 = 0x0403;
    /// Reference dropped.
    pub const UNREF: u16 = 0x0404;
    /// Garbage collected.
    pub const COLLECT: u16 = 0x0405;
    /// Timer armed.
    pub const ARM: u16 = 0x0501;
    /// Timer disarmed.
    pub const DISARM: u16 = 0x0502;
    /// Timer fired.
    pub const FIRE: u16 = 0x0503;
    /// Clock tick: `val` counter, `item` rate.
    pub const TICK: u16 = 0x0504;
    /// Task runs on the lane.
    pub const RUN: u16 = 0x0601;
    /// Task state: `val` one of 1 running 2 ready 3 blocked 4 suspended 5 stopped 6 dead.
    pub const STATE: u16 = 0x0602;
    /// Created.
    pub const CREATE: u16 = 0x0603;
    /// Deleted.
    pub const DELETE: u16 = 0x0604;
    /// Priority.
    pub const PRIO: u16 = 0x0605;
    /// Scheduler locked.
    pub const SCHED_LOCK: u16 = 0x0606;
    /// Scheduler unlocked.
    pub const SCHED_UNLOCK: u16 = 0x0607;
    /// Idle.
    pub const IDLE: u16 = 0x0608;
    /// Lock taken.
    pub const TAKE: u16 = 0x0701;
    /// Lock given.
    pub const GIVE: u16 = 0x0702;
    /// Blocked on a lock.
    pub const BLOCK: u16 = 0x0703;
    /// Interrupt entered.
    pub const ISR_IN: u16 = 0x0801;
    /// Interrupt left.
    pub const ISR_OUT: u16 = 0x0802;
    /// Critical section entered.
    pub const CRIT_IN: u16 = 0x0803;
    /// Critical section left.
    pub const CRIT_OUT: u16 = 0x0804;
    /// Span begins.
    pub const BEGIN: u16 = 0x0901;
    /// Span ends.
    pub const END: u16 = 0x0902;
    /// Instant.
    pub const INSTANT: u16 = 0x0903;
    /// Value of a track.
    pub const VALUE: u16 = 0x0904;
    /// All states unknown.
    pub const RESET: u16 = 0x0A01;
    /// Assertion failed.
    pub const ASSERT: u16 = 0x0A02;
    /// Records lost: `val`.
    pub const LOST: u16 = 0x0A03;
    /// Something to know; with `FAILED`: `val` frames of this row hold no good event.
    pub const INFO: u16 = 0x0A04;
}

#[cfg(test)]
mod tests {
    #[test]
    fn act_is_56_bytes() {
        assert_eq!(size_of::<super::Act>(), 56);
    }
}
