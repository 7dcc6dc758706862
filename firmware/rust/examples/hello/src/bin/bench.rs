//! Instructions per record, counted under QEMU with `-icount shift=0`; fails above the limits. The lock is that of the board.

#![no_std]
#![no_main]

use core::{arch::asm, hint::black_box, panic::PanicInfo};

use hello::{exit, now, print, start};
use spytui_target::{Fun, Group, Obj, Ring, Target, Tracer, UserRecord, record};

static RING: Ring<4096> = Ring::new();
static TRACER: Tracer = Tracer::new(&RING, Target::QP7, || 0, 0);
const SPEED: UserRecord = UserRecord::new(0);
const ROUNDS: u32 = 20;
const RECORDS: u32 = 100;

/// Ticks of the clock for many calls. The ring is emptied outside of the measurement.
fn ticks(call: fn(u32)) -> u32 {
    let mut sum = 0;
    for _ in 0..ROUNDS {
        let begin = now();
        for i in 0..RECORDS {
            black_box(call)(i);
        }
        sum += now().wrapping_sub(begin);
        TRACER.serve(&mut |bytes: &[u8]| bytes.len());
    }
    sum
}

/// Ticks of a million instructions.
fn ticks_of_a_million() -> u32 {
    let begin = now();
    // SAFETY: only counts a register down, two instructions at a time.
    unsafe { asm!("2: subs {0}, {0}, #1", "bne 2b", inout(reg) 500_000 => _) }
    now().wrapping_sub(begin)
}

#[unsafe(no_mangle)]
extern "C" fn main() -> ! {
    start();
    let (scale, empty) = (ticks_of_a_million(), ticks(|_| {}));
    let mut status = 0;
    let mut measure = |name: &str, limit: u32, call: fn(u32)| {
        let spent = u64::from(ticks(call) - empty) * 1_000_000 / u64::from(scale * ROUNDS * RECORDS);
        print(name);
        print(": ");
        print_number(spent as u32);
        print(" instructions\n");
        if spent > limit.into() {
            status = 1;
        }
    };
    measure("Rust post record", 500, |_| TRACER.post(Obj(0x2000_0100), 5, Obj(0x2000_0200), 1, 1, 10, 9));
    measure("Rust state entry", 380, |_| TRACER.state_entry(Obj(0x2000_0100), Fun(0x1235)));
    measure("Rust user record", 410, |i| record!(TRACER, SPEED, i));
    TRACER.filter(Group::ALL, false);
    measure("Rust record that is off", 10, |i| record!(TRACER, SPEED, i));
    exit(status)
}

fn print_number(number: u32) {
    if number >= 10 {
        print_number(number / 10);
    }
    let digit = [b'0' + (number % 10) as u8];
    print(core::str::from_utf8(&digit).unwrap_or_default());
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    exit(101)
}
