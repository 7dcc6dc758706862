//! A search at work, on a thread of its own, that can be interrupted.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use crossbeam_channel::{Receiver, bounded};
use spytui_engine::{
    list::{Direction, RowList, find},
    query::Expr,
};

/// A search at work.
#[derive(Debug)]
pub struct Finding {
    answer: Receiver<Option<u64>>,
    stop: Arc<AtomicBool>,
}

impl Finding {
    /// Starts looking for the next row that matches; `wake` gets a message when it is done.
    ///
    /// # Errors
    /// There is no thread for it.
    pub fn start(
        rows: RowList,
        from: Option<u64>,
        direction: Direction,
        expr: Expr,
        wake: crossbeam_channel::Sender<()>,
    ) -> std::io::Result<Finding> {
        let (send, answer) = bounded(1);
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        std::thread::Builder::new().name("search".into()).spawn(move || {
            let found = find(&rows, from, direction, &expr, &stopped);
            // Nobody may wait for the answer any more.
            let _ = send.send(found);
            let _ = wake.try_send(());
        })?;
        Ok(Finding { answer, stop })
    }

    /// The answer, once there is one: the row, or none.
    #[must_use]
    pub fn answer(&self) -> Option<Option<u64>> {
        self.answer.try_recv().ok()
    }

    /// Waits a little for the answer, so that a quick search shows with the next frame.
    #[must_use]
    pub fn wait(&self, time: std::time::Duration) -> Option<Option<u64>> {
        self.answer.recv_timeout(time).ok()
    }

    /// Gives up.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl Drop for Finding {
    fn drop(&mut self) {
        self.stop();
    }
}
