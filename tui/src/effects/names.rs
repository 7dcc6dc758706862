//! Names set by the user, read from files and written to files.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    sync::Arc,
};

use spytui_engine::{
    io::{file_error::open_regular, log::open_recorded},
    present::clock::grouped,
    store::dictionary::NameOrigin,
    trace::session::Decoding,
    trace::stream::Prepass,
    unreadable, unwritable,
};
use spytui_plugin_api::{
    Info, Source,
    info::{OptKind, OptSpec},
};

use crate::model::{Message, names::HEAD};

/// Space, key, scope and name.
type NameLine = (u16, u64, u64, Vec<u8>);

pub(super) fn write(path: &Path, text: &str) -> Result<(), String> {
    let file = fs::OpenOptions::new().write(true).create_new(true).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|error| unwritable(path, &error))
}

/// Loads names from our own format or from a capture; dictionary files of a decoder are left to it.
pub(super) fn load(path: &Path, decodings: &[Arc<Decoding>]) -> Message {
    let Some(decoding) = decodings.first() else { return Message::Refused("nothing is decoded".to_owned()) };
    let info = &decoding.decoder.info;
    let mut reader = match open_regular(path) {
        Ok(file) => BufReader::new(file),
        Err(error) => return Message::Refused(unreadable(path, &error)),
    };
    let own = reader.fill_buf().is_ok_and(|bytes| bytes.starts_with(HEAD.as_bytes()));
    let reads_dic = |option: &OptSpec| option.ty == OptKind::FILE && option.key == "dic";
    let is_dic = path.extension().is_some_and(|extension| extension == "dic");
    let names = if own {
        lines(reader, info, path)
    } else if is_dic && info.options.iter().any(reads_dic) {
        return Message::DictionaryFile(path.to_owned());
    } else {
        of_capture(decoding, path)
    };
    match names {
        Ok(names) if names.is_empty() => Message::Refused(format!("no names in {}", path.display())),
        Ok(names) => {
            // Each of several sources adopts what it lacks.
            let taken = decodings.iter().map(|decoding| add(decoding, &names)).max().unwrap_or(0);
            let all = grouped(names.len() as u64);
            Message::Done(format!("{} of {all} names loaded from {}", grouped(taken), path.display()))
        }
        Err(error) => Message::Refused(error),
    }
}

/// Adds names for keys without one; returns the number of names added.
fn add(decoding: &Decoding, names: &[NameLine]) -> u64 {
    let mut new = 0;
    decoding.edit(|state| {
        for (space, key, scope, name) in names {
            if state.dictionary.effective(u64::MAX, *space, *key, *scope).is_none() {
                state.names().set(*space, *key, *scope, Some(name), 0, decoding.source, NameOrigin::File);
                new += 1;
            }
        }
    });
    new
}

fn lines(reader: BufReader<fs::File>, info: &Info, path: &Path) -> Result<Vec<NameLine>, String> {
    let mut names = Vec::new();
    for (line, number) in reader.split(b'\n').zip(1..) {
        let at = |what: String| format!("{}:{number}: {what}", path.display());
        let line = line.map_err(|error| at(error.to_string()))?;
        let line = String::from_utf8_lossy(&line);
        if !line.is_empty() && !line.starts_with('#') {
            names.push(name_line(info, &line).ok_or_else(|| at("not SPACE KEY SCOPE NAME".to_owned()))?);
        }
    }
    Ok(names)
}

fn of_capture(decoding: &Decoding, path: &Path) -> Result<Vec<NameLine>, String> {
    let log = open_recorded(path).map_err(|error| unreadable(path, &error))?.log;
    log.end(0);
    let read = Prepass::of(&decoding.decoder, &decoding.options, &[Source::default()], &[log], &[]);
    let read = read.map_err(|error| format!("{}: {error}", path.display()))?;
    let all = read.names.iter();
    let named = all.filter_map(|(space, key, scope, names)| {
        let name = names.last()?.text.as_deref()?.to_vec();
        Some((space, key, scope, name))
    });
    Ok(named.collect())
}

fn name_line(info: &Info, line: &str) -> Option<NameLine> {
    let mut words = line.splitn(4, ' ');
    let space = words.next()?;
    let hex = |word: Option<&str>| u64::from_str_radix(word?.strip_prefix("0x")?, 16).ok();
    let (key, scope) = (hex(words.next())?, hex(words.next())?);
    let name = words.next()?;
    let id = info.spaces.iter().find(|s| s.name == space)?.id;
    Some((id, key, scope, name.as_bytes().to_vec()))
}
