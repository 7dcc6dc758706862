//! Options, and the blob passed to rendering.

use std::sync::Arc;

use spytui_formats::{FormatTable, Loader};
use spytui_plugin_api::{
    DecoderOptions, Fault,
    info::{Opt, OptType},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Profile {
    /// Events of the instrumented kernel.
    Kev = 0,
    Qnx4 = 1,
    Nto1 = 2,
}

impl Profile {
    const ALL: &[(&str, Profile)] = &[("kev", Profile::Kev), ("qnx4", Profile::Qnx4), ("nto1", Profile::Nto1)];

    pub(crate) fn name(self) -> &'static str {
        Profile::ALL.iter().find(|profile| profile.1 == self).map_or("", |profile| profile.0)
    }
}

pub(crate) const PROFILE: Opt<Profile> = Opt::choice("profile", Profile::ALL, "format of the stream; unset: detected");
pub(crate) const ENDIAN: Opt<bool> =
    Opt::choice("endian", &[("little", false), ("big", true)], "byte order; unset: from the stream");
pub(crate) const RELEASE: Opt<u8> = Opt::new(
    "release",
    OptType::IntChoice(&[("6", 6), ("7", 7), ("8", 8)]),
    "QNX release, if no header contains it (kev)",
);
/// Release of a stream that does not report it.
pub(crate) const USUAL_RELEASE: u8 = 7;
pub(crate) const CPUS: Opt<u8> =
    Opt::int("cpus", 1..=MOST_CPUS as i64, "number of CPUs, if no header contains it (kev)");
pub(crate) const MOST_CPUS: u8 = 64;
pub(crate) const RATE: Opt<u64> =
    Opt::int("cycles-per-sec", 1..=i64::MAX, "clock rate, if no header contains it (kev)");
pub(crate) const EXCEPTION: Opt<u8> =
    Opt::int("exc-opcode", 0..=255, "opcode of exceptions (nto1)").with_default("255");
/// Option: disabled events of the kernel profile, one bit per opcode.
pub(crate) const MASK: Opt<[u8; 32]> = Opt::text(
    "kprof",
    mask,
    "disabled events of the kernel profile: 64 hex digits, the lowest bit of the first byte is opcode 0 (nto1)",
);
pub(crate) const FORMATS: Opt<Vec<u8>> =
    Opt::file("fmt", |text| Ok(text.to_vec()), "format file: names and texts of trace codes and user events");
pub(crate) const REFERENCE: Opt<bool> = Opt::choice(
    "reference",
    &[("traceprinter-1.02", true)],
    "write exactly like this tool with option -n; unset: native",
);

/// Maximum number of wrong lines in a format file that get a note.
const MOST_FAULTS: usize = 20;

fn mask(text: &str) -> Result<[u8; 32], String> {
    let digits: Option<Vec<u8>> = text.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect();
    let bytes = digits.unwrap_or_default().chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect::<Vec<u8>>();
    let whole = <[u8; 32]>::try_from(bytes).ok().filter(|_| text.len() == 64);
    whole.ok_or_else(|| "must be 64 hex digits".to_owned())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TargetFacts {
    pub(crate) big: bool,
    pub(crate) release: u8,
    pub(crate) cpus: u8,
    /// Cycles per second; 0 = unknown.
    pub(crate) rate: u64,
}

/// Parses a format file: names and texts, and its faults.
fn formats(text: &[u8]) -> (Arc<FormatTable>, Arc<[String]>) {
    let mut loader = Loader::new();
    loader.add_text(text);
    let loaded = loader.finish();
    let faults = loaded.faults.iter().take(MOST_FAULTS).map(|fault| format!("fmt:{fault}")).collect();
    (Arc::new(loaded.table), faults)
}

#[derive(Clone, Debug)]
pub(crate) struct QnxOptions {
    pub(crate) reference: bool,
    pub(crate) profile: Option<Profile>,
    pub(crate) big: Option<bool>,
    pub(crate) release: Option<u8>,
    pub(crate) cpus: Option<u8>,
    pub(crate) rate: Option<u64>,
    pub(crate) exception: u8,
    /// Disabled events of the kernel profile, one bit per opcode.
    pub(crate) masked: [u8; 32],
    pub(crate) formats: Arc<FormatTable>,
    pub(crate) faults: Arc<[String]>,
}

impl QnxOptions {
    pub(crate) fn read(opts: &DecoderOptions<'_>) -> Result<QnxOptions, Fault> {
        let (formats, faults) = formats(&FORMATS.given(opts)?.unwrap_or_default());
        Ok(QnxOptions {
            reference: REFERENCE.get(opts)?,
            profile: PROFILE.given(opts)?,
            big: ENDIAN.given(opts)?,
            release: RELEASE.given(opts)?,
            cpus: CPUS.given(opts)?,
            rate: RATE.given(opts)?,
            exception: EXCEPTION.get(opts)?,
            masked: MASK.given(opts)?.unwrap_or_default(),
            formats,
            faults,
        })
    }

    /// Takes changed formats from the text of a stream event; returns `false` if it contains none.
    pub(crate) fn change_formats(&mut self, text: &[u8]) -> bool {
        let lines: Vec<&[u8]> =
            text.split(|byte| *byte == b'\n').filter_map(|line| line.strip_prefix(b"fmt=")).collect();
        if !lines.is_empty() {
            (self.formats, self.faults) = formats(&lines.join(&b'\n'));
        }
        !lines.is_empty()
    }

    /// Assumed properties of a stream that does not report them.
    pub(crate) fn target(&self) -> TargetFacts {
        TargetFacts {
            big: self.big.unwrap_or(false),
            release: self.release.unwrap_or(USUAL_RELEASE),
            cpus: self.cpus.unwrap_or(MOST_CPUS),
            rate: self.rate.unwrap_or(0),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Qnx4,
    Nto1 { big: bool, exception: u8 },
}

impl Format {
    pub(crate) fn profile(self) -> Profile {
        if self == Format::Qnx4 { Profile::Qnx4 } else { Profile::Nto1 }
    }

    pub(crate) fn is_big(self) -> bool {
        matches!(self, Format::Nto1 { big: true, .. })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Config {
    pub(crate) reference: bool,
    pub(crate) big: bool,
    pub(crate) profile: Profile,
    pub(crate) exception: u8,
    /// Release; `None` = unknown.
    pub(crate) release: Option<u8>,
}

pub(crate) const BLOB: usize = 3;

impl Config {
    pub(crate) fn blob(self) -> [u8; BLOB] {
        let bits = u8::from(self.reference) | u8::from(self.big) << 1 | (self.profile as u8) << 2;
        [bits, self.exception, self.release.unwrap_or(0)]
    }

    /// Reads a blob; an empty one means native text of a little-endian target.
    #[inline]
    pub(crate) fn from_blob(blob: &[u8]) -> Config {
        let bits = blob.first().copied().unwrap_or(0);
        let profile = match bits >> 2 {
            0 => Profile::Kev,
            1 => Profile::Qnx4,
            _ => Profile::Nto1,
        };
        let exception = blob.get(1).copied().unwrap_or(u8::MAX);
        let release = blob.get(2).copied().filter(|release| *release > 0);
        Config { reference: bits & 1 != 0, big: bits & 2 != 0, profile, exception, release }
    }

    pub(crate) fn classic(self) -> Option<Format> {
        match self.profile {
            Profile::Kev => None,
            Profile::Qnx4 => Some(Format::Qnx4),
            Profile::Nto1 => Some(Format::Nto1 { big: self.big, exception: self.exception }),
        }
    }
}
