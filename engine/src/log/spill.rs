//! Bounds the log's memory: a background thread moves blocks to the spool, or drops them if there is no room.

use std::io;
use std::sync::Weak;
use std::sync::atomic::Ordering;

use crossbeam_channel::{Sender, bounded};

use super::{
    blocks::Blocks,
    format::size_text,
    raw::{Backing, RawLog, lock},
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
        let _turn = lock(&self.relieving);
        if blocks.excess() == 0 {
            return;
        }
        let before = blocks.first();
        let result = blocks.relieve();
        let first = blocks.first();
        if first > before {
            let unread = first.saturating_sub(self.consumed.load(Ordering::Acquire).max(before));
            self.lost.fetch_add(unread, Ordering::Relaxed);
            self.lock_side().forget_before(first);
        }
        if let Err(error) = result {
            self.spool_failed(&error);
        }
    }

    fn spool_failed(&self, error: &io::Error) {
        if self.spool_full.swap(true, Ordering::AcqRel) {
            return;
        }
        let why = match error.kind() {
            io::ErrorKind::StorageFull => "disk full".to_string(),
            io::ErrorKind::QuotaExceeded => "its limit is reached".to_string(),
            _ => error.to_string(),
        };
        let kept = size_text(self.len() - self.first());
        *lock(&self.problem) =
            Some(format!("The log cannot grow: {why}. The newest {kept} stay, older bytes are dropped."));
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
