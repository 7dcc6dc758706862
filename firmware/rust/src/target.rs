//! What the host learns of the target at the start.

use crate::{Element, Frame};

/// Description of the target. Sizes of numbers are added by the tracer: four bytes of time, two of signals, pointers as wide
/// as the processor's. The build time is yours to give:
///
/// ```
/// # use spytui_target::Target;
/// const TARGET: Target = Target { built: [26, 11, 22, 12, 0, 0], ..Target::QP7 };
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Version of the layouts, 734 for 7.3.4.
    pub version: u16,
    /// Date of that version as YYMMDD; sent from 8.0 on.
    pub date: u32,
    /// Maximum number of active objects.
    pub max_active: u8,
    /// Maximum number of event pools, 0 to 15.
    pub max_pools: u8,
    /// Maximum number of tick rates, 0 to 15.
    pub max_rates: u8,
    /// Build time: year (two digits), month, day, hour, minute, second. Hosts drop the names of another build.
    pub built: [u8; 6],
}

impl Target {
    /// The layouts of QP 7.3.4, which every host of QS reads.
    pub const QP7: Self =
        Target { version: 734, date: 0, max_active: 32, max_pools: 3, max_rates: 1, built: [0, 1, 1, 0, 0, 0] };
    /// The layouts of QP 8.1.2.
    pub const QP8: Self = Target { version: 812, date: 26_01_01, ..Target::QP7 };
}

/// The target info; `reset`: the target has just started.
pub(crate) struct Info<'a> {
    pub(crate) target: &'a Target,
    pub(crate) reset: bool,
}

impl Element for Info<'_> {
    /// What differs up to 7.x and from 8.0 on, then sizes, limits and build time.
    fn put(&self, frame: &mut Frame<'_>) {
        const POINTER: u8 = size_of::<usize>() as u8;
        const LAYOUT_8: u8 = 2;
        const FRAMEWORK_IN_C: u8 = 1 << 2;
        let Info { target, reset } = *self;
        if target.version < 800 {
            frame.put(&[if reset { 0xFF } else { 0 }]);
            frame.put(&target.version.to_le_bytes());
        } else {
            frame.put(&[LAYOUT_8 | FRAMEWORK_IN_C | if reset { 0x40 } else { 0 }]);
            let dated = target.date.wrapping_mul(10_000).wrapping_add(target.version.into());
            frame.put(&(!dated).to_le_bytes());
        }
        let [year, month, day, hour, minute, second] = target.built;
        frame.put(&[
            2 | 2 << 4, // signals, sizes of events
            1 | 4 << 4, // counters of queues and time events
            2 | 2 << 4, // sizes of blocks, counters of pools
            POINTER | POINTER << 4,
            4, // time
            target.max_active,
            target.max_pools | target.max_rates << 4,
            second,
            minute,
            hour,
            day,
            month,
            year,
        ]);
    }
}
