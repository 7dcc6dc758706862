//! Options, and the blob that rendering gets.

use spytui_plugin_api::{DecoderOptions, batch::ClockEvent, guard::Fault};

/// Frames longer than this are not collected, unless an option says otherwise.
pub(crate) const MAX_FRAME: usize = 64 * 1024;
/// The reference tool has no limit; this is ours in its place, and the greatest value of the option.
pub(crate) const MOST_FRAME: usize = 1024 * 1024;
pub(crate) const LEAST_FRAME: usize = 16;

/// Value of option `reference`.
pub(crate) const REFERENCE: &str = "tband-0.1.0";
pub(crate) const BARE_METAL: &str = "bare-metal";
pub(crate) const FREE_RTOS: &str = "free-rtos";

/// How events are read and shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Config {
    /// As the reference tool does.
    pub(crate) reference: bool,
    /// Events of FreeRTOS are known too. Their ids are none of the others', so that reading them is right for every
    /// stream; a bare-metal target is told only so that damage does not look like them.
    pub(crate) rtos: bool,
}

impl Config {
    /// For rendering.
    pub(crate) fn blob(self) -> [u8; 1] {
        [u8::from(self.reference) | u8::from(self.rtos) << 1]
    }

    /// From the blob; no blob reads as our own way of all events.
    #[inline]
    pub(crate) fn from_blob(blob: &[u8]) -> Config {
        let bits = blob.first().copied().unwrap_or(2);
        Config { reference: bits & 1 != 0, rtos: bits & 2 != 0 }
    }
}

/// Options of an instance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    pub(crate) config: Config,
    pub(crate) max_frame: usize,
    /// Nanoseconds a tick; 0 = the target tells.
    pub(crate) resolution: u64,
}

impl Options {
    pub(crate) fn read(opts: &DecoderOptions<'_>) -> Result<Options, Fault> {
        let reference = match opts.text("reference").unwrap_or("") {
            "" => false,
            REFERENCE => true,
            style => return Err(Fault::new(format!("reference={style}: {REFERENCE} is known"))),
        };
        let rtos = match opts.text("mode").unwrap_or("") {
            BARE_METAL => false,
            "" | FREE_RTOS => true,
            mode => return Err(Fault::new(format!("mode={mode}: {BARE_METAL} or {FREE_RTOS}"))),
        };
        let usual = if reference { MOST_FRAME } else { MAX_FRAME };
        let max_frame = opts.int("max-frame").and_then(|n| usize::try_from(n).ok()).filter(|n| *n > 0);
        let resolution = opts.int("resolution").and_then(|n| u64::try_from(n).ok()).unwrap_or(0);
        Ok(Options {
            config: Config { reference, rtos },
            max_frame: max_frame.unwrap_or(usual).clamp(LEAST_FRAME, MOST_FRAME),
            resolution,
        })
    }

    /// The clock before the target tells its resolution.
    pub(crate) fn clock(&self) -> ClockEvent {
        clock_of(self.resolution)
    }
}

/// A clock of so many nanoseconds per tick; 0 = unknown.
pub(crate) fn clock_of(ns: u64) -> ClockEvent {
    let res_ns = u32::try_from(ns).unwrap_or(u32::MAX);
    ClockEvent { num: ns, den: 1, bits: 64, res_ns, ..ClockEvent::default() }
}
