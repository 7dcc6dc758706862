//! Bounds the log's memory: a background thread moves blocks to the spool, or drops them if there is no room.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use crossbeam_channel::{Sender, bounded};

use super::{
    blocks::Blocks,
    format::size_text,
    raw::{Backing, RawLog},
    spool::{Member, Spool, SpoolError},
};

/// Excess blocks in memory at which the reader itself moves blocks.
const SLACK: usize = 16;

impl RawLog {
    pub(super) fn keep_memory_bounded(&self, blocks: &Blocks) {
        let excess = blocks.excess();
        if excess == 0 {
            return;
        }
        let _ = self.relief.get_or_init(|| spawn_relief(self.me.clone())).try_send(());
        if excess > SLACK {
            self.relieve_once(blocks); // the disk does not keep up: the reader helps instead of filling the memory
        }
    }

    fn relieve_once(&self, blocks: &Blocks) {
        let _turn = self.relieving.lock();
        let before = blocks.first();
        while blocks.excess() > 0 {
            let Err(error) = blocks.relieve() else { break };
            self.spool_failed(&error);
            if !self.make_room(blocks) {
                blocks.drop_excess();
            }
        }
        self.account_dropped(blocks, before);
    }

    /// The oldest bytes in the spool go, of whichever log they are; `false` if there are none.
    fn make_room(&self, blocks: &Blocks) -> bool {
        let members = blocks.spool().map(Spool::members).unwrap_or_default();
        let others = members.iter().filter(|log| !std::ptr::addr_eq(Arc::as_ptr(log), self));
        let oldest = others.filter_map(|log| Some((log.oldest_spooled()?, log))).min_by_key(|(age, _)| *age);
        match (oldest, self.oldest_spooled()) {
            (Some((age, log)), own) if own.is_none_or(|own| age < own) && log.gives_room() => true,
            _ => blocks.drop_oldest_spooled(),
        }
    }

    /// Counts what was dropped since `before` and not yet decoded, and forgets its events.
    fn account_dropped(&self, blocks: &Blocks, before: u64) {
        let first = blocks.first();
        if first > before {
            let unread = first.saturating_sub(self.consumed.load(Ordering::Acquire).max(before));
            self.lost.fetch_add(unread, Ordering::Relaxed);
            self.side.lock().forget_before(first);
        }
    }

    fn spool_failed(&self, error: &SpoolError) {
        if self.spool_full.swap(true, Ordering::AcqRel) {
            return;
        }
        let kept = size_text(self.len() - self.first());
        *self.problem.lock() =
            Some(format!("The log cannot grow: {error}. The newest {kept} stay, older bytes are dropped."));
    }
}

impl Member for RawLog {
    fn oldest_spooled(&self) -> Option<u64> {
        let Backing::Blocks(blocks) = &self.backing else { return None };
        blocks.has_spooled().then(|| self.host_time_at(self.first()).unwrap_or(0))
    }

    /// Not while it is busy itself: two logs that wait for each other wait for ever.
    fn gives_room(&self) -> bool {
        let (Backing::Blocks(blocks), Some(_turn)) = (&self.backing, self.relieving.try_lock()) else { return false };
        let before = blocks.first();
        let dropped = blocks.drop_oldest_spooled();
        self.account_dropped(blocks, before);
        dropped
    }
}

/// Starts the thread that moves blocks to the spool, so that a slow disk does not delay the reader.
fn spawn_relief(log: Weak<RawLog>) -> Sender<()> {
    let (sender, wanted) = bounded(1);
    let work = move || {
        while wanted.recv().is_ok() {
            while let Some(log) = log.upgrade() {
                match &log.backing {
                    Backing::Blocks(blocks) if blocks.excess() > 0 => log.relieve_once(blocks),
                    _ => break,
                }
            }
        }
    };
    // If the thread can't be started, the reader moves the blocks.
    let _ = std::thread::Builder::new().name("spool".into()).spawn(work);
    sender
}
