//! Options, and the blob passed to rendering.

use spytui_plugin_api::{DecoderOptions, Fault, batch::ClockEvent, info::Opt};
use spytui_plugin_layer::{Clock, clock::COUNTER_BITS};

/// Maximum of option `max-frame`. Also used for the reference tool, which has no limit.
pub(crate) const MOST_FRAME: usize = 1024 * 1024;
const LEAST_FRAME: usize = 16;

pub(crate) const BARE_METAL: &str = "bare-metal";

pub(crate) const MODE: Opt<bool> = Opt::choice(
    "mode",
    &[(BARE_METAL, false), ("free-rtos", true)],
    "events that the target sends; unset: all, which suits both",
);
pub(crate) const MAX_FRAME: Opt<usize> =
    Opt::int("max-frame", LEAST_FRAME as i64..=MOST_FRAME as i64, "longest frame in bytes; longer ones are skipped")
        .with_default("65536")
        .never_guessed();
pub(crate) const RESOLUTION: Opt<u64> =
    Opt::int("resolution", 0..=i64::MAX, "nanoseconds per tick until the target reports it; 0 = unknown")
        .with_default("0")
        .never_guessed();
/// Option: read and write exactly like the reference tool.
pub(crate) const REFERENCE: Opt<bool> =
    Opt::choice("reference", &[("tband-0.1.0", true)], "read and write exactly like this tool; unset: native");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Config {
    pub(crate) reference: bool,
    /// Accept FreeRTOS events. Their ids are unique, so this is right for every stream; bare-metal mode only prevents
    /// damage from being mistaken for them.
    pub(crate) rtos: bool,
}

impl Config {
    pub(crate) fn blob(self) -> [u8; 1] {
        [u8::from(self.reference) | u8::from(self.rtos) << 1]
    }

    /// Reads a blob; an empty one means native decoding of all events.
    #[inline]
    pub(crate) fn from_blob(blob: &[u8]) -> Config {
        let bits = blob.first().copied().unwrap_or(2);
        Config { reference: bits & 1 != 0, rtos: bits & 2 != 0 }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct TbandOptions {
    pub(crate) config: Config,
    pub(crate) max_frame: usize,
    /// Nanoseconds per tick; 0 = as reported by the target.
    pub(crate) resolution: u64,
    pub(crate) clock: Clock,
}

impl TbandOptions {
    pub(crate) fn read(opts: &DecoderOptions<'_>) -> Result<TbandOptions, Fault> {
        let reference = REFERENCE.get(opts)?;
        let rtos = MODE.given(opts)?.unwrap_or(true);
        let max_frame = match MAX_FRAME.given(opts)? {
            None if reference => MOST_FRAME,
            _ => MAX_FRAME.get(opts)?,
        };
        let clock = Clock::new(0).with_counter(COUNTER_BITS.given(opts)?);
        Ok(TbandOptions { config: Config { reference, rtos }, max_frame, resolution: RESOLUTION.get(opts)?, clock })
    }
}

/// A clock with `ns` nanoseconds per tick; 0 = unknown.
pub(crate) fn clock_of(ns: u64) -> ClockEvent {
    let res_ns = u32::try_from(ns).unwrap_or(u32::MAX);
    ClockEvent { num: ns, den: 1, res_ns, ..ClockEvent::default() }
}
