//! The predefined records of QS. Each is sent only if it is on.
//!
//! Objects, queues, pools and states are known by address. Of an event, `sig` is the signal, `pool` the number of its pool
//! (0: static), `refs` its count of references. `rate` is a tick rate, 0 to 15. Threads are known by priority.

use crate::{
    Clock, Fun, Obj, Tracer,
    element::Raw,
    ring::{TIMED, UNTIMED},
};

/// Methods: id of the record, with or without a time stamp, name, fields, meaning.
macro_rules! records {
    ($($id:literal $how:ident $name:ident($($field:ident: $type:ty),*), $doc:literal;)*) => {
        impl<C: Clock> Tracer<C> {$(
            #[doc = $doc]
            #[inline]
            #[allow(clippy::too_many_arguments, reason = "records have up to seven fields")]
            pub fn $name(&self, $($field: $type),*) {
                if self.is_id_on($id) {
                    let mut bytes = [0; $(size_of::<$type>() +)* 0];
                    let mut rest = bytes.as_mut_slice();
                    $(rest = put_first(rest, &$field.to_le_bytes());)*
                    debug_assert!(rest.is_empty());
                    self.send($id, $how, &Raw(&bytes));
                }
            }
        )*}
    };
}

/// Writes a field; returns the rest of the bytes.
fn put_first<'a, const N: usize>(to: &'a mut [u8], field: &[u8; N]) -> &'a mut [u8] {
    let Some((first, rest)) = to.split_first_chunk_mut() else { return &mut [] };
    *first = *field;
    rest
}

records! {
    // State machines.
    1 UNTIMED state_entry(object: Obj, state: Fun), "A state is entered.";
    2 UNTIMED state_exit(object: Obj, state: Fun), "A state is left.";
    3 UNTIMED state_init(object: Obj, source: Fun, target: Fun),
        "The initial transition of the state `source` leads to `target`.";
    4 TIMED init_tran(object: Obj, state: Fun), "The topmost initial transition is done; the machine is in `state`.";
    5 TIMED intern_tran(sig: u16, object: Obj, state: Fun), "`state` handles the event without a transition.";
    6 TIMED tran(sig: u16, object: Obj, source: Fun, target: Fun),
        "The event causes a transition from `source` to `target`.";
    7 TIMED ignored(sig: u16, object: Obj, state: Fun), "The event is ignored in `state`.";
    8 TIMED dispatch(sig: u16, object: Obj, state: Fun), "The event is dispatched to the machine, which is in `state`.";
    9 UNTIMED unhandled(sig: u16, object: Obj, state: Fun), "`state` does not handle the event.";
    55 UNTIMED tran_hist(object: Obj, source: Fun, target: Fun),
        "A transition to a history leads from `source` to `target`.";
    56 UNTIMED tran_ep(object: Obj, source: Fun, target: Fun), "A transition passes an entry point.";
    57 UNTIMED tran_xp(object: Obj, source: Fun, target: Fun), "A transition passes an exit point.";
    // Active objects and their queues.
    10 TIMED defer(object: Obj, queue: Obj, sig: u16, pool: u8, refs: u8), "The event is deferred to `queue`.";
    11 TIMED recall(object: Obj, queue: Obj, sig: u16, pool: u8, refs: u8), "The event is posted again from `queue`.";
    12 TIMED subscribe(sig: u16, object: Obj), "`object` subscribes to the signal.";
    13 TIMED unsubscribe(sig: u16, object: Obj), "`object` unsubscribes from the signal.";
    14 TIMED post(sender: Obj, sig: u16, object: Obj, pool: u8, refs: u8, free: u8, min: u8),
        "`sender` posts an event to `object`, whose queue has `free` entries left, `min` at the least so far.";
    15 TIMED post_lifo(sig: u16, object: Obj, pool: u8, refs: u8, free: u8, min: u8),
        "An event is posted to the front of `object`'s queue.";
    16 TIMED get(sig: u16, object: Obj, pool: u8, refs: u8, free: u8),
        "`object` gets an event; `free` entries are left in its queue.";
    17 TIMED get_last(sig: u16, object: Obj, pool: u8, refs: u8), "`object` gets an event; its queue is empty now.";
    18 TIMED recall_attempt(object: Obj, queue: Obj), "`queue` of `object` has no event to recall.";
    45 TIMED post_attempt(sender: Obj, sig: u16, object: Obj, pool: u8, refs: u8, free: u8, min: u8),
        "A post was refused: `free` is less than the margin `min`.";
    81 TIMED defer_attempt(object: Obj, queue: Obj, sig: u16, pool: u8, refs: u8),
        "`queue` has no room for the event. Since 8.0.";
    // Raw queues.
    19 TIMED equeue_post(sig: u16, object: Obj, pool: u8, refs: u8, free: u8, min: u8),
        "An event is posted to the raw queue `object`.";
    20 TIMED equeue_post_lifo(sig: u16, object: Obj, pool: u8, refs: u8, free: u8, min: u8),
        "An event is posted to the front of the raw queue `object`.";
    21 TIMED equeue_get(sig: u16, object: Obj, pool: u8, refs: u8, free: u8),
        "An event is taken from the raw queue `object`.";
    22 TIMED equeue_get_last(sig: u16, object: Obj, pool: u8, refs: u8),
        "The last event is taken from the raw queue `object`.";
    46 TIMED equeue_post_attempt(sig: u16, object: Obj, pool: u8, refs: u8, free: u8, min: u8),
        "A post to a raw queue was refused: `free` is less than the margin `min`.";
    // Memory pools.
    24 TIMED mpool_get(pool: Obj, free: u16, min: u16),
        "A block was taken: `free` blocks are left, `min` is the minimum so far.";
    25 TIMED mpool_put(pool: Obj, free: u16), "A block was returned: `free` blocks are free now.";
    47 TIMED mpool_get_attempt(pool: Obj, free: u16, min: u16),
        "A block was refused: `free` is less than the margin `min`.";
    // Events, ticks, critical sections, interrupts.
    23 TIMED new_event_attempt(size: u16, sig: u16), "There was no room for an event of `size` bytes.";
    26 TIMED publish(sender: Obj, sig: u16, pool: u8, refs: u8), "`sender` publishes an event.";
    27 TIMED new_ref(sig: u16, pool: u8, refs: u8), "A reference is added.";
    28 TIMED new_event(size: u16, sig: u16), "An event of `size` bytes was allocated.";
    29 TIMED gc_attempt(sig: u16, pool: u8, refs: u8), "An event is kept, because it has `refs` other references.";
    30 TIMED gc(sig: u16, pool: u8, refs: u8), "An event is returned to its pool.";
    31 UNTIMED tick(count: u32, rate: u8), "`count` ticks since the start.";
    38 TIMED delete_ref(sig: u16, pool: u8, refs: u8), "A reference is deleted.";
    39 TIMED crit_entry(nesting: u8), "A critical section begins.";
    40 TIMED crit_exit(nesting: u8), "A critical section ends.";
    41 TIMED isr_entry(nesting: u8, prio: u8), "An interrupt begins.";
    42 TIMED isr_exit(nesting: u8, prio: u8), "An interrupt ends.";
    // Time events.
    32 TIMED timeevt_arm(timeevt: Obj, object: Obj, count: u32, interval: u32, rate: u8),
        "A time event is armed: it expires in `count` ticks, then every `interval`; interval 0: once.";
    33 UNTIMED timeevt_auto_disarm(timeevt: Obj, object: Obj, rate: u8), "A one-shot time event is disarmed.";
    34 TIMED timeevt_disarm_attempt(timeevt: Obj, object: Obj, rate: u8),
        "Attempt to disarm a time event that is not armed.";
    35 TIMED timeevt_disarm(timeevt: Obj, object: Obj, count: u32, interval: u32, rate: u8),
        "A time event is disarmed, `count` ticks before it would expire.";
    36 TIMED timeevt_rearm(timeevt: Obj, object: Obj, count: u32, interval: u32, rate: u8, was_armed: u8),
        "A time event is rearmed: it expires in `count` ticks; `was_armed` is 1 if it was armed.";
    37 TIMED timeevt_post(timeevt: Obj, sig: u16, object: Obj, rate: u8),
        "A time event expires and posts its signal to `object`.";
    // Scheduler.
    48 TIMED sched_preempt(prio: u8, before: u8), "A thread is preempted by one with a higher priority.";
    49 TIMED sched_restore(prio: u8, before: u8), "A preempted thread resumes.";
    50 TIMED sched_lock(before: u8, ceiling: u8), "The scheduler's ceiling is raised.";
    51 TIMED sched_unlock(before: u8, ceiling: u8), "The scheduler's ceiling is lowered.";
    52 TIMED sched_next(prio: u8, before: u8), "The next thread runs.";
    53 TIMED sched_idle(before: u8), "No thread is ready to run.";
    // Semaphores.
    71 TIMED sem_take(object: Obj, thread: u8, count: u8), "`thread` takes the semaphore; `count` are left.";
    72 TIMED sem_block(object: Obj, thread: u8, count: u8), "`thread` blocks on the semaphore.";
    73 TIMED sem_signal(object: Obj, thread: u8, count: u8), "The semaphore is signalled, and unblocks `thread`.";
    74 TIMED sem_block_attempt(object: Obj, thread: u8, count: u8), "`thread` attempts to block on the semaphore.";
    // Mutexes.
    75 TIMED mtx_lock(object: Obj, holder: u8, nesting: u8), "`holder` locks the mutex.";
    76 TIMED mtx_block(object: Obj, holder: u8, thread: u8), "`thread` blocks on the mutex of `holder`.";
    77 TIMED mtx_unlock(object: Obj, holder: u8, nesting: u8), "`holder` unlocks the mutex.";
    78 TIMED mtx_lock_attempt(object: Obj, holder: u8, nesting: u8), "Attempt to lock the mutex.";
    79 TIMED mtx_block_attempt(object: Obj, holder: u8, thread: u8), "`thread` attempts to block on the mutex.";
    80 TIMED mtx_unlock_attempt(object: Obj, holder: u8, nesting: u8), "Attempt to unlock the mutex.";
}
