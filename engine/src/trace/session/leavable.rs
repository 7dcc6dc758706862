//! A thread that calls a decoder, and is left behind if that does not return.

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, Sender, unbounded};
use spytui_plugin_api::{Fault, running};

use crate::open::overdue;

/// How long the end of a thread is waited for: longer than any call that returns.
const PATIENCE: Duration = Duration::from_secs(3);

/// A thread that takes orders.
#[derive(Debug)]
pub(super) struct LeavableThread<O> {
    orders: Option<Sender<O>>,
    /// Its number among those that call plugins.
    number: Arc<OnceLock<usize>>,
    is_left: IsLeft,
    handle: Option<JoinHandle<()>>,
}

/// Whether a thread is left behind: what it makes is not used any more.
#[derive(Debug, Clone, Default)]
pub(super) struct IsLeft(Arc<AtomicBool>);

impl IsLeft {
    pub(super) fn get(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl<O: Send + 'static> LeavableThread<O> {
    /// Starts it; it ends when its orders do.
    ///
    /// # Errors
    /// There is no thread.
    pub(super) fn start(
        name: String,
        is_left: IsLeft,
        run: impl FnOnce(&Receiver<O>) + Send + 'static,
    ) -> Result<LeavableThread<O>, Fault> {
        let (orders, inbox) = unbounded();
        let number = Arc::new(OnceLock::new());
        let own = number.clone();
        let handle = thread::Builder::new().name(name).spawn(move || {
            let _ = running::thread_number().map(|number| own.set(number));
            run(&inbox);
        });
        let handle = handle.map_err(|e| Fault::new(format!("no thread for decoding: {e}")))?;
        Ok(LeavableThread { orders: Some(orders), number, is_left, handle: Some(handle) })
    }

    /// What it has not returned from; it is left behind then. `None` after that, too.
    pub(super) fn leave_if_overdue(&self) -> Option<String> {
        let what = overdue(*self.number.get()?)?;
        (!self.is_left.0.swap(true, Ordering::Relaxed)).then_some(what)
    }

    pub(super) fn is_left(&self) -> bool {
        self.is_left.get()
    }

    /// # Errors
    /// It has ended.
    pub(super) fn send(&self, order: O) -> Result<(), Fault> {
        let sent = self.orders.as_ref().is_some_and(|orders| orders.send(order).is_ok());
        if sent { Ok(()) } else { Err(Fault::new("the session has ended")) }
    }
}

impl<O> Drop for LeavableThread<O> {
    fn drop(&mut self) {
        self.orders = None;
        let Some(handle) = self.handle.take() else { return };
        let since = Instant::now();
        while !handle.is_finished() && !self.is_left.get() && since.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(1));
        }
        self.is_left.0.store(true, Ordering::Relaxed);
        if handle.is_finished() {
            let _ = handle.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_ends_with_its_orders_and_one_that_does_not_is_left() {
        let (done, ends) = crossbeam_channel::bounded(1);
        let run = move |orders: &Receiver<u32>| done.send(orders.iter().sum::<u32>()).unwrap_or_default();
        let thread = LeavableThread::start("orders".to_owned(), IsLeft::default(), run).expect("a thread");
        (1..4).for_each(|order| thread.send(order).expect("it runs"));
        assert!(thread.leave_if_overdue().is_none() && !thread.is_left());
        drop(thread);
        assert_eq!(ends.try_recv(), Ok(6));
        let (hold, held) = crossbeam_channel::bounded::<()>(0);
        let is_left = IsLeft::default();
        let run = move |_: &Receiver<u32>| held.recv().unwrap_or_default();
        drop(LeavableThread::start("held".to_owned(), is_left.clone(), run));
        assert!(is_left.get());
        drop(hold);
    }
}
