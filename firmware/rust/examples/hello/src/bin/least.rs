//! The least program with a trace, for its size: target info, two names, a predefined record, a user record, and the UART or RTT.

#![no_std]
#![no_main]

use core::panic::PanicInfo;

use hello::{exit, now, write_uart};
use spytui_target::{Obj, Ring, Shown, Target, Tracer, UserRecord, record};

static RING: Ring<1024> = Ring::new();
static TRACER: Tracer = Tracer::new(&RING, Target::QP7, || 0, 0);
const SPEED: UserRecord = UserRecord::new(0);

#[unsafe(no_mangle)]
extern "C" fn main() -> ! {
    let ring = Obj::of(&RING);
    TRACER.start();
    TRACER.name_object(ring, "ring");
    TRACER.name_record(SPEED, "SPEED");
    TRACER.post(ring, 5, Obj::of(&TRACER), 1, 1, 10, 9);
    record!(TRACER, SPEED, Shown(5, now()));
    if cfg!(feature = "rtt") {
        TRACER.start_rtt();
    } else {
        TRACER.serve(&mut write_uart);
    }
    exit(0)
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    exit(101)
}
