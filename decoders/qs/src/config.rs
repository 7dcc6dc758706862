//! Configuration: version, sizes and style. Set by options, learned from QS_TARGET_INFO, passed to rendering as a blob.

use spytui_plugin_api::info::{Opt, OptType};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Style {
    /// Native: every valid record gets a row, without limits.
    #[default]
    Native,
    Qspy734,
    Qspy813,
}

impl Style {
    pub(crate) const fn bit(self) -> u8 {
        1 << self as u8
    }

    fn from_number(number: u8) -> Style {
        match number {
            1 => Style::Qspy734,
            2 => Style::Qspy813,
            _ => Style::Native,
        }
    }

    /// Maximum line length of the host, in characters.
    pub(crate) fn line_limit(self) -> usize {
        match self {
            Style::Native => usize::MAX,
            Style::Qspy734 => 991,
            Style::Qspy813 => 65_519,
        }
    }
}

/// Which of the host's outputs the text of a reference style is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ReferenceForm {
    /// Its lines.
    #[default]
    Text,
    /// Its lines in the colours for a dark or a light terminal.
    Dark,
    Light,
    Matlab,
    /// Its sequence file.
    Sequence,
    /// Its dictionary file.
    Dictionary,
}

impl ReferenceForm {
    pub(crate) fn is_lines(self) -> bool {
        matches!(self, ReferenceForm::Text | ReferenceForm::Dark | ReferenceForm::Light)
    }
}

/// Sizes of the fields that vary by target, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) time: u8,
    pub(crate) obj: u8,
    pub(crate) fun: u8,
    pub(crate) sig: u8,
    pub(crate) evt: u8,
    pub(crate) que: u8,
    pub(crate) ctr: u8,
    pub(crate) blk: u8,
    pub(crate) tev: u8,
}

impl Default for Sizes {
    fn default() -> Self {
        let mut sizes = Sizes { time: 0, obj: 0, fun: 0, sig: 0, evt: 0, que: 0, ctr: 0, blk: 0, tev: 0 };
        for spec in &SIZES {
            *(spec.field)(&mut sizes) = spec.option.default_value().unwrap_or(0);
        }
        sizes
    }
}

impl Sizes {
    /// Replaces zero and illegal sizes by those in `before`.
    pub(crate) fn legal(mut self, before: Sizes) -> Sizes {
        for spec in &SIZES {
            if spec.get(self) == 0 || !spec.legal(spec.get(self)) {
                *(spec.field)(&mut self) = spec.get(before);
            }
        }
        self
    }
}

pub(crate) struct SizeSpec {
    pub(crate) option: Opt<u8>,
    /// Its letter in the reference host's options.
    pub(crate) letter: u8,
    pub(crate) field: fn(&mut Sizes) -> &mut u8,
}

/// All sizes, in the order of dictionary files and of the blob.
pub(crate) static SIZES: [SizeSpec; 9] = [
    size(b'T', bytes("timestamp", "4", "bytes of a time stamp"), |s| &mut s.time),
    size(b'O', pointer("obj-ptr", "4", "bytes of an object pointer"), |s| &mut s.obj),
    size(b'F', pointer("fun-ptr", "4", "bytes of a function pointer"), |s| &mut s.fun),
    size(b'S', bytes("signal", "2", "bytes of a signal"), |s| &mut s.sig),
    size(b'E', bytes("event-size", "2", "bytes of an event size"), |s| &mut s.evt),
    size(b'Q', bytes("queue-ctr", "1", "bytes of a queue counter"), |s| &mut s.que),
    size(b'P', bytes("pool-ctr", "2", "bytes of a pool counter"), |s| &mut s.ctr),
    size(b'B', bytes("pool-blk", "2", "bytes of a pool block size"), |s| &mut s.blk),
    size(b'C', bytes("time-evt-ctr", "4", "bytes of a time-event counter"), |s| &mut s.tev),
];

const fn size(letter: u8, option: Opt<u8>, field: fn(&mut Sizes) -> &mut u8) -> SizeSpec {
    SizeSpec { option, letter, field }
}

const fn bytes(key: &'static str, default: &'static str, help: &'static str) -> Opt<u8> {
    Opt::new(key, OptType::IntChoice(&[("1", 1), ("2", 2), ("4", 4)]), help).with_default(default)
}

const fn pointer(key: &'static str, default: &'static str, help: &'static str) -> Opt<u8> {
    Opt::new(key, OptType::IntChoice(&[("1", 1), ("2", 2), ("4", 4), ("8", 8)]), help).with_default(default)
}

/// Option: the QP version, until the target reports it.
pub(crate) const VERSION: Opt<u16> =
    Opt::text("version", parse_version, "QP version until the target reports it, such as 7.3 or 734; unset: 7.3");
pub(crate) const REFERENCE: Opt<Style> = Opt::choice(
    "reference",
    &[("qspy-7.3.4", Style::Qspy734), ("qspy-8.1.3", Style::Qspy813)],
    "read and write exactly like this host; unset: native",
);
/// The forms by name, in the order of [`ReferenceForm`].
const FORMS: [(&str, ReferenceForm); 6] = [
    ("text", ReferenceForm::Text),
    ("dark", ReferenceForm::Dark),
    ("light", ReferenceForm::Light),
    ("matlab", ReferenceForm::Matlab),
    ("sequence", ReferenceForm::Sequence),
    ("dictionary", ReferenceForm::Dictionary),
];
pub(crate) const FORM: Opt<ReferenceForm> = Opt::choice(
    "reference-form",
    &FORMS,
    "with reference: which output of this host; dark and light are its lines in colour",
)
.with_default("text")
.never_guessed();
/// Maximum number of objects in a sequence file.
const MOST_OBJECTS: usize = 10;
/// Option: the objects of a sequence file, from left to right.
pub(crate) const OBJECTS: Opt<Vec<String>> =
    Opt::text("sequence-objects", parse_objects, "objects of a sequence file, at most 10, as a,b,?; ? = all others")
        .never_guessed();
pub(crate) const RATE: Opt<u64> =
    Opt::int("ticks-per-second", 0..=i64::MAX, "rate of the time stamps, Hz; QS does not send it, 0 = unknown")
        .with_default("0")
        .never_guessed();

/// Form of the target info in packets: front ends of 7.x and 8.x each read only their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum InfoForm {
    #[default]
    OfTarget,
    Before8,
    Since8,
}

pub(crate) const INFO_FORM: Opt<InfoForm> = Opt::choice(
    "front-end-info",
    &[("7", InfoForm::Before8), ("8", InfoForm::Since8)],
    "target info for front ends of this version; unset: as the target sends it",
)
.never_guessed();

impl SizeSpec {
    pub(crate) fn get(&self, mut sizes: Sizes) -> u8 {
        *(self.field)(&mut sizes)
    }

    pub(crate) fn with(&self, mut sizes: Sizes, bytes: u8) -> Sizes {
        *(self.field)(&mut sizes) = bytes;
        sizes
    }

    /// Whether a size is legal. Targets without pools send 0 for pool sizes.
    pub(crate) fn legal(&self, bytes: u8) -> bool {
        let of_pools = matches!(self.letter, b'B' | b'P');
        self.option.choices().iter().any(|(_, size)| *size == bytes) || (of_pools && bytes == 0)
    }
}

/// Everything besides its bytes that affects decoding and rendering of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Config {
    pub(crate) style: Style,
    pub(crate) form: ReferenceForm,
    /// In decimal digits: 733 is 7.3.3.
    pub(crate) version: u16,
    /// The version comes from the target or the user.
    pub(crate) is_version_known: bool,
    pub(crate) big_endian: bool,
    pub(crate) sizes: Sizes,
    /// Key sizes at start-up: the width of missing names in the reference styles.
    pub(crate) key_widths: KeyWidths,
}

/// Key sizes in the reference host's dictionaries, which do not follow the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeyWidths {
    pub(crate) obj: u8,
    pub(crate) fun: u8,
    /// Objects in the signal dictionary.
    pub(crate) sig: u8,
}

pub(crate) const BLOB: usize = 16;
/// Version until one is known: the last before 8 in native style, the host's own default in the reference styles.
const DEFAULT_VERSION: u16 = 734;
const HOST_VERSION: u16 = 700;
pub(crate) const NEWEST_VERSION: u16 = 819;
pub(crate) const OLDEST_VERSION: u16 = 500;

impl Default for Config {
    fn default() -> Self {
        Config {
            style: Style::Native,
            form: ReferenceForm::Text,
            version: DEFAULT_VERSION,
            is_version_known: false,
            big_endian: false,
            sizes: Sizes::default(),
            key_widths: KeyWidths { obj: 4, fun: 4, sig: 4 },
        }
    }
}

impl Config {
    pub(crate) fn of_style(style: Style) -> Config {
        let version = if style == Style::Native { DEFAULT_VERSION } else { HOST_VERSION };
        Config { style, version, ..Config::default() }
    }

    pub(crate) fn blob(&self) -> [u8; BLOB] {
        let [low, high] = self.version.to_le_bytes();
        let switches = u8::from(self.big_endian) | u8::from(self.is_version_known) << 1 | (self.form as u8) << 2;
        let KeyWidths { obj, fun, sig } = self.key_widths;
        let sizes = SIZES.iter().map(|spec| spec.get(self.sizes));
        let mut blob = [0; BLOB];
        let bytes = [self.style as u8, low, high, switches].into_iter().chain(sizes).chain([obj, fun, sig]);
        blob.iter_mut().zip(bytes).for_each(|(place, byte)| *place = byte);
        blob
    }

    /// Reads a blob; an invalid one yields the defaults.
    #[inline]
    pub(crate) fn from_blob(blob: &[u8]) -> Config {
        let Ok(b) = <&[u8; BLOB]>::try_from(blob) else { return Config::default() };
        let &[style, low, high, big, time, obj, fun, sig, evt, que, ctr, blk, tev, m_obj, m_fun, m_sig] = b;
        Config {
            style: Style::from_number(style),
            form: FORMS.get(usize::from(big >> 2)).map(|(_, form)| *form).unwrap_or_default(),
            version: u16::from_le_bytes([low, high]),
            is_version_known: big & 2 != 0,
            big_endian: big & 1 != 0,
            sizes: Sizes { time, obj, fun, sig, evt, que, ctr, blk, tev },
            key_widths: KeyWidths { obj: m_obj, fun: m_fun, sig: m_sig },
        }
    }
}

fn parse_objects(text: &str) -> Result<Vec<String>, String> {
    let names: Vec<String> = text.split(',').map(|name| name.trim().to_owned()).collect();
    match names.len() {
        _ if names.iter().any(String::is_empty) => Err("a name is empty; use the form a,b,?".to_owned()),
        ..=MOST_OBJECTS => Ok(names),
        count => Err(format!("{count} objects; the host draws at most {MOST_OBJECTS}")),
    }
}

/// Formats 734 as `7.3.4`.
pub(crate) fn dotted(version: u16) -> String {
    format!("{}.{}.{}", version / 100, version / 10 % 10, version % 10)
}

fn parse_version(text: &str) -> Result<u16, String> {
    version(text).ok_or_else(|| "use the form 7.3, 7.3.4 or 734".to_owned())
}

/// Parses `7.3`, `7.3.4` or `734`; two digits mean 730.
pub(crate) fn version(text: &str) -> Option<u16> {
    let digits: Vec<u16> = text.split('.').map(|d| d.parse().ok()).collect::<Option<_>>()?;
    match digits[..] {
        [number @ 100..=9999] => Some(number),
        [major @ 1..=9] => Some(major * 100),
        [major @ 1..=9, minor @ 0..=9] => Some(major * 100 + minor * 10),
        [major @ 1..=9, minor @ 0..=9, patch @ 0..=9] => Some(major * 100 + minor * 10 + patch),
        _ => None,
    }
}
