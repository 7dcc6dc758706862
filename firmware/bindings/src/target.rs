//! A running target: bindings of the C functions, and all `unsafe` code in this crate.

use std::{
    alloc::{Layout, alloc_zeroed, dealloc},
    ffi::{CStr, CString, c_char},
    marker::{PhantomData, PhantomPinned},
    mem::MaybeUninit,
    ptr::NonNull,
};

use crate::{Faults, Proto, Totals};

const PIECE: usize = 4096;

/// `demo_t`.
#[repr(C)]
struct Demo {
    _private: [u8; 0],
    _pinned: PhantomData<(*mut u8, PhantomPinned)>,
}

// SAFETY: the signatures are those of `shim.c`, `demo.h` and `spytui/fault.h`. `Faults` repeats `sty_fault_config_t`, and
// `Totals` repeats `spytui_demo_totals_t`; the C side and the assertions below check their sizes.
unsafe extern "C" {
    fn spytui_demo_size() -> usize;
    fn spytui_demo_align() -> usize;
    fn spytui_demo_init(demo: *mut Demo, proto: u32, seed: u32, faults: *const Faults) -> bool;
    fn spytui_demo_totals(demo: *const Demo, totals: *mut Totals);
    fn spytui_demo_fault_name(index: usize) -> *const c_char;
    fn spytui_demo_fault_most(index: usize) -> u32;
    fn demo_step(demo: *mut Demo);
    fn demo_halt(demo: *mut Demo);
    fn demo_read(demo: *mut Demo, to: *mut u8, size: u32) -> u32;
    fn demo_feed(demo: *mut Demo, bytes: *const u8, count: u32);
    fn sty_fault_parse(config: *mut Faults, text: *const c_char, error: *mut *const c_char) -> bool;
}

const _: () = assert!(size_of::<Faults>() == 9 * size_of::<u32>());
const _: () = assert!(size_of::<Totals>() == 13 * size_of::<u64>());

/// Parses a list of faults; the error is the position of the wrong switch.
pub(crate) fn parse_faults(text: &str) -> Result<Faults, usize> {
    // To C, the list ends at a NUL.
    let c_text = CString::new(text).map_err(|error| {
        let before = text.get(..error.nul_position());
        before.and_then(|before| before.rfind(',')).map_or(0, |comma| comma + 1)
    })?;
    let mut faults = Faults::default();
    let mut error = c_text.as_ptr();
    // SAFETY: `faults` and `error` are valid for writing, the text ends with a zero; C keeps none of the pointers.
    if unsafe { sty_fault_parse(&raw mut faults, c_text.as_ptr(), &raw mut error) } {
        return Ok(faults);
    }
    Err((error as usize).saturating_sub(c_text.as_ptr() as usize))
}

pub(crate) fn fault_limits() -> Vec<(&'static str, u32)> {
    let switch = |index| {
        // SAFETY: takes any number; behind the last switch the result is null, which is checked.
        let name = unsafe { spytui_demo_fault_name(index) };
        if name.is_null() {
            return None;
        }
        // SAFETY: not null, so it is a string constant of the C code, which lives as long as the program.
        let name = unsafe { CStr::from_ptr::<'static>(name) }.to_str().ok()?;
        // SAFETY: takes any number.
        Some((name, unsafe { spytui_demo_fault_most(index) }))
    };
    (0..).map_while(switch).collect()
}

/// A target with a virtual clock. Nothing happens by itself: time only passes in [`Target::step`], and sent bytes wait
/// in the target's ring until [`Target::read`].
#[derive(Debug)]
pub struct Target {
    /// A separate allocation that never moves, because the C code has pointers into itself.
    demo: NonNull<Demo>,
    layout: Layout,
}

// SAFETY: the C code has no state outside of the instance and is bound to no thread, and nobody else has the pointer.
unsafe impl Send for Target {}

impl Target {
    /// Creates a target that has just been switched on; `seed` selects its story. `None` = this build has no target.
    pub fn new(proto: Proto, faults: &Faults, seed: u32) -> Option<Target> {
        // SAFETY: both only return a constant.
        let (size, align) = unsafe { (spytui_demo_size(), spytui_demo_align()) };
        let layout = Layout::from_size_align(size, align).ok().filter(|layout| layout.size() > 0)?;
        // SAFETY: the size is not 0.
        let demo = NonNull::new(unsafe { alloc_zeroed(layout) }.cast::<Demo>())?;
        let target = Target { demo, layout };
        // SAFETY: the memory has size and alignment of a `demo_t`, and `faults` is valid; C copies it.
        let known = unsafe { spytui_demo_init(demo.as_ptr(), proto as u32, seed, faults) };
        known.then_some(target)
    }

    /// Advances time by [`STEP`](crate::STEP).
    pub fn step(&mut self) {
        // SAFETY: the instance is initialized, and `&mut` keeps others out.
        unsafe { demo_step(self.demo.as_ptr()) }
    }

    /// Stops the target's program: further steps only run the link, until everything is sent.
    pub fn halt(&mut self) {
        // SAFETY: as above.
        unsafe { demo_halt(self.demo.as_ptr()) }
    }

    /// Appends what the link carries in this step.
    pub fn read(&mut self, to: &mut Vec<u8>) {
        let mut piece = [0; PIECE];
        loop {
            // SAFETY: as above; `piece` has room for that many bytes.
            let count = unsafe { demo_read(self.demo.as_ptr(), piece.as_mut_ptr(), PIECE as u32) };
            if count == 0 {
                return;
            }
            to.extend_from_slice(piece.get(..count as usize).unwrap_or_default());
        }
    }

    /// Feeds bytes from the host. The next [`Target::read`] returns the answers.
    pub fn feed(&mut self, bytes: &[u8]) {
        for piece in bytes.chunks(1 << 16) {
            // SAFETY: as above; there are that many bytes, a chunk fits into 32 bits.
            unsafe { demo_feed(self.demo.as_ptr(), piece.as_ptr(), piece.len() as u32) }
        }
    }

    pub fn totals(&self) -> Totals {
        let mut totals = MaybeUninit::uninit();
        // SAFETY: the instance is initialized; C writes all of the totals.
        unsafe {
            spytui_demo_totals(self.demo.as_ptr(), totals.as_mut_ptr());
            totals.assume_init()
        }
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout; the C code has nothing to be freed.
        unsafe { dealloc(self.demo.as_ptr().cast::<u8>(), self.layout) }
    }
}
