//! The control block, read as a debug probe does: by what is in memory.

use std::ptr;

use spytui_target::{Ring, Target, Tracer};

use crate::read;

/// As RTT hosts know it, with the pointers of this machine.
#[repr(C)]
struct ControlBlock {
    id: [u8; 16],
    channels: [u32; 2],
    name: *const u8,
    buffer: *const u8,
    size: u32,
    write: u32,
    read: u32,
    flags: u32,
}

#[test]
fn a_probe_finds_and_reads_it() {
    static RING: Ring<256> = Ring::new();
    static TRACER: Tracer = Tracer::new(&RING, Target::QP7, || 0, 0);
    let begin = ptr::from_ref(&TRACER).cast::<u8>();
    let ends = size_of_val(&TRACER) - size_of::<ControlBlock>();
    // SAFETY: inside the tracer. Padding may be among it, but not where the mark is.
    let find = || (0..ends).step_by(4).find(|at| unsafe { begin.add(*at).cast::<[u8; 10]>().read() } == *b"SEGGER RTT");
    assert_eq!(find(), None);
    TRACER.start();
    TRACER.start_rtt();
    let at = find().expect("the mark");
    // SAFETY: the same; nobody writes meanwhile.
    let block = unsafe { begin.add(at).cast::<ControlBlock>().read() };
    assert_eq!((&block.id[10..], block.channels, block.size, block.flags), (&[0; 6][..], [1, 0], 256, 0));
    // SAFETY: the text of the name, and the bytes that were written to the ring.
    let (name, bytes) =
        unsafe { (*block.name.cast::<[u8; 7]>(), std::slice::from_raw_parts(block.buffer, block.write as usize)) };
    assert_eq!((&name, block.read), (b"spytui\0", 0));
    assert_eq!(bytes, read(&TRACER));
    assert!(bytes.starts_with(&[1, 0, 0xFE, 0x7E, 2, 64, 0xFF]));
}
