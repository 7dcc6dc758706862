//! A lamp that is switched every 100 ms, and its temperature: the trace goes through UART 0, or to a debug probe.
//!
//! `cargo run --release --target thumbv7m-none-eabi -p hello --bin hello | spytui --proto qs -`

#![no_std]
#![no_main]

use core::{
    panic::PanicInfo,
    sync::atomic::{AtomicU32, Ordering::Relaxed},
};

use hello::{HERTZ, MILLISECONDS, exit, now, sleep, start, write_uart};
use spytui_target::{Enum, Fun, Hex, Obj, Ring, Shown, Sig, Target, Tracer, UserRecord, record};

const TARGET: Target = Target { built: [26, 11, 22, 12, 0, 0], ..Target::QP7 };
static RING: Ring<2048> = Ring::new();
static TRACER: Tracer = Tracer::new(&RING, TARGET, now, HERTZ);

const TEMP: UserRecord = UserRecord::new(0);
const SWITCHED: UserRecord = UserRecord::new(1);
const TIMEOUT_SIG: u16 = 4;
const CAUSE: u8 = 0;

static LAMP: AtomicU32 = AtomicU32::new(OFF.0 as u32);
const OFF: Fun = Fun(1);
const ON: Fun = Fun(2);

fn start_trace() {
    TRACER.start();
    TRACER.name_object(Obj::of(&LAMP), "lamp");
    TRACER.name_function(OFF, "lamp_off");
    TRACER.name_function(ON, "lamp_on");
    TRACER.name_signal(TIMEOUT_SIG, Obj::NONE, "TIMEOUT_SIG");
    TRACER.name_record(TEMP, "TEMP");
    TRACER.name_record(SWITCHED, "SWITCHED");
    TRACER.name_value(CAUSE, 1, "BY_TIME");
    TRACER.reset_cause("power");
    TRACER.init_tran(Obj::of(&LAMP), OFF);
    TRACER.run();
}

fn switch_lamp() {
    let lamp = Obj::of(&LAMP);
    let before = Fun(LAMP.load(Relaxed) as usize);
    let after = if before == OFF { ON } else { OFF };
    TRACER.state_exit(lamp, before);
    LAMP.store(after.0 as u32, Relaxed);
    TRACER.state_entry(lamp, after);
    TRACER.tran(TIMEOUT_SIG, lamp, before, after);
    let signal = Sig { sig: TIMEOUT_SIG, obj: Obj::NONE };
    record!(TRACER, SWITCHED, lamp, after, signal, Enum { group: CAUSE, value: 1 }, Hex(0x7E7Du16), 0.5f32, [1, 2]);
}

/// Programs that trace to a debug probe need not serve a link.
fn serve_link() {
    if cfg!(feature = "rtt") {
        TRACER.poll();
    } else {
        TRACER.serve(&mut write_uart);
    }
}

#[unsafe(no_mangle)]
extern "C" fn main() -> ! {
    start();
    start_trace();
    if cfg!(feature = "rtt") {
        TRACER.start_rtt();
    }
    let mut last = 0;
    loop {
        serve_link();
        let time = MILLISECONDS.load(Relaxed);
        if time != last && time.is_multiple_of(100) {
            switch_lamp();
            record!(TRACER, TEMP, Shown(4, 200 + time / 100 % 50), "0.1 C");
        }
        last = time;
        if cfg!(feature = "one-second") && time >= 1000 {
            while TRACER.serve(&mut write_uart) > 0 {}
            exit(u32::from(TRACER.drops() != 0));
        }
        sleep();
    }
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    TRACER.panicked(info);
    while TRACER.serve(&mut write_uart) > 0 {}
    exit(101)
}
