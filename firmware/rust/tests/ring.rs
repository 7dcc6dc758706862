//! A ring that is read at any time, and records that are refused.

use std::{
    cell::Cell,
    sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed},
};

use spytui_target::{Element, Frame, Group, Hex, Obj, Ring, Target, Tracer, UserRecord, record};

use crate::read;

const USER: UserRecord = UserRecord::new(3);

/// Frames without their stuffing; the checksum of each is right.
fn frames(bytes: &[u8]) -> Vec<Vec<u8>> {
    let stuffed = bytes.strip_suffix(&[0x7E]).expect("whole frames").split(|byte| *byte == 0x7E);
    let frames = stuffed.map(|stuffed| {
        let mut frame = Vec::new();
        let mut bytes = stuffed.iter();
        while let Some(byte) = bytes.next() {
            frame.push(if *byte == 0x7D { bytes.next().expect("a byte") ^ 0x20 } else { *byte });
        }
        assert_eq!(frame.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte)), 0xFF);
        frame
    });
    frames.collect()
}

#[test]
fn whatever_is_read_frames_stay_whole_and_add_up() {
    static RING: Ring<256> = Ring::new();
    let tracer = Tracer::new(&RING, Target::QP7, || 0x7D7E_7F7D, 0);
    let (mut bytes, mut seed) = (Vec::new(), 1u32);
    let mut random = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 16) as usize
    };
    const RECORDS: u32 = 20_000;
    for i in 0..RECORDS {
        record!(tracer, USER, i, [0x7E; 20].get(..random() % 20).unwrap_or_default());
        let (mut most, mut more) = (random() % 40, random() % 2);
        // Takes a part of a piece, and then no more.
        tracer.serve(&mut |piece: &[u8]| {
            let taken = piece.len().min(most) * more;
            (most, more) = (most - taken, usize::from(taken == piece.len()));
            bytes.extend_from_slice(&piece[..taken]);
            taken
        });
    }
    bytes.extend(read(&tracer));
    bytes.extend(read(&tracer));
    let frames = frames(&bytes);
    assert_adds_up(&frames, RECORDS, tracer.drops());
}

#[test]
fn threads_trace_while_another_serves() {
    static RING: Ring<512> = Ring::new();
    static TRACER: Tracer = Tracer::new(&RING, Target::QP7, || 0, 0);
    static RECORDS: AtomicU32 = AtomicU32::new(0);
    static IS_ENOUGH: AtomicBool = AtomicBool::new(false);
    let trace = || {
        while !IS_ENOUGH.load(Relaxed) {
            record!(TRACER, USER, RECORDS.fetch_add(1, Relaxed), "text", 0x7D7Eu16);
        }
    };
    let mut bytes = Vec::new();
    std::thread::scope(|scope| {
        scope.spawn(trace);
        scope.spawn(trace);
        while bytes.len() < 100_000 {
            bytes.extend(read(&TRACER));
        }
        IS_ENOUGH.store(true, Relaxed);
    });
    bytes.extend(read(&TRACER));
    bytes.extend(read(&TRACER));
    assert_adds_up(&frames(&bytes), RECORDS.load(Relaxed), TRACER.drops());
}

/// The gaps of the numbers, which have 8 bits, and the last total agree with what was sent and dropped.
fn assert_adds_up(frames: &[Vec<u8>], records: u32, drops: u32) {
    let sent = frames.iter().filter(|frame| frame[1] == 103).count() as u32;
    let mut totals = frames.iter().filter(|frame| frame[1] == 123).map(|frame| &frame[7..11]);
    let total = totals.next_back().map_or(0, |total| u32::from_le_bytes(total.try_into().expect("four bytes")));
    assert_eq!((sent + total, total), (records, drops));
    assert!(sent > 100, "{sent} sent, {total} dropped");
    let gaps = frames.windows(2).map(|pair| u32::from(pair[1][0].wrapping_sub(pair[0][0]).wrapping_sub(1)));
    assert_eq!(gaps.sum::<u32>() % 256, total % 256);
}

#[test]
fn a_record_inside_another_is_refused_and_counted() {
    static RING: Ring<256> = Ring::new();
    static TRACER: Tracer = Tracer::new(&RING, Target::QP7, || 0, 0);
    struct Nested;
    impl Element for Nested {
        fn put(&self, frame: &mut Frame<'_>) {
            record!(TRACER, USER, 1u8);
            2u8.put(frame);
        }
    }
    record!(TRACER, USER, Nested);
    record!(TRACER, USER, 3u8);
    let frames = frames(&read(&TRACER));
    // Number, record, time, element, checksum; the total says why number 2 is missing.
    let wanted: [&[u8]; 3] =
        [&[1, 103, 0, 0, 0, 0, 1, 2], &[3, 123, 0, 0, 0, 0, 5, 1, 0, 0, 0], &[4, 103, 0, 0, 0, 0, 1, 3]];
    let found: Vec<&[u8]> = frames.iter().map(|frame| &frame[..frame.len() - 1]).collect();
    assert_eq!(found, wanted);
}

#[test]
fn elements_of_a_record_that_is_off_are_not_evaluated() {
    static RING: Ring<256> = Ring::new();
    let tracer = Tracer::new(&RING, Target::QP7, || 0, 0);
    let evaluated = Cell::new(0u32);
    let element = || {
        evaluated.set(evaluated.get() + 1);
        1u8
    };
    tracer.filter(Group::of(USER), false);
    record!(tracer, USER, element());
    record!(tracer, UserRecord::new(4), element());
    tracer.filter(Group::UA.and(Group::SM), false);
    record!(tracer, UserRecord::new(4), element());
    tracer.filter(Group::UA, true);
    record!(tracer, USER);
    assert_eq!((frames(&read(&tracer)).len(), evaluated.get()), (2, 1));
}

#[test]
fn texts_end_at_nul_and_bytes_at_255() {
    static RING: Ring<1024> = Ring::new();
    let tracer = Tracer::new(&RING, Target::QP7, || 0, 0);
    tracer.name_object(Obj::NONE, "&a\0b");
    record!(tracer, USER, "x\0y", "", [7u8; 300], Hex(9u8));
    let frames = frames(&read(&tracer));
    assert_eq!(frames[0][10..12], *b"a\0");
    assert_eq!(frames[1][6..13], [8, b'x', 0, 8, 0, 9, 255]);
    assert_eq!(frames[1][13 + 255..][..2], [0xF1, 9]);
}

#[test]
fn only_one_caller_serves() {
    static RING: Ring<256> = Ring::new();
    static TRACER: Tracer = Tracer::new(&RING, Target::QP7, now, 0);
    static CALLS: AtomicU32 = AtomicU32::new(0);
    fn now() -> u32 {
        CALLS.fetch_add(1, Relaxed)
    }
    TRACER.start();
    let sent = TRACER.serve(&mut |piece: &[u8]| {
        assert!(read(&TRACER).is_empty());
        piece.len()
    });
    assert!(sent > 32);
    assert!(read(&TRACER).is_empty());
}
