//! Options, and the blob that rendering gets.

use spytui_plugin_api::{
    DecoderOptions, Fault,
    info::{Opt, OptType},
};

/// The formats of this decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Profile {
    /// Events of the instrumented kernel.
    Kev = 0,
    /// The trace log of QNX 4.
    Qnx4 = 1,
    /// The trace log of Neutrino 1.0.
    Nto1 = 2,
}

/// Option: the format.
pub(crate) const PROFILE: Opt<Profile> = Opt::choice(
    "profile",
    &[("kev", Profile::Kev), ("qnx4", Profile::Qnx4), ("nto1", Profile::Nto1)],
    "format of the stream; unset: by its content",
);
/// Option: byte order; `true` = big.
pub(crate) const ENDIAN: Opt<bool> =
    Opt::choice("endian", &[("little", false), ("big", true)], "byte order of the target; unset: as the stream says");
/// Option: release.
pub(crate) const RELEASE: Opt<u8> = Opt::new(
    "release",
    OptType::IntChoice(&[("6", 6), ("7", 7), ("8", 8)]),
    "release of QNX, where no header says it (kev)",
);
const USUAL_RELEASE: u8 = 7;
/// Option: number of CPUs.
pub(crate) const CPUS: Opt<u8> =
    Opt::int("cpus", 1..=MOST_CPUS as i64, "number of CPUs, where no header says it (kev)");
pub(crate) const MOST_CPUS: u8 = 64;
/// Option: clock rate.
pub(crate) const RATE: Opt<u64> =
    Opt::int("cycles-per-sec", 1..=i64::MAX, "rate of the clock, where no header says it (kev)");
/// Option: the reference tool.
pub(crate) const REFERENCE: Opt<bool> = Opt::choice(
    "reference",
    &[("traceprinter-1.02", true)],
    "write as this tool does, with its option -n; unset: our own way",
);

/// What the instrumented kernel's stream is like, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) big: bool,
    pub(crate) release: u8,
    pub(crate) cpus: u8,
    /// Cycles per second; 0 = unknown.
    pub(crate) rate: u64,
}

/// Options of an instance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    pub(crate) reference: bool,
    pub(crate) profile: Option<Profile>,
    pub(crate) big: Option<bool>,
    pub(crate) release: Option<u8>,
    pub(crate) cpus: Option<u8>,
    pub(crate) rate: Option<u64>,
}

impl Options {
    pub(crate) fn read(opts: &DecoderOptions<'_>) -> Result<Options, Fault> {
        Ok(Options {
            reference: REFERENCE.get(opts)?,
            profile: PROFILE.given(opts)?,
            big: ENDIAN.given(opts)?,
            release: RELEASE.given(opts)?,
            cpus: CPUS.given(opts)?,
            rate: RATE.given(opts)?,
        })
    }

    /// What a stream is like that says nothing itself.
    pub(crate) fn target(&self) -> Target {
        Target {
            big: self.big.unwrap_or(false),
            release: self.release.unwrap_or(USUAL_RELEASE),
            cpus: self.cpus.unwrap_or(MOST_CPUS),
            rate: self.rate.unwrap_or(0),
        }
    }
}

/// How rows are rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Config {
    pub(crate) reference: bool,
    pub(crate) big: bool,
}

impl Config {
    /// The blob that rendering gets.
    pub(crate) fn blob(self) -> [u8; 1] {
        [u8::from(self.reference) | u8::from(self.big) << 1]
    }

    /// Reads a blob; an empty one means native text of a little-endian target.
    #[inline]
    pub(crate) fn from_blob(blob: &[u8]) -> Config {
        let bits = blob.first().copied().unwrap_or(0);
        Config { reference: bits & 1 != 0, big: bits & 2 != 0 }
    }
}
