//! From the class and number of an event to its kind, by release.

use super::{
    BIT64, CALL_NUMBERS, EVENT_KINDS, FIRST, NUMBERED, Releases, UNKNOWN_CALLS, UNKNOWN_EXITS, UNKNOWN_INTERRUPTED,
    WIDE64,
    calls::CALLS,
    events::{EVENTS, NUMBERS},
};

/// Codes have ten bits of number and four of class.
const CODES: usize = 1 << 14;

/// The events of a release; 0 = there is none.
#[derive(Debug)]
pub(crate) struct Codes([u16; CODES]);

/// Class of kernel calls.
const KER_CALL: u16 = 2;

static OF_6: Codes = Codes(codes(6));
static OF_7: Codes = Codes(codes(7));
static OF_8: Codes = Codes(codes(8));

impl Codes {
    /// Those of a release.
    pub(crate) fn of(release: u8) -> &'static Codes {
        match release {
            6 => &OF_6,
            7 => &OF_7,
            _ => &OF_8,
        }
    }

    /// The kind of the event in a header word; 0 = there is none.
    #[inline(always)]
    pub(crate) fn kind(&self, header: u32) -> u16 {
        // The array has an element for every code.
        self.0[header as usize % CODES]
    }
}

const fn code(class: u16, number: u16) -> usize {
    (class as usize) << 10 | number as usize
}

const fn codes(release: u8) -> [u16; CODES] {
    let mut map = [0; CODES];
    let mut number = 0;
    while number < CALL_NUMBERS {
        call(&mut map, release, number, [UNKNOWN_CALLS, UNKNOWN_EXITS, UNKNOWN_INTERRUPTED], number);
        number += 1;
    }
    let mut i = 0;
    while i < CALLS.len() {
        if CALLS[i].releases.has(release) {
            let first = FIRST + 3 * i as u16;
            call(&mut map, release, CALLS[i].number, [first, first + 1, first + 2], 0);
        }
        i += 1;
    }
    let mut i = 0;
    while i < EVENTS.len() {
        let event = &EVENTS[i];
        if event.releases.has(release) {
            map[code(event.class, event.layout.event)] = EVENT_KINDS + i as u16;
        }
        if event.wide64.has(release) {
            map[code(event.class, event.layout.event | BIT64)] = EVENT_KINDS + i as u16 + WIDE64;
        }
        i += 1;
    }
    let mut i = 0;
    while i < NUMBERS.len() {
        let (class, counts) = NUMBERS[i];
        let mut number = 0;
        while number < counts[release as usize - 6] {
            map[code(class, number)] = NUMBERED + 1024 * i as u16 + number;
            number += 1;
        }
        i += 1;
    }
    map
}

/// Adds entry, exit and interruption of a kernel call.
const fn call(map: &mut [u16; CODES], release: u8, number: u16, kinds: [u16; 3], plus: u16) {
    const WITH_64: Releases = super::R78;
    let mut phase = 0;
    while phase < 3 {
        let wire = phase as u16 * CALL_NUMBERS + number;
        map[code(KER_CALL, wire)] = kinds[phase] + plus;
        if phase < 2 && WITH_64.has(release) {
            map[code(KER_CALL, wire | BIT64)] = kinds[phase] + plus + WIDE64;
        }
        phase += 1;
    }
}
