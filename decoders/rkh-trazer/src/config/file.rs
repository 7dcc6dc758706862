//! Configuration files: the `trazer.cfg` of the reference host, and the target's own `rkhcfg.h`.

use spytui_plugin_api::nearest::nearest;

use super::{Key, SPECS, Settings, bit};

/// Settings given by a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CfgFile {
    pub(crate) settings: Settings,
    /// Settings named in the file, as bits.
    pub(crate) given: u16,
}

/// The name of a setting in both kinds of files; `key: None` if it does not affect decoding.
struct Name {
    cfg: &'static str,
    header: &'static [&'static str],
    key: Option<Key>,
}

const fn name(cfg: &'static str, header: &'static [&'static str], key: Key) -> Name {
    Name { cfg, header, key: Some(key) }
}

/// A switch that only says what the target may send.
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

/// The only key whose value may be any number.
const MAX_POOLS: &str = "TRAZER_MAX_EPOOL";

impl CfgFile {
    /// Parses a file of either kind.
    ///
    /// # Errors
    /// Number of the first invalid line, and what is wrong with it.
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

    /// Parses the `#define` of a setting; other lines are ignored.
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
