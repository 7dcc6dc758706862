//! The control block that RTT hosts look for in memory (J-Link, OpenOCD, pyOCD, probe-rs), with one channel to the host. The
//! ring is its buffer, and the channel has the offsets of the ring, so nothing is copied. Hosts write to it at any time.

use core::sync::atomic::{
    AtomicPtr, AtomicU8, AtomicU32,
    Ordering::{Acquire, Relaxed, Release},
};

/// Layout known to RTT hosts.
#[repr(C)]
pub(crate) struct ControlBlock {
    id: [AtomicU8; 16],
    ups: u32,
    downs: u32,
    pub(crate) up: Channel,
}

#[repr(C)]
pub(crate) struct Channel {
    name: AtomicPtr<u8>,
    buffer: AtomicPtr<u8>,
    size: u32,
    write: AtomicU32,
    read: AtomicU32,
    flags: u32,
    /// Behind what hosts know: the buffer with its length.
    bytes: &'static [AtomicU8],
}

impl ControlBlock {
    pub(crate) const fn new(bytes: &'static [AtomicU8]) -> Self {
        let up = Channel {
            name: AtomicPtr::new(c"spytui".as_ptr().cast_mut().cast()),
            buffer: AtomicPtr::new(bytes.as_ptr().cast_mut().cast()),
            size: bytes.len() as u32,
            write: AtomicU32::new(0),
            read: AtomicU32::new(0),
            flags: 0,
            bytes,
        };
        ControlBlock { id: [const { AtomicU8::new(0) }; 16], ups: 1, downs: 0, up }
    }

    /// Makes it visible for hosts.
    pub(crate) fn show(&'static self) {
        // Reversed, so that hosts find the mark nowhere else in memory, and its first byte last.
        for (to, byte) in self.id.iter().take(10).rev().zip(b"TTR REGGES") {
            to.store(*byte, Release);
        }
    }
}

impl Channel {
    /// Bytes of the ring.
    pub(crate) fn bytes(&self) -> &'static [AtomicU8] {
        self.bytes
    }

    /// Offset of the next byte to be written.
    pub(crate) fn write(&self) -> usize {
        self.write.load(Relaxed) as usize
    }

    /// Makes what was written visible, up to an offset.
    pub(crate) fn set_write(&self, to: usize) {
        self.write.store(to as u32, Release);
    }

    /// Number of free bytes. One more would look empty.
    pub(crate) fn room(&self) -> usize {
        self.mask() - self.used()
    }

    /// Copies the oldest bytes; returns how many.
    pub(crate) fn copy(&self, to: &mut [u8]) -> usize {
        let mut at = self.read();
        let count = self.used().min(to.len());
        for to in to.iter_mut().take(count) {
            *to = self.bytes.get(at).map_or(0, |byte| byte.load(Relaxed));
            at = (at + 1) & self.mask();
        }
        count
    }

    /// Frees bytes that were copied.
    pub(crate) fn skip(&self, count: usize) {
        self.read.store(((self.read() + count) & self.mask()) as u32, Release);
    }

    /// Number of unread bytes.
    fn used(&self) -> usize {
        (self.write.load(Acquire) as usize).wrapping_sub(self.read()) & self.mask()
    }

    /// Offset of the next byte to be read; hosts write it.
    fn read(&self) -> usize {
        self.read.load(Acquire) as usize & self.mask()
    }

    fn mask(&self) -> usize {
        self.bytes.len() - 1
    }
}
