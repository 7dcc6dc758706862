//! Names from the target (dictionary records) and from the reference host's dictionary files (`.dic`).

use spytui_decoder_kit::DropRecord;
use spytui_plugin_api::{
    Output,
    info::{Opt, space as host_space},
};

use crate::{
    config::{Config, SIZES, Sizes},
    layout::{self, id, space},
    record::{Record, TargetInfo},
};

/// Id of an application record used by the framework; targets never name it.
pub(crate) const ON_POST: u8 = 124;
pub(crate) const ON_POST_NAME: &[u8] = b"QUTEST_ON_POST";

/// A name in a dictionary record or file.
#[derive(Clone, Copy)]
pub(crate) struct NamingRecord<'a> {
    pub(crate) space: u16,
    pub(crate) key: u64,
    /// Object of a signal, group of an enumeration.
    pub(crate) scope: u64,
    pub(crate) name: &'a [u8],
}

impl<'a> NamingRecord<'a> {
    /// Parses a dictionary record; `None` for other records.
    pub(crate) fn of(config: &Config, id: u8, payload: &'a [u8]) -> Option<NamingRecord<'a>> {
        let Record::Predefined(_, values) = Record::parse(config, id, payload) else { return None };
        let (first, second) = (values.number(0), values.number(1));
        let (space, key, scope) = match id {
            id::SIG_DICT => (space::SIGNALS, first, second),
            id::OBJ_DICT => (space::OBJECTS, first, 0),
            id::FUN_DICT => (space::FUNCTIONS, first, 0),
            id::USR_DICT => (host_space::KINDS, first & 0xFF, 0),
            id::ENUM_DICT => (space::ENUMS, first & 0xFF, second & 7),
            _ => return None,
        };
        Some(NamingRecord { space, key, scope, name: values.bytes })
    }

    /// Id of the named application record, if it is one.
    pub(crate) fn user_record(&self) -> Option<u8> {
        u8::try_from(self.key).ok().filter(|_| self.space == host_space::KINDS)
    }

    pub(crate) fn report(&self, config: &Config, out: &mut Output<'_>) {
        match self.user_record() {
            _ if self.name.is_empty() => {}
            Some(id) => application(config, id, self.name, out),
            None if self.space == host_space::KINDS => {}
            None => out.name(self.space, self.key, self.scope, self.name),
        }
    }
}

fn application(config: &Config, id: u8, name: &[u8], out: &mut Output<'_>) {
    out.name(host_space::KINDS, record_key(config, id), 0, name);
    if config.version < space::COMMAND_GROUP_FROM {
        out.name(space::ENUMS, id.into(), space::COMMAND_GROUP, name);
    }
}

/// Passes on a dictionary file's names of application records, one of which may be the drop total.
pub(crate) fn drop_names(record: &mut DropRecord, dic: &DictionaryFile) {
    for naming in dic.names() {
        naming.user_record().and_then(|id| record.name(id, naming.name));
    }
}

/// Key of an application record's name: the kind of its rows.
pub(crate) fn record_key(config: &Config, id: u8) -> u64 {
    layout::kind_of(id, config.version, config.style).into()
}

pub(crate) fn from_file(dic: &DictionaryFile, config: &Config, out: &mut Output<'_>) {
    dic.names().for_each(|naming| naming.report(config, out));
}

pub(crate) fn forget_file(dic: &DictionaryFile, config: &Config, out: &mut Output<'_>) {
    for NamingRecord { space, key, scope, .. } in dic.names() {
        match u8::try_from(key) {
            _ if space != host_space::KINDS => out.remove(space, key, scope),
            Ok(id) => {
                out.remove(space, record_key(config, id), 0);
                out.remove(space::ENUMS, key, space::COMMAND_GROUP);
            }
            Err(_) => {}
        }
    }
}

/// Sections of a dictionary file, with their spaces.
pub(crate) const SECTIONS: [(&str, u16); 4] = [
    ("Obj-Dic:", space::OBJECTS),
    ("Fun-Dic:", space::FUNCTIONS),
    ("Usr-Dic:", host_space::KINDS),
    ("Sig-Dic:", space::SIGNALS),
];

pub(crate) const DIC: Opt<DictionaryFile> =
    Opt::file("dic", DictionaryFile::checked, "dictionary file of the reference host with names and sizes");

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DictionaryFile {
    pub(crate) version: Option<u16>,
    /// Sizes in the file: index into [`SIZES`], and bytes.
    sizes: Vec<(usize, u8)>,
    /// Build time of the target, `yymmdd_hhmmss`.
    pub(crate) build: Option<String>,
    /// As in [`SECTIONS`].
    sections: [NameSection; SECTIONS.len()],
}

/// A section: size of its keys, and its entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct NameSection {
    key_size: Option<u8>,
    entries: Vec<DictionaryEntry>,
}

/// A name; `scope` is the signal's object.
#[derive(Clone, Debug, PartialEq, Eq)]
struct DictionaryEntry {
    key: u64,
    scope: u64,
    name: Vec<u8>,
}

#[derive(Clone, Copy)]
enum Place {
    Options,
    KeySize(usize),
    Entries(usize),
}

impl DictionaryFile {
    /// Parses a file; rejects non-dictionaries and illegal sizes.
    fn checked(content: &[u8]) -> Result<DictionaryFile, String> {
        let dic = DictionaryFile::parse(content)?;
        for (size, bytes) in &dic.sizes {
            let Some(spec) = SIZES.get(*size).filter(|spec| !spec.legal(*bytes)) else { continue };
            let (letter, key) = (char::from(spec.letter), spec.option.key);
            let legal: Vec<String> = spec.option.choices().iter().map(|(_, bytes)| bytes.to_string()).collect();
            return Err(format!("-{letter}{bytes}: {key} is one of {}", legal.join(" ")));
        }
        Ok(dic)
    }

    /// Parses a file. Skips options known only to newer hosts.
    fn parse(content: &[u8]) -> Result<DictionaryFile, String> {
        if content.starts_with(b"\xFF\xFE") || content.starts_with(b"\xFE\xFF") {
            return Err("it is UTF-16, not a dictionary file: save it as UTF-8".to_owned());
        }
        let mut dic = DictionaryFile::default();
        let mut place = Place::Options;
        let content = content.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(content);
        for (line, number) in content.split(|&b| b == b'\n').map(<[u8]>::trim_ascii).zip(1..) {
            if !line.is_empty() && !line.starts_with(b"#") {
                place = dic.line(place, line).ok_or_else(|| unreadable(line, number))?;
            }
        }
        Ok(dic)
    }

    /// Parses a line; `None` if it is not allowed there.
    fn line(&mut self, place: Place, line: &[u8]) -> Option<Place> {
        let text = String::from_utf8_lossy(line);
        if let Some(section) = SECTIONS.iter().position(|(heading, _)| *heading == text) {
            return Some(Place::KeySize(section));
        }
        Some(match (place, &*text) {
            (_, "***") => Place::Options,
            (Place::Options, option) => {
                self.option(option)?;
                Place::Options
            }
            (Place::KeySize(section), size) => {
                self.sections[section].key_size = Some(size.parse().ok()?);
                Place::Entries(section)
            }
            (Place::Entries(section), entry) => {
                let is_signal = SECTIONS[section].1 == space::SIGNALS;
                let entry = if is_signal { signal(entry, line) } else { plain(entry, line) };
                self.sections[section].entries.push(entry?);
                Place::Entries(section)
            }
        })
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = NamingRecord<'_>> {
        self.sections.iter().zip(SECTIONS).flat_map(|(section, (_, space))| {
            section.entries.iter().map(move |e| NamingRecord { space, key: e.key, scope: e.scope, name: &e.name })
        })
    }

    /// The size of the keys of each section that it has, by space.
    pub(crate) fn key_sizes(&self) -> impl Iterator<Item = (u16, u8)> {
        self.sections.iter().zip(SECTIONS).filter_map(|(section, (_, space))| Some((space, section.key_size?)))
    }

    fn option(&mut self, option: &str) -> Option<()> {
        let (letter, value) = option.strip_prefix('-')?.split_at_checked(1)?;
        match letter {
            _ if !letter.starts_with(|c: char| c.is_ascii_alphabetic()) => return None,
            "v" => self.version = Some(value.parse().ok()?),
            "t" => self.build = Some(value.to_owned()),
            _ => {
                if let Some(size) = SIZES.iter().position(|s| letter.as_bytes() == [s.letter]) {
                    self.sizes.push((size, value.parse().ok()?));
                }
            }
        }
        Some(())
    }

    /// Replaces `sizes` by those in the file.
    pub(crate) fn sizes(&self, mut sizes: Sizes) -> Sizes {
        for (size, bytes) in &self.sizes {
            if let Some(spec) = SIZES.get(*size) {
                *(spec.field)(&mut sizes) = *bytes;
            }
        }
        sizes
    }

    pub(crate) fn other_build(&self, info: &TargetInfo) -> Option<&str> {
        self.build.as_deref().filter(|build| *build != info.build_id())
    }

    pub(crate) fn is_empty(&self) -> bool {
        *self == DictionaryFile::default()
    }
}

/// The message for a line that is not allowed in a dictionary file.
fn unreadable(line: &[u8], number: usize) -> String {
    let start = line.get(..40).unwrap_or(line).escape_ascii();
    format!("line {number} is not part of a dictionary file, as written by qspy -d: {start}")
}

fn hex(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

fn behind(line: &[u8], words: usize) -> Vec<u8> {
    let mut rest = line;
    for _ in 0..words {
        let end = rest.iter().position(|&b| b == b' ').map_or(rest.len(), |e| e + 1);
        rest = rest.get(end..).unwrap_or(&[]).trim_ascii_start();
    }
    rest.to_vec()
}

fn plain(text: &str, line: &[u8]) -> Option<DictionaryEntry> {
    let (key, _) = text.split_once(' ')?;
    Some(DictionaryEntry { key: hex(key)?, scope: 0, name: behind(line, 1) })
}

fn signal(text: &str, line: &[u8]) -> Option<DictionaryEntry> {
    let mut words = text.split_ascii_whitespace();
    let key = words.next()?.parse::<i64>().ok()? as u32;
    Some(DictionaryEntry { key: key.into(), scope: hex(words.next()?)?, name: behind(line, 2) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read() {
        let text = b"# note\n-v733\n-T2\n-O8\n-t261120_100951\n\nObj-Dic:\n8\n0x0000000000411180 AO(l_door)\n***\n\
            Fun-Dic:\n4\n***\nUsr-Dic:\n1\n0x00000064 TELEM\n***\nSig-Dic:\n4\n00000008 0x08059F00 SPIN REQ\n***\n";
        let dic = DictionaryFile::checked(text).unwrap();
        assert_eq!((dic.version, dic.build.as_deref()), (Some(733), Some("261120_100951")));
        let sizes = dic.sizes(Sizes::default());
        assert_eq!((sizes.time, sizes.obj, sizes.sig), (2, 8, 2));
        assert_eq!(dic.sections[0].key_size, Some(8));
        assert_eq!(
            dic.sections[0].entries,
            [DictionaryEntry { key: 0x41_1180, scope: 0, name: b"AO(l_door)".to_vec() }]
        );
        assert_eq!(
            dic.sections[3].entries,
            [DictionaryEntry { key: 8, scope: 0x0805_9F00, name: b"SPIN REQ".to_vec() }]
        );
    }

    #[test]
    fn a_file_of_anything_else_is_refused_with_its_line() {
        let said = |content: &[u8]| DictionaryFile::checked(content).unwrap_err();
        let line = |number: usize, start: &str| {
            format!("line {number} is not part of a dictionary file, as written by qspy -d: {start}")
        };
        assert_eq!(said(b"root:x:0:0:root:/root:/bin/sh\n"), line(1, "root:x:0:0:root:/root:/bin/sh"));
        assert_eq!(said(b"-v733\n-T4\x00\x01~\n"), line(2, "-T4\\x00\\x01~"));
        assert_eq!(said(b"-v733\n\nObj-Dic:\n4\n0x20001000 AO\n0x2000"), line(6, "0x2000"));
        assert_eq!(said(b"\xFF\xFE-\0v\0"), "it is UTF-16, not a dictionary file: save it as UTF-8");
        assert_eq!(said(b"\xFE\xFF\0-\0v"), said(b"\xFF\xFE-\0v\0"));
        assert_eq!(said(b"-\0v\x007\0"), line(1, "-\\x00v\\x007\\x00"));
    }

    #[test]
    fn a_file_of_a_newer_host_or_of_an_editor_is_read() {
        let dic = DictionaryFile::checked("\u{FEFF}-d241031\r\n-v810\r\n-q1\r\n-T2\r\n".as_bytes()).unwrap();
        assert_eq!((dic.version, dic.sizes(Sizes::default()).time), (Some(810), 2));
    }
}
