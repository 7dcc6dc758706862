//! Configuration: version, sizes and switches. `Settings` are the values from options, a configuration file (the
//! reference host's `trazer.cfg`, or the target's `rkhcfg.h`), the target's configuration record (`tcfg`) or detection;
//! `Config` is the resulting wire format, passed to rendering as a blob.

mod tcfg;

pub(crate) use tcfg::Tcfg;

use std::sync::LazyLock;

use spytui_plugin_api::{
    info::{Opt, OptType},
    nearest::nearest,
};

use crate::layout::{Era, Layout, Ty};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TextStyle {
    /// Native: every valid record gets a row, and names apply to all rows.
    #[default]
    Native,
    Trazer32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Key {
    Version,
    Signal,
    Timestamp,
    Pointer,
    Ntimer,
    Nblock,
    Nelem,
    Esize,
    Bsize,
    Sender,
    QueueLwm,
    PoolLwm,
    Nseq,
    Checksum,
    Tstamp,
    /// Size of a function pointer in bytes; 0 = same as an object pointer.
    Function,
}

pub(crate) const KEYS: usize = 16;

/// A setting and its option. Defaults are those of the reference host.
#[derive(Debug)]
pub(crate) struct Spec {
    pub(crate) key: Key,
    pub(crate) option: Opt<u16>,
}

const fn version(key: Key, option: &'static str, default: &'static str, help: &'static str) -> Spec {
    Spec { key, option: Opt::text(option, parse_version, help).with_default(default) }
}

const fn switch(key: Key, option: &'static str, default: &'static str, help: &'static str) -> Spec {
    Spec { key, option: Opt::flag(option, help).with_default(default) }
}

const fn bytes(key: Key, option: &'static str, default: &'static str, help: &'static str) -> Spec {
    let sizes = OptType::IntChoice(&[("1", 1), ("2", 2), ("4", 4)]);
    Spec { key, option: Opt::new(option, sizes, help).with_default(default) }
}

const fn pointer(key: Key, option: &'static str, default: &'static str, help: &'static str) -> Spec {
    let sizes = OptType::IntChoice(&[("1", 1), ("2", 2), ("4", 4), ("8", 8)]);
    Spec { key, option: Opt::new(option, sizes, help).with_default(default) }
}

/// All settings, in the order of [`Key`].
pub(crate) static SPECS: [Spec; KEYS] = [
    version(Key::Version, "version", "3.4.00", "RKH version, as 3.4 or 2.4.6"),
    bytes(Key::Signal, "signal", "1", "bytes of a signal"),
    bytes(Key::Timestamp, "timestamp", "4", "bytes of a time stamp"),
    pointer(Key::Pointer, "pointer", "4", "bytes of an object pointer; 1 is sent as 4"),
    bytes(Key::Ntimer, "ntimer", "2", "bytes of a timer count"),
    bytes(Key::Nblock, "nblock", "1", "bytes of a number of pool blocks"),
    bytes(Key::Nelem, "nelem", "1", "bytes of a number of queue elements"),
    bytes(Key::Esize, "esize", "2", "bytes of an event size"),
    bytes(Key::Bsize, "bsize", "1", "bytes of a block size"),
    switch(Key::Sender, "sender", "0", "posts carry their sender"),
    switch(Key::QueueLwm, "queue-lwm", "0", "queues carry their low watermark"),
    switch(Key::PoolLwm, "pool-lwm", "0", "pools carry their low watermark"),
    switch(Key::Nseq, "nseq", "1", "records have a sequence number"),
    switch(Key::Checksum, "checksum", "1", "records have a checksum"),
    switch(Key::Tstamp, "tstamp", "1", "records have a time stamp"),
    pointer(Key::Function, "function", "", "bytes of a function pointer; unset: detected in the records"),
];

impl Spec {
    pub(crate) fn is_switch(&self) -> bool {
        matches!(self.option.ty, OptType::Flag(_))
    }

    pub(crate) fn legal(&self, value: u16) -> bool {
        match self.option.ty {
            OptType::Flag(_) => value <= 1,
            OptType::IntChoice(sizes) => sizes.iter().any(|(_, size)| *size == value),
            _ => true,
        }
    }

    pub(crate) fn show(&self, value: u16) -> String {
        if self.key == Key::Version { dotted(value) } else { value.to_string() }
    }
}

pub(crate) const REFERENCE: Opt<TextStyle> = Opt::choice(
    "reference",
    &[("trazer-3.2", TextStyle::Trazer32)],
    "read and write exactly like this host; unset: native",
);
pub(crate) const CFG: Opt<CfgFile> =
    Opt::file("cfg", CfgFile::parse, "configuration: a trazer.cfg, or the target's rkhcfg.h");
pub(crate) const SYMBOLS: Opt<Vec<u8>> =
    Opt::file("symbols", |stream| Ok(stream.to_vec()), "another stream of the same program, read first for names");
pub(crate) const RATE: Opt<u64> =
    Opt::int("ticks-per-second", 0..=i64::MAX, "rate of the time stamps, Hz; 0 = as the target reports it")
        .with_default("0")
        .never_guessed();

/// Formats 0x3400 as `3.4.00`.
pub(crate) fn dotted(version: u16) -> String {
    format!("{:x}.{:x}.{:02x}", version >> 12, version >> 8 & 15, version & 0xFF)
}

fn parse_version(text: &str) -> Result<u16, String> {
    version_code(text).ok_or_else(|| "use the form 3.4 or 2.4.6; known are 2.3 to 3.4".to_owned())
}

/// The version code of `3.4`, `3.4.0` or `3.4.00`.
fn version_code(text: &str) -> Option<u16> {
    let parts: Vec<u16> = text.split('.').map(|d| d.parse().ok()).collect::<Option<_>>()?;
    let (major, minor, patch) = match parts[..] {
        [major, minor] => (major, minor, 0),
        [major, minor, patch] => (major, minor, patch),
        _ => return None,
    };
    let legal = (2..=3).contains(&major) && minor <= 9 && patch <= 99 && (major, minor) >= (2, 3);
    legal.then_some((major << 12) | (minor << 8) | ((patch / 10) << 4) | (patch % 10))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Settings([u16; KEYS]);

impl Default for Settings {
    fn default() -> Self {
        static DEFAULTS: LazyLock<Settings> =
            LazyLock::new(|| Settings(std::array::from_fn(|at| SPECS[at].option.default_value().unwrap_or(0))));
        *DEFAULTS
    }
}

impl Settings {
    #[inline]
    pub(crate) fn get(&self, key: Key) -> u16 {
        self.0[key as usize]
    }

    pub(crate) fn set(&mut self, key: Key, value: u16) {
        self.0[key as usize] = value;
    }

    pub(crate) fn with(mut self, key: Key, value: u16) -> Settings {
        self.set(key, value);
        self
    }

    pub(crate) fn on(&self, key: Key) -> bool {
        self.get(key) != 0
    }

    /// Replaces the settings in `mask` by those in `other`.
    pub(crate) fn overlaid(mut self, other: &Settings, mask: u16) -> Settings {
        for spec in SPECS.iter().filter(|s| mask & bit(s.key) != 0) {
            self.set(spec.key, other.get(spec.key));
        }
        self
    }

    pub(crate) fn differing(&self, other: &Settings) -> impl Iterator<Item = &'static Spec> {
        let (a, b) = (*self, *other);
        SPECS.iter().filter(move |s| a.get(s.key) != b.get(s.key))
    }

    /// Size of an object pointer on the wire: a configured 1 is sent as 4.
    pub(crate) fn pointer(&self) -> u16 {
        match self.get(Key::Pointer) {
            1 => 4,
            bytes => bytes,
        }
    }

    pub(crate) fn function(&self) -> u16 {
        match self.get(Key::Function) {
            0 => self.pointer(),
            1 => 4,
            bytes => bytes,
        }
    }

    pub(crate) fn config(&self, style: TextStyle) -> Config {
        let size = |key| self.get(key) as u8;
        let only = |key, bytes: u8| if self.on(key) { bytes } else { 0 };
        let pointer = self.pointer() as u8;
        let mut sizes = [0; SIZES];
        for (ty, bytes) in [
            (Ty::Sym, pointer),
            (Ty::Fun, self.function() as u8),
            (Ty::Sig, size(Key::Signal)),
            (Ty::Ne, size(Key::Nelem)),
            (Ty::Nblk, size(Key::Nblock)),
            (Ty::Bsize, size(Key::Bsize)),
            (Ty::Es, size(Key::Esize)),
            (Ty::Tick, size(Key::Ntimer)),
            (Ty::U8, 1),
            (Ty::U16, 2),
            (Ty::U32, 4),
            (Ty::Sndr, only(Key::Sender, pointer)),
            (Ty::Qmin, only(Key::QueueLwm, size(Key::Nelem))),
            (Ty::Mpmin, only(Key::PoolLwm, size(Key::Nblock))),
        ] {
            sizes[ty as usize] = bytes;
        }
        Config {
            style,
            version: self.get(Key::Version),
            era: Era::of(self.get(Key::Version)),
            nseq: self.on(Key::Nseq),
            checksum: self.on(Key::Checksum),
            stamp: only(Key::Tstamp, size(Key::Timestamp)),
            sizes,
        }
    }
}

pub(crate) const fn bit(key: Key) -> u16 {
    1 << key as u8
}

/// Number of sizes, indexed by field type.
pub(crate) const SIZES: usize = 16;

/// Everything besides its bytes that affects decoding and rendering of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Config {
    pub(crate) style: TextStyle,
    pub(crate) version: u16,
    pub(crate) era: Era,
    pub(crate) nseq: bool,
    pub(crate) checksum: bool,
    /// Size of the time stamp in bytes; 0 = none.
    pub(crate) stamp: u8,
    /// Sizes by field type; 0 = not sent, or variable.
    pub(crate) sizes: [u8; SIZES],
}

pub(crate) const BLOB: usize = 24;

impl Default for Config {
    fn default() -> Self {
        Settings::default().config(TextStyle::Native)
    }
}

impl Config {
    #[inline]
    pub(crate) fn header(&self) -> usize {
        1 + usize::from(self.nseq) + usize::from(self.stamp)
    }

    #[inline]
    pub(crate) fn trailer(&self) -> usize {
        usize::from(self.checksum)
    }

    /// Size of a field; 0 = not sent, or variable.
    #[inline]
    pub(crate) fn size(&self, ty: Ty) -> u8 {
        self.sizes[ty as usize & (SIZES - 1)]
    }

    /// Whether the target sends a field of an event.
    #[inline]
    pub(crate) fn sends(&self, layout: &Layout, field: u8) -> bool {
        layout.fields.get(usize::from(field)).is_some_and(|field| self.size(field.ty) > 0)
    }

    pub(crate) fn blob(&self) -> [u8; BLOB] {
        let mut blob = [0; BLOB];
        let [low, high] = self.version.to_le_bytes();
        let switches = u8::from(self.nseq) | u8::from(self.checksum) << 1;
        let head = [self.style as u8, low, high, self.era as u8, switches, self.stamp, 0, 0];
        for (to, from) in blob.iter_mut().zip(head.iter().chain(&self.sizes)) {
            *to = *from;
        }
        blob
    }

    /// Reads a blob; an invalid one yields the defaults.
    #[inline]
    pub(crate) fn from_blob(blob: &[u8]) -> Config {
        let Ok(&[style, low, high, era, switches, stamp, _, _, ref sizes @ ..]) = <&[u8; BLOB]>::try_from(blob) else {
            return Config::default();
        };
        Config {
            style: if style == 1 { TextStyle::Trazer32 } else { TextStyle::Native },
            version: u16::from_le_bytes([low, high]),
            era: Era::from_number(era),
            nseq: switches & 1 != 0,
            checksum: switches & 2 != 0,
            stamp: stamp & 7,
            sizes: *sizes,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CfgFile {
    pub(crate) settings: Settings,
    /// Settings contained in the file, as bits.
    pub(crate) given: u16,
}

/// The name of a setting in both kinds of files; `key: None` = irrelevant for decoding.
struct Name {
    cfg: &'static str,
    header: &'static [&'static str],
    key: Option<Key>,
}

const fn name(cfg: &'static str, header: &'static [&'static str], key: Key) -> Name {
    Name { cfg, header, key: Some(key) }
}

/// A switch that only affects what the target sends.
const fn idle(cfg: &'static str) -> Name {
    Name { cfg, header: &[], key: None }
}

#[rustfmt::skip]
static NAMES: [Name; 26] = [
    name("TRAZER_EN_SENDER", &["RKH_CFG_SMA_TRC_SNDR_EN"], Key::Sender),
    name("TRAZER_SIZEOF_SIG", &["RKH_CFG_FWK_SIZEOF_EVT"], Key::Signal),
    name("TRAZER_SIZEOF_TSTAMP", &["RKH_CFGPORT_TRC_SIZEOF_TSTAMP"], Key::Timestamp),
    name("TRAZER_SIZEOF_POINTER", &["RKH_CFGPORT_TRC_SIZEOF_PTR"], Key::Pointer),
    name("TRAZER_SIZEOF_NTIMER", &["RKH_CFG_TMR_SIZEOF_NTIMER"], Key::Ntimer),
    name("TRAZER_SIZEOF_NBLOCK", &["RKH_CFG_MP_SIZEOF_NBLOCK"], Key::Nblock),
    name("TRAZER_SIZEOF_NELEM", &["RKH_CFG_QUE_SIZEOF_NELEM", "RKH_CFG_RQ_SIZEOF_NELEM"], Key::Nelem),
    name("TRAZER_SIZEOF_ESIZE", &["RKH_CFG_FWK_SIZEOF_EVT_SIZE"], Key::Esize),
    name("TRAZER_SIZEOF_BSIZE", &["RKH_CFG_MP_SIZEOF_BSIZE"], Key::Bsize),
    name("TRAZER_EN_NSEQ", &["RKH_CFG_TRC_NSEQ_EN"], Key::Nseq),
    name("TRAZER_EN_CHK", &["RKH_CFG_TRC_CHK_EN"], Key::Checksum),
    name("TRAZER_EN_TSTAMP", &["RKH_CFG_TRC_TSTAMP_EN"], Key::Tstamp),
    name("TRAZER_RQ_EN_GET_LWMARK", &["RKH_CFG_QUE_GET_LWMARK_EN", "RKH_CFG_RQ_GET_LWMARK_EN"], Key::QueueLwm),
    name("TRAZER_MP_EN_GET_LWM", &["RKH_CFG_MP_GET_LWM_EN"], Key::PoolLwm),
    Name { cfg: "", header: &["RKH_CFGPORT_TRC_SIZEOF_FUN_PTR"], key: Some(Key::Function) },
    idle("TRAZER_RUNTIME_FILTER"), idle("TRAZER_EN_USER_TRACE"), idle("TRAZER_ALL"), idle("TRAZER_EN_MP"),
    idle("TRAZER_EN_RQ"), idle("TRAZER_EN_QUE"), idle("TRAZER_EN_SMA"), idle("TRAZER_EN_TIM"), idle("TRAZER_EN_SM"),
    idle("TRAZER_EN_FWK"), idle("TRAZER_EN_ASSERT"),
];

/// The only key that accepts any number.
const MAX_POOLS: &str = "TRAZER_MAX_EPOOL";

impl CfgFile {
    /// Parses either kind of file.
    ///
    /// # Errors
    /// The number of the first invalid line, and what is wrong with it.
    pub(crate) fn parse(content: &[u8]) -> Result<CfgFile, String> {
        let text = String::from_utf8_lossy(content);
        let header = text.lines().any(|line| define(line).is_some_and(|(name, _)| name.starts_with("RKH_")));
        let mut file = CfgFile::default();
        for (number, line) in text.lines().enumerate() {
            let read = if header { file.header_line(line) } else { file.cfg_line(line) };
            read.map_err(|why| format!("line {}: {why}", number + 1))?;
        }
        Ok(file)
    }

    /// Parses `KEY=VALUE`, a comment or an empty line.
    fn cfg_line(&mut self, line: &str) -> Result<(), String> {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            return Ok(());
        }
        let (key, value) = line.split_once('=').ok_or_else(|| format!("`{line}` is not KEY=VALUE"))?;
        let (key, value) = (key.trim(), value.trim());
        let bad = || format!("{key}={value}: invalid value");
        let number = || value.parse::<u16>().map_err(|_| bad());
        if key == MAX_POOLS {
            return number().map(|_| ());
        }
        let name = NAMES.iter().find(|n| !n.cfg.is_empty() && n.cfg == key);
        let name = name.ok_or_else(|| unknown(key))?;
        match name.key {
            Some(key) => self.take(key, number()?).ok_or_else(bad),
            None if number()? <= 1 => Ok(()),
            None => Err(bad()),
        }
    }

    /// Parses the `#define` of a setting; ignores other lines.
    fn header_line(&mut self, line: &str) -> Result<(), String> {
        let Some((name, value)) = define(line) else { return Ok(()) };
        let Some(key) = NAMES.iter().find(|n| n.header.contains(&name)).and_then(|n| n.key) else { return Ok(()) };
        let bad = || format!("{name} {value}: invalid value");
        let value = match value.trim_matches(['(', ')']).trim_end_matches(['u', 'U', 'l', 'L']) {
            "RKH_ENABLED" | "RKH_TRUE" => 1,
            "RKH_DISABLED" | "RKH_FALSE" => 0,
            number => number.parse::<u16>().map_err(|_| bad())?,
        };
        let switch = SPECS.iter().any(|s| s.key == key && s.is_switch());
        // Headers give sizes in bits.
        let value = if switch { value } else { value / 8 + value % 8 * 100 };
        self.take(key, value).ok_or_else(bad)
    }

    fn take(&mut self, key: Key, value: u16) -> Option<()> {
        let spec = SPECS.iter().find(|s| s.key == key)?;
        spec.legal(value).then(|| {
            self.settings.set(key, value);
            self.given |= bit(key);
        })
    }
}

fn unknown(key: &str) -> String {
    let known = NAMES.iter().map(|n| n.cfg).filter(|cfg| !cfg.is_empty()).chain([MAX_POOLS]);
    match nearest(key, known) {
        Some(word) => format!("unknown key {key}; nearest: {word}"),
        None => format!("unknown key {key}; those of a trazer.cfg begin with TRAZER_"),
    }
}

/// Name and value of a `#define`, without comments.
fn define(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?;
    let rest = rest.strip_prefix([' ', '\t'])?.trim_start();
    let rest = rest.split("/*").next()?.split("//").next()?.trim_end();
    let (name, value) = rest.split_once([' ', '\t']).unwrap_or((rest, ""));
    Some((name, value.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_stand_at_the_place_of_their_key() {
        for (place, spec) in SPECS.iter().enumerate() {
            assert_eq!(spec.key as usize, place);
        }
    }

    #[test]
    fn versions() {
        for (text, code) in [("3.4", 0x3400), ("3.4.00", 0x3400), ("2.4.6", 0x2406), ("3.2.3", 0x3203), ("2.3", 0x2300)]
        {
            assert_eq!(version_code(text), Some(code), "{text}");
        }
        for text in ["", "3", "4.0", "1.9", "2.2", "x.y", "3.4.0.0", "3.4.100"] {
            assert_eq!(version_code(text), None, "{text}");
        }
        assert_eq!(dotted(0x2406), "2.4.06");
    }

    #[test]
    fn a_blob_holds_the_configuration() {
        let settings = Settings::default().with(Key::Version, 0x2403).with(Key::Sender, 1).with(Key::Timestamp, 2);
        for config in [settings.config(TextStyle::Native), Settings::default().config(TextStyle::Trazer32)] {
            assert_eq!(Config::from_blob(&config.blob()), config);
        }
        assert_eq!(Config::from_blob(b"short"), Config::default());
    }

    #[test]
    fn an_announced_pointer_of_1_is_sent_as_4() {
        let config = Settings::default().with(Key::Pointer, 1).config(TextStyle::Native);
        assert_eq!((config.size(Ty::Sym), config.size(Ty::Fun)), (4, 4));
    }

    #[test]
    fn switched_off_fields_have_no_size() {
        let config = Settings::default().config(TextStyle::Native);
        assert_eq!([Ty::Sndr, Ty::Qmin, Ty::Mpmin].map(|ty| config.size(ty)), [0; 3]);
        let on = Settings::default().with(Key::Sender, 1).with(Key::QueueLwm, 1).with(Key::PoolLwm, 1);
        let on = on.with(Key::Nelem, 2).config(TextStyle::Native);
        assert_eq!([Ty::Sndr, Ty::Qmin, Ty::Mpmin].map(|ty| on.size(ty)), [4, 2, 1]);
    }

    #[test]
    fn every_key_of_the_reference_host_is_read() {
        let text = "# sizes\n\nTRAZER_EN_SENDER=1\nTRAZER_RUNTIME_FILTER=1\nTRAZER_EN_USER_TRACE=1\nTRAZER_ALL=1\n\
            TRAZER_EN_MP=0\nTRAZER_EN_RQ=0\nTRAZER_EN_SMA=0\nTRAZER_EN_TIM=0\nTRAZER_EN_SM=0\nTRAZER_EN_FWK=1\n\
            TRAZER_EN_ASSERT=1\nTRAZER_SIZEOF_SIG=2\nTRAZER_SIZEOF_TSTAMP=2\nTRAZER_SIZEOF_POINTER=2\n\
            TRAZER_SIZEOF_NTIMER=4\nTRAZER_SIZEOF_NBLOCK=2\nTRAZER_SIZEOF_NELEM=4\nTRAZER_SIZEOF_ESIZE=1\n\
            TRAZER_EN_NSEQ=0\nTRAZER_EN_CHK=0\nTRAZER_EN_TSTAMP=0\nTRAZER_RQ_EN_GET_LWMARK=1\n\
            TRAZER_MP_EN_GET_LWM=1\nTRAZER_SIZEOF_BSIZE=4\nTRAZER_MAX_EPOOL=16\n";
        let file = CfgFile::parse(text.as_bytes()).unwrap();
        let values = SPECS.each_ref().map(|s| file.settings.get(s.key));
        assert_eq!(values, [0x3400, 2, 2, 2, 4, 2, 4, 1, 4, 1, 1, 1, 0, 0, 0, 0]);
        assert_eq!(file.given, !(bit(Key::Version) | bit(Key::Function)));
    }

    #[test]
    fn a_line_that_makes_no_sense_is_reported_by_its_number() {
        for (text, line, word) in [
            (
                "TRAZER_EN_CHK=1\nTRAZER_SIZOF_SIG=1\n",
                "line 2",
                "unknown key TRAZER_SIZOF_SIG; nearest: TRAZER_SIZEOF_SIG",
            ),
            ("TRAZER_MAX_POOL=1\n", "line 1", "unknown key TRAZER_MAX_POOL; nearest: TRAZER_MAX_EPOOL"),
            ("pointer=4\n", "line 1", "unknown key pointer; those of a trazer.cfg begin with TRAZER_"),
            ("\n# x\nTRAZER_EN_CHK=2\n", "line 3", "TRAZER_EN_CHK=2"),
            ("TRAZER_SIZEOF_SIG=3\n", "line 1", "TRAZER_SIZEOF_SIG=3"),
            ("TRAZER_SIZEOF_SIG\n", "line 1", "KEY=VALUE"),
            ("TRAZER_EN_MP=7\n", "line 1", "TRAZER_EN_MP"),
            ("#define RKH_CFG_TRC_CHK_EN RKH_MAYBE\n", "line 1", "RKH_CFG_TRC_CHK_EN"),
            ("\n#define RKH_CFG_FWK_SIZEOF_EVT 12u\n", "line 2", "RKH_CFG_FWK_SIZEOF_EVT"),
        ] {
            let why = CfgFile::parse(text.as_bytes()).unwrap_err();
            assert!(why.starts_with(line) && why.contains(word), "{why}");
        }
    }

    #[test]
    fn a_header_of_the_target_is_read() {
        let text = "#ifndef __RKHCFG_H__\n#define __RKHCFG_H__\n#define RKH_CFG_FWK_MAX_SMA\t4u\n\
            #define\tRKH_CFG_FWK_SIZEOF_EVT\t\t16u   /* bits */\n# define RKH_CFG_QUE_GET_LWMARK_EN RKH_ENABLED\n\
            #define RKH_CFG_TRC_CHK_EN (RKH_DISABLED) // off\n#define RKH_CFG_RQ_SIZEOF_NELEM 32\n";
        let file = CfgFile::parse(text.as_bytes()).unwrap();
        let expected = [(Key::Signal, 2), (Key::QueueLwm, 1), (Key::Checksum, 0), (Key::Nelem, 4)];
        assert!(expected.iter().all(|(key, value)| file.settings.get(*key) == *value));
        assert_eq!(file.given, expected.iter().fold(0, |bits, (key, _)| bits | bit(*key)));
    }
}
