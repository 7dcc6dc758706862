//! The board lm3s6965evb: vectors, start, clock, UART 0, semihosting, and the lock of a single core. Programs of an
//! ordinary board have all of this from `cortex-m-rt`, its HAL, and `cortex-m` with `critical-section-single-core`.

#![no_std]

use core::{
    arch::asm,
    cell::Cell,
    ptr::{read_volatile, write_volatile},
    sync::atomic::{AtomicU32, Ordering::Relaxed},
};

use critical_section::{Mutex, RawRestoreState};

/// Clock of processor and SysTick, in hertz.
pub const HERTZ: u32 = 12_500_000;

const UART0_DR: *mut u32 = 0x4000_C000 as *mut u32;
const UART0_FR: *mut u32 = 0x4000_C018 as *mut u32;
const UART0_CTL: *mut u32 = 0x4000_C030 as *mut u32;
const TX_FULL: u32 = 1 << 5;
const SYST_CSR: *mut u32 = 0xE000_E010 as *mut u32;
const SYST_RVR: *mut u32 = 0xE000_E014 as *mut u32;
const SYST_CVR: *mut u32 = 0xE000_E018 as *mut u32;

fn get(register: *mut u32) -> u32 {
    // SAFETY: one of the registers above, which may be read at any time.
    unsafe { read_volatile(register) }
}

fn set(register: *mut u32, value: u32) {
    // SAFETY: one of the registers above; what is written to them does not affect memory.
    unsafe { write_volatile(register, value) }
}

/// Milliseconds since the start.
pub static MILLISECONDS: AtomicU32 = AtomicU32::new(0);

/// Starts UART 0 and a tick of a millisecond.
pub fn start() {
    set(UART0_CTL, 0x301);
    set(SYST_RVR, HERTZ / 1000 - 1);
    set(SYST_CSR, 7);
}

/// Cycles of SysTick, which never run back: `spytui/ports/clock_systick.h` says why it looks at flag and position.
pub fn now() -> u32 {
    static LATEST: Mutex<Cell<(u32, u32)>> = Mutex::new(Cell::new((0, 0)));
    critical_section::with(|lock| {
        let (mut base, before) = LATEST.borrow(lock).get();
        let period = get(SYST_RVR) + 1;
        let mut value = get(SYST_CVR);
        let wrapped = get(SYST_CSR) & 1 << 16 != 0;
        if wrapped {
            value = get(SYST_CVR);
        }
        let position = if value == 0 && (wrapped || before == 0) { 0 } else { period - value };
        if wrapped || position < before {
            base = base.wrapping_add(period);
        }
        LATEST.borrow(lock).set((base, position));
        base.wrapping_add(position)
    })
}

/// Writes to UART 0 until it is full; returns how many bytes that were.
pub fn write_uart(bytes: &[u8]) -> usize {
    let can_send = bytes.iter().take_while(|_| get(UART0_FR) & TX_FULL == 0);
    can_send.map(|byte| set(UART0_DR, u32::from(*byte))).count()
}

/// Waits for an interrupt.
pub fn sleep() {
    // SAFETY: no effect but waiting.
    unsafe { asm!("wfi") }
}

/// Writes text to the console of QEMU or a debugger.
pub fn print(text: &str) {
    for byte in text.as_bytes() {
        call(0x03, core::ptr::from_ref(byte).cast());
    }
}

/// Ends QEMU with an exit status.
pub fn exit(status: u32) -> ! {
    const APPLICATION_EXIT: u32 = 0x20026;
    call(0x20, [APPLICATION_EXIT, status].as_ptr());
    loop {
        sleep();
    }
}

/// A call of semihosting.
fn call(operation: u32, block: *const u32) {
    // SAFETY: the callers pass what these operations read; they write no memory.
    unsafe { asm!("bkpt 0xAB", inout("r0") operation => _, in("r1") block) }
}

struct Primask;
critical_section::set_impl!(Primask);

// SAFETY: on a single core, nothing else runs while interrupts are masked. NMI does not trace.
unsafe impl critical_section::Impl for Primask {
    unsafe fn acquire() -> RawRestoreState {
        let primask: u32;
        // SAFETY: masks interrupts; without `nomem`, so that accesses stay behind it.
        unsafe { asm!("mrs {}, primask", "cpsid i", out(reg) primask) }
        primask & 1 == 0
    }

    unsafe fn release(were_on: RawRestoreState) {
        if were_on {
            // SAFETY: they were on before.
            unsafe { asm!("cpsie i") }
        }
    }
}

type Handler = unsafe extern "C" fn();

unsafe extern "C" {
    static data_load: u32;
    static mut data_begin: u32;
    static data_end: u32;
    static mut bss_begin: u32;
    static bss_end: u32;
    static stack_top: u32;
    fn main() -> !;
}

#[repr(C)]
struct Vectors {
    stack: *const u32,
    handlers: [Option<Handler>; 15],
}
// SAFETY: never written.
unsafe impl Sync for Vectors {}

const FAULT: Option<Handler> = Some(fault_handler);
#[used]
#[unsafe(link_section = ".vectors")]
static VECTORS: Vectors = Vectors {
    stack: &raw const stack_top,
    handlers: [
        Some(reset_handler),
        FAULT,
        FAULT,
        FAULT,
        FAULT,
        FAULT,
        None,
        None,
        None,
        None,
        FAULT,
        FAULT,
        None,
        FAULT,
        Some(systick_handler),
    ],
};

/// The first code that runs: initializes memory.
#[unsafe(no_mangle)]
unsafe extern "C" fn reset_handler() {
    // SAFETY: the linker script gives the bounds, in words. Nothing else runs yet.
    unsafe {
        let (mut from, mut to) = (&raw const data_load, &raw mut data_begin);
        while to.cast_const() != &raw const data_end {
            to.write_volatile(from.read());
            (from, to) = (from.add(1), to.add(1));
        }
        to = &raw mut bss_begin;
        while to.cast_const() != &raw const bss_end {
            to.write_volatile(0);
            to = to.add(1);
        }
        main()
    }
}

unsafe extern "C" fn fault_handler() {
    exit(99);
}

unsafe extern "C" fn systick_handler() {
    MILLISECONDS.store(MILLISECONDS.load(Relaxed).wrapping_add(1), Relaxed);
    now();
}
