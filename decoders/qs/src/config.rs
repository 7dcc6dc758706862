//! What the bytes of a record depend on: version, sizes, style. Set by options, learned from QS_TARGET_INFO, passed
//! to rendering as a blob.

/// Which host's behaviour is reproduced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Style {
    /// Ours: nothing good is given up, nothing is limited.
    #[default]
    Native,
    /// The reference host 7.3.4.
    Qspy734,
    /// The reference host 8.1.3.
    Qspy813,
}

impl Style {
    /// The style's bit in a set of styles.
    pub(crate) const fn bit(self) -> u8 {
        1 << self as u8
    }

    pub(crate) fn from_option(text: &str) -> Option<Style> {
        match text {
            "" | "native" => Some(Style::Native),
            "qspy-7.3.4" => Some(Style::Qspy734),
            "qspy-8.1.3" => Some(Style::Qspy813),
            _ => None,
        }
    }

    fn from_number(number: u8) -> Style {
        match number {
            1 => Style::Qspy734,
            2 => Style::Qspy813,
            _ => Style::Native,
        }
    }

    /// Characters after which the host cuts a line.
    pub(crate) fn line_limit(self) -> usize {
        match self {
            Style::Native => usize::MAX,
            Style::Qspy734 => 991,
            Style::Qspy813 => 65_519,
        }
    }
}

/// Bytes of the fields whose size the target chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) time: u8,
    pub(crate) obj: u8,
    pub(crate) fun: u8,
    pub(crate) sig: u8,
    pub(crate) evt: u8,
    pub(crate) que: u8,
    /// Pool counter.
    pub(crate) ctr: u8,
    /// Pool block size.
    pub(crate) blk: u8,
    /// Time-event counter.
    pub(crate) tev: u8,
}

impl Default for Sizes {
    fn default() -> Self {
        Sizes { time: 4, obj: 4, fun: 4, sig: 2, evt: 2, que: 1, ctr: 2, blk: 2, tev: 4 }
    }
}

/// One size by its option: key, letter of the reference host, whether it is a pointer's.
pub(crate) struct SizeSpec {
    pub(crate) key: &'static str,
    pub(crate) letter: u8,
    pub(crate) help: &'static str,
    pub(crate) pointer: bool,
    pub(crate) field: fn(&mut Sizes) -> &mut u8,
}

/// All sizes, in the order of a dictionary file.
pub(crate) static SIZES: [SizeSpec; 9] = [
    size("timestamp", b'T', "bytes of a time stamp", false, |s| &mut s.time),
    size("obj-ptr", b'O', "bytes of an object pointer", true, |s| &mut s.obj),
    size("fun-ptr", b'F', "bytes of a function pointer", true, |s| &mut s.fun),
    size("signal", b'S', "bytes of a signal", false, |s| &mut s.sig),
    size("event-size", b'E', "bytes of an event size", false, |s| &mut s.evt),
    size("queue-ctr", b'Q', "bytes of a queue counter", false, |s| &mut s.que),
    size("pool-ctr", b'P', "bytes of a pool counter", false, |s| &mut s.ctr),
    size("pool-blk", b'B', "bytes of a pool block size", false, |s| &mut s.blk),
    size("time-evt-ctr", b'C', "bytes of a time-event counter", false, |s| &mut s.tev),
];

const fn size(
    key: &'static str,
    letter: u8,
    help: &'static str,
    pointer: bool,
    field: fn(&mut Sizes) -> &mut u8,
) -> SizeSpec {
    SizeSpec { key, letter, help, pointer, field }
}

impl SizeSpec {
    pub(crate) fn get(&self, mut sizes: Sizes) -> u8 {
        *(self.field)(&mut sizes)
    }

    /// A target without pools sends 0 for what they need.
    pub(crate) fn legal(&self, bytes: u8) -> bool {
        let of_pools = matches!(self.letter, b'B' | b'P');
        matches!(bytes, 1 | 2 | 4) || (self.pointer && bytes == 8) || (of_pools && bytes == 0)
    }
}

/// Everything that decoding and rendering of a record depend on beside its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Config {
    pub(crate) style: Style,
    /// As decimal digits: 733 is 7.3.3.
    pub(crate) version: u16,
    pub(crate) big_endian: bool,
    pub(crate) sizes: Sizes,
    /// Sizes at start-up, which give the width of missing names in the reference styles.
    pub(crate) key_widths: KeyWidths,
}

/// Key sizes of the dictionaries, as the reference host keeps them: they do not follow the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeyWidths {
    pub(crate) obj: u8,
    pub(crate) fun: u8,
    /// Objects of the signal dictionary.
    pub(crate) sig: u8,
}

/// Bytes of the blob.
pub(crate) const BLOB: usize = 16;
/// Version before anything is known: the last before 8 for us, that of the reference host for its styles.
const DEFAULT_VERSION: u16 = 734;
const HOST_VERSION: u16 = 700;
/// Newest version whose layouts are known.
pub(crate) const NEWEST_VERSION: u16 = 819;
/// Oldest version whose layouts are known.
pub(crate) const OLDEST_VERSION: u16 = 500;

impl Default for Config {
    fn default() -> Self {
        Config {
            style: Style::Native,
            version: DEFAULT_VERSION,
            big_endian: false,
            sizes: Sizes::default(),
            key_widths: KeyWidths { obj: 4, fun: 4, sig: 4 },
        }
    }
}

impl Config {
    /// What holds in a style before anything is known.
    pub(crate) fn of_style(style: Style) -> Config {
        let version = if style == Style::Native { DEFAULT_VERSION } else { HOST_VERSION };
        Config { style, version, ..Config::default() }
    }

    /// The blob that rendering gets.
    pub(crate) fn blob(&self) -> [u8; BLOB] {
        let [low, high] = self.version.to_le_bytes();
        let s = &self.sizes;
        let m = &self.key_widths;
        [
            self.style as u8,
            low,
            high,
            u8::from(self.big_endian),
            s.time,
            s.obj,
            s.fun,
            s.sig,
            s.evt,
            s.que,
            s.ctr,
            s.blk,
            s.tev,
            m.obj,
            m.fun,
            m.sig,
        ]
    }

    /// Reads a blob; a foreign one gives the defaults.
    #[inline]
    pub(crate) fn from_blob(blob: &[u8]) -> Config {
        let Ok(b) = <&[u8; BLOB]>::try_from(blob) else { return Config::default() };
        let &[style, low, high, big, time, obj, fun, sig, evt, que, ctr, blk, tev, m_obj, m_fun, m_sig] = b;
        Config {
            style: Style::from_number(style),
            version: u16::from_le_bytes([low, high]),
            big_endian: big != 0,
            sizes: Sizes { time, obj, fun, sig, evt, que, ctr, blk, tev },
            key_widths: KeyWidths { obj: m_obj, fun: m_fun, sig: m_sig },
        }
    }
}

/// The version in `7.3`, `7.3.4` or `734`; the reference host's two-digit form gives 730.
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
