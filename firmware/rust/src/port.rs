//! What the program provides: a clock, and where the trace goes.

/// The time source. Functions `fn() -> u32` are clocks.
pub trait Clock {
    /// Time in units of your choice, which may overflow, but not run back. Called with the lock held; a record in here is
    /// refused and counted as dropped.
    fn now(&self) -> u32;
}

impl<F: Fn() -> u32> Clock for F {
    fn now(&self) -> u32 {
        self()
    }
}

/// Where the trace goes: a UART, USB, a socket. Closures `FnMut(&[u8]) -> usize` are outputs.
pub trait Output {
    /// Takes bytes, without waiting if the program must not wait; returns how many. The rest comes again.
    fn write(&mut self, bytes: &[u8]) -> usize;
}

impl<F: FnMut(&[u8]) -> usize> Output for F {
    fn write(&mut self, bytes: &[u8]) -> usize {
        self(bytes)
    }
}
